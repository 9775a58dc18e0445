//! Changes of a database's rows.
//!
//! * `snapshot`: the transactions that a statement sees
//! * `stream`: logical replication
//! * `relay`: the stream of several servers, which one of them reads
//!
//! The probe is the snapshot of a server's transactions. Each transaction that writes has a number, so
//! between two equal snapshots nothing was committed, in any database of the server.

mod relay;
mod snapshot;
mod stream;

use std::sync::Arc;

use source::changes::{
    ChangeProbe, ChangeStream, Changes, Coverage, Marker, NoStream, Relay, TableChange, TableName,
};
use source::{SourceError, SourceErrorKind};
use tokio_postgres::Client;

use crate::wire::{Config, connect_simple};
use relay::{FollowedStream, Role, Session, join};
use snapshot::Snapshot;
use stream::LogicalStream;

/// The changes of a database.
#[derive(Debug)]
pub struct PostgresChanges {
    config: Config,
    relay: Relay,
}

/// A running stream.
#[derive(Debug)]
pub struct PostgresChangeStream(Stream);

#[derive(Debug)]
enum Stream {
    Logical(Box<LogicalStream>),
    Followed(Box<FollowedStream>),
}

/// Probe of a server, over a connection of its own.
#[derive(Debug)]
pub struct PostgresChangeProbe {
    config: Config,
    /// `None` before the first read and after an error; a cancelled read drops the connection.
    client: Option<Client>,
}

impl PostgresChanges {
    pub(crate) fn new(config: Config, relay: Relay) -> Self {
        Self { config, relay }
    }
}

impl Changes for PostgresChanges {
    type Probe = PostgresChangeProbe;
    type Stream = PostgresChangeStream;

    fn probe(&self) -> Option<PostgresChangeProbe> {
        Some(PostgresChangeProbe { config: self.config.clone(), client: None })
    }

    async fn stream(&self, tables: &[TableName]) -> Result<PostgresChangeStream, NoStream> {
        let session = Session::begin(&self.config, tables).await?;
        let stream = match self.relay {
            // A pooler gives each transaction another session.
            Relay::Notify if !self.config.has_pooler() => {
                let client = Arc::clone(&session.client);
                match begin(&self.config, session).await {
                    Err(error) if !client.is_closed() => {
                        tracing::warn!(%error, "the stream of changes cannot be shared");
                        let session = Session::begin(&self.config, tables).await?;
                        single(&self.config, session).await
                    }
                    begun => begun,
                }
            }
            Relay::Notify | Relay::None => single(&self.config, session).await,
        };
        stream.map(PostgresChangeStream).map_err(NoStream::Failed)
    }
}

/// Begins a stream that is shared with other servers.
async fn begin(config: &Config, session: Session) -> Result<Stream, SourceError> {
    match join(session).await? {
        Role::Leader(session) => {
            let stream = LogicalStream::lead(config, session).await?;
            Ok(Stream::Logical(Box::new(stream)))
        }
        Role::Follower(stream) => Ok(Stream::Followed(stream)),
        Role::Single(session) => single(config, session).await,
    }
}

async fn single(config: &Config, session: Session) -> Result<Stream, SourceError> {
    let stream = LogicalStream::begin(config, session).await?;
    Ok(Stream::Logical(Box::new(stream)))
}

impl ChangeStream for PostgresChangeStream {
    fn coverage(&self) -> &Coverage {
        match &self.0 {
            Stream::Logical(stream) => stream.coverage(),
            Stream::Followed(stream) => stream.coverage(),
        }
    }

    async fn next(&mut self) -> Result<Vec<TableChange>, SourceError> {
        match &mut self.0 {
            Stream::Logical(stream) => stream.next().await,
            Stream::Followed(stream) => stream.next().await,
        }
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
