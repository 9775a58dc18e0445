//! Connections of one thread, kept between requests.
//!
//! A pool belongs to one current-thread runtime. Connections come back by being dropped: one whose
//! last round was not read to its end is given up, the others are handed out again, the one used
//! last first, so that those not needed grow old and are closed.

use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, timeout, timeout_at};

use super::abandoned::Abandoned;
use super::reach::{Awaited, Reach, Try, Unreached, Way};
use super::wire::{Config, Connection};
use crate::statistics::{Counted, Counter, Gauge};

/// How long the sign of life may take before a new connection is the better choice.
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// How long anybody waits for somebody else to find out whether the server can be reached again:
/// longer than connecting takes where it can.
const TRY_PATIENCE: Duration = Duration::from_millis(200);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolOptions {
    pub max_connections: usize,
    /// How many of them only [`Pool::acquire_to_share`] gives.
    pub reserved: usize,
    /// For waiting until a connection is free. Connecting has the time that its configuration says.
    pub acquire_timeout: Duration,
    /// A connection that was not used for this long is closed, when the pool is next used or
    /// [`Pool::close_old`] is called.
    pub idle_timeout: Duration,
    /// A connection older than this is closed when it comes back, so that the memory of its server
    /// process is freed and a changed address of the server is noticed.
    pub max_lifetime: Duration,
    /// A connection that has rested for longer is asked for a sign of life before it is used:
    /// something on the way may have forgotten it without a word.
    pub check_after: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// All connections are in use, and none came back in time.
    #[error("no connection became free within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// There is no session, for this one or for whoever tried a moment ago.
    #[error(transparent)]
    Unreached(#[from] Unreached),
}

#[derive(Debug)]
pub struct Pool {
    config: Config,
    options: PoolOptions,
    reach: Arc<Reach>,
    idle: RefCell<Vec<Idle>>,
    permits: Arc<Semaphore>,
    reserved: Arc<Semaphore>,
    /// Connections on loan.
    lent: Cell<usize>,
    /// Connections that are being made, and may be lent next.
    connecting: Cell<usize>,
    /// How many wait for one of them, because the server gives no more.
    waiting: Cell<usize>,
    /// How many wait because the pool gives no more.
    queued: Cell<usize>,
    returned: Notify,
    counter: Counter,
}

/// A connection on loan. Dropping it gives it back.
#[derive(Debug)]
pub struct Pooled {
    pool: Rc<Pool>,
    /// None only while it is dropped.
    lent: Option<Lent>,
    is_reused: bool,
    permit: Option<OwnedSemaphorePermit>,
    _used: Counted,
}

/// A connection that was taken out of its pool, with its place there.
#[derive(Debug)]
pub(super) struct Detached {
    lent: Option<Lent>,
    _used: Counted,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Detached {
    pub(super) fn connection(&mut self) -> Option<&mut Connection> {
        self.lent.as_mut().map(|lent| &mut *lent.connection)
    }
}

/// Counts as a connection that may be lent next. If it was the last that there was hope for, its end
/// wakes those who wait for one.
struct Connecting<'p>(&'p Pool);

/// Counts as somebody who waits.
struct Queued<'p>(&'p Cell<usize>);

#[derive(Debug)]
struct Idle {
    lent: Lent,
    since: Instant,
}

/// Boxed, because it moves between the pool and its users at each request.
#[derive(Debug)]
struct Lent {
    connection: Box<Connection>,
    made: Instant,
    _open: Counted,
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
    /// Connects when a connection is first needed. Pools of the same server share `reach`.
    pub fn new(config: Config, options: PoolOptions, reach: Arc<Reach>) -> Rc<Pool> {
        let permits = options.max_connections.min(Semaphore::MAX_PERMITS);
        let reserved = options.reserved.min(permits);
        Rc::new(Pool {
            config,
            options,
            reach,
            idle: RefCell::default(),
            permits: Arc::new(Semaphore::new(permits - reserved)),
            reserved: Arc::new(Semaphore::new(reserved)),
            lent: Cell::new(0),
            connecting: Cell::new(0),
            waiting: Cell::new(0),
            queued: Cell::new(0),
            returned: Notify::new(),
            counter: Counter::default(),
        })
    }

    pub(super) fn count(&mut self, counter: Counter) {
        self.counter = counter;
    }

