//! Connections of one thread, kept between requests.
//!
//! A pool belongs to one current-thread runtime. Connections return by being dropped: one whose
//! last round was not read to its end is abandoned ([`super::abandoned`]), and keeps its place
//! until it is closed; the others are handed out again, the one used last first, so that surplus
//! ones grow old and are closed.
//!
//! Connections are opened in the background: opening one takes PostgreSQL some milliseconds of a
//! processor, and a tenth of a second under load, while borrowed ones return. So a request takes
//! the first that is free, a new one or a returned one, and a connection that was opened for it
//! serves the next or becomes idle. The pool's limit includes connections that are being opened:
//! one is begun only while more requests have a place and no connection than are being opened.
//!
//! A connection remembers the names of all settings that were set on it ([`Connection::names`]),
//! and serves only sessions that set them all again: to others they would read as empty, and not as
//! missing. A request gets the connection with the most of its settings, so that those without any
//! are kept for sessions without settings. Where none fits and the pool is full, the connection
//! that has been idle longest is closed.

mod abandoned;
mod arriving;
mod loan;
mod waiting;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio::{select, spawn};

pub(super) use self::arriving::Departure;
use self::arriving::{Arrival, Arrivals};
pub use self::loan::Pooled;
pub(super) use self::loan::{Detached, Lent};
use source::NameSet;
use source::statistics::{Counted, Counter, Gauge};

use self::waiting::{Turn, Wait, Waits};
use super::circuit_breaker::{Awaited, CircuitBreaker, Decision, Try, Unreached};
use super::wire::{Config, Connection};

/// Timeout of the check of an idle connection, after which a new one is the better choice.
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// Timeout of waiting for another request's attempt to connect: longer than connecting takes to a
/// reachable server.
const TRY_PATIENCE: Duration = Duration::from_millis(200);

/// The server needs a moment to notice that a connection was closed and there is room for another.
const ROOM_AFTER: Duration = Duration::from_millis(20);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolOptions {
    pub max_connections: usize,
    /// Number of them that only [`Pool::acquire_to_share`] returns.
    pub reserved: usize,
    /// Timeout of waiting for a free connection. Connecting has the timeout of its configuration.
    pub acquire_timeout: Duration,
    /// A connection that was not used for this long is closed, when the pool is next used or
    /// [`Pool::close_old`] is called.
    pub idle_timeout: Duration,
    /// A connection older than this is closed when it comes back, so that the memory of its server
    /// process is freed and a changed address of the server is noticed.
    pub max_lifetime: Duration,
    /// Idle time after which a connection is checked before it is used: a firewall on the way may
    /// have dropped it silently.
    pub check_after: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// All connections are in use, and none came back in time.
    #[error("no connection became free within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The attempt to connect failed, of this request or of one a moment ago.
    #[error(transparent)]
    Unreached(#[from] Unreached),
}

#[derive(Debug)]
pub struct Pool {
    config: Config,
    options: PoolOptions,
    breaker: Arc<CircuitBreaker>,
    idle: RefCell<Vec<Idle>>,
    permits: Arc<Semaphore>,
    reserved: Arc<Semaphore>,
    /// Connections on loan.
    lent: Cell<usize>,
    /// Connections that are being made.
    connecting: Cell<usize>,
    /// Number of abandoned connections that are not closed yet.
    departing: Cell<usize>,
    /// Results of opening and closing connections.
    arrivals: Arc<Arrivals>,
    /// Requests for which connections are being opened.
    hopeful: Waits,
    /// Requests that wait for a connection to return, because the server has reached its limit of
    /// sessions.
    patient: Waits,
    /// Number of requests in the queue of a full pool.
    queued: Cell<usize>,
    counter: Counter,
}

/// The action if the server has reached its limit of sessions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenFull {
    /// Wait for one that comes back.
    WaitUntil(Instant),
    GiveUp,
}

/// Counts as a queued request until it is dropped.
pub(super) struct Queued<'q>(&'q Cell<usize>);

#[derive(Debug)]
struct Idle {
    lent: Lent,
    since: Instant,
}

impl Default for PoolOptions {
    fn default() -> PoolOptions {
        PoolOptions {
            max_connections: 10,
            reserved: 0,
            acquire_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(600),
            max_lifetime: Duration::from_secs(3600),
            check_after: Duration::from_secs(30),
        }
    }
}

