//! The results as tables and as JSON.

use std::fmt::Write;
use std::thread;

use serde::Serialize;

use super::instructions::Counter;
use crate::figure::{self, number};

/// The tolerated difference between the costs of one warm operation, in percent.
const MOST_PERCENT: u64 = 3;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) cores: usize,
    pub(super) versions: Vec<String>,
    /// The counter of the instructions.
    pub(super) counter: Option<&'static str>,
    /// Numbers of tables of the columns of the costs.
    pub(super) tables: Vec<usize>,
    pub(super) costs: Vec<Cost>,
    pub(super) growth: Vec<Growth>,
}

/// The cost of one operation by the number of tables.
#[derive(Debug, Serialize)]
pub(super) struct Cost {
    pub(super) source: &'static str,
    pub(super) dialect: &'static str,
    pub(super) operation: &'static str,
    pub(super) kind: Kind,
    /// For each request.
    pub(super) instructions: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// The document is known: what nearly every request is.
    Warm,
    Cold,
}

/// Time and memory of one server.
#[derive(Debug, Serialize)]
pub(super) struct Growth {
    pub(super) source: &'static str,
    pub(super) dialect: &'static str,
    pub(super) tables: usize,
    /// Roles with permissions on each table; `None` without permissions.
    pub(super) roles: Option<usize>,
    /// From the start of the process until its first answer.
    pub(super) start_seconds: f64,
    /// CPU of the process until then, which depends less on other load of the machine.
    pub(super) start_cpu_seconds: f64,
    /// Statements of the introspection, where the database keeps a log.
    pub(super) statements: Option<usize>,
    /// Resident memory after the first answers.
    pub(super) kilobytes: u64,
    /// The most resident memory until then.
    pub(super) peak_kilobytes: u64,
    /// After a request of each role.
    pub(super) kilobytes_after_roles: Option<u64>,
    /// The whole schema, by the query that clients send; `None` if it is larger than an answer may be.
    pub(super) introspection: Option<Introspection>,
    pub(super) kilobytes_after_introspection: u64,
}

/// The answer with the whole schema.
#[derive(Debug, Serialize)]
pub(super) struct Introspection {
    pub(super) seconds: f64,
    pub(super) bytes: usize,
}

impl Cost {
    /// The percentage by which the most exceeds the least.
    fn difference(&self) -> f64 {
        let (least, most) = self.extremes();
        (most as f64 / least as f64 - 1.0) * 100.0
    }

    fn is_level(&self) -> bool {
        let (least, most) = self.extremes();
        self.kind == Kind::Cold || most * 100 <= least * (100 + MOST_PERCENT)
    }

    /// The least, which is not zero, and the most.
    fn extremes(&self) -> (u64, u64) {
        let least = self.instructions.iter().min().copied().unwrap_or_default();
        let most = self.instructions.iter().max().copied().unwrap_or_default();
        (least.max(1), most)
    }
}

impl Report {
    pub(super) fn new(counter: Option<Counter>, tables: &[usize]) -> Self {
        Self {
            cores: thread::available_parallelism().map_or(1, usize::from),
            versions: Vec::new(),
            counter: counter.map(Counter::name),
            tables: tables.to_vec(),
            costs: Vec::new(),
            growth: Vec::new(),
        }
    }

    /// Whether the warm operations cost the same on every size.
    pub(super) fn is_level(&self) -> bool {
        self.costs.iter().all(Cost::is_level)
    }

    /// Tables in Markdown.
    pub(super) fn text(&self) -> String {
        figure::text(|text| self.write(text))
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "{} cores; {}", self.cores, self.versions.join("; "))?;
        if let Some(counter) = self.counter {
            writeln!(text, "\nInstructions of the server for each request ({counter}):\n")?;
            self.write_costs(text)?;
        }
        writeln!(text, "\nStart and memory:\n")?;
        self.write_growth(text)
    }

    fn write_costs(&self, text: &mut String) -> std::fmt::Result {
        let sizes = self.tables.iter().map(|tables| format!("{} tables", number(*tables as f64)));
        let mut rows = vec![
            ["source", "dialect", "operation"]
                .map(str::to_owned)
                .into_iter()
                .chain(sizes)
                .chain(["difference".to_owned()])
                .collect(),
        ];
        for cost in &self.costs {
            let verdict = if cost.is_level() { "" } else { ", too much" };
            rows.push(
                [cost.source, cost.dialect, cost.operation]
                    .map(str::to_owned)
                    .into_iter()
                    .chain(cost.instructions.iter().map(|count| number(*count as f64)))
                    .chain([format!("{:.1} %{verdict}", cost.difference())])
                    .collect(),
            );
        }
        write_table(text, &rows)
    }

    fn write_growth(&self, text: &mut String) -> std::fmt::Result {
        let head = [
            "source",
            "dialect",
            "tables",
            "roles",
            "first answer",
            "CPU until then",
            "statements",
            "memory",
            "kB a table",
            "most until then",
            "after a request of each role",
            "whole schema",
            "memory after it",
            "kB a table",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for row in &self.growth {
            let is_smallest = |other: &&Growth| {
                other.source == row.source
                    && other.dialect == row.dialect
                    && other.tables < row.tables
            };
            let smallest = self.growth.iter().find(is_smallest);
            let a_table = |kilobytes: fn(&Growth) -> u64| match smallest {
                None => "–".to_owned(),
                Some(small) => {
                    let more = kilobytes(row).saturating_sub(kilobytes(small));
                    format!("{:.1}", more as f64 / (row.tables - small.tables) as f64)
                }
            };
            rows.push(vec![
                row.source.to_owned(),
                row.dialect.to_owned(),
                number(row.tables as f64),
                row.roles.map_or("–".to_owned(), |roles| roles.to_string()),
                format!("{:.2} s", row.start_seconds),
                format!("{:.2} s", row.start_cpu_seconds),
                row.statements.map_or("–".to_owned(), |statements| statements.to_string()),
                format!("{} kB", number(row.kilobytes as f64)),
                a_table(|row| row.kilobytes),
                format!("{} kB", number(row.peak_kilobytes as f64)),
                row.kilobytes_after_roles
                    .map_or("–".to_owned(), |after| format!("{} kB", number(after as f64))),
                match &row.introspection {
                    Some(Introspection { seconds, bytes }) => {
                        format!("{} kB in {seconds:.2} s", number((bytes / 1_000) as f64))
                    }
                    None => "too large".to_owned(),
                },
                format!("{} kB", number(row.kilobytes_after_introspection as f64)),
                a_table(|row| row.kilobytes_after_introspection),
            ]);
        }
        write_table(text, &rows)
    }
}

