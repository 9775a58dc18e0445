//! Abandoned connections, whose requests are gone: PostgreSQL would finish their statements, and a
//! pooler could give their answers to another client.
//!
//! The statement is cancelled, and the connection drained. It keeps its place in the pool
//! meanwhile, since the server's process goes on as well: a statement that cannot be cancelled
//! costs a connection until it ends, and the limit of processes is never exceeded.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep, timeout};
use tokio::{select, spawn};

use super::super::circuit_breaker::CircuitBreaker;
use super::super::wire::{CancelToken, Drain, WireError};
use super::{Departure, Lent};

/// The first cancel request may overtake its statement, which then would go on.
const CANCELLED_AGAIN_AFTER: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(9)];

/// Between all further tries.
const CANCELLED_EVERY: Duration = Duration::from_secs(60);

/// Timeout for the server to end a session without outstanding answers.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// An abandoned connection, with its place in the pool.
#[derive(Debug)]
pub(super) struct Abandoned {
    lent: Lent,
    breaker: Arc<CircuitBreaker>,
    /// Blocks a new connection until this is dropped. Fields are dropped in their order: the
    /// connection is closed by then.
    _permit: Option<OwnedSemaphorePermit>,
    /// Notifies the pool.
    _departure: Option<Departure>,
}

impl Abandoned {
    pub(super) fn new(
        lent: Lent,
        breaker: Arc<CircuitBreaker>,
        permit: Option<OwnedSemaphorePermit>,
        departure: Option<Departure>,
    ) -> Self {
        Self { lent, breaker, _permit: permit, _departure: departure }
    }

    /// Cancels the running statements and drains the connection in the background.
    pub(super) fn stop(mut self, runtime: &Handle) {
        runtime.spawn(async move {
            if let Err(error) = self.drain().await {
                tracing::debug!(%error, "an abandoned connection is lost");
            }
        });
    }

    async fn drain(&mut self) -> Result<(), WireError> {
        let connection = &mut *self.lent.connection;
        let token = connection.cancel_token();
        let mut drain = Drain::default();
        let mut pauses = CANCELLED_AGAIN_AFTER.into_iter();
        loop {
            let mut cancelled = spawn(cancel(token.clone(), Arc::clone(&self.breaker)));
            let pause = pauses.next();
            let again = async {
                if let Ok(cancelled) = (&mut cancelled).await {
                    cancelled?;
                }
                sleep(pause.unwrap_or(CANCELLED_EVERY)).await;
                Ok::<_, WireError>(())
            };
            let drained = select! {
                biased;
                drained = connection.drain(&mut drain) => {
                    drained?;
                    true
                }
                // The server is out of reach, and its sessions with it.
                told = again => {
                    told?;
                    false
                }
            };
            if drained {
                // A pooler may give the server session to another client, whose statement a late
                // cancel request would hit.
                if !cancelled.is_finished() {
                    drop(cancelled.await);
                }
                break;
            }
            if pauses.len() == 0 && pause.is_some() {
                tracing::warn!(
                    "a statement that was cancelled goes on: its connection counts among those of \
                     --connections until it ends"
                );
            }
            connection.mark(&mut drain)?;
        }
        timeout(END_PATIENCE, connection.end()).await.unwrap_or(Ok(()))
    }
}

async fn cancel(token: CancelToken, breaker: Arc<CircuitBreaker>) -> Result<(), WireError> {
    let started = Instant::now();
    let cancelled = token.cancel().await;
    if let Err(error) = &cancelled {
        // The next requests want to know, too.
        breaker.fail(started, &error.into());
    }
    cancelled
}