impl Pool {
    /// Connects when a connection is first needed. Pools of the same server share `breaker`.
    pub fn new(config: Config, options: PoolOptions, breaker: Arc<CircuitBreaker>) -> Rc<Pool> {
        let permits = options.max_connections.min(Semaphore::MAX_PERMITS);
        let reserved = options.reserved.min(permits);
        Rc::new(Pool {
            config,
            options,
            breaker,
            idle: RefCell::default(),
            permits: Arc::new(Semaphore::new(permits - reserved)),
            reserved: Arc::new(Semaphore::new(reserved)),
            lent: Cell::new(0),
            connecting: Cell::new(0),
            departing: Cell::new(0),
            arrivals: Arc::default(),
            hopeful: Waits::default(),
            patient: Waits::default(),
            queued: Cell::new(0),
            counter: Counter::default(),
        })
    }

    pub(super) fn count(&mut self, counter: Counter) {
        self.counter = counter;
    }

    /// Acquires a connection of its own, on which no setting was ever set. Waiting requests are
    /// served in their order.
    pub async fn acquire(self: &Rc<Self>) -> Result<Pooled, PoolError> {
        self.acquire_for(&NameSet::default()).await
    }

    /// Acquires a connection on which no settings but these were set.
    pub async fn acquire_for(self: &Rc<Self>, names: &NameSet) -> Result<Pooled, PoolError> {
        let started = Instant::now();
        let _waiting = self.counter.hold(Gauge::Waiting);
        let acquired = self.acquire_in_turn(names, started + self.options.acquire_timeout).await;
        self.counter.acquired(acquired.is_ok(), started.elapsed());
        acquired
    }

    /// Acquires a connection for requests that share it, if there may be one more now. The sharing
    /// requests are counted, and not this.
    pub async fn acquire_to_share(self: &Rc<Self>) -> Option<Result<Pooled, PoolError>> {
        let permit = Arc::clone(&self.reserved)
            .try_acquire_owned()
            .or_else(|_| Arc::clone(&self.permits).try_acquire_owned())
            .ok()?;
        Some(self.acquire_with(permit, &NameSet::default(), WhenFull::GiveUp).await)
    }

    /// Counts a request on a shared connection, and the time that it waited for one.
    pub fn count_shared(&self, after: Duration) {
        self.counter.acquired(true, after);
    }

    /// Counts as a waiting request until it is dropped.
    pub(super) fn count_waiting(&self) -> Counted {
        self.counter.hold(Gauge::Waiting)
    }

    /// Whether requests wait for a connection that sharing holds: then it should be returned.
    pub fn is_short_of_connections(&self) -> bool {
        self.patient.len() > 0 || (self.options.reserved == 0 && self.queued.get() > 0)
    }

