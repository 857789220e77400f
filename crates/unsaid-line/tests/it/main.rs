//! What LINE sends is taken in, over the volatile store, with a clock that the test moves.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod door;
#[cfg(test)]
mod edited;
#[cfg(test)]
mod events;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod letter;
#[cfg(test)]
mod logs;
#[cfg(test)]
mod measured;
#[cfg(test)]
mod order;
#[cfg(test)]
mod rejected;
#[cfg(test)]
mod sdk;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod storage;
#[cfg(test)]
mod tolerance;
#[cfg(test)]
mod unsend;
