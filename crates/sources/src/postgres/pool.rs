//! Connections of one thread, kept between requests.
//!
//! A pool belongs to one current-thread runtime. Connections come back by being dropped: one whose
//! last round was not read to its end is given up, the others are handed out again, the one used
//! last first, so that those not needed grow old and are closed.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::wire::{CancelToken, Config, Connection, WireError};

/// How long the sign of life may take before a new connection is the better choice.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolOptions {
    pub max_connections: usize,
    /// For waiting until a connection is free, and for connecting, together.
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
    #[error(transparent)]
    Connect(#[from] WireError),
}

#[derive(Debug)]
pub struct Pool {
    config: Config,
    options: PoolOptions,
    idle: RefCell<Vec<Idle>>,
    permits: Arc<Semaphore>,
}

/// A connection on loan. Dropping it gives it back.
#[derive(Debug)]
pub struct Pooled {
    pool: Rc<Pool>,
    /// None only while it is dropped.
    lent: Option<Lent>,
    is_reused: bool,
    permit: Option<OwnedSemaphorePermit>,
}

/// The place of a connection that was given up while its session still works.
#[derive(Debug)]
pub struct Abandoned {
    pub token: CancelToken,
    /// Nobody connects in its stead before this is dropped.
    _permit: Option<OwnedSemaphorePermit>,
}

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
}

impl Default for PoolOptions {
    fn default() -> PoolOptions {
        PoolOptions {
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
    pub fn new(config: Config, options: PoolOptions) -> Rc<Pool> {
        let permits = options.max_connections.min(Semaphore::MAX_PERMITS);
        let permits = Arc::new(Semaphore::new(permits));
        Rc::new(Pool { config, options, idle: RefCell::default(), permits })
    }

    /// A connection that nobody else uses. Those who wait are served in their order.
    pub async fn acquire(self: &Rc<Self>) -> Result<Pooled, PoolError> {
        let deadline = Instant::now() + self.options.acquire_timeout;
        let too_late = || PoolError::Timeout(self.options.acquire_timeout);
        let permit = timeout_at(deadline, Arc::clone(&self.permits).acquire_owned())
            .await
            .map_err(|_| too_late())?
            // The semaphore is never closed; if it were, no connection would become free.
            .map_err(|_| too_late())?;
        let idle = self.take_idle(deadline).await;
        let is_reused = idle.is_some();
        let lent = match idle {
            Some(lent) => lent,
            None => {
                let connection = timeout_at(deadline, Connection::connect(&self.config))
                    .await
                    .unwrap_or(Err(WireError::Timeout))?;
                Lent { connection: Box::new(connection), made: Instant::now() }
            }
        };
        Ok(Pooled { pool: Rc::clone(self), lent: Some(lent), is_reused, permit: Some(permit) })
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
        self.options.max_connections.saturating_sub(self.permits.available_permits())
    }

    /// An idle connection that is open, as far as can be known.
    async fn take_idle(&self, deadline: Instant) -> Option<Lent> {
        self.close_old();
        loop {
            let Idle { mut lent, since } = self.idle.borrow_mut().pop()?;
            if !lent.connection.is_open() {
                continue;
            }
            if since.elapsed() < self.options.check_after {
                return Some(lent);
            }
            let check_deadline = deadline.min(Instant::now() + CHECK_TIMEOUT);
            if let Ok(Ok(())) = timeout_at(check_deadline, lent.connection.check()).await {
                return Some(lent);
            }
        }
    }

    fn is_young(&self, lent: &Lent) -> bool {
        lent.made.elapsed() < self.options.max_lifetime
    }

    fn give_back(&self, lent: Lent) {
        if lent.connection.is_clean() && self.is_young(&lent) {
            self.idle.borrow_mut().push(Idle { lent, since: Instant::now() });
        }
    }
}

impl Pooled {
    /// Whether it was used before, so that the server may have closed it since.
    #[must_use]
    pub fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// Gives the connection up, for good if its round was not read to its end.
    #[must_use]
    pub fn abandon(&mut self) -> Abandoned {
        Abandoned { token: self.cancel_token(), _permit: self.permit.take() }
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
