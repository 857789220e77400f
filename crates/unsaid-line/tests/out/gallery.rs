//! A house in which people send pictures.

use std::{io::Cursor, sync::Arc, time::Duration};

use image::{DynamicImage, ImageFormat, RgbImage};
use unsaid_core::{
    domain::{
        conversation::{key::ConversationKey, log::Entry},
        message::{Message, Part},
    },
    port::{Store, history::History, media::Media, media::MediaFile},
};
use unsaid_line::picture::{Fetched, PictureTimes, Pictures, media_key, promise};
use unsaid_store_memory::MemoryStore;
use unsaid_testkit::{
    builder::{self, message_id, say},
    talk::Talk,
};

use crate::house::{GENEROUS, House, soon};

pub(crate) struct Gallery {
    pub(crate) house: House,
    pub(crate) talk: Talk,
    pub(crate) pictures: Arc<Pictures>,
}

impl Gallery {
    pub(crate) async fn new() -> Self {
        Self::of(House::new().await, GENEROUS)
    }

    /// One in which a picture may take this long.
    pub(crate) fn of(house: House, whole: Duration) -> Self {
        let memory = Arc::new(MemoryStore::unbounded());
        let times = PictureTimes { whole, pause: Duration::ZERO };
        let pictures = Arc::new(Pictures::new(
            house.client.clone(),
            Arc::clone(&memory) as Arc<dyn History>,
            Arc::clone(&memory) as Arc<dyn Media>,
            Arc::clone(&house.clock) as _,
            times,
        ));
        let store: Arc<dyn Store> = memory;
        Self { house, talk: Talk::line(&store), pictures }
    }

    /// Somebody sends a picture, which LINE has.
    pub(crate) async fn promise(&self, id: &str, bytes: Vec<u8>) {
        self.house.line.put_content(&message_id(id), "application/octet-stream", bytes);
        let parts = vec![promise(&message_id(id))];
        self.talk.make(say(Message { parts, ..builder::message(id) })).await;
    }

    pub(crate) async fn fetch(&self, id: &str) -> Fetched {
        soon(self.pictures.fetch(&self.talk.key, &message_id(id))).await.unwrap()
    }

    pub(crate) fn key(&self) -> &ConversationKey {
        &self.talk.key
    }

    pub(crate) async fn entry(&self, id: &str) -> Option<Entry> {
        self.talk.store.find(self.key(), &message_id(id)).await.unwrap()
    }

    /// What the message says now: a text, or a type.
    pub(crate) async fn says(&self, id: &str) -> String {
        let entry = self.entry(id).await.unwrap();
        match &entry.message.parts[..] {
            [Part::Text { text }] => text.as_str().to_owned(),
            [Part::Media { key, mime }] if *key == media_key(&message_id(id)) => mime.clone(),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn file(&self, id: &str) -> Option<MediaFile> {
        self.talk.store.get(self.key(), &media_key(&message_id(id))).await.unwrap()
    }

    /// How often LINE was asked for content.
    pub(crate) fn downloads(&self) -> usize {
        self.house.line.seen().len()
    }
}

/// A real picture.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let picture = DynamicImage::from(RgbImage::new(width, height));
    picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes
}
