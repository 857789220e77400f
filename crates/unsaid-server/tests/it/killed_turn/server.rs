//! What answers in a child: the worker of the house, started as a server starts it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use unsaid_app::answer::speech::Speech;
use unsaid_app::answer::{Cast, Desk, LEASE_MS, Manner, Settings};
use unsaid_app::event::Watchers;
use unsaid_app::tool::Tools;
use unsaid_app::worker::{Casting, Stage, Worker};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::message::Audience;
use unsaid_core::domain::prompt::Room;
use unsaid_core::port::Store;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::history::History;
use unsaid_core::port::model::Model;
use unsaid_server::housekeeping::{before_serving, end_turns_of_predecessor};
use unsaid_server::store::Base;
use unsaid_server::system::SystemChance;
use unsaid_testkit::builder::{agent_id, holder_id, words};
use unsaid_testkit::clock::MovedClock;

use super::door::Door;
use super::messenger::PointedMessenger;
use super::model::PointedModel;
use super::play::{Play, Scene};
use super::points::Points;
use super::ports::PointedHistory;

const TURNS_AT_ONCE: usize = 4;
/// No turn takes so long.
const LONG: Duration = Duration::from_mins(5);

/// See the module.
pub(super) struct Server {
    clock: MovedClock,
    history: Arc<PointedHistory>,
    worker: Worker,
    door: Arc<Door>,
    shutdown: CancellationToken,
}

impl Server {
    /// A server, and a door into it that has no points.
    pub(super) fn new(play: &Play, store: &Arc<dyn Store>, points: &Arc<Points>) -> (Self, Door) {
        let (watchers, shutdown) = (Arc::new(Watchers::default()), CancellationToken::new());
        let history = Arc::new(PointedHistory::new(Arc::clone(store), Arc::clone(points)));
        let desk = Desk {
            history: Arc::<PointedHistory>::clone(&history),
            media: Arc::<dyn Store>::clone(store),
            people: Arc::<dyn Store>::clone(store),
            clock: Arc::new(MovedClock::at(play.now())),
            chance: Arc::new(SystemChance),
            watchers: Arc::clone(&watchers),
            tools: Arc::new(Tools::reply_and_skip()),
            holder: holder_id(&format!("life-{}", play.life)),
            settings: Settings {
                unsettled_ms: if play.is_shared() { LEASE_MS } else { 0 },
                ..Settings::default()
            },
        };
        let stage = Arc::new(OnePlace::default());
        let worker = Worker::new(Arc::new(desk), Arc::<OnePlace>::clone(&stage), TURNS_AT_ONCE);
        let door = |history: Arc<dyn History>| Door {
            history,
            watchers: Arc::clone(&watchers),
            place: play.place(),
            now: play.now(),
            wake: worker.wake(),
        };
        let back_door = door(Arc::<dyn Store>::clone(store));
        let door = Arc::new(door(Arc::<PointedHistory>::clone(&history)));
        let model = PointedModel {
            scene: play.scene,
            life: play.life,
            points: Arc::clone(points),
            history: Arc::clone(&history),
            watchers,
            door: Arc::clone(&door),
            shutdown: shutdown.clone(),
        };
        stage.cast.get_or_init(|| cast(play, points, Arc::new(model)));
        let clock = MovedClock::at(play.now());
        (Self { clock, history, worker, door, shutdown }, back_door)
    }

    /// To the end of this life, if nobody kills it before.
    pub(super) async fn run(self, play: &Play, base: &Base) {
        let Self { clock, history, worker, door, shutdown } = self;
        match base {
            Base::Sqlite { .. } => end_turns_of_predecessor(&*history, &clock).await.unwrap(),
            Base::Postgres(_) => {}
        }
        before_serving(&*history, &clock, &shutdown).await.unwrap();
        let (tasks, key) = (TaskTracker::new(), door.place.conversation());
        let people = async {
            history.swept.notified().await;
            if play.life == 1 {
                door.say("m1").await;
            } else if !history.first_sweep.get().unwrap().contains(key) {
                // Nothing was found to do: it is looked at all the same.
                door.wake.at(key, door.now);
            }
            if play.life > 1 || play.scene != Scene::HandedBack {
                history.idle.notified().await;
                shutdown.cancel();
            }
        };
        tokio::join!(worker.run(&tasks, shutdown.clone()), people);
    }
}

fn cast(play: &Play, points: &Arc<Points>, model: Arc<dyn Model>) -> Cast {
    let manner = match play.scene {
        Scene::Text => Manner::Text { listener: Arc::new(Speech::default()) },
        Scene::Reply | Scene::Skip | Scene::Renewed | Scene::HandedBack | Scene::SecondMessage => {
            let (points, other_side) = (Arc::clone(points), play.outbox);
            let messenger = Arc::new(PointedMessenger { points, other_side });
            Manner::Tools { messenger, read_calls: |_, _| None }
        }
    };
    Cast {
        place: play.place(),
        me: agent_id("kai"),
        persona: words("You are Kai."),
        room: Room::OneToOne,
        zone: TimeZone::UTC,
        name_of: Arc::new(|author| format!("{author:?}")),
        audience: Audience::default(),
        model,
        manner,
        time_max: LONG,
    }
}

/// Somebody answers in one conversation; the others are none of this child's business.
#[derive(Default)]
struct OnePlace {
    cast: OnceLock<Cast>,
}

#[async_trait]
impl Stage for OnePlace {
    async fn cast(&self, key: &ConversationKey) -> Result<Casting, StoreError> {
        let cast = self.cast.get().unwrap();
        Ok(if cast.place.conversation() == key {
            Casting::Cast { cast: Box::new(cast.clone()), through: None }
        } else {
            Casting::Elsewhere
        })
    }
}
