//! The description of the API as a page: made here, whole without scripts, and with a style of its
//! own.
//!
//! - [`schema`]: what a body looks like

mod schema;

use serde_json::{Map, Value};

use self::schema::Schemas;

/// How it looks.
pub(crate) const STYLE: &str = include_str!("page/docs.css");

/// The page.
pub(crate) fn render(document: &Value) -> String {
    let groups = groups(document);
    let schemas = Schemas(document);
    let sections: String = groups.iter().map(|group| section(group, schemas)).collect();
    let info = &document["info"];
    let (title, version) = (escaped(text(&info["title"])), escaped(text(&info["version"])));
    let about: String =
        text(&info["description"]).split("\n\n").map(|part| paragraph("", part)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
        <title>{title} API</title>\n<link rel=\"stylesheet\" href=\"/api/docs.css\">\n</head>\n<body>\n\
        <a class=\"skip\" href=\"#calls\">Skip to the calls</a>\n\
        <header>\n<h1>{title} API <small>{version}</small></h1>\n{about}\
        <p>For programs: <a href=\"/api/openapi.json\">openapi.json</a></p>\n</header>\n\
        <nav aria-label=\"Calls\">\n{}</nav>\n<main id=\"calls\">\n{}{sections}</main>\n</body>\n</html>\n",
        contents(&groups),
        proofs(document),
    )
}

/// Calls about the same thing.
struct Group<'a> {
    name: &'a str,
    about: &'a str,
    calls: Vec<Call<'a>>,
}

#[derive(Clone, Copy)]
struct Call<'a> {
    method: &'a str,
    path: &'a str,
    operation: &'a Value,
}

fn groups(document: &Value) -> Vec<Group<'_>> {
    items(&document["tags"]).map(|tag| group(document, tag)).collect()
}

fn group<'a>(document: &'a Value, tag: &'a Value) -> Group<'a> {
    let name = text(&tag["name"]);
    let calls = members(&document["paths"])
        .flat_map(|(path, methods)| {
            members(methods).map(move |(method, operation)| Call { method, path, operation })
        })
        .filter(|call| call.operation["tags"][0] == name);
    Group { name, about: text(&tag["description"]), calls: calls.collect() }
}

/// The list of everything, before everything.
fn contents(groups: &[Group<'_>]) -> String {
    let line = |call: &Call<'_>| {
        let Call { method, path, operation } = call;
        let id = escaped(text(&operation["operationId"]));
        format!(
            "<li><a href=\"#{id}\">{} <code>{}</code></a></li>\n",
            badge(method),
            breakable(path)
        )
    };
    let group = |group: &Group<'_>| {
        let lines: String = group.calls.iter().map(line).collect();
        let name = escaped(group.name);
        format!("<li><a href=\"#{name}-calls\">{name}</a>\n<ul>\n{lines}</ul></li>\n")
    };
    format!("<ul>\n{}</ul>\n", groups.iter().map(group).collect::<String>())
}

/// How somebody proves who they are.
fn proofs(document: &Value) -> String {
    let row = |(name, scheme): (&str, &Value)| {
        let place = match text(&scheme["name"]) {
            "" => "<code>Authorization: Bearer …</code>".to_owned(),
            cookie => format!("cookie <code>{}</code>", escaped(cookie)),
        };
        let about = marked(text(&scheme["description"]));
        format!("<dt>{}</dt>\n<dd>{place}<p>{about}</p></dd>\n", escaped(name))
    };
    let rows: String = members(&document["components"]["securitySchemes"]).map(row).collect();
    format!(
        "<section aria-labelledby=\"proofs\">\n<h2 id=\"proofs\">Who is calling</h2>\n\
        <dl>\n{rows}</dl>\n</section>\n"
    )
}

fn section(group: &Group<'_>, schemas: Schemas<'_>) -> String {
    let calls: String = group.calls.iter().map(|call| article(*call, schemas)).collect();
    let (name, about) = (escaped(group.name), paragraph("", group.about));
    format!(
        "<section aria-labelledby=\"{name}-calls\">\n<h2 id=\"{name}-calls\">{name}</h2>\n\
        {about}{calls}</section>\n"
    )
}

