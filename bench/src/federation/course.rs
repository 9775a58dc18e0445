//! Going through the stages: gateways started, answers compared, loads put on.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cores::Cores;
use super::failure::FederationError;
use super::gateway::{Gateway, StartContext};
use super::ladder::rates;
use super::plan::{self, Stage};
use super::record::{Asked, Load, Measurement, Run, Setting};
use super::subgraphs::{COUNTS, Count, Counts, Data, Form};
use crate::http::Connection;
use crate::process;
use crate::race::answers;
use crate::race::load::failure::LoadError;
use crate::race::load::oha::Oha;
use crate::race::load::wrk::Wrk;
use crate::race::load::{Question, Target};
use crate::race::record::Outcome;
use crate::race::usage::Processes;
use crate::race::warm_up;
use crate::server::{Server, free_port};

/// The path of every gateway.
const PATH: &str = "/graphql";
/// The most loops of a warm-up; each takes a second.
const WARM_UP_LOOPS: u32 = 6;
const WARM_UP_CONNECTIONS: u32 = 16;
/// Between two answers that are compared: a slow gateway answers fifty times as many.
const SAMPLES: Duration = Duration::from_millis(500);
/// Without any request: longer than a gateway computes between two.
const SETTLED: Duration = Duration::from_millis(100);
/// Nobody is waited for longer.
const UNSETTLED: Duration = Duration::from_secs(10);
/// Connections of arrival rates; requests that wait for a free one are late.
const RATE_CONNECTIONS: u32 = 50;
/// Asked one after another before anything is measured, so that plans are made and answers canned.
const FIRST: u32 = 20;
/// The address of the subgraphs in the supergraph, which is replaced.
const ADDRESS: &str = "http://127.0.0.1:24300";

/// A run while it goes on.
#[derive(Debug)]
pub(super) struct Course {
    pub(super) context: StartContext,
    pub(super) gateways: Vec<Gateway>,
    pub(super) query: String,
    pub(super) wrk: PathBuf,
    pub(super) oha: PathBuf,
    pub(super) cores: Cores,
    pub(super) run: Run,
}

/// A gateway that answers as the others.
#[derive(Debug)]
struct Runner {
    id: String,
    server: Server,
    idle_memory: u64,
    question: Question,
}

impl Course {
    pub(super) fn go(&mut self, stages: &[Stage]) -> Result<(), FederationError> {
        for stage in stages {
            if stage.setting.cores > self.cores.count() {
                println!("left out: {}: there are not so many", stage.setting.title());
                continue;
            }
            println!("bench: {}", stage.setting.title());
            self.stage(stage)?;
            // What was measured is not lost where the next one is ended from outside.
            self.write()?;
        }
        Ok(())
    }

    pub(super) fn write(&self) -> Result<(), FederationError> {
        let text = serde_json::to_string_pretty(&self.run)?;
        Ok(fs::write(self.context.folder.join("federation.json"), text)?)
    }

    fn stage(&mut self, stage: &Stage) -> Result<(), FederationError> {
        self.cores.go_beside_gateway(stage.setting.cores)?;
        let subgraphs = self.start_subgraphs(stage.setting)?;
        self.cores.go_to_gateway(stage.setting.cores)?;
        let started: Vec<_> = self
            .gateways
            .iter()
            .map(|one| one.start(stage.setting.sharing, &self.context))
            .collect();
        self.cores.go_beside_gateway(stage.setting.cores)?;
        let mut runners = Vec::new();
        let mut expected = None;
        for (number, started) in started.into_iter().enumerate() {
            let id = self.gateways[number].id.clone();
            let ready = started.and_then(|server| {
                self.ready(stage.setting, &id, server, &mut expected, &subgraphs)
            });
            match ready {
                Ok(runner) => runners.push(runner),
                Err(reason) => self.miss(&id, &reason),
            }
        }
        let rounds = if stage.connections.is_empty() { 0 } else { self.run.rounds };
        for round in 1..=rounds {
            for runner in plan::turns(&runners, round) {
                if let Err(reason) = self.measure(stage, runner, round, &subgraphs)? {
                    self.miss(&runner.id, &reason.to_string());
                }
            }
        }
        Ok(())
    }

