//! The report as tables for a document.

mod bursts;
mod starts;

pub(super) use starts::write_table as write_starts;

use std::fmt::{Result, Write};

use super::summary::{Comparison, Entry, Highest, Measure, Point, QueryReport, Ratio, Report};
use crate::figure::{self, mebibytes, microseconds_each, milliseconds, number};
use crate::race::record::{Contestant, Load, Role, Suite};
use crate::statistics::Spread;

pub(super) fn markdown(report: &Report) -> String {
    figure::text(|text| write(report, text))
}

fn write(report: &Report, text: &mut String) -> Result {
    let settings = &report.run.settings;
    let machine = &report.run.machine;
    let cores = machine.cores;
    let memory = number(precise(machine.memory) / 1_073_741_824.0);
    let (processor, system) = (cell(&machine.processor), cell(&machine.system));
    writeln!(
        text,
        "Run `{}` of {}, {processor}, {cores} cores, {memory} GiB, {system}.",
        report.name, report.run.started
    )?;
    let rounds = match settings.rounds {
        1 => "1 round".to_owned(),
        rounds => format!("{rounds} rounds"),
    };
    let quick = if settings.quick { " (quick)" } else { "" };
    writeln!(
        text,
        "Medians of {rounds} of {} s{quick}, the least and the most in brackets; closed loops of {} connections, memory at {}.",
        settings.seconds, report.connections, report.memory_connections
    )?;
    write_notes(report, text)?;
    for suite in &report.run.suites {
        let queries: Vec<&QueryReport> =
            report.queries.iter().filter(|query| query.suite == suite.id).collect();
        writeln!(text, "\n### {}\n", cell(&suite.title))?;
        if queries.is_empty() {
            writeln!(text, "No query of it was chosen.")?;
            continue;
        }
        write_summary(report, &queries, text)?;
        write_contestants(report, suite, &queries, text)?;
        bursts::write(report, &queries, text)?;
    }
    starts::write(report, text)
}

fn write_notes(report: &Report, text: &mut String) -> Result {
    let mut notes = Vec::new();
    if report.run.ended.is_none() {
        notes.push("The run has not ended: what is missing may come.".to_owned());
    }
    for contestant in &report.run.contestants {
        if let Some(reason) = &contestant.missing {
            notes.push(format!("**{}** took no part: {reason}", contestant.title));
        }
    }
    if report.disturbed() > 0 {
        let disturbed = report.disturbed();
        notes.push(format!("\\* marks figures of {disturbed} measurements that were disturbed by something else on the machine, however often they were repeated."));
    }
    notes.extend(report.notes.iter().cloned());
    if !notes.is_empty() {
        writeln!(text)?;
    }
    notes.iter().try_for_each(|note| writeln!(text, "- {}", cell(note)))
}

/// Thalweg beside the best yardstick by each measure, and beside the floor.
fn write_summary(report: &Report, queries: &[&QueryReport], text: &mut String) -> Result {
    let Some(thalweg) = report.run.contestants.iter().find(|one| one.role == Role::Thalweg) else {
        return Ok(());
    };
    writeln!(
        text,
        "{}, and in brackets how many times better it is than the best of the contestants that it is compared with.\n",
        cell(&thalweg.title)
    )?;
    writeln!(
        text,
        "| query | requests/s | share of the floor | p99 ms | CPU µs a request, server | database | database's floor | peak MiB | highest rate |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|---|---|")?;
    for query in queries {
        let Some(entry) = query.entries.iter().find(|entry| entry.contestant == thalweg.id) else {
            continue;
        };
        if let Some(reason) = &entry.absent {
            writeln!(text, "| {} | {} ||||||||", cell(&query.query), cell(reason))?;
            continue;
        }
        let of = |measure, form: fn(f64) -> String| beside(entry.comparison(measure), form);
        let share =
            entry.comparison(Measure::RequestsPerSecond).and_then(|found| found.floor.as_ref());
        let work = entry.comparison(Measure::WorkCpu).and_then(|found| found.floor.as_ref());
        let percent = |floor: &Ratio| format!("{} %", number(floor.times * 100.0));
        let share = match (share, work) {
            (Some(share), _) => percent(share),
            (None, Some(work)) => percent(work) + " by CPU",
            (None, None) => "–".to_owned(),
        };
        let floor = entry.comparison(Measure::DatabaseCpu).and_then(|found| found.floor.as_ref());
        let floor = floor.map_or("–".to_owned(), |floor| microseconds_each(floor.value));
        writeln!(
            text,
            "| {} | {}{} | {share} | {} | {} | {} | {floor} | {} | {} |",
            cell(&query.query),
            of(Measure::RequestsPerSecond, number),
            mark(entry.closed(report.connections)),
            of(Measure::P99, milliseconds),
            of(Measure::ServerCpu, microseconds_each),
            of(Measure::DatabaseCpu, microseconds_each),
            of(Measure::PeakMemory, mebibytes),
            of(Measure::HighestRate, number),
        )?;
    }
    Ok(())
}

