//! Options of a run.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::suite::Suite;
use crate::federation;
use crate::folder_name::folder_name;
use crate::program::Program;

/// Options of `bench run`; those that choose what is measured are written into the run's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// Name of the run's folder; the time of the start if absent.
    #[arg(long, value_name = "NAME", value_parser = folder_name)]
    pub(crate) name: Option<String>,
    /// Continues the newest run that has not ended, or that of --name, with the options that it
    /// began with.
    #[arg(long)]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) program: Program,
    #[command(flatten, next_help_heading = "Options of the suite `federation`")]
    pub(crate) federation: federation::options::Options,
}

/// Choice of measurements; a resumed run has the choice that it began with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Args)]
pub(crate) struct Choice {
    /// Measures a few queries with 16 connections in one round, in about two minutes; of gateways one
    /// round, nothing deduplicated, 1 and 50 connections.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measures only this suite, as `shop`; may be repeated.
    #[arg(long = "suite", value_name = "NAME")]
    pub(crate) suites: Vec<String>,
    /// Measures only the queries whose names contain the word.
    #[arg(long, value_name = "QUERY")]
    pub(crate) only: Option<String>,
    /// Measures only this contestant, as `thalweg`; may be repeated.
    #[arg(long = "contestant", value_name = "NAME")]
    pub(crate) contestants: Vec<String>,
    /// Measures Chinook too, by its SQL file for PostgreSQL.
    #[arg(long, value_name = "FILE")]
    pub(crate) chinook: Option<PathBuf>,
}

impl Options {
    /// Whether gateways are measured.
    pub(crate) fn is_federation(&self) -> bool {
        self.choice.suites.iter().any(|suite| suite == federation::SUITE)
    }

    /// Refuses options that do not go together.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let Choice { suites, only, chinook, .. } = &self.choice;
        let is_alone = suites.len() == 1 && only.is_none() && chinook.is_none() && !self.resume;
        match self.is_federation() {
            true if !is_alone => Err(
                "the suite `federation` is measured alone, without `--only`, `--chinook` and `--resume`",
            ),
            false if self.federation != federation::options::Options::default() => Err(
                "`--rounds`, `--seconds`, `--live` and `--hive-router` are options of the suite \
                     `federation`",
            ),
            false if self.resume && self.choice != Choice::default() => Err(
                "a run continues with the options that it began with: only `--name` and `--program` may \
                 be given with `--resume`",
            ),
            true | false => Ok(()),
        }
    }
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

    /// Whether a contestant or a gateway is measured.
    pub(crate) fn wants_contestant(&self, id: &str) -> bool {
        self.contestants.is_empty() || self.contestants.iter().any(|one| one == id)
    }

    pub(super) fn wants_query(&self, id: &str, is_quick: bool) -> bool {
        match &self.only {
            Some(word) => id.contains(word),
            None => is_quick || !self.quick,
        }
    }
}
