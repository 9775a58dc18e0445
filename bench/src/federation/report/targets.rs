//! Targets of Thalweg beside the others, a line each.

use std::fmt::{Result, Write};

use super::super::plan::{ALONE, DELAYED};
use super::super::record::{Load, Measurement, Run, Setting, precise};
use super::{MEBIBYTE, median};

/// Shares of the CPU of a query by others.
const SHARES: [(&str, f64); 2] = [("hive-router", 1.0 / 2.0), ("grafbase", 1.0 / 6.0)];
const CONNECTIONS: [u32; 2] = [1, 50];
/// MiB.
const MEMORY: f64 = 30.0;
/// Milliseconds.
const DELAYED_P50: f64 = 25.0;

/// One target: what was measured, and what it may be at most.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    name: String,
    value: f64,
    most: f64,
}

impl Line {
    fn is_reached(&self) -> bool {
        self.value <= self.most
    }
}

/// A target whose figures were not measured has no line.
pub(super) fn lines(run: &Run) -> Vec<Line> {
    let alone = Setting { form: run.form, ..ALONE };
    let mut lines = Vec::new();
    let mut add = |name: String, value: Option<f64>, most: Option<f64>| {
        lines.extend(value.zip(most).map(|(value, most)| Line { name, value, most }));
    };
    for (other, share) in SHARES {
        for connections in CONNECTIONS {
            let cpu = |gateway| figure(run, alone, gateway, connections, Measurement::cpu);
            let name = format!("CPU ms a query at {connections}, {share:.2} of {other}");
            add(name, cpu("thalweg"), cpu(other).map(|cpu| cpu * share));
        }
        let p99 = |gateway| run.ladder(alone, gateway).map(|ladder| ladder.least_p99 / 1e3);
        add(format!("least p99 ms, that of {other}"), p99("thalweg"), p99(other));
    }
    let memory = |one: &Measurement| precise(one.outcome.peak_memory) / MEBIBYTE;
    let peak = figure(run, alone, "thalweg", 50, memory);
    add("peak memory MiB at 50".to_owned(), peak, Some(MEMORY));
    let p50 = |one: &Measurement| one.outcome.latency.p50 / 1e3;
    for connections in CONNECTIONS {
        let delayed = Setting { form: run.form, ..DELAYED };
        let delayed = figure(run, delayed, "thalweg", connections, p50);
        let name = format!("p50 ms at {connections} where subgraphs wait 10 ms");
        add(name, delayed, Some(DELAYED_P50));
    }
    lines
}

fn figure(
    run: &Run,
    setting: Setting,
    gateway: &str,
    connections: u32,
    figure: fn(&Measurement) -> f64,
) -> Option<f64> {
    let all = run.of(setting, gateway, Load::Closed { connections });
    (!all.is_empty()).then(|| median(all.iter().map(|one| figure(one))))
}

pub(super) fn write(run: &Run, text: &mut String) -> Result {
    let lines = lines(run);
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n### Targets\n\n| target | measured | at most | |\n|---|---|---|---|")?;
    for line in lines {
        let word = if line.is_reached() { "reached" } else { "**missed**" };
        writeln!(text, "| {} | {:.3} | {:.3} | {word} |", line.name, line.value, line.most)?;
    }
    Ok(())
}
