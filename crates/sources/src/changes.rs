//! Changes of rows of a source of any driver.

use std::time::Duration;

use source::SourceError;
use source::changes::{
    Coverage, Marker, NoStream, StreamKind, StreamOrigin, TableChange, TableName,
};
use source_postgres::{PostgresChangeProbe, PostgresChangeStream, PostgresChanges};
use source_sqlite::{SqliteChangeProbe, SqliteChangeStream, SqliteChanges};

/// The changes of a source.
#[derive(Debug)]
pub enum Changes {
    Sqlite(SqliteChanges),
    /// Boxed, being large next to the others.
    Postgres(Box<PostgresChanges>),
    Neo4j,
}

/// The probe of a source.
#[derive(Debug)]
pub enum ChangeProbe {
    Sqlite(Box<SqliteChangeProbe>),
    Postgres(Box<PostgresChangeProbe>),
}

/// The stream of a source.
#[derive(Debug)]
pub enum ChangeStream {
    Sqlite(SqliteChangeStream),
    Postgres(Box<PostgresChangeStream>),
}

impl Changes {
    /// The tables on which tables and views depend by row security and definitions; `None` for a source
    /// without these.
    pub async fn dependencies(
        &self,
        relations: &[TableName],
    ) -> Result<Option<Coverage>, SourceError> {
        match self {
            Self::Postgres(changes) => changes.dependencies(relations).await,
            Self::Sqlite(_) | Self::Neo4j => Ok(None),
        }
    }
}

impl source::changes::Changes for Changes {
    type Probe = ChangeProbe;
    type Stream = ChangeStream;

    fn probe(&self) -> Option<ChangeProbe> {
        match self {
            Self::Sqlite(changes) => {
                changes.probe().map(|probe| ChangeProbe::Sqlite(Box::new(probe)))
            }
            Self::Postgres(changes) => {
                changes.probe().map(|probe| ChangeProbe::Postgres(Box::new(probe)))
            }
            Self::Neo4j => None,
        }
    }

    async fn stream(
        &self,
        relations: &[TableName],
        kind: StreamKind,
    ) -> Result<ChangeStream, NoStream> {
        match self {
            Self::Sqlite(changes) => {
                changes.stream(relations, kind).await.map(ChangeStream::Sqlite)
            }
            Self::Postgres(changes) => {
                let stream = changes.stream(relations, kind).await?;
                Ok(ChangeStream::Postgres(Box::new(stream)))
            }
            Self::Neo4j => Err(NoStream::NotOffered),
        }
    }
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

impl source::changes::ChangeStream for ChangeStream {
    fn coverage(&self) -> &Coverage {
        match self {
            Self::Sqlite(stream) => stream.coverage(),
            Self::Postgres(stream) => stream.coverage(),
        }
    }

    fn origin(&self) -> StreamOrigin {
        match self {
            Self::Sqlite(stream) => stream.origin(),
            Self::Postgres(stream) => stream.origin(),
        }
    }

    async fn next(&mut self) -> Result<Vec<TableChange>, SourceError> {
        match self {
            Self::Sqlite(stream) => stream.next().await,
            Self::Postgres(stream) => stream.next().await,
        }
    }

    async fn is_current(&mut self) -> Result<bool, SourceError> {
        match self {
            Self::Sqlite(stream) => stream.is_current().await,
            Self::Postgres(stream) => stream.is_current().await,
        }
    }
}
