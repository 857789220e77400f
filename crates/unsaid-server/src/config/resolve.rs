//! From settings to types. Whatever is wrong is found here, before anything has been touched.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use unsaid_core::limits::Limits;
use unsaid_store_object::bucket::place::{Place, PlaceError};

use super::error::Error;
use super::known::PERSONAS;
use super::layers::Settings;
use super::reader::{Reader, bad};
use super::value::{HttpUrl, Network, PersonaId, Secret, Zone, listen_address};
use super::{
    ApiKey, Auth, Config, Database, History, Line, LineCredentials, LineGroups, Log, LogFormat,
    Model, Persona, Provider, Sessions,
};
use crate::log;

/// Resolves settings; `environment` may hold the keys of providers under their customary names.
///
/// # Errors
/// The first setting that is wrong.
pub fn resolve(
    settings: Settings,
    environment: &BTreeMap<String, OsString>,
) -> Result<Config, Error> {
    resolved(&mut Reader::new(settings), environment)
}

fn resolved(from: &mut Reader, environment: &BTreeMap<String, OsString>) -> Result<Config, Error> {
    let personas = personas(from)?;
    Ok(Config {
        listen: from.parsed("listen", "an address such as 127.0.0.1:8080", listen_address)?,
        data_dir: from
            .parsed("data_dir", "a path", |text| (!text.is_empty()).then(|| text.into()))?,
        database: from.parsed("database", "empty or postgres://…", database)?,
        history: history(from)?,
        public_url: from.url("public_url")?,
        trusted_proxies: from.list(
            "trusted_proxies",
            "a list of addresses or networks such as 10.0.0.0/8",
            Network::parse,
        )?,
        log: Log {
            filter: from.parsed("log", "a filter such as info,unsaid_http=debug", |text| {
                log::filter(text).map(|_| text.to_owned())
            })?,
            format: from.parsed("log_format", "text or json", log_format)?,
        },
        timezone: from.parsed("timezone", "a time zone such as Asia/Tokyo", Zone::parse)?,
        line: line(from, &personas)?,
        unsend_ripple: from.switch("unsend.ripple")?,
        model: model(from, environment)?,
        consent_grace: from.duration("consent.grace")?,
        consent_notice: from.path("consent.notice")?,
        erase_interval: from.some_time("erase.interval")?,
        edit_undo: from.duration("edit.undo")?,
        auth: auth(from)?,
        sessions: sessions(from)?,
        limits: limits(from)?,
        personas,
    })
}

fn database(text: &str) -> Option<Database> {
    let is_postgres = text.starts_with("postgres://") || text.starts_with("postgresql://");
    match text {
        "" => Some(Database::Sqlite),
        url if is_postgres => Some(Database::Postgres(Secret::new(url))),
        _ => None,
    }
}

fn history(from: &mut Reader) -> Result<Option<History>, Error> {
    let (text, origin) = from.text("history")?;
    let endpoint = from.url("history_endpoint")?.map(|url| url.expose()).unwrap_or_default();
    let accept_delay = from.switch("history_accept_delay")?;
    if text.is_empty() {
        return Ok(None);
    }
    let place = Place::parse(&text, &endpoint).map_err(|error| match error {
        PlaceError::Unknown | PlaceError::Bucket | PlaceError::Prefix | PlaceError::Relative => {
            bad("history", origin, "empty, gs://bucket/prefix, s3://bucket/prefix or file:///dir")
        }
        PlaceError::Endpoint
        | PlaceError::Plaintext
        | PlaceError::EndpointOfNothing
        | PlaceError::Credentials(_)
        | PlaceError::Directory(_) => Error::Clash(error.to_string()),
    })?;
    Ok(Some(History { place, accept_delay }))
}

fn log_format(text: &str) -> Option<LogFormat> {
    match text {
        "text" => Some(LogFormat::Text),
        "json" => Some(LogFormat::Json),
        _ => None,
    }
}

