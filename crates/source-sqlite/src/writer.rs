//! Changing a file.
//!
//! One thread of a source has the one connection that writes: SQLite lets one writer in at a time,
//! and those that wait for each other by trying again come in no order. Requests that change
//! something wait for it in theirs. What they read of their changes is read in the same transaction
//! and kept, so that the answer is written when it is known that the change is there.
//!
//! * `thread`: the thread, and who waits for it
//! * `task`: a request as the thread sees it
//! * `group`: the connection, and requests that are committed together
//! * `run`: the transactions of a request
//! * `scope`: a transaction, or a part of one
//! * `gathered`: what their statements gave, and the cursor over it
//! * `requirement`: what must be so before a transaction is committed

mod gathered;
mod group;
mod requirement;
mod run;
mod scope;
mod task;
#[cfg(test)]
mod tests;
mod thread;

pub(super) use gathered::GatheredCursor;
pub(super) use group::joins;
pub(super) use requirement::BoundRequirement;
pub(super) use run::{Change, Changed};
pub(super) use task::Manner;
pub(super) use thread::FileWriter;
