//! The figures as tables of Markdown.

mod beside;

use super::load::{Kind, Load};
use super::phase::{Memory, Phase, PolledPhase};
use crate::figure::{milliseconds, number};

pub(super) use beside::Beside;

/// Targets: bytes of a subscription, microseconds of a latency, shares of a processor.
const MEMORY_TARGET: f64 = 20.0 * 1024.0;
const P99_TARGET: f64 = 100_000.0;
const CPU_TARGET: f64 = 0.25;
const UNREAD_TARGET: f64 = 1.0;
/// Times the CPU of polling.
const POLLING_TARGET: f64 = 20.0;
const TARGET: Kind = Kind::Changes(super::TARGET_LOAD);
/// The seconds in which the system counts CPU.
const TICK: f64 = 0.01;

/// All figures of a run.
#[derive(Debug)]
pub(super) struct Report {
    sockets: u32,
    seconds: u32,
    memory: Vec<Memory>,
    alone: Vec<Phase>,
    phases: Vec<Phase>,
    polling: Vec<PolledPhase>,
    beside: Option<Beside>,
    left_out: Vec<Load>,
}

impl Report {
    pub(super) fn new(sockets: u32, seconds: u32, left_out: &[Load]) -> Self {
        let (memory, alone, phases, polling, beside) = Default::default();
        let left_out = left_out.to_vec();
        Self { sockets, seconds, memory, alone, phases, polling, beside, left_out }
    }

    pub(super) fn add_memory(&mut self, memory: &Memory) {
        self.memory.push(*memory);
    }

    /// Adds changes without a server.
    pub(super) fn add_alone(&mut self, phase: &Phase) {
        self.alone.push(phase.clone());
    }

    pub(super) fn add(&mut self, phase: &Phase) {
        self.phases.push(phase.clone());
    }

    pub(super) fn add_polling(&mut self, phase: &PolledPhase) {
        self.polling.push(phase.clone());
    }

    pub(super) fn add_beside(&mut self, beside: Beside) {
        self.beside = Some(beside);
    }

    pub(super) fn text(&self) -> String {
        let Self { sockets, seconds, .. } = self;
        let mut lines = vec![format!(
            "{} sockets with one subscription each, {seconds} seconds a measurement. CPU is in percent \
             of one processor.",
            number((*sockets).into())
        )];
        self.memory_lines(&mut lines);
        self.phase_lines(&mut lines);
        self.polling_lines(&mut lines);
        self.target_lines(&mut lines);
        if let Some(beside) = &self.beside {
            beside.lines(&mut lines);
        }
        lines.push(String::new());
        lines.join("\n")
    }

    fn memory_lines(&self, lines: &mut Vec<String>) {
        lines.push("\n| subscriptions | memory of the server, MiB | without any | KiB each | opened in, s |".to_owned());
        lines.push("|---|---|---|---|---|".to_owned());
        for memory in &self.memory {
            lines.push(format!(
                "| {} | {} | {} | {} | {} |",
                number(memory.number.into()),
                number(memory.resident as f64 / 1_048_576.0),
                number(memory.before as f64 / 1_048_576.0),
                number(memory.each() / 1024.0),
                number(memory.seconds),
            ));
        }
    }

    fn phase_lines(&self, lines: &mut Vec<String>) {
        lines.push(
            "\n| load | changes | changed rows | executions | other statements | messages | p50, ms | p99, ms | \
             max, ms | CPU of the server | of PostgreSQL | of PostgreSQL without a server | of others |"
                .to_owned(),
        );
        lines.push("|---|---|---|---|---|---|---|---|---|---|---|---|---|".to_owned());
        for phase in &self.phases {
            let (latency, statements) = (phase.latency, phase.statements);
            let cells = [
                phase.kind.to_string(),
                number(phase.transactions as f64),
                number(phase.rows as f64),
                number(statements.executions as f64),
                number(statements.others as f64),
                number(phase.messages as f64),
                milliseconds(latency.p50),
                milliseconds(latency.p99),
                milliseconds(latency.max),
                percent(phase.usage.cpu.server / phase.usage.seconds),
                percent(phase.usage.cpu.database / phase.usage.seconds),
                self.alone(phase.kind).map(percent).unwrap_or_default(),
                percent(phase.usage.cpu.other / phase.usage.seconds),
            ];
            lines.push(format!("| {} |", cells.join(" | ")));
        }
        left_out(&self.left_out, self.sockets, "PostgreSQL does not write so many", lines);
        if let Some(phase) = self.phase(Kind::Unread) {
            lines.push(format!(
                "\nA change of an unread row costs {} µs of the server.",
                number(phase.usage.cpu.server / phase.rows as f64 * 1e6)
            ));
        }
        if let Some(phase) = self.phase(Kind::All) {
            lines.push(format!(
                "A change of all rows reaches all {} clients in {} s, with {} CPU seconds of the server \
                 and {} of PostgreSQL.",
                number(phase.messages as f64),
                number(phase.latency.max / 1e6),
                number(phase.usage.cpu.server),
                number(phase.usage.cpu.database),
            ));
        }
    }

