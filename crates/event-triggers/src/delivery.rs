//! The delivery of events, on a thread of its own: its requests may take long, and no client waits for
//! them.

mod event;
mod running;

use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use clients::connect::ConnectError;
use clients::egress::{Client, Egress, EgressSettings, Network};
use clients::hosts::AllowedHost;
use sources::event_log::{ClaimedTrigger, Queue};
use sources::{EventLog, EventLogError};
use tokio::sync::watch;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{sleep, timeout};

use self::event::{Event, deliver};
use self::running::Running;
use crate::definition::{Definitions, Retries};
use crate::schedule::now;
use crate::statistics::Statistics;
use crate::upkeep::{self, Cleanups};

/// Settings of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Maximum number of requests that run at the same time.
    pub concurrency: u32,
    /// Time between two looks for events of which nothing has told the server.
    pub interval: Duration,
    /// Time for the end of running requests when the server stops.
    pub drain: Duration,
}

/// A running delivery.
#[derive(Debug)]
pub struct Delivery {
    definitions: watch::Sender<Arc<Definitions>>,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

/// The reason why a delivery did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the certificates of webhooks cannot be checked: {0}")]
    Certificates(ConnectError),
    #[error(transparent)]
    Log(#[from] EventLogError),
    #[error("the thread that delivers events cannot start: {0}")]
    Thread(io::Error),
}

/// What the requests of a delivery share.
struct Shared {
    /// The name of the source.
    source: Box<str>,
    log: EventLog,
    client: Client,
    statistics: Arc<Statistics>,
    running: Running,
}

/// The state of the thread.
struct Deliverer {
    shared: Rc<Shared>,
    settings: Settings,
    definitions: watch::Receiver<Arc<Definitions>>,
    stop: watch::Receiver<bool>,
    tasks: JoinSet<()>,
}

/// Time between two attempts to reach the log.
const PAUSE: Duration = Duration::from_secs(1);

/// Time between two looks at schedules and figures.
const UPKEEP: Duration = Duration::from_secs(10);

/// The largest response of a webhook, which the log keeps.
const MOST_BYTES: usize = 4 << 20;

/// Longer than each timeout of metadata.
const NO_TIMEOUT: Duration = Duration::from_secs(7 * 24 * 3600);

impl Delivery {
    /// Starts to deliver the events of a source.
    pub fn start(
        source: &str,
        log: EventLog,
        definitions: Definitions,
        settings: Settings,
        statistics: Arc<Statistics>,
    ) -> Result<Self, StartError> {
        let egress = egress(&definitions, settings).map_err(StartError::Certificates)?;
        let (definitions, watched) = watch::channel(Arc::new(definitions));
        let (stop, stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(StartError::Thread)?;
        let source = Box::from(source);
        let work = move || {
            // The client has tasks on this thread.
            let local = LocalSet::new();
            local.block_on(&runtime, async move {
                let client = Client::new(&egress);
                let running = Running::default();
                let shared = Rc::new(Shared { source, log, client, statistics, running });
                let tasks = JoinSet::new();
                let deliverer =
                    Deliverer { shared, settings, definitions: watched, stop: stopped, tasks };
                deliverer.run().await;
            });
        };
        let thread = thread::Builder::new().name("events".into()).spawn(work);
        Ok(Self { definitions, stop, thread: thread.map_err(StartError::Thread)? })
    }

    /// Delivers by other definitions from now on.
    pub fn replace(&self, definitions: Definitions) {
        self.definitions.send_replace(Arc::new(definitions));
    }

    /// Stops: requests that run may end, and claims of the others are released.
    pub fn stop(self) {
        self.stop.send_replace(true);
        if self.thread.join().is_err() {
            tracing::error!("the thread that delivers events has panicked");
        }
    }
}

impl Deliverer {
    async fn run(mut self) {
        let mut known = None;
        while !*self.stop.borrow() {
            let Err(error) = self.work().await else { continue };
            let error = error.to_string();
            if known.as_ref() != Some(&error) {
                let source = &*self.shared.source;
                tracing::error!(source, error, "the log of events cannot be used; trying again");
                known = Some(error);
            }
            self.pause(PAUSE).await;
        }
        let shared = Rc::clone(&self.shared);
        self.drain().await;
        shared.statistics.end_backlog(&shared.source);
    }

    /// Delivers until the stop, or an error of the log.
    async fn work(&mut self) -> Result<(), EventLogError> {
        let mut is_told = false;
        while !self.shared.log.is_complete().await? {
            if !is_told {
                tracing::warn!("the log of events is missing: `thalweg events install` creates it");
                is_told = true;
            }
            self.pause(self.settings.interval).await;
            if *self.stop.borrow() {
                return Ok(());
            }
        }
        let released = self.shared.log.begin().await?;
        tracing::debug!(released, "delivering events");
        let mut upkeep = Instant::now();
        let mut definitions = Arc::clone(&self.definitions.borrow_and_update());
        let mut cleanups = Cleanups::new(&definitions, now());
        while !*self.stop.borrow() {
            // The sender lives as long as the thread.
            if self.definitions.has_changed().unwrap_or_default() {
                definitions = Arc::clone(&self.definitions.borrow_and_update());
                cleanups = Cleanups::new(&definitions, now());
                upkeep = Instant::now();
            }
            if upkeep <= Instant::now() {
                upkeep::schedule(&self.shared.log, &definitions).await?;
                let backlog = self.shared.log.backlog().await?;
                self.shared.statistics.set_backlog(&self.shared.source, backlog);
                upkeep = Instant::now() + UPKEEP;
            }
            for cleanup in cleanups.take_due(&definitions, now()) {
                let shared = Rc::clone(&self.shared);
                self.tasks.spawn_local(async move {
                    let trigger = &*cleanup.trigger;
                    match shared.log.clean(&cleanup).await {
                        Ok(Some(cleaned)) => {
                            let events = cleaned.events;
                            tracing::info!(trigger, events, "removed old events");
                        }
                        Ok(None) => {}
                        Err(error) => tracing::error!(trigger, %error, "old events stay"),
                    }
                });
            }
            while self.tasks.try_join_next().is_some() {}
            let claimed = self.claim(&definitions).await?;
            if claimed > 0 {
                continue;
            }
            self.wait().await?;
        }
        Ok(())
    }

