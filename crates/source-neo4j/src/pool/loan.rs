//! Connections on loan.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use source::statistics::{Counted, Gauge};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::super::wire::{Connection, WireError};
use super::Pool;

/// A borrowed connection. Dropping it returns it to the pool.
#[derive(Debug)]
pub(in super::super) struct Pooled {
    pool: Rc<Pool>,
    /// None only while it is dropped.
    lent: Option<Lent>,
    is_reused: bool,
    permit: Option<OwnedSemaphorePermit>,
    _used: Counted,
}

/// Boxed, because it moves between the pool and its users at each request.
#[derive(Debug)]
pub(super) struct Lent {
    pub(super) connection: Box<Connection>,
    pub(super) made: Instant,
    pub(super) _open: Counted,
}

impl Pooled {
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
    pub(in super::super) fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// Reports a failure to the cluster, which chooses servers.
    pub(in super::super) fn note(&self, error: &WireError) {
        self.pool.cluster.note(self.endpoint(), error);
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

/// The permit is a field, or goes with the connection, and so is released after that is back.
impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(lent) = self.lent.take() {
            if lent.connection.is_clean() {
                self.pool.give_back(lent, None);
            } else {
                self.pool.give_back(lent, self.permit.take());
            }
        }
    }
}
