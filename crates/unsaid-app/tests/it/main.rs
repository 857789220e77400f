//! The use cases over the volatile store, with a clock that the test moves.

#[cfg(test)]
mod browse;
#[cfg(test)]
mod consent;
#[cfg(test)]
mod edit;
#[cfg(test)]
mod erase;
#[cfg(test)]
mod event;
#[cfg(test)]
mod given;
#[cfg(test)]
mod say;
#[cfg(test)]
mod sweep;
#[cfg(test)]
mod undo;
#[cfg(test)]
mod unsend;
