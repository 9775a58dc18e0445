//! Channels of LISTEN and NOTIFY.

use std::time::Duration;

use source::notifications::{ChannelSession, Channels, Notification};
use source::{SourceError, SourceErrorKind};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::timeout;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::pooler;
use crate::product::{Feature, Product};
use crate::wire::{Config, connect_notified};

/// Silence after which the session is tested, and the time-out of this test.
const SILENCE: Duration = Duration::from_secs(25);
const TEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The channels of a database.
#[derive(Clone, Debug)]
pub struct PostgresChannels {
    config: Config,
    product: Product,
}

/// A session that listens, over a connection of its own.
#[derive(Debug)]
pub struct PostgresChannelSession {
    client: Client,
    notifications: UnboundedReceiver<tokio_postgres::Notification>,
}

impl PostgresChannels {
    pub(crate) fn new(config: Config, product: Product) -> Self {
        Self { config, product }
    }
}

impl Channels for PostgresChannels {
    type Session = PostgresChannelSession;

    async fn connect(&self) -> Result<PostgresChannelSession, SourceError> {
        self.product.require(Feature::Notifications).map_err(|error| unavailable(&error))?;
        let pooler = pooler::find(&self.config).await.map_err(|error| unavailable(&error))?;
        if !pooler.keeps_sessions() {
            let reason = "a connection pooler that shares sessions passes no notifications on";
            return Err(unavailable(&reason));
        }
        let (sender, notifications) = mpsc::unbounded_channel();
        let connected = connect_notified(&self.config, Some(sender)).await;
        let client = connected.map_err(|error| unavailable(&error))?;
        Ok(PostgresChannelSession { client, notifications })
    }
}

impl ChannelSession for PostgresChannelSession {
    async fn listen(&mut self, channel: &str) -> Result<(), SourceError> {
        self.execute(include_str!("channels/listen.sql"), channel).await
    }

    async fn unlisten(&mut self, channel: &str) -> Result<(), SourceError> {
        self.execute(include_str!("channels/unlisten.sql"), channel).await
    }

    async fn next(&mut self) -> Result<Notification, SourceError> {
        loop {
            match timeout(SILENCE, self.notifications.recv()).await {
                Ok(Some(received)) => {
                    let (channel, payload) = (received.channel().into(), received.payload().into());
                    return Ok(Notification { channel, payload });
                }
                Ok(None) => return Err(unavailable(&"the connection has ended")),
                Err(_) => match timeout(TEST_TIMEOUT, self.client.batch_execute("")).await {
                    Ok(tested) => tested.map_err(|error| unavailable(&error))?,
                    Err(_) => return Err(unavailable(&"the server does not answer")),
                },
            }
        }
    }
}

impl PostgresChannelSession {
    /// The connection, for other statements.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Executes the statement that a query makes of the name of a channel.
    async fn execute(&self, query: &str, channel: &str) -> Result<(), SourceError> {
        let failed = |error: tokio_postgres::Error| unavailable(&error);
        let rows = self.client.query_typed(query, &[(&channel, Type::TEXT)]).await;
        let rows = rows.map_err(failed)?;
        let Some(row) = rows.first() else { return Ok(()) };
        let statement: String = row.try_get(0).map_err(failed)?;
        self.client.batch_execute(&statement).await.map_err(failed)
    }
}

fn unavailable(error: &dyn std::fmt::Display) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, error.to_string())
}