fn personas(from: &mut Reader) -> Result<BTreeMap<PersonaId, Persona>, Error> {
    let keys = from.keys_under(PERSONAS);
    let ids = keys.iter().filter_map(|key| key.strip_prefix(PERSONAS)?.rsplit_once('.'));
    let ids: BTreeSet<PersonaId> = ids.filter_map(|(id, _)| PersonaId::parse(id)).collect();
    let mut personas = BTreeMap::new();
    for id in ids {
        let key = |field: &str| format!("{PERSONAS}{id}.{field}");
        let name = from.spare_text(&key("name"))?.unwrap_or_else(|| id.to_string());
        let description = from.spare_text(&key("description"))?.unwrap_or_default();
        let model = from.spare_text(&key("model"))?;
        let (prompt, _) = from.text(&key("prompt"))?;
        if !prompt.is_empty() {
            personas.insert(id, Persona { name, description, prompt, model });
        }
    }
    Ok(personas)
}

fn line(from: &mut Reader, personas: &BTreeMap<PersonaId, Persona>) -> Result<Line, Error> {
    Ok(Line {
        credentials: line_credentials(from)?,
        api_base: api_base(from, "line.api_base")?,
        data_api_base: api_base(from, "line.data_api_base")?,
        persona: from.parsed("line.persona", "the id of a persona", |text| {
            PersonaId::parse(text).filter(|id| personas.contains_key(id))
        })?,
        store_history: from.switch("line.store_history")?,
        groups: from.parsed("line.groups", "decide, mention or off", |text| match text {
            "decide" => Some(LineGroups::Decide),
            "mention" => Some(LineGroups::Mention),
            "off" => Some(LineGroups::Off),
            _ => None,
        })?,
        debounce: from.duration("line.debounce")?,
        turn_timeout: from.some_time("line.turn_timeout")?,
        answer_within: from.some_time("line.answer_within")?,
        push: from.switch("line.push")?,
        loading_delay: from.duration("line.loading_delay")?,
        loading_seconds: loading_seconds(from)?,
    })
}

fn line_credentials(from: &mut Reader) -> Result<Option<LineCredentials>, Error> {
    let secret = from.secret("line.channel_secret")?;
    let token = from.secret("line.channel_access_token")?;
    match (secret, token) {
        (Some(channel_secret), Some(channel_access_token)) => {
            Ok(Some(LineCredentials { channel_secret, channel_access_token }))
        }
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(Error::Clash(
            "`line.channel_secret` and `line.channel_access_token` must be set together".into(),
        )),
    }
}

fn api_base(from: &mut Reader, key: &str) -> Result<HttpUrl, Error> {
    from.parsed(key, "an address such as https://api.line.me", HttpUrl::parse)
}

fn loading_seconds(from: &mut Reader) -> Result<u8, Error> {
    let seconds: u8 = from.number("line.loading_seconds", 5..=60)?;
    if seconds.is_multiple_of(5) {
        return Ok(seconds);
    }
    Err(Error::Clash("`line.loading_seconds` must be a multiple of 5: LINE takes no other".into()))
}

fn model(from: &mut Reader, environment: &BTreeMap<String, OsString>) -> Result<Model, Error> {
    let provider =
        from.parsed("model.provider", "auto, openai, gemini, anthropic or demo", provider)?;
    let base_url = from.url("model.base_url")?;
    let given = from.secret("model.api_key")?;
    // A server with an address of its own speaks like OpenAI unless it is said otherwise.
    let decided = provider.or(base_url.as_ref().map(|_| Provider::OpenAi));
    let api_key = match (given, decided) {
        (Some(secret), Some(provider)) => Some(ApiKey { provider, secret }),
        (Some(_), None) => {
            return Err(Error::Clash(
                "`model.api_key` needs `model.provider`: auto cannot tell whose key it is".into(),
            ));
        }
        (None, Some(provider)) => key_from(environment, provider),
        (None, None) => [Provider::OpenAi, Provider::Gemini, Provider::Anthropic]
            .into_iter()
            .find_map(|provider| key_from(environment, provider)),
    };
    Ok(Model {
        provider,
        name: from.set_text("model.name")?,
        base_url,
        api_key,
        call_timeout: from.some_time("model.call_timeout")?,
        idle_timeout: from.some_time("model.idle_timeout")?,
        context_tokens: from.number("model.context_tokens", 1..=i64::MAX)?,
        tool_steps: from.number("model.tool_steps", 1..=100)?,
        schema_bounds: from.switch("model.schema_bounds")?,
    })
}

