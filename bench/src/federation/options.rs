//! Options of a run of gateways, beside those of every run.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;

use super::subgraphs::Form;

/// Rounds, and seconds of a measurement, if the options do not set them.
const USUAL: u32 = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
// The default is the name of the type, which the other options of a run have too.
#[group(id = "federation")]
pub(crate) struct Options {
    /// Number of rounds; 3 if absent, 1 with --quick.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) rounds: Option<NonZeroU32>,
    /// Length of each measurement; 3 if absent.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seconds: Option<NonZeroU32>,
    /// Uses subgraphs that execute each request, in all settings but one; by default they return the
    /// bytes of an earlier answer to the bytes of the same request.
    #[arg(long)]
    pub(crate) live: bool,
    /// The program of Hive Router, which is built from its crate; it is left out if absent.
    #[arg(long, value_name = "PATH")]
    pub(crate) hive_router: Option<PathBuf>,
}

impl Options {
    pub(crate) fn rounds(&self, quick: bool) -> u32 {
        self.rounds.map_or(if quick { 1 } else { USUAL }, NonZeroU32::get)
    }

    pub(crate) fn seconds(&self) -> u32 {
        self.seconds.map_or(USUAL, NonZeroU32::get)
    }

    /// The form of the subgraphs in most settings.
    pub(crate) fn subgraphs(&self) -> Form {
        if self.live { Form::Live } else { Form::Canned }
    }
}
