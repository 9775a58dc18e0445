//! Probe of a database's schema: event triggers send notifications of changes where the role may make
//! them, and a fingerprint of the catalogs decides whether a change concerns the API.

use std::time::Duration;

use source::{SchemaProbe, SourceError, SourceErrorKind};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Notification};

use crate::options::PostgresOptions;
use crate::pooler;
use crate::product::{Feature, Product};
use crate::wire::{Config, WireError, connect_notified};

/// Polling interval without notifications.
const PAUSE: Duration = Duration::from_secs(2);

/// Polling interval with notifications: event triggers do not fire for changes of roles.
const LONG_PAUSE: Duration = Duration::from_secs(30);

/// Reads of the fingerprint take at most this part of the time.
const SHARE: u32 = 20;

/// [`BEGIN`] without a setting of PostgreSQL's planner.
const BEGIN_WITHOUT_PLANNER: &str = "begin; set local search_path to pg_catalog";

/// Start of a transaction whose names resolve to system objects, whatever the session's search path
/// is. The settings are local to the transaction: a pooler gives the session to other clients.
const BEGIN: &str = "begin; set local search_path to pg_catalog, pg_temp; set local jit to off";

const LISTEN: &str = "listen thalweg_watch";

/// Probe of a database, over a connection of its own.
#[derive(Debug)]
pub struct PostgresSchemaProbe {
    config: Config,
    namespaces: Vec<String>,
    session: Option<Session>,
    /// Whether the last read left no session.
    has_failed: bool,
}

#[derive(Debug)]
struct Session {
    client: Client,
    product: Product,
    notifications: UnboundedReceiver<Notification>,
    /// Whether the database sends notifications of changes.
    is_notified: bool,
    /// Duration of the last read.
    took: Duration,
}

/// The state of a schema: equal where nothing was changed in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresFingerprint(Box<str>);

impl PostgresSchemaProbe {
    pub fn new(url: &str, options: &PostgresOptions<'_>) -> Result<Self, WireError> {
        let config = Config::from_url(url)?;
        let config = config.with_default_connect_timeout(options.timeouts.connect);
        let namespaces = options.namespaces.to_vec();
        Ok(Self { config, namespaces, session: None, has_failed: false })
    }
}

impl SchemaProbe for PostgresSchemaProbe {
    type Fingerprint = PostgresFingerprint;

    async fn fingerprint(&mut self) -> Result<PostgresFingerprint, SourceError> {
        // Taken out, so that a cancelled or failed read leaves none.
        self.has_failed = true;
        let session = match self.session.take() {
            Some(session) => session,
            None => Session::begin(&self.config).await?,
        };
        let (session, fingerprint) = session.read(&self.namespaces).await?;
        self.session = Some(session);
        self.has_failed = false;
        Ok(fingerprint)
    }

    /// Waits for a notification or for the polling interval. The first wait ends at once, since nothing
    /// listened before.
    async fn wait(&mut self) {
        let Some(session) = &mut self.session else {
            if self.has_failed {
                sleep(PAUSE).await;
            }
            return;
        };
        let pause = session.took * SHARE;
        if !session.is_notified {
            sleep(pause.max(PAUSE)).await;
            return;
        }
        match timeout(pause.max(LONG_PAUSE), session.notifications.recv()).await {
            // One read covers all notifications.
            Ok(Some(_)) => while session.notifications.try_recv().is_ok() {},
            // The connection is gone.
            Ok(None) => self.session = None,
            Err(_) => {}
        }
    }

    fn close(&mut self) {
        self.session = None;
    }
}

impl Session {
    async fn begin(config: &Config) -> Result<Self, SourceError> {
        let keeps_sessions = pooler::find(config).await?.keeps_sessions();
        let (sender, notifications) = mpsc::unbounded_channel();
        let client = connect_notified(config, Some(sender)).await?;
        // A version that is too old was refused when the source was opened.
        let product = Product::read(&client).await.map_err(|error| failed(&error))?;
        let product = product.unwrap_or_default();
        let (is_notified, took) = (false, Duration::ZERO);
        let mut session = Self { client, product, notifications, is_notified, took };
        // A pooler that shares sessions would deliver notifications to other clients.
        if keeps_sessions && product.require(Feature::Notifications).is_ok() {
            session.is_notified = session.listen().await.unwrap_or_else(|error| {
                // A standby refuses LISTEN, and event triggers need a superuser.
                tracing::debug!(%error, "changes are not announced; the catalogs are looked at");
                false
            });
        }
        Ok(session)
    }

    /// Listens for notifications; returns whether event triggers send them.
    async fn listen(&self) -> Result<bool, tokio_postgres::Error> {
        self.client.batch_execute(LISTEN).await?;
        if let Err(error) = self.in_transaction(include_str!("watch.sql")).await {
            tracing::debug!(%error, "no event triggers were made");
        }
        let triggers = self.client.query_typed(include_str!("watched.sql"), &[]).await?;
        triggers.first().map_or(Ok(false), |row| row.try_get(0))
    }

    /// Runs statements in a transaction whose names resolve to system objects.
    async fn in_transaction(&self, statements: &str) -> Result<(), tokio_postgres::Error> {
        self.client.batch_execute(BEGIN).await?;
        let done = self.client.batch_execute(statements).await;
        // Rolls back if a statement failed.
        self.client.batch_execute("commit").await?;
        done
    }

    async fn read(
        mut self,
        namespaces: &[String],
    ) -> Result<(Self, PostgresFingerprint), SourceError> {
        let started = Instant::now();
        let fingerprint = self.fingerprint(namespaces).await.map_err(|error| failed(&error))?;
        self.took = started.elapsed();
        Ok((self, PostgresFingerprint(fingerprint.into())))
    }

    async fn fingerprint(&self, namespaces: &[String]) -> Result<String, tokio_postgres::Error> {
        let (begin, statement, may_be_distributed) = match self.product {
            Product::PostgreSql | Product::Citus => (BEGIN, include_str!("fingerprint.sql"), true),
            Product::YugabyteDb => (BEGIN, include_str!("yugabytedb/fingerprint.sql"), false),
            Product::CockroachDb => {
                (BEGIN_WITHOUT_PLANNER, include_str!("cockroachdb/fingerprint.sql"), false)
            }
        };
        self.client.batch_execute(begin).await?;
        let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&namespaces, Type::TEXT_ARRAY)];
        let row = self.client.query_typed_one(statement, &parameters).await?;
        let mut fingerprint: String = row.try_get(0)?;
        if may_be_distributed && row.try_get(1)? {
            let statement = include_str!("distribution_fingerprint.sql");
            let row = self.client.query_typed_one(statement, &[]).await?;
            fingerprint.push_str("; ");
            fingerprint.push_str(row.try_get(0)?);
        }
        self.client.batch_execute("commit").await?;
        Ok(fingerprint)
    }
}

fn failed(error: &tokio_postgres::Error) -> SourceError {
    let message = match error.as_db_error() {
        Some(error) => error.message().to_owned(),
        None => error.to_string(),
    };
    SourceError::new(SourceErrorKind::Unavailable, message)
}
