//! Circuit breaker: after too many failures a subgraph receives no requests for a while. They would
//! only fail later, and a subgraph under overload needs the rest.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::settings::BreakerSettings;

/// Number of parts of the sliding window: the oldest part is dropped as a whole.
const WINDOW_PARTS: usize = 10;

/// State of a circuit breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// Requests are sent.
    Closed,
    /// One trial request is in flight.
    HalfOpen,
    /// Requests are refused.
    Open,
}

/// Circuit breaker of a subgraph, shared by all threads.
#[derive(Debug)]
pub(super) struct CircuitBreaker {
    breaker: BreakerSettings,
    /// Whether the state is other than closed; avoids the lock in the usual case.
    is_not_closed: AtomicBool,
    inner: Mutex<Inner>,
}

/// Permission to send a request. Its outcome is recorded by [`Permit::end`]; a dropped permit
/// counts as cancelled.
#[derive(Debug)]
pub(super) struct Permit<'c> {
    circuit: &'c CircuitBreaker,
    is_trial: bool,
}

/// State transition caused by the end of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transition {
    /// The breaker opened.
    Opened,
    /// The trial request failed, and the breaker stays open for another pause.
    StaysOpen,
    /// The trial request succeeded, and the breaker is closed.
    Closed,
}

#[derive(Debug)]
struct Inner {
    state: State,
    parts: [Part; WINDOW_PARTS],
    /// Index and start of the current part of the window.
    part: usize,
    since: Instant,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Closed,
    Open { until: Instant },
    HalfOpen,
}

#[derive(Clone, Copy, Debug, Default)]
struct Part {
    requests: u32,
    failures: u32,
}

impl CircuitBreaker {
    pub(super) fn new(breaker: BreakerSettings, now: Instant) -> Self {
        let parts = [Part::default(); WINDOW_PARTS];
        let inner = Inner { state: State::Closed, parts, part: 0, since: now };
        Self { breaker, is_not_closed: AtomicBool::new(false), inner: Mutex::new(inner) }
    }

    /// Permits a request, or returns until when requests are refused.
    pub(super) fn admit(&self, now: Instant) -> Result<Permit<'_>, Instant> {
        let mut is_trial = false;
        if self.is_not_closed.load(Ordering::Acquire) {
            let mut inner = self.lock();
            match inner.state {
                State::Closed => {}
                State::Open { until } if now < until => return Err(until),
                State::Open { .. } => {
                    inner.state = State::HalfOpen;
                    is_trial = true;
                }
                // The duration of the trial request is unknown; the pause is taken as an estimate.
                State::HalfOpen => return Err(now + self.breaker.pause),
            }
        }
        Ok(Permit { circuit: self, is_trial })
    }

    /// Returns until when requests are refused, if they are; permits nothing.
    pub(super) fn open_until(&self, now: Instant) -> Option<Instant> {
        if !self.is_not_closed.load(Ordering::Acquire) {
            return None;
        }
        match self.lock().state {
            State::Open { until } if now < until => Some(until),
            State::Closed | State::Open { .. } | State::HalfOpen => None,
        }
    }

    pub(super) fn state(&self, now: Instant) -> BreakerState {
        match self.lock().state {
            State::Closed => BreakerState::Closed,
            State::HalfOpen => BreakerState::HalfOpen,
            State::Open { until } if now < until => BreakerState::Open,
            State::Open { .. } => BreakerState::HalfOpen,
        }
    }

    fn record(&self, is_trial: bool, has_failed: bool, now: Instant) -> Option<Transition> {
        let mut inner = self.lock();
        match inner.state {
            State::Closed => {
                inner.advance(self.breaker.window, now);
                inner.count(has_failed).exceeds(self.breaker).then(|| {
                    self.open(&mut inner, now + self.breaker.pause);
                    Transition::Opened
                })
            }
            State::HalfOpen if is_trial && has_failed => {
                self.open(&mut inner, now + self.breaker.pause);
                Some(Transition::StaysOpen)
            }
            State::HalfOpen if is_trial => {
                let parts = [Part::default(); WINDOW_PARTS];
                *inner = Inner { state: State::Closed, parts, part: 0, since: now };
                self.is_not_closed.store(false, Ordering::Release);
                Some(Transition::Closed)
            }
            // Requests that were sent before the breaker opened carry no news.
            State::HalfOpen | State::Open { .. } => None,
        }
    }

    fn open(&self, inner: &mut Inner, until: Instant) {
        inner.state = State::Open { until };
        self.is_not_closed.store(true, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// Records the outcome of the request and returns the resulting state transition.
    pub(super) fn end(mut self, has_failed: bool, now: Instant) -> Option<Transition> {
        let is_trial = std::mem::take(&mut self.is_trial);
        self.circuit.record(is_trial, has_failed, now)
    }
}

impl Drop for Permit<'_> {
    /// The trial request was cancelled: the next request is the trial.
    fn drop(&mut self) {
        if self.is_trial {
            let mut inner = self.circuit.lock();
            inner.state = State::Open { until: inner.since };
        }
    }
}

