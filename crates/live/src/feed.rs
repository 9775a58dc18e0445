//! The loop that reads changes of the source and marks cohorts as dirty.

use std::sync::Arc;
use std::time::Duration;

use source::changes::{ChangeProbe, Marker};
use tokio::time::{Instant, sleep};

use crate::hub::Hub;

/// Shortest time between two reads: several changes in this time are one.
const WINDOW: Duration = Duration::from_millis(20);

/// Options of the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedOptions {
    /// Interval between two reads, and between two executions of cohorts whose responses may change
    /// without a change of rows.
    pub interval: Duration,
}

/// Records the end of a feed whose task is dropped.
struct Following<'h> {
    hub: &'h Hub,
    /// True if the hub has recorded the end; another feed may have begun since.
    is_recorded: bool,
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        if !self.is_recorded {
            self.hub.lose_feed();
        }
    }
}

impl Default for FeedOptions {
    fn default() -> Self {
        Self { interval: Duration::from_secs(1) }
    }
}

/// Marks cohorts as dirty when rows have changed, until there are no cohorts.
///
/// The first read marks all of them: their first execution may have preceded it. A source without a
/// probe, and one whose state cannot be read, is polled: all cohorts are executed in each interval.
pub async fn follow<P: ChangeProbe>(hub: &Arc<Hub>, probe: Option<P>, options: FeedOptions) {
    let mut following = Following { hub, is_recorded: false };
    let mut probe = probe;
    let mut last: Option<Marker> = None;
    let mut is_lost = false;
    let mut timed = Instant::now();
    while hub.keeps_feed() {
        let read = match &mut probe {
            Some(probe) => probe.marker().await.map(Some),
            None => Ok(None),
        };
        match read {
            Ok(marker) => {
                if std::mem::take(&mut is_lost) {
                    tracing::info!("changes of rows are followed again");
                }
                if marker.is_none() || marker != last {
                    hub.mark_all();
                    timed = Instant::now();
                }
                last = marker;
            }
            Err(error) => {
                if !std::mem::replace(&mut is_lost, true) {
                    tracing::warn!(%error, "changes of rows cannot be followed now: live queries are executed in intervals");
                }
                last = None;
                hub.mark_all();
                timed = Instant::now();
            }
        }
        if timed.elapsed() >= options.interval {
            hub.mark_timed();
            timed = Instant::now();
        }
        let interval = match &probe {
            Some(probe) if !is_lost => probe.interval(options.interval),
            Some(_) | None => options.interval,
        };
        tokio::select! {
            () = sleep(interval) => {}
            () = hub.woken.notified() => sleep(WINDOW.min(interval)).await,
        }
    }
    following.is_recorded = true;
}
