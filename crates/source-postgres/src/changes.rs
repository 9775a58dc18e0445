//! Changes of a database's rows.
//!
//! * `relations`: the tables on which tables and views depend, and what a stream covers
//! * `snapshot`: the transactions that a statement sees
//! * `stream`: logical replication
//!
//! The probe is the snapshot of a server's transactions. Each transaction that writes has a number, so
//! between two equal snapshots nothing was committed, in any database of the server.

mod relations;
mod snapshot;
mod stream;

use source::changes::{ChangeProbe, Changes, Marker, NoStream, StreamKind, TableName};
use source::{SourceError, SourceErrorKind};
use tokio_postgres::Client;

use crate::wire::{Config, connect_simple};
use snapshot::Snapshot;
pub use stream::PostgresChangeStream;

/// The changes of a database.
#[derive(Debug)]
pub struct PostgresChanges {
    config: Config,
}

/// Probe of a server, over a connection of its own.
#[derive(Debug)]
pub struct PostgresChangeProbe {
    config: Config,
    /// `None` before the first read and after an error; a cancelled read drops the connection.
    client: Option<Client>,
}

impl PostgresChanges {
    pub(crate) fn new(config: Config) -> Self {
        Self { config }
    }
}

impl Changes for PostgresChanges {
    type Probe = PostgresChangeProbe;
    type Stream = PostgresChangeStream;

    fn probe(&self) -> Option<PostgresChangeProbe> {
        Some(PostgresChangeProbe { config: self.config.clone(), client: None })
    }

    async fn stream(
        &self,
        relations: &[TableName],
        _: StreamKind,
    ) -> Result<PostgresChangeStream, NoStream> {
        PostgresChangeStream::begin(&self.config, relations).await
    }
}

impl ChangeProbe for PostgresChangeProbe {
    async fn marker(&mut self) -> Result<Marker, SourceError> {
        let unavailable = |error: &dyn std::fmt::Display| {
            SourceError::new(SourceErrorKind::Unavailable, error.to_string())
        };
        let client = match self.client.take() {
            Some(client) => client,
            None => connect_simple(&self.config).await.map_err(|error| unavailable(&error))?,
        };
        let snapshot = Snapshot::read(&client).await.map_err(|error| unavailable(&error))?;
        self.client = Some(client);
        Ok(Marker(Box::<str>::into(snapshot.text)))
    }
}
