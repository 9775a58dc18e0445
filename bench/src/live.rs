//! The suite `live`: thousands of sockets with a subscription each, and changes of the rows that they
//! read.
//!
//! * `database`: the tables, and counts of statements
//! * `changes`: a client that commits changes; `polling`: a server that polls
//! * `sockets`: the subscribers, with `frame` and `message`; `arrivals`: the messages that they have
//! * `phase`: one measurement; `report`: the tables of figures

mod arrivals;
mod changes;
mod database;
mod failure;
pub(crate) mod frame;
mod message;
mod phase;
mod polling;
mod report;
mod sockets;

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use clap::Args;

pub(crate) use failure::LiveError;

use crate::process;
use crate::program::{self, Program};
use crate::race;
use crate::race::load::allow_connections;
use crate::race::usage::Processes;
use crate::server::{self, Server};
use changes::Writer;
use database::Database;
use phase::{Bench, Kind, Phase};
use polling::Poller;
use report::{Memory, Report};
use sockets::Sockets;

const SOCKETS: NonZeroU32 = NonZeroU32::MIN.saturating_add(9_999);
const FEW_SOCKETS: NonZeroU32 = NonZeroU32::MIN.saturating_add(999);
/// Changes a second of one row each.
const RATES: [u32; 3] = [1, 100, 1_000];
/// The rate that is measured beside polling, and without a server.
const MIDDLE_RATE: u32 = 100;
/// Changes a second of rows that no subscription reads, in transactions of as many rows.
const UNREAD: (u32, u32) = (20_000, 2_000);
/// Memory and the connections of the pool are steady after that.
const REST: Duration = Duration::from_secs(2);

/// Options of `thalweg serve`.
const SERVE: [&str; 5] = ["--dialect", "postgraphile", "--live", "--log-requests", "none"];
/// Connections besides the sockets.
const OTHER_CLIENTS: u32 = 100;

/// Options of `live`.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// Sockets, each with one subscription [default: 10000, with --quick 1000].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) sockets: Option<NonZeroU32>,
    /// Measures for three seconds instead of ten.
    #[arg(long)]
    pub(crate) quick: bool,
    /// The server's interval of pings, as of `thalweg serve`.
    #[arg(long, value_name = "TIME")]
    pub(crate) ping_interval: Option<String>,
    #[command(flatten)]
    pub(crate) program: Program,
}

/// Measures and prints; false if a message was not the row's.
pub(crate) fn measure(workspace: &Path, options: &Options) -> Result<bool, LiveError> {
    let folder = workspace.join(race::RUNS).join("live");
    fs::create_dir_all(&folder)?;
    let program = options.program.or_release()?;
    let default = if options.quick { FEW_SOCKETS } else { SOCKETS };
    let sockets = options.sockets.unwrap_or(default).get();
    let seconds = if options.quick { 3 } else { 10 };
    allow_connections()?;

    eprintln!("live: {sockets} rows in PostgreSQL");
    let database = Database::start(sockets)?;
    let writer = Writer::open(&database.url(), sockets)?;
    let mut report = Report::new(sockets, seconds);
    let without = Processes { server: None, database: database.process() };
    let alone = Bench { database: &database, writer: &writer, processes: without, seconds };
    // Without a server: the CPU of the changes themselves.
    for kind in [Kind::Rows(MIDDLE_RATE), Kind::Unread] {
        report.add_alone(&alone.measure(kind, None)?);
    }

    let server = serve(&program, &folder, &database, sockets, options.ping_interval.as_deref())?;
    let subscribers = Sockets::open(server.port, sockets);
    let is_right = {
        let processes = Processes { server: Some(server.process()), ..without };
        let bench = Bench { processes, ..alone };
        memory(&server, &subscribers, sockets, &mut report)?;
        for phase in phases(&bench, &subscribers)? {
            report.add(&phase);
        }
        subscribers.compare(&database.balances()?)?
    };
    drop((subscribers, server));

    eprintln!("live: polling");
    let poller = Poller::start(database.url(), sockets)?;
    for kind in [Kind::Idle, Kind::Rows(MIDDLE_RATE)] {
        report.add_polling(&alone.measure_polling(kind, &poller)?);
    }
    let text = report.text();
    fs::write(folder.join("live.md"), &text)?;
    print!("{text}");
    if let Some(difference) = &is_right {
        eprintln!("live: {difference}");
    }
    Ok(is_right.is_none())
}

fn serve(
    program: &Path,
    folder: &Path,
    database: &Database,
    sockets: u32,
    ping_interval: Option<&str>,
) -> Result<Server, LiveError> {
    let port = server::free_port()?;
    let mut command = program::serve(Command::new(program), &database.socket_url(), port);
    command.args(SERVE).current_dir(folder);
    command.args(["--max-clients", &(sockets + OTHER_CLIENTS).to_string()]);
    if let Some(interval) = ping_interval {
        command.args(["--ping-interval", interval]);
    }
    Ok(Server::start(command, port, &log(folder))?)
}

fn log(folder: &Path) -> PathBuf {
    folder.join("server.log")
}

/// Opens the sockets in steps, and records the memory of the server.
fn memory(
    server: &Server,
    subscribers: &Sockets,
    sockets: u32,
    report: &mut Report,
) -> Result<(), LiveError> {
    // The first request has opened connections and filled caches.
    thread::sleep(REST);
    let before = process::resident(server.process())?;
    for number in [sockets / 10, sockets / 2, sockets] {
        eprintln!("live: opening sockets up to {number}");
        let seconds = subscribers.grow(number)?;
        thread::sleep(REST);
        let resident = process::resident(server.process())?;
        report.add_memory(&Memory { number, before, resident, seconds });
    }
    Ok(())
}

fn phases(bench: &Bench<'_>, subscribers: &Sockets) -> Result<Vec<Phase>, LiveError> {
    let rates = RATES.map(Kind::Rows);
    let kinds = [Kind::Idle].into_iter().chain(rates).chain([Kind::Unread, Kind::All]);
    kinds.map(|kind| bench.measure(kind, Some(subscribers))).collect()
}
