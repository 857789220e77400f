//! Addresses, fit to be shown: whatever may be a secret is left out, if need be more than that.

/// What is printed in place of a secret.
pub const MASK: &str = "***";

/// Parameters of a database's address that tell nothing.
const HARMLESS: [&str; 9] = [
    "application_name",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "port",
    "sslmode",
    "target_session_attrs",
    "user",
];

/// A URL without the secrets that it may hold; other texts as they are.
///
/// A token may stand in place of a name, and a password that was not escaped may hold any sign, `/`
/// and `@` among them: all before the last `@` goes. With `?` or `#` before it nobody can tell what
/// it ends, a password or a parameter: then everything goes. Better to hide a host than to show half
/// a secret.
#[must_use]
pub fn masked_url(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("//") else {
        return text.to_owned();
    };
    let (name, rest) = match rest.rsplit_once('@') {
        Some((before, _)) if before.contains(['?', '#']) => return format!("{scheme}//{MASK}"),
        Some((_, rest)) => (format!("{MASK}@"), rest),
        None => (String::new(), rest),
    };
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, _)) => (rest, format!("#{MASK}")),
        None => (rest, String::new()),
    };
    let (place, query) = match rest.split_once('?') {
        Some((place, query)) => (place, format!("?{}", masked_query(query))),
        None => (rest, String::new()),
    };
    format!("{scheme}//{name}{place}{query}{fragment}")
}

fn masked_query(query: &str) -> String {
    let masked = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if HARMLESS.contains(&name) && is_plain(value) => pair.to_owned(),
        Some((name, _)) => format!("{name}={MASK}"),
        None => MASK.to_owned(),
    });
    masked.collect::<Vec<_>>().join("&")
}

/// One word, and not several parameters behind another separator.
fn is_plain(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.,/".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_lose_their_secrets() {
        let cases = [
            ("postgres://me:s3cret@db/unsaid", "postgres://***@db/unsaid"),
            ("postgres://me:s3/cr@et@db:5432/unsaid", "postgres://***@db:5432/unsaid"),
            ("postgres://me:s3?cret@db/unsaid", "postgres://***"),
            ("postgres://me:s3#cret@db/unsaid", "postgres://***"),
            ("postgres://me:s3//cret@db/unsaid", "postgres://***@db/unsaid"),
            ("postgres://me:s3@db/u?sslmode=require", "postgres://***@db/u?sslmode=require"),
            ("postgres://me@db/unsaid", "postgres://***@db/unsaid"),
            ("postgres:///unsaid?host=/run/pg&user=me", "postgres:///unsaid?host=/run/pg&user=me"),
            ("postgres://db/u?user=me&password=s3cret", "postgres://db/u?user=me&password=***"),
            (
                "postgres://db/u?PGPASS=s3cret&pass%77ord=s3cret",
                "postgres://db/u?PGPASS=***&pass%77ord=***",
            ),
            ("postgres://db/u?user=me;password=s3cret", "postgres://db/u?user=***"),
            ("postgres://db/u?password=s3@cret", "postgres://***"),
            ("https://s3cret@h", "https://***@h"),
            ("https://h/?s3cret", "https://h/?***"),
            ("https://h/#s3cret", "https://h/#***"),
            ("s3://key:s3cret@bucket/prefix", "s3://***@bucket/prefix"),
            ("//me:s3cret@h", "//***@h"),
            ("https://api.line.me", "https://api.line.me"),
            ("no url", "no url"),
        ];
        for (text, masked) in cases {
            assert_eq!(masked_url(text), masked, "{text}");
        }
    }
}
