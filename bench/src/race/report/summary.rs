//! The contents of a report: `report.json`, which the page reads.

use serde::Serialize;

use crate::race::record::{Load, Run};
use crate::statistics::Spread;

/// A run with its figures over the rounds.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// The name of the run's folder.
    pub(super) name: String,
    pub(super) run: Run,
    /// Connections of the compared closed loops.
    pub(super) connections: u32,
    /// Connections of the closed loops by which memory is compared: the most there are.
    pub(super) memory_connections: u32,
    /// Notes for readers of the figures.
    pub(super) notes: Vec<String>,
    /// Contestants without figures for any query of a suite.
    pub(super) absences: Vec<Absence>,
    /// In the order of the suites.
    pub(super) queries: Vec<QueryReport>,
    pub(super) starts: Vec<StartReport>,
}

/// A contestant has no part in a suite.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Absence {
    pub(super) suite: String,
    pub(super) contestant: String,
    pub(super) reason: String,
}

#[derive(Debug, Serialize)]
pub(super) struct QueryReport {
    pub(super) suite: String,
    pub(super) query: String,
    /// One for each contestant, also for those that took no part.
    pub(super) entries: Vec<Entry>,
}

/// One contestant's figures for one query.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    pub(super) contestant: String,
    /// The reason why there are no figures.
    pub(super) absent: Option<String>,
    /// One for each load, in its order.
    pub(super) points: Vec<Point>,
    /// Requests a second.
    pub(super) highest_rate: Option<Highest>,
    pub(super) most_users: Option<Highest>,
    pub(super) comparisons: Vec<Comparison>,
}

/// One load, over the rounds. Latency is in microseconds, memory in bytes.
#[derive(Debug, Serialize)]
pub(super) struct Point {
    pub(super) load: Load,
    pub(super) rounds: usize,
    /// In how many rounds something else ran beside it.
    pub(super) disturbed: usize,
    pub(super) requests: u64,
    pub(super) failures: u64,
    pub(super) compared: u64,
    pub(super) requests_per_second: Option<Spread>,
    pub(super) p50: Option<Spread>,
    pub(super) p90: Option<Spread>,
    pub(super) p95: Option<Spread>,
    pub(super) p99: Option<Spread>,
    pub(super) max: Option<Spread>,
    pub(super) cpu: CpuCost,
    pub(super) peak_memory: Option<Spread>,
    pub(super) recovery_seconds: Option<Spread>,
    /// In how many rounds a burst was not recovered from while it was watched.
    pub(super) unrecovered: usize,
}

/// CPU seconds for 1000 answered requests, which is milliseconds for each.
#[derive(Debug, Serialize)]
pub(super) struct CpuCost {
    pub(super) server: Option<Spread>,
    pub(super) database: Option<Spread>,
    pub(super) load: Option<Spread>,
    pub(super) other: Option<Spread>,
    /// CPU of the server and the database together.
    pub(super) work: Option<Spread>,
}

/// The highest load at which no request failed and the 95th percentile was within the limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Highest {
    /// Zero for a round in which even the lowest load was too much.
    pub(super) value: Spread,
    /// The lowest load that was tried, for rounds in which even that was too much.
    pub(super) lowest_tried: f64,
    /// In each round a load was beyond the limit; else the highest is higher than this.
    pub(super) is_reached: bool,
}

/// One measure of a contestant beside the yardstick and the floor.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    pub(super) measure: Measure,
    pub(super) value: Spread,
    /// The yardstick that is best by this measure.
    pub(super) yardstick: Option<Ratio>,
    pub(super) floor: Option<Ratio>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Measure {
    RequestsPerSecond,
    P99,
    ServerCpu,
    DatabaseCpu,
    /// CPU of the server and the database together.
    WorkCpu,
    PeakMemory,
    HighestRate,
}

#[derive(Debug, Serialize)]
pub(super) struct Ratio {
    pub(super) contestant: String,
    /// Its median.
    pub(super) value: f64,
    /// The factor by which the contestant is better: above one is better, by every measure.
    pub(super) times: f64,
}

/// The cost of the starts of a contestant.
#[derive(Debug, Serialize)]
pub(super) struct StartReport {
    pub(super) source: String,
    pub(super) contestant: String,
    /// Points by the number of tables, rising.
    pub(super) points: Vec<StartPoint>,
    /// Between the smallest and the largest schema.
    pub(super) memory_per_table: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct StartPoint {
    pub(super) tables: u32,
    pub(super) rounds: usize,
    /// The reason why a start has no figures.
    pub(super) missing: Option<String>,
    pub(super) first_answer_seconds: Option<Spread>,
    pub(super) cpu_seconds: Option<Spread>,
    pub(super) memory: Option<Spread>,
}

impl Measure {
    pub(super) const ALL: [Self; 7] = [
        Self::RequestsPerSecond,
        Self::P99,
        Self::ServerCpu,
        Self::DatabaseCpu,
        Self::WorkCpu,
        Self::PeakMemory,
        Self::HighestRate,
    ];

    /// The factor by which `value` is better than `other`; `None` where that is no number.
    pub(super) fn times(self, value: f64, other: f64) -> Option<f64> {
        let times = match self {
            Self::RequestsPerSecond | Self::HighestRate => value / other,
            Self::P99 | Self::ServerCpu | Self::DatabaseCpu | Self::WorkCpu | Self::PeakMemory => {
                other / value
            }
        };
        times.is_finite().then_some(times)
    }
}

impl Report {
    /// The reason why a contestant has no figures for a whole suite.
    pub(super) fn absence(&self, suite: &str, contestant: &str) -> Option<&Absence> {
        let mut absences = self.absences.iter();
        absences.find(|absence| absence.suite == suite && absence.contestant == contestant)
    }

    /// The number of disturbed measurements.
    pub(super) fn disturbed(&self) -> usize {
        let entries = self.queries.iter().flat_map(|query| &query.entries);
        entries.flat_map(|entry| &entry.points).map(|point| point.disturbed).sum()
    }
}

impl Entry {
    /// The closed loop of so many connections.
    pub(super) fn closed(&self, wanted: u32) -> Option<&Point> {
        self.points.iter().find(
            |point| matches!(point.load, Load::Closed { connections } if connections == wanted),
        )
    }

    pub(super) fn comparison(&self, measure: Measure) -> Option<&Comparison> {
        self.comparisons.iter().find(|comparison| comparison.measure == measure)
    }
}
