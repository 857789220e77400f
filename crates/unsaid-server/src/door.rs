//! Doors beside the API: their routes, put together with what is behind them.
//!
//! - [`mod@line`]: the LINE bot

pub mod line;
