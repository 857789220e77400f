//! The other process of these tests: this very test binary, started again to be killed.

use std::future::pending;
use std::io::Read as _;
use std::sync::Arc;
use std::thread;

use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::session::SessionTerms;
use unsaid_core::port::Store;
use unsaid_server::config::{Sources, load};
use unsaid_server::store::open_for_serving;
use unsaid_testkit::builder::{consent_line, new_session, person};

use super::play::{LastWords, Play};
use super::points::{Points, tell};
use super::server::Server;

/// Ana opens as many as there are plays.
const UNCOUNTED: SessionTerms = SessionTerms { free: 0, free_minutes: 0, paid_minutes: 0 };

/// Not a test of its own: here a child begins. Without a play there is nothing for it to do.
#[test]
fn child_begins() {
    let Some(play) = Play::from_env() else { return };
    end_with_the_parent();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(true).build().unwrap().block_on(live(&play));
}

/// The pipe closes when the test ends, however it ends.
pub(crate) fn end_with_the_parent() {
    thread::spawn(|| {
        let mut nothing = Vec::new();
        std::io::stdin().read_to_end(&mut nothing).map(|_| ()).unwrap_or_default();
        std::process::exit(1);
    });
}

/// Paused time stands for as long as something blocks: no limit of a turn strikes because the machine
/// is slow.
fn let_time_stand() {
    tokio::task::spawn_blocking(|| {
        loop {
            thread::park();
        }
    });
}

async fn live(play: &Play) {
    let_time_stand();
    let flags = vec![play.flag.clone()];
    let config = load(&Sources { flags, ..Sources::default() }).unwrap().config;
    let kept = open_for_serving(&config).await.unwrap();
    tell_answers(&*kept.store, play.place().conversation()).await;
    if play.life == 1
        && let ConversationKey::Session(id) = play.place().conversation()
    {
        kept.store.add(person("ana", true), consent_line(true, 0)).await.unwrap();
        let session = new_session(id.as_str(), "ana", 0);
        kept.store.open_session(session, UNCOUNTED).await.unwrap().unwrap();
    }
    let points = Arc::new(Points::new(play.stop.clone()));
    let (server, back_door) = Server::new(play, &kept.store, &points);
    let stand_still = async {
        points.stopped().await;
        match play.last_words {
            LastWords::None => {}
            LastWords::More => back_door.say("m2").await,
            LastWords::TakeBack => back_door.take_back("m1").await,
        }
        tell("stopped", "");
        pending::<()>().await;
    };
    tokio::select! {
        () = server.run(play, &kept.base) => tell("done", ""),
        () = stand_still => {}
    }
    // The thread that holds the time would never let go.
    std::process::exit(0);
}

/// The answers that a life begins with.
async fn tell_answers(store: &dyn Store, key: &ConversationKey) {
    let whole = store.whole(key).await.unwrap().unwrap_or_default();
    for entry in whole.log.iter().filter(|entry| entry.turn.is_some()) {
        tell("found", &format!("{} {:?}", entry.message.id, entry.sending));
    }
}
