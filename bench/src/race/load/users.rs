//! Users who ask seldom: each has a connection and asks once in two seconds, at moments of its
//! own. What Phrag's own benchmark raises until its answers are late.

use std::time::Duration;

use super::Target;
use super::beside::{self, Counts};
use super::failure::LoadError;
use super::open::{self, Asked, Moments};
use crate::race::record::Outcome;
use crate::statistics;

/// From one request of a user to the next.
const PERIOD: Duration = Duration::from_secs(2);

/// Each has a connection, and more than these ports and files are not to be had on one machine.
const MOST: u64 = 40_000;

/// The most users on this machine.
pub(crate) fn most() -> u32 {
    u32::try_from(open::most_connections().min(MOST)).unwrap_or(u32::MAX)
}

/// Asks as so many users do, each of them at least once.
pub(crate) fn measure(target: &Target<'_>, users: u32, seconds: u32) -> Result<Outcome, LoadError> {
    let moments = moments(users, Duration::from_secs(seconds.into()));
    beside::count(target.processes, || {
        let asked = open::ask(target, Moments::Apart(moments))?;
        Ok(count(target, &asked, f64::from(seconds).max(PERIOD.as_secs_f64())))
    })
}

/// The first moments are spread over the period, so that the users together ask steadily.
fn moments(users: u32, length: Duration) -> Vec<Vec<Duration>> {
    let rounds = u32::try_from(length.as_millis() / PERIOD.as_millis()).unwrap_or(u32::MAX).max(1);
    let first = |user: u32| PERIOD.mul_f64(f64::from(user) / f64::from(users));
    let moments = |user: u32| (0..rounds).map(|round| first(user) + PERIOD * round).collect();
    (0..users).map(moments).collect()
}

/// All answers have been compared with what is expected, where it is known.
pub(super) fn count(target: &Target<'_>, asked: &[Asked], seconds: f64) -> Counts {
    let failures = asked.iter().filter(|asked| !asked.is_answered).count() as u64;
    let is_known = target.questions.iter().all(|question| question.answer.is_some());
    let requests = asked.len() as u64;
    let answers = requests - failures;
    let times = asked.iter().map(|asked| asked.latency.as_secs_f64() * 1e6).collect();
    Counts {
        seconds,
        requests,
        failures,
        compared: if is_known { answers } else { 0 },
        latency: statistics::latency(times),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_ask_steadily_and_each_once_in_two_seconds() {
        let moments = moments(4, Duration::from_secs(4));
        let milliseconds: Vec<Vec<u128>> =
            moments.iter().map(|user| user.iter().map(Duration::as_millis).collect()).collect();
        assert_eq!(milliseconds, [[0, 2000], [500, 2500], [1000, 3000], [1500, 3500]]);
    }

    #[test]
    fn every_user_asks_however_short_the_time_is() {
        assert_eq!(moments(3, Duration::from_millis(100)).concat().len(), 3);
    }
}
