//! Options of an API as a subgraph (Apollo Federation 2).

use std::path::PathBuf;

use clap::Args;
use dialects::federation;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct FederationOptions {
    /// Serve the API as a subgraph, too, for routers of Apollo Federation 2: types whose rows have a key
    /// are entities
    #[arg(help_heading = "Federation", long, env = "THALWEG_FEDERATION")]
    federation: bool,
    /// With federation: a file of SDL that adds directives to types of the API, such as `extend type
    /// Product @shareable`
    #[arg(
        help_heading = "Federation",
        long,
        env = "THALWEG_FEDERATION_EXTEND",
        value_name = "FILE"
    )]
    federation_extend: Option<PathBuf>,
}

impl FederationOptions {
    /// Reads the extension, if there is one.
    pub(crate) fn to_engine(&self) -> Result<Option<federation::Options>, Failure> {
        let Some(path) = &self.federation_extend else {
            return Ok(self.federation.then(federation::Options::default));
        };
        if !self.federation {
            return Err(Failure::Usage("`--federation-extend` needs `--federation`".into()));
        }
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::Usage(format!("the extension of the subgraph {}: {error}", path.display()))
        })?;
        Ok(Some(federation::Options { extension: Some(text.into()) }))
    }
}
