//! The phases of a run, their results, and their table.

use std::time::{Duration, Instant};

use crate::counts::Counts;

/// The result of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// Passed, with a warning.
    Warned(String),
    Failed,
    /// With the reason; never silent.
    NotRun(String),
}

/// A finished phase.
#[derive(Debug)]
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    pub(crate) outcome: Outcome,
    pub(crate) duration: Duration,
    /// The results of its tests, if it has any.
    pub(crate) tests: Option<Counts>,
}

/// Runs a phase and measures it.
pub(crate) fn run(name: &'static str, run: impl FnOnce() -> Outcome) -> Phase {
    println!("== {name}");
    let started = Instant::now();
    let outcome = run();
    Phase { name, outcome, duration: started.elapsed(), tests: None }
}

/// One line per phase.
pub(crate) fn table(phases: &[Phase]) -> String {
    let mut table = String::new();
    for Phase { name, outcome, duration, tests } in phases {
        let word = match outcome {
            Outcome::Passed | Outcome::Warned(_) => "passed",
            Outcome::Failed => "FAILED",
            Outcome::NotRun(_) => "not run",
        };
        table.push_str(&format!("{name:<8} {word:<8} {:>7.1} s", duration.as_secs_f64()));
        if let Some(Counts { passed, failed, skipped }) = tests {
            table.push_str(&format!("  {passed:>5} passed, {failed} failed, {skipped} skipped"));
        }
        match outcome {
            Outcome::NotRun(reason) => table.push_str(&format!("  {reason}")),
            Outcome::Warned(warning) => table.push_str(&format!("  warning: {warning}")),
            Outcome::Passed | Outcome::Failed => {}
        }
        table.push('\n');
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_line_for_each_phase() {
        let phase = |name, outcome, seconds| Phase {
            name,
            outcome,
            duration: Duration::from_secs_f64(seconds),
            tests: None,
        };
        let counts = Counts { passed: 12, failed: 1, skipped: 0 };
        let phases = [
            phase("setup", Outcome::Passed, 0.25),
            phase("clippy", Outcome::NotRun("not installed".to_owned()), 0.0),
            phase("tidy", Outcome::Warned("old".to_owned()), 1.0),
            Phase { tests: Some(counts), ..phase("tests", Outcome::Failed, 123.44) },
        ];
        assert_eq!(
            table(&phases),
            "\
setup    passed       0.2 s
clippy   not run      0.0 s  not installed
tidy     passed       1.0 s  warning: old
tests    FAILED     123.4 s     12 passed, 1 failed, 0 skipped
"
        );
    }
}
