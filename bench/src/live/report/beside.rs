//! The table of PostGraphile, Thalweg and polling with the same subscriptions.

use super::{left_out, percent};
use crate::figure::{milliseconds, number};
use crate::live::load::{Kind, Load};
use crate::live::peer::Contestant;
use crate::live::phase::{Memory, Phase, PolledPhase};

/// Contestants with the same number of sockets.
#[derive(Clone, Debug)]
pub(in crate::live) struct Beside {
    pub(in crate::live) sockets: u32,
    pub(in crate::live) contestants: Vec<Contestant>,
    pub(in crate::live) polling: Vec<PolledPhase>,
    pub(in crate::live) left_out: Vec<Load>,
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
        for kind in self.kinds() {
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
        left_out(&self.left_out, self.sockets, "PostGraphile parses each row as JSON", lines);
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

    /// Loads in the order of the first contestant.
    fn kinds(&self) -> Vec<Kind> {
        let first = self.contestants.first();
        first.into_iter().flat_map(|first| &first.phases).map(|phase| phase.kind).collect()
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
