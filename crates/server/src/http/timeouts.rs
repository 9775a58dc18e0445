//! Timeouts for slow and idle clients: the state of a connection, and when it has to end.
//!
//! A request only records a state and a time. One timer per connection wakes now and then, and checks
//! whether a limit has passed meanwhile.

mod streams;

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Weak;
use std::task::{Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use self::streams::Membership;

/// Grace period of an idle connection when the server stops: a request may be on its way.
const STOP_GRACE: Duration = Duration::from_millis(200);

/// Age from which a connection without a complete head may be evicted.
const MAKES_ROOM_AFTER: Duration = Duration::from_secs(1);

/// Age from which a connection that waits for a body may be evicted: a slow line may take so long.
const BODY_MAKES_ROOM_AFTER: Duration = Duration::from_secs(5);

/// Time limits for clients.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClientTimeouts {
    /// From the first byte of a head to its last, and from the start of a connection to the first.
    pub(super) header: Duration,
    /// From a response to the next request.
    pub(super) keep_alive: Duration,
    /// From one part of a response that the client reads to the next.
    pub(super) stall: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing of a request has come; includes the TLS handshake.
    New,
    /// The beginning of a head has come.
    Head,
    /// A request is read and answered.
    Working,
    /// The server waits for more of the body.
    Body,
    /// The response is complete, and is being sent.
    Answering,
    /// All requests are answered.
    Idle,
    /// The connection is a WebSocket, which has timers of its own.
    Socket,
}

/// The reason why a connection ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// Nothing was going on: the connection closes without a response.
    Idle,
    /// The head of a request did not come in time.
    HeadTimeout,
    /// The client does not read its response.
    Stalled,
}

/// The state of a connection, or of a stream of an HTTP/2 connection.
#[derive(Debug)]
pub(super) struct ConnectionState {
    phase: Cell<Phase>,
    /// When the phase began; not set for phases without a limit.
    since: Cell<Instant>,
    /// Since when written bytes wait for the client.
    stalled: Cell<Option<Instant>>,
    /// Whether the connection ends because the client does not read its response.
    has_stalled: Cell<bool>,
    /// When the server began to stop.
    stopping: Cell<Option<Instant>>,
    is_evicted: Cell<bool>,
    /// Received bytes of the body.
    received: Cell<u64>,
    /// Whether to check now, before the timer.
    is_called: Cell<bool>,
    waker: RefCell<Option<Waker>>,
    /// The open streams of an HTTP/2 connection.
    streams: RefCell<BTreeMap<u64, Weak<ConnectionState>>>,
    /// The number of the next stream.
    next_stream: Cell<u64>,
    /// The connection of a stream.
    membership: Option<Membership>,
    /// Whether the task of a stream runs.
    has_task: Cell<bool>,
    /// Bytes of the response of a stream that wait to be written.
    unsent: Cell<usize>,
}

