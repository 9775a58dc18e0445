//! The view as text, for pipes.

use std::fmt::Write;

use super::quantity::{age, rate, seconds};
use super::snapshot::RunningOperation;
use super::sort::Sort;
use super::view::{PERCENTILES, View};
use crate::log::is_harmful;

/// The width of the names of a section.
const NAME_WIDTH: usize = 24;

pub(super) fn text(view: &View) -> String {
    let mut text = String::new();
    write(view, &mut text).unwrap_or_default();
    text
}

fn write(view: &View, text: &mut String) -> std::fmt::Result {
    let since = if view.is_since_start { "; rates are those since the start" } else { "" };
    writeln!(text, "thalweg {}, running for {}{since}", clean(&view.version), age(view.uptime))?;
    for section in view.sections.iter().filter(|section| !section.lines.is_empty()) {
        writeln!(text, "\n{}", section.title)?;
        for (name, value) in &section.lines {
            writeln!(text, "  {:NAME_WIDTH$}{}", clean(name), clean(value))?;
        }
    }
    let mut operations = view.operations.clone();
    Sort::Rate.sort(&mut operations);
    if !operations.is_empty() {
        let [p50, p95, p99] = PERCENTILES.map(|(name, _)| name);
        writeln!(text, "\nOperations")?;
        writeln!(text, "  {:>10}{p50:>10}{p95:>10}{p99:>10}{:>8}  name", "requests", "load")?;
    }
    for operation in &operations {
        let [p50, p95, p99] = operation.percentiles.map(seconds);
        let (rate, name) = (rate(operation.per_second), clean(&operation.name));
        let load = format!("{:.2}", operation.load);
        writeln!(text, "  {rate:>10}{p50:>10}{p95:>10}{p99:>10}{load:>8}  {name}")?;
    }
    writeln!(text, "\nRunning operations: {}", view.running.total)?;
    for operation in &view.running.listed {
        let elapsed = seconds(Some(operation.elapsed.as_secs_f64()));
        let (kind, name) = (clean(&operation.kind), name_of(operation));
        let (id, work) = (clean(&operation.request_id), work_of(operation));
        writeln!(text, "  {elapsed:>10}  {kind:<12}  {name}  {id}  {work}")?;
    }
    Ok(())
}

pub(super) fn name_of(operation: &RunningOperation) -> String {
    match &*operation.name {
        "" => "(unnamed)".into(),
        name => clean(name),
    }
}

pub(super) fn work_of(operation: &RunningOperation) -> String {
    clean(&operation.work.join("; "))
}

/// Replaces characters that a terminal would interpret: names are those of clients.
pub(super) fn clean(text: &str) -> String {
    text.chars().map(|c| if is_harmful(c) { '\u{fffd}' } else { c }).collect()
}
