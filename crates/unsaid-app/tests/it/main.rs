//! The use cases over the volatile store, with a clock that the test moves.

#[cfg(test)]
mod accounts;
#[cfg(test)]
mod answer_text;
#[cfg(test)]
mod answer_tools;
#[cfg(test)]
mod browse;
#[cfg(test)]
mod cancel;
#[cfg(test)]
mod consent;
#[cfg(test)]
mod edit;
#[cfg(test)]
mod erase;
#[cfg(test)]
mod event;
#[cfg(test)]
mod export;
#[cfg(test)]
mod failed_edits;
#[cfg(test)]
mod forget_source;
#[cfg(test)]
mod given;
#[cfg(test)]
mod interposed;
#[cfg(test)]
mod orders;
#[cfg(test)]
mod revise;
#[cfg(test)]
mod say;
#[cfg(test)]
mod session;
#[cfg(test)]
mod sources;
#[cfg(test)]
mod stop;
#[cfg(test)]
mod storage;
#[cfg(test)]
mod sweep;
#[cfg(test)]
mod theatre;
#[cfg(test)]
mod tool;
#[cfg(test)]
mod undo;
#[cfg(test)]
mod unsend;
#[cfg(test)]
mod worker;
