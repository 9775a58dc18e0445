//! Metrics and running operations of one moment.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use crate::metrics::{Data, Family, HistogramPoint, Labels, Point};

#[derive(Debug)]
pub(super) struct Snapshot {
    families: HashMap<String, Data>,
    pub(super) running: RunningOperations,
    pub(super) taken: Instant,
    /// By the clock of the server.
    pub(super) time: SystemTime,
}

/// The running operations; those that run longest come first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RunningOperations {
    /// Including those that are not listed.
    pub(super) total: u64,
    pub(super) listed: Vec<RunningOperation>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RunningOperation {
    pub(super) request_id: String,
    pub(super) kind: String,
    /// Empty for an operation without a name.
    pub(super) name: String,
    pub(super) elapsed: Duration,
    /// Statements, or the names of subgraphs.
    pub(super) work: Vec<String>,
}

impl Snapshot {
    /// None if the metrics are not those of a server.
    pub(super) fn new(
        families: Vec<Family>,
        running: RunningOperations,
        (taken, time): (Instant, SystemTime),
    ) -> Option<Self> {
        let families = families.into_iter().map(|Family { name, data, .. }| (name, data));
        let families: HashMap<_, _> = families.collect();
        let is_own = families.contains_key("thalweg_build");
        is_own.then_some(Self { families, running, taken, time })
    }

    /// The series of a counter, a gauge or an info.
    pub(super) fn points(&self, name: &str) -> &[Point] {
        match self.families.get(name) {
            Some(Data::Counter(points) | Data::Gauge(points) | Data::Info(points)) => points,
            Some(Data::Histogram(_)) | None => &[],
        }
    }

    pub(super) fn histograms(&self, name: &str) -> &[HistogramPoint] {
        match self.families.get(name) {
            Some(Data::Histogram(points)) => points,
            Some(Data::Counter(_) | Data::Gauge(_) | Data::Info(_)) | None => &[],
        }
    }

    /// The sum of all series with these labels; none if there is no series.
    pub(super) fn sum(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let points = self.points(name).iter();
        let of_labels = points.filter(|point| {
            labels.iter().all(|(label, value)| label_of(&point.labels, label) == Some(value))
        });
        of_labels.map(|point| point.value).reduce(|sum, value| sum + value)
    }

    /// The value of a gauge without labels, or 0.
    pub(super) fn value(&self, name: &str) -> f64 {
        self.sum(name, &[]).unwrap_or(0.0)
    }
}

pub(super) fn label_of<'l>(labels: &'l Labels, name: &str) -> Option<&'l str> {
    labels.iter().find(|(label, _)| label == name).map(|(_, value)| &**value)
}

impl RunningOperations {
    pub(super) fn read(json: &[u8]) -> Option<Self> {
        let document: Value = serde_json::from_slice(json).ok()?;
        let listed = document.get("operations")?.as_array()?.iter().map(RunningOperation::read);
        Some(Self { total: document.get("total")?.as_u64()?, listed: listed.collect() })
    }
}

impl RunningOperation {
    fn read(operation: &Value) -> Self {
        let text = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default();
        let work = ["statements", "subgraphs"].into_iter().filter_map(|key| operation.get(key));
        let work = work.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
        let milliseconds = operation.get("milliseconds").and_then(Value::as_u64);
        Self {
            request_id: text("requestId").to_owned(),
            kind: text("kind").to_owned(),
            name: text("operation").to_owned(),
            elapsed: Duration::from_millis(milliseconds.unwrap_or(0)),
            work: work.map(ToOwned::to_owned).collect(),
        }
    }
}
