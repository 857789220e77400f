//! What accounts need: keys from the database, settings from the configuration.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Uri;
use unsaid_app::owner::is_nobody_here;
use unsaid_core::domain::secret::SecretKey;
use unsaid_core::limits::Limits;
use unsaid_core::port::Store;
use unsaid_core::port::allowances::Allowances;
use unsaid_core::port::clock::{Chance as _, Clock};
use unsaid_http::client::TrustedNetwork;
use unsaid_http::idempotency::{self, Idempotency};
use unsaid_http::password::Argon2id;
use unsaid_http::public_address::PublicAddress;
use unsaid_http::setup::SetupLink;
use unsaid_http::state::Accounts;
use unsaid_http::token::{self, Terms, Tokens};
use unsaid_store_memory::RecentKeys;

use crate::config::Config;
use crate::refusal::{Refusal, said};
use crate::system::SystemChance;

/// The notice that is built in, as the consent ledger names it.
pub const BUILT_IN_NOTICE: &str = "1";

/// Everything, for a server that listens on this address.
///
/// # Errors
/// If the database fails, or the notice cannot be read.
pub async fn open(
    config: &Config,
    store: &dyn Store,
    allowances: Arc<dyn Allowances>,
    address: SocketAddr,
) -> Result<Accounts, Refusal> {
    let key = secret(store, token::SECRET).await?;
    let terms = Terms {
        token_ttl: config.auth.token_ttl,
        refresh_below: config.auth.refresh_below,
        session_cap: config.auth.session_cap,
    };
    let networks = config.trusted_proxies.iter().map(|network| {
        let (address, prefix_bits) = network.parts();
        TrustedNetwork::new(address, prefix_bits)
    });
    Ok(Accounts {
        tokens: Tokens::new(&key, terms),
        passwords: Arc::new(hasher(&config.limits)),
        allowances,
        setup: SetupLink::default(),
        public: public_address(config, address)?,
        trusted_proxies: networks.collect(),
        registration_open: config.auth.registration_open,
        consent_grace_ms: millis(config.consent_grace),
        notice_version: notice_version(config.consent_notice.as_deref())?,
        notice: notice(config.consent_notice.as_deref())?,
    })
}

/// What is needed to know calls again.
///
/// # Errors
/// If the database fails.
pub async fn idempotency(store: &dyn Store) -> Result<Idempotency, Refusal> {
    let secret = secret(store, idempotency::SECRET).await?;
    Ok(Idempotency::new(secret, Arc::new(RecentKeys::default())))
}

/// A hasher of passwords.
#[must_use]
pub fn hasher(limits: &Limits) -> Argon2id {
    let Limits { password_hashes_at_once, password_hashes_waiting, .. } = *limits;
    Argon2id::new(Arc::new(SystemChance), password_hashes_at_once, password_hashes_waiting)
}

/// The link that lets the owner of a new installation in; none if somebody has an account, or if
/// others could reach it.
///
/// # Errors
/// If the database fails.
pub async fn setup_link(
    accounts: &Accounts,
    store: &dyn Store,
    clock: &dyn Clock,
    address: SocketAddr,
) -> Result<Option<String>, Refusal> {
    let nobody = is_nobody_here(store).await;
    let nobody =
        nobody.map_err(|error| Refusal::new(format!("cannot read the accounts: {error}")))?;
    if !nobody || !address.ip().is_loopback() {
        return Ok(None);
    }
    let key = accounts.setup.open(clock.now(), &SystemChance);
    Ok(Some(accounts.public.link(&format!("/setup?key={key}"))))
}

/// The notice's name in the consent ledger: another text is another notice.
///
/// # Errors
/// If it cannot be read.
pub fn notice_version(notice: Option<&Path>) -> Result<String, Refusal> {
    let Some(path) = notice else { return Ok(BUILT_IN_NOTICE.to_owned()) };
    Ok(unsaid_core::domain::person::notice_version(&notice_bytes(path)?))
}

/// The text of a notice of the operator's own.
fn notice(path: Option<&Path>) -> Result<Option<String>, Refusal> {
    let bytes = path.map(notice_bytes).transpose()?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn notice_bytes(path: &Path) -> Result<Vec<u8>, Refusal> {
    std::fs::read(path).map_err(|error| {
        let (path, why) = (path.display(), said(&error));
        Refusal::new(format!("cannot read `consent.notice` {path}: {why}"))
    })
}

/// The installation's secret of this name.
pub(crate) async fn secret(store: &dyn Store, name: &str) -> Result<SecretKey, Refusal> {
    let mut fresh = [0; 32];
    SystemChance.fill(&mut fresh);
    let secret = store.secret(name, SecretKey::new(fresh)).await;
    secret.map_err(|error| Refusal::new(format!("cannot read the keys that sign: {error}")))
}

fn public_address(config: &Config, address: SocketAddr) -> Result<PublicAddress, Refusal> {
    let parsed = |text: String| -> Result<Uri, Refusal> {
        text.parse().map_err(|_| Refusal::new("`public_url` is not an address"))
    };
    if let Some(url) = &config.public_url {
        return Ok(PublicAddress::new(&parsed(url.expose())?));
    }
    let mut reached = address;
    if address.ip().is_unspecified() {
        reached.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    let public = PublicAddress::new(&parsed(format!("http://{reached}"))?);
    if reached.ip().is_loopback() {
        // People on this machine may call it by its name.
        let port = reached.port();
        return Ok(public.also(&parsed(format!("http://localhost:{port}"))?));
    }
    Ok(public)
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
