//! The medians, for the terminal; the report has everything.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::record::{Load, Measurement};
use crate::statistics::Spread;

/// The key of a line of the table.
type Key<'m> = (&'m str, &'m str, u32, &'m str);

/// The closed loops, a line for each contestant, and the highest constant rates.
pub(super) fn text(measurements: &[Measurement], latency_limit: u64) -> String {
    let mut closed: BTreeMap<Key<'_>, Vec<&Measurement>> = BTreeMap::new();
    let mut rates: BTreeMap<Key<'_>, f64> = BTreeMap::new();
    for one in measurements {
        let subject = &one.subject;
        let key = |number| (&*subject.suite, &*subject.query, number, &*subject.contestant);
        match one.load {
            Load::Closed { connections } => closed.entry(key(connections)).or_default().push(one),
            Load::Constant { rate } if one.outcome.is_within(latency_limit) => {
                let highest = rates.entry(key(0)).or_default();
                *highest = highest.max(rate);
            }
            Load::Constant { .. } | Load::Burst { .. } | Load::Users { .. } => {}
        }
    }
    let mut text = String::new();
    let mut last = ("", "");
    for ((suite, query, connections, contestant), group) in &closed {
        if last != (*suite, *query) {
            last = (*suite, *query);
            let _ = writeln!(
                text,
                "\n{suite}: {query}\n{:<28}{:>5}{:>10}{:>18}{:>10}{:>10}{:>12}{:>12}{:>8}",
                "",
                "c",
                "req/s",
                "(least-most)",
                "p50 ms",
                "p99 ms",
                "server ms",
                "database",
                "MiB"
            );
        }
        let _ = writeln!(text, "{contestant:<28}{connections:>5}{}", columns(group));
    }
    for ((suite, query, _, contestant), rate) in &rates {
        let _ = writeln!(
            text,
            "{suite}: {query}: {contestant} stands {rate:.0} requests/s at a constant rate"
        );
    }
    text
}

/// CPU is that of a request, in milliseconds.
fn columns(group: &[&Measurement]) -> String {
    let of = |value: &dyn Fn(&Measurement) -> f64| {
        Spread::new(group.iter().map(|one| value(one))).unwrap_or_default()
    };
    let speed = of(&|one| one.outcome.requests_per_second());
    let p50 = of(&|one| one.outcome.latency.p50 / 1e3).median;
    let p99 = of(&|one| one.outcome.latency.p99 / 1e3).median;
    let server = of(&|one| a_request(one.outcome.cpu.server, one)).median;
    let database = of(&|one| a_request(one.outcome.cpu.database, one)).median;
    #[expect(clippy::cast_precision_loss, reason = "memory of a process")]
    let memory = of(&|one| one.outcome.peak_memory as f64 / f64::from(1 << 20)).median;
    let failures: u64 = group.iter().map(|one| one.outcome.failures).sum();
    let mut marks = String::new();
    if failures > 0 {
        let _ = write!(marks, "  {failures} failed");
    }
    if group.iter().any(|one| one.outcome.is_disturbed) {
        marks.push_str("  disturbed");
    }
    let ends = format!("({:.0}-{:.0})", speed.least, speed.most);
    format!(
        "{:>10.0}{ends:>18}{p50:>10.2}{p99:>10.2}{server:>12.3}{database:>12.3}{memory:>8.0}{marks}",
        speed.median
    )
}

fn a_request(seconds: f64, measurement: &Measurement) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "fewer requests than a double counts")]
    let requests = measurement.outcome.requests.max(1) as f64;
    seconds * 1e3 / requests
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::folder::tests::measurement;

    #[test]
    fn rounds_become_one_line_with_the_highest_rate_that_was_stood() {
        let closed = Load::Closed { connections: 16 };
        let mut slow = measurement("thalweg", 1, Load::Constant { rate: 900.0 }, 900);
        slow.outcome.latency.p95 = 60_000.0;
        let mut failed = measurement("thalweg", 1, Load::Constant { rate: 800.0 }, 800);
        failed.outcome.failures = 1;
        let all = [
            measurement("thalweg", 1, closed.clone(), 100),
            measurement("thalweg", 2, closed.clone(), 300),
            measurement("thalweg", 3, closed, 200),
            measurement("thalweg", 1, Load::Constant { rate: 500.0 }, 500),
            measurement("thalweg", 1, Load::Constant { rate: 700.0 }, 700),
            slow,
            failed,
        ];
        let text = text(&all, 50_000);
        let line = text.lines().find(|line| line.starts_with("thalweg")).unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..4], ["thalweg", "16", "200", "(100-300)"], "{text}");
        assert!(text.contains("q: thalweg stands 700 requests/s"), "{text}");
    }
}
