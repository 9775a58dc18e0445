//! Medians of the rounds, as a table.

use std::fmt::Write;

use crate::race::record::Start;

/// A row for each contestant and size, in the order in which they were measured first.
pub(crate) fn text(starts: &[Start]) -> String {
    let mut groups: Vec<Vec<&Start>> = Vec::new();
    for start in starts {
        match groups.iter_mut().find(|group| is_alike(group[0], start)) {
            Some(group) => group.push(start),
            None => groups.push(vec![start]),
        }
    }
    let mut text = String::from(
        "| tables | source | contestant | first answer | least to most | CPU until then | memory | kB a table |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    groups.sort_by_key(|group| group[0].tables);
    for group in &groups {
        // Writing to a `String` fails never.
        let written = write_row(&mut text, group, &groups);
        debug_assert!(written.is_ok(), "a row was not written");
    }
    text
}

fn is_alike(one: &Start, other: &Start) -> bool {
    one.tables == other.tables && one.source == other.source && one.contestant == other.contestant
}

fn write_row(text: &mut String, group: &[&Start], all: &[Vec<&Start>]) -> std::fmt::Result {
    let Start { tables, source, contestant, .. } = group[0];
    write!(text, "| {tables} | {source} | {contestant} | ")?;
    if let Some(reason) = group.iter().find_map(|start| start.missing.as_deref()) {
        return writeln!(text, "{reason} | – | – | – | – |");
    }
    let seconds = sorted(group, |start| start.first_answer_seconds);
    let cpu = sorted(group, |start| start.cpu_seconds);
    let (least, most) = (seconds.first().unwrap_or(&0.0), seconds.last().unwrap_or(&0.0));
    write!(text, "{:.3} s | {least:.3} to {most:.3} s | ", median(&seconds))?;
    write!(text, "{:.2} s | {:.1} MiB | ", median(&cpu), kibibytes(group) / 1_024.0)?;
    let smallest = all.iter().find(|other| {
        let first = other[0];
        first.source == *source && first.contestant == *contestant && first.missing.is_none()
    });
    match smallest {
        Some(smallest) if smallest[0].tables < *tables => {
            let more = kibibytes(group) - kibibytes(smallest);
            writeln!(text, "{:.1} |", more / f64::from(*tables - smallest[0].tables))
        }
        Some(_) | None => writeln!(text, "– |"),
    }
}

#[expect(clippy::cast_precision_loss, reason = "no process has that much memory")]
fn kibibytes(group: &[&Start]) -> f64 {
    median(&sorted(group, |start| start.memory as f64)) / 1_024.0
}

fn sorted(group: &[&Start], value: fn(&Start) -> f64) -> Vec<f64> {
    let mut values: Vec<f64> = group.iter().map(|start| value(start)).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn median(sorted: &[f64]) -> f64 {
    let upper = sorted.len() / 2;
    match (sorted.len().checked_rem(2), sorted.get(upper)) {
        (Some(0), Some(high)) if upper > 0 => (sorted[upper - 1] + high) / 2.0,
        (_, Some(value)) => *value,
        (_, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn start(contestant: &str, tables: u32, round: u32, seconds: f64, mebibytes: u64) -> Start {
        Start {
            contestant: contestant.to_owned(),
            source: "postgres".to_owned(),
            tables,
            round,
            first_answer_seconds: seconds,
            cpu_seconds: seconds / 2.0,
            memory: mebibytes << 20,
            missing: None,
        }
    }

    #[test]
    fn the_median_of_the_rounds_is_shown_with_its_spread() {
        let mut lost = start("postgraphile-4", 1_010, 1, 300.0, 0);
        lost.missing = Some("no answer after 300s".to_owned());
        let starts = [
            start("thalweg", 10, 1, 0.25, 20),
            start("postgraphile-4", 10, 1, 1.5, 100),
            start("thalweg", 1_010, 1, 0.5, 40),
            lost,
            start("thalweg", 10, 2, 0.75, 20),
            start("thalweg", 10, 3, 0.5, 20),
            start("thalweg", 1_010, 2, 1.0, 50),
        ];
        expect![[r"
            | tables | source | contestant | first answer | least to most | CPU until then | memory | kB a table |
            |---|---|---|---|---|---|---|---|
            | 10 | postgres | thalweg | 0.500 s | 0.250 to 0.750 s | 0.25 s | 20.0 MiB | – |
            | 10 | postgres | postgraphile-4 | 1.500 s | 1.500 to 1.500 s | 0.75 s | 100.0 MiB | – |
            | 1010 | postgres | thalweg | 0.750 s | 0.500 to 1.000 s | 0.38 s | 45.0 MiB | 25.6 |
            | 1010 | postgres | postgraphile-4 | no answer after 300s | – | – | – | – |
        "]].assert_eq(&text(&starts));
    }
}
