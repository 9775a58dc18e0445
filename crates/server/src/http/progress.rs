//! How far a connection is, and when its patience ends.
//!
//! Nothing here is done by request but to remember a phase and a time: one alarm a connection
//! rings now and then, and looks whether a time limit has passed meanwhile.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::pin::{Pin, pin};
use std::task::{Poll, Waker};
use std::time::Duration;

use std::future::poll_fn;

use tokio::time::{Instant, sleep_until};

/// What a connection does that is not busy is not interrupted for so long when the server stops:
/// a request may be on its way.
const STOP_GRACE: Duration = Duration::from_millis(200);

/// How long a client that is new may take before it has to make room for others.
const MAKES_ROOM_AFTER: Duration = Duration::from_secs(1);

/// The same of one whose body is waited for: a slow line may take so long.
const BODY_MAKES_ROOM_AFTER: Duration = Duration::from_secs(5);

/// What has to be done within which time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// From the first byte of a head to its last, and from a connection's begin to the first.
    pub(super) header: Duration,
    /// From an answer to the next request.
    pub(super) keep_alive: Duration,
    /// From one part of an answer to the next that the client takes.
    pub(super) stall: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing has come of a request. TLS is agreed upon in this time, too.
    New,
    /// The beginning of a head has come.
    Head,
    /// A request is read and answered.
    Working,
    /// It is waited for more of the body of a request.
    Body,
    /// The answer is there, and is being sent.
    Answering,
    /// All requests are answered.
    Idle,
}

/// Why a connection ends before it is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing was going on; nobody has to be told.
    Unused,
    /// The head of a request did not come in time.
    HeadTimeout,
    /// The client does not take its answer.
    Stalled,
}

/// How far a connection is.
#[derive(Debug)]
pub(super) struct Progress {
    phase: Cell<Phase>,
    /// When the phase began; not kept for those that have no limit.
    since: Cell<Instant>,
    /// Since when bytes wait for the client to take some.
    stalled: Cell<Option<Instant>>,
    /// When the server began to stop.
    stopping: Cell<Option<Instant>>,
    is_evicted: Cell<bool>,
    /// How many bytes of the body have come.
    received: Cell<u64>,
    /// Whether to look at once, not when the alarm rings.
    is_called: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self {
            phase: Cell::new(Phase::New),
            since: Cell::new(Instant::now()),
            stalled: Cell::new(None),
            stopping: Cell::new(None),
            is_evicted: Cell::new(false),
            received: Cell::new(0),
            is_called: Cell::new(false),
            waker: RefCell::new(None),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase.get()
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.set(phase);
        match phase {
            Phase::New | Phase::Head | Phase::Idle | Phase::Body => self.since.set(Instant::now()),
            Phase::Working | Phase::Answering => {}
        }
    }

    /// A body has not come as a whole with its head.
    pub(super) fn wait_for_body(&self) {
        if self.phase.get() == Phase::Working {
            self.enter(Phase::Body);
        }
    }

    /// Bytes of a body have come.
    pub(super) fn receive(&self, bytes: usize) {
        self.received.set(self.received.get() + bytes as u64);
    }

    /// A body is read, or refused.
    pub(super) fn end_body(&self) {
        self.received.set(0);
        if self.phase.get() == Phase::Body {
            self.enter(Phase::Working);
        }
    }

    /// Whether the connection is given up for another.
    pub(super) fn is_evicted(&self) -> bool {
        self.is_evicted.get()
    }

