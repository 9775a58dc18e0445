//! The rounds of each start become one point.

use super::spread::Spread;
use super::summary::{StartPoint, StartReport};
use crate::race::record::Start;

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

fn memory_per_table(points: &[StartPoint]) -> Option<f64> {
    let mut measured = points.iter().filter(|point| point.memory.is_some());
    let first = measured.next()?;
    let last = measured.next_back()?;
    let growth = last.memory?.median - first.memory?.median;
    (last.tables > first.tables).then(|| growth / f64::from(last.tables - first.tables))
}
