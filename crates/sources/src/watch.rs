//! Following the schema of a source: whoever made an API of it learns when it is no longer true.

use std::time::Duration;

use source::SourceError;
use source_postgres::{PostgresFingerprint, PostgresLooks};
use source_sqlite::{SqliteFingerprint, SqliteLooks};
use tokio::time::{Instant, sleep};

use crate::address::Address;
use crate::open::OpenOptions;

/// A migration changes many things one after the other: the last one counts.
const QUIET: Duration = Duration::from_millis(500);

/// What changes all the time is read again all the same.
const PATIENCE: Duration = Duration::from_secs(5);

/// The schema of a source, and what it was like when somebody looked.
#[derive(Debug)]
pub struct SchemaWatch {
    looks: Looks,
    /// `None`: nobody could look.
    seen: Option<Fingerprint>,
}

/// The state of a schema: equal where nothing was changed in between.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fingerprint {
    Sqlite(SqliteFingerprint),
    Postgres(PostgresFingerprint),
}

#[derive(Debug)]
enum Looks {
    Sqlite(Box<SqliteLooks>),
    Postgres(Box<PostgresLooks>),
}

impl SchemaWatch {
    /// Looks at a schema once, and lets go whatever connection that took. To be called before the
    /// schema is read, so that what is changed meanwhile counts. `None` where the address names no
    /// source that could be watched; whoever opens it says why.
    pub async fn begin(address: &Address, options: &OpenOptions) -> Option<Self> {
        let mut looks = match address {
            Address::Sqlite(path) => Looks::Sqlite(Box::new(SqliteLooks::new(path))),
            Address::Postgres(url) => {
                Looks::Postgres(Box::new(PostgresLooks::new(url, &options.postgres()).ok()?))
            }
            // The API is made of type definitions, not of what the graph holds.
            Address::Neo4j(_) => return None,
        };
        let seen = looks.look().await.ok();
        looks.let_go();
        Some(Self { looks, seen })
    }

    /// Waits until the schema is another than the one that was seen, and changes no more for a
    /// moment. While the source cannot be reached, this waits for it. A future that is dropped loses
    /// no change.
    pub async fn changed(&mut self) {
        let mut is_lost = false;
        loop {
            self.looks.wait().await;
            match self.looks.look().await {
                Ok(found) => {
                    if is_lost {
                        tracing::info!("the schema is watched again");
                    }
                    is_lost = false;
                    if self.seen.as_ref() != Some(&found) {
                        self.seen = Some(self.settled(found).await);
                        return;
                    }
                }
                Err(error) => {
                    if !is_lost {
                        tracing::warn!(%error, "the schema cannot be watched now");
                    }
                    is_lost = true;
                }
            }
        }
    }

    /// What the schema is like once it has been the same for a moment.
    async fn settled(&mut self, mut found: Fingerprint) -> Fingerprint {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            sleep(QUIET).await;
            match self.looks.look().await {
                Ok(now) if now != found => found = now,
                Ok(_) | Err(_) => break,
            }
        }
        found
    }
}

impl Looks {
    async fn look(&mut self) -> Result<Fingerprint, SourceError> {
        match self {
            Self::Sqlite(looks) => looks.look().await.map(Fingerprint::Sqlite),
            Self::Postgres(looks) => looks.look().await.map(Fingerprint::Postgres),
        }
    }

    async fn wait(&mut self) {
        match self {
            Self::Sqlite(looks) => looks.wait().await,
            Self::Postgres(looks) => looks.wait().await,
        }
    }

    fn let_go(&mut self) {
        match self {
            Self::Sqlite(looks) => looks.let_go(),
            Self::Postgres(looks) => looks.let_go(),
        }
    }
}