#[expect(clippy::option_option, reason = "auto is a choice, and a wrong word is none")]
fn provider(text: &str) -> Option<Option<Provider>> {
    match text {
        "auto" => Some(None),
        "openai" => Some(Some(Provider::OpenAi)),
        "gemini" => Some(Some(Provider::Gemini)),
        "anthropic" => Some(Some(Provider::Anthropic)),
        "demo" => Some(Some(Provider::Demo)),
        _ => None,
    }
}

/// The environment variable that holds a provider's key by custom.
fn key_variable(provider: Provider) -> Option<&'static str> {
    match provider {
        Provider::OpenAi => Some("OPENAI_API_KEY"),
        Provider::Gemini => Some("GEMINI_API_KEY"),
        Provider::Anthropic => Some("ANTHROPIC_API_KEY"),
        Provider::Demo => None,
    }
}

fn key_from(environment: &BTreeMap<String, OsString>, provider: Provider) -> Option<ApiKey> {
    let secret = environment.get(key_variable(provider)?)?.to_str()?;
    (!secret.is_empty()).then(|| ApiKey { provider, secret: Secret::new(secret) })
}

fn auth(from: &mut Reader) -> Result<Auth, Error> {
    // Any three go together: what is shortest ends first (`unsaid_http::token`).
    Ok(Auth {
        token_ttl: from.some_time("auth.token_ttl")?,
        refresh_below: from.duration("auth.refresh_below")?,
        session_cap: from.some_time("auth.session_cap")?,
        registration_open: from.parsed(
            "auth.registration",
            "open or closed",
            |text| match text {
                "open" => Some(true),
                "closed" => Some(false),
                _ => None,
            },
        )?,
    })
}

fn sessions(from: &mut Reader) -> Result<Sessions, Error> {
    Ok(Sessions {
        free: from.number("sessions.free", 0..=1_000_000)?,
        free_minutes: from.number("sessions.free_minutes", 1..=1_000_000)?,
        paid_minutes: from.number("sessions.paid_minutes", 1..=1_000_000)?,
    })
}

fn limits(from: &mut Reader) -> Result<Limits, Error> {
    let mut some = |name: &str| from.number::<usize>(&format!("limits.{name}"), 1..=i64::MAX);
    Ok(Limits {
        line_body_bytes: some("line_body_bytes")?,
        body_bytes: some("body_bytes")?,
        message_chars: some("message_chars")?,
        media_bytes: some("media_bytes")?,
        agents_per_world: some("agents_per_world")?,
        calls_per_round: some("calls_per_round")?,
        page_size: some("page_size")?,
        streams_per_person: some("streams_per_person")?,
        logins_per_15min_account: some("logins_per_15min_account")?,
        logins_per_15min_address: some("logins_per_15min_address")?,
        registrations_per_hour_address: some("registrations_per_hour_address")?,
        password_hashes_at_once: some("password_hashes_at_once")?,
        writes_per_min: some("writes_per_min")?,
        reads_per_min: some("reads_per_min")?,
        volatile_messages: some("volatile_messages")?,
        volatile_bytes: some("volatile_bytes")?,
        object_bytes: some("object_bytes")?,
        prompt_images: some("prompt_images")?,
        password_hashes_waiting: from.number("limits.password_hashes_waiting", 0..=i64::MAX)?,
        volatile_ttl_ms: {
            let ttl = from.some_time("limits.volatile_ttl")?;
            i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX)
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_read() {
        let mut reader = Reader::new(Settings::defaults());
        resolved(&mut reader, &BTreeMap::new()).unwrap();
        assert_eq!(reader.left(), Vec::<&str>::new());
    }

    #[test]
    fn the_default_limits_are_those_of_the_core() {
        let config = resolve(Settings::defaults(), &BTreeMap::new()).unwrap();
        assert_eq!(config.limits, Limits::default());
    }
}
