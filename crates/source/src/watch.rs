//! Detection of schema changes: a driver's probe, and the loop that debounces what it finds.

use std::fmt::Debug;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::error::SourceError;

/// Debounce interval: a migration changes many things one after the other, and only its end counts.
const QUIET: Duration = Duration::from_millis(500);

/// Upper limit of the debounce: a schema that never stops changing is reported all the same.
const PATIENCE: Duration = Duration::from_secs(5);

/// The interface of a driver to the state of its schema.
pub trait SchemaProbe {
    /// The state of a schema: equal where nothing was changed in between.
    type Fingerprint: Debug + PartialEq;

    /// Reads the state of the schema.
    fn fingerprint(&mut self) -> impl Future<Output = Result<Self::Fingerprint, SourceError>>;

    /// Waits until the next read is due.
    fn wait(&mut self) -> impl Future<Output = ()>;

    /// Closes the connection; the next read opens one.
    fn close(&mut self);
}

/// A watched schema, with the state that was read last.
#[derive(Debug)]
pub struct SchemaWatch<P: SchemaProbe> {
    probe: P,
    /// `None`: the state could not be read.
    seen: Option<P::Fingerprint>,
}

impl<P: SchemaProbe> SchemaWatch<P> {
    /// Reads the state of the schema once and closes the connection. To be called before the schema is
    /// read, so that changes made meanwhile count.
    pub async fn begin(mut probe: P) -> Self {
        let seen = probe.fingerprint().await.ok();
        probe.close();
        Self { probe, seen }
    }

    /// Waits until the schema has changed and then remains the same for the debounce interval. Waits
    /// while the source cannot be reached. Cancel safe: a dropped future loses no change.
    pub async fn changed(&mut self) {
        let mut is_lost = false;
        loop {
            self.probe.wait().await;
            match self.probe.fingerprint().await {
                Ok(found) => {
                    if is_lost {
                        tracing::info!("the schema is watched again");
                    }
                    is_lost = false;
                    if self.seen.as_ref() != Some(&found) {
                        self.seen = Some(self.debounce(found).await);
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

    /// Returns the state of the schema once two reads in a row agree.
    async fn debounce(&mut self, mut found: P::Fingerprint) -> P::Fingerprint {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            sleep(QUIET).await;
            match self.probe.fingerprint().await {
                Ok(now) if now != found => found = now,
                Ok(_) | Err(_) => break,
            }
        }
        found
    }
}
