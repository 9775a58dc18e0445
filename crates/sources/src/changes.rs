//! Detection of changes of rows for a source of any driver.

use std::time::Duration;

use source::SourceError;
use source::changes::Marker;
use source_postgres::PostgresChangeProbe;
use source_sqlite::SqliteChangeProbe;

/// The probe of a source.
#[derive(Debug)]
pub enum ChangeProbe {
    Sqlite(Box<SqliteChangeProbe>),
    Postgres(Box<PostgresChangeProbe>),
}

impl source::changes::ChangeProbe for ChangeProbe {
    async fn marker(&mut self) -> Result<Marker, SourceError> {
        match self {
            Self::Sqlite(probe) => probe.marker().await,
            Self::Postgres(probe) => probe.marker().await,
        }
    }

    fn interval(&self, usual: Duration) -> Duration {
        match self {
            Self::Sqlite(probe) => probe.interval(usual),
            Self::Postgres(probe) => probe.interval(usual),
        }
    }
}
