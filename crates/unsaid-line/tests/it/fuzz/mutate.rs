//! Bodies that are nearly right, in ways that hurt.

use serde_json::{Map, Value, json};
use unsaid_testkit::random::dice::Dice;

/// The longest body that comes out; LINE's are shorter than a mebibyte.
const BODY_BYTES_MAX: usize = 64 << 10;

/// Characters of nobody's that stand for what no `Value` can hold, until it is written.
const MARKS: &[(char, &[u8])] = &[
    ('\u{e000}', br"\ud800"),
    ('\u{e001}', br"\uDFFF"),
    ('\u{e002}', br"\ud83d\ude00"),
    ('\u{e003}', br"\u0000"),
    ('\u{e004}', b"\0"),
    ('\u{e005}', b"\xff"),
    ('\u{e006}', b"\xed\xa0\x80"),
    ('\u{e007}', b"\xe3\x81"),
    ('\u{e008}', br"\ud83d"),
    ('\u{e009}', br"\ude00"),
    ('\u{e00a}', br"\\"),
    ('\u{e00b}', br#"\""#),
    ('\u{e00c}', br"\u00"),
    ('\u{e00d}', br"\x"),
    ('\u{e00e}', b"\x01"),
    ('\u{e00f}', br"\u0022"),
];

/// Pieces of text that mean something where they do not belong.
const PIECES: &[&[u8]] = &[
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"null",
    b"true",
    b"-",
    b"0",
    b"1e999",
    b"-1E-99999999999",
    b"99999999999999999999999999",
    b"0.00000000000000000000000001",
    b"\"events\":[]",
    b"\"events\":[],",
    b"\"type\":\"unsend\",",
    b"\"type\":\"message\",",
    b"\"id\":\"\",",
    b"\\u0000",
    b"\\ud800",
    b"\\udc00\\ud800",
    b"\\u",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\0",
    b"//",
    b"\n",
];

/// The next body, made from those in the pool.
pub(crate) fn body(dice: &mut Dice, pool: &[Vec<u8>]) -> Vec<u8> {
    let mut body = pool[dice.index(pool.len())].clone();
    let mut disturbed = 1 + dice.below(3);
    if dice.percent(60)
        && let Ok(mut value) = serde_json::from_slice::<Value>(&body)
    {
        for _ in 0..=dice.below(3) {
            bend(dice, &mut value);
        }
        body = write(&value);
        disturbed = dice.below(2);
    }
    for _ in 0..disturbed {
        disturb(dice, &mut body, pool);
    }
    body.truncate(BODY_BYTES_MAX);
    body
}

/// Changes one place of a value.
fn bend(dice: &mut Dice, value: &mut Value) {
    if dice.percent(80)
        && let Some(inner) = child(dice, value)
    {
        return bend(dice, inner);
    }
    if dice.percent(30) {
        *value = odd(dice);
        return;
    }
    match value {
        Value::Object(members) => bend_object(dice, members),
        Value::Array(items) => {
            let item = items.first().cloned().unwrap_or_else(|| odd(dice));
            let place = dice.index(items.len() + 1);
            items.insert(place, if dice.percent(50) { odd(dice) } else { item });
        }
        Value::String(text) => {
            let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            places.push(text.len());
            text.insert(dice.pick(&places), mark(dice));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => *value = odd(dice),
    }
}

/// Something inside of it, if there is anything.
fn child<'a>(dice: &mut Dice, value: &'a mut Value) -> Option<&'a mut Value> {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let place = dice.index(members.len());
            members.iter_mut().nth(place).map(|(_, member)| member)
        }
        Value::Array(items) if !items.is_empty() => {
            let place = dice.index(items.len());
            items.get_mut(place)
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => None,
    }
}

