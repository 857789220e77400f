//! Numbers that a server takes in blocks, so that not each of them is a way to the database and back.

use std::sync::{Mutex, PoisonError};

const NUMBERS_PER_BLOCK: i64 = 1_000;

/// What is left of the newest block.
#[derive(Default)]
pub(super) struct Numbers(Mutex<Block>);

#[derive(Default)]
struct Block {
    next: i64,
    end: i64,
}

impl Numbers {
    /// A number larger than `after`, unless a new block is needed for it.
    pub(super) fn next(&self, after: i64) -> Option<i64> {
        let mut block = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if block.next >= block.end || block.next <= after {
            return None;
        }
        block.next += 1;
        Some(block.next - 1)
    }

    /// Takes the first number of a block that the database has given, and keeps the rest of it.
    pub(super) fn begin(&self, block: i64) -> i64 {
        let first = block * NUMBERS_PER_BLOCK;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another change may have taken a later block meanwhile: that one holds for more.
        if first > kept.next {
            *kept = Block { next: first + 1, end: first + NUMBERS_PER_BLOCK };
        }
        first
    }
}