fn article(call: Call<'_>, schemas: Schemas<'_>) -> String {
    let Call { method, path, operation } = call;
    let id = escaped(text(&operation["operationId"]));
    let summary = paragraph("summary", text(&operation["summary"]));
    let more = paragraph("", text(&operation["description"]));
    let is_open = operation.get("security").is_some();
    let who = match (is_open, operation["tags"][0] == "admin") {
        (true, _) => "For everybody.",
        (false, true) => "For admins.",
        (false, false) => "For whoever is signed in.",
    };
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    let body = if body.is_null() { String::new() } else { schemas.of(body) };
    format!(
        "<article aria-labelledby=\"{id}\">\n<h3 id=\"{id}\">{} <code>{}</code></h3>\n{summary}{more}{}\
        {}{}{}</article>\n",
        badge(method),
        breakable(path),
        paragraph("who", who),
        titled("Parameters", &parameters(operation, schemas)),
        titled("Body", &body),
        titled("Answers", &answers(operation, schemas)),
    )
}

fn parameters(operation: &Value, schemas: Schemas<'_>) -> String {
    let rows: String = items(&operation["parameters"])
        .map(|parameter| {
            let place = format!("in the {}", text(&parameter["in"]));
            let is_required = parameter["required"] == true;
            let about = text(&parameter["description"]);
            schemas.row(text(&parameter["name"]), &parameter["schema"], is_required, &place, about)
        })
        .collect();
    if rows.is_empty() { rows } else { format!("<dl>\n{rows}</dl>\n") }
}

/// What it gives, and behind a fold what it refuses.
fn answers<'a>(operation: &'a Value, schemas: Schemas<'a>) -> String {
    let is_refusal = |status: &str| status >= "400";
    let answer = |(status, answer): (&str, &'a Value)| {
        let about = marked(text(&answer["description"]));
        format!("<dt>{status}</dt>\n<dd>{about}{}</dd>\n", sent(answer, schemas))
    };
    let responses = members(&operation["responses"]);
    let given: String = responses.filter(|(status, _)| !is_refusal(status)).map(answer).collect();
    let refusals: Vec<(&str, &'a Value)> =
        members(&operation["responses"]).filter(|(status, _)| is_refusal(status)).collect();
    let row = |(status, answer): &(&str, &'a Value)| {
        let about = marked(text(&schemas.resolved(answer)["description"]));
        format!("<dt>{status}</dt>\n<dd>{about}</dd>\n")
    };
    let rows: String = refusals.iter().map(row).collect();
    let statuses: Vec<&str> = refusals.iter().map(|(status, _)| *status).collect();
    format!(
        "<dl>\n{given}</dl>\n<details>\n<summary>Refused with {}</summary>\n<dl>\n{rows}</dl>\n\
        </details>\n",
        statuses.join(", ")
    )
}

fn sent(answer: &Value, schemas: Schemas<'_>) -> String {
    let content = |(kind, content): (&str, &Value)| match kind {
        "application/json" => schemas.of(&content["schema"]),
        other => {
            let kind = format!("<p class=\"kind\"><code>{}</code></p>\n", escaped(other));
            kind + &schemas.of(&content["schema"])
        }
    };
    let headers = |(name, header): (&str, &Value)| {
        let about = text(&header["description"]);
        schemas.row(name, &header["schema"], true, "in the header", about)
    };
    let headers: String = members(&answer["headers"]).map(headers).collect();
    let headers = if headers.is_empty() { headers } else { format!("\n<dl>\n{headers}</dl>\n") };
    members(&answer["content"]).map(content).collect::<String>() + &headers
}

fn titled(title: &str, inner: &str) -> String {
    if inner.is_empty() { String::new() } else { format!("<h4>{title}</h4>\n{inner}") }
}

fn paragraph(class: &str, words: &str) -> String {
    match (class, words) {
        (_, "") => String::new(),
        ("", words) => format!("<p>{}</p>\n", marked(words)),
        (class, words) => format!("<p class=\"{class}\">{}</p>\n", marked(words)),
    }
}

fn badge(method: &str) -> String {
    format!("<span class=\"method {method}\">{}</span>", method.to_uppercase())
}

/// A path that may be broken after its slashes.
fn breakable(path: &str) -> String {
    escaped(path).replace('/', "/<wbr>").replacen("/<wbr>", "/", 1)
}

/// What stands between backticks is code.
fn marked(words: &str) -> String {
    let part = |(at, part): (usize, &str)| {
        if at % 2 == 1 { format!("<code>{}</code>", escaped(part)) } else { escaped(part) }
    };
    words.split('`').enumerate().map(part).collect()
}

fn escaped(words: &str) -> String {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    words.replace('"', "&quot;").replace('\'', "&#39;")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}