impl Inner {
    /// Drops the counts before the window.
    fn advance(&mut self, window: Duration, now: Instant) {
        let length = (window / WINDOW_PARTS as u32).max(Duration::from_millis(1));
        let past = now.saturating_duration_since(self.since).as_nanos() / length.as_nanos();
        let turns = usize::try_from(past).unwrap_or(usize::MAX);
        for _ in 0..turns.min(WINDOW_PARTS) {
            self.part = (self.part + 1) % WINDOW_PARTS;
            self.parts[self.part] = Part::default();
        }
        match u32::try_from(turns) {
            Ok(turns) if turns as usize <= WINDOW_PARTS => self.since += length * turns,
            _ => self.since = now,
        }
    }

    /// Counts a request and returns the totals of the window.
    fn count(&mut self, has_failed: bool) -> Part {
        let part = &mut self.parts[self.part];
        part.requests = part.requests.saturating_add(1);
        part.failures = part.failures.saturating_add(u32::from(has_failed));
        self.parts.iter().fold(Part::default(), |sum, part| Part {
            requests: sum.requests.saturating_add(part.requests),
            failures: sum.failures.saturating_add(part.failures),
        })
    }
}

impl Part {
    fn exceeds(self, breaker: BreakerSettings) -> bool {
        let share =
            u64::from(self.failures) * 100 >= u64::from(breaker.percent) * u64::from(self.requests);
        self.failures > 0 && self.requests >= breaker.min_requests && share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: BreakerSettings = BreakerSettings {
        percent: 50,
        min_requests: 4,
        window: Duration::from_secs(10),
        pause: Duration::from_secs(5),
    };

    fn send(circuit: &CircuitBreaker, has_failed: bool, now: Instant) -> Option<Transition> {
        circuit.admit(now).unwrap().end(has_failed, now)
    }

    #[test]
    fn it_opens_at_the_share_with_enough_requests() {
        let now = Instant::now();
        let circuit = CircuitBreaker::new(SETTINGS, now);
        for has_failed in [true, true, false] {
            assert_eq!(send(&circuit, has_failed, now), None);
            assert_eq!(circuit.state(now), BreakerState::Closed);
        }
        assert_eq!(send(&circuit, false, now), Some(Transition::Opened));
        assert_eq!(circuit.state(now), BreakerState::Open);
        assert_eq!(circuit.admit(now).unwrap_err(), now + SETTINGS.pause);
    }

    #[test]
    fn fewer_failures_than_the_share_leave_it_closed() {
        let now = Instant::now();
        let circuit = CircuitBreaker::new(SETTINGS, now);
        for idx in 0..100 {
            send(&circuit, idx % 5 < 2 && idx > 4, now);
        }
        assert_eq!(circuit.state(now), BreakerState::Closed);
    }

    #[test]
    fn failures_before_the_window_are_forgotten() {
        let now = Instant::now();
        let circuit = CircuitBreaker::new(SETTINGS, now);
        for seconds in [0, 0, 0, 11, 22, 22, 33] {
            send(&circuit, true, now + Duration::from_secs(seconds));
        }
        assert_eq!(circuit.state(now + Duration::from_secs(33)), BreakerState::Closed);
        let late = now + Duration::from_secs(1 << 40);
        for _ in 0..4 {
            send(&circuit, true, late);
        }
        assert_eq!(circuit.state(late), BreakerState::Open);
    }

    fn opened(now: Instant) -> CircuitBreaker {
        let circuit = CircuitBreaker::new(SETTINGS, now);
        for _ in 0..4 {
            send(&circuit, true, now);
        }
        circuit
    }

    #[test]
    fn one_request_tries_after_the_pause_and_closes_it() {
        let now = Instant::now();
        let circuit = opened(now);
        let later = now + SETTINGS.pause;
        let trial = circuit.admit(later).unwrap();
        assert_eq!(circuit.state(later), BreakerState::HalfOpen);
        assert!(circuit.admit(later).is_err(), "only one");
        assert_eq!(trial.end(false, later), Some(Transition::Closed));
        assert_eq!(circuit.state(later), BreakerState::Closed);
        send(&circuit, true, later);
        assert_eq!(circuit.state(later), BreakerState::Closed, "old failures do not count");
    }

    #[test]
    fn a_try_that_fails_opens_it_again() {
        let now = Instant::now();
        let circuit = opened(now);
        let later = now + SETTINGS.pause;
        assert_eq!(send(&circuit, true, later), Some(Transition::StaysOpen));
        assert_eq!(circuit.state(later), BreakerState::Open);
        assert_eq!(circuit.admit(later).unwrap_err(), later + SETTINGS.pause);
    }

    #[test]
    fn a_try_that_is_given_up_leaves_room_for_the_next() {
        let now = Instant::now();
        let circuit = opened(now);
        let later = now + SETTINGS.pause;
        drop(circuit.admit(later).unwrap());
        send(&circuit, false, later);
        assert_eq!(circuit.state(later), BreakerState::Closed);
    }

    #[test]
    fn what_was_sent_before_it_opened_does_not_close_it() {
        let now = Instant::now();
        let circuit = CircuitBreaker::new(SETTINGS, now);
        let early = circuit.admit(now).unwrap();
        for _ in 0..4 {
            send(&circuit, true, now);
        }
        let trial = circuit.admit(now + SETTINGS.pause).unwrap();
        early.end(false, now + SETTINGS.pause);
        assert_eq!(circuit.state(now + SETTINGS.pause), BreakerState::HalfOpen);
        trial.end(true, now + SETTINGS.pause);
        assert_eq!(circuit.state(now + SETTINGS.pause), BreakerState::Open);
    }
}
