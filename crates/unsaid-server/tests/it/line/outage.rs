//! Storage that is away for a while, under a running server.

use std::fs;
use std::path::PathBuf;

use unsaid_testkit::bucket::gcs;

use super::house::House;
use super::keeper::Keeper;
use crate::disk;

/// More than anybody asks in vain.
const MANY: u32 = 1_000_000;

/// See the module. It lasts until it is ended.
pub(super) enum Outage {
    Disk(disk::Fault),
    Directory { bucket: PathBuf, aside: PathBuf },
    Cloud,
}

impl Outage {
    /// Nothing can be written any more, and from a bucket nothing read either.
    pub(super) fn begin(house: &House, keeper: Keeper) -> Self {
        match keeper {
            Keeper::Sqlite => {
                Self::Disk(disk::Fault::inject(house.server(), "pwrite64:error=ENOSPC"))
            }
            Keeper::Directory => {
                let (bucket, aside) = (house.bucket(), house.bucket().with_extension("aside"));
                fs::rename(&bucket, &aside).unwrap();
                fs::write(&bucket, "in the way").unwrap();
                Self::Directory { bucket, aside }
            }
            Keeper::Gcs => {
                house.cloud().order(gcs::On::Any, gcs::Fault::Status(503), MANY);
                Self::Cloud
            }
            Keeper::Postgres => panic!("its outages are played elsewhere"),
        }
    }

    pub(super) fn end(self, house: &House) {
        match self {
            Self::Disk(fault) => fault.end(),
            Self::Directory { bucket, aside } => {
                fs::remove_file(&bucket).unwrap();
                fs::rename(&aside, &bucket).unwrap();
            }
            Self::Cloud => house.cloud().cancel_orders(),
        }
    }
}
