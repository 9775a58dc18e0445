//! Short reads of many requests on few connections of a thread.
//!
//! Concurrent requests are pipelined over the same connection, each as a batch with a Sync of its
//! own: one write and one read serve many of them, and so does one wake-up of the server's process.
//! Eligible are programs of one batch without function calls, whose statements have proved short
//! ([`super::runtime_estimate`]), and that are estimated to read few rows.
//!
//! No request waits behind a long statement: if the first one in a connection's queue is not
//! answered within a moment ([`Sharing::patience`]), those behind it are sent again elsewhere, the
//! connection takes no more, and the program is on probation again. Failed requests are repeated on
//! a connection of their own, where errors are their own, so that requests do not affect each
//! other.
//!
//! Behind a pooler nothing is shared: PgBouncer before 1.21 takes the answer to the first of
//! several batches for the last one when a client disconnects, this process included, and gives
//! those of the others to the next client.
//!
//! A connection belongs to the pool: it is shared only while it is in use, and for a short time
//! after that.

mod group;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::spawn_local;
use tokio::time::Instant;

use self::group::{Group, Reply, drive};
use super::pool::{Pool, Queued};
use super::runtime_estimate::{Length, RuntimeEstimate};
use super::wire::{Pipeline, Rows, WireError};

/// From this many requests on, one more connection is shared if there may be.
const DEPTH: usize = 16;

/// Most requests in one queue.
const MOST_WAITING: usize = 256;

/// An answer of more rows is large: reading it would hold up those behind it.
const MANY_ROWS: usize = 2_000;

/// Most rows that a request may be estimated to read. Larger requests gain nothing: a wake-up is
/// little next to their statements.
pub(super) const MOST_COST: u64 = 128;

/// The connections that requests of one thread share.
#[derive(Debug)]
pub(super) struct Sharing {
    /// The most of them.
    most: usize,
    /// Longest time that the first in a queue may delay the others.
    patience: Duration,
    /// Connections that take more requests.
    groups: RefCell<Vec<Rc<Group>>>,
    /// Number of connections that are being opened.
    opening: Cell<usize>,
    opened: Notify,
    /// Number of requests that wait for the first of them.
    waiting: Cell<usize>,
}

/// The result of a request that was to share a connection.
#[derive(Debug)]
pub(super) enum Shared {
    Rows(Vec<Rows>),
    /// A request before it took too long: it may be sent again in the same way.
    Moved,
    /// There is no connection to share now.
    NotNow,
    /// The request needs a connection of its own.
    Apart,
    /// The server closed the connection.
    Closed(WireError),
}

impl Sharing {
    pub(super) fn new(most: usize, patience: Duration) -> Rc<Self> {
        let (groups, opening, opened) = (RefCell::default(), Cell::new(0), Notify::new());
        Rc::new(Self { most, patience, groups, opening, opened, waiting: Cell::new(0) })
    }

    /// Whether a connection should be shared now. A single request needs none, unless it would take
    /// the only connection there is.
    pub(super) fn should_share(&self, pool: &Pool) -> bool {
        let has_others = pool.used_connections() > 0 || pool.options().max_connections == 1;
        self.most > 0
            && has_others
            && !pool.is_short_of_connections()
            && !pool.config().is_behind_pooler()
    }

    /// Whether a run was short enough for others behind it.
    pub(super) fn judge(&self, elapsed: Duration, rows: &[Rows]) -> Length {
        let rows: usize = rows.iter().map(Rows::len).sum();
        match elapsed > self.patience || rows > MANY_ROWS {
            true => Length::Long,
            false => Length::Short,
        }
    }

    /// Pipelines the composed messages behind the requests of others, and waits for their answer.
    pub(super) async fn run(
        self: &Rc<Self>,
        pool: &Rc<Pool>,
        estimate: &RuntimeEstimate,
        compose: impl FnOnce(&mut Pipeline<'_>) -> Result<(), WireError>,
    ) -> Shared {
        let Some(group) = self.find(pool).await else { return Shared::NotNow };
        let Some(waiting) = group.push(self, estimate, compose) else { return Shared::Apart };
        match waiting.reply().await {
            Some(Reply::Rows(rows, elapsed)) => {
                estimate.ran_shared(self.judge(elapsed, &rows));
                Shared::Rows(rows)
            }
            Some(Reply::Moved) => Shared::Moved,
            Some(Reply::Closed(reason)) => Shared::Closed(WireError::Closed { reason }),
            Some(Reply::Failed) => {
                estimate.delayed_others();
                Shared::Apart
            }
            None => Shared::Apart,
        }
    }

    /// The connection with the fewest requests. Where that is many, one more is opened for those
    /// to come: opening one takes longer than many requests.
    async fn find(self: &Rc<Self>, pool: &Rc<Pool>) -> Option<Rc<Group>> {
        let (found, count) = self.shortest();
        let opening = self.opening.get();
        let is_deep = match &found {
            Some(found) => found.waiting() >= DEPTH,
            None => self.waiting.get() >= DEPTH * opening,
        };
        if is_deep && count + opening < self.most {
            self.open(pool);
        }
        if let Some(found) = found {
            let found = Some(found).filter(|found| found.waiting() < MOST_WAITING)?;
            pool.count_shared(Duration::ZERO);
            return Some(found);
        }
        let started = Instant::now();
        {
            let _waiting = (pool.count_waiting(), Queued::begin(&self.waiting));
            self.opened.notified().await;
        }
        let found = self.shortest().0.filter(|found| found.waiting() < MOST_WAITING)?;
        pool.count_shared(started.elapsed());
        Some(found)
    }

    fn shortest(&self) -> (Option<Rc<Group>>, usize) {
        let groups = self.groups.borrow();
        (groups.iter().min_by_key(|group| group.waiting()).map(Rc::clone), groups.len())
    }

    fn open(self: &Rc<Self>, pool: &Rc<Pool>) {
        let opening = Opening::begin(self);
        let pool = Rc::clone(pool);
        spawn_local(async move {
            let acquired = pool.acquire_to_share().await;
            // An error is reported where the request acquires a connection of its own. A pooler may
            // have been detected meanwhile, by this very connection.
            if let Some(Ok(connection)) = acquired
                && !pool.config().is_behind_pooler()
            {
                let group = Group::new(connection);
                let sharing = Rc::clone(&opening.0);
                sharing.groups.borrow_mut().push(Rc::clone(&group));
                drop(opening);
                drive(sharing, group).await;
            }
        });
    }

    /// Removes a connection that takes no more requests.
    fn forget(&self, group: &Rc<Group>) {
        self.groups.borrow_mut().retain(|known| !Rc::ptr_eq(known, group));
    }
}

/// Counts as a connection that is being opened. Dropping it wakes the requests that wait for it.
struct Opening(Rc<Sharing>);

impl Opening {
    fn begin(sharing: &Rc<Sharing>) -> Self {
        sharing.opening.set(sharing.opening.get() + 1);
        Self(Rc::clone(sharing))
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.0.opening.set(self.0.opening.get().saturating_sub(1));
        self.0.opened.notify_waiters();
    }
}
