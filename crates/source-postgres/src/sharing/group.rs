//! One connection and the requests that share it.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep};

use super::super::pool::Pooled;
use super::super::runtime_estimate::RuntimeEstimate;
use super::super::wire::{Batches, DatabaseError, Pipeline, Rows, WireError};
use super::Sharing;

/// Time that an unused connection is kept for the next requests. Those of one moment are answered
/// in one moment, and the clients send the next ones.
const REST: Duration = Duration::from_millis(2);

/// Timeout of a statement that was sent again elsewhere. Nearly all of them are short, and the
/// connection can be used again after them: opening another would take longer.
const ORPHAN_PATIENCE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Group {
    /// None when the connection is returned to the pool, or abandoned.
    open: RefCell<Option<Open>>,
}

#[derive(Debug)]
struct Open {
    connection: Pooled,
    batches: Batches<oneshot::Sender<Reply>>,
    /// The time since which the first in the queue is the first, or since which the queue is empty.
    since: Instant,
    /// The first in the queue takes too long.
    is_stuck: bool,
    /// Whether it takes no more requests.
    is_closed: bool,
    /// The task that sends and reads.
    driver: Option<Waker>,
}

/// The reply to a request.
#[derive(Debug)]
pub(super) enum Reply {
    /// The rows, and the duration of the statements.
    Rows(Vec<Rows>, Duration),
    Moved,
    Failed,
    Closed(Option<Box<DatabaseError>>),
}

/// A request that waits for its reply. If it goes away, the others are answered all the same.
pub(super) struct Waiting<'w> {
    group: &'w Group,
    sharing: &'w Sharing,
    estimate: &'w RuntimeEstimate,
    since: Instant,
    receiver: oneshot::Receiver<Reply>,
    is_answered: bool,
}

impl Group {
    pub(super) fn new(mut connection: Pooled) -> Rc<Self> {
        let batches = Batches::begin(&mut connection);
        let since = Instant::now();
        let open =
            Open { connection, batches, since, is_stuck: false, is_closed: false, driver: None };
        Rc::new(Self { open: RefCell::new(Some(open)) })
    }

    /// Number of queued requests.
    pub(super) fn waiting(&self) -> usize {
        self.open.borrow().as_ref().map_or(usize::MAX, |open| open.batches.len())
    }

    /// Puts a request behind the others. None if it cannot be composed.
    pub(super) fn push<'w>(
        &'w self,
        sharing: &'w Sharing,
        estimate: &'w RuntimeEstimate,
        compose: impl FnOnce(&mut Pipeline<'_>) -> Result<(), WireError>,
    ) -> Option<Waiting<'w>> {
        let mut open = self.open.borrow_mut();
        let open = open.as_mut()?;
        let (sender, receiver) = oneshot::channel();
        let since = Instant::now();
        if open.batches.is_empty() {
            open.since = since;
        }
        let pushed = open.batches.push(&mut open.connection, sender, compose);
        open.wake();
        pushed.ok()?;
        Some(Waiting { group: self, sharing, estimate, since, receiver, is_answered: false })
    }

    /// Sends, reads and replies, until all requests are answered.
    fn poll(
        self: &Rc<Self>,
        context: &mut Context<'_>,
        mut patience: Pin<&mut Sleep>,
        sharing: &Sharing,
    ) -> Poll<()> {
        let mut slot = self.open.borrow_mut();
        let Some(open) = slot.as_mut() else { return Poll::Ready(()) };
        let mut answered = Vec::new();
        let polled = open.batches.poll(&mut open.connection, context, &mut answered);
        if !answered.is_empty() {
            let now = Instant::now();
            let mut elapsed = now - open.since;
            for answer in answered {
                let reply = match answer.result {
                    Ok(rows) => Reply::Rows(rows, elapsed),
                    Err(_) => Reply::Failed,
                };
                send(answer.of, reply);
                elapsed = Duration::ZERO;
            }
            open.since = now;
            if open.is_stuck {
                open.is_stuck = false;
                patience.as_mut().reset(now + sharing.patience);
            }
        }
        if let Poll::Ready(error) = polled {
            sharing.forget(self);
            open.fail(error);
            *slot = None;
            return Poll::Ready(());
        }
        let is_empty = open.batches.is_empty();
        if is_empty && patience.deadline() > open.since + REST {
            patience.as_mut().reset(open.since + REST);
        }
        let mut is_over = is_empty && (open.is_closed || open.connection.is_requested());
        while !is_over && !open.is_stuck && patience.as_mut().poll(context).is_ready() {
            let is_orphan = !is_empty && open.batches.first().is_none();
            let deadline = open.since
                + match (is_empty, is_orphan) {
                    (true, _) => REST,
                    (false, true) => ORPHAN_PATIENCE.max(sharing.patience),
                    (false, false) => sharing.patience,
                };
            if Instant::now() < deadline {
                patience.as_mut().reset(deadline);
                if !open.connection.is_young() {
                    open.is_closed = true;
                    sharing.forget(self);
                }
                continue;
            }
            if is_empty {
                is_over = true;
                continue;
            }
            if is_orphan {
                sharing.forget(self);
                *slot = None;
                return Poll::Ready(());
            }
            open.is_stuck = true;
            open.is_closed = true;
            sharing.forget(self);
            for other in open.batches.others() {
                send(other, Reply::Moved);
            }
        }
        if is_over {
            sharing.forget(self);
            let Open { connection, batches, .. } = open;
            batches.end(connection);
            *slot = None;
            return Poll::Ready(());
        }
        if open.is_stuck && open.batches.first().is_some_and(oneshot::Sender::is_closed) {
            *slot = None;
            return Poll::Ready(());
        }
        if !open.driver.as_ref().is_some_and(|driver| driver.will_wake(context.waker())) {
            open.driver = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

pub(super) async fn drive(sharing: Rc<Sharing>, group: Rc<Group>) {
    let mut patience = pin!(sleep(sharing.patience));
    poll_fn(|context| group.poll(context, patience.as_mut(), &sharing)).await;
}

impl Open {
    fn wake(&self) {
        if let Some(driver) = &self.driver {
            driver.wake_by_ref();
        }
    }

    /// Fails all requests, since the session has ended.
    fn fail(&mut self, error: WireError) {
        match error {
            WireError::Closed { reason } => {
                for other in self.batches.all() {
                    send(other, Reply::Closed(reason.clone()));
                }
            }
            // An answer that is too large, for one; its request is found later.
            _ => {
                tracing::debug!(%error, "a shared connection is given up");
                for other in self.batches.all() {
                    send(other, Reply::Failed);
                }
            }
        }
    }
}

/// A request that is gone ignores it.
fn send(caller: oneshot::Sender<Reply>, reply: Reply) {
    drop(caller.send(reply));
}

impl Waiting<'_> {
    /// None if the driver is gone, as at the end of the runtime.
    pub(super) async fn reply(mut self) -> Option<Reply> {
        let reply = (&mut self.receiver).await;
        self.is_answered = true;
        reply.ok()
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        if self.since.elapsed() > self.sharing.patience {
            self.estimate.delayed_others();
        }
        self.receiver.close();
        if let Some(open) = &*self.group.open.borrow() {
            open.wake();
        }
    }
}
