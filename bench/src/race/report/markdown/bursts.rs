//! Recovery after bursts, and the number of users that are served in time.

use std::fmt::{Result, Write};

use super::{between, cell, highest, mark, precise};
use crate::figure::{milliseconds, number};
use crate::race::record::Load;
use crate::race::report::summary::{QueryReport, Report};

pub(super) fn write(report: &Report, queries: &[&QueryReport], text: &mut String) -> Result {
    write_bursts(report, queries, text)?;
    write_users(report, queries, text)
}

fn write_bursts(report: &Report, queries: &[&QueryReport], text: &mut String) -> Result {
    let mut rows = Vec::new();
    for query in queries {
        for (entry, contestant) in query.entries.iter().zip(&report.run.contestants) {
            for point in &entry.points {
                let Load::Burst { rate, burst_rate, burst_seconds } = point.load else { continue };
                let recovery = point
                    .recovery_seconds
                    .map_or("–".to_owned(), |spread| between(spread, number));
                rows.push(format!(
                    "| {} | {} | {} requests/s for {} s over {}{} | {recovery} | {} of {} | {} | {} |",
                    cell(&query.query), cell(&contestant.title), number(burst_rate), number(burst_seconds), number(rate), mark(Some(point)),
                    point.rounds - point.unrecovered, point.rounds,
                    point.max.map_or("–".to_owned(), |max| milliseconds(max.median)),
                    point.failures,
                ));
            }
        }
    }
    if !rows.is_empty() {
        writeln!(
            text,
            "\n| query | contestant | burst | seconds to recover | rounds recovered | max ms | failures |"
        )?;
        writeln!(text, "|---|---|---|---|---|---|---|")?;
        rows.iter().try_for_each(|row| writeln!(text, "{row}"))?;
    }
    Ok(())
}

fn write_users(report: &Report, queries: &[&QueryReport], text: &mut String) -> Result {
    let mut rows = Vec::new();
    for query in queries {
        for (entry, contestant) in query.entries.iter().zip(&report.run.contestants) {
            if let Some(users) = entry.most_users {
                rows.push(format!(
                    "| {} | {} | {} |",
                    cell(&query.query),
                    cell(&contestant.title),
                    highest(users)
                ));
            }
        }
    }
    if !rows.is_empty() {
        let limit = milliseconds(precise(report.run.settings.users_latency_limit));
        writeln!(text, "\n| query | contestant | users with p95 < {limit} ms |\n|---|---|---|")?;
        rows.iter().try_for_each(|row| writeln!(text, "{row}"))?;
    }
    Ok(())
}
