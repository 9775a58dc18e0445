//! The rounds of each load become one point, and the points of each contestant an entry.

use std::cmp::Ordering;

use super::compare;
use super::folder::Folder;
use super::starts;
use super::summary::{Absence, CpuCost, Entry, Highest, Point, QueryReport, Report};
use crate::race::record::{Contestant, Cpu, Load, Measurement, Outcome, Query, Run, Subject};
use crate::statistics::Spread;

/// The usual number of connections of the compared closed loops.
const COMPARED_CONNECTIONS: u32 = 16;

pub(super) fn aggregate(folder: Folder) -> Report {
    let Folder { name, run, measurements, starts, mut notes } = folder;
    let (connections, memory_connections) = compared_connections(&run.settings.connections);
    let mut queries = Vec::new();
    for suite in &run.suites {
        for query in &suite.queries {
            let entry = |contestant: &Contestant| {
                let subject = Subject {
                    suite: suite.id.clone(),
                    query: query.id.clone(),
                    contestant: contestant.id.clone(),
                };
                entry(&run, query, contestant, &of_subject(&measurements, &subject))
            };
            let mut entries: Vec<Entry> = run.contestants.iter().map(entry).collect();
            compare::compare(&mut entries, &run.contestants, connections, memory_connections);
            let (suite, query) = (suite.id.clone(), query.id.clone());
            queries.push(QueryReport { suite, query, entries });
        }
    }
    let absences = absences(&run, &queries);
    note_strangers(&run, &measurements, &mut notes);
    let starts = starts::aggregate(&starts);
    Report { name, run, connections, memory_connections, notes, absences, queries, starts }
}

/// Connections of the closed loops by which contestants are compared, and of those by which their
/// memory is.
fn compared_connections(all: &[u32]) -> (u32, u32) {
    let most = all.iter().copied().max().unwrap_or(COMPARED_CONNECTIONS);
    let compared = if all.contains(&COMPARED_CONNECTIONS) { COMPARED_CONNECTIONS } else { most };
    (compared, most)
}

/// Contestants without figures for a whole suite, for the same reason everywhere.
fn absences(run: &Run, queries: &[QueryReport]) -> Vec<Absence> {
    let mut absences = Vec::new();
    for suite in &run.suites {
        for (place, contestant) in run.contestants.iter().enumerate() {
            let own = queries.iter().filter(|query| query.suite == suite.id);
            let mut reasons =
                own.map(|query| query.entries.get(place).and_then(|entry| entry.absent.as_ref()));
            let Some(Some(first)) = reasons.next() else { continue };
            if reasons.all(|reason| reason == Some(first)) {
                absences.push(Absence {
                    suite: suite.id.clone(),
                    contestant: contestant.id.clone(),
                    reason: first.clone(),
                });
            }
        }
    }
    absences
}

fn of_subject<'a>(measurements: &'a [Measurement], subject: &Subject) -> Vec<&'a Measurement> {
    measurements.iter().filter(|measurement| measurement.subject == *subject).collect()
}

fn entry(
    run: &Run,
    query: &Query,
    contestant: &Contestant,
    measurements: &[&Measurement],
) -> Entry {
    let mut loads: Vec<&Load> = Vec::new();
    for measurement in measurements {
        if !loads.contains(&&measurement.load) {
            loads.push(&measurement.load);
        }
    }
    loads.sort_by(|one, other| order(one, other));
    let points = loads.into_iter().map(|load| point(load, measurements)).collect();
    let absent = measurements.is_empty().then(|| {
        let reason = contestant.missing.as_ref().or_else(|| query.left_out.get(&contestant.id));
        reason.cloned().unwrap_or_else(|| "not measured".to_owned())
    });
    Entry {
        contestant: contestant.id.clone(),
        absent,
        points,
        highest_rate: highest(measurements, run.settings.latency_limit, |load| match load {
            Load::Constant { rate } => Some(*rate),
            Load::Closed { .. } | Load::Burst { .. } | Load::Users { .. } => None,
        }),
        most_users: highest(measurements, run.settings.users_latency_limit, |load| match load {
            Load::Users { users } => Some(f64::from(*users)),
            Load::Closed { .. } | Load::Constant { .. } | Load::Burst { .. } => None,
        }),
        comparisons: Vec::new(),
    }
}

/// Closed loops, constant rates, bursts, users; each rising.
fn order(one: &Load, other: &Load) -> Ordering {
    let key = |load: &Load| match load {
        Load::Closed { connections } => (0, f64::from(*connections)),
        Load::Constant { rate } => (1, *rate),
        Load::Burst { burst_rate, .. } => (2, *burst_rate),
        Load::Users { users } => (3, f64::from(*users)),
    };
    let (one, other) = (key(one), key(other));
    one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
}

