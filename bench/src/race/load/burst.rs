//! A burst: a rate that is held, then for a while one that is not, then the first one again; and
//! how long the answers stay late afterwards.

use std::time::Duration;

use super::Target;
use super::beside::{self};
use super::failure::LoadError;
use super::open::{self, Asked, Moments};
use super::users;
use crate::race::record::Outcome;

/// Before the burst.
const BEFORE: Duration = Duration::from_secs(1);
/// After it the answers are watched for so long.
const WATCHED: Duration = Duration::from_secs(10);
/// The answers to what was due in so long are judged together.
const WINDOW: Duration = Duration::from_millis(100);

/// The seconds of a measurement whose burst lasts so many.
pub(crate) fn seconds(burst_seconds: f64) -> f64 {
    (BEFORE + WATCHED).as_secs_f64() + burst_seconds
}

/// Two rates, and what the answers should be like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Burst {
    pub(crate) rate: f64,
    pub(crate) burst_rate: f64,
    pub(crate) burst_seconds: f64,
    /// Requests that are due wait for one of these to be free.
    pub(crate) connections: usize,
    /// For the 95th percentile, in microseconds.
    pub(crate) latency_limit: u64,
}

impl Burst {
    pub(crate) fn measure(self, target: &Target<'_>) -> Result<Outcome, LoadError> {
        let due = self.due();
        let moments = Moments::Shared { connections: self.connections, due };
        let mut asked = Vec::new();
        let mut outcome = beside::count(target.processes, || {
            asked = open::ask(target, moments)?;
            Ok(users::count(target, &asked, self.end().as_secs_f64()))
        })?;
        outcome.recovery_seconds = self.recovery(&asked).map(|time| time.as_secs_f64());
        Ok(outcome)
    }

    fn over(self) -> Duration {
        BEFORE + Duration::from_secs_f64(self.burst_seconds)
    }

    fn end(self) -> Duration {
        self.over() + WATCHED
    }

    fn due(self) -> Vec<Duration> {
        let mut due = Vec::new();
        let mut moment = Duration::ZERO;
        while moment < self.end() {
            due.push(moment);
            let is_burst = moment >= BEFORE && moment < self.over();
            let rate = if is_burst { self.burst_rate } else { self.rate };
            moment += Duration::from_secs_f64(1.0 / rate);
        }
        due
    }

    /// From the burst's end to the first window from which on all are within the limit; nothing
    /// where the last one is not.
    fn recovery(self, asked: &[Asked]) -> Option<Duration> {
        let limit = Duration::from_micros(self.latency_limit);
        let windows = WATCHED.as_millis() / WINDOW.as_millis();
        let mut recovered = None;
        for number in 0..u32::try_from(windows).unwrap_or(u32::MAX) {
            let begin = self.over() + WINDOW * number;
            let window = asked.iter().filter(|asked| (begin..begin + WINDOW).contains(&asked.due));
            let (mut requests, mut late) = (0, 0);
            for asked in window {
                requests += 1;
                late += usize::from(asked.latency >= limit || !asked.is_answered);
            }
            // At least 95 of 100 were in time.
            let is_within = late * 20 <= requests;
            recovered = if is_within { recovered.or(Some(begin - self.over())) } else { None };
        }
        recovered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BURST: Burst = Burst {
        rate: 100.0,
        burst_rate: 1000.0,
        burst_seconds: 1.0,
        connections: 4,
        latency_limit: 50_000,
    };

    #[test]
    fn the_rate_rises_for_the_burst_only() {
        let due = BURST.due();
        let count = |from: u64, to: u64| {
            let range = Duration::from_secs(from)..Duration::from_secs(to);
            due.iter().filter(|moment| range.contains(moment)).count()
        };
        assert_eq!((count(0, 1), count(1, 2), count(2, 12), count(12, 99)), (100, 1000, 1000, 0));
    }

    /// Requests each 10 ms after the burst; those that are due before so many milliseconds are
    /// late by what is left of these.
    fn check(late_until: u64, refused: &[u64]) -> Option<Duration> {
        let over = BURST.over();
        let asked = (0..1000).map(|number| {
            let due = Duration::from_millis(number * 10);
            let latency = Duration::from_millis(late_until).saturating_sub(due);
            Asked { due: over + due, latency, is_answered: !refused.contains(&number) }
        });
        BURST.recovery(&asked.collect::<Vec<_>>())
    }

    #[test]
    fn recovery_is_the_first_window_from_which_on_answers_are_in_time() {
        assert_eq!(check(0, &[]), Some(Duration::ZERO));
        // The last late one is due 50 ms before 630 ms, in the window from 500 ms on.
        assert_eq!(check(630, &[]), Some(Duration::from_millis(600)));
        assert_eq!(check(20_000, &[]), None);
        // One of the ten of a window was refused, three seconds after the burst.
        assert_eq!(check(630, &[300]), Some(Duration::from_millis(3100)));
        assert_eq!(check(0, &[999]), None);
    }
}
