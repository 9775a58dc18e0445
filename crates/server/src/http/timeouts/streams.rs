//! Streams of an HTTP/2 connection.
//!
//! Each stream has a state of its own, since one can be slow while the others are not. The timer of the
//! connection checks them all.

use std::cell::Cell;
use std::cmp::Reverse;
use std::rc::{Rc, Weak};
use std::task::Waker;

use tokio::time::Instant;

use super::{ClientTimeouts, CloseReason, ConnectionState, Phase};
use crate::http::clients::StreamPermit;

/// The place of a stream in its connection, which is left when this is dropped.
#[derive(Debug)]
pub(super) struct Membership {
    pub(super) connection: Rc<ConnectionState>,
    number: u64,
    /// None for a stream beyond the limit, which is refused at once.
    _permit: Option<StreamPermit>,
}

impl ConnectionState {
    /// Begins a stream: its request has come. The stream ends with the last reference to its state,
    /// which its task, its request and the unsent parts of its response have.
    pub(in crate::http) fn begin_stream(self: &Rc<Self>, permit: Option<StreamPermit>) -> Rc<Self> {
        let number = self.next_stream.get();
        self.next_stream.set(number + 1);
        let mut stream = Self::new();
        stream.phase = Cell::new(Phase::Working);
        stream.stopping = self.stopping.clone();
        stream.is_evicted = self.is_evicted.clone();
        stream.membership =
            Some(Membership { connection: Rc::clone(self), number, _permit: permit });
        let stream = Rc::new(stream);
        self.streams.borrow_mut().insert(number, Rc::downgrade(&stream));
        self.enter(Phase::Working);
        stream
    }

    /// The open streams.
    pub(super) fn open_streams(&self) -> Vec<Rc<Self>> {
        self.streams.borrow().values().filter_map(Weak::upgrade).collect()
    }

    /// Wakes the task of this waker when the state changes.
    pub(in crate::http) fn keep_waker(&self, waker: &Waker) {
        let mut known = self.waker.borrow_mut();
        if !known.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *known = Some(waker.clone());
        }
    }

    /// Whether the stream ends because the client does not read its response.
    pub(in crate::http) fn is_cut(&self) -> bool {
        self.has_stalled.get()
    }

    /// Received bytes of bodies of all streams since the last call.
    pub(in crate::http) fn take_received(&self) -> u64 {
        self.received.take()
    }

    /// Records that the task of the stream has ended: all of the response was handed over to the HTTP
    /// library, which may still wait for the client to receive it.
    pub(in crate::http) fn end_task(&self) {
        self.has_task.set(false);
    }

    /// Records a part of the response that was handed over to the HTTP library.
    pub(in crate::http) fn hand_over(&self, bytes: usize) {
        self.unsent.set(self.unsent.get() + bytes);
        self.wrote(self.unsent.get() == 0);
    }

    /// Records bytes of such a part that were written, or dropped with their stream.
    pub(in crate::http) fn sent(&self, bytes: usize) {
        self.unsent.set(self.unsent.get().saturating_sub(bytes));
        self.wrote(true);
        self.wrote(self.unsent.get() == 0);
    }

    /// Ends the streams whose clients do not read them. That of a stream whose task has ended cannot be
    /// reset alone, so its connection ends.
    pub(super) fn check_streams(
        &self,
        now: Instant,
        timeouts: &ClientTimeouts,
    ) -> Result<Option<Instant>, CloseReason> {
        let mut next: Option<Instant> = None;
        for stream in self.open_streams() {
            let Some(stalled) = stream.stalled.get() else { continue };
            let limit = stalled + timeouts.stall;
            if limit > now {
                next = Some(next.map_or(limit, |next| next.min(limit)));
                continue;
            }
            stream.has_stalled.set(true);
            if !stream.has_task.get() {
                return Err(CloseReason::Stalled);
            }
            // Its unsent parts are dropped soon.
            stream.stalled.set(Some(now));
            stream.call();
        }
        Ok(next)
    }

    /// The order of eviction of a connection with streams; none if one of them is busy.
    pub(super) fn streams_rank(&self, now: Instant) -> Option<(u8, Reverse<u128>)> {
        let mut rank = None;
        for stream in self.open_streams() {
            rank = rank.max(Some(stream.eviction_rank(now)?));
        }
        rank
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let mut streams = self.connection.streams.borrow_mut();
        streams.remove(&self.number);
        let is_last = streams.is_empty();
        drop(streams);
        if is_last {
            self.connection.enter(Phase::Idle);
        }
    }
}
