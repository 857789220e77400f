//! The contract, on every bucket, and where everything is sealed at once.

macro_rules! on {
    ($place:ident, $shelf:expr, $options:expr) => {
        mod $place {
            use unsaid_testkit::contract::TestStore;

            use crate::make::{self, Shelf};

            async fn make() -> TestStore {
                let shelf: Shelf = $shelf.await;
                let store = make::store_in(&shelf.bucket, 1, $options);
                TestStore::keeping(make::joined(store), shelf)
            }

            unsaid_testkit::history_contract!(make);
        }
    };
}

on!(memory, std::future::ready(Shelf::memory()), make::quick());
on!(sealing, std::future::ready(Shelf::memory()), make::tiny());
on!(directory, std::future::ready(Shelf::directory()), make::tiny());
on!(gcs, Shelf::gcs(), make::patient());
on!(s3, Shelf::s3(), make::patient());

/// As a server has it: LINE in the bucket, everything else beside it.
mod beside {
    use std::sync::Arc;

    use unsaid_core::{domain::conversation::key::ConversationKey, port::joined::Joined};
    use unsaid_store_memory::MemoryStore;
    use unsaid_testkit::contract::TestStore;

    use crate::make::{self, Shelf};

    #[expect(clippy::unused_async, reason = "the contract awaits every maker")]
    async fn make() -> TestStore {
        let shelf = Shelf::memory();
        let store = Joined {
            is_apart: |key| matches!(key, ConversationKey::Line(_)),
            apart: Arc::new(make::store_in(&shelf.bucket, 1, make::quick())),
            rest: Arc::new(MemoryStore::unbounded()),
        };
        TestStore::keeping(Arc::new(store), shelf)
    }

    unsaid_testkit::contract!(make);
}
