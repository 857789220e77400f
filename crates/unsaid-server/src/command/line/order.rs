//! What was typed.

/// What a person wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Order<'a> {
    Nothing,
    Say(&'a str),
    As(&'a str),
    Group,
    Alone,
    /// A message by its number, or the last one.
    Unsend(Option<usize>),
    Edit(usize, &'a str),
    Sticker,
    /// A file, or a picture of our own.
    Image(Option<&'a str>),
    Follow,
    List,
    Help,
    Quit,
    Unknown,
}

impl<'a> Order<'a> {
    pub(super) fn read(line: &'a str) -> Self {
        let line = line.trim();
        let Some(command) = line.strip_prefix('/') else {
            return if line.is_empty() { Self::Nothing } else { Self::Say(line) };
        };
        let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        let rest = rest.trim();
        match (name, rest) {
            ("as", name) if !name.is_empty() => Self::As(name),
            ("group", "") => Self::Group,
            ("alone", "") => Self::Alone,
            ("unsend", "") => Self::Unsend(None),
            ("unsend", rest) => {
                number(rest).map_or(Self::Unknown, |number| Self::Unsend(Some(number)))
            }
            ("edit", rest) => Self::edit(rest),
            ("sticker", "") => Self::Sticker,
            ("image", "") => Self::Image(None),
            ("image", file) => Self::Image(Some(file)),
            ("follow", "") => Self::Follow,
            ("list", "") => Self::List,
            ("help", _) => Self::Help,
            ("quit" | "exit", _) => Self::Quit,
            _ => Self::Unknown,
        }
    }

    fn edit(rest: &'a str) -> Self {
        let parts = rest.split_once(char::is_whitespace);
        let found = parts.and_then(|(first, text)| Some((number(first)?, text.trim())));
        found.map_or(Self::Unknown, |(number, text)| Self::Edit(number, text))
    }
}

/// `12` or `#12`.
fn number(text: &str) -> Option<usize> {
    text.strip_prefix('#').unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_understood() {
        let cases = [
            ("", Order::Nothing),
            ("  hello ", Order::Say("hello")),
            ("/as Ann Lee", Order::As("Ann Lee")),
            ("/as", Order::Unknown),
            ("/group", Order::Group),
            ("/alone", Order::Alone),
            ("/unsend", Order::Unsend(None)),
            ("/unsend #12", Order::Unsend(Some(12))),
            ("/unsend it", Order::Unknown),
            ("/edit 3 tea, please", Order::Edit(3, "tea, please")),
            ("/edit tea", Order::Unknown),
            ("/edit 3", Order::Unknown),
            ("/sticker", Order::Sticker),
            ("/image", Order::Image(None)),
            ("/image my cat.jpg", Order::Image(Some("my cat.jpg"))),
            ("/follow", Order::Follow),
            ("/list", Order::List),
            ("/quit", Order::Quit),
            ("/dance", Order::Unknown),
        ];
        for (typed, expected) in cases {
            assert_eq!(Order::read(typed), expected, "{typed}");
        }
    }
}
