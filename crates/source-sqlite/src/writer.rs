//! Changing a file.
//!
//! One thread of a source has the one connection that writes: SQLite admits one writer at a time,
//! and its busy retries follow no order. Requests with changes are queued for it. Rows of their
//! changes are read in the same transaction and kept, so that the answer is written after the
//! commit.
//!
//! * `thread`: the thread, and its queue
//! * `task`: a request as the thread sees it
//! * `group`: the connection, and requests that are committed together
//! * `run`: the transactions of a request
//! * `scope`: a transaction, or a part of one
//! * `event_rows`: events that they record
//! * `gathered`: results of their statements, and the cursor over them
//! * `key_lists`: keys of earlier statements, for those that need them
//! * `requirement`: conditions of committing a transaction

mod event_rows;
mod gathered;
mod group;
mod key_lists;
mod requirement;
mod run;
mod scope;
mod task;
#[cfg(test)]
mod tests;
mod thread;

pub(super) use event_rows::EventRecording;
pub(super) use gathered::GatheredCursor;
pub(super) use group::joins;
pub(super) use requirement::BoundRequirement;
pub(super) use run::{Change, Changed};
pub(super) use task::Manner;
pub(super) use thread::FileWriter;
