//! A reservation: the operations that a stream has still to begin or to end.
//!
//! An id is in use from the request that begins its operation to the event that ends it, or to the
//! request that does. The number of operations in use limits both queues.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{Caller, MemoryReservation, Session};
use graphql::Parameters;
use hyper::header::HeaderValue;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::http::refusal::Refusal;

/// A reserved stream.
#[derive(Debug)]
pub(in crate::http) struct Reservation {
    owner: Owner,
    /// The time at which the token of the owner expires, if it does.
    pub(in crate::http) until: Option<Instant>,
    made: Instant,
    state: Mutex<State>,
    /// Wakes the stream: an operation has to be begun or ended.
    changed: Notify,
}

/// The credentials by which a stream was reserved: its other requests must have the same.
#[derive(Clone, Debug)]
pub(in crate::http) struct Owner {
    pub(in crate::http) session: Session,
    /// The header, which a gateway may forward without a session.
    pub(in crate::http) authorization: Option<HeaderValue>,
}

/// An operation that the stream has to begin.
#[derive(Debug)]
pub(in crate::http) struct NewOperation {
    pub(in crate::http) id: Arc<str>,
    pub(in crate::http) caller: Caller,
    pub(in crate::http) parameters: Parameters,
    /// The memory of its request.
    pub(in crate::http) bytes: u64,
    pub(in crate::http) held: MemoryReservation,
}

/// The work that a stream has to do.
#[derive(Debug, Default)]
pub(in crate::http) struct Changes {
    /// Operations to end, before others with the same ids begin.
    pub(in crate::http) ended: Vec<Arc<str>>,
    pub(in crate::http) begun: VecDeque<NewOperation>,
}

#[derive(Debug, Default)]
struct State {
    stage: Stage,
    in_use: HashSet<Arc<str>>,
    changes: Changes,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Reserved,
    Open,
    Closed,
}

impl Owner {
    fn is_same(&self, other: &Self) -> bool {
        self.session.settings == other.session.settings
            && self.session.claims == other.session.claims
            && self.authorization == other.authorization
    }
}

impl Reservation {
    pub(in crate::http) fn new(owner: Owner, until: Option<Instant>) -> Self {
        Self { owner, until, made: Instant::now(), state: Mutex::default(), changed: Notify::new() }
    }

    pub(in crate::http) fn belongs_to(&self, owner: &Owner) -> bool {
        self.owner.is_same(owner)
    }

    /// Returns true if its stream was not opened within the limit, or before the token expired.
    pub(in crate::http) fn is_over(&self, limit: Duration) -> bool {
        let is_late = self.made.elapsed() >= limit;
        let is_expired = self.until.is_some_and(|until| until <= Instant::now());
        (is_late || is_expired) && self.lock().stage == Stage::Reserved
    }

    /// Opens the stream, of which there is only one.
    pub(in crate::http) fn open(&self) -> Result<(), Refusal> {
        let mut state = self.lock();
        match state.stage {
            Stage::Reserved => {
                state.stage = Stage::Open;
                Ok(())
            }
            Stage::Open | Stage::Closed => Err(Refusal::StreamOpen),
        }
    }

    /// Adds an operation, if fewer than `most` are in use.
    pub(in crate::http) fn begin(
        &self,
        operation: NewOperation,
        most: usize,
    ) -> Result<(), Refusal> {
        let mut state = self.lock();
        if state.stage == Stage::Closed {
            return Err(Refusal::UnknownStream);
        }
        if state.in_use.contains(&operation.id) {
            return Err(Refusal::OperationIdInUse);
        }
        if state.in_use.len() >= most {
            return Err(Refusal::TooManyOperations { most });
        }
        state.in_use.insert(Arc::clone(&operation.id));
        state.changes.begun.push_back(operation);
        drop(state);
        self.changed.notify_one();
        Ok(())
    }

