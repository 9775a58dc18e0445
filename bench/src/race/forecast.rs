//! The expected time of the lines of a plan, as measured on two processors: for an estimate before
//! anything was measured. What is disturbed, and so measured again, is not foreseen.

use super::contestant::{Contestant, Kind};
use super::pace::Pace;
use super::plan::{Item, Load};

/// Making the data of a suite, starting the servers and comparing their answers.
pub(super) const SETTING_UP: f64 = 8.0;
/// Starting a load generator, reading what it says, and looking at all processes.
const AROUND: f64 = 0.3;
/// Before the first load of each query: most servers are steady after so many loops.
const WARM_UP: f64 = 3.6;
/// The speed of most servers.
const WARM_UP_AGAIN: f64 = 1.8;
/// So many rates, or numbers of users, are tried mostly.
const STEPS: f64 = 3.8;
/// For a rate that is too high: what is late is waited for.
const LATE: f64 = 0.3;
/// Seconds of users, who have to be connected too.
const LATE_USERS: f64 = 2.3;

/// Seconds for each line, those of one query of one contestant in a row.
pub(super) fn seconds(items: &[Item], contestants: &[&Contestant], pace: &Pace) -> Vec<f64> {
    let mut seconds = Vec::new();
    let mut last = None;
    for item in items {
        let subject = (&item.suite, item.round, &item.query, &item.contestant);
        let is_server = contestants
            .iter()
            .any(|one| one.id == item.contestant && matches!(one.kind, Kind::Server(_)));
        let is_first = last.replace(subject) != Some(subject);
        let before = match (is_server && is_first, item.round) {
            (true, 1) => f64::from(pace.warm_up_loops).min(WARM_UP) + 1.0,
            (true, _) => f64::from(pace.warm_up_loops).min(WARM_UP_AGAIN),
            (false, _) => 0.0,
        };
        seconds.push(before + AROUND + of(item.load, pace));
    }
    seconds
}

fn of(load: Load, pace: &Pace) -> f64 {
    let steps = f64::from(pace.steps).min(STEPS);
    match load {
        Load::Closed { .. } => pace.settings.seconds.into(),
        Load::Constant => steps * (f64::from(pace.step_seconds) + LATE),
        Load::Burst => super::load::burst::seconds(pace.burst_seconds),
        Load::Users => steps * (f64::from(super::meter::USERS_SECONDS) + LATE_USERS),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::race::options::Choice;
    use crate::race::{contestant, plan, suite};
    use crate::start_up;

    /// Minutes of everything, without Chinook, which nobody has whom nobody gave it.
    fn check(pace: &Pace) -> f64 {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
        let suites = suite::load(bench).expect("suites");
        let contestants = contestant::load(bench).expect("contestants");
        let contestants: Vec<&Contestant> = contestants.iter().collect();
        let choice = Choice { quick: pace.settings.quick, ..Choice::default() };
        let stages = plan::stages(&suites, &choice).into_iter();
        let stages = stages.filter(|stage| stage.suite.id != "chinook").map(|stage| {
            let items = plan::items(stage, &contestants, pace, &choice);
            seconds(&items, &contestants, pace).iter().sum::<f64>() + SETTING_UP
        });
        let quick = pace.settings.quick;
        let starts = start_up::seconds(&start_up::Options { quick, ..Default::default() });
        println!("{} + {starts}", stages.clone().sum::<f64>());
        (stages.sum::<f64>() + starts) / 60.0
    }

    #[test]
    fn a_whole_run_takes_about_fifty_minutes_and_a_quick_one_two() {
        let (whole, quick) = (check(&Pace::full()), check(&Pace::quick()));
        assert!((35.0..55.0).contains(&whole), "{whole} minutes");
        assert!(quick < 2.5, "{quick} minutes");
    }
}
