//! The loop that reads changes of the source and marks cohorts as dirty.

use std::future::pending;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use catalog::Catalog;
use source::changes::{
    ChangeProbe, ChangeStream, Changes, Marker, NoStream, Relay, StreamKind, StreamOrigin,
    TableChange,
};
use source::{SourceError, SourceErrorKind};
use tokio::time::{Instant, sleep_until, timeout};

use crate::hub::{FeedClaim, Hub, RunningFeed};
use crate::index::Exact;
use crate::tables::{Covered, EntityChange, Tables};
use crate::written::Written;

/// Shortest time between two reads of a probe: several changes in this time are one.
const WINDOW: Duration = Duration::from_millis(20);

/// Pause before a stream begins again that could not begin, or has ended soon; it doubles up to the
/// longest. The state is read meanwhile, which executes all cohorts as often where much is changed.
const AGAIN: Duration = Duration::from_millis(500);
/// A stream that has run for so long begins again without a pause.
const LONG: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Time limit of a read of the source's state: the changes of the stream wait meanwhile.
const READ_LIMIT: Duration = Duration::from_secs(5);

/// Options of live queries.
#[derive(Clone, Debug)]
pub struct FeedOptions {
    /// Interval between two reads of the state of the source, and between two executions of cohorts
    /// whose responses may change without a change of rows.
    pub interval: Duration,
    pub kind: FeedKind,
    /// The means by which servers share a stream.
    pub relay: Relay,
    /// True if the directive `@live` makes a query a live query.
    pub has_directive: bool,
}

/// Kinds of feeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeedKind {
    /// A stream of changes, where the source has one.
    #[default]
    Stream,
    /// A stream of the notifications of triggers.
    Triggers,
    /// The state of the source, read in intervals.
    Probe,
}

/// A stream that is beginning: the database waits for the end of running transactions.
type Beginning<C> = Pin<Box<dyn Future<Output = Result<<C as Changes>::Stream, NoStream>>>>;

/// A running feed.
struct Feed<'h, C: Changes> {
    hub: &'h Hub,
    changes: Rc<C>,
    options: FeedOptions,
    tables: Tables,
    /// The entities that the stream covers.
    covered: Covered,
    probe: Option<C::Probe>,
    last: Option<Marker>,
    /// True since the state of the source could not be read.
    is_lost: bool,
    stream: Option<C::Stream>,
    beginning: Option<Beginning<C>>,
    /// When to begin a stream; `None` if it has begun, or there never is one.
    begins: Option<Instant>,
    pauses: Pauses,
    begun: Instant,
    /// True if something was committed since the definitions of the stream were compared.
    is_outdated: bool,
    /// The last comparison.
    compared: Instant,
    /// The last execution of cohorts that are executed in intervals.
    timed: Instant,
}

/// Pauses before attempts to begin a stream.
#[derive(Debug)]
struct Pauses {
    /// The pause after the next failure to begin one, or to keep it for long.
    next: Duration,
}

impl Pauses {
    const FIRST: Self = Self { next: AGAIN };

    /// The pause after a failure to begin; the one after that is longer.
    fn after_failure(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(LONGEST_PAUSE);
        pause
    }

    /// The pause after the end of a stream that has run for a time.
    fn after_end(&mut self, ran: Duration) -> Duration {
        // After each beginning all cohorts are executed: not in a loop.
        match ran > LONG {
            true => {
                *self = Self::FIRST;
                WINDOW
            }
            false => self.after_failure(),
        }
    }
}

impl Default for FeedOptions {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(1),
            kind: FeedKind::default(),
            relay: Relay::default(),
            has_directive: false,
        }
    }
}

/// Marks cohorts as dirty when rows have changed, until there are no cohorts.
///
/// Beginning, and after each gap, it marks all of them: their execution may have preceded it. Tables
/// and views that the stream does not cover are followed by the probe. A source without a probe, and
/// one whose state cannot be read, is polled: all cohorts are executed in each interval.
pub async fn follow<C: Changes + 'static>(
    mut claim: FeedClaim,
    changes: C,
    catalog: &Catalog,
    options: FeedOptions,
) {
    let hub = Arc::clone(&claim.hub);
    let mut feed = Feed::new(&hub, changes, catalog, options);
    while claim.is_needed() {
        feed.step().await;
    }
}

