//! What is asked of a run on the command line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::suite::Suite;

pub(crate) const HELP: &str = "
cargo xtask bench [run] [--quick] [--suite NAME] [--only QUERY] [--contestant NAME] [--name NAME]
                  [--resume] [--chinook FILE] [--program PATH]
    Runs Thalweg beside PostGraphile 4 and 5 and beside the database alone, on the same data, and
    writes what it measured to target/bench/NAME. Three rounds take about fifty minutes
    on two processors, and the machine should have nothing else to do.
    Needs npm, wrk, pgbench, and the first time the network; what is missing is reported.
      --quick            a few queries, 16 connections, one round: about two minutes
      --suite NAME       only this suite, as `shop`; may be said again
      --only QUERY       only the queries whose names contain the word
      --contestant NAME  only this contestant, as `thalweg`; may be said again
      --name NAME        the name of the folder, the time of the start if not said
      --resume           goes on with the newest run that has not ended, or with that of --name,
                         by the options that it began with
      --chinook FILE     measures Chinook too: its SQL file for PostgreSQL
      --program PATH     measures this program, and builds none
";

/// The words of `bench run`; those that choose what is measured stand in the run's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) choice: Choice,
    pub(crate) name: Option<String>,
    pub(crate) resume: bool,
    pub(crate) program: Option<PathBuf>,
}

/// What is measured; a run that is resumed has the choice it began with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Choice {
    pub(crate) quick: bool,
    /// All where there are none.
    pub(crate) suites: Vec<String>,
    pub(crate) only: Option<String>,
    pub(crate) contestants: Vec<String>,
    pub(crate) chinook: Option<PathBuf>,
}

impl Choice {
    /// Whether nothing is left out.
    pub(super) fn wants_everything(&self) -> bool {
        self.suites.is_empty() && self.contestants.is_empty() && self.only.is_none()
    }

    pub(super) fn wants_suite(&self, suite: &Suite) -> bool {
        let is_named = self.suites.contains(&suite.id);
        is_named || (self.suites.is_empty() && !suite.file.only_named)
    }

    pub(super) fn wants_contestant(&self, id: &str) -> bool {
        self.contestants.is_empty() || self.contestants.iter().any(|one| one == id)
    }

    pub(super) fn wants_query(&self, id: &str, is_quick: bool) -> bool {
        match &self.only {
            Some(word) => id.contains(word),
            None => is_quick || !self.quick,
        }
    }
}
