//! The connection of a server that delivers events. While it lives, it says so by a lock, so that
//! another server that starts knows whether claims may be those of one that was killed.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::{sleep, timeout};
use tokio_postgres::{Client, Notification, Row};

use super::{EventLogError, Parameter, PostgresEventLog};
use crate::pooler;
use crate::product::{Feature, Product};
use crate::wire::{Config, connect_notified, connect_simple};

/// Attempts to become the only server: the session of one that was killed ends a moment later.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(100);

/// A session.
#[derive(Clone, Debug)]
pub(super) struct EventSession {
    client: Arc<Client>,
    /// `None` behind a pooler that passes no notifications on.
    notifications: Option<Arc<Mutex<UnboundedReceiver<Notification>>>>,
}

impl PostgresEventLog {
    /// Begins to deliver events: claims of servers that have ended are released, if no other one is
    /// alive. Returns whether they were.
    pub async fn begin(&self) -> Result<bool, EventLogError> {
        let session = self.session().await?;
        if session.notifications.is_none() {
            // Locks of a session mean nothing here: claims end with their leases.
            return Ok(false);
        }
        for attempt in 1..=ATTEMPTS {
            // Several locks of one session are counted.
            if session.flag(include_str!("begin.sql")).await? {
                session.client.batch_execute(include_str!("release_all.sql")).await?;
                session.flag_ignored(include_str!("share_only.sql")).await?;
                return Ok(true);
            }
            if attempt < ATTEMPTS {
                sleep(PAUSE).await;
            }
        }
        Ok(false)
    }

    /// Waits until events were recorded, or for this time.
    pub async fn wait(&self, most: Duration) -> Result<(), EventLogError> {
        let session = self.session().await?;
        let Some(notifications) = &session.notifications else {
            sleep(most).await;
            return Ok(());
        };
        let mut notifications = notifications.lock().await;
        // Those of earlier transactions.
        while notifications.try_recv().is_ok() {}
        // Another server may be the one that is woken; or a transaction has the lock for a moment.
        let is_locked = session.flag(include_str!("wait.sql")).await?;
        let received = timeout(most, notifications.recv()).await;
        if is_locked {
            session.flag_ignored(include_str!("wake.sql")).await?;
        }
        if matches!(received, Ok(None)) {
            tracing::debug!("the connection to the log of events has ended");
            self.forget().await;
        }
        Ok(())
    }

    /// The session, which is opened if there is none, or if the last one was lost.
    pub(super) async fn session(&self) -> Result<EventSession, EventLogError> {
        let mut kept = self.session.lock().await;
        if let Some(session) = kept.as_ref().filter(|session| !session.client.is_closed()) {
            return Ok(session.clone());
        }
        let session = EventSession::open(&self.config).await?;
        *kept = Some(session.clone());
        Ok(session)
    }

    async fn forget(&self) {
        *self.session.lock().await = None;
    }

    /// A connection of its own, for transactions.
    pub(super) async fn connect(&self) -> Result<Client, EventLogError> {
        let client = connect_simple(&self.config).await.map_err(EventLogError::Connect)?;
        Product::require_of(&client, Feature::EventLog).await?;
        Ok(client)
    }

    pub(super) async fn query(
        &self,
        statement: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, EventLogError> {
        Ok(self.session().await?.client.query_typed(statement, parameters).await?)
    }
}

impl EventSession {
    async fn open(config: &Config) -> Result<Self, EventLogError> {
        let pooler = pooler::find(config).await.map_err(EventLogError::Connect)?;
        let (sender, notifications) = mpsc::unbounded_channel();
        let connected = connect_notified(config, Some(sender)).await;
        let client = Arc::new(connected.map_err(EventLogError::Connect)?);
        Product::require_of(&client, Feature::EventLog).await?;
        let notifications = match pooler.keeps_sessions() {
            true => {
                client.batch_execute(include_str!("listen.sql")).await?;
                Some(Arc::new(Mutex::new(notifications)))
            }
            false => None,
        };
        let session = Self { client, notifications };
        if session.notifications.is_some() {
            session.flag_ignored(include_str!("share.sql")).await?;
        }
        Ok(session)
    }

    /// The flag that a statement returns.
    async fn flag(&self, statement: &str) -> Result<bool, EventLogError> {
        let rows = self.client.query_typed(statement, &[]).await?;
        Ok(rows.first().map(|row| row.try_get(0)).transpose()?.unwrap_or_default())
    }

    async fn flag_ignored(&self, statement: &str) -> Result<(), EventLogError> {
        self.client.query_typed(statement, &[]).await?;
        Ok(())
    }
}
