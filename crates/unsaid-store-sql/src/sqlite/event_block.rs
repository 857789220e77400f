//! Numbers for events, taken in blocks: an ordinary change then writes no counter.

use rusqlite::Connection;
use unsaid_core::domain::id::EventNumber;

const NUMBERS_PER_BLOCK: i64 = 1_000;

/// The numbers that this connection may give.
#[derive(Default)]
pub(super) struct Block {
    next: i64,
    end: i64,
}

impl Block {
    /// A number larger than `after`: another process may have written there, from a later block.
    pub(super) fn next(
        &mut self,
        connection: &Connection,
        after: EventNumber,
    ) -> rusqlite::Result<EventNumber> {
        if self.next >= self.end || self.next <= after.get().cast_signed() {
            let sql = "UPDATE event_block SET taken = taken + ?1 WHERE one = 1 RETURNING taken";
            let mut statement = connection.prepare_cached(sql)?;
            let taken: i64 = statement.query_row([NUMBERS_PER_BLOCK], |row| row.get(0))?;
            *self = Self { next: taken - NUMBERS_PER_BLOCK + 1, end: taken + 1 };
        }
        let number = self.next;
        self.next += 1;
        Ok(EventNumber::new(number.cast_unsigned()))
    }
}
