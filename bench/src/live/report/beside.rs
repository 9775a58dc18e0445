//! The table of PostGraphile, Thalweg and polling with the same subscriptions.

use super::{left_out, percent};
use crate::figure::{milliseconds, number};
use crate::live::load::Loads;
use crate::live::peer::Contestant;
use crate::live::phase::{Memory, Phase, PolledPhase};

/// Contestants with the same number of sockets.
#[derive(Clone, Debug)]
pub(in crate::live) struct Beside {
    pub(in crate::live) sockets: u32,
    pub(in crate::live) contestants: Vec<Contestant>,
    pub(in crate::live) polling: Vec<PolledPhase>,
    pub(in crate::live) loads: Loads,
}

impl Beside {
    pub(super) fn lines(&self, lines: &mut Vec<String>) {
        lines.push(format!(
            "\nThalweg and PostGraphile 4 with {} sockets each. A latency is in milliseconds; CPU is in \
             percent of one processor, of PostgreSQL with that of the changes themselves.\n",
            number(self.sockets.into())
        ));
        self.memory_lines(lines);
        lines.push(
            "\n| load | server | changes | changed rows | executions | messages | p50, ms | p99, ms | \
             max, ms | CPU of the server | of PostgreSQL |"
                .to_owned(),
        );
        lines.push("|---|---|---|---|---|---|---|---|---|---|---|".to_owned());
        for kind in self.loads.kinds() {
            for contestant in &self.contestants {
                let phase = contestant.phases.iter().find(|phase| phase.kind == kind);
                lines.extend(phase.map(|phase| line(contestant.title, phase)));
            }
            let polled = self.polling.iter().find(|polled| polled.kind == kind);
            lines.extend(polled.map(polling_line));
        }
        for Contestant { title, failure, phases, .. } in &self.contestants {
            match failure {
                Some(failure) => lines.push(format!(
                    "\n{title} was measured in {} loads, then: {failure}",
                    phases.len()
                )),
                None => lines.push(format!(
                    "\n{title}: each message was its row's, and the last ones were equal to the table."
                )),
            }
        }
        left_out(&self.loads.left_out, self.sockets, "PostGraphile parses each row as JSON", lines);
    }

    fn memory_lines(&self, lines: &mut Vec<String>) {
        lines.push(
            "| server | memory, MiB | without subscriptions, MiB | KiB each | opened in, s |"
                .to_owned(),
        );
        lines.push("|---|---|---|---|---|".to_owned());
        let measured = self.contestants.iter().filter_map(|own| Some((own.title, own.memory?)));
        lines.extend(measured.map(|(title, memory): (_, Memory)| {
            format!(
                "| {title} | {} | {} | {} | {} |",
                number(memory.resident as f64 / 1_048_576.0),
                number(memory.before as f64 / 1_048_576.0),
                number(memory.each() / 1024.0),
                number(memory.seconds),
            )
        }));
    }
}

fn line(title: &str, phase: &Phase) -> String {
    let latency = phase.latency;
    let cells = [
        phase.kind.to_string(),
        title.to_owned(),
        number(phase.transactions as f64),
        number(phase.rows as f64),
        number(phase.statements.executions as f64),
        number(phase.messages as f64),
        milliseconds(latency.p50),
        milliseconds(latency.p99),
        milliseconds(latency.max),
        percent(phase.usage.cpu.server / phase.usage.seconds),
        percent(phase.usage.cpu.database / phase.usage.seconds),
    ];
    format!("| {} |", cells.join(" | "))
}

fn polling_line(phase: &PolledPhase) -> String {
    let seconds = phase.usage.seconds;
    let cells = [
        phase.kind.to_string(),
        "polling once a second".to_owned(),
        number(phase.transactions as f64),
        String::new(),
        number(phase.polled.statements as f64),
        number(phase.polled.changed as f64),
        String::new(),
        String::new(),
        String::new(),
        percent(phase.polled.cpu / seconds),
        percent(phase.usage.cpu.database / seconds),
    ];
    format!("| {} |", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::latency::Latency;
    use crate::live::database::Statements;
    use crate::live::load::{Concerned, Kind, Load};
    use crate::race::record::Cpu;
    use crate::race::usage::Usage;

    #[test]
    fn a_server_that_failed_hides_no_row_of_another() {
        let usage = Usage { seconds: 1.0, cpu: Cpu::default(), peak_memory: 0 };
        let load = Load { rate: 10, concerned: Concerned::One };
        let phase = |kind| Phase {
            kind,
            transactions: 0,
            rows: 0,
            messages: 0,
            statements: Statements::default(),
            latency: Latency::default(),
            usage,
        };
        let contestant = |title, kinds: &[Kind], failure: Option<&str>| Contestant {
            title,
            memory: None,
            phases: kinds.iter().copied().map(phase).collect(),
            failure: failure.map(str::to_owned),
        };
        let beside = Beside {
            sockets: 10,
            contestants: vec![
                contestant("Thalweg", &[], Some("it ended")),
                contestant("PostGraphile 4", &[Kind::Idle, Kind::Changes(load)], None),
            ],
            polling: Vec::new(),
            loads: Loads { measured: vec![load], left_out: Vec::new() },
        };
        let mut lines = Vec::new();
        beside.lines(&mut lines);
        for kind in [Kind::Idle, Kind::Changes(load)] {
            let row = format!("| {kind} | PostGraphile 4 |");
            assert!(lines.iter().any(|line| line.starts_with(&row)), "{row}: {lines:?}");
        }
    }
}