    /// In a process of its own, on the benchmark's side.
    fn start_subgraphs(&mut self, setting: Setting) -> Result<Server, FederationError> {
        let port = free_port()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["federation-subgraphs", "--port", &port.to_string()]);
        command.args(["--delay", &setting.delay_milliseconds.to_string()]);
        match setting.form {
            Form::Canned => _ = command.arg("--canned"),
            Form::Live => {}
        }
        match setting.data {
            Data::Published => {}
            Data::Sixth => _ = command.arg("--sixth-product"),
            Data::Distinct => _ = command.arg("--distinct"),
        }
        let server = Server::start(command, port, &self.context.folder.join("subgraphs.log"))?;
        self.context.subgraphs = format!("http://127.0.0.1:{port}");
        let source = self.context.workspace.join("bench/federation/supergraph.graphql");
        let supergraph = fs::read_to_string(source)?.replace(ADDRESS, &self.context.subgraphs);
        fs::write(&self.context.supergraph, supergraph)?;
        Ok(server)
    }

    /// Compares its answer with that of the first one, lets it make its plans, and counts what it
    /// asks the subgraphs.
    fn ready(
        &mut self,
        setting: Setting,
        id: &str,
        server: Server,
        expected: &mut Option<Value>,
        subgraphs: &Server,
    ) -> Result<Runner, String> {
        let idle_memory = process::resident(server.process()).unwrap_or_default();
        let body = serde_json::json!({ "query": self.query }).to_string();
        // The first one may find subgraphs asked for their schema too.
        let answer = answers::ask(server.port, PATH, std::slice::from_ref(&body))?;
        let answer = answer.into_iter().next().ok_or("it was not asked")?;
        let count = || counts(subgraphs).map_err(|error| error.to_string());
        let before = count()?;
        let said = answers::ask(server.port, PATH, &vec![body.clone(); FIRST as usize])?;
        let asked = count()?.since(before);
        let data = data(&answer)?;
        match expected {
            Some(expected) if *expected != data => return Err("it answers otherwise".to_owned()),
            Some(_) => {}
            None => {
                if setting.data == Data::Published {
                    self.run.answer_bytes = answer.len();
                }
                *expected = Some(data);
            }
        }
        let asked = Asked { setting, gateway: id.to_owned(), queries: FIRST, subgraphs: asked };
        let (requests, kilobytes) = asked.requests();
        println!("{id}: {requests:.2} subgraph requests a query, {kilobytes:.1} kB");
        self.run.asked.push(asked);
        // Members may come in another order each time, which is no other answer.
        let is_steady = said.iter().all(|other| *other == answer);
        let question = Question { body, answer: is_steady.then_some(answer), made: None };
        Ok(Runner { id: id.to_owned(), server, idle_memory, question })
    }

    /// All loads of a stage. A load that fails ends the gateway's part in it.
    fn measure(
        &mut self,
        stage: &Stage,
        runner: &Runner,
        round: u32,
        subgraphs: &Server,
    ) -> Result<Result<(), LoadError>, FederationError> {
        let questions = std::slice::from_ref(&runner.question);
        let processes = Processes {
            server: Some(runner.server.process()),
            database: Some(subgraphs.process()),
        };
        let target = Target { port: runner.server.port, path: PATH, questions, processes };
        let loads = self.context.folder.join("load");
        let wrk = |connections| Wrk { program: &self.wrk, folder: &loads, connections };
        let warm = wrk(WARM_UP_CONNECTIONS);
        if let Err(error) = warm_up::until_steady(WARM_UP_LOOPS, None, || warm.warm(&target, 1)) {
            return Ok(Err(error));
        }
        let seconds = self.run.seconds;
        let mut most = 0.0_f64;
        let mut measured = Vec::new();
        for connections in stage.connections {
            let before = settled(runner, subgraphs)?;
            let outcome = match wrk(*connections).measure_beside(&target, seconds, SAMPLES) {
                Ok(outcome) => outcome,
                Err(error) => return Ok(Err(error)),
            };
            most = most.max(outcome.requests_per_second());
            let load = Load::Closed { connections: *connections };
            measured.push((load, outcome, counts(subgraphs)?.since(before)));
        }
        if stage.has_rates {
            let oha = Oha { program: &self.oha, folder: &loads, connections: RATE_CONNECTIONS };
            for rate in rates(most) {
                let before = settled(runner, subgraphs)?;
                match oha.measure(&target, rate, seconds) {
                    Ok(outcome) => {
                        let load = Load::Rate { rate };
                        measured.push((load, outcome, counts(subgraphs)?.since(before)));
                    }
                    Err(error) => return Ok(Err(error)),
                }
            }
        }
        for (load, outcome, asked) in measured {
            self.keep(stage.setting, runner, round, load, outcome, asked);
        }
        Ok(Ok(()))
    }

    fn keep(
        &mut self,
        setting: Setting,
        runner: &Runner,
        round: u32,
        load: Load,
        outcome: Outcome,
        subgraphs: Count,
    ) {
        let gateway = runner.id.clone();
        let idle_memory = runner.idle_memory;
        let one = Measurement { setting, gateway, round, load, idle_memory, outcome, subgraphs };
        let how = match load {
            Load::Closed { connections } => format!("c = {connections}"),
            Load::Rate { rate } => format!("{rate:.0} a second"),
        };
        println!(
            "{round} {}, {how}: {:.0} requests/s, p50 {:.2} ms, p99 {:.2} ms, {:.3} ms of CPU, {:.2} \
             subgraph requests{}",
            one.gateway,
            one.outcome.requests_per_second(),
            one.outcome.latency.p50 / 1e3,
            one.outcome.latency.p99 / 1e3,
            one.cpu(),
            one.subgraph_requests(),
            if one.outcome.failures > 0 { ", some failed" } else { "" },
        );
        self.run.measurements.push(one);
    }

    fn miss(&mut self, id: &str, reason: &str) {
        println!("missing: {id}: {reason}");
        let gateways = self.run.gateways.iter_mut().filter(|one| one.id == id);
        gateways.for_each(|one| one.missing = Some(reason.to_owned()));
    }
}