    async fn acquire_in_turn(
        self: &Rc<Self>,
        names: &NameSet,
        deadline: Instant,
    ) -> Result<Pooled, PoolError> {
        let too_late = || PoolError::Timeout(self.options.acquire_timeout);
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                let _queued = Queued::begin(&self.queued);
                timeout_at(deadline, Arc::clone(&self.permits).acquire_owned())
                    .await
                    .map_err(|_| too_late())?
                    // The semaphore is never closed; if it were, none would become free.
                    .map_err(|_| too_late())?
            }
        };
        self.acquire_with(permit, names, WhenFull::WaitUntil(deadline)).await
    }

    async fn acquire_with(
        self: &Rc<Self>,
        permit: OwnedSemaphorePermit,
        names: &NameSet,
        when_full: WhenFull,
    ) -> Result<Pooled, PoolError> {
        let mut made_room = false;
        loop {
            if let Some(lent) = self.take_idle(names).await {
                self.lent.set(self.lent.get() + 1);
                return Ok(Pooled::new(self, lent, true, permit));
            }
            self.make_room();
            let wait = self.hopeful.begin(self, names);
            self.connect_for_all();
            let mut turn = self.wait_for(wait).await;
            // The server admits fewer connections than the pool may have: they are shared.
            if let Turn::Failed(error) = &turn
                && error.is_full()
                && let WhenFull::WaitUntil(deadline) = when_full
                && (made_room || self.may_get_others())
            {
                // One that was returned meanwhile ended no wait.
                if self.find_idle(names).is_some() {
                    continue;
                }
                made_room |= self.close_oldest_idle();
                if made_room && Instant::now() < deadline {
                    sleep(ROOM_AFTER).await;
                    continue;
                }
                let wait = self.patient.begin(self, names);
                match timeout_at(deadline, self.wait_for(wait)).await {
                    Ok(returned) => turn = returned,
                    Err(_) => return Err(PoolError::Unreached(error.clone())),
                }
            }
            match turn {
                Turn::Connection(mut lent, is_reused) => {
                    if lent.connection.is_open() {
                        return Ok(Pooled::new(self, lent, is_reused, permit));
                    }
                    self.lose(lent);
                }
                Turn::Failed(error) => return Err(error.into()),
                Turn::Again => {}
                Turn::Room => made_room = true,
            }
        }
    }

    /// Begins as many connections as there are waits without one.
    fn connect_for_all(&self) {
        while self.connecting.get() < self.hopeful.len() {
            self.connecting.set(self.connecting.get() + 1);
            let making = self.arrivals.make();
            let (breaker, config) = (Arc::clone(&self.breaker), self.config.clone());
            spawn(async move { making.end(connect(&breaker, &config).await) });
        }
    }

    /// Waits for a turn, and distributes arriving connections meanwhile.
    async fn wait_for(&self, mut wait: Wait<'_>) -> Turn {
        loop {
            select! {
                biased;
                turn = &mut wait => return turn,
                () = self.arrivals.wait() => self.take_in(),
            }
        }
    }

    /// Distributes arrived connections to the waiting requests.
    fn take_in(&self) {
        if self.connecting.get() == 0 && self.departing.get() == 0 {
            return;
        }
        for arrival in self.arrivals.take() {
            let made = match arrival {
                Arrival::Made(made) => made,
                Arrival::Departed => {
                    self.departing.set(self.departing.get().saturating_sub(1));
                    self.patient.end_all(|| Turn::Again);
                    continue;
                }
            };
            self.connecting.set(self.connecting.get().saturating_sub(1));
            self.counter.connected(matches!(made, Some(Ok(_))));
            match made {
                Some(Ok(connection)) => {
                    let _open = self.counter.hold(Gauge::Open);
                    let made = Instant::now();
                    let waits = [&self.hopeful, &self.patient];
                    self.offer(Lent { connection, made, _open }, false, waits);
                    continue;
                }
                // Enough connections are being opened for those that still wait.
                _ if self.hopeful.len() <= self.connecting.get() => {}
                // A request that is gone ignores it.
                Some(Err(error)) => drop(self.hopeful.end_first(Turn::Failed(error))),
                None => drop(self.hopeful.end_first(Turn::Again)),
            }
            if !self.may_get_others() {
                self.patient.end_all(|| Turn::Again);
            }
        }
    }

    /// Closes the connections that have been idle or open for too long. Using the pool does this
    /// too; a timer closes them while there are no requests.
    pub fn close_old(&self) {
        self.take_in();
        self.idle.borrow_mut().retain(|idle| {
            idle.since.elapsed() < self.options.idle_timeout && self.is_young(&idle.lent)
        });
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn options(&self) -> &PoolOptions {
        &self.options
    }

    /// The settings of the connection that was used last, for a caller that takes any connection.
    pub fn names_at_hand(&self) -> NameSet {
        let idle = self.idle.borrow();
        idle.last().map(|idle| idle.lent.connection.names().clone()).unwrap_or_default()
    }

    /// Number of idle connections.
    pub fn idle_connections(&self) -> usize {
        self.idle.borrow().len()
    }

    /// Number of borrowed connections, those being opened included.
    pub fn used_connections(&self) -> usize {
        let free = self.permits.available_permits() + self.reserved.available_permits();
        self.options.max_connections.saturating_sub(free)
    }

    /// The place of the idle connection with the most of these settings and no other, the one used
    /// last among several.
    fn find_idle(&self, names: &NameSet) -> Option<usize> {
        let idle = self.idle.borrow();
        let told = idle.iter().map(|idle| idle.lent.connection.names());
        let fitting = told.enumerate().filter(|(_, told)| told.is_subset(names));
        fitting.max_by_key(|(_, told)| told.len()).map(|(place, _)| place)
    }

    /// An idle connection that fits and is open, as far as can be known.
    async fn take_idle(&self, names: &NameSet) -> Option<Lent> {
        self.close_old();
        loop {
            let place = self.find_idle(names)?;
            let Idle { mut lent, since } = self.idle.borrow_mut().remove(place);
            if !lent.connection.is_open() {
                continue;
            }
            if since.elapsed() < self.options.check_after && !self.breaker.is_out() {
                return Some(lent);
            }
            match timeout(CHECK_TIMEOUT, lent.connection.check()).await {
                Ok(Ok(())) => return Some(lent),
                Ok(Err(_)) => {}
                // If one was dropped silently, the others were, too.
                Err(_) => self.idle.borrow_mut().clear(),
            }
        }
    }

    /// Closes idle connections, of which none fits, where one more would exceed the pool's limit.
    /// The caller counts as one that has its connection.
    fn make_room(&self) {
        let spare = self.connecting.get().saturating_sub(self.hopeful.len() + 1);
        let others = self.used_connections() + spare;
        while others + self.idle.borrow().len() > self.options.max_connections {
            if !self.close_oldest_idle() {
                break;
            }
        }
    }

    /// Closes the idle connection that has rested longest, if there is one.
    fn close_oldest_idle(&self) -> bool {
        let mut idle = self.idle.borrow_mut();
        if idle.is_empty() {
            return false;
        }
        let oldest = idle.remove(0);
        drop(idle);
        drop(oldest);
        self.counter.replaced();
        true
    }

    fn is_young(&self, lent: &Lent) -> bool {
        lent.made.elapsed() < self.options.max_lifetime
    }

    fn give_back(&self, lent: Lent) {
        if !lent.connection.is_clean() || !self.is_young(&lent) {
            return self.lose(lent);
        }
        self.lent.set(self.lent.get().saturating_sub(1));
        // Requests that the server refused have waited for longer.
        self.offer(lent, true, [&self.patient, &self.hopeful]);
    }

    /// Hands a connection to the first waiting request, or keeps it.
    fn offer(&self, lent: Lent, is_reused: bool, waits: [&Waits; 2]) {
        self.lent.set(self.lent.get() + 1);
        let mut turn = Turn::Connection(lent, is_reused);
        for waits in waits {
            match waits.end_first(turn) {
                Ok(()) => return,
                Err(refused) => turn = refused,
            }
        }
        self.lent.set(self.lent.get().saturating_sub(1));
        let Turn::Connection(lent, _) = turn else { return };
        if self.patient.len() > 0 {
            // It fits no waiting request: it makes room for a connection that does.
            drop(lent);
            self.counter.replaced();
            self.patient.end_all(|| Turn::Room);
            return;
        }
        self.idle.borrow_mut().push(Idle { lent, since: Instant::now() });
    }

    /// Closes a connection that was lent.
    fn lose(&self, lent: Lent) {
        self.lent.set(self.lent.get().saturating_sub(1));
        drop(lent);
        // The server has room for one more; or there is no connection left to wait for.
        self.patient.end_all(|| Turn::Again);
    }

    /// Whether there are connections, or will be soon.
    fn may_get_others(&self) -> bool {
        self.lent.get() > 0
            || self.connecting.get() > 0
            || self.departing.get() > 0
            || !self.idle.borrow().is_empty()
    }

    /// Counts a borrowed connection as abandoned, until it is closed.
    fn depart(&self) -> Departure {
        self.lent.set(self.lent.get().saturating_sub(1));
        self.departing.set(self.departing.get() + 1);
        self.arrivals.depart()
    }
}

