//! What was typed.

/// What a person wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Order<'a> {
    Nothing,
    Say(&'a str),
    /// A message by its number, or the last one.
    Unsend(Option<u64>),
    Edit(Option<u64>, &'a str),
    Undo,
    Forget,
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
        match name {
            "unsend" if rest.is_empty() => Self::Unsend(None),
            "unsend" => number(rest).map_or(Self::Unknown, |number| Self::Unsend(Some(number))),
            "edit" => Self::edit(rest),
            "undo" => Self::Undo,
            "forget" => Self::Forget,
            "list" => Self::List,
            "help" => Self::Help,
            "quit" | "exit" => Self::Quit,
            _ => Self::Unknown,
        }
    }

    fn edit(rest: &'a str) -> Self {
        let (first, more) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match number(first) {
            Some(number) if !more.trim().is_empty() => Self::Edit(Some(number), more.trim()),
            Some(_) | None if rest.is_empty() => Self::Unknown,
            Some(_) | None => Self::Edit(None, rest),
        }
    }
}

/// `12` or `#12`.
fn number(text: &str) -> Option<u64> {
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
            ("/unsend", Order::Unsend(None)),
            ("/unsend #12", Order::Unsend(Some(12))),
            ("/unsend it", Order::Unknown),
            ("/edit 3 tea, please", Order::Edit(Some(3), "tea, please")),
            ("/edit tea", Order::Edit(None, "tea")),
            ("/edit 3", Order::Edit(None, "3")),
            ("/edit", Order::Unknown),
            ("/forget", Order::Forget),
            ("/quit", Order::Quit),
            ("/dance", Order::Unknown),
        ];
        for (typed, expected) in cases {
            assert_eq!(Order::read(typed), expected, "{typed}");
        }
    }
}
