//! Replicas: standbys of the primary that answer reads.
//!
//! * `server_state`: what a server tells of itself; `lag`: the distance of a standby from its primary
//! * `standing`: whether a replica may answer reads, and if not, why
//! * `monitor`: the thread that asks all servers in intervals
//! * `connections`: the choice of a replica for a read, and reads that are sent again elsewhere
//! * `position`: the position behind a change
//!
//! A replica answers a read if it stands well, and if it has replayed the position that the read
//! requires: the client's own changes, and always the position at which the schema was read, since its
//! statements and the types of their columns are those of that schema. All known positions are lower
//! bounds, so that a late check is never wrong.

mod connections;
mod lag;
mod monitor;
mod position;
mod server_state;
mod standing;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use source::{Freshness, LogPosition};
use tokio::sync::watch;
use tokio::time::timeout_at;

use self::lag::PrimaryLog;
use self::monitor::Watched;
use self::server_state::{Identity, ServerState};
use self::standing::Standing;
use super::circuit_breaker::CircuitBreaker;
use super::open_error::OpenError;
use super::pooler::{self, serve_through};
use super::read_options::{ReadOptions, ReplicaOptions, WithoutReplica};
use super::wire::Config;
pub(super) use connections::{Outcome, ReplicaConnections, Server, Tried};
pub use lag::Lag;
pub(super) use position::change_position;
pub(super) use server_state::ServerState as State;

/// The replicas of a database, for all threads.
#[derive(Debug)]
pub(super) struct Replicas {
    shared: Arc<Shared>,
    without_replica: WithoutReplica,
    wait: Duration,
    monitor: Once,
    /// Dropping it ends the monitor.
    stop: watch::Sender<()>,
}

/// What the monitor writes and requests read.
#[derive(Debug)]
struct Shared {
    primary: Watched,
    replicas: Vec<Replica>,
    log: Mutex<PrimaryKnown>,
    /// The position at which the schema was read.
    since: LogPosition,
    /// Raised by each check.
    progress: watch::Sender<u64>,
    /// Number of requests that wait for a replica.
    waiting: watch::Sender<usize>,
    /// Number of reads that the primary has answered since no replica could.
    on_primary: AtomicU64,
}

/// The primary, as far as it is known.
#[derive(Debug)]
struct PrimaryKnown {
    log: PrimaryLog,
    identity: Identity,
}

/// A replica.
#[derive(Debug)]
struct Replica {
    watched: Watched,
    options: ReplicaOptions,
    breaker: Arc<CircuitBreaker>,
    /// Read at each request, and so outside of the lock.
    is_ready: AtomicBool,
    replayed: AtomicU64,
    known: Mutex<ReplicaKnown>,
    answered: AtomicU64,
    sent_again: AtomicU64,
}

#[derive(Debug)]
struct ReplicaKnown {
    standing: Standing,
    lag: Option<Lag>,
}

/// The state of a replica, for logs and metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaStatus {
    /// The host and the port.
    pub name: Box<str>,
    pub weight: u32,
    pub is_ready: bool,
    /// One word.
    pub state: &'static str,
    /// The reason why it gets no reads; `None` if it does.
    pub reason: Option<Box<str>>,
    pub lag: Option<Lag>,
    /// Number of reads that it has answered.
    pub answered: u64,
    /// Number of its reads that were sent again elsewhere.
    pub sent_again: u64,
}

/// The state of all reads, for logs and metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadStatus {
    pub replicas: Vec<ReplicaStatus>,
    pub without_replica: WithoutReplica,
    /// Number of reads that the primary has answered since no replica could.
    pub on_primary: u64,
}

impl Replicas {
    /// Checks all replicas once. `primary` is the state of the primary after the schema was read.
    pub(super) async fn open(
        primary: Config,
        state: ServerState,
        options: &ReadOptions,
        connect_timeout: Duration,
    ) -> Result<Self, OpenError> {
        let mut replicas = Vec::with_capacity(options.replicas.len());
        for replica in &options.replicas {
            replicas.push(Replica::open(replica, connect_timeout).await?);
        }
        let ServerState { offset, timeline, .. } = state;
        let since = LogPosition { system: state.identity.system, timeline, offset };
        let mut log = PrimaryLog::default();
        log.add(Instant::now(), &state);
        let shared = Arc::new(Shared {
            primary: Watched::new(primary),
            replicas,
            log: Mutex::new(PrimaryKnown { log, identity: state.identity }),
            since,
            progress: watch::Sender::new(0),
            waiting: watch::Sender::new(0),
            on_primary: AtomicU64::new(0),
        });
        shared.check_first().await?;
        Ok(Self {
            shared,
            without_replica: options.without_replica,
            wait: options.wait,
            monitor: Once::new(),
            stop: watch::Sender::new(()),
        })
    }

