//! `unsaid user`: makes, lists and changes accounts, also beside a running server.

use std::process::ExitCode;
use std::sync::Arc;

use unsaid_app::account::{self, AccountError};
use unsaid_app::reception::{NotNow, Reception};
use unsaid_app::register::{NewPerson, RegisterError, register};
use unsaid_core::domain::id::PersonId;
use unsaid_core::domain::password::Password;
use unsaid_core::domain::person::{Email, Person};
use unsaid_core::domain::text::Words;
use unsaid_core::port::Store;
use unsaid_core::port::people::PersonChange;
use unsaid_http::password::Argon2id;
use unsaid_http::token::random_id;
use unsaid_store_memory::MemoryAllowances;

use crate::args::people::User;
use crate::config::Config;
use crate::refusal::Refusal;
use crate::system::{SystemChance, SystemClock};
use crate::{accounts, process, store, terminal};

/// Accounts read at a time.
const PEOPLE_AT_A_TIME: usize = 500;
const NAME_CHARS_MAX: usize = 100;

/// Does it, and says what was done.
///
/// # Errors
/// If the database cannot be used, or there is no such account.
pub fn run(config: &Config, user: User) -> Result<ExitCode, Refusal> {
    process::runtime()?.block_on(async {
        let desk = Desk {
            store: store::open_beside(config).await?,
            hasher: accounts::hasher(&config.limits),
            allowances: MemoryAllowances::default(),
        };
        match user {
            User::Add { email, name, admin, consent } => {
                let notice_version = accounts::notice_version(config.consent_notice.as_deref())?;
                let email = address(&email)?;
                let display_name = display_name(name.as_deref(), &email)?;
                let (id, door) = (new_id()?, "terminal");
                let new =
                    NewPerson { id, email, display_name, admin, consent, notice_version, door };
                desk.add(config, new).await?;
            }
            User::List => desk.list().await?,
            User::Admin { email, off } => {
                let person = desk.find(&email).await?;
                desk.change(&person, PersonChange::Admin(!off)).await?;
                let now = if off { "no longer an admin" } else { "an admin" };
                terminal::say(&format!("{} is {now}", person.email.as_str()))?;
            }
            User::Password { email } => desk.set_password(config, &email).await?,
            User::Grant { email, sessions } => {
                let person = desk.find(&email).await?;
                desk.change(&person, PersonChange::Grant(sessions)).await?;
                let email = person.email.as_str();
                terminal::say(&format!("{email} may open {sessions} more paid sessions"))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// What the commands about accounts need.
struct Desk {
    store: Arc<dyn Store>,
    hasher: Argon2id,
    allowances: MemoryAllowances,
}

impl Desk {
    async fn add(&self, config: &Config, new: NewPerson) -> Result<(), Refusal> {
        let (id, email) = (new.id.clone(), new.email.as_str().to_owned());
        let taken = || Refusal::new(format!("{email} has an account already"));
        let found = self.store.by_email(&new.email).await;
        if found.map_err(|error| broken(&NotNow::Broken(error)))?.is_some() {
            return Err(taken());
        }
        let made = register(&self.reception(config), new, new_password()?).await;
        made.map_err(|error| match error {
            RegisterError::EmailTaken => taken(),
            RegisterError::NotNow(not_now) => broken(&not_now),
        })?;
        terminal::say(&format!("{email} has an account: {id}"))
    }

    async fn list(&self) -> Result<(), Refusal> {
        let mut after: Option<PersonId> = None;
        loop {
            let people = self.store.people_after(after.as_ref(), PEOPLE_AT_A_TIME).await;
            let people = people.map_err(|error| broken(&NotNow::Broken(error)))?;
            for person in &people {
                terminal::say(&line(person))?;
            }
            match people.into_iter().next_back() {
                Some(last) => after = Some(last.id),
                None => return Ok(()),
            }
        }
    }

    async fn set_password(&self, config: &Config, email: &str) -> Result<(), Refusal> {
        let person = self.find(email).await?;
        let password = new_password()?;
        let set = account::set_password(&self.reception(config), &person.id, password).await;
        set.map_err(|error| refused(&error))?;
        let email = person.email.as_str();
        terminal::say(&format!("{email} has a new password; whoever was signed in no longer is"))
    }

    async fn change(&self, person: &Person, change: PersonChange) -> Result<(), Refusal> {
        let changed = account::changed(&*self.store, &person.id, change).await;
        changed.map_err(|error| refused(&error))
    }

    async fn find(&self, email: &str) -> Result<Person, Refusal> {
        let found = self.store.by_email(&address(email)?).await;
        let found = found.map_err(|error| broken(&NotNow::Broken(error)))?;
        found.ok_or_else(|| Refusal::new("no account has this address"))
    }

    fn reception<'a>(&'a self, config: &'a Config) -> Reception<'a> {
        Reception {
            people: &*self.store,
            passwords: &self.hasher,
            allowances: &self.allowances,
            limits: &config.limits,
            clock: &SystemClock,
        }
    }
}

/// Id, address, kind, when it was made, whether words are kept, sessions paid for; with tabs between.
fn line(person: &Person) -> String {
    let kind = if person.admin { "admin" } else { "user" };
    let stored = if person.consent.is_on() { "stored" } else { "not stored" };
    let (id, email, paid) = (&person.id, person.email.as_str(), person.paid_credits);
    let created = person.created_at.to_seconds_text();
    format!("{id}\t{email}\t{kind}\t{created}\t{stored}\t{paid} paid")
}

fn address(text: &str) -> Result<Email, Refusal> {
    Email::new(text).map_err(|_| Refusal::new("that is not an e-mail address"))
}

fn display_name(given: Option<&str>, email: &Email) -> Result<Words, Refusal> {
    let from_address = email.as_str().split('@').next().unwrap_or_default();
    let name = given.unwrap_or(from_address).trim();
    Words::bounded(name, NAME_CHARS_MAX)
        .map_err(|error| Refusal::new(format!("`--name` cannot be taken: {error}")))
}

fn new_id() -> Result<PersonId, Refusal> {
    PersonId::new(random_id(&SystemChance)).map_err(|error| Refusal::new(error.to_string()))
}

fn new_password() -> Result<Password, Refusal> {
    let typed = terminal::ask_secret("Password: ", "Again: ")?;
    Password::new(typed).map_err(|error| Refusal::new(format!("the password is {error}")))
}

fn refused(error: &AccountError) -> Refusal {
    match error {
        AccountError::NotFound => Refusal::new("no account has this address"),
        AccountError::WrongPassword => Refusal::new("the password is wrong"),
        AccountError::NotNow(not_now) => broken(not_now),
    }
}

fn broken(not_now: &NotNow) -> Refusal {
    Refusal::new(format!("it could not be done: {not_now}"))
}
