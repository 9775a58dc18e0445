//! One measurement: by the right program, and again where something else disturbed it.

use std::path::{Path, PathBuf};

use super::load::burst::Burst;
use super::load::failure::LoadError;
use super::load::oha::Oha;
use super::load::own_loop::OwnLoop;
use super::load::pgbench::Pgbench;
use super::load::wrk::Wrk;
use super::load::{Target, users};
use super::pace::Pace;
use super::ramp::Ramp;
use super::record::{Load, Outcome};
use super::warm_up;

/// Connections of the warm-up: enough to open all of a server's connections to the database.
pub(super) const WARM_UP_CONNECTIONS: u32 = 16;

/// Connections of constant rates and bursts; requests that wait for a free one are late.
pub(super) const CONNECTIONS: u32 = 64;
/// Each user asks twice.
pub(super) const USERS_SECONDS: u32 = 4;
/// The rate around a burst, as a share of the closed loop's.
const BURST_BASE: f64 = 0.3;
const BURST_EXCESS: f64 = 2.0;

/// Loads and their outcomes: several where rates were tried.
pub(super) type Measured = Vec<(Load, Outcome)>;

/// Puts loads on servers.
#[derive(Debug)]
pub(super) struct Meter {
    /// For scripts and bodies.
    pub(super) folder: PathBuf,
    pub(super) pace: Pace,
}

impl Meter {
    /// Asks until the speed is steady, and gives it; `known` is that of the round before.
    pub(super) fn warm_up(
        &self,
        wrk: &Path,
        target: &Target<'_>,
        known: Option<f64>,
    ) -> Result<f64, LoadError> {
        let wrk = self.wrk(wrk, WARM_UP_CONNECTIONS);
        warm_up::until_steady(self.pace.warm_up_loops, known, || wrk.warm(target, 1))
    }

    /// `is_first` has every answer checked for a while before it is measured.
    pub(super) fn closed(
        &self,
        wrk: &Path,
        connections: u32,
        target: &Target<'_>,
        is_first: bool,
    ) -> Result<Outcome, LoadError> {
        let wrk = self.wrk(wrk, connections);
        let seconds = self.pace.settings.seconds;
        let mut is_checked = !is_first;
        undisturbed(self.pace.repetitions, || {
            if is_checked {
                return wrk.measure_again(target, seconds);
            }
            is_checked = true;
            wrk.measure(target, seconds)
        })
    }

    /// Raises a constant rate until it is not stood any more; closed loops have reached `closed`.
    pub(super) fn constant(
        &self,
        oha: &Path,
        closed: f64,
        target: &Target<'_>,
    ) -> Result<Measured, LoadError> {
        let oha = Oha { program: oha, folder: &self.folder, connections: CONNECTIONS };
        self.climb_rates(closed, |rate| oha.measure(target, rate, self.pace.step_seconds))
    }

