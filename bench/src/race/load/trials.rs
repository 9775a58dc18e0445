//! The programs that are not ours, tried where they are: whether they do what is read of them.

use std::path::{Path, PathBuf};

use super::oha::Oha;
use super::pgbench::Pgbench;
use super::tool::Tool;
use super::trial::{Trial, answers};
use super::wrk::Wrk;
use super::{Question, Target};
use crate::race::record::Outcome;
use crate::race::usage::Processes;

const BODIES: [&str; 3] = [r#"{"query":"{a}"}"#, r#"{"query":"{b}"}"#, r#"{"query":"{c}"}"#];
const GOOD: &str = r#"{"data":{"a":1}}"#;
const ERRORS: &str = r#"{"errors":[{"message":"no"}],"data":{"a":1}}"#;

/// The path of a program; missing ones are installed by a run of the benchmark, not for tests.
fn find(tool: Tool) -> Option<PathBuf> {
    let found = tool.find(&crate::workspace());
    if found.is_none() {
        println!("not run: {} is not installed", tool.name());
    }
    found
}

/// Measures a trial with three bodies, whose answers are known or not.
fn measure(
    trial: &Trial,
    answer: Option<&str>,
    load: impl FnOnce(&Target<'_>) -> Outcome,
) -> Outcome {
    let answer = answer.map(|text| text.as_bytes().to_vec());
    let questions =
        BODIES.map(|body| Question { body: body.to_owned(), answer: answer.clone(), made: None });
    let (port, path) = (trial.port, "/graphql");
    load(&Target { port, path, questions: &questions, processes: Processes::default() })
}

fn wrk(program: &Path, trial: &Trial, answer: Option<&str>) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let wrk = Wrk { program, folder: folder.path(), connections: 4 };
    measure(trial, answer, |target| wrk.measure(target, 1).unwrap())
}

#[test]
fn wrk_asks_every_body_and_fails_none_that_is_good() {
    let Some(program) = find(Tool::Wrk) else { return };
    let trial = Trial::start(|_| answers(GOOD));
    let outcome = wrk(&program, &trial, Some(GOOD));
    assert_eq!(outcome.failures, 0, "{outcome:?}");
    assert!(outcome.requests > 0 && outcome.compared > 0, "{outcome:?}");
    assert!(outcome.latency.p50 > 0.0 && outcome.latency.max >= outcome.latency.p99);
    assert_eq!(trial.bodies(), BODIES.map(str::to_owned).into());
}

#[test]
fn wrk_fails_what_is_answered_with_errors_or_by_another_length() {
    let Some(program) = find(Tool::Wrk) else { return };
    // One answer in five; the samples alone would hardly see as many.
    let trial = Trial::start(|number| answers(if number % 5 == 0 { ERRORS } else { GOOD }));
    for answer in [None, Some(GOOD)] {
        let outcome = wrk(&program, &trial, answer);
        assert!(outcome.failures > outcome.compared, "{outcome:?}");
    }
}

#[test]
fn oha_sends_all_that_is_due_and_each_body() {
    let Some(program) = find(Tool::Oha) else { return };
    let trial = Trial::start(|number| answers(if number % 10 == 0 { ERRORS } else { GOOD }));
    let folder = tempfile::tempdir().unwrap();
    let oha = Oha { program: &program, folder: folder.path(), connections: 4 };
    let outcome = measure(&trial, Some(GOOD), |target| oha.measure(target, 200.0, 1).unwrap());
    let samples = outcome.compared;
    assert_eq!(outcome.requests, 200 + samples, "{outcome:?}");
    assert_eq!(trial.asked() as u64, outcome.requests);
    assert_eq!(outcome.failures, outcome.requests / 10, "{outcome:?}");
    assert_eq!(trial.bodies(), BODIES.map(str::to_owned).into());
}

#[test]
fn pgbench_runs_the_statements_of_a_file() {
    let Some(program) = find(Tool::Pgbench) else { return };
    let Some(installation) = testkit::postgres::installations().into_iter().next() else {
        println!("not run: PostgreSQL is not installed");
        return;
    };
    let server = testkit::postgres::shared(&installation).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("floor.sql");
    std::fs::write(&script, "\\set id random(1, 9)\nSELECT 1 / :id;\n").unwrap();
    let database = server.url("postgres");
    let pgbench = Pgbench {
        program: &program,
        folder: folder.path(),
        database: &database,
        script: &script,
        connections: 2,
        processes: Processes::default(),
    };
    let outcome = pgbench.measure(1).unwrap();
    assert!(outcome.requests > 0 && outcome.failures == 0, "{outcome:?}");
    let outcome = pgbench.measure_rate(500.0, 1).unwrap();
    assert!(outcome.latency.max > 0.0, "{outcome:?}");
    std::fs::write(&script, "SELECT missing;").unwrap();
    let error = pgbench.measure(1).unwrap_err().to_string();
    assert!(error.contains("column \"missing\" does not exist"), "{error}");
}
