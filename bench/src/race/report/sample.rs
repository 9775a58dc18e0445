//! A run that never was, for the report's tests: its figures are made by formulas.
//!
//! In it are a contestant that is missing, one that a query leaves out, a disturbed measurement,
//! a burst that is not recovered from, and texts that would end a script or a cell.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::race::record::{
    Contestant, Cpu, Latency, Load, Machine, Measurement, Outcome, Query, Role, Run, Settings,
    Start, Subject, Suite,
};

const ROUNDS: u32 = 3;

/// Requests a second of two processors, and CPU microseconds a request of the database.
struct Strength {
    contestant: &'static str,
    /// CPU of the server for a query of weight 1.
    server: f64,
    database: f64,
    memory: u64,
}

const STRENGTHS: [Strength; 5] = [
    Strength { contestant: "thalweg", server: 12.0, database: 20.0, memory: 21 << 20 },
    Strength { contestant: "postgraphile-4", server: 80.0, database: 20.0, memory: 373 << 20 },
    Strength {
        contestant: "postgraphile-4-workers",
        server: 95.0,
        database: 21.0,
        memory: 690 << 20,
    },
    Strength { contestant: "postgraphile-5", server: 124.0, database: 25.0, memory: 494 << 20 },
    Strength { contestant: "pgbench", server: 0.0, database: 18.0, memory: 0 },
];

/// The query, and how much heavier it is than the lightest for the server and for the database.
const QUERIES: [(&str, f64, f64); 5] = [
    ("artistById", 1.0, 1.0),
    ("tracks_media_first_20", 1.9, 1.9),
    ("albums_tracks_genre_some", 3.3, 4.1),
    ("prisma_deeplyNested", 12.4, 8.0),
    ("albums_tracks_genre_all", 96.0, 80.0),
];

pub(super) fn run() -> Run {
    let versions = [
        ("thalweg", "0.1.0"),
        ("postgresql", "15.18"),
        ("node", "22.20.0"),
        ("wrk", "4.2.0"),
        ("oha", "1.10.0"),
    ];
    Run {
        started: "2026-01-02T03:04:05Z".to_owned(),
        ended: Some("2026-01-02T04:10:11Z".to_owned()),
        machine: Machine {
            processor: "Sample processor (figures of a test)".to_owned(),
            cores: 2,
            memory: 24 << 30,
            system: "Linux 6.18".to_owned(),
        },
        versions: versions.map(|(name, version)| (name.to_owned(), version.to_owned())).into(),
        settings: Settings {
            quick: false,
            rounds: ROUNDS,
            seconds: 10,
            connections: vec![1, 16, 64],
            database_connections: 10,
            latency_limit: 50_000,
            users_latency_limit: 500_000,
        },
        contestants: vec![
            contestant("thalweg", "Thalweg", Role::Thalweg),
            contestant("postgraphile-4", "PostGraphile 4", Role::Yardstick),
            contestant("postgraphile-4-workers", "PostGraphile 4, two workers", Role::Server),
            contestant("postgraphile-5", "PostGraphile 5", Role::Yardstick),
            Contestant {
                missing: Some("`graphjin` is not installed".to_owned()),
                ..contestant("graphjin", "GraphJin", Role::Server)
            },
            contestant("pgbench", "pgbench, prepared", Role::Floor),
        ],
        suites: vec![shop(), meetups()],
    }
}

fn contestant(id: &str, title: &str, role: Role) -> Contestant {
    Contestant {
        id: id.to_owned(),
        title: title.to_owned(),
        role,
        version: "1.2.3".to_owned(),
        command: format!("{id} --database shop"),
        missing: None,
    }
}

fn shop() -> Suite {
    let left_out = BTreeMap::from([(
        "postgraphile-5".to_owned(),
        "its answer differs at albumsList[3] | \"name\"".to_owned(),
    )]);
    let mut queries: Vec<Query> =
        QUERIES.iter().map(|(id, ..)| query(id, BTreeMap::new())).collect();
    if let Some(last) = queries.last_mut() {
        last.equal.retain(|id| id != "postgraphile-5");
        last.left_out = left_out;
    }
    Suite {
        id: "shop-postgres".to_owned(),
        title: "Shop on PostgreSQL".to_owned(),
        about: String::new(),
        queries,
    }
}

