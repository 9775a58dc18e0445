//! Changes of a database's rows.
//!
//! * `installation`: the statements for triggers
//! * `relations`: the tables on which tables and views depend, and what a stream covers
//! * `snapshot`: the transactions that a statement sees
//! * `stream`: logical replication
//! * `relay`: the stream of several servers, which one of them reads
//! * `triggers`: notifications of triggers
//!
//! The probe is the snapshot of a server's transactions. Each transaction that writes has a number, so
//! between two equal snapshots nothing was committed, in any database of the server.

mod installation;
mod relations;
mod relay;
mod snapshot;
mod stream;
mod triggers;

use std::sync::Arc;

use source::changes::{
    ChangeProbe, ChangeStream, Changes, Coverage, Marker, NoStream, Relay, StreamKind,
    StreamOrigin, TableChange, TableName,
};
use source::{SourceError, SourceErrorKind};
use tokio_postgres::Client;

use crate::pooler;
use crate::product::{Feature, Product};
use crate::wire::{Config, connect_simple};
pub use installation::{PostgresTriggers, TriggerError};
use relations::Relations;
use relay::{FollowedStream, Role, Session, join};
use snapshot::Snapshot;
use stream::LogStream;
use triggers::TriggerStream;

/// The changes of a database.
#[derive(Debug)]
pub struct PostgresChanges {
    config: Config,
    product: Product,
    relay: Relay,
}

/// A stream of a database's changes.
#[derive(Debug)]
pub enum PostgresChangeStream {
    /// The log, as this server reads it.
    Log(Box<LogStream>),
    /// The log, as another server relays it.
    Followed(Box<FollowedStream>),
    Triggers(Box<TriggerStream>),
}

/// Probe of a server, over a connection of its own.
#[derive(Debug)]
pub struct PostgresChangeProbe {
    config: Config,
    /// `None` before the first read and after an error; a cancelled read drops the connection.
    client: Option<Client>,
}

impl PostgresChanges {
    pub(crate) fn new(config: Config, product: Product, relay: Relay) -> Self {
        Self { config, product, relay }
    }

    /// The tables on which these tables and views depend, as row security and views tell: the coverage
    /// of the stream that a server would have, which is not begun. `None` for a product without streams.
    pub async fn dependencies(
        &self,
        relations: &[TableName],
    ) -> Result<Option<Coverage>, SourceError> {
        if self.product.require(Feature::NotifyingTriggers).is_err() {
            return Ok(None);
        }
        let client = connect_simple(&self.config).await.map_err(|error| unavailable(&error))?;
        let read = Relations::read(&client, relations).await;
        let relations = read.map_err(|error| unavailable(&error))?;
        let by_log = stream::possible_coverage(&client, &relations).await;
        let by_log = by_log.map_err(|error| unavailable(&error))?;
        if !by_log.relations.is_empty() {
            return Ok(Some(by_log));
        }
        let pooler = pooler::find(&self.config).await.map_err(|error| unavailable(&error))?;
        if !pooler.keeps_sessions() {
            return Ok(Some(by_log));
        }
        let by_triggers = triggers::possible_coverage(&client, &relations).await;
        by_triggers.map(Some).map_err(|error| unavailable(&error))
    }

    /// Begins a stream of the log, which servers share unless each has one of its own.
    async fn log(&self, relations: &[TableName]) -> Result<PostgresChangeStream, NoStream> {
        let mut session = Session::begin(&self.config, relations).await?;
        let (is_shared, bus) = match &self.relay {
            Relay::None => (false, None),
            Relay::Notify => (true, None),
            Relay::Bus(bus) => (true, Some(Arc::clone(bus))),
        };
        // A pooler gives each transaction another session.
        if is_shared && !self.config.is_behind_pooler() {
            session.bus = bus;
            let client = Arc::clone(&session.client);
            match self.shared(session).await {
                Err(error) if !client.is_closed() => {
                    tracing::warn!(%error, "the stream of changes cannot be shared");
                    session = Session::begin(&self.config, relations).await?;
                }
                begun => return begun.map_err(NoStream::Failed),
            }
        }
        self.single(session).await.map_err(NoStream::Failed)
    }

