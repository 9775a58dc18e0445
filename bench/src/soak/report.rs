//! Tables of the figures, and the verdict.

use std::fmt::{self, Write};

use super::ledger::Ledger;
use super::samples::{Part, Sample, parts};
use crate::figure::{self, mebibytes, number};

/// Parts of the time, of which the second and the last are compared: caches fill in the first.
const PARTS: usize = 6;
/// Growth of the memory from then on that is no leak: fragments, and a cache that fills.
const GROWTH: f64 = 1.10;
const SLACK: f64 = 4.0 * 1_048_576.0;
const FEW: f64 = 3.0;

/// The whole report.
pub(super) fn text(
    minutes: u32,
    ledger: &Ledger,
    samples: &[Sample],
    at_rest: Sample,
    lost: &[String],
) -> String {
    figure::text(|text| {
        writeln!(text, "# {minutes} minutes of mixed load\n")?;
        writeln!(text, "| | answers |\n|---|--:|")?;
        for (kind, count) in ledger.answers() {
            writeln!(text, "| {} | {} |", kind.name(), count_text(count))?;
        }
        writeln!(text, "\n| disturbances | |\n|---|--:|")?;
        for (disturbance, count) in ledger.disturbances() {
            writeln!(text, "| {} | {count} |", disturbance.name())?;
        }
        writeln!(text, "\n| errors meanwhile | code | |\n|---|---|--:|")?;
        for ((kind, code), count) in ledger.errors() {
            writeln!(text, "| {} | `{code}` | {} |", kind.name(), count_text(count))?;
        }
        writeln!(text, "\n| part of the time | MiB | descriptors | threads | sessions |")?;
        writeln!(text, "|---|--:|--:|--:|--:|")?;
        for (place, part) in parts(samples, PARTS).iter().enumerate() {
            row(text, &format!("{} of {PARTS}", place + 1), part)?;
        }
        for part in parts(&[at_rest], 1) {
            row(text, "after the load", &part)?;
        }
        writeln!(text, "\nWrong answers and lost changes: {}", ledger.problems().len() + lost.len())
    })
}

/// All that is not as it should be.
pub(super) fn problems(
    ledger: &Ledger,
    samples: &[Sample],
    at_rest: Sample,
    lost: &[String],
) -> Vec<String> {
    let mut problems = ledger.problems();
    problems.extend(lost.iter().cloned());
    let parts = parts(samples, PARTS);
    if let (Some(early), Some(late)) = (parts.get(1), parts.last()) {
        problems.extend(leaks(early, late));
        for rest in self::parts(&[at_rest], 1) {
            problems.extend(left(early, &rest));
        }
    } else {
        problems.push("there are too few samples".to_owned());
    }
    problems
}

/// Growth of memory, descriptors, threads and sessions during the load.
fn leaks(early: &Part, late: &Part) -> Vec<String> {
    let mut problems = Vec::new();
    if late.resident > early.resident * GROWTH + SLACK {
        let (early, late) = (mebibytes(early.resident), mebibytes(late.resident));
        problems.push(format!("memory has grown from {early} to {late} MiB"));
    }
    for (name, early, late) in [
        ("descriptors", early.descriptors, late.descriptors),
        ("threads", early.threads, late.threads),
        ("sessions", early.sessions, late.sessions),
    ] {
        // Clients come and go.
        if late > early * 1.25 + 5.0 {
            let (early, late) = (number(early), number(late));
            problems.push(format!("{name} have grown from {early} to {late}"));
        }
    }
    problems
}

/// Descriptors and sessions that are open after all clients have left.
fn left(during: &Part, rest: &Part) -> Option<String> {
    // The feed of changes and the look at a standby open sessions of their own now and then.
    let sessions = during.sessions + FEW;
    (rest.descriptors > during.descriptors || rest.sessions > sessions).then(|| {
        format!(
            "{} descriptors and {} sessions after the load, and {} and {} during it",
            number(rest.descriptors),
            number(rest.sessions),
            number(during.descriptors),
            number(during.sessions)
        )
    })
}

fn row(text: &mut String, name: &str, part: &Part) -> fmt::Result {
    let Part { resident, descriptors, threads, sessions } = *part;
    let (memory, descriptors) = (mebibytes(resident), number(descriptors));
    writeln!(
        text,
        "| {name} | {memory} | {descriptors} | {} | {} |",
        number(threads),
        number(sessions)
    )
}

#[expect(clippy::cast_precision_loss, reason = "counts of a load are far below 2^52")]
fn count_text(count: u64) -> String {
    number(count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLY: Part = Part { resident: 5e7, descriptors: 60.0, threads: 8.0, sessions: 18.0 };

    #[test]
    fn growth_is_a_leak_and_noise_is_none() {
        assert_eq!(leaks(&EARLY, &Part { resident: 5.2e7, ..EARLY }), [""; 0]);
        assert_eq!(leaks(&EARLY, &Part { resident: 7e7, ..EARLY }).len(), 1);
        assert_eq!(leaks(&EARLY, &Part { descriptors: 200.0, threads: 30.0, ..EARLY }).len(), 2);
    }

    #[test]
    fn descriptors_that_clients_leave_behind_are_found() {
        assert_eq!(left(&EARLY, &Part { descriptors: 40.0, ..EARLY }), None);
        assert!(left(&EARLY, &Part { descriptors: 61.0, ..EARLY }).is_some());
    }
}