impl<'q> Queued<'q> {
    pub(super) fn begin(queued: &'q Cell<usize>) -> Self {
        queued.set(queued.get() + 1);
        Self(queued)
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

async fn connect(breaker: &Arc<CircuitBreaker>, config: &Config) -> Result<Connection, Unreached> {
    loop {
        match breaker.decide() {
            Decision::Open => {
                let started = Instant::now();
                let connected = Connection::connect(config).await;
                return breaker.learn(started, connected);
            }
            Decision::Try(attempt) => return try_to_connect(attempt, config.clone()).await,
            Decision::Await(Awaited { started, mut ending, last }) => {
                let patience = started + TRY_PATIENCE;
                if timeout_at(patience, ending.changed()).await.is_err() {
                    return Err(last);
                }
            }
            Decision::Closed(last) => return Err(last),
        }
    }
}

/// Tries to connect, for all waiting requests. The attempt goes on after the request that began it
/// has timed out.
async fn try_to_connect(attempt: Try, config: Config) -> Result<Connection, Unreached> {
    let (sender, receiver) = oneshot::channel();
    let last = attempt.last();
    spawn(async move {
        let connected = Connection::connect(&config).await;
        // Without a receiver, the connection is closed.
        drop(sender.send(attempt.learn(connected)));
    });
    match timeout(TRY_PATIENCE, receiver).await {
        Ok(Ok(connected)) => connected,
        Ok(Err(_)) | Err(_) => Err(last),
    }
}
