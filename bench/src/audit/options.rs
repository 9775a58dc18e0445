//! Options of the audit.

use std::path::PathBuf;

use clap::Args;

use crate::program::Program;

/// How to get the audit. It is in no package registry, and its figures are of one commit.
pub(super) const CHECKOUT: &str = "\
A checkout of the commit that Thalweg was audited with:
    git clone https://github.com/graphql-hive/federation-gateway-audit
    git -C federation-gateway-audit checkout f59c05e3f48f4a4f8e8a731d67a1b71a9788a96f
    cargo xtask compare federation --audit federation-gateway-audit";

/// Options of `compare federation`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// A checkout of github.com/graphql-hive/federation-gateway-audit.
    // Without it, an error says how to get it.
    #[arg(long, value_name = "DIR")]
    pub(crate) audit: Option<PathBuf>,
    /// Lets the subgraphs refuse requests that a good plan avoids (PUNISH_FOR_POOR_PLANS).
    #[arg(long)]
    pub(crate) punish: bool,
    /// Lets Thalweg compose the subgraphs of each suite, instead of reading the audit's supergraph.
    #[arg(long)]
    pub(crate) compose: bool,
    /// Runs only the suites whose names contain the word.
    #[arg(long, value_name = "SUITE")]
    pub(crate) only: Option<String>,
    #[command(flatten)]
    pub(crate) program: Program,
}