impl<'h, C: Changes + 'static> Feed<'h, C> {
    fn new(hub: &'h Hub, changes: C, catalog: &Catalog, options: FeedOptions) -> Self {
        let now = Instant::now();
        let begins = match options.kind {
            FeedKind::Stream | FeedKind::Triggers => Some(now),
            FeedKind::Probe => None,
        };
        Self {
            hub,
            probe: changes.probe(),
            changes: Rc::new(changes),
            options,
            tables: Tables::new(catalog),
            covered: Covered::default(),
            last: None,
            is_lost: false,
            stream: None,
            beginning: None,
            begins,
            pauses: Pauses::FIRST,
            begun: now,
            is_outdated: false,
            compared: now,
            timed: now,
        }
    }

    /// Reads the state of the source, then waits for the next change, the end of the interval, or the
    /// time to begin a stream.
    async fn step(&mut self) {
        if self.begins.is_some_and(|begins| begins <= Instant::now()) {
            self.begins = None;
            let (changes, tables) = (Rc::clone(&self.changes), Rc::clone(&self.tables.names));
            let kind = match self.options.kind {
                FeedKind::Triggers => StreamKind::Triggers,
                FeedKind::Stream | FeedKind::Probe => StreamKind::Any,
            };
            self.beginning = Some(Box::pin(async move { changes.stream(&tables, kind).await }));
        }
        self.read_state().await;
        self.record_running();
        self.compare_definitions().await;
        let next = Instant::now() + self.interval();
        let next = self.begins.map_or(next, |begins| begins.min(next));
        // The end of the window after a commit of this process.
        let mut window: Option<Instant> = None;
        loop {
            let streamed = async {
                match &mut self.stream {
                    Some(stream) => stream.next().await,
                    None => pending().await,
                }
            };
            let begun = async {
                match &mut self.beginning {
                    Some(beginning) => beginning.await,
                    None => pending().await,
                }
            };
            tokio::select! {
                begun = begun => self.begin_stream(begun),
                changes = streamed => match changes {
                    Ok(changes) => self.mark(&changes),
                    Err(error) => return self.end_stream(&error),
                },
                // The stream has the change of this process, unless it does not cover the table.
                () = self.hub.woken.notified(), if window.is_none() => {
                    window = Some(Instant::now() + WINDOW.min(self.options.interval));
                }
                () = sleep_until(window.unwrap_or(next)) => match window.take() {
                    None => return,
                    Some(_) => match self.hub.take_written() {
                        Written::Anything => return,
                        Written::Entities(entities) => self.hub.mark_written(&entities),
                    },
                },
            }
        }
    }

    fn record_running(&self) {
        let is_followed = self.stream.is_some() || !self.is_lost;
        self.hub.set_feed(Some(self.running()), is_followed);
    }

    fn running(&self) -> RunningFeed {
        match (&self.stream, &self.probe) {
            (Some(stream), _) => match stream.origin() {
                StreamOrigin::Own => RunningFeed::Stream,
                StreamOrigin::Relayed => RunningFeed::Relayed,
                StreamOrigin::Triggers => RunningFeed::Triggers,
            },
            (None, Some(_)) if !self.is_lost => RunningFeed::Probe,
            (None, _) => RunningFeed::Interval,
        }
    }

    fn interval(&self) -> Duration {
        match &self.probe {
            Some(probe) if !self.is_lost => probe.interval(self.options.interval),
            Some(_) | None => self.options.interval,
        }
    }

    /// Takes a stream that has begun, and marks all cohorts: changes before it are not in it.
    fn begin_stream(&mut self, begun: Result<C::Stream, NoStream>) {
        self.beginning = None;
        match begun {
            Ok(stream) => {
                let covered = self.tables.covered(stream.coverage());
                let (covered_relations, relations) =
                    (covered.entities.len(), self.tables.names.len());
                tracing::info!(covered_relations, relations, "changes of rows are streamed");
                self.hub.set_exact(Exact::Only(covered.entities.clone()));
                self.hub.mark_all();
                self.covered = covered;
                self.stream = Some(stream);
                self.record_running();
                self.begun = Instant::now();
                self.is_outdated = true;
            }
            Err(NoStream::NotOffered) => {}
            Err(NoStream::NotAllowed(reason)) => {
                let interval = self.interval();
                tracing::info!(
                    %reason,
                    ?interval,
                    "changes of rows are not streamed: the state of the database is read in intervals"
                );
            }
            Err(NoStream::Failed(error)) => {
                let again = self.pauses.after_failure();
                match again == AGAIN {
                    true => tracing::warn!(
                        %error,
                        "the stream of changes of rows cannot begin: the state of the database is \
                         read in intervals until it can"
                    ),
                    false => tracing::debug!(%error, ?again, "the stream cannot begin yet"),
                }
                self.begins = Some(Instant::now() + again);
            }
        }
    }

    fn end_stream(&mut self, error: &SourceError) {
        tracing::warn!(%error, "the stream of changes of rows has ended; it begins again");
        self.begin_again();
    }

    fn begin_again(&mut self) {
        self.stream = None;
        self.covered = Covered::default();
        let pause = self.pauses.after_end(self.begun.elapsed());
        self.begins = Some(Instant::now() + pause);
        self.hub.set_exact(Exact::None);
        self.hub.mark_all();
    }

    fn mark(&self, changes: &[TableChange]) {
        let rows = changes.iter().flat_map(|change| self.covered.rows(change, &self.tables));
        let rows: Vec<EntityChange<'_>> = rows.collect();
        let dependent = changes.iter().flat_map(|change| self.covered.dependent(change));
        self.hub.mark_changes(rows.iter().map(EntityChange::changed), dependent);
    }

    /// Begins the stream again after a change of the definitions on which its coverage depends. They
    /// are compared once in each interval at most, and only after a commit.
    async fn compare_definitions(&mut self) {
        let Some(stream) = &mut self.stream else { return };
        if !self.is_outdated || self.compared.elapsed() < self.options.interval {
            return;
        }
        (self.is_outdated, self.compared) = (false, Instant::now());
        match timeout(READ_LIMIT, stream.is_current()).await {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => {
                tracing::info!(
                    "definitions or permissions of the database have changed: the stream of changes \
                     of rows begins again"
                );
                self.begin_again();
            }
            Ok(Err(error)) => self.end_stream(&error),
            Err(_) => self.end_stream(&too_slow()),
        }
    }

    async fn read_state(&mut self) {
        let read = match &mut self.probe {
            Some(probe) => match timeout(READ_LIMIT, probe.marker()).await {
                Ok(marker) => marker.map(Some),
                Err(_) => Err(too_slow()),
            },
            None => Ok(None),
        };
        match read {
            Ok(marker) => {
                if std::mem::take(&mut self.is_lost) {
                    tracing::info!("changes of rows are followed again");
                }
                if marker.is_none() {
                    self.is_outdated = true;
                    self.hub.mark_polled();
                } else if marker != self.last {
                    self.is_outdated = true;
                    self.hub.mark_inexact();
                }
                self.last = marker;
            }
            Err(error) => {
                if !std::mem::replace(&mut self.is_lost, true) {
                    tracing::warn!(
                        %error,
                        "changes of rows cannot be followed now: live queries are executed in intervals"
                    );
                }
                self.last = None;
                self.is_outdated = true;
                self.hub.mark_inexact();
            }
        }
        if self.timed.elapsed() >= self.options.interval {
            self.hub.mark_timed();
            self.timed = Instant::now();
        }
    }
}

fn too_slow() -> SourceError {
    SourceError::new(SourceErrorKind::Timeout, "the state of the database was not read in time")
}

/// Records that no entity is followed, also if the task is dropped.
impl<C: Changes> Drop for Feed<'_, C> {
    fn drop(&mut self) {
        self.hub.set_exact(Exact::None);
        self.hub.set_feed(None, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_has_run_for_long_begins_again_at_once() {
        let mut pauses = Pauses::FIRST;
        let failures: Vec<u128> = (0..12).map(|_| pauses.after_failure().as_millis()).collect();
        assert_eq!(&failures[..5], [500, 1000, 2000, 4000, 8000]);
        assert_eq!(failures[11], 300_000);
        // However long the pauses before it were.
        assert_eq!(pauses.after_end(Duration::from_secs(6)), WINDOW);
        assert_eq!(pauses.after_failure(), AGAIN);
        assert_eq!(pauses.after_end(Duration::from_secs(4)), AGAIN * 2);
        assert_eq!(pauses.after_end(LONG), AGAIN * 4);
    }
}
