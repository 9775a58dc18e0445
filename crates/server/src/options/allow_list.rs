//! The option of Hasura's allow list.

use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Hasura")]
pub(crate) struct AllowListOptions {
    /// For hasura: roles other than admin execute only operations of the metadata's allow list, as with
    /// `HASURA_GRAPHQL_ENABLE_ALLOWLIST`
    #[arg(long, env = "THALWEG_ALLOW_LIST")]
    pub(crate) allow_list: bool,
}
