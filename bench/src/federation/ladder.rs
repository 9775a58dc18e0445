//! Arrival rates, one above the other: how short the worst waits are where a gateway has time, and
//! how far that goes.

use crate::race::record::Outcome;

/// The rates, of what the closed loop of most connections reached.
const STEPS: [f64; 12] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2];
/// The tolerated multiple of the least 99th percentile.
const TOLERANCE: f64 = 1.5;

/// A rate, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rung {
    pub(super) rate: f64,
    /// Microseconds.
    pub(super) p99: f64,
    /// Answers a second.
    pub(super) answered: f64,
    pub(super) has_failures: bool,
}

/// The result of a ladder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Climbed {
    /// Microseconds.
    pub(super) least_p99: f64,
    /// The highest rate at which the 99th percentile is at most half as much again.
    pub(super) steady_rate: f64,
    /// The most answers a second.
    pub(super) most: f64,
}

pub(super) fn rates(closed: f64) -> impl Iterator<Item = f64> {
    STEPS.into_iter().map(move |step| (closed * step).round().max(1.0))
}

impl Rung {
    pub(super) fn of(rate: f64, outcome: &Outcome) -> Self {
        Self {
            rate,
            p99: outcome.latency.p99,
            answered: outcome.requests_per_second(),
            has_failures: outcome.failures > 0,
        }
    }
}

/// Nothing where no rate was stood.
pub(super) fn climbed(rungs: &[Rung]) -> Option<Climbed> {
    let good = || rungs.iter().filter(|rung| !rung.has_failures);
    let least_p99 = good().map(|rung| rung.p99).min_by(f64::total_cmp)?;
    let steady = good().filter(|rung| rung.p99 <= least_p99 * TOLERANCE).map(|rung| rung.rate);
    Some(Climbed {
        least_p99,
        steady_rate: steady.max_by(f64::total_cmp)?,
        most: good().map(|rung| rung.answered).max_by(f64::total_cmp)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_says_how_far_short_waits_go() {
        let rung = |rate, p99, answered| Rung { rate, p99, answered, has_failures: false };
        let failed = Rung { has_failures: true, ..rung(500.0, 100.0, 900.0) };
        let rungs = [
            rung(100.0, 2_200.0, 100.0),
            rung(200.0, 2_000.0, 200.0),
            rung(300.0, 3_000.0, 300.0),
            rung(400.0, 3_001.0, 390.0),
            failed,
        ];
        let expected = Climbed { least_p99: 2_000.0, steady_rate: 300.0, most: 390.0 };
        assert_eq!(climbed(&rungs), Some(expected));
        assert_eq!(climbed(&[failed]), None);
    }

    #[test]
    fn rates_rise_to_beyond_what_was_reached() {
        let rates: Vec<f64> = rates(1000.0).collect();
        assert!(rates.is_sorted() && rates[0] == 100.0 && rates[11] == 1200.0);
        assert_eq!(super::rates(2.0).next(), Some(1.0));
    }
}