/// The first row is the head.
fn write_table(text: &mut String, rows: &[Vec<String>]) -> std::fmt::Result {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for (number, row) in rows.iter().enumerate() {
        text.push('|');
        for (cell, width) in row.iter().zip(&widths) {
            write!(text, " {cell:width$} |")?;
        }
        text.push('\n');
        if number == 0 {
            let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(width + 2)).collect();
            writeln!(text, "|{}|", dashes.join("|"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn cost(kind: Kind, instructions: &[u64]) -> Cost {
        let instructions = instructions.to_vec();
        let (source, dialect) = ("SQLite", "phrag");
        Cost { source, dialect, operation: "a row by key", kind, instructions }
    }

    fn growth(tables: usize, kilobytes: u64, statements: Option<usize>) -> Growth {
        Growth {
            source: "PostgreSQL",
            dialect: "postgraphile",
            tables,
            roles: statements.map(|_| 11),
            start_seconds: 0.625,
            start_cpu_seconds: 0.25,
            statements,
            kilobytes,
            peak_kilobytes: 2 * kilobytes,
            kilobytes_after_roles: statements.map(|_| kilobytes + 11),
            introspection: statements.map(|_| Introspection { seconds: 1.0, bytes: 1_234_567 }),
            kilobytes_after_introspection: kilobytes + tables as u64,
        }
    }

    fn report(costs: Vec<Cost>) -> Report {
        Report {
            cores: 2,
            versions: vec!["SQLite 3.50.0".to_owned()],
            counter: Some(Counter::Callgrind.name()),
            tables: vec![10, 2_000],
            costs,
            growth: vec![growth(10, 10_000, Some(7)), growth(5_000, 109_800, None)],
        }
    }

    #[test]
    fn costs_and_memory_are_tables() {
        let costs =
            vec![cost(Kind::Warm, &[100_000, 103_100]), cost(Kind::Cold, &[1_000_000, 1_500_000])];
        expect![[r#"
            2 cores; SQLite 3.50.0

            Instructions of the server for each request (Callgrind):

            | source | dialect | operation    | 10 tables | 2,000 tables | difference      |
            |--------|---------|--------------|-----------|--------------|-----------------|
            | SQLite | phrag   | a row by key | 100,000   | 103,100      | 3.1 %, too much |
            | SQLite | phrag   | a row by key | 1,000,000 | 1,500,000    | 50.0 %          |

            Start and memory:

            | source     | dialect      | tables | roles | first answer | CPU until then | statements | memory     | kB a table | most until then | after a request of each role | whole schema       | memory after it | kB a table |
            |------------|--------------|--------|-------|--------------|----------------|------------|------------|------------|-----------------|------------------------------|--------------------|-----------------|------------|
            | PostgreSQL | postgraphile | 10     | 11    | 0.62 s       | 0.25 s         | 7          | 10,000 kB  | –          | 20,000 kB       | 10,011 kB                    | 1,234 kB in 1.00 s | 10,010 kB       | –          |
            | PostgreSQL | postgraphile | 5,000  | –     | 0.62 s       | 0.25 s         | –          | 109,800 kB | 20.0       | 219,600 kB      | –                            | too large          | 114,800 kB      | 21.0       |
        "#]].assert_eq(&report(costs).text());
    }

    #[test]
    fn only_warm_operations_must_cost_the_same() {
        let check = |kind, instructions: &[u64], expected| {
            let report = report(vec![cost(Kind::Warm, &[5, 5]), cost(kind, instructions)]);
            assert_eq!(report.is_level(), expected, "{kind:?} {instructions:?}");
        };
        check(Kind::Warm, &[1_000, 1_030, 1_010], true);
        check(Kind::Warm, &[1_000, 1_031, 1_010], false);
        check(Kind::Warm, &[1_031, 1_000], false);
        check(Kind::Cold, &[1_000, 2_000], true);
    }
}