    /// A connection that nobody else uses. Those who wait are served in their order.
    pub async fn acquire(self: &Rc<Self>) -> Result<Pooled, PoolError> {
        let started = Instant::now();
        let _waiting = self.counter.hold(Gauge::Waiting);
        let acquired = self.acquire_in_turn(started + self.options.acquire_timeout).await;
        self.counter.acquired(acquired.is_ok(), started.elapsed());
        acquired
    }

    /// A connection for requests that share it, if there may be one more now.
    pub async fn acquire_to_share(self: &Rc<Self>) -> Option<Result<Pooled, PoolError>> {
        let permit = Arc::clone(&self.reserved)
            .try_acquire_owned()
            .or_else(|_| Arc::clone(&self.permits).try_acquire_owned())
            .ok()?;
        let started = Instant::now();
        let _waiting = self.counter.hold(Gauge::Waiting);
        let acquired = self.acquire_with(permit, started + self.options.acquire_timeout).await;
        self.counter.acquired(acquired.is_ok(), started.elapsed());
        Some(acquired)
    }

    /// Counts a request that shares a connection with others.
    pub fn count_shared(&self) {
        self.counter.acquired(true, Duration::ZERO);
    }

    /// Whether somebody waits for a connection that sharing keeps: then it should come back.
    pub fn is_short_of_connections(&self) -> bool {
        self.waiting.get() > 0 || (self.options.reserved == 0 && self.queued.get() > 0)
    }

    async fn acquire_in_turn(self: &Rc<Self>, deadline: Instant) -> Result<Pooled, PoolError> {
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
        self.acquire_with(permit, deadline).await
    }

