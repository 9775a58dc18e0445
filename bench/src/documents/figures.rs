//! What was measured of documents that are sent once, as tables.

use std::fmt::{self, Write};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Figures {
    pub(super) kinds: Vec<Kind>,
    /// How many documents were sent, and what was resident then, in kilobytes.
    pub(super) memory: Vec<(u32, u64)>,
    /// Of a known request, before new documents were sent beside it.
    pub(super) alone: Latency,
    pub(super) beside: Latency,
}

/// A form of documents: CPU microseconds of one that is known, and of one that is new.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) known: f64,
    pub(super) new: f64,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Latency {
    pub(super) requests: usize,
    pub(super) p50: Duration,
    pub(super) p99: Duration,
    pub(super) max: Duration,
}

impl Latency {
    pub(super) fn of(mut all: Vec<Duration>) -> Self {
        all.sort_unstable();
        let at = |percent: usize| all.get(all.len() * percent / 100).copied().unwrap_or_default();
        let max = all.last().copied().unwrap_or_default();
        Self { requests: all.len(), p50: at(50), p99: at(99), max }
    }
}

impl Figures {
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a `String` fails never.
        let written = self.write(&mut text);
        debug_assert!(written.is_ok(), "the figures were not written");
        text
    }

    fn write(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "| document | CPU of a known one | of a new one |\n|---|---|---|")?;
        for Kind { name, known, new } in &self.kinds {
            writeln!(text, "| {name} | {known:.0} µs | {new:.0} µs |")?;
        }
        writeln!(text, "\n| documents sent | resident |\n|---|---|")?;
        for (sent, kilobytes) in &self.memory {
            writeln!(text, "| {sent} | {kilobytes} kB |")?;
        }
        writeln!(
            text,
            "\n| a known request | requests | p50 | p99 | max |\n|---|---|---|---|---|"
        )?;
        for (name, latency) in [("alone", &self.alone), ("beside new ones", &self.beside)] {
            let Latency { requests, p50, p99, max } = latency;
            writeln!(text, "| {name} | {requests} | {p50:.1?} | {p99:.1?} | {max:.1?} |")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn figures_are_tables() {
        let alone = Latency::of((1..=200).rev().map(Duration::from_micros).collect());
        let kinds = vec![Kind { name: "a row", known: 20.4, new: 300.6 }];
        let memory = vec![(0, 20_000), (50_000, 90_000)];
        let figures = Figures { kinds, memory, alone, beside: Latency::of(Vec::new()) };
        expect![[r"
            | document | CPU of a known one | of a new one |
            |---|---|---|
            | a row | 20 µs | 301 µs |

            | documents sent | resident |
            |---|---|
            | 0 | 20000 kB |
            | 50000 | 90000 kB |

            | a known request | requests | p50 | p99 | max |
            |---|---|---|---|---|
            | alone | 200 | 101.0µs | 199.0µs | 200.0µs |
            | beside new ones | 0 | 0.0ns | 0.0ns | 0.0ns |
        "]]
        .assert_eq(&figures.text());
    }
}