    async fn shared(&self, session: Session) -> Result<PostgresChangeStream, SourceError> {
        match join(session).await? {
            Role::Leader(session) => {
                let stream = LogStream::lead(&self.config, session).await?;
                Ok(PostgresChangeStream::Log(Box::new(stream)))
            }
            Role::Follower(stream) => Ok(PostgresChangeStream::Followed(stream)),
            Role::Single(session) => self.single(session).await,
        }
    }

    async fn single(&self, session: Session) -> Result<PostgresChangeStream, SourceError> {
        let stream = LogStream::begin(&self.config, session).await?;
        Ok(PostgresChangeStream::Log(Box::new(stream)))
    }
}

impl Changes for PostgresChanges {
    type Probe = PostgresChangeProbe;
    type Stream = PostgresChangeStream;

    fn probe(&self) -> Option<PostgresChangeProbe> {
        let probe = PostgresChangeProbe { config: self.config.clone(), client: None };
        self.product.tells_changes().then_some(probe)
    }

    async fn stream(
        &self,
        relations: &[TableName],
        kind: StreamKind,
    ) -> Result<PostgresChangeStream, NoStream> {
        if let Err(lacking) = self.product.require(Feature::NotifyingTriggers) {
            return Err(NoStream::NotAllowed(lacking.to_string().into()));
        }
        let reason = match kind {
            StreamKind::Any => match self.log(relations).await {
                Err(NoStream::NotAllowed(reason)) => Some(reason),
                begun => return begun,
            },
            StreamKind::Triggers => None,
        };
        match (TriggerStream::begin(&self.config, relations).await, reason) {
            (Ok(stream), reason) => {
                let reason = reason.as_deref().unwrap_or("`--live-feed triggers`");
                tracing::info!(%reason, "triggers report changes of rows, not the log");
                Ok(PostgresChangeStream::Triggers(Box::new(stream)))
            }
            (Err(NoStream::NotAllowed(also)), Some(reason)) => {
                Err(NoStream::NotAllowed([&*reason, ", and ", &also].concat().into()))
            }
            (Err(other), _) => Err(other),
        }
    }
}

impl ChangeStream for PostgresChangeStream {
    fn coverage(&self) -> &Coverage {
        match self {
            Self::Log(stream) => stream.coverage(),
            Self::Followed(stream) => stream.coverage(),
            Self::Triggers(stream) => stream.coverage(),
        }
    }

    fn origin(&self) -> StreamOrigin {
        match self {
            Self::Log(stream) => stream.origin(),
            Self::Followed(stream) => stream.origin(),
            Self::Triggers(stream) => stream.origin(),
        }
    }

    async fn next(&mut self) -> Result<Vec<TableChange>, SourceError> {
        match self {
            Self::Log(stream) => stream.next().await,
            Self::Followed(stream) => stream.next().await,
            Self::Triggers(stream) => stream.next().await,
        }
    }

    async fn is_current(&mut self) -> Result<bool, SourceError> {
        match self {
            Self::Log(stream) => stream.is_current().await,
            Self::Followed(stream) => stream.is_current().await,
            Self::Triggers(stream) => stream.is_current().await,
        }
    }
}

impl ChangeProbe for PostgresChangeProbe {
    async fn marker(&mut self) -> Result<Marker, SourceError> {
        let client = match self.client.take() {
            Some(client) => client,
            None => connect_simple(&self.config).await.map_err(|error| unavailable(&error))?,
        };
        let snapshot = Snapshot::read(&client).await.map_err(|error| unavailable(&error))?;
        self.client = Some(client);
        Ok(Marker(Box::<str>::into(snapshot.text)))
    }
}

fn unavailable(error: &dyn std::fmt::Display) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, error.to_string())
}