    /// The client took bytes of an answer, or did not.
    pub(super) fn wrote(&self, has_taken: bool) {
        match (has_taken, self.stalled.get()) {
            (true, Some(_)) => self.stalled.set(None),
            (false, None) => self.stalled.set(Some(Instant::now())),
            (true, None) | (false, Some(_)) => {}
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.get().is_some()
    }

    /// Lets the connection end as soon as nothing is going on.
    pub(super) fn stop(&self) {
        self.stopping.set(Some(Instant::now()));
        self.call();
    }

    /// Lets the connection end now.
    pub(super) fn evict(&self) {
        self.is_evicted.set(true);
        self.call();
    }

    fn call(&self) {
        self.is_called.set(true);
        if let Some(waker) = self.waker.borrow().as_ref() {
            waker.wake_by_ref();
        }
    }

    /// How gladly the connection is given up for a new one; the least first, none if it is busy. Of
    /// those in one phase the one that is in it for the longest is the least, and of those whose body
    /// is waited for the one that took the longest for each byte.
    pub(super) fn worth(&self, now: Instant) -> Option<(u8, Reverse<u128>)> {
        let elapsed = now.duration_since(self.since.get());
        let is_slow = elapsed >= MAKES_ROOM_AFTER;
        let longest = Reverse(elapsed.as_nanos());
        match self.phase.get() {
            _ if self.is_evicted.get() => None,
            Phase::Idle => Some((0, longest)),
            Phase::New if is_slow => Some((1, longest)),
            Phase::Head if is_slow => Some((2, longest)),
            Phase::Body if elapsed >= BODY_MAKES_ROOM_AFTER => {
                let bytes = u128::from(self.received.get()) + 1;
                Some((3, Reverse(elapsed.as_nanos() / bytes)))
            }
            Phase::New | Phase::Head | Phase::Body | Phase::Working | Phase::Answering => None,
        }
    }

    /// What the time is up for, or when to look again.
    fn judge(&self, now: Instant, patience: &Patience) -> Result<Instant, Verdict> {
        let since = self.since.get();
        let (limit, verdict) = match self.phase.get() {
            Phase::New => (Some(since + patience.header), Verdict::Unused),
            Phase::Head => (Some(since + patience.header), Verdict::HeadTimeout),
            Phase::Idle => (Some(since + patience.keep_alive), Verdict::Unused),
            // A body that is given up is refused by who reads it.
            Phase::Body | Phase::Working | Phase::Answering => (None, Verdict::Stalled),
        };
        let is_unused = verdict == Verdict::Unused;
        let stop = self.stopping.get().filter(|_| is_unused).map(|stop| stop + STOP_GRACE);
        let stall = self.stalled.get().map(|stalled| stalled + patience.stall);
        if limit.is_some() && self.is_evicted.get() {
            return Err(verdict);
        }
        for (limit, verdict) in [(limit, verdict), (stop, verdict), (stall, Verdict::Stalled)] {
            if limit.is_some_and(|limit| limit <= now) {
                return Err(verdict);
            }
        }
        // A phase that begins later has a later limit than this.
        let shortest = patience.header.min(patience.keep_alive).min(patience.stall);
        let limits = [limit, stop, stall].into_iter().flatten();
        Ok(limits.fold(now + shortest, Instant::min))
    }
}

/// Runs a future of the connection to its end, or until its patience ends.
pub(super) async fn supervise<F: Future + Unpin>(
    progress: &Progress,
    patience: impl Fn() -> Patience,
    future: &mut F,
) -> Result<F::Output, Verdict> {
    let first = progress.judge(Instant::now(), &patience())?;
    let mut alarm = pin!(sleep_until(first));
    poll_fn(|cx| {
        if let Poll::Ready(output) = Pin::new(&mut *future).poll(cx) {
            return Poll::Ready(Ok(output));
        }
        let mut waker = progress.waker.borrow_mut();
        if !waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            *waker = Some(cx.waker().clone());
        }
        drop(waker);
        if progress.is_called.take() {
            alarm.as_mut().reset(Instant::now());
        }
        while alarm.as_mut().poll(cx).is_ready() {
            match progress.judge(Instant::now(), &patience()) {
                Ok(next) => alarm.as_mut().reset(next),
                Err(verdict) => return Poll::Ready(Err(verdict)),
            }
        }
        Poll::Pending
    })
    .await
}
