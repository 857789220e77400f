//! The volatile store keeps the contract, follows the specification, and stays within its bounds.
#![expect(clippy::unwrap_used, reason = "panicking is how a test says no")]

mod bounds;
mod contract;
mod failing;
mod random;
