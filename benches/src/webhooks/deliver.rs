//! LINE's side: webhooks at their times, whether or not the ones before them were answered.
//!
//! Times count from the moment a webhook was due. One that had to wait because all connections were
//! waiting for the server counts that wait, too.

use std::{
    net::TcpStream,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use unsaid_core::port::clock::Clock as _;

use super::town::Town;
use crate::{exchange::Exchange, instant::Wall, measure::Times};

/// Events a second, each in a webhook of its own.
pub(super) const EVENTS_PER_SECOND: usize = 500;
/// Webhooks a second among them that store nothing.
pub(super) const CONTROLS_PER_SECOND: usize = 100;
const WEBHOOKS_PER_SECOND: usize = EVENTS_PER_SECOND + CONTROLS_PER_SECOND;
/// One in so many stores nothing.
const CONTROL_EACH: usize = WEBHOOKS_PER_SECOND / CONTROLS_PER_SECOND;
/// Connections that are kept.
const CONNECTIONS: usize = 128;

/// What came of it.
#[derive(Default)]
pub(super) struct Delivered {
    /// Until an event was acknowledged.
    pub(super) events: Times,
    /// Until a webhook was acknowledged that stores nothing.
    pub(super) controls: Times,
    /// How late webhooks were sent: no fault of the server unless it kept all connections.
    pub(super) lateness: Times,
    /// The numbers of the events that were acknowledged.
    pub(super) acknowledged: Vec<usize>,
    /// What was answered otherwise, or not at all.
    pub(super) refused: Vec<String>,
}

/// One webhook.
enum Webhook {
    Event(usize),
    Control(usize),
}

/// Delivers for so many seconds.
pub(super) fn deliver(town: &Town, address: &str, seconds: usize) -> Delivered {
    let next = AtomicUsize::new(0);
    let caller = Caller { town, address, count: seconds * WEBHOOKS_PER_SECOND, next: &next };
    let connections: Vec<Exchange> = (0..CONNECTIONS).map(|_| connect(address)).collect();
    let begun = Instant::now();
    let mut all = Delivered::default();
    thread::scope(|scope| {
        let threads: Vec<_> = connections
            .into_iter()
            .map(|connection| scope.spawn(|| caller.call(connection, begun)))
            .collect();
        for thread in threads {
            all.add(thread.join().expect("a caller"));
        }
    });
    all
}

struct Caller<'a> {
    town: &'a Town,
    address: &'a str,
    count: usize,
    next: &'a AtomicUsize,
}

impl Caller<'_> {
    /// Takes whatever is next, until nothing is left.
    fn call(&self, mut connection: Exchange, begun: Instant) -> Delivered {
        let mut delivered = Delivered::default();
        loop {
            let nth = self.next.fetch_add(1, Ordering::Relaxed);
            if nth >= self.count {
                return delivered;
            }
            let due = begun + due_after(nth);
            let webhook = webhook(nth);
            let request = self.request(&webhook, due);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            delivered.lateness.add(due.elapsed());
            let answer = connection.write(&request).and_then(|()| connection.read());
            let time = due.elapsed();
            let refused = match answer {
                Ok(status) if status.starts_with("HTTP/1.1 200") => None,
                Ok(status) => Some(status),
                Err(error) => {
                    connection = connect(self.address);
                    Some(error.to_string())
                }
            };
            delivered.note(&webhook, time, refused);
        }
    }

    fn request(&self, webhook: &Webhook, due: Instant) -> Vec<u8> {
        let ahead = due.saturating_duration_since(Instant::now()).as_millis();
        let now = u128::from(Wall.now().as_millis().unsigned_abs());
        let at = u64::try_from(now + ahead).expect("a time of our era");
        match webhook {
            Webhook::Event(number) => self.town.message(*number, at),
            Webhook::Control(number) => self.town.of_no_concern(*number, at),
        }
    }
}

impl Delivered {
    fn note(&mut self, webhook: &Webhook, time: Duration, refused: Option<String>) {
        match webhook {
            Webhook::Event(_) => self.events.add(time),
            Webhook::Control(_) => self.controls.add(time),
        }
        match (webhook, refused) {
            (_, Some(refused)) => self.refused.push(refused),
            (Webhook::Event(number), None) => self.acknowledged.push(*number),
            (Webhook::Control(_), None) => {}
        }
    }

    fn add(&mut self, other: Self) {
        let Self { events, controls, lateness, acknowledged, refused } = other;
        self.events.extend(events);
        self.controls.extend(controls);
        self.lateness.extend(lateness);
        self.acknowledged.extend(acknowledged);
        self.refused.extend(refused);
    }
}

fn webhook(nth: usize) -> Webhook {
    let controls_before = nth / CONTROL_EACH;
    if nth % CONTROL_EACH == CONTROL_EACH - 1 {
        Webhook::Control(controls_before)
    } else {
        Webhook::Event(nth - controls_before)
    }
}

fn due_after(nth: usize) -> Duration {
    let second = Duration::from_secs(1).as_micros();
    let rate = u128::try_from(WEBHOOKS_PER_SECOND).expect("a rate");
    let nth = u128::try_from(nth).expect("a number");
    Duration::from_micros(u64::try_from(nth * second / rate).expect("a short run"))
}

fn connect(address: &str) -> Exchange {
    TcpStream::connect(address).and_then(Exchange::new).expect("the server takes connections")
}
