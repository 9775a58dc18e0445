//! The results of documents that are sent once, as tables.

use std::fmt::{self, Write};
use std::time::Duration;

use crate::figure;
use crate::race::record::Latency;
use crate::statistics;

#[derive(Debug)]
pub(super) struct Figures {
    pub(super) kinds: Vec<Kind>,
    /// The number of sent documents, and the resident memory then, in kilobytes.
    pub(super) memory: Vec<(u32, u64)>,
    /// Latencies of a known request, before new documents were sent beside it.
    pub(super) alone: Latencies,
    pub(super) beside: Latencies,
}

/// A form of documents: CPU microseconds of one that is known, and of one that is new.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) known: f64,
    pub(super) new: f64,
}

/// The latencies of a request.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Latencies {
    pub(super) requests: usize,
    latency: Latency,
}

impl Latencies {
    pub(super) fn of(all: &[Duration]) -> Self {
        let times = all.iter().map(|time| time.as_secs_f64() * 1e6).collect();
        Self { requests: all.len(), latency: statistics::latency(times) }
    }
}

impl Figures {
    pub(super) fn text(&self) -> String {
        figure::text(|text| self.write(text))
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
            let Latencies { requests, latency: Latency { p50, p99, max, .. } } = latency;
            let [p50, p99, max] = [p50, p99, max].map(|time| Duration::from_secs_f64(time / 1e6));
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
        let alone = Latencies::of(&(1..=200).rev().map(Duration::from_micros).collect::<Vec<_>>());
        let kinds = vec![Kind { name: "a row", known: 20.4, new: 300.6 }];
        let memory = vec![(0, 20_000), (50_000, 90_000)];
        let figures = Figures { kinds, memory, alone, beside: Latencies::of(&[]) };
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
            | alone | 200 | 100.0µs | 198.0µs | 200.0µs |
            | beside new ones | 0 | 0.0ns | 0.0ns | 0.0ns |
        "]]
        .assert_eq(&figures.text());
    }
}
