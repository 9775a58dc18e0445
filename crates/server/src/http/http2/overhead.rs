//! Limits on what a client sends without any use: frames that serve no request (floods of SETTINGS,
//! PING, PRIORITY, empty frames), and requests that it abandons (rapid reset).

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The time in which the limits hold.
const INTERVAL: Duration = Duration::from_secs(10);

/// Bytes beyond those of requests, bodies and acknowledged responses.
const MAX_BYTES: u64 = 1024 * 1024;

/// Written bytes for which the client may send a byte: it acknowledges what it reads with
/// WINDOW_UPDATE.
const WRITTEN_PER_BYTE: u64 = 16;

/// Abandoned requests, if they are most of the requests.
const MAX_ABANDONED: u64 = 500;

/// What a client has sent too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    Frames,
    AbandonedRequests,
    /// What the HTTP library counts: requests that are taken back at once, parts of heads, and streams
    /// with errors.
    Protocol,
}

/// Counts of a connection.
#[derive(Debug)]
pub(super) struct Overhead {
    since: Cell<Instant>,
    received: Cell<u64>,
    written: Cell<u64>,
    /// Bytes of the heads of requests, at most.
    heads: Cell<u64>,
    requests: Cell<u64>,
    abandoned: Cell<u64>,
    excess: Cell<Option<Excess>>,
}

/// A request that is abandoned unless its response is complete when this is dropped.
#[derive(Debug)]
pub(super) struct PendingAnswer {
    overhead: Rc<Overhead>,
    is_complete: bool,
}

impl Default for Overhead {
    fn default() -> Self {
        Self {
            since: Cell::new(Instant::now()),
            received: Cell::default(),
            written: Cell::default(),
            heads: Cell::default(),
            requests: Cell::default(),
            abandoned: Cell::default(),
            excess: Cell::default(),
        }
    }
}

impl Overhead {
    pub(super) fn excess(&self) -> Option<Excess> {
        self.excess.get()
    }

    /// Counts received bytes.
    pub(super) fn receive(&self, bytes: usize) {
        self.received.set(self.received.get() + bytes as u64);
        if self.is_flooded() {
            self.exceed(Excess::Frames);
        }
    }

    /// Counts received bytes of bodies of requests.
    pub(super) fn receive_body(&self, bytes: u64) {
        self.received.set(self.received.get().saturating_sub(bytes));
    }

    pub(super) fn write(&self, bytes: usize) {
        self.written.set(self.written.get() + bytes as u64);
    }

    pub(super) fn begin_request(&self, max_header_size: usize) {
        self.requests.set(self.requests.get() + 1);
        self.heads.set(self.heads.get() + max_header_size as u64);
    }

    pub(super) fn begin_answer(self: &Rc<Self>) -> PendingAnswer {
        PendingAnswer { overhead: Rc::clone(self), is_complete: false }
    }

    fn abandon_request(&self) {
        self.abandoned.set(self.abandoned.get() + 1);
        if self.are_most_abandoned() {
            self.exceed(Excess::AbandonedRequests);
        }
    }

    fn is_flooded(&self) -> bool {
        let useful = self.heads.get() + self.written.get() / WRITTEN_PER_BYTE;
        self.received.get() > MAX_BYTES + useful
    }

    fn are_most_abandoned(&self) -> bool {
        let abandoned = self.abandoned.get();
        abandoned > MAX_ABANDONED && abandoned > self.requests.get() / 2
    }

    /// Records an excess, unless the counts are those of a longer time.
    fn exceed(&self, excess: Excess) {
        if self.since.get().elapsed() < INTERVAL {
            self.excess.set(Some(excess));
            return;
        }
        self.since.set(Instant::now());
        for count in [&self.received, &self.written, &self.heads, &self.requests, &self.abandoned] {
            count.set(0);
        }
    }
}

impl PendingAnswer {
    pub(super) fn complete(&mut self) {
        self.is_complete = true;
    }
}

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        if !self.is_complete {
            self.overhead.abandon_request();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_beyond_those_of_requests_and_responses_are_a_flood() {
        let overhead = Overhead::default();
        overhead.receive(MAX_BYTES as usize);
        assert_eq!(overhead.excess(), None);
        // A body, a request and the acknowledgements of a long response are of use.
        overhead.receive(5_000);
        overhead.receive_body(5_000);
        overhead.excess.set(None);
        overhead.begin_request(1_000);
        overhead.write(16_000);
        overhead.receive(2_000);
        assert_eq!(overhead.excess(), None);
        overhead.receive(1);
        assert_eq!(overhead.excess(), Some(Excess::Frames));
    }

    #[test]
    fn abandoned_requests_are_an_attack_if_they_are_many_and_most() {
        let check = |answered: u64, abandoned: u64, expected: Option<Excess>| {
            let overhead = Rc::new(Overhead::default());
            for _ in 0..answered {
                overhead.begin_request(1);
                overhead.begin_answer().complete();
            }
            for _ in 0..abandoned {
                overhead.begin_request(1);
                drop(overhead.begin_answer());
            }
            assert_eq!(overhead.excess(), expected, "{answered} {abandoned}");
        };
        check(0, MAX_ABANDONED, None);
        check(0, MAX_ABANDONED + 1, Some(Excess::AbandonedRequests));
        check(1_000, MAX_ABANDONED + 1, None);
    }

    #[test]
    fn counts_of_a_longer_time_are_no_excess() {
        let overhead = Overhead::default();
        let Some(before) = Instant::now().checked_sub(INTERVAL) else { return };
        overhead.since.set(before);
        overhead.receive(MAX_BYTES as usize + 1);
        assert_eq!((overhead.excess(), overhead.received.get()), (None, 0));
    }
}
