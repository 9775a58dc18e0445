//! An API as a subgraph of a federated graph.

use std::path::{Path, PathBuf};

use clap::Args;
use dialects::federation;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct FederationOptions {
    /// As a subgraph of a federated graph too, for routers that know Apollo Federation 2: types whose
    /// rows have a key are entities
    #[arg(help_heading = "Federation", long, env = "THALWEG_FEDERATION")]
    federation: bool,
    /// With federation: a file of SDL that extends types of the API, such as `extend type Product
    /// @shareable`, whose directives routers are told
    #[arg(
        help_heading = "Federation",
        long,
        env = "THALWEG_FEDERATION_EXTEND",
        value_name = "FILE"
    )]
    federation_extend: Option<PathBuf>,
}

impl FederationOptions {
    /// Reads the file, if there is one to read.
    pub(crate) fn to_engine(&self) -> Result<Option<federation::Options>, Failure> {
        match (self.federation, &self.federation_extend) {
            (true, file) => federated(file.as_deref()).map(Some),
            (false, None) => Ok(None),
            (false, Some(_)) => {
                Err(Failure::Usage("`--federation-extend` needs `--federation`".into()))
            }
        }
    }
}

/// An API as a subgraph, with what the file says that extends it.
pub(crate) fn federated(extension: Option<&Path>) -> Result<federation::Options, Failure> {
    let Some(path) = extension else { return Ok(federation::Options::default()) };
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::Usage(format!("the extension of the subgraph {}: {error}", path.display()))
    })?;
    Ok(federation::Options { extension: Some(text.into()) })
}
