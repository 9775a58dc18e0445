//! Options of `thalweg contract`.

use std::sync::Arc;

use clap::Args;
use supergraph::contract::Filter;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct ContractOptions {
    /// The supergraph: a file with the composed schema, or its https:// address
    #[arg(env = "THALWEG_SUPERGRAPH")]
    pub(crate) supergraph: String,
    /// Tags to include, separated by commas: fields and unions without one of them are hidden [default:
    /// everything is included]
    #[arg(
        help_heading = "Contract",
        long,
        env = "THALWEG_INCLUDE",
        value_name = "TAGS",
        value_delimiter = ','
    )]
    include: Vec<String>,
    /// Tags to exclude, separated by commas: elements with one of them are hidden, also if they are
    /// included
    #[arg(
        help_heading = "Contract",
        long,
        env = "THALWEG_EXCLUDE",
        value_name = "TAGS",
        value_delimiter = ','
    )]
    exclude: Vec<String>,
    /// Hide the types that no operation reaches any more
    #[arg(help_heading = "Contract", long, env = "THALWEG_HIDE_UNREACHABLE")]
    hide_unreachable: bool,
}

impl ContractOptions {
    pub(crate) fn filter(&self) -> Result<Filter, Failure> {
        if self.include.is_empty() && self.exclude.is_empty() && !self.hide_unreachable {
            let message = "a contract needs `--include`, `--exclude` or `--hide-unreachable`";
            return Err(Failure::Usage(message.into()));
        }
        let tags = |tags: &[String]| tags.iter().map(|tag| Arc::from(tag.as_str())).collect();
        Ok(Filter {
            include: tags(&self.include),
            exclude: tags(&self.exclude),
            hide_unreachable: self.hide_unreachable,
        })
    }
}
