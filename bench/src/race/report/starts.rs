//! The rounds of each start become one point.

use super::summary::{StartPoint, StartReport};
use crate::race::record::Start;
use crate::statistics::Spread;

/// A series for each source and contestant.
pub(super) fn aggregate(starts: &[Start]) -> Vec<StartReport> {
    let mut keys: Vec<(&str, &str)> = Vec::new();
    for start in starts {
        let key = (start.source.as_str(), start.contestant.as_str());
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    // Sources together; contestants in the order in which they were measured.
    keys.sort_by_key(|(source, _)| *source);
    keys.into_iter().map(|(source, contestant)| series(source, contestant, starts)).collect()
}

fn series(source: &str, contestant: &str, starts: &[Start]) -> StartReport {
    let own: Vec<&Start> = starts
        .iter()
        .filter(|start| start.source == source && start.contestant == contestant)
        .collect();
    let mut sizes: Vec<u32> = own.iter().map(|start| start.tables).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let points: Vec<StartPoint> = sizes.into_iter().map(|tables| point(tables, &own)).collect();
    let memory_per_table = memory_per_table(&points);
    let (source, contestant) = (source.to_owned(), contestant.to_owned());
    StartReport { source, contestant, points, memory_per_table }
}

fn point(tables: u32, starts: &[&Start]) -> StartPoint {
    let rounds: Vec<&&Start> = starts.iter().filter(|start| start.tables == tables).collect();
    let answered = || rounds.iter().filter(|start| start.missing.is_none());
    let spread = |value: fn(&Start) -> f64| Spread::new(answered().map(|start| value(start)));
    #[expect(clippy::cast_precision_loss, reason = "no machine has so many bytes")]
    let memory = spread(|start| start.memory as f64);
    StartPoint {
        tables,
        rounds: rounds.len(),
        missing: rounds.iter().find_map(|start| start.missing.clone()),
        first_answer_seconds: spread(|start| start.first_answer_seconds),
        cpu_seconds: spread(|start| start.cpu_seconds),
        memory,
    }
}

/// The growth of memory for each table from the smallest to the largest schema, in bytes.
fn memory_per_table(points: &[StartPoint]) -> Option<f64> {
    let mut measured = points.iter().filter(|point| point.memory.is_some());
    growth(measured.next()?, measured.next_back()?)
}

/// The growth of memory for each table between two sizes, in bytes.
fn growth(smaller: &StartPoint, larger: &StartPoint) -> Option<f64> {
    let bytes = larger.memory?.median - smaller.memory?.median;
    (larger.tables > smaller.tables).then(|| bytes / f64::from(larger.tables - smaller.tables))
}

impl StartReport {
    /// The growth from the smallest schema to that of a point.
    pub(super) fn memory_per_table_of(&self, point: &StartPoint) -> Option<f64> {
        growth(self.points.iter().find(|point| point.memory.is_some())?, point)
    }
}
