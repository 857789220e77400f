//! What stands in the log for something without words.

use super::object::Object;

/// `[User sent a sticker]`, with what LINE tells of it inside the brackets. `None` for kinds of
/// messages that have no placeholder.
pub(super) fn placeholder(kind: &str, message: &Object<'_>) -> Option<String> {
    let (what, details) = match kind {
        "sticker" => {
            let mut details = message.texts("keywords");
            details.extend(message.text("text"));
            ("a sticker", details)
        }
        "video" => ("a video", Vec::new()),
        "audio" => ("an audio", Vec::new()),
        "location" => {
            let details = ["title", "address"].map(|name| message.text(name));
            ("a location", details.into_iter().flatten().collect())
        }
        "file" => ("a file", message.text("fileName").into_iter().collect()),
        _ => return None,
    };
    let details: Vec<&str> =
        details.iter().map(|detail| detail.trim()).filter(|detail| !detail.is_empty()).collect();
    Some(if details.is_empty() {
        format!("[User sent {what}]")
    } else {
        format!("[User sent {what}: {}]", details.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_says_what_it_was_and_what_line_tells_of_it() {
        for (kind, message, expected) in [
            ("sticker", "{}", "[User sent a sticker]"),
            ("sticker", r#"{"keywords":[]}"#, "[User sent a sticker]"),
            ("sticker", r#"{"keywords":["cony","love"]}"#, "[User sent a sticker: cony, love]"),
            ("sticker", r#"{"keywords":["hi"],"text":"おは"}"#, "[User sent a sticker: hi, おは]"),
            ("sticker", r#"{"text":null}"#, "[User sent a sticker]"),
            ("video", r#"{"duration":60000}"#, "[User sent a video]"),
            ("audio", r#"{"duration":60000}"#, "[User sent an audio]"),
            ("location", "{}", "[User sent a location]"),
            ("location", r#"{"title":"LINE"}"#, "[User sent a location: LINE]"),
            ("location", r#"{"address":"1-3 Kioicho"}"#, "[User sent a location: 1-3 Kioicho]"),
            ("location", r#"{"title":"A","address":"B"}"#, "[User sent a location: A, B]"),
            ("location", r#"{"title":" ","address":"B"}"#, "[User sent a location: B]"),
            ("file", r#"{"fileName":"a b.txt","fileSize":2}"#, "[User sent a file: a b.txt]"),
            ("file", "{}", "[User sent a file]"),
        ] {
            let object = Object::read(message).unwrap();
            assert_eq!(placeholder(kind, &object).as_deref(), Some(expected), "{message}");
        }
        assert_eq!(placeholder("text", &Object::read("{}").unwrap()), None);
    }
}