/// `31,204 (12.3 ×)`.
fn beside(comparison: Option<&Comparison>, form: fn(f64) -> String) -> String {
    let Some(comparison) = comparison else { return "–".to_owned() };
    let value = form(comparison.value.median);
    match &comparison.yardstick {
        Some(yardstick) => format!("{value} ({} ×)", number(yardstick.times)),
        None => value,
    }
}

fn write_contestants(
    report: &Report,
    suite: &Suite,
    queries: &[&QueryReport],
    text: &mut String,
) -> Result {
    writeln!(
        text,
        "\n| query | contestant | requests/s | p50 ms | p99 ms | max ms | CPU µs a request, server | database | load | peak MiB | highest rate | failures |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|---|---|---|---|---|")?;
    for query in queries {
        for (entry, contestant) in query.entries.iter().zip(&report.run.contestants) {
            if report.absence(&suite.id, &contestant.id).is_some() {
                continue;
            }
            write!(text, "| {} | {} |", cell(&query.query), cell(&contestant.title))?;
            if let Some(reason) = &entry.absent {
                writeln!(text, " {} ||||||||||", cell(reason))?;
            } else {
                write_contestant(report, entry, contestant, text)?;
            }
        }
    }
    let absent = report.run.contestants.iter().filter_map(|contestant| {
        let absence = report.absence(&suite.id, &contestant.id)?;
        Some(format!("{} ({})", cell(&contestant.title), cell(&absence.reason)))
    });
    let absent: Vec<String> = absent.collect();
    if !absent.is_empty() {
        writeln!(text, "\nWithout figures here: {}.", absent.join(", "))?;
    }
    let bytes = suite
        .queries
        .iter()
        .map(|query| format!("{} {}", cell(&query.id), number(precise(query.answer_bytes))));
    writeln!(text, "\nBytes of the answers: {}.", bytes.collect::<Vec<_>>().join(", "))
}

fn write_contestant(
    report: &Report,
    entry: &Entry,
    contestant: &Contestant,
    text: &mut String,
) -> Result {
    let any = (contestant.role == Role::Floor).then(|| entry.points.first()).flatten();
    let point = entry.closed(report.connections).or(any);
    let figure = |value: fn(&Point) -> Option<Spread>, form: fn(f64) -> String| {
        let spread = point.and_then(value).filter(|spread| spread.median > 0.0);
        spread.map_or("–".to_owned(), |spread| form(spread.median))
    };
    let memory = entry.closed(report.memory_connections).and_then(|point| point.peak_memory);
    let memory = memory.filter(|memory| memory.median > 0.0);
    let failures: u64 = entry
        .points
        .iter()
        .filter(|point| matches!(point.load, Load::Closed { .. }))
        .map(|point| point.failures)
        .sum();
    writeln!(
        text,
        " {}{} | {} | {} | {} | {} | {} | {} | {} | {} | {failures} |",
        point
            .and_then(|point| point.requests_per_second)
            .map_or("–".to_owned(), |spread| between(spread, number)),
        mark(point),
        figure(|point| point.p50, milliseconds),
        figure(|point| point.p99, milliseconds),
        figure(|point| point.max, milliseconds),
        figure(|point| point.cpu.server, microseconds_each),
        figure(|point| point.cpu.database, microseconds_each),
        figure(|point| point.cpu.load, microseconds_each),
        memory.map_or("–".to_owned(), |memory| mebibytes(memory.median)),
        entry.highest_rate.map_or("–".to_owned(), highest),
    )
}

/// `31,204 (30,990 to 31,500)`.
fn between(spread: Spread, form: fn(f64) -> String) -> String {
    let Spread { median, least, most } = spread;
    let [median, least, most] = [median, least, most].map(form);
    if least == most { median } else { format!("{median} ({least} to {most})") }
}

/// At least so many where no load was too much.
fn highest(highest: Highest) -> String {
    if highest.value.median == 0.0 {
        return format!("< {}", number(highest.lowest_tried));
    }
    let sign = if highest.is_reached { "" } else { "≥ " };
    format!("{sign}{}", number(highest.value.median))
}

/// The mark of a disturbed figure.
fn mark(point: Option<&Point>) -> &'static str {
    if point.is_some_and(|point| point.disturbed > 0) { "\\*" } else { "" }
}

/// Text that ends no cell and no line.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[expect(clippy::cast_precision_loss, reason = "fewer than a double counts")]
fn precise(number: u64) -> f64 {
    number as f64
}
