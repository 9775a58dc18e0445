//! The report of a run, as tables for a document.

mod targets;
#[cfg(test)]
mod tests;

use std::fmt::{Result, Write};

use super::ladder::{Climbed, Rung, climbed};
use super::plan::ALONE;
use super::record::{Gateway, Load, Measurement, Run, Setting, precise};
use super::subgraphs::{Data, Form};
use crate::figure;
use crate::statistics::median;

const MEBIBYTE: f64 = 1_048_576.0;

pub(super) fn markdown(run: &Run) -> String {
    figure::text(|text| write(run, text))
}

fn write(run: &Run, text: &mut String) -> Result {
    let machine = &run.machine;
    writeln!(
        text,
        "Run of {}, {}, {} cores, {}.",
        run.started, machine.processor, machine.cores, machine.system
    )?;
    writeln!(
        text,
        "Medians of {} rounds of {} s; {}, {} bytes an answer.",
        run.rounds,
        run.seconds,
        match run.form {
            Form::Canned => "subgraphs give answers that they gave before",
            Form::Live => "subgraphs execute each request",
        },
        run.answer_bytes
    )?;
    for gateway in &run.gateways {
        if let Some(reason) = &gateway.missing {
            writeln!(text, "Missing: {}: {}.", gateway.title, reason.replace('\n', " "))?;
        }
    }
    let disturbed = run.measurements.iter().filter(|one| one.outcome.is_disturbed).count();
    if disturbed > 0 {
        writeln!(
            text,
            "Of {} measurements, {disturbed} were disturbed by what else ran on the machine.",
            run.measurements.len()
        )?;
    }
    let mut settings: Vec<Setting> = Vec::new();
    for one in &run.measurements {
        if !settings.contains(&one.setting) {
            settings.push(one.setting);
        }
    }
    write_asked(run, text)?;
    for setting in settings {
        write_setting(run, setting, text)?;
    }
    targets::write(run, text)
}

/// Counted where queries are asked one after another, so that no two of them share anything.
fn write_asked(run: &Run, text: &mut String) -> Result {
    let alone = Setting { form: run.form, ..ALONE };
    let sixth = Setting { data: Data::Sixth, ..alone };
    let distinct = Setting { data: Data::Distinct, ..alone };
    let columns = [alone, sixth, distinct];
    if !run.asked.iter().any(|one| columns.contains(&one.setting)) {
        return Ok(());
    }
    writeln!(
        text,
        "\n| gateway | subgraph requests, kB a query | with a sixth product | with hardly anything twice |\n|---|---|---|---|"
    )?;
    for gateway in &run.gateways {
        let asked = columns.map(|setting| {
            let mut all = run.asked.iter();
            let one = all.find(|one| one.setting == setting && one.gateway == gateway.id)?;
            let (requests, kilobytes) = one.requests();
            Some(format!("{requests:.2}, {kilobytes:.1}"))
        });
        if asked.iter().any(Option::is_some) {
            let [alone, sixth, distinct] = asked.map(Option::unwrap_or_default);
            let Gateway { title, version, .. } = gateway;
            writeln!(text, "| {title} {version} | {alone} | {sixth} | {distinct} |")?;
        }
    }
    Ok(())
}

fn write_setting(run: &Run, setting: Setting, text: &mut String) -> Result {
    writeln!(text, "\n### {}\n", setting.title())?;
    writeln!(
        text,
        "| gateway | connections | requests/s | p50, p99 ms | CPU ms a query | idle → peak MiB | subgraph requests, kB a query |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|")?;
    for gateway in &run.gateways {
        for connections in connections(run, setting) {
            let load = Load::Closed { connections };
            let all = run.of(setting, &gateway.id, load);
            if all.is_empty() {
                continue;
            }
            let of = |figure: fn(&Measurement) -> f64| median(all.iter().map(|one| figure(one)));
            writeln!(
                text,
                "| {} {} | {connections} | {:.0} | {:.2}, {:.2} | {:.3} | {:.0} → {:.0} | {:.2}, {:.1} |",
                gateway.title,
                gateway.version,
                of(|one| one.outcome.requests_per_second()),
                of(|one| one.outcome.latency.p50 / 1e3),
                of(|one| one.outcome.latency.p99 / 1e3),
                of(Measurement::cpu),
                of(|one| precise(one.idle_memory) / MEBIBYTE),
                of(|one| precise(one.outcome.peak_memory) / MEBIBYTE),
                of(Measurement::subgraph_requests),
                of(Measurement::fetched) / 1e3,
            )?;
        }
    }
    let ladders: Vec<(&Gateway, Climbed)> =
        run.gateways.iter().filter_map(|one| Some((one, run.ladder(setting, &one.id)?))).collect();
    if ladders.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "\n| gateway, arrival rates | least p99 ms | requests/s at 150 % of it | most requests/s |"
    )?;
    writeln!(text, "|---|---|---|---|")?;
    for (gateway, ladder) in ladders {
        writeln!(
            text,
            "| {} {} | {:.2} | {:.0} | {:.0} |",
            gateway.title,
            gateway.version,
            ladder.least_p99 / 1e3,
            ladder.steady_rate,
            ladder.most
        )?;
    }
    Ok(())
}

/// Connections of the closed loops of a setting.
fn connections(run: &Run, setting: Setting) -> Vec<u32> {
    let mut all: Vec<u32> = Vec::new();
    for one in run.measurements.iter().filter(|one| one.setting == setting) {
        if let Load::Closed { connections } = one.load {
            all.push(connections);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

impl Run {
    fn of(&self, setting: Setting, gateway: &str, load: Load) -> Vec<&Measurement> {
        let all = self.measurements.iter();
        all.filter(|one| one.setting == setting && one.gateway == gateway && one.load == load)
            .collect()
    }

    /// The medians of what the ladders of all rounds say.
    fn ladder(&self, setting: Setting, gateway: &str) -> Option<Climbed> {
        let round = |round| {
            let all = self.measurements.iter().filter(|one| {
                one.setting == setting && one.gateway == gateway && one.round == round
            });
            let rungs: Vec<Rung> = all
                .filter_map(|one| match one.load {
                    Load::Rate { rate } => Some(Rung::of(rate, &one.outcome)),
                    Load::Closed { .. } => None,
                })
                .collect();
            climbed(&rungs)
        };
        let all: Vec<Climbed> = (1..=self.rounds).filter_map(round).collect();
        let of = |figure: fn(&Climbed) -> f64| median(all.iter().map(figure));
        (!all.is_empty()).then(|| Climbed {
            least_p99: of(|one| one.least_p99),
            steady_rate: of(|one| one.steady_rate),
            most: of(|one| one.most),
        })
    }
}