impl ConnectionState {
    pub(super) fn new() -> Self {
        Self {
            phase: Cell::new(Phase::New),
            since: Cell::new(Instant::now()),
            stalled: Cell::new(None),
            has_stalled: Cell::new(false),
            stopping: Cell::new(None),
            is_evicted: Cell::new(false),
            received: Cell::new(0),
            is_called: Cell::new(false),
            waker: RefCell::new(None),
            streams: RefCell::default(),
            next_stream: Cell::new(0),
            membership: None,
            has_task: Cell::new(true),
            unsent: Cell::new(0),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase.get()
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.set(phase);
        match phase {
            Phase::New | Phase::Head | Phase::Idle | Phase::Body => self.since.set(Instant::now()),
            Phase::Working | Phase::Answering | Phase::Socket => {}
        }
        // A stream that ends because the server stops has said nothing of the end of the connection.
        if phase == Phase::Idle && self.is_stopping() {
            self.call();
        }
    }

    /// Records that a body did not arrive as a whole with its head.
    pub(super) fn wait_for_body(&self) {
        if self.phase.get() == Phase::Working {
            self.enter(Phase::Body);
        }
    }

    /// Counts received bytes of a body.
    pub(super) fn receive(&self, bytes: usize) {
        self.received.set(self.received.get() + bytes as u64);
        if let Some(Membership { connection, .. }) = &self.membership {
            connection.receive(bytes);
        }
    }

    /// Records that a body is complete, or refused.
    pub(super) fn end_body(&self) {
        self.received.set(0);
        if self.phase.get() == Phase::Body {
            self.enter(Phase::Working);
        }
    }

    /// Whether the connection is evicted, to make room for another.
    pub(super) fn is_evicted(&self) -> bool {
        self.is_evicted.get()
    }

    /// Records whether the client accepts bytes of a response.
    pub(super) fn wrote(&self, has_taken: bool) {
        match (has_taken, self.stalled.get()) {
            (true, Some(_)) => self.stalled.set(None),
            (false, None) => self.stalled.set(Some(Instant::now())),
            (true, None) | (false, Some(_)) => {}
        }
    }

    /// Whether the connection or the stream ends because the client does not read its response.
    pub(super) fn has_stalled(&self) -> bool {
        let of_connection = self.membership.as_ref().map(|membership| &membership.connection);
        self.has_stalled.get() || of_connection.is_some_and(|connection| connection.has_stalled())
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.get().is_some()
    }

    /// Waits until the server begins to stop. Only for a future that the connection's timeouts or the
    /// task of its stream poll, because their waker is woken.
    pub(super) async fn stopped(&self) {
        poll_fn(|_| match self.is_stopping() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }

    /// Closes the connection as soon as it is idle.
    pub(super) fn stop(&self) {
        self.stopping.set(Some(Instant::now()));
        self.open_streams().iter().for_each(|stream| stream.stop());
        self.call();
    }

    /// Evicts the connection.
    pub(super) fn evict(&self) {
        self.is_evicted.set(true);
        self.open_streams().iter().for_each(|stream| stream.evict());
        self.call();
    }

    fn call(&self) {
        self.is_called.set(true);
        if let Some(waker) = self.waker.borrow().as_ref() {
            waker.wake_by_ref();
        }
    }

    /// Order of eviction: the least first; none if the connection is busy. Within a phase the one that is
    /// in it for longest comes first, and of those that wait for a body the one with the most time per
    /// byte.
    pub(super) fn eviction_rank(&self, now: Instant) -> Option<(u8, Reverse<u128>)> {
        let elapsed = now.duration_since(self.since.get());
        let is_slow = elapsed >= MAKES_ROOM_AFTER;
        let longest = Reverse(elapsed.as_nanos());
        match self.phase.get() {
            _ if self.is_evicted.get() => None,
            Phase::Working if self.membership.is_none() => self.streams_rank(now),
            Phase::Idle => Some((0, longest)),
            Phase::New if is_slow => Some((1, longest)),
            Phase::Head if is_slow => Some((2, longest)),
            Phase::Body if elapsed >= BODY_MAKES_ROOM_AFTER => {
                let bytes = u128::from(self.received.get()) + 1;
                Some((3, Reverse(elapsed.as_nanos() / bytes)))
            }
            Phase::New
            | Phase::Head
            | Phase::Body
            | Phase::Working
            | Phase::Answering
            | Phase::Socket => None,
        }
    }

    /// Checks the time limits, and returns when to check again.
    fn check(&self, now: Instant, timeouts: &ClientTimeouts) -> Result<Instant, CloseReason> {
        let since = self.since.get();
        let (limit, verdict) = match self.phase.get() {
            Phase::New => (Some(since + timeouts.header), CloseReason::Idle),
            Phase::Head => (Some(since + timeouts.header), CloseReason::HeadTimeout),
            Phase::Idle => (Some(since + timeouts.keep_alive), CloseReason::Idle),
            // The reader of the body refuses one that is cancelled.
            Phase::Body | Phase::Working | Phase::Answering | Phase::Socket => {
                (None, CloseReason::Stalled)
            }
        };
        let is_unused = verdict == CloseReason::Idle;
        let stop = self.stopping.get().filter(|_| is_unused).map(|stop| stop + STOP_GRACE);
        let stall = self.stalled.get().map(|stalled| stalled + timeouts.stall);
        if limit.is_some() && self.is_evicted.get() {
            return Err(verdict);
        }
        for (limit, verdict) in [(limit, verdict), (stop, verdict), (stall, CloseReason::Stalled)] {
            if limit.is_some_and(|limit| limit <= now) {
                return Err(verdict);
            }
        }
        let streams = self.check_streams(now, timeouts)?;
        // A phase that begins later has a limit later than this.
        let shortest = timeouts.header.min(timeouts.keep_alive).min(timeouts.stall);
        let limits = [limit, stop, stall, streams].into_iter().flatten();
        Ok(limits.fold(now + shortest, Instant::min))
    }
}

/// Runs a future of the connection until it is ready or a time limit passes.
pub(super) async fn run_with_timeouts<F: Future + Unpin>(
    state: &ConnectionState,
    timeouts: impl Fn() -> ClientTimeouts,
    future: &mut F,
) -> Result<F::Output, CloseReason> {
    let first = state.check(Instant::now(), &timeouts())?;
    let mut alarm = pin!(sleep_until(first));
    poll_fn(|cx| {
        if let Poll::Ready(output) = Pin::new(&mut *future).poll(cx) {
            return Poll::Ready(Ok(output));
        }
        state.keep_waker(cx.waker());
        if state.is_called.take() {
            alarm.as_mut().reset(Instant::now());
        }
        while alarm.as_mut().poll(cx).is_ready() {
            match state.check(Instant::now(), &timeouts()) {
                Ok(next) => alarm.as_mut().reset(next),
                Err(verdict) => {
                    // Before the connection drops its response, whose record has the reason.
                    state.has_stalled.set(verdict == CloseReason::Stalled);
                    return Poll::Ready(Err(verdict));
                }
            }
        }
        Poll::Pending
    })
    .await
}