fn meetups() -> Suite {
    let queries = vec![query("no_nest_50", BTreeMap::new())];
    Suite {
        id: "meetups-postgres".to_owned(),
        title: "Meetups on PostgreSQL".to_owned(),
        about: String::new(),
        queries,
    }
}

fn query(id: &str, left_out: BTreeMap<String, String>) -> Query {
    let text = format!("query Q {{\n  {id}(name: \"</script><b>{{{{data}}}}\") {{ name }}\n}}\n");
    Query {
        title: String::new(),
        id: id.to_owned(),
        texts: BTreeMap::from([("postgraphile".to_owned(), text)]),
        answer_bytes: 1_234,
        equal: ["thalweg", "postgraphile-4", "postgraphile-4-workers", "postgraphile-5"]
            .map(str::to_owned)
            .into(),
        left_out,
    }
}

pub(super) fn measurements() -> Vec<Measurement> {
    let mut measurements = Vec::new();
    for round in 1..=ROUNDS {
        for (query, server, database) in QUERIES {
            for strength in &STRENGTHS {
                if (query, strength.contestant) != ("albums_tracks_genre_all", "postgraphile-5") {
                    let subject = subject("shop-postgres", query, strength.contestant);
                    measure(&subject, strength, server, database, round, &mut measurements);
                }
            }
        }
        for strength in &STRENGTHS {
            let subject = subject("meetups-postgres", "no_nest_50", strength.contestant);
            measure(&subject, strength, 2.6, 2.2, round, &mut measurements);
            if strength.server > 0.0 {
                users(&subject, strength, round, &mut measurements);
            }
        }
    }
    measurements
}

fn subject(suite: &str, query: &str, contestant: &str) -> Subject {
    let [suite, query, contestant] = [suite, query, contestant].map(str::to_owned);
    Subject { suite, query, contestant }
}

/// Closed loops; for servers also constant rates up to what is too much, and a burst.
fn measure(
    subject: &Subject,
    strength: &Strength,
    server_weight: f64,
    database_weight: f64,
    round: u32,
    measurements: &mut Vec<Measurement>,
) {
    let server = strength.server * server_weight;
    let database = strength.database * database_weight;
    let load = 6.0;
    let wobble = 1.0 + 0.02 * (f64::from(round) - 2.0);
    // A process that runs one thread leaves the second processor to the others.
    let one_thread = 1_000_000.0 / server.max(1.0);
    let most = (2_000_000.0 / (server + database + load)).min(one_thread) * wobble;
    let mut add =
        |load_kind: Load, rate: f64, latency: f64, failures: u64, recovery: Option<f64>| {
            let requests = rate * 10.0;
            let seconds = |microseconds: f64| microseconds * requests / 1_000_000.0;
            let is_disturbed = round == 2
                && subject.query == "tracks_media_first_20"
                && load_kind == Load::Closed { connections: 16 };
            measurements.push(Measurement {
                subject: subject.clone(),
                round,
                load: load_kind,
                outcome: Outcome {
                    seconds: 10.0,
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "positive, small"
                    )]
                    requests: requests as u64,
                    failures,
                    compared: 100,
                    latency: Latency {
                        p50: latency,
                        p90: latency * 1.6,
                        p95: latency * 2.0,
                        p99: latency * 3.1,
                        max: latency * 12.0,
                    },
                    cpu: Cpu {
                        server: seconds(server),
                        database: seconds(database),
                        load: seconds(load),
                        other: if is_disturbed { 4.0 } else { 0.05 },
                    },
                    peak_memory: strength.memory,
                    recovery_seconds: recovery,
                    is_disturbed,
                    repetitions: if is_disturbed { 3 } else { 0 },
                },
            });
        };
    let alone = server + database + 40.0;
    for connections in [1, 16, 64] {
        let rate = most.min(f64::from(connections) * 1_000_000.0 / alone);
        add(
            Load::Closed { connections },
            rate,
            f64::from(connections) * 1_000_000.0 / rate,
            0,
            None,
        );
    }
    if strength.server == 0.0 {
        return;
    }
    for step in [0.5, 0.7, 0.9, 1.0, 1.1_f64] {
        let rate = ((most / wobble) * step / 10.0).round() * 10.0;
        let latency = alone / (1.0 - step * 0.97).max(0.001);
        let failures = if step > 1.0 { 12 } else { 0 };
        add(Load::Constant { rate }, rate.min(most), latency, failures, None);
    }
    let rate = (most / wobble / 20.0).round() * 10.0;
    let recovery = (subject.contestant != "postgraphile-5").then_some(server / 100.0 * wobble);
    let burst = Load::Burst { rate, burst_rate: rate * 3.0, burst_seconds: 2.0 };
    add(burst, rate, alone * 4.0, 0, recovery);
}

