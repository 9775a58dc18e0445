//! Starts, by the number of tables.

use std::fmt::{Result, Write};

use super::{between, cell};
use crate::race::report::figure::{mebibytes, number};
use crate::race::report::summary::{Report, StartReport};

pub(super) fn write(report: &Report, text: &mut String) -> Result {
    if report.starts.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n### Start-up\n")?;
    writeln!(
        text,
        "| source | contestant | tables | first answer s | CPU s | memory MiB | KiB a table |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|")?;
    for start in &report.starts {
        let StartReport { source, contestant, points, memory_per_table } = start;
        let known = report.run.contestants.iter().find(|one| one.id == *contestant);
        let title = known.map_or(contestant, |contestant| &contestant.title);
        let per_table = memory_per_table.map_or("–".to_owned(), |bytes| number(bytes / 1024.0));
        for point in points {
            let tables = number(f64::from(point.tables));
            if let Some(reason) = &point.missing {
                writeln!(
                    text,
                    "| {} | {} | {tables} | {} ||||",
                    cell(source),
                    cell(title),
                    cell(reason)
                )?;
                continue;
            }
            let first = point
                .first_answer_seconds
                .map_or("–".to_owned(), |spread| between(spread, number));
            let cpu = point.cpu_seconds.map_or("–".to_owned(), |spread| number(spread.median));
            let memory = point.memory.map_or("–".to_owned(), |spread| mebibytes(spread.median));
            writeln!(
                text,
                "| {} | {} | {tables} | {first} | {cpu} | {memory} | {per_table} |",
                cell(source),
                cell(title)
            )?;
        }
    }
    Ok(())
}