    /// Begins to watch the servers, unless that has begun.
    pub(super) fn watch(&self) {
        self.monitor.call_once(|| monitor::spawn(&self.shared, self.stop.subscribe()));
    }

    pub(super) fn status(&self) -> ReadStatus {
        ReadStatus {
            replicas: self.shared.replicas.iter().map(Replica::status).collect(),
            without_replica: self.without_replica,
            on_primary: self.shared.on_primary.load(Ordering::Relaxed),
        }
    }
}

impl Shared {
    /// The byte that a replica must have replayed for a read; `None` if only the primary can answer it.
    fn required(&self, freshness: Freshness) -> Option<u64> {
        let position = match freshness {
            Freshness::Newest => return None,
            Freshness::Any => self.since,
            Freshness::After(position) => position,
        };
        // It is unknown what a client of another cluster wants to see.
        if position.system != self.since.system {
            return None;
        }
        let known = self.known();
        let schema = known.log.offset_of(self.since)?;
        Some(known.log.offset_of(position)?.max(schema))
    }

    /// Waits until a replica that stands well has replayed a byte, or until the deadline.
    async fn wait_for(&self, required: u64, deadline: tokio::time::Instant) {
        let _waiting = Waiting::begin(&self.waiting);
        let mut progress = self.progress.subscribe();
        loop {
            let mut ready = self.replicas.iter().filter(|replica| replica.is_ready()).peekable();
            if ready.peek().is_none() || ready.any(|replica| replica.replayed() >= required) {
                return;
            }
            let changed = timeout_at(deadline, progress.changed()).await;
            if !matches!(changed, Ok(Ok(()))) {
                return;
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, PrimaryKnown> {
        // It is whole at any time, even if a thread died while it held it.
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Replica {
    async fn open(options: &ReplicaOptions, connect_timeout: Duration) -> Result<Self, OpenError> {
        let config = Config::from_url(&options.url).map_err(OpenError::ReplicaAddress)?;
        let config = config.with_default_connect_timeout(connect_timeout);
        let watched = Watched::new(config);
        if watched.config.endpoints().len() > 1 {
            let reason = "it names several servers: give each server a `--read-url` of its own";
            return Err(OpenError::Replica { name: (*watched.name).into(), reason: reason.into() });
        }
        // One that is out of reach is found out about when connections to it are made.
        let watched = match pooler::find(&watched.config).await {
            Ok(pooler) => Watched { config: serve_through(watched.config, pooler), ..watched },
            Err(_) => watched,
        };
        Ok(Self {
            watched,
            options: options.clone(),
            breaker: Arc::default(),
            is_ready: AtomicBool::new(false),
            replayed: AtomicU64::new(0),
            known: Mutex::new(ReplicaKnown { standing: Standing::Unchecked, lag: None }),
            answered: AtomicU64::new(0),
            sent_again: AtomicU64::new(0),
        })
    }

    fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// The byte up to which it has replayed at least.
    fn replayed(&self) -> u64 {
        self.replayed.load(Ordering::Acquire)
    }

    fn status(&self) -> ReplicaStatus {
        let known = self.known();
        ReplicaStatus {
            name: (*self.watched.name).into(),
            weight: self.options.weight,
            is_ready: known.standing == Standing::Ready,
            state: known.standing.name(),
            reason: known.standing.reason().map(Into::into),
            lag: known.lag,
            answered: self.answered.load(Ordering::Relaxed),
            sent_again: self.sent_again.load(Ordering::Relaxed),
        }
    }

    /// Records a standing, and logs it if it is another one.
    fn stand(&self, standing: Standing, lag: Option<Lag>) {
        let mut known = self.known();
        self.is_ready.store(standing == Standing::Ready, Ordering::Release);
        let before = std::mem::replace(&mut *known, ReplicaKnown { standing, lag });
        if before.standing.name() != known.standing.name() {
            known.standing.log(&self.watched.name, lag);
        }
    }

    fn known(&self) -> MutexGuard<'_, ReplicaKnown> {
        // It is whole at any time, even if a thread died while it held it.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts as a waiting request until it is dropped.
struct Waiting<'w>(&'w watch::Sender<usize>);

impl<'w> Waiting<'w> {
    fn begin(count: &'w watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}
