//! Connections on loan.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;

use source::statistics::{Counted, Gauge};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::super::circuit_breaker::CircuitBreaker;
use super::super::wire::Connection;
use super::Pool;
use super::abandoned::Abandoned;

/// A borrowed connection. Dropping it returns it to the pool.
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
pub(in super::super) struct Detached {
    lent: Option<Lent>,
    breaker: Arc<CircuitBreaker>,
    runtime: Handle,
    _used: Counted,
    permit: Option<OwnedSemaphorePermit>,
}

/// Boxed, because it moves between the pool and its users at each request.
#[derive(Debug)]
pub(in super::super) struct Lent {
    pub(in super::super) connection: Box<Connection>,
    pub(super) made: Instant,
    pub(super) _open: Counted,
}

impl Detached {
    pub(in super::super) fn connection(&mut self) -> Option<&mut Connection> {
        self.lent.as_mut().map(|lent| &mut *lent.connection)
    }
}

impl Drop for Detached {
    fn drop(&mut self) {
        if let Some(lent) = self.lent.take_if(|lent| lent.connection.has_outstanding()) {
            let (breaker, permit) = (Arc::clone(&self.breaker), self.permit.take());
            Abandoned::new(lent, breaker, permit, None).stop(&self.runtime);
        }
    }
}

impl Pooled {
    /// The loan has been counted.
    pub(super) fn new(
        pool: &Rc<Pool>,
        lent: Lent,
        is_reused: bool,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        let _used = pool.counter.hold(Gauge::Used);
        Self { pool: Rc::clone(pool), lent: Some(lent), is_reused, permit: Some(permit), _used }
    }

    /// Whether it was used before, so that the server may have closed it since.
    #[must_use]
    pub fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// Whether it is below its maximum age; otherwise it should be returned to be closed.
    #[must_use]
    pub fn is_young(&self) -> bool {
        self.lent.as_ref().is_some_and(|lent| self.pool.is_young(lent))
    }

    /// Takes the connection out of the pool, for another thread; it does not return.
    pub(in super::super) fn detach(mut self, runtime: Handle) -> Detached {
        let lent = self.lent.take();
        if lent.is_some() {
            self.pool.lent.set(self.pool.lent.get().saturating_sub(1));
        }
        let used = self.pool.counter.hold(Gauge::Used);
        let breaker = Arc::clone(&self.pool.breaker);
        Detached { lent, breaker, runtime, _used: used, permit: self.permit.take() }
    }

    /// Whether a request waits for it to return.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.pool.is_short_of_connections()
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

/// The permit is a field, and so is released after the connection is back. One with answers
/// outstanding keeps it.
impl Drop for Pooled {
    fn drop(&mut self) {
        let Some(lent) = self.lent.take() else { return };
        if lent.connection.has_outstanding()
            && let Ok(runtime) = Handle::try_current()
        {
            let (breaker, departure) = (Arc::clone(&self.pool.breaker), self.pool.depart());
            let permit = self.permit.take();
            Abandoned::new(lent, breaker, permit, Some(departure)).stop(&runtime);
        } else {
            self.pool.give_back(lent);
        }
    }
}