    fn polling_lines(&self, lines: &mut Vec<String>) {
        lines.push(
            "\n| polling once a second | statements | changed responses | CPU of the server | \
             of PostgreSQL | of others | CPU, times Thalweg's |"
                .to_owned(),
        );
        lines.push("|---|---|---|---|---|---|---|".to_owned());
        for phase in &self.polling {
            let seconds = phase.usage.seconds;
            let cells = [
                phase.kind.to_string(),
                number(phase.polled.statements as f64),
                number(phase.polled.changed as f64),
                percent(phase.polled.cpu / seconds),
                percent(phase.usage.cpu.database / seconds),
                percent(phase.usage.cpu.other / seconds),
                self.times(phase).map(number).unwrap_or_default(),
            ];
            lines.push(format!("| {} |", cells.join(" | ")));
        }
    }

    fn target_lines(&self, lines: &mut Vec<String>) {
        lines.push("\n| target | measured | |".to_owned());
        lines.push("|---|---|---|".to_owned());
        let mut target = |title: &str, measured: Option<(String, bool)>| {
            if let Some((measured, is_met)) = measured {
                let verdict = if is_met { "met" } else { "**missed**" };
                lines.push(format!("| {title} | {measured} | {verdict} |"));
            }
        };
        let each = self.memory.last().map(Memory::each);
        target(
            "memory of a subscription: 20 KiB",
            each.map(|each| (format!("{} KiB", number(each / 1024.0)), each < MEMORY_TARGET)),
        );
        let idle = self.phase(Kind::Idle).map(|phase| phase.statements.executions);
        let idle = idle.map(|number| (format!("{number} executions"), number == 0));
        target("idle: no executions", idle);
        let middle = self.phase(TARGET);
        let p99 = middle.map(|phase| phase.latency.p99);
        target(
            "100 changes/s, one subscriber each: p99 100 ms",
            p99.map(|p99| (format!("{} ms", milliseconds(p99)), p99 < P99_TARGET)),
        );
        let cpu = middle.map(Phase::cpu_share);
        target(
            "100 changes/s, one subscriber each: a quarter of a processor for server and PostgreSQL",
            cpu.map(|share| (percent(share), share < CPU_TARGET)),
        );
        let executions = middle.map(|phase| (phase.statements.executions, phase.rows));
        target(
            "100 changes/s, one subscriber each: one execution a change at most",
            executions
                .map(|(executions, rows)| (format!("{executions} executions"), executions <= rows)),
        );
        let unread = self.phase(Kind::Unread);
        let unread = unread.map(|phase| phase.usage.cpu.server / phase.usage.seconds);
        target(
            "20,000 changes/s of unread rows: one processor",
            unread.map(|share| (percent(share), share < UNREAD_TARGET)),
        );
        for phase in &self.polling {
            let times = self.times(phase);
            target(
                &format!("{}: CPU of polling at least 20 times Thalweg's", phase.kind),
                times.map(|times| (format!("{} times", number(times)), times >= POLLING_TARGET)),
            );
        }
    }

    fn phase(&self, kind: Kind) -> Option<&Phase> {
        self.phases.iter().find(|phase| phase.kind == kind)
    }

    /// PostgreSQL's share of a processor for the changes themselves.
    fn alone(&self, kind: Kind) -> Option<f64> {
        let phase = self.alone.iter().find(|phase| phase.kind == kind)?;
        Some(phase.usage.cpu.database / phase.usage.seconds)
    }

    /// CPU of polling divided by that of the server, both with PostgreSQL's and without that of the
    /// changes themselves.
    fn times(&self, phase: &PolledPhase) -> Option<f64> {
        let own = self.alone(phase.kind).unwrap_or(0.0);
        let seconds = phase.usage.seconds;
        let polling = (phase.polled.cpu + phase.usage.cpu.database) / seconds - own;
        // With few rows it is less than the difference between two measurements of the changes.
        let polling = polling.max(0.0);
        let live = self.phase(phase.kind)?;
        let least = TICK / live.usage.seconds;
        Some(polling / (live.cpu_share() - own).max(least))
    }
}

impl Memory {
    /// Bytes of one subscription.
    fn each(&self) -> f64 {
        self.resident.saturating_sub(self.before) as f64 / f64::from(self.number.max(1))
    }
}

impl Phase {
    /// The share of a processor that server and database have.
    fn cpu_share(&self) -> f64 {
        (self.usage.cpu.server + self.usage.cpu.database) / self.usage.seconds
    }
}

/// Names the loads that were not measured, with the reason.
fn left_out(loads: &[Load], sockets: u32, reason: &str, lines: &mut Vec<String>) {
    for load in loads {
        let rows = number(load.rows_per_second(sockets) as f64);
        lines.push(format!("\nNot measured: {load}, which are {rows} rows/s; {reason}."));
    }
}

fn percent(share: f64) -> String {
    format!("{} %", number(share * 100.0))
}
