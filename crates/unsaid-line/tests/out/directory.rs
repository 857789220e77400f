//! A directory in memory that fails on order, and the tests' people and places in it.

use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        id::{PersonId, SourceId},
        source::SourceCard,
    },
    port::{
        directory::{Directory, NameCard},
        error::StoreError,
    },
};

#[derive(Default)]
pub(crate) struct Drawer {
    pub(crate) sources: Mutex<HashMap<SourceId, SourceCard>>,
    pub(crate) names: Mutex<HashMap<PersonId, NameCard>>,
    pub(crate) writes: AtomicUsize,
    pub(crate) fails: AtomicBool,
}

impl Drawer {
    fn works(&self) -> Result<(), StoreError> {
        let fails = self.fails.load(Ordering::SeqCst);
        if fails { Err(StoreError::Unavailable("on order".to_owned())) } else { Ok(()) }
    }

    pub(crate) fn writes(&self) -> usize {
        self.writes.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Directory for Drawer {
    async fn source(&self, id: &SourceId) -> Result<Option<SourceCard>, StoreError> {
        self.works()?;
        Ok(self.sources.lock().unwrap().get(id).cloned())
    }

    async fn keep_source(&self, card: SourceCard) -> Result<(), StoreError> {
        self.works()?;
        self.writes.fetch_add(1, Ordering::SeqCst);
        self.sources.lock().unwrap().insert(card.id.clone(), card);
        Ok(())
    }

    async fn names(&self, people: &[PersonId]) -> Result<Vec<NameCard>, StoreError> {
        self.works()?;
        let names = self.names.lock().unwrap();
        Ok(people.iter().filter_map(|person| names.get(person)).cloned().collect())
    }

    async fn keep_name(&self, card: NameCard) -> Result<(), StoreError> {
        self.works()?;
        self.writes.fetch_add(1, Ordering::SeqCst);
        self.names.lock().unwrap().insert(card.id.clone(), card);
        Ok(())
    }

    async fn forget_name(&self, id: &PersonId) -> Result<(), StoreError> {
        self.names.lock().unwrap().remove(id);
        Ok(())
    }

    async fn forget_source(&self, id: &SourceId) -> Result<(), StoreError> {
        self.sources.lock().unwrap().remove(id);
        Ok(())
    }
}
