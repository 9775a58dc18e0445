//! Probe of a server's rows: the snapshot of its transactions. Each transaction that writes has an id,
//! so between two equal snapshots nothing was committed, in any database of the server.

use source::changes::{ChangeProbe, Marker};
use source::{SourceError, SourceErrorKind};
use tokio_postgres::Client;

use crate::wire::{Config, connect_simple};

/// Probe of a server, over a connection of its own.
#[derive(Debug)]
pub struct PostgresChangeProbe {
    config: Config,
    /// `None` before the first read and after an error; a cancelled read drops the connection.
    client: Option<Client>,
}

impl PostgresChangeProbe {
    pub(crate) fn new(config: Config) -> Self {
        Self { config, client: None }
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
        let rows = client.query_typed(include_str!("changes/snapshot.sql"), &[]).await;
        let rows = rows.map_err(|error| unavailable(&error))?;
        let text: Option<String> = match rows.first() {
            Some(row) => row.try_get(0).map_err(|error| unavailable(&error))?,
            None => None,
        };
        self.client = Some(client);
        Ok(Marker(text.unwrap_or_default().into_bytes().into()))
    }
}
