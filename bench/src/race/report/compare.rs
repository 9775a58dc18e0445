//! Contestants beside the best yardstick and beside the floor.

use super::summary::{Comparison, Entry, Measure, Point, Ratio};
use crate::race::record::{Contestant, Load, Role};
use crate::statistics::Spread;

/// The connections of the compared closed loops.
#[derive(Clone, Copy)]
struct At {
    connections: u32,
    memory_connections: u32,
}

/// Fills in the comparisons of one query's entries, which are in the contestants' order.
pub(super) fn compare(
    entries: &mut [Entry],
    contestants: &[Contestant],
    connections: u32,
    memory_connections: u32,
) {
    let at = At { connections, memory_connections };
    let mut comparisons = Vec::with_capacity(entries.len());
    for (entry, contestant) in entries.iter().zip(contestants) {
        let is_server = contestant.role != Role::Floor;
        let of_entry = |measure| compare_measure(measure, entry, entries, contestants, at);
        let found = Measure::ALL.into_iter().filter(|_| is_server).filter_map(of_entry);
        comparisons.push(found.collect::<Vec<_>>());
    }
    for (entry, comparisons) in entries.iter_mut().zip(comparisons) {
        entry.comparisons = comparisons;
    }
}

fn compare_measure(
    measure: Measure,
    entry: &Entry,
    entries: &[Entry],
    contestants: &[Contestant],
    at: At,
) -> Option<Comparison> {
    // A library has no CPU of a database of its own.
    let value = measured(measure, entry, at).filter(|value| value.median > 0.0)?;
    let ratios = |role: Role| {
        let all = entries.iter().zip(contestants).filter(move |(_, other)| other.role == role);
        all.filter_map(move |(other, _)| {
            let found = match role {
                Role::Floor => measured_of_floor(measure, other, at),
                Role::Thalweg | Role::Yardstick | Role::Server => measured(measure, other, at),
            }?;
            let times = measure.times(value.median, found.median)?;
            Some(Ratio { contestant: other.contestant.clone(), value: found.median, times })
        })
    };
    // The best of them is whom the contestant exceeds least.
    let best = |role| ratios(role).min_by(|one, other| one.times.total_cmp(&other.times));
    Some(Comparison { measure, value, yardstick: best(Role::Yardstick), floor: best(Role::Floor) })
}

fn measured(measure: Measure, entry: &Entry, at: At) -> Option<Spread> {
    match measure {
        // A rate that is lower than every one that was tried is none to compare.
        Measure::HighestRate => {
            entry.highest_rate.map(|highest| highest.value).filter(|value| value.median > 0.0)
        }
        Measure::PeakMemory => entry.closed(at.memory_connections)?.peak_memory,
        Measure::RequestsPerSecond
        | Measure::P99
        | Measure::ServerCpu
        | Measure::DatabaseCpu
        | Measure::WorkCpu => of_point(measure, entry.closed(at.connections)?),
    }
}

/// The floor of a library has one connection: its CPU can be compared with that of any number, but
/// not what it answers in a second.
fn measured_of_floor(measure: Measure, floor: &Entry, at: At) -> Option<Spread> {
    let same = floor.closed(at.connections);
    let is_closed = |point: &&Point| matches!(point.load, Load::Closed { .. });
    match measure {
        Measure::RequestsPerSecond => same?.requests_per_second,
        Measure::DatabaseCpu | Measure::WorkCpu => {
            of_point(measure, same.or_else(|| floor.points.iter().rfind(is_closed))?)
        }
        // It has no server, and its latency is that of another program.
        Measure::P99 | Measure::ServerCpu | Measure::PeakMemory | Measure::HighestRate => None,
    }
}

fn of_point(measure: Measure, point: &Point) -> Option<Spread> {
    match measure {
        Measure::RequestsPerSecond => point.requests_per_second,
        Measure::P99 => point.p99,
        Measure::ServerCpu => point.cpu.server,
        Measure::DatabaseCpu => point.cpu.database,
        Measure::WorkCpu => point.cpu.work,
        Measure::PeakMemory => point.peak_memory,
        Measure::HighestRate => None,
    }
}
