//! One text as LINE takes it: in pieces of so many UTF-16 units.

/// The longest text of one message.
const UNITS_MAX: usize = 5_000;
/// The most messages of one call.
const TEXTS_MAX: usize = 5;
/// How far back a character is looked for that may stand apart from the next.
const JOINED_CHARS_MAX: usize = 64;

/// The pieces, which together are the text; none if it is empty or too long for one call.
pub(super) fn split(text: &str) -> Option<Vec<&str>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let room_after = TEXTS_MAX.checked_sub(pieces.len() + 1)? * UNITS_MAX;
        let (piece, after) = rest.split_at(cut(rest, room_after));
        pieces.push(piece);
        rest = after;
    }
    (!pieces.is_empty()).then_some(pieces)
}

/// Where the first piece ends: where a reader would pause, if what follows then fits into its room.
fn cut(text: &str, room_after: usize) -> usize {
    let end = end_of_units(text, UNITS_MAX);
    if end == text.len() {
        return end;
    }
    // Not so early that small pieces come of it.
    let from = text.floor_char_boundary(end / 2);
    let pause = pause(&text[from..end]).map(|at| from + at);
    let fits = |at: &usize| units(&text[*at..]) <= room_after;
    pause.filter(fits).unwrap_or_else(|| apart(text, end))
}

/// The end of the last paragraph, line, sentence or word.
fn pause(text: &str) -> Option<usize> {
    let after = |at: usize, mark: &str| at + mark.len();
    text.rfind("\n\n")
        .map(|at| after(at, "\n\n"))
        .or_else(|| text.rfind('\n').map(|at| after(at, "\n")))
        .or_else(|| end_of_sentence(text))
        .or_else(|| text.rfind(char::is_whitespace).map(|at| text.ceil_char_boundary(at + 1)))
}

fn end_of_sentence(text: &str) -> Option<usize> {
    let mut next_is_space = false;
    for (at, character) in text.char_indices().rev() {
        let ends = match character {
            '。' | '！' | '？' | '．' => true,
            '.' | '!' | '?' | '…' => next_is_space,
            _ => false,
        };
        if ends {
            return Some(at + character.len_utf8());
        }
        next_is_space = character.is_whitespace();
    }
    None
}

/// The last place at or before `end` where nothing that belongs together is torn. It knows accents,
/// flags and emoji of several parts, and gives up on what is longer than anything people write.
fn apart(text: &str, end: usize) -> usize {
    let mut at = end;
    for _ in 0..JOINED_CHARS_MAX {
        let (before, after) = text.split_at(at);
        match (before.chars().next_back(), after.chars().next()) {
            (Some(last), Some(next)) if belongs(before, last, next) => at -= last.len_utf8(),
            _ if at == 0 => return end,
            _ => return at,
        }
    }
    end
}

fn belongs(before: &str, last: char, next: char) -> bool {
    let flags = || before.chars().rev().take_while(|letter| is_flag_letter(*letter)).count();
    joins(next)
        || last == '\u{200d}'
        || (last == '\r' && next == '\n')
        || (is_flag_letter(next) && flags() % 2 == 1)
}

/// Half of a flag.
fn is_flag_letter(character: char) -> bool {
    matches!(character, '\u{1f1e6}'..='\u{1f1ff}')
}

/// What is written upon the character before it.
fn joins(character: char) -> bool {
    matches!(
        character,
        '\u{300}'..='\u{36f}'
            | '\u{591}'..='\u{5bd}'
            | '\u{64b}'..='\u{65f}'
            | '\u{93a}'..='\u{94f}'
            | '\u{e31}'
            | '\u{e34}'..='\u{e3a}'
            | '\u{e47}'..='\u{e4e}'
            | '\u{1160}'..='\u{11ff}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{200c}'..='\u{200d}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{3099}'..='\u{309a}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{fe20}'..='\u{fe2f}'
            | '\u{ff9e}'..='\u{ff9f}'
            | '\u{1f3fb}'..='\u{1f3ff}'
            | '\u{e0020}'..='\u{e007f}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The end of the longest beginning with at most so many units.
fn end_of_units(text: &str, max: usize) -> usize {
    let mut units = 0;
    for (at, character) in text.char_indices() {
        units += character.len_utf16();
        if units > max {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lengths(text: &str) -> Vec<usize> {
        split(text).unwrap().into_iter().map(units).collect()
    }

    #[test]
    fn what_fits_stays_whole() {
        assert_eq!(split(""), None);
        assert_eq!(lengths("hi"), [2]);
        assert_eq!(lengths(&"x".repeat(5_000)), [5_000]);
        assert_eq!(lengths(&"😀".repeat(2_500)), [5_000]);
    }

    #[test]
    fn a_surrogate_pair_is_never_torn() {
        assert_eq!(lengths(&"😀".repeat(2_501)), [5_000, 2]);
        assert_eq!(lengths(&format!("x{}", "😀".repeat(2_500))), [4_999, 2]);
    }

    #[test]
    fn a_cut_is_made_where_a_reader_pauses() {
        let filler = |count: usize| "word ".repeat(count);
        let ends = |text: &str| {
            let pieces = split(text).unwrap();
            pieces[0].chars().rev().take(6).collect::<Vec<_>>().into_iter().rev().collect()
        };
        let text = format!("{}one.\n\n{}two.\n{}", filler(700), filler(200), filler(900));
        let end: String = ends(&text);
        assert_eq!(end, "one.\n\n");
        let text = format!("{}two. \n{}", filler(900), filler(900));
        let end: String = ends(&text);
        assert_eq!(end, "two. \n");
        let text = format!("{}3.5 is it. {}", filler(900), filler(900));
        let end: String = ends(&text);
        assert_eq!(end, "is it.");
        let text = format!("{}。{}", "あ".repeat(4_000), "い".repeat(4_000));
        assert_eq!(lengths(&text), [4_001, 4_000]);
        assert_eq!(lengths(&filler(1_500)), [5_000, 2_500]);
    }

    #[test]
    fn what_belongs_together_is_not_torn() {
        for joined in ["e\u{301}", "👩\u{200d}👩\u{200d}👧", "🇯🇵", "👍🏽", "か\u{3099}"]
        {
            for lead in 0..8 {
                let text = format!("{}{}", "x".repeat(5_000 - lead), joined.repeat(3));
                let pieces = split(&text).unwrap();
                let tail = pieces[0].trim_start_matches('x');
                assert_eq!(tail.len() % joined.len(), 0, "{joined} after {lead}");
            }
        }
    }

    #[test]
    fn an_early_pause_is_not_used_if_the_rest_would_not_fit() {
        let text = format!("{}\n{}", "x".repeat(3_000), "x".repeat(21_999));
        assert_eq!(lengths(&text), [5_000; 5]);
        assert_eq!(split(&"x".repeat(25_001)), None);
    }

    proptest! {
        /// The longest that a model may say has five thousand code points.
        #[test]
        fn pieces_are_the_text_and_each_fits(
            parts in prop::collection::vec((".|\n|😀|\u{301}|🇯", 1_usize..400), 1..25)
        ) {
            let text: String = parts.iter().map(|(one, times)| one.repeat(*times)).collect();
            let text: String = text.chars().take(5_000).collect();
            let pieces = split(&text).unwrap();
            prop_assert_eq!(&pieces.concat(), &text);
            prop_assert!(pieces.len() <= TEXTS_MAX);
            prop_assert!(pieces.iter().all(|piece| (1..=UNITS_MAX).contains(&units(piece))));
        }
    }
}
