//! Requests with a place in the pool and no connection yet.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use source::NameSet;
use tokio::sync::oneshot;

use super::super::circuit_breaker::Unreached;
use super::Pool;
use super::loan::Lent;

/// The event that ends a wait.
#[derive(Debug)]
pub(super) enum Turn {
    /// A connection, which counts as lent; and whether it was used before.
    Connection(Lent, bool),
    /// Connecting failed.
    Failed(Unreached),
    /// Things have changed: it may be tried again.
    Again,
    /// A connection was closed to make room for it.
    Room,
}

/// A queue of waits. Abandoned ones are skipped.
#[derive(Debug, Default)]
pub(super) struct Waits(RefCell<VecDeque<Waiter>>);

#[derive(Debug)]
struct Waiter {
    /// The settings that its connection may have.
    names: NameSet,
    sender: oneshot::Sender<Turn>,
}

/// A wait in the queue. A connection that comes after it was dropped returns to the pool.
pub(super) struct Wait<'p> {
    pool: &'p Pool,
    receiver: oneshot::Receiver<Turn>,
}

impl Waits {
    pub(super) fn begin<'p>(&self, pool: &'p Pool, names: &NameSet) -> Wait<'p> {
        let (sender, receiver) = oneshot::channel();
        self.0.borrow_mut().push_back(Waiter { names: names.clone(), sender });
        Wait { pool, receiver }
    }

    /// Ends the first wait that the turn serves. Returns the turn if there is none.
    pub(super) fn end_first(&self, mut turn: Turn) -> Result<(), Turn> {
        loop {
            let mut waits = self.0.borrow_mut();
            let place = waits.iter().position(|waiter| turn.serves(&waiter.names));
            let Some(waiter) = place.and_then(|place| waits.remove(place)) else {
                return Err(turn);
            };
            drop(waits);
            match waiter.sender.send(turn) {
                Ok(()) => return Ok(()),
                Err(refused) => turn = refused,
            }
        }
    }

    /// Ends all waits.
    pub(super) fn end_all(&self, turn: impl Fn() -> Turn) {
        for waiter in self.0.take() {
            // A request that is gone ignores it.
            drop(waiter.sender.send(turn()));
        }
    }

    /// Number of waits.
    pub(super) fn len(&self) -> usize {
        let mut waits = self.0.borrow_mut();
        waits.retain(|waiter| !waiter.sender.is_closed());
        waits.len()
    }
}

impl Turn {
    /// Whether the turn fits a session with these settings.
    fn serves(&self, names: &NameSet) -> bool {
        match self {
            Self::Connection(lent, _) => lent.connection.names().is_subset(names),
            Self::Failed(_) | Self::Again | Self::Room => true,
        }
    }
}

impl Future for Wait<'_> {
    type Output = Turn;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Turn> {
        // The pool ends all waits before it is dropped; otherwise the next attempt fails.
        Pin::new(&mut self.receiver).poll(context).map(|turn| turn.unwrap_or(Turn::Again))
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.receiver.close();
        if let Ok(Turn::Connection(lent, _)) = self.receiver.try_recv() {
            self.pool.give_back(lent);
        }
    }
}
