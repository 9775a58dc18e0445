//! Options of `thalweg check OLD NEW`, the comparison of two schemas.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use supergraph::changes::{Criticality, Rules};

use super::compose::ReportForm;
use super::quantity::Time;

#[derive(Debug, Args)]
#[command(next_help_heading = "Changes")]
pub(crate) struct ChangesOptions {
    /// With a second schema, SOURCE is the old one: the changes between them are classified
    ///
    /// Both are files of GraphQL's schema language or https:// addresses, of any schema or supergraph;
    /// `-` is the standard input.
    #[arg(value_name = "NEW", index = 2)]
    pub(crate) new: Option<String>,
    /// What clients use: changes of parts that none of them uses are not breaking
    ///
    /// A file of GraphQL documents, a folder of them, a manifest of trusted documents in Relay's or
    /// Apollo's format (`.json`), or what a server has counted at `/usage` beside its metrics, as a file
    /// (`.json`) or an address. Several are separated by commas, or the option is repeated.
    #[arg(long, env = "THALWEG_USAGE", value_name = "PATHS", value_delimiter = ',')]
    pub(crate) usage: Vec<PathBuf>,
    /// The requests from which on a part that servers have counted is used [default: 1]
    #[arg(long, env = "THALWEG_USAGE_MINIMUM", value_name = "NUMBER")]
    pub(crate) usage_minimum: Option<NonZeroU64>,
    /// The time after its last use from which on a part that servers have counted is unused [default: none]
    #[arg(long, env = "THALWEG_USAGE_PERIOD", value_name = "TIME")]
    pub(crate) usage_period: Option<Time>,
    /// The changes that fail the check
    #[arg(long, env = "THALWEG_FAIL_ON", value_name = "WHAT", default_value = "breaking")]
    pub(crate) fail_on: FailOn,
    /// The form of the report
    #[arg(
        long,
        visible_alias = "format",
        env = "THALWEG_REPORT",
        value_name = "FORM",
        default_value = "text"
    )]
    pub(crate) report: ReportForm,
    /// Omit changes of descriptions
    #[arg(long, env = "THALWEG_IGNORE_DESCRIPTIONS")]
    ignore_descriptions: bool,
    /// Treat dangerous changes as breaking ones
    #[arg(long, env = "THALWEG_DANGEROUS_IS_BREAKING")]
    dangerous_is_breaking: bool,
    /// Treat the removal of deprecated parts as dangerous, not as breaking
    #[arg(long, env = "THALWEG_ALLOW_DEPRECATED_REMOVAL")]
    allow_deprecated_removal: bool,
    /// Treat breaking changes of types that no operation reaches as safe
    #[arg(long, env = "THALWEG_SAFE_UNREACHABLE")]
    safe_unreachable: bool,
    /// Also list the parts of added elements, such as the fields of a new type
    #[arg(long, env = "THALWEG_NESTED_ADDITIONS")]
    nested_additions: bool,
}

/// The least critical changes that fail a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    Breaking,
    /// Also dangerous changes
    Dangerous,
    /// No change
    Never,
}

impl ChangesOptions {
    /// The rules, without the usage of documents.
    pub(crate) fn rules(&self) -> Rules<'static> {
        Rules {
            ignore_descriptions: self.ignore_descriptions,
            omit_nested: !self.nested_additions,
            dangerous_is_breaking: self.dangerous_is_breaking,
            allow_deprecated_removal: self.allow_deprecated_removal,
            safe_unreachable: self.safe_unreachable,
            usage: None,
        }
    }
}

impl FailOn {
    pub(crate) fn includes(self, criticality: Criticality) -> bool {
        match self {
            Self::Breaking => criticality == Criticality::Breaking,
            Self::Dangerous => criticality <= Criticality::Dangerous,
            Self::Never => false,
        }
    }
}