/// Takes a member away, gives it another name, or puts something odd beside it.
fn bend_object(dice: &mut Dice, members: &mut Map<String, Value>) {
    let known = ["type", "id", "userId", "source", "message", "text", "events", "new"];
    let other = dice.pick(&known).to_owned();
    let names: Vec<String> = members.keys().cloned().collect();
    if names.is_empty() || dice.percent(30) {
        members.insert(other, odd(dice));
        return;
    }
    let name = &names[dice.index(names.len())];
    let member = members.remove(name).unwrap_or_default();
    if dice.percent(50) {
        members.insert(other, member);
    }
}

fn mark(dice: &mut Dice) -> char {
    MARKS[dice.index(MARKS.len())].0
}

/// Something that is not expected anywhere.
fn odd(dice: &mut Dice) -> Value {
    match dice.below(18) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(i64::MIN),
        4 => json!(u64::MAX),
        5 => json!(1.5e300),
        6 => json!(""),
        7 => json!(" "),
        8 => json!("x".repeat(dice.index(300))),
        9 => json!([]),
        10 => json!({}),
        11 => json!(["message", {"type": "user", "userId": "U1"}]),
        12 => json!({"type": "user", "userId": "U1"}),
        13 => json!({"type": "text", "id": "m1", "text": "hi"}),
        14 => json!("unsend"),
        15 => json!("messageEdited"),
        16 => json!(format!("a{}{}", mark(dice), mark(dice))),
        _ => (0..dice.below(200)).fold(json!(1), |inner, _| Value::Array(vec![inner])),
    }
}

/// Writes a value, with what the marks stand for.
fn write(value: &Value) -> Vec<u8> {
    let text = value.to_string();
    let mut body = Vec::with_capacity(text.len());
    let mut rest = text.as_str();
    // all of them begin with this byte, and little else does
    while let Some(at) = rest.bytes().position(|byte| byte == 0xee) {
        body.extend_from_slice(&rest.as_bytes()[..at]);
        let mut letters = rest[at..].chars();
        let mark = letters.next();
        let bytes = MARKS.iter().find(|(each, _)| Some(*each) == mark);
        body.extend_from_slice(bytes.map_or(b"?", |(_, bytes)| bytes));
        rest = letters.as_str();
    }
    body.extend_from_slice(rest.as_bytes());
    body
}

/// Changes some bytes, whatever they mean.
fn disturb(dice: &mut Dice, body: &mut Vec<u8>, pool: &[Vec<u8>]) {
    let place = dice.index(body.len() + 1);
    let until = (place + dice.index(40)).min(body.len());
    match dice.below(9) {
        0 if place < body.len() => body[place] ^= 1 << dice.below(8),
        1 => body.truncate(place),
        2 => drop(body.drain(place..until)),
        3 => {
            let piece = body[place..until].to_vec();
            body.splice(place..place, piece);
        }
        4 => {
            let other = &pool[dice.index(pool.len())];
            body.truncate(place);
            body.extend_from_slice(&other[dice.index(other.len() + 1)..]);
        }
        5 => nest(dice, body, place, until),
        6 => name_twice(body, place),
        _ => {
            let piece = PIECES[dice.index(PIECES.len())];
            body.splice(place..place, piece.iter().copied());
        }
    }
}

/// Wraps some bytes, sometimes deeper than any stack.
fn nest(dice: &mut Dice, body: &mut Vec<u8>, place: usize, until: usize) {
    let depth = if dice.percent(2) { 20_000 } else { dice.index(200) };
    let (open, close): (&[u8], &[u8]) =
        if dice.percent(50) { (b"[", b"]") } else { (b"{\"a\":", b"}") };
    let inside = body[place..until].to_vec();
    let wrapped = [open.repeat(depth), inside, close.repeat(depth)].concat();
    body.splice(place..until, wrapped);
}

/// Gives the next name of a member twice.
fn name_twice(body: &mut Vec<u8>, place: usize) {
    let Some(colon) = body[place..].windows(2).position(|pair| pair == b"\":") else { return };
    let end = place + colon;
    let Some(start) = body[..end].iter().rposition(|byte| *byte == b'"') else { return };
    let member = [&body[start..=end], b":null,"].concat();
    body.splice(start..start, member);
}
