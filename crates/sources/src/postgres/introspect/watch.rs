//! Whether the schema of a database is still the same: the database says that something was changed,
//! where it lets us have that said, and its catalogs say whether it concerns us.

use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::Client;

use crate::error::{SourceError, SourceErrorKind};
use crate::postgres::wire::{Config, WireError, connect_told};
use crate::source::OpenOptions;
use crate::watch::Fingerprint;

/// Between two looks where nothing says that something was changed.
const PAUSE: Duration = Duration::from_secs(2);

/// The same where something does: roles and their members are changed without a word.
const LONG_PAUSE: Duration = Duration::from_secs(30);

/// A look takes at most this part of the time.
const SHARE: u32 = 20;

/// Looks at a database, over a connection of its own.
#[derive(Debug)]
pub(crate) struct PostgresLooks {
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

impl PostgresLooks {
    pub(crate) fn new(url: &str, options: &OpenOptions) -> Result<Self, WireError> {
        let config = Config::from_url(url)?;
        let config = config.with_usual_connect_timeout(options.timeouts.connect);
        let namespaces = options.namespaces.clone();
        Ok(Self { config, namespaces, session: None, has_failed: false })
    }

    pub(crate) async fn look(&mut self) -> Result<Fingerprint, SourceError> {
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
    pub(crate) async fn wait(&mut self) {
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

    pub(crate) fn let_go(&mut self) {
        self.session = None;
    }
}

impl Session {
    async fn begin(config: &Config) -> Result<Self, SourceError> {
        let (tell, told) = mpsc::unbounded_channel();
        let client = connect_told(config, Some(tell)).await?;
        client.batch_execute(include_str!("listen.sql")).await.map_err(|error| failed(&error))?;
        // Who may not is told nothing, and looks more often.
        if let Err(error) = client.batch_execute(include_str!("watch.sql")).await {
            tracing::debug!(%error, "no event triggers were made; the catalogs are looked at");
        }
        let told_by = client
            .query_one(include_str!("watched.sql"), &[])
            .await
            .map_err(|error| failed(&error))?;
        let is_told = told_by.try_get(0).map_err(|error| failed(&error))?;
        Ok(Self { client, told, is_told, took: Duration::ZERO })
    }

    async fn look(mut self, namespaces: &[String]) -> Result<(Self, Fingerprint), SourceError> {
        let started = Instant::now();
        let statement = include_str!("fingerprint.sql");
        let row = self
            .client
            .query_one(statement, &[&namespaces])
            .await
            .map_err(|error| failed(&error))?;
        let fingerprint: String = row.try_get(0).map_err(|error| failed(&error))?;
        self.took = started.elapsed();
        Ok((self, Fingerprint::Postgres(fingerprint.into())))
    }
}

fn failed(error: &tokio_postgres::Error) -> SourceError {
    let message = match error.as_db_error() {
        Some(error) => error.message().to_owned(),
        None => error.to_string(),
    };
    SourceError::new(SourceErrorKind::Unavailable, message)
}