/// The member `data` of an answer without errors.
fn data(answer: &[u8]) -> Result<Value, String> {
    let mut answer: Value = serde_json::from_slice(answer).map_err(|error| error.to_string())?;
    if answer.get("errors").is_some() {
        return Err(format!("it answers with errors: {}", answer["errors"]));
    }
    Ok(answer["data"].take())
}

fn counts(subgraphs: &Server) -> Result<Count, FederationError> {
    let told = |error: &dyn std::error::Error| FederationError::Counts(error.to_string());
    let mut connection = Connection::open(subgraphs.port).map_err(|error| told(&error))?;
    let answer = connection.post_to(&format!("/{COUNTS}"), "").map_err(|error| told(&error))?;
    let counts: Counts = serde_json::from_slice(&answer.body)?;
    Ok(counts.total())
}

/// The counts once no request runs any more: a load ends before its last requests do, which are no
/// part of the next one. The gateway answers a request that comes after them when they are over, or
/// nearly so.
fn settled(runner: &Runner, subgraphs: &Server) -> Result<Count, FederationError> {
    let started = Instant::now();
    let body = std::slice::from_ref(&runner.question.body);
    // Whoever does not answer is told so by the load.
    drop(answers::ask(runner.server.port, PATH, body));
    let mut before = counts(subgraphs)?;
    loop {
        thread::sleep(SETTLED);
        let now = counts(subgraphs)?;
        if now == before || started.elapsed() >= UNSETTLED {
            return Ok(now);
        }
        before = now;
    }
}