    /// Ends an operation for the client. Unknown ids are those of operations that have just ended.
    pub(in crate::http) fn end(&self, id: &str) {
        let mut state = self.lock();
        let Some(id) = state.in_use.take(id) else { return };
        let before = state.changes.begun.len();
        state.changes.begun.retain(|operation| operation.id != id);
        if state.changes.begun.len() == before {
            state.changes.ended.push(id);
            drop(state);
            self.changed.notify_one();
        }
    }

    /// Records the last event of an operation. Returns false if the client has ended it already: its id
    /// may belong to another operation by now.
    pub(in crate::http) fn complete(&self, id: &str) -> bool {
        let mut state = self.lock();
        let before = state.changes.ended.len();
        state.changes.ended.retain(|ended| **ended != *id);
        let is_ended = state.changes.ended.len() < before;
        !is_ended && state.in_use.remove(id)
    }

    /// Returns true if the client has not ended an operation.
    pub(in crate::http) fn is_wanted(&self, id: &str) -> bool {
        !self.lock().changes.ended.iter().any(|ended| **ended == *id)
    }

    /// Waits for work of the stream. Cancel safe.
    pub(in crate::http) async fn next(&self) -> Changes {
        loop {
            let changes = std::mem::take(&mut self.lock().changes);
            if !changes.ended.is_empty() || !changes.begun.is_empty() {
                return changes;
            }
            self.changed.notified().await;
        }
    }

    /// Refuses further operations, and drops those that have not begun.
    pub(in crate::http) fn close(&self) {
        let mut state = self.lock();
        state.stage = Stage::Closed;
        state.changes = Changes::default();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is one assignment, or pairs an id with its operation in steps that cannot panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn reservation() -> Reservation {
        Reservation::new(Owner { session: Session::default(), authorization: None }, None)
    }

    fn operation(id: &str) -> NewOperation {
        NewOperation {
            id: id.into(),
            caller: Caller::default(),
            parameters: Parameters::from_query_string("query={a}", Default::default()).unwrap(),
            bytes: 0,
            held: MemoryReservation::default(),
        }
    }

    fn begun(changes: &Changes) -> Vec<&str> {
        changes.begun.iter().map(|operation| &*operation.id).collect()
    }

    #[test]
    fn operations_wait_for_the_stream() {
        let reservation = reservation();
        assert_eq!(reservation.begin(operation("1"), 2), Ok(()));
        assert_eq!(reservation.begin(operation("1"), 2), Err(Refusal::OperationIdInUse));
        assert_eq!(reservation.begin(operation("2"), 2), Ok(()));
        let refused = reservation.begin(operation("3"), 2);
        assert_eq!(refused, Err(Refusal::TooManyOperations { most: 2 }));
        // One that has not begun needs no end.
        reservation.end("1");
        let changes = reservation.next().now_or_never().unwrap();
        assert_eq!((begun(&changes), changes.ended.len()), (vec!["2"], 0));
        assert_eq!(reservation.open(), Ok(()));
        assert_eq!(reservation.open(), Err(Refusal::StreamOpen));
        reservation.close();
        assert_eq!(reservation.begin(operation("4"), 2), Err(Refusal::UnknownStream));
    }

    #[test]
    fn an_id_may_be_used_again_after_its_operation() {
        let reservation = reservation();
        reservation.begin(operation("1"), 9).unwrap();
        reservation.next().now_or_never().unwrap();
        // The client ends it, and uses its id for another one.
        reservation.end("1");
        reservation.begin(operation("1"), 9).unwrap();
        assert!(!reservation.is_wanted("1"));
        // Meanwhile it ends by itself.
        assert!(!reservation.complete("1"));
        let changes = reservation.next().now_or_never().unwrap();
        assert_eq!((begun(&changes), changes.ended.len()), (vec!["1"], 0));
        assert!(reservation.is_wanted("1") && reservation.complete("1"));
        assert!(reservation.next().now_or_never().is_none());
    }
}
