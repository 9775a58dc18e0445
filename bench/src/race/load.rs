//! Ways to ask: each puts a load on a target and gives what came of it.
//!
//! `wrk` closes the loop: each connection asks again when it is answered. `oha` holds a rate,
//! whatever the answers do, and `pgbench` asks the database itself, both ways. `open` is the
//! project's own generator, for what these cannot do: `burst`, a rate that changes, and `users`,
//! who ask seldom, at moments of their own. `beside` counts and compares while one of them runs,
//! by connections of `sampled`; `own_loop` runs the floors of SQLite and Neo4j; `tool` finds the
//! programs, or installs them.

mod beside;
pub(crate) mod burst;
pub(crate) mod failure;
pub(crate) mod oha;
mod open;
pub(crate) mod own_loop;
pub(crate) mod pgbench;
mod sampled;
pub(crate) mod tool;
#[cfg(test)]
mod trial;
#[cfg(test)]
mod trials;
pub(crate) mod users;
pub(crate) mod wrk;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::usage::Processes;

/// A server and its requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'t> {
    pub(crate) port: u16,
    pub(crate) path: &'t str,
    /// Asked in turn; more than one where variables differ.
    pub(crate) questions: &'t [Question],
    pub(crate) processes: Processes,
}

/// One request, as the server is sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// JSON, in one line.
    pub(crate) body: String,
    /// The bytes of the answer's body, where it is known.
    pub(crate) answer: Option<Vec<u8>>,
    /// The member whose numbers the database makes, each time others of as many digits.
    pub(crate) made: Option<Arc<str>>,
}

/// Raises the limit of open files for this process and for the servers that it starts, who have it
/// from it: users have a connection each.
pub(crate) fn allow_connections() -> Result<(), failure::LoadError> {
    open::files::allow(open::files::most())
}

impl Target<'_> {
    fn url(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port, self.path)
    }

    /// Lengths of the expected answers; empty where one of them is not known.
    fn lengths(&self) -> BTreeSet<usize> {
        let lengths = self.questions.iter().map(|question| Some(question.answer.as_ref()?.len()));
        lengths.collect::<Option<_>>().unwrap_or_default()
    }

    /// The bodies, one a line.
    fn lines(&self) -> String {
        self.questions.iter().map(|question| question.body.clone() + "\n").collect()
    }
}
