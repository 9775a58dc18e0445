//! Detection of schema changes for a source of any driver.

use source_postgres::PostgresSchemaProbe;
use source_sqlite::SqliteSchemaProbe;

use crate::address::Address;
use crate::open::OpenOptions;

/// The watched schema of a source.
#[derive(Debug)]
pub enum SchemaWatch {
    Sqlite(Box<source::SchemaWatch<SqliteSchemaProbe>>),
    Postgres(Box<source::SchemaWatch<PostgresSchemaProbe>>),
}

impl SchemaWatch {
    /// Reads the state of a schema once; see [`source::SchemaWatch::begin`]. `None` if the source
    /// cannot be watched: opening it returns the error of a wrong address.
    pub async fn begin(address: &Address, options: &OpenOptions) -> Option<Self> {
        match &*options.direct_address(address) {
            Address::Sqlite(path) => {
                let watch = source::SchemaWatch::begin(SqliteSchemaProbe::new(path)).await;
                Some(Self::Sqlite(Box::new(watch)))
            }
            Address::Postgres(url) => {
                let probe = PostgresSchemaProbe::new(url, &options.postgres()).ok()?;
                Some(Self::Postgres(Box::new(source::SchemaWatch::begin(probe).await)))
            }
            // The API is made of type definitions, not of what the graph holds.
            Address::Neo4j(_) => None,
        }
    }

    /// Waits until the schema has changed; see [`source::SchemaWatch::changed`].
    pub async fn changed(&mut self) {
        match self {
            Self::Sqlite(watch) => watch.changed().await,
            Self::Postgres(watch) => watch.changed().await,
        }
    }
}
