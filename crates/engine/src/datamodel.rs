//! Datamodels of Prisma 1 from the tables of a database.

use dialects::prisma::introspected::{Introspected, introspected, written};
use source::Timeouts;
use sources::{Address, Defaults, OpenOptions, Source};

use crate::engine::OpenError;

/// Writes the datamodel of the tables in a schema, where the database has schemas.
pub async fn of_tables(
    address: &Address,
    schema: &str,
    timeouts: Timeouts,
) -> Result<String, OpenError> {
    Ok(written(&introspect(address, schema, timeouts).await?))
}

/// The meaning of the datamodel of the tables in a schema.
pub async fn introspect(
    address: &Address,
    schema: &str,
    timeouts: Timeouts,
) -> Result<Introspected, OpenError> {
    let namespaces = vec![schema.to_owned()];
    let options = OpenOptions {
        timeouts,
        namespaces,
        defaults: Defaults::Read,
        ..OpenOptions::default()
    };
    let (_, catalog) = Source::open(address, &options).await?;
    Ok(introspected(&catalog))
}
