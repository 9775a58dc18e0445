//! Connections of one thread, kept between requests.
//!
//! A pool belongs to one current-thread runtime. Connections return by being dropped, and are
//! handed out again, the one used last first, so that surplus ones grow old and are closed. One
//! whose answer was not read to its end, because its request is gone, is reset by a task of its
//! own: that cancels its statements on the server. Until then its place stays taken. A request only
//! checks whether its connection is open.

mod loan;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use self::loan::Lent;
pub(super) use self::loan::Pooled;
use source::statistics::{Counter, Gauge};

use super::program::Access;
use super::wire::{Cluster, Config, Connection, Endpoint, WireError};

/// Timeout of the check of an idle connection, after which a new one is the better choice.
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PoolOptions {
    pub(super) max_connections: usize,
    /// Timeout of waiting for a free connection. Connecting has the timeout of its configuration.
    pub(super) acquire_timeout: Duration,
    /// A connection that was not used for this long is closed, when the pool is next used or
    /// [`Pool::close_old`] is called.
    pub(super) idle_timeout: Duration,
    /// A connection older than this is closed when it comes back, so that a changed address of the
    /// server is noticed.
    pub(super) max_lifetime: Duration,
    /// Idle time after which a connection is checked before it is used: a firewall on the way may
    /// have dropped it silently.
    pub(super) check_after: Duration,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum PoolError {
    /// All connections are in use, and none came back in time.
    #[error("no connection became free within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// No server is reachable.
    #[error(transparent)]
    Unreached(#[from] WireError),
}

#[derive(Debug)]
pub(super) struct Pool {
    /// The servers of the cluster; shared by all threads.
    cluster: Arc<Cluster>,
    config: Config,
    options: PoolOptions,
    idle: RefCell<Vec<Idle>>,
    /// Connections that were reset.
    returned: Arc<Returned>,
    permits: Arc<Semaphore>,
    counter: Counter,
}

/// Connections that tasks return, until the pool takes them.
#[derive(Debug, Default)]
struct Returned(Mutex<Vec<Lent>>);

#[derive(Debug)]
struct Idle {
    lent: Lent,
    since: Instant,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self {
            max_connections: 10,
            acquire_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(600),
            max_lifetime: Duration::from_secs(3600),
            check_after: Duration::from_secs(30),
        }
    }
}

impl Pool {
    /// Connects when a connection is first needed.
    pub(super) fn new(cluster: Arc<Cluster>, config: Config, options: PoolOptions) -> Rc<Self> {
        let permits = options.max_connections.min(Semaphore::MAX_PERMITS);
        Rc::new(Self {
            cluster,
            config,
            options,
            idle: RefCell::default(),
            returned: Arc::default(),
            permits: Arc::new(Semaphore::new(permits)),
            counter: Counter::default(),
        })
    }

    pub(super) fn count(&mut self, counter: Counter) {
        self.counter = counter;
    }

    pub(super) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Acquires a connection of its own to a server for this access. Waiting requests are served in
    /// their order.
    pub(super) async fn acquire(self: &Rc<Self>, access: Access) -> Result<Pooled, PoolError> {
        let started = Instant::now();
        let _waiting = self.counter.hold(Gauge::Waiting);
        let acquired = self.acquire_in_turn(access).await;
        self.counter.acquired(acquired.is_ok(), started.elapsed());
        acquired
    }

    async fn acquire_in_turn(self: &Rc<Self>, access: Access) -> Result<Pooled, PoolError> {
        let too_late = || PoolError::Timeout(self.options.acquire_timeout);
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                let permit = Arc::clone(&self.permits).acquire_owned();
                let permit = timeout(self.options.acquire_timeout, permit).await;
                // The semaphore is never closed; if it were, none would become free.
                permit.map_err(|_| too_late())?.map_err(|_| too_late())?
            }
        };
        let endpoint = self.cluster.choose(access).await?;
        match self.take_idle(&endpoint).await {
            Some(lent) => Ok(Pooled::new(self, lent, true, permit)),
            None => self.connect(&endpoint, permit).await,
        }
    }

    async fn connect(
        self: &Rc<Self>,
        endpoint: &Arc<Endpoint>,
        permit: OwnedSemaphorePermit,
    ) -> Result<Pooled, PoolError> {
        self.make_room();
        let connected = Connection::connect(&self.config, endpoint).await;
        self.counter.connected(connected.is_ok());
        match connected {
            Ok(connection) => {
                let _open = self.counter.hold(Gauge::Open);
                let (connection, made) = (Box::new(connection), Instant::now());
                Ok(Pooled::new(self, Lent { connection, made, _open }, false, permit))
            }
            Err(error) => {
                self.cluster.note(endpoint, &error);
                Err(error.into())
            }
        }
    }

    /// Closes the connections that have been idle or open for too long. Using the pool does this
    /// too; a timer closes them while there are no requests.
    pub(super) fn close_old(&self) {
        self.take_in();
        self.idle.borrow_mut().retain(|idle| {
            idle.since.elapsed() < self.options.idle_timeout && self.is_young(&idle.lent)
        });
    }

    /// Number of idle connections.
    #[cfg(test)]
    pub(super) fn idle_connections(&self) -> usize {
        self.take_in();
        self.idle.borrow().len()
    }

    /// An idle connection to this server that is open, as far as can be known.
    async fn take_idle(&self, endpoint: &Arc<Endpoint>) -> Option<Lent> {
        self.close_old();
        loop {
            let found = {
                let mut idle = self.idle.borrow_mut();
                let place =
                    idle.iter().rposition(|idle| idle.lent.connection.endpoint() == endpoint);
                idle.remove(place?)
            };
            let Idle { mut lent, since } = found;
            if !lent.connection.is_open() {
                continue;
            }
            if since.elapsed() < self.options.check_after {
                return Some(lent);
            }
            match timeout(CHECK_TIMEOUT, lent.connection.reset()).await {
                Ok(Ok(())) => return Some(lent),
                Ok(Err(_)) => {}
                // If one was dropped silently, the others were, too.
                Err(_) => self.idle.borrow_mut().clear(),
            }
        }
    }

    /// Takes the connections that were reset.
    fn take_in(&self) {
        let mut returned = self.returned.0.lock().unwrap_or_else(PoisonError::into_inner);
        if returned.is_empty() {
            return;
        }
        let since = Instant::now();
        let returned = returned.drain(..).filter(|lent| self.is_young(lent));
        self.idle.borrow_mut().extend(returned.map(|lent| Idle { lent, since }));
    }

    /// Closes idle connections, of which none fits, where one more would exceed the pool's limit.
    /// The caller counts as one that has its connection.
    fn make_room(&self) {
        let used = self.options.max_connections.saturating_sub(self.permits.available_permits());
        let mut idle = self.idle.borrow_mut();
        while !idle.is_empty() && used + idle.len() > self.options.max_connections {
            idle.remove(0);
            self.counter.replaced();
        }
    }

    fn is_young(&self, lent: &Lent) -> bool {
        lent.made.elapsed() < self.options.max_lifetime
    }

    fn give_back(&self, mut lent: Lent, permit: Option<OwnedSemaphorePermit>) {
        if !self.is_young(&lent) {
            return;
        }
        if lent.connection.is_clean() {
            self.idle.borrow_mut().push(Idle { lent, since: Instant::now() });
            return;
        }
        // A runtime that ends takes its connections with it.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let returned = Arc::clone(&self.returned);
        runtime.spawn(async move {
            if let Ok(Ok(())) = timeout(CHECK_TIMEOUT, lent.connection.reset()).await {
                returned.0.lock().unwrap_or_else(PoisonError::into_inner).push(lent);
            }
            // The next request that gets the place finds the connection.
            drop(permit);
        });
    }
}