fn point(load: &Load, measurements: &[&Measurement]) -> Point {
    let outcomes: Vec<&Outcome> = measurements
        .iter()
        .filter(|measurement| measurement.load == *load)
        .map(|measurement| &measurement.outcome)
        .collect();
    let spread = |value: fn(&Outcome) -> f64| Spread::new(outcomes.iter().map(|one| value(one)));
    let cost = |seconds: fn(&Cpu) -> f64| {
        Spread::new(outcomes.iter().map(|one| seconds(&one.cpu) * 1000.0 / answered(one)))
    };
    let is_burst = matches!(load, Load::Burst { .. });
    Point {
        load: load.clone(),
        rounds: outcomes.len(),
        disturbed: outcomes.iter().filter(|outcome| outcome.is_disturbed).count(),
        requests: outcomes.iter().map(|outcome| outcome.requests).sum(),
        failures: outcomes.iter().map(|outcome| outcome.failures).sum(),
        compared: outcomes.iter().map(|outcome| outcome.compared).sum(),
        requests_per_second: spread(Outcome::requests_per_second),
        p50: spread(|outcome| outcome.latency.p50),
        p90: spread(|outcome| outcome.latency.p90),
        p95: spread(|outcome| outcome.latency.p95),
        p99: spread(|outcome| outcome.latency.p99),
        max: spread(|outcome| outcome.latency.max),
        cpu: CpuCost {
            server: cost(|cpu| cpu.server),
            database: cost(|cpu| cpu.database),
            load: cost(|cpu| cpu.load),
            other: cost(|cpu| cpu.other),
            work: cost(|cpu| cpu.server + cpu.database),
        },
        peak_memory: spread(|outcome| as_double(outcome.peak_memory)),
        recovery_seconds: Spread::new(outcomes.iter().filter_map(|one| one.recovery_seconds)),
        unrecovered: outcomes
            .iter()
            .filter(|outcome| is_burst && outcome.recovery_seconds.is_none())
            .count(),
    }
}

/// The highest load of each round below the first that was too much; one that succeeds above it
/// does so by luck.
fn highest(
    measurements: &[&Measurement],
    limit: u64,
    height: impl Fn(&Load) -> Option<f64>,
) -> Option<Highest> {
    let limit = as_double(limit);
    let mut rounds: Vec<u32> = measurements.iter().map(|measurement| measurement.round).collect();
    rounds.sort_unstable();
    rounds.dedup();
    let mut values = Vec::new();
    let mut is_reached = true;
    let mut lowest_tried = f64::INFINITY;
    for round in rounds {
        let mut loads: Vec<(f64, bool)> = measurements
            .iter()
            .filter(|measurement| measurement.round == round)
            .filter_map(|measurement| {
                let outcome = &measurement.outcome;
                let is_within = outcome.failures == 0 && outcome.latency.p95 < limit;
                Some((height(&measurement.load)?, is_within))
            })
            .collect();
        if loads.is_empty() {
            continue;
        }
        loads.sort_by(|one, other| one.0.total_cmp(&other.0));
        lowest_tried = loads.first().map_or(lowest_tried, |(lowest, _)| lowest.min(lowest_tried));
        is_reached &= loads.iter().any(|(_, is_within)| !is_within);
        let within = loads.iter().take_while(|(_, is_within)| *is_within).last();
        values.push(within.map_or(0.0, |(height, _)| *height));
    }
    Some(Highest { value: Spread::new(values)?, lowest_tried, is_reached })
}

/// Figures for which the run names no query or no contestant would otherwise vanish.
fn note_strangers(run: &Run, measurements: &[Measurement], notes: &mut Vec<String>) {
    let is_known = |subject: &Subject| {
        let has_query = run.suites.iter().any(|suite| {
            suite.id == subject.suite && suite.queries.iter().any(|query| query.id == subject.query)
        });
        has_query && run.contestants.iter().any(|contestant| contestant.id == subject.contestant)
    };
    let strangers =
        measurements.iter().filter(|measurement| !is_known(&measurement.subject)).count();
    if strangers > 0 {
        let text = "of queries or contestants that run.json does not name are left out.";
        notes.push(format!("{strangers} measurements {text}"));
    }
}

#[expect(clippy::cast_precision_loss, reason = "fewer requests than a double counts")]
fn answered(outcome: &Outcome) -> f64 {
    outcome.requests.saturating_sub(outcome.failures) as f64
}

#[expect(clippy::cast_precision_loss, reason = "no machine has more bytes than a double counts")]
fn as_double(number: u64) -> f64 {
    number as f64
}
