//! Statements that nobody waits for any more: PostgreSQL would finish them for nobody.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep};

use super::reach::Reach;
use super::wire::{CancelToken, WireError};

/// The first try may overtake the statement that it is for, which then would go on for nobody. The
/// session has no client any more, so that another try can hit nothing else.
const CANCELLED_AGAIN_AFTER: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(9)];

/// The place of a connection that was given up while its session still works.
#[derive(Debug)]
pub struct Abandoned {
    token: CancelToken,
    reach: Arc<Reach>,
    /// Nobody connects in its stead before this is dropped.
    _permit: Option<OwnedSemaphorePermit>,
}

impl Abandoned {
    pub(super) fn new(
        token: CancelToken,
        reach: Arc<Reach>,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Self {
        Self { token, reach, _permit: permit }
    }

    /// Cancels what runs. Whether it was reached is what the next requests want to know, too.
    pub async fn cancel(self) -> Result<(), WireError> {
        let started = Instant::now();
        let cancelled = self.token.cancel().await;
        if let Err(error) = &cancelled {
            self.reach.fail(started, &error.into());
        }
        cancelled
    }

    /// Cancels what runs, while others go on.
    pub(super) fn stop(self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let token = self.token.clone();
            if let Err(error) = self.cancel().await {
                tracing::debug!(%error, "the statement of an abandoned request goes on");
            }
            for pause in CANCELLED_AGAIN_AFTER {
                sleep(pause).await;
                if let Err(error) = token.cancel().await {
                    tracing::debug!(%error, "an abandoned request was not cancelled again");
                }
            }
        });
    }
}