    async fn acquire_with(
        self: &Rc<Self>,
        permit: OwnedSemaphorePermit,
        deadline: Instant,
    ) -> Result<Pooled, PoolError> {
        loop {
            if let Some(lent) = self.take_idle().await {
                return Ok(self.lend(lent, true, permit));
            }
            let connecting = Connecting::begin(self);
            let connected = self.connect().await;
            self.counter.connected(connected.is_ok());
            match connected {
                Ok(connection) => {
                    let _open = self.counter.hold(Gauge::Open);
                    let (connection, made) = (Box::new(connection), Instant::now());
                    let lent = Lent { connection, made, _open };
                    return Ok(self.lend(lent, false, permit));
                }
                // The server gives fewer connections than the pool may have: they are shared.
                Err(error) if error.is_full() && connecting.has_others() => {
                    drop(connecting);
                    // One that came back meanwhile tells nobody any more.
                    if !self.idle.borrow().is_empty() {
                        continue;
                    }
                    self.waiting.set(self.waiting.get() + 1);
                    let returned = timeout_at(deadline, self.returned.notified()).await;
                    self.waiting.set(self.waiting.get() - 1);
                    if returned.is_err() {
                        return Err(error.into());
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn connect(&self) -> Result<Connection, Unreached> {
        loop {
            match self.reach.way() {
                Way::Open => {
                    let started = Instant::now();
                    let connected = Connection::connect(&self.config).await;
                    return self.reach.learn(started, connected);
                }
                Way::Try(attempt) => return self.try_to_connect(attempt).await,
                Way::Await(Awaited { started, mut ending, last }) => {
                    let patience = started + TRY_PATIENCE;
                    if timeout_at(patience, ending.changed()).await.is_err() {
                        return Err(last);
                    }
                }
                Way::Closed(last) => return Err(last),
            }
        }
    }

    /// Tries for everybody. The try goes on after its request has lost its patience.
    async fn try_to_connect(&self, attempt: Try) -> Result<Connection, Unreached> {
        let (sender, receiver) = oneshot::channel();
        let config = self.config.clone();
        let last = attempt.last();
        tokio::spawn(async move {
            let connected = Connection::connect(&config).await;
            // Nobody wants it any more if the request was given up; then it is closed.
            drop(sender.send(attempt.learn(connected)));
        });
        match timeout(TRY_PATIENCE, receiver).await {
            Ok(Ok(connected)) => connected,
            Ok(Err(_)) | Err(_) => Err(last),
        }
    }

    fn lend(self: &Rc<Self>, lent: Lent, is_reused: bool, permit: OwnedSemaphorePermit) -> Pooled {
        self.lent.set(self.lent.get() + 1);
        let _used = self.counter.hold(Gauge::Used);
        let pool = Rc::clone(self);
        Pooled { pool, lent: Some(lent), is_reused, permit: Some(permit), _used }
    }

    /// Closes the connections that have rested or lived for too long. Using the pool does this too;
    /// a timer lets connections go while there are no requests.
    pub fn close_old(&self) {
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

    /// How many connections wait for work.
    pub fn idle_connections(&self) -> usize {
        self.idle.borrow().len()
    }

    /// How many connections are on loan, those being made included.
    pub fn used_connections(&self) -> usize {
        let free = self.permits.available_permits() + self.reserved.available_permits();
        self.options.max_connections.saturating_sub(free)
    }

    /// An idle connection that is open, as far as can be known.
    async fn take_idle(&self) -> Option<Lent> {
        self.close_old();
        loop {
            let Idle { mut lent, since } = self.idle.borrow_mut().pop()?;
            if !lent.connection.is_open() {
                continue;
            }
            if since.elapsed() < self.options.check_after && !self.reach.is_out() {
                return Some(lent);
            }
            match timeout(CHECK_TIMEOUT, lent.connection.check()).await {
                Ok(Ok(())) => return Some(lent),
                Ok(Err(_)) => {}
                // Who forgot one without a word forgot the others, too.
                Err(_) => self.idle.borrow_mut().clear(),
            }
        }
    }

    fn is_young(&self, lent: &Lent) -> bool {
        lent.made.elapsed() < self.options.max_lifetime
    }

    fn give_back(&self, lent: Lent) {
        self.lent.set(self.lent.get().saturating_sub(1));
        let is_kept = lent.connection.is_clean() && self.is_young(&lent);
        if is_kept {
            self.idle.borrow_mut().push(Idle { lent, since: Instant::now() });
        }
        match (self.waiting.get(), is_kept) {
            (0, _) => {}
            (_, true) => self.returned.notify_one(),
            // One connection less may be none at all: nobody waits for it.
            (_, false) => self.returned.notify_waiters(),
        }
    }
}

impl<'p> Connecting<'p> {
    fn begin(pool: &'p Pool) -> Self {
        pool.connecting.set(pool.connecting.get() + 1);
        Self(pool)
    }

    /// Whether there are other connections, or may be soon.
    fn has_others(&self) -> bool {
        let Pool { lent, connecting, idle, .. } = self.0;
        lent.get() > 0 || connecting.get() > 1 || !idle.borrow().is_empty()
    }
}

impl Drop for Connecting<'_> {
    fn drop(&mut self) {
        let Pool { lent, connecting, idle, waiting, returned, .. } = self.0;
        connecting.set(connecting.get().saturating_sub(1));
        let is_hopeless = connecting.get() == 0 && lent.get() == 0 && idle.borrow().is_empty();
        if is_hopeless && waiting.get() > 0 {
            returned.notify_waiters();
        }
    }
}

impl<'p> Queued<'p> {
    fn begin(queued: &'p Cell<usize>) -> Self {
        queued.set(queued.get() + 1);
        Self(queued)
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

impl Pooled {
    /// Whether it was used before, so that the server may have closed it since.
    #[must_use]
    pub fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// Whether it may still be used, or should come back to be closed.
    #[must_use]
    pub fn is_young(&self) -> bool {
        self.lent.as_ref().is_some_and(|lent| self.pool.is_young(lent))
    }

    /// Takes the connection out of the pool, for work on another thread; it does not come back.
    pub(super) fn detach(mut self) -> Detached {
        let lent = self.lent.take();
        if lent.is_some() {
            self.pool.lent.set(self.pool.lent.get().saturating_sub(1));
        }
        let used = self.pool.counter.hold(Gauge::Used);
        Detached { lent, _used: used, _permit: self.permit.take() }
    }

    /// Whether somebody waits for it to come back.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.pool.is_short_of_connections()
    }

    /// Gives the connection up, for good if its round was not read to its end.
    #[must_use]
    pub fn abandon(&mut self) -> Abandoned {
        let reach = Arc::clone(&self.pool.reach);
        Abandoned::new(self.cancel_token(), reach, self.permit.take())
    }
}

impl Deref for Pooled {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.lent.as_ref().expect("the connection is here until the drop").connection
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.lent.as_mut().expect("the connection is here until the drop").connection
    }
}

/// The permit is a field, and so is released after the connection is back.
impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(lent) = self.lent.take() {
            self.pool.give_back(lent);
        }
    }
}
