//! Results: figures, each beside its target, and wrong answers.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::Serialize;

use crate::figure;
use crate::race;
use crate::race::machine::machine;
use crate::race::record::{Machine, Outcome};
use crate::race::suite::Source;

/// Everything that a command has found.
#[derive(Debug, Serialize)]
pub(super) struct Findings {
    command: &'static str,
    started: String,
    machine: Machine,
    pub(super) figures: Vec<Figure>,
    /// Answers that are not what they should be.
    pub(super) wrong: Vec<String>,
    #[serde(skip)]
    source: Option<Source>,
    /// Expected answers by request: those of the first source.
    #[serde(skip)]
    expected: BTreeMap<String, Vec<u8>>,
}

/// One number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Figure {
    source: Source,
    /// The request.
    part: String,
    name: String,
    /// None where it never came.
    value: Option<f64>,
    unit: Unit,
    target: Option<Target>,
    is_reached: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unit {
    Count,
    Bytes,
    Mebibytes,
    Milliseconds,
    Seconds,
    RequestsPerSecond,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Target {
    Below(f64),
    AtMost(f64),
    Exactly(f64),
}

impl Findings {
    pub(super) fn new(command: &'static str) -> Self {
        Self {
            command,
            started: race::now(),
            machine: machine(),
            figures: Vec::new(),
            wrong: Vec::new(),
            source: None,
            expected: BTreeMap::new(),
        }
    }

    /// Sets the source of everything that is added from now on.
    pub(super) fn begin(&mut self, source: Source) {
        self.source = Some(source);
    }

    /// A number without a target.
    pub(super) fn add(&mut self, part: &str, name: &str, value: f64, unit: Unit) {
        self.push(part, name, Some(value), unit, None);
    }

    /// A number that should be one; nothing where it never came.
    pub(super) fn judge(
        &mut self,
        part: &str,
        name: &str,
        value: impl Into<Option<f64>>,
        unit: Unit,
        target: Target,
    ) {
        self.push(part, name, value.into(), unit, Some(target));
    }

    /// Closed loops of short requests; the target is for the maximum in milliseconds.
    pub(super) fn loops(&mut self, part: &str, loops: &[(&str, &Outcome, Option<Target>)]) {
        for (name, outcome, target) in loops {
            let latency = &outcome.latency;
            let rate = outcome.requests_per_second();
            self.add(part, &format!("requests/s, {name}"), rate, Unit::RequestsPerSecond);
            let times = [("p50", latency.p50), ("p99", latency.p99)];
            for (percentile, microseconds) in times {
                let name = format!("{percentile}, {name}");
                self.add(part, &name, microseconds / 1e3, Unit::Milliseconds);
            }
            let max = Some(latency.max / 1e3);
            self.push(part, &format!("max, {name}"), max, Unit::Milliseconds, *target);
            if outcome.is_disturbed {
                let other = outcome.cpu.other;
                let name = format!("CPU of something else that disturbed it, {name}");
                self.add(part, &name, other, Unit::Seconds);
            }
        }
    }

    /// The answer on the source before; the given one if there was none.
    pub(super) fn expect(&mut self, part: &str, answer: Vec<u8>) -> Vec<u8> {
        self.expected.entry(part.to_owned()).or_insert(answer).clone()
    }

    /// An answer that is not what it should be.
    pub(super) fn wrong(&mut self, part: &str, problem: &str) {
        let source = self.source.map_or("", Source::title);
        self.wrong.push(format!("{source}: {part}: {problem}"));
    }

    fn push(
        &mut self,
        part: &str,
        name: &str,
        value: Option<f64>,
        unit: Unit,
        target: Option<Target>,
    ) {
        let Some(source) = self.source else { return };
        let is_reached = target.map(|target| value.is_some_and(|value| target.is_reached(value)));
        let (part, name) = (part.to_owned(), name.to_owned());
        self.figures.push(Figure { source, part, name, value, unit, target, is_reached });
    }

    /// A table, and what was wrong.
    pub(super) fn text(&self) -> String {
        figure::text(|text| self.write(text))
    }

    fn write(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "| source | what | figure | found | target | |\n|---|---|---|---|---|---|")?;
        for figure in &self.figures {
            let Figure { source, part, name, value, unit, target, is_reached } = figure;
            let found = value.map_or("never".to_owned(), |value| unit.text(value));
            let target = target.map_or("–".to_owned(), |target| target.text(*unit));
            let mark = match is_reached {
                Some(true) => "reached",
                Some(false) => "**missed**",
                None => "",
            };
            let source = source.title();
            writeln!(text, "| {source} | {part} | {name} | {found} | {target} | {mark} |")?;
        }
        let judged = || self.figures.iter().filter_map(|figure| figure.is_reached);
        let missed = judged().filter(|is_reached| !is_reached).count();
        writeln!(text, "\n{} targets, {missed} missed", judged().count())?;
        for problem in &self.wrong {
            writeln!(text, "wrong: {problem}")?;
        }
        Ok(())
    }
}

