//! The LINE door from end to end: webhooks come in over HTTP, a true server answers through a
//! stand-in of LINE, and what its log holds is read at the end of every play.
//!
//! - `house`: a server with a LINE beside it. `keeper`: where its history is. `event`: what LINE delivers. `thinker`: a model that
//!   does what a test says and remembers what it was shown.
//! - `kept`, `unkept`, `unsend`, `decision`, `edited`, `pictures`, `group`, `room`, `coming`,
//!   `loading`: what people and models do.
//! - `races`, `sending`, `killed`, `several`: once, in whatever order and whoever dies.
//! - `silent`: nothing is said while storage is away. `outage`: how it is.
//! - `refused`: what is no webhook.
//! - `sources`, `forgetting`: what operators see, and what they can have forgotten. `rehearsal`: what
//!   they try.

mod coming;
mod decision;
mod edited;
mod event;
mod forgetting;
mod group;
mod house;
mod keeper;
mod kept;
mod killed;
mod loading;
mod outage;
mod pictures;
mod races;
mod refused;
mod rehearsal;
mod room;
mod sending;
mod several;
mod silent;
mod sources;
mod thinker;
mod unkept;
mod unsend;

/// Every play with the history in the database and in buckets of both kinds.
macro_rules! on_every_history {
    ($($play:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[test]
            fn $play() {
                super::$play(crate::line::keeper::Keeper::Sqlite);
            })*
        }
        mod in_a_directory {
            $(#[test]
            fn $play() {
                super::$play(crate::line::keeper::Keeper::Directory);
            })*
        }
        mod in_the_cloud {
            $(#[test]
            fn $play() {
                super::$play(crate::line::keeper::Keeper::Gcs);
            })*
        }
    };
}
use on_every_history;
