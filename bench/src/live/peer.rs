//! PostGraphile 4 with its live queries, beside Thalweg and polling, all with the same subscriptions.
//!
//! Its plugin reads changes from PostgreSQL's log by the output plugin wal2json.

use std::path::Path;
use std::process::Command;
use std::thread;

use super::database::Database;
use super::failure::LiveError;
use super::load::Loads;
use super::phase::{Bench, Memory, Phase};
use super::sockets::{EqualAnswers, Sockets};
use super::{REST, log_file};
use crate::peers;
use crate::process;
use crate::program;
use crate::race::usage::Processes;
use crate::server::{self, Server};

/// The packages, in `bench/contestants`.
const PACKAGES: &str = "bench/contestants/postgraphile-4-live";
/// Connections of its pool, as `thalweg serve` has by default.
const POOL: &str = "10";

/// Figures of a server; the phases end before the one that has failed.
#[derive(Clone, Debug)]
pub(super) struct Contestant {
    pub(super) title: &'static str,
    pub(super) memory: Option<Memory>,
    pub(super) phases: Vec<Phase>,
    pub(super) failure: Option<String>,
}

/// Starts PostGraphile and measures it. A failure is a result.
pub(super) fn postgraphile(
    workspace: &Path,
    folder: &Path,
    bench: &Bench<'_>,
    loads: &Loads,
) -> Contestant {
    const TITLE: &str = "PostGraphile 4";
    match start(workspace, folder, bench.database) {
        Ok(server) => measure(TITLE, &server, bench, loads, EqualAnswers::Permitted),
        Err(error) => {
            let failure = Some(error.to_string());
            Contestant { title: TITLE, memory: None, phases: Vec::new(), failure }
        }
    }
}

/// Measures a running server with sockets of its own.
pub(super) fn measure(
    title: &'static str,
    server: &Server,
    bench: &Bench<'_>,
    loads: &Loads,
    equal_answers: EqualAnswers,
) -> Contestant {
    let mut contestant = Contestant { title, memory: None, phases: Vec::new(), failure: None };
    if let Err(error) = measure_into(&mut contestant, server, bench, loads, equal_answers) {
        contestant.failure = Some(error.to_string());
    }
    contestant
}

fn measure_into(
    contestant: &mut Contestant,
    server: &Server,
    bench: &Bench<'_>,
    loads: &Loads,
    equal_answers: EqualAnswers,
) -> Result<(), LiveError> {
    eprintln!("live: {} with {} sockets", contestant.title, bench.sockets);
    thread::sleep(REST);
    let before = process::resident(server.process())?;
    let subscribers = Sockets::open(server.port, bench.sockets, equal_answers);
    let seconds = subscribers.grow(bench.sockets)?;
    thread::sleep(REST);
    let resident = process::resident(server.process())?;
    contestant.memory = Some(Memory { number: bench.sockets, before, resident, seconds });
    let processes = Processes { server: Some(server.process()), ..bench.processes };
    let bench = Bench { processes, ..*bench };
    for kind in loads.kinds() {
        contestant.phases.push(bench.measure(kind, Some(&subscribers))?);
    }
    match subscribers.compare(&bench.database.balances()?)? {
        Some(difference) => Err(LiveError::Different(difference)),
        None => Ok(()),
    }
}

fn start(workspace: &Path, folder: &Path, database: &Database) -> Result<Server, LiveError> {
    if !database.has_output_plugin("wal2json")? {
        return Err(LiveError::NoOutputPlugin);
    }
    let packages = peers::install_from(&workspace.join(PACKAGES), workspace)?;
    let port = server::free_port()?;
    let url = database.url();
    let mut command: Command = peers::node(&packages);
    command
        .args(["node_modules/postgraphile/cli.js", "--connection", &url])
        .args(["--owner-connection", &url, "--schema", "public"])
        .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--max-pool-size", POOL])
        .args(["--subscriptions", "--live", "--append-plugins", "@graphile/subscriptions-lds"])
        .args(["--disable-query-log", "--disable-graphiql"])
        .env("GRAPHILE_TURBO", "1")
        .env("NODE_ENV", "production")
        .current_dir(&packages);
    program::forget_environment(&mut command);
    Ok(Server::start(command, port, &log_file(folder, "postgraphile-4"))?)
}