impl Unit {
    fn text(self, value: f64) -> String {
        match self {
            Self::Count => format!("{value:.0}"),
            Self::Bytes => format!("{value:.0} B"),
            Self::Mebibytes => format!("{value:.1} MiB"),
            Self::Milliseconds => format!("{value:.2} ms"),
            Self::Seconds => format!("{value:.2} s"),
            Self::RequestsPerSecond => format!("{value:.0}/s"),
        }
    }
}

impl Target {
    fn is_reached(self, value: f64) -> bool {
        match self {
            Self::Below(limit) => value < limit,
            Self::AtMost(limit) => value <= limit,
            // Counts, which are exact.
            Self::Exactly(wanted) => (value - wanted).abs() < 0.5,
        }
    }

    fn text(self, unit: Unit) -> String {
        match self {
            Self::Below(limit) => format!("< {}", unit.text(limit)),
            Self::AtMost(limit) => format!("≤ {}", unit.text(limit)),
            Self::Exactly(wanted) => unit.text(wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn figures_stand_beside_their_targets() {
        let mut findings = Findings::new("streaming");
        findings.begin(Source::Sqlite);
        findings.add("rows", "bytes", 51_000.0, Unit::Bytes);
        findings.judge("rows", "first byte", 49.9, Unit::Milliseconds, Target::Below(50.0));
        findings.judge("rows", "first byte", 50.0, Unit::Milliseconds, Target::Below(50.0));
        findings.judge("rows", "memory", 64.0, Unit::Mebibytes, Target::AtMost(64.0));
        findings.judge("rows", "memory", 64.1, Unit::Mebibytes, Target::AtMost(64.0));
        findings.judge("reader", "ended", None, Unit::Seconds, Target::AtMost(1.0));
        findings.judge("reader", "failures", 1.0, Unit::Count, Target::Exactly(0.0));
        findings.wrong("rows", "has 3 rows where 4 should be");
        expect![[r"
            | source | what | figure | found | target | |
            |---|---|---|---|---|---|
            | SQLite | rows | bytes | 51000 B | – |  |
            | SQLite | rows | first byte | 49.90 ms | < 50.00 ms | reached |
            | SQLite | rows | first byte | 50.00 ms | < 50.00 ms | **missed** |
            | SQLite | rows | memory | 64.0 MiB | ≤ 64.0 MiB | reached |
            | SQLite | rows | memory | 64.1 MiB | ≤ 64.0 MiB | **missed** |
            | SQLite | reader | ended | never | ≤ 1.00 s | **missed** |
            | SQLite | reader | failures | 1 | 0 | **missed** |

            6 targets, 4 missed
            wrong: SQLite: rows: has 3 rows where 4 should be
        "]]
        .assert_eq(&findings.text());
        let json = serde_json::to_value(&findings).unwrap();
        assert_eq!(json["figures"][1]["is_reached"], true);
        assert_eq!(json["figures"][2]["target"]["below"], 50.0);
        assert_eq!(json["wrong"][0], "SQLite: rows: has 3 rows where 4 should be");
    }
}
