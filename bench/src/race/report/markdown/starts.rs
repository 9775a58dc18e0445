//! Starts, by the number of tables.

use std::fmt::{Result, Write};

use super::{between, cell};
use crate::figure::{mebibytes, number};
use crate::race::report::summary::{Report, StartReport};

pub(super) fn write(report: &Report, text: &mut String) -> Result {
    if report.starts.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n### Start-up\n")?;
    let title = |id: &str| {
        let known = report.run.contestants.iter().find(|one| one.id == id);
        known.map_or_else(|| id.to_owned(), |contestant| contestant.title.clone())
    };
    write_table(&report.starts, title, text)
}

/// A row for each contestant and number of tables.
pub(in crate::race::report) fn write_table(
    starts: &[StartReport],
    title: impl Fn(&str) -> String,
    text: &mut String,
) -> Result {
    writeln!(
        text,
        "| source | contestant | tables | first answer s | CPU s | memory MiB | KiB a table |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|")?;
    for start in starts {
        let (source, title) = (cell(&start.source), cell(&title(&start.contestant)));
        for point in &start.points {
            let tables = number(f64::from(point.tables));
            write!(text, "| {source} | {title} | {tables} | ")?;
            if let Some(reason) = &point.missing {
                writeln!(text, "{} ||||", cell(reason))?;
                continue;
            }
            let first = point
                .first_answer_seconds
                .map_or("–".to_owned(), |spread| between(spread, number));
            let cpu = point.cpu_seconds.map_or("–".to_owned(), |spread| number(spread.median));
            let memory = point.memory.map_or("–".to_owned(), |spread| mebibytes(spread.median));
            let growth = start.memory_per_table_of(point);
            let growth = growth.map_or("–".to_owned(), |bytes| number(bytes / 1024.0));
            writeln!(text, "{first} | {cpu} | {memory} | {growth} |")?;
        }
    }
    Ok(())
}
