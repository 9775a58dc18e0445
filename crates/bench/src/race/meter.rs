//! One measurement: by the right program, and again where something else disturbed it.

use std::path::PathBuf;

use super::load::Target;
use super::load::failure::LoadError;
use super::load::wrk::Wrk;
use super::pace::Pace;
use super::record::Outcome;
use super::warm_up;

/// Of the closed loops that warm a server up: what opens all of its connections to the database.
const WARM_UP_CONNECTIONS: u32 = 16;

/// Puts loads on servers.
#[derive(Debug)]
pub(super) struct Meter {
    /// For scripts and bodies.
    pub(super) folder: PathBuf,
    pub(super) pace: Pace,
}

impl Meter {
    /// Asks until the speed is steady, and gives it.
    pub(super) fn warm_up(&self, wrk: &PathBuf, target: &Target<'_>) -> Result<f64, LoadError> {
        let wrk = Wrk { program: wrk, folder: &self.folder, connections: WARM_UP_CONNECTIONS };
        warm_up::until_steady(self.pace.warm_up_loops, || wrk.warm(target, 1))
    }

    pub(super) fn closed(
        &self,
        wrk: &PathBuf,
        connections: u32,
        target: &Target<'_>,
    ) -> Result<Outcome, LoadError> {
        let wrk = Wrk { program: wrk, folder: &self.folder, connections };
        let seconds = self.pace.settings.seconds;
        undisturbed(self.pace.repetitions, || wrk.measure(target, seconds))
    }
}

/// Repeats what was disturbed, at most so often, and gives the least disturbed one.
pub(super) fn undisturbed<E>(
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

/// Of the time, how much others took.
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
