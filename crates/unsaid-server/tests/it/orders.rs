//! H4, H5 and H11 in every order of say, unsend, edit, begin, model and send, on durable stores:
//! people talk to one server, and turns run in another. The same in memory: `unsaid-app`.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use tempfile::tempdir;
use tokio_util::sync::CancellationToken;
use unsaid_app::answer::{Cast, Desk, Ended, Manner, Settings, answer};
use unsaid_app::call::Call;
use unsaid_app::event::Watchers;
use unsaid_app::place::Place;
use unsaid_app::revise::{Revise, revise};
use unsaid_app::say::{Say, say};
use unsaid_app::tool::Tools;
use unsaid_app::unsend::{Unsend, unsend};
use unsaid_core::domain::conversation::change::Ripple;
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::MessageId;
use unsaid_core::domain::message::{Audience, Message, Part};
use unsaid_core::domain::prompt::Room;
use unsaid_core::port::Store;
use unsaid_core::port::clock::Clock as _;
use unsaid_core::port::messenger::Messenger;
use unsaid_core::port::model::Model;
use unsaid_server::store::sqlite;
use unsaid_server::system::SystemClock;
use unsaid_store_sql::postgres::{Options, PostgresStore};
use unsaid_testkit::builder::{agent_id, holder_id, person_id, words};
use unsaid_testkit::clock::SeededChance;
use unsaid_testkit::orders::{Rooms, Step, of_one_message, of_two_messages, play_all};

use crate::postgres::Database;

const AT_ONCE: usize = 32;
/// No order takes so long; whatever does has failed.
const LONG: Duration = Duration::from_mins(5);

/// A server at whose door people talk, and another one that answers.
struct Servers {
    door: Arc<dyn Store>,
    watchers: Watchers,
    desk: Desk,
}

impl Servers {
    fn new(door: Arc<dyn Store>, turns: &Arc<dyn Store>) -> Self {
        let desk = Desk {
            history: Arc::<dyn Store>::clone(turns),
            media: Arc::<dyn Store>::clone(turns),
            people: Arc::<dyn Store>::clone(turns),
            clock: Arc::new(SystemClock),
            chance: Arc::new(SeededChance::new(7)),
            watchers: Arc::new(Watchers::default()),
            tools: Arc::new(Tools::reply_and_skip()),
            holder: holder_id("turns"),
            settings: Settings { unsettled_ms: 0, ..Settings::default() },
        };
        Self { door, watchers: Watchers::default(), desk }
    }
}

fn place(key: &ConversationKey) -> Place {
    match key {
        ConversationKey::Line(source) => Place::line(source.clone()),
        ConversationKey::Chat(_) | ConversationKey::Session(_) => panic!("{key} is not LINE's"),
    }
}

fn call(key: &ConversationKey) -> Call {
    Call::new(place(key), SystemClock.now())
}

#[async_trait]
impl Rooms for Servers {
    async fn say(&self, key: &ConversationKey, message: Message) {
        let now = SystemClock.now();
        let message = Message { at: now, ..message };
        let said = Say {
            call: call(key),
            message,
            delivery: None,
            wants_answer: Some(now),
            way_back: None,
        };
        say(&*self.door, &self.watchers, said).await.unwrap();
    }

    async fn unsend(&self, key: &ConversationKey, id: &MessageId) {
        let gone = Unsend { call: call(key), id: id.clone(), ripple: Ripple::Withdraw };
        unsend(&*self.door, &self.watchers, gone).await.unwrap();
    }

    async fn edit(&self, key: &ConversationKey, id: &MessageId, text: &str) {
        let new = Revise {
            call: call(key),
            id: id.clone(),
            by: Some(person_id("ana")),
            parts: vec![Part::text(words(text))],
            at: SystemClock.now(),
            ripple: Ripple::Withdraw,
        };
        revise(&*self.door, &self.watchers, new).await.unwrap();
    }

    async fn answer(
        &self,
        key: &ConversationKey,
        model: Arc<dyn Model>,
        messenger: Arc<dyn Messenger>,
    ) -> bool {
        let cast = Cast {
            place: place(key),
            me: agent_id("kai"),
            persona: words("You are Kai."),
            room: Room::OneToOne,
            zone: TimeZone::UTC,
            name_of: Arc::new(|author| format!("{author:?}")),
            audience: Audience::default(),
            model,
            manner: Manner::Tools { messenger, read_calls: |_, _| None },
            time_max: LONG,
        };
        let ended = answer(&self.desk, &cast, &CancellationToken::new()).await.unwrap();
        !matches!(ended, Ended::NotBegun(_))
    }
}

async fn play(door: Arc<dyn Store>, turns: Arc<dyn Store>, orders: Vec<Vec<Step>>) {
    let rooms: Arc<dyn Rooms> = Arc::new(Servers::new(Arc::clone(&door), &turns));
    play_all(&door, &rooms, orders, AT_ONCE).await;
}

fn all() -> Vec<Vec<Step>> {
    [of_one_message(), of_two_messages()].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_order_on_sqlite() {
    let dir = tempdir().unwrap();
    let file = sqlite::file(dir.path());
    play(sqlite::open(&file).unwrap(), sqlite::open(&file).unwrap(), all()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_order_on_postgres() {
    let database = Database::new();
    // A machine that is busy with other tests is no reason to refuse.
    let options = Options { connection_ms_max: 20_000, lock_ms_max: 20_000, ..Options::default() };
    let open = || PostgresStore::open(&database.address, &options);
    let (door, turns) = (open().await.unwrap(), open().await.unwrap());
    play(Arc::new(door), Arc::new(turns), all()).await;
}