fn users(subject: &Subject, strength: &Strength, round: u32, measurements: &mut Vec<Measurement>) {
    for users in [1_000, 2_000, 4_000, 8_000, 16_000] {
        let latency = strength.server * f64::from(users) / 4.0;
        measurements.push(Measurement {
            subject: subject.clone(),
            round,
            load: Load::Users { users },
            outcome: Outcome {
                seconds: 20.0,
                requests: u64::from(users) * 10,
                failures: 0,
                compared: 100,
                latency: Latency {
                    p50: latency,
                    p90: latency * 1.5,
                    p95: latency * 2.0,
                    p99: latency * 3.0,
                    max: latency * 5.0,
                },
                cpu: Cpu {
                    server: strength.server * f64::from(users) / 100_000.0,
                    database: 1.0,
                    load: 0.5,
                    other: 0.1,
                },
                peak_memory: strength.memory,
                recovery_seconds: None,
                is_disturbed: false,
                repetitions: 0,
            },
        });
    }
}

pub(super) fn starts() -> Vec<Start> {
    let mut starts = Vec::new();
    for round in 1..=ROUNDS {
        for (contestant, source, base, per_table, memory) in [
            ("thalweg", "postgres", 0.03, 0.000_3, 40_u64 << 10),
            ("postgraphile-4", "postgres", 0.9, 0.006, 200 << 10),
            ("postgraphile-5", "postgres", 1.4, 0.009, 300 << 10),
            ("thalweg", "sqlite", 0.02, 0.000_2, 38 << 10),
        ] {
            for tables in [10, 100, 1_000, 5_000] {
                let seconds =
                    (base + per_table * f64::from(tables)) * (0.98 + 0.01 * f64::from(round));
                starts.push(Start {
                    contestant: contestant.to_owned(),
                    source: source.to_owned(),
                    tables,
                    round,
                    first_answer_seconds: seconds,
                    cpu_seconds: seconds * 0.8,
                    memory: (12 << 20) + memory * u64::from(tables),
                    missing: None,
                });
            }
        }
    }
    for start in &mut starts {
        if (start.contestant.as_str(), start.tables) == ("postgraphile-5", 5_000) {
            (start.first_answer_seconds, start.cpu_seconds, start.memory) = (0.0, 0.0, 0);
            start.missing = Some("no answer within 300 seconds".to_owned());
        }
    }
    starts
}

/// An empty folder of a test's own.
pub(super) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/report").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The sample in a folder, as a run writes it.
pub(super) fn write(name: &str, run: &Run) -> PathBuf {
    let folder = folder(name);
    let line = |value: String| value + "\n";
    let measurements = measurements();
    let lines = measurements.iter().map(|one| line(serde_json::to_string(one).unwrap()));
    fs::write(folder.join("measurements.jsonl"), lines.collect::<String>()).unwrap();
    let starts = starts();
    let lines = starts.iter().map(|one| line(serde_json::to_string(one).unwrap()));
    fs::write(folder.join("starts.jsonl"), lines.collect::<String>()).unwrap();
    fs::write(folder.join("run.json"), serde_json::to_string_pretty(run).unwrap()).unwrap();
    folder
}