    /// Claims events that are due, and begins their requests. Returns their number.
    async fn claim(&mut self, definitions: &Arc<Definitions>) -> Result<u32, EventLogError> {
        let mut claimed = 0;
        for queue in [Queue::Rows, Queue::Cron, Queue::OneOff] {
            let most = self.free();
            if most == 0 {
                break;
            }
            // So that events of one trigger do not take all requests at once.
            let most = most.min((self.settings.concurrency / 8).max(1));
            let log = &self.shared.log;
            let events: Vec<Event> = match queue {
                Queue::Rows => {
                    let triggers = self.unsaturated(definitions.claimed_rows());
                    match triggers.is_empty() {
                        true => Vec::new(),
                        false => {
                            let events = log.claim_rows(most, &triggers).await?;
                            events.into_iter().map(Event::Row).collect()
                        }
                    }
                }
                Queue::Cron => {
                    let triggers = self.unsaturated(definitions.claimed_cron());
                    match triggers.is_empty() {
                        true => Vec::new(),
                        false => {
                            let events = log.claim_cron(most, &triggers).await?;
                            events.into_iter().map(Event::Cron).collect()
                        }
                    }
                }
                Queue::OneOff => {
                    let events = log.claim_one_off(most, Retries::SCHEDULED.lease()).await?;
                    events.into_iter().map(Event::OneOff).collect()
                }
            };
            for event in events {
                claimed += 1;
                self.shared.running.begin(&event);
                self.shared.statistics.begin();
                let (shared, definitions) = (Rc::clone(&self.shared), Arc::clone(definitions));
                self.tasks.spawn_local(async move {
                    deliver(&shared, &definitions, &event).await;
                    shared.running.end(&event);
                });
            }
        }
        Ok(claimed)
    }

    /// The number of further requests that may run.
    fn free(&self) -> u32 {
        let running = u32::try_from(self.shared.running.len()).unwrap_or(u32::MAX);
        self.settings.concurrency.saturating_sub(running)
    }

    /// The triggers that have less than half of the requests: webhooks that do not answer leave the rest
    /// to others.
    fn unsaturated(&self, triggers: impl Iterator<Item = ClaimedTrigger>) -> Vec<ClaimedTrigger> {
        let most = (self.settings.concurrency / 2).max(1) as usize;
        triggers.filter(|trigger| self.shared.running.of_trigger(&trigger.name) < most).collect()
    }

    /// Waits for events, or for the end of a request if no more may run.
    async fn wait(&mut self) -> Result<(), EventLogError> {
        if self.free() == 0 {
            tokio::select! {
                _ = self.tasks.join_next() => {}
                _ = self.stop.changed() => {}
            }
            return Ok(());
        }
        tokio::select! {
            waited = self.shared.log.wait(self.settings.interval) => waited,
            _ = self.stop.changed() => Ok(()),
        }
    }

    async fn pause(&mut self, time: Duration) {
        tokio::select! {
            () = sleep(time) => {}
            _ = self.stop.changed() => {}
        }
    }

    /// Waits for running requests, and releases the claims of those that take too long.
    async fn drain(mut self) {
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(self.settings.drain, ended).await.is_ok() {
            return;
        }
        self.tasks.abort_all();
        while self.tasks.join_next().await.is_some() {}
        for (queue, ids) in self.shared.running.ids() {
            let events = ids.len();
            tracing::warn!(events, "requests of events did not end; they are repeated");
            let released = timeout(PAUSE, self.shared.log.release(queue, &ids)).await;
            if !matches!(released, Ok(Ok(()))) {
                tracing::warn!("claims of events end with their leases");
            }
        }
    }
}

/// Metadata is written by whoever runs the server: its webhooks may be anywhere.
fn egress(definitions: &Definitions, settings: Settings) -> Result<Arc<Egress>, ConnectError> {
    let networks = ["0.0.0.0/0", "::/0"].into_iter();
    let networks: Vec<Network> = networks.filter_map(|network| network.parse().ok()).collect();
    let settings = EgressSettings {
        hosts: vec![AllowedHost::Any],
        networks,
        timeout: NO_TIMEOUT,
        most_bytes: MOST_BYTES,
        connections: settings.concurrency as usize,
        most_requests: settings.concurrency as usize,
        authorities: None,
    };
    match Egress::new(settings.clone(), true) {
        Err(error) if !definitions.is_encrypted() => {
            tracing::debug!(%error, "webhooks cannot have https:// addresses");
            Egress::new(settings, false)
        }
        egress => egress,
    }
}
