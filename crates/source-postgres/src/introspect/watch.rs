//! Whether the schema of a database is still the same: the database says that something was changed,
//! where it lets us have that said, and its catalogs say whether it concerns us.

use std::time::Duration;

use source::{SourceError, SourceErrorKind};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::Client;
use tokio_postgres::types::{ToSql, Type};

use crate::options::PostgresOptions;
use crate::pooler;
use crate::wire::{Config, WireError, connect_told};

/// Between two looks where nothing says that something was changed.
const PAUSE: Duration = Duration::from_secs(2);

/// The same where something does: roles and their members are changed without a word.
const LONG_PAUSE: Duration = Duration::from_secs(30);

/// A look takes at most this part of the time.
const SHARE: u32 = 20;

/// Names mean the system's own objects, whatever the session's search path is. What is set ends with
/// the transaction: behind a pooler the session is somebody else's then.
const BEGIN: &str = "begin; set local search_path to pg_catalog, pg_temp; set local jit to off";

const LISTEN: &str = "listen thalweg_watch";

/// Looks at a database, over a connection of its own.
#[derive(Debug)]
pub struct PostgresLooks {
    config: Config,
    namespaces: Vec<String>,
    session: Option<Session>,
    /// Whether there was no session when the last look ended.
    has_failed: bool,
}

#[derive(Debug)]
struct Session {
    client: Client,
    told: UnboundedReceiver<()>,
    /// Whether the database says that something was changed.
    is_told: bool,
    /// How long the last look took.
    took: Duration,
}

/// The state of a schema: equal where nothing was changed in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresFingerprint(Box<str>);

impl PostgresLooks {
    pub fn new(url: &str, options: &PostgresOptions<'_>) -> Result<Self, WireError> {
        let config = Config::from_url(url)?;
        let config = config.with_usual_connect_timeout(options.timeouts.connect);
        let namespaces = options.namespaces.to_vec();
        Ok(Self { config, namespaces, session: None, has_failed: false })
    }

    pub async fn look(&mut self) -> Result<PostgresFingerprint, SourceError> {
        // Taken out, so that a look that is given up or fails leaves none.
        self.has_failed = true;
        let session = match self.session.take() {
            Some(session) => session,
            None => Session::begin(&self.config).await?,
        };
        let (session, fingerprint) = session.look(&self.namespaces).await?;
        self.session = Some(session);
        self.has_failed = false;
        Ok(fingerprint)
    }

    /// Waits for a moment at which a look is worth it. The first comes at once: nobody has listened
    /// before.
    pub async fn wait(&mut self) {
        let Some(session) = &mut self.session else {
            if self.has_failed {
                sleep(PAUSE).await;
            }
            return;
        };
        let pause = session.took * SHARE;
        if !session.is_told {
            sleep(pause.max(PAUSE)).await;
            return;
        }
        match timeout(pause.max(LONG_PAUSE), session.told.recv()).await {
            // However much was said, one look is an answer to all of it.
            Ok(Some(())) => while session.told.try_recv().is_ok() {},
            // The connection is gone.
            Ok(None) => self.session = None,
            Err(_) => {}
        }
    }

    pub fn let_go(&mut self) {
        self.session = None;
    }
}

impl Session {
    async fn begin(config: &Config) -> Result<Self, SourceError> {
        let keeps_sessions = pooler::find(config).await?.keeps_sessions();
        let (tell, told) = mpsc::unbounded_channel();
        let client = connect_told(config, Some(tell)).await?;
        let mut session = Self { client, told, is_told: false, took: Duration::ZERO };
        // Where a session is somebody else's in a moment, what comes to it is, too.
        if keeps_sessions {
            session.is_told = session.listen().await.unwrap_or_else(|error| {
                // A standby takes no listeners, and whoever is no superuser makes no triggers.
                tracing::debug!(%error, "changes are not announced; the catalogs are looked at");
                false
            });
        }
        Ok(session)
    }

    /// Whether the database says from now on that a schema was changed.
    async fn listen(&self) -> Result<bool, tokio_postgres::Error> {
        self.client.batch_execute(LISTEN).await?;
        if let Err(error) = self.in_transaction(include_str!("watch.sql")).await {
            tracing::debug!(%error, "no event triggers were made");
        }
        let told_by = self.client.query_typed(include_str!("watched.sql"), &[]).await?;
        told_by.first().map_or(Ok(false), |row| row.try_get(0))
    }

    /// Runs statements with the names of the system's own objects.
    async fn in_transaction(&self, statements: &str) -> Result<(), tokio_postgres::Error> {
        self.client.batch_execute(BEGIN).await?;
        let done = self.client.batch_execute(statements).await;
        // Of what failed it leaves nothing.
        self.client.batch_execute("commit").await?;
        done
    }

    async fn look(
        mut self,
        namespaces: &[String],
    ) -> Result<(Self, PostgresFingerprint), SourceError> {
        let started = Instant::now();
        let fingerprint = self.fingerprint(namespaces).await.map_err(|error| failed(&error))?;
        self.took = started.elapsed();
        Ok((self, PostgresFingerprint(fingerprint.into())))
    }

    async fn fingerprint(&self, namespaces: &[String]) -> Result<String, tokio_postgres::Error> {
        self.client.batch_execute(BEGIN).await?;
        let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&namespaces, Type::TEXT_ARRAY)];
        let row = self.client.query_typed_one(include_str!("fingerprint.sql"), &parameters).await?;
        self.client.batch_execute("commit").await?;
        row.try_get(0)
    }
}

fn failed(error: &tokio_postgres::Error) -> SourceError {
    let message = match error.as_db_error() {
        Some(error) => error.message().to_owned(),
        None => error.to_string(),
    };
    SourceError::new(SourceErrorKind::Unavailable, message)
}
