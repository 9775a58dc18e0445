use std::collections::BTreeMap;

use super::super::plan::{ALONE, DELAYED};
use super::super::record::{Asked, Gateway, Load, Measurement, Run, Setting};
use super::super::subgraphs::{Count, Data, Form};
use super::markdown;
use crate::race::record::{Cpu, Latency, Machine, Outcome};

/// By gateway: CPU in milliseconds of a query, and the 99th percentile in milliseconds.
fn run(figures: &BTreeMap<&str, (f64, f64)>) -> Run {
    let mut measurements = Vec::new();
    let loads = [1, 50]
        .map(|connections| Load::Closed { connections })
        .into_iter()
        .chain([Load::Rate { rate: 100.0 }]);
    let loads: Vec<Load> = loads.collect();
    for (gateway, (cpu, p99)) in figures {
        for setting in [ALONE, DELAYED] {
            for load in &loads {
                let latency = Latency { p50: 20_000.0, p99: p99 * 1e3, ..Latency::default() };
                let outcome = Outcome {
                    seconds: 2.0,
                    requests: 1_000,
                    failures: 0,
                    compared: 0,
                    latency,
                    cpu: Cpu { server: *cpu, ..Cpu::default() },
                    peak_memory: 29 << 20,
                    recovery_seconds: None,
                    is_disturbed: false,
                    repetitions: 0,
                };
                let subgraphs =
                    Count { requests: 4_000, asked_bytes: 0, answered_bytes: 80_000_000 };
                measurements.push(Measurement {
                    setting,
                    gateway: (*gateway).to_owned(),
                    round: 1,
                    load: *load,
                    idle_memory: 9 << 20,
                    outcome,
                    subgraphs,
                });
            }
        }
    }
    let gateway = |id: &&str| Gateway {
        id: (*id).to_owned(),
        title: id.to_uppercase(),
        version: "1.0".to_owned(),
        missing: (*id == "hive-gateway").then(|| "no\nnpm".to_owned()),
    };
    Run {
        started: "2026-01-01T00:00:00Z".to_owned(),
        machine: Machine { processor: "P".to_owned(), cores: 2, memory: 0, system: "L".to_owned() },
        rounds: 1,
        seconds: 2,
        form: Form::Canned,
        answer_bytes: 88_000,
        gateways: figures.keys().chain(["hive-gateway"].iter()).map(gateway).collect(),
        measurements,
        asked: [(ALONE, 4), (Setting { data: Data::Sixth, ..ALONE }, 6)]
            .map(|(setting, requests)| Asked {
                setting,
                gateway: "thalweg".to_owned(),
                queries: 10,
                subgraphs: Count { requests: 10 * requests, asked_bytes: 0, answered_bytes: 5_000 },
            })
            .into(),
    }
}

#[test]
fn tables_say_what_was_measured_and_who_is_missing() {
    let text = markdown(&run(&BTreeMap::from([("thalweg", (0.25, 2.0))])));
    assert!(text.contains("Missing: HIVE-GATEWAY: no npm."), "{text}");
    assert!(
        text.contains("### Gateway on one core, subgraphs wait 10 ms, nothing de-duplicated"),
        "{text}"
    );
    let row = "| THALWEG 1.0 | 50 | 500 | 20.00, 2.00 | 0.250 | 9 → 29 | 4.00, 80.0 |";
    assert!(text.contains(row), "{text}");
    assert!(text.contains("| THALWEG 1.0 | 2.00 | 100 | 500 |"), "{text}");
    assert!(text.contains("| THALWEG 1.0 | 4.00, 0.5 | 6.00, 0.5 |"), "{text}");
}

#[test]
fn every_target_has_a_line_that_says_whether_it_is_reached() {
    let good = [("thalweg", (0.25, 2.0)), ("hive-router", (0.5, 2.0)), ("grafbase", (1.4, 1.9))];
    let text = markdown(&run(&BTreeMap::from(good)));
    let lines: Vec<&str> = text.lines().skip_while(|line| *line != "### Targets").skip(4).collect();
    assert_eq!(
        lines,
        [
            "| CPU ms a query at 1, 0.50 of hive-router | 0.250 | 0.250 | reached |",
            "| CPU ms a query at 50, 0.50 of hive-router | 0.250 | 0.250 | reached |",
            "| least p99 ms, that of hive-router | 2.000 | 2.000 | reached |",
            "| CPU ms a query at 1, 0.17 of grafbase | 0.250 | 0.233 | **missed** |",
            "| CPU ms a query at 50, 0.17 of grafbase | 0.250 | 0.233 | **missed** |",
            "| least p99 ms, that of grafbase | 2.000 | 1.900 | **missed** |",
            "| peak memory MiB at 50 | 29.000 | 30.000 | reached |",
            "| p50 ms at 1 where subgraphs wait 10 ms | 20.000 | 25.000 | reached |",
            "| p50 ms at 50 where subgraphs wait 10 ms | 20.000 | 25.000 | reached |",
        ]
    );
}

#[test]
fn what_was_not_measured_has_no_target() {
    let text = markdown(&run(&BTreeMap::from([("grafbase", (1.4, 1.9))])));
    assert!(!text.contains("### Targets"), "{text}");
}
