//! Where the history of a house is.

use std::path::Path;

use tokio::runtime::Runtime;
use unsaid_testkit::bucket::gcs::GcsStandIn;

use crate::postgres::Database;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeper {
    Sqlite,
    /// A bucket that is a directory.
    Directory,
    /// A bucket that is a stand-in of Google's, as strict as that one.
    Gcs,
    Postgres,
}

/// What stands beside the server, as long as the house does.
#[derive(Default)]
pub(super) struct Beside {
    pub(super) cloud: Option<GcsStandIn>,
    _database: Option<Database>,
}

impl Keeper {
    /// What stands beside the server, and how the server is told.
    pub(super) fn open(
        self,
        dir: &Path,
        runtime: &Runtime,
    ) -> (Beside, Vec<(&'static str, String)>) {
        match self {
            Self::Sqlite => (Beside::default(), Vec::new()),
            Self::Directory => {
                let place = format!("file://{}", dir.join("bucket").display());
                (Beside::default(), vec![("history", place)])
            }
            Self::Gcs => {
                let cloud = runtime.block_on(GcsStandIn::start());
                cloud.set(|settings| settings.one_write_a_second = true);
                let flags =
                    vec![("history", cloud.place("bot")), ("history_endpoint", cloud.endpoint())];
                (Beside { cloud: Some(cloud), ..Beside::default() }, flags)
            }
            Self::Postgres => {
                let database = Database::new();
                let flags = vec![("database", database.address.clone())];
                (Beside { _database: Some(database), ..Beside::default() }, flags)
            }
        }
    }
}
