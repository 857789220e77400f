//! The testkit itself: random changes reach everything, and what it shows is all there is.

mod clock;
mod coverage;
mod describe;