    /// Raises the number of users in the same way.
    pub(super) fn users(&self, start: f64, target: &Target<'_>) -> Result<Measured, LoadError> {
        let most = f64::from(users::most());
        let limit = self.pace.settings.users_latency_limit;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "users")]
        let count = |number: f64| number as u32;
        let load = |number| Load::Users { users: count(number) };
        self.climb(Ramp::new(start.max(1.0), self.pace.steps, most), limit, load, |number| {
            users::measure(target, count(number), USERS_SECONDS)
        })
    }

    /// A rate that is stood easily, one that nobody stands, and the first again.
    pub(super) fn burst(&self, speed: f64, target: &Target<'_>) -> Result<Measured, LoadError> {
        let rate = (speed * BURST_BASE).round().max(1.0);
        let burst_rate = (speed * BURST_EXCESS).round().max(1.0);
        let burst_seconds = self.pace.burst_seconds;
        let burst = Burst {
            rate,
            burst_rate,
            burst_seconds,
            connections: CONNECTIONS as usize,
            latency_limit: self.pace.settings.latency_limit,
        };
        let outcome = undisturbed(self.pace.repetitions, || burst.measure(target))?;
        Ok(vec![(Load::Burst { rate, burst_rate, burst_seconds }, outcome)])
    }

    /// The statements of a floor in PostgreSQL.
    pub(super) fn pgbench(&self, pgbench: Pgbench<'_>) -> Result<Outcome, LoadError> {
        let seconds = self.pace.settings.seconds;
        undisturbed(self.pace.repetitions, || pgbench.measure(seconds))
    }

    /// The statements of a floor in PostgreSQL at rising rates.
    pub(super) fn pgbench_constant(
        &self,
        pgbench: Pgbench<'_>,
        closed: f64,
    ) -> Result<Measured, LoadError> {
        self.climb_rates(closed, |rate| pgbench.measure_rate(rate, self.pace.step_seconds))
    }

    /// The statements of a floor in SQLite or Neo4j.
    pub(super) fn own_loop(&self, own_loop: OwnLoop<'_>) -> Result<Outcome, LoadError> {
        let seconds = self.pace.settings.seconds;
        undisturbed(self.pace.repetitions, || own_loop.measure(seconds))
    }

    fn climb_rates(
        &self,
        closed: f64,
        measure: impl FnMut(f64) -> Result<Outcome, LoadError>,
    ) -> Result<Measured, LoadError> {
        let start = (closed * self.pace.first_rate).max(1.0);
        let ramp = Ramp::new(start, self.pace.steps, f64::INFINITY);
        let limit = self.pace.settings.latency_limit;
        self.climb(ramp, limit, |rate| Load::Constant { rate }, measure)
    }

    fn climb(
        &self,
        mut ramp: Ramp,
        latency_limit: u64,
        load: impl Fn(f64) -> Load,
        mut measure: impl FnMut(f64) -> Result<Outcome, LoadError>,
    ) -> Result<Measured, LoadError> {
        let mut all = Vec::new();
        while let Some(rate) = ramp.next().map(f64::round) {
            let outcome = undisturbed(self.pace.repetitions, || measure(rate))?;
            ramp.tell(rate, outcome.is_within(latency_limit));
            all.push((load(rate), outcome));
        }
        Ok(all)
    }

    fn wrk<'w>(&'w self, program: &'w Path, connections: u32) -> Wrk<'w> {
        Wrk { program, folder: &self.folder, connections }
    }
}

/// Repeats what was disturbed, at most so often, and gives the least disturbed one.
pub(crate) fn undisturbed<E>(
    repetitions: u32,
    mut measure: impl FnMut() -> Result<Outcome, E>,
) -> Result<Outcome, E> {
    let mut best = measure()?;
    let mut repeated = 0;
    while best.is_disturbed && repeated < repetitions {
        repeated += 1;
        let again = measure()?;
        if share(&again) < share(&best) {
            best = again;
        }
    }
    Ok(Outcome { repetitions: repeated, ..best })
}

/// The share of the time that others took.
fn share(outcome: &Outcome) -> f64 {
    outcome.cpu.other / outcome.seconds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::folder::tests::outcome;

    fn check(others: &[f64], repetitions: u32) -> (f64, bool, u32) {
        let mut others = others.iter();
        let done = undisturbed(repetitions, || {
            let other = *others.next().ok_or("asked too often")?;
            let mut outcome = outcome(1);
            outcome.cpu.other = other;
            outcome.is_disturbed = other > 0.1;
            Ok::<_, &str>(outcome)
        });
        let done = done.expect("an outcome");
        (done.cpu.other, done.is_disturbed, done.repetitions)
    }

    #[test]
    fn what_is_disturbed_is_repeated_twice_and_then_marked() {
        assert_eq!(check(&[0.05], 2), (0.05, false, 0));
        assert_eq!(check(&[0.5, 0.04], 2), (0.04, false, 1));
        assert_eq!(check(&[0.5, 0.3, 0.4], 2), (0.3, true, 2));
        assert_eq!(check(&[0.5], 0), (0.5, true, 0));
    }
}
