//! Those who have a place in the pool and no connection yet.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use super::super::reach::Unreached;
use super::Pool;
use super::loan::Lent;

/// What ends the wait of one.
#[derive(Debug)]
pub(super) enum Turn {
    /// A connection, which counts as lent; and whether it was used before.
    Connection(Lent, bool),
    /// None could be made.
    Failed(Unreached),
    /// Things have changed: it may be tried again.
    Again,
}

/// Waits in their order. Those who went away are passed over.
#[derive(Debug, Default)]
pub(super) struct Waits(RefCell<VecDeque<oneshot::Sender<Turn>>>);

/// A wait. What comes when it was given up goes back to the pool.
pub(super) struct Wait<'p> {
    pool: &'p Pool,
    receiver: oneshot::Receiver<Turn>,
}

impl Waits {
    pub(super) fn begin<'p>(&self, pool: &'p Pool) -> Wait<'p> {
        let (sender, receiver) = oneshot::channel();
        self.0.borrow_mut().push_back(sender);
        Wait { pool, receiver }
    }

    /// Ends the wait of the first. Returns the turn if nobody waits.
    pub(super) fn end_first(&self, mut turn: Turn) -> Result<(), Turn> {
        loop {
            let Some(sender) = self.0.borrow_mut().pop_front() else { return Err(turn) };
            match sender.send(turn) {
                Ok(()) => return Ok(()),
                Err(refused) => turn = refused,
            }
        }
    }

    /// Lets everybody try again.
    pub(super) fn end_all(&self) {
        for sender in self.0.take() {
            // Whoever went away is told nothing.
            drop(sender.send(Turn::Again));
        }
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        let mut waits = self.0.borrow_mut();
        waits.retain(|sender| !sender.is_closed());
        waits.len()
    }
}

impl Future for Wait<'_> {
    type Output = Turn;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Turn> {
        // The pool ends each wait before it ends itself; if it did not, trying again would tell.
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
