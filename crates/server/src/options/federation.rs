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
    /// With federation: a prefix of the names of types and root fields, such as `shop_`, for databases
    /// with tables of one name
    ///
    /// Scalars and helper types that are the same in every database, such as `PageInfo`, have none. The
    /// file of `--federation-extend` has the prefixed names.
    #[arg(
        help_heading = "Federation",
        long,
        env = "THALWEG_FEDERATION_PREFIX",
        value_name = "PREFIX"
    )]
    federation_prefix: Option<Box<str>>,
}

impl FederationOptions {
    /// Reads the extension, if there is one.
    pub(crate) fn to_engine(&self) -> Result<Option<federation::Options>, Failure> {
        if !self.federation {
            for (name, is_given) in [
                ("--federation-extend", self.federation_extend.is_some()),
                ("--federation-prefix", self.federation_prefix.is_some()),
            ] {
                if is_given {
                    return Err(Failure::Usage(format!("`{name}` needs `--federation`")));
                }
            }
            return Ok(None);
        }
        let prefix = self.federation_prefix.as_deref().map(Into::into);
        let Some(path) = &self.federation_extend else {
            return Ok(Some(federation::Options { extension: None, prefix }));
        };
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::Usage(format!("the extension of the subgraph {}: {error}", path.display()))
        })?;
        Ok(Some(federation::Options { extension: Some(text.into()), prefix }))
    }
}
