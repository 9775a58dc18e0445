//! The suite `live`: thousands of sockets with a subscription each, and changes of the rows that they
//! read.
//!
//! * `database`: the tables, and counts of statements
//! * `load`: rates of changes; `changes`: a client that commits them; `polling`: a server that polls
//! * `sockets`: the subscribers, with `frame` and `message`; `arrivals`: the messages that they have
//! * `hand_over`: a command of its own, on several servers
//! * `phase`: one measurement; `peer`: those of PostGraphile; `report`: the tables of figures

mod arrivals;
mod changes;
mod database;
mod failure;
pub(crate) mod frame;
pub(crate) mod hand_over;
mod load;
mod message;
mod peer;
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
use load::{Concerned, Kind, Load, Loads};
use phase::{Bench, Memory, Phase};
use polling::Poller;
use report::{Beside, Report};
use sockets::{EqualAnswers, Sockets};

const SOCKETS: NonZeroU32 = NonZeroU32::MIN.saturating_add(9_999);
const FEW_SOCKETS: NonZeroU32 = NonZeroU32::MIN.saturating_add(999);
/// Sockets of the comparison with PostGraphile, whose author names tens of thousands as too many.
const PEER_SOCKETS: NonZeroU32 = NonZeroU32::MIN.saturating_add(999);
const FEW_PEER_SOCKETS: NonZeroU32 = NonZeroU32::MIN.saturating_add(99);
/// The load of the targets, which is also measured beside polling and without a server.
const TARGET_LOAD: Load = Load { rate: 100, concerned: Concerned::One };
/// Changed rows in a second that PostgreSQL can still write on this machine.
const MOST_ROWS: u64 = 100_000;
/// Changed rows in a second beside PostGraphile, which parses each of them as JSON.
const MOST_PEER_ROWS: u64 = 10_000;
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
    /// Sockets of the comparison with PostGraphile 4 [default: 1000, with --quick 100].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) peer_sockets: Option<NonZeroU32>,
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
    let default = if options.quick { FEW_PEER_SOCKETS } else { PEER_SOCKETS };
    let peer_sockets = options.peer_sockets.unwrap_or(default).get().min(sockets);
    let seconds = if options.quick { 3 } else { 10 };
    allow_connections()?;

    eprintln!("live: {sockets} rows in PostgreSQL");
    let database = Database::start(sockets)?;
    let writer = Writer::open(&database.url())?;
    let loads = Loads::up_to(MOST_ROWS, sockets);
    let mut report = Report::new(sockets, seconds, &loads.left_out);
    let without = Processes { server: None, database: database.process() };
    let alone =
        Bench { database: &database, writer: &writer, processes: without, sockets, seconds };
    // Without a server: the CPU of the changes themselves.
    for kind in [Kind::Changes(TARGET_LOAD), Kind::Unread] {
        report.add_alone(&alone.measure(kind, None)?);
    }

    let url = database.socket_url();
    let interval = options.ping_interval.as_deref();
    let server = serve(&program, &folder, &url, "server", sockets, interval)?;
    let subscribers = Sockets::open(server.port, sockets, EqualAnswers::Fault);
    let difference = {
        let processes = Processes { server: Some(server.process()), ..without };
        let bench = Bench { processes, ..alone };
        memory(&server, &subscribers, sockets, &mut report)?;
        for phase in phases(&bench, &loads, &subscribers)? {
            report.add(&phase);
        }
        subscribers.compare(&database.balances()?)?
    };
    drop((subscribers, server));

    eprintln!("live: polling");
    let poller = Poller::start(database.url(), sockets)?;
    for kind in [Kind::Idle, Kind::Changes(TARGET_LOAD)] {
        report.add_polling(&alone.measure_polling(kind, &poller)?);
    }
    drop(poller);

    let bench = Bench { sockets: peer_sockets, ..alone };
    let loads = Loads::up_to(MOST_PEER_ROWS, peer_sockets);
    let server = serve(&program, &folder, &url, "server-beside", peer_sockets, interval)?;
    let own = peer::measure("Thalweg", &server, &bench, &loads, EqualAnswers::Fault);
    drop(server);
    let poller = Poller::start(database.url(), peer_sockets)?;
    let polling = loads.kinds().map(|kind| bench.measure_polling(kind, &poller));
    let polling = polling.collect::<Result<_, _>>()?;
    drop(poller);
    let difference = difference.or_else(|| own.failure.clone());
    let other = peer::postgraphile(workspace, &folder, &bench, &loads);
    let contestants = vec![own, other];
    report.add_beside(Beside { sockets: peer_sockets, contestants, polling, loads });

    let text = report.text();
    fs::write(folder.join("live.md"), &text)?;
    print!("{text}");
    if let Some(difference) = &difference {
        eprintln!("live: {difference}");
    }
    Ok(difference.is_none())
}

fn serve(
    program: &Path,
    folder: &Path,
    url: &str,
    name: &str,
    sockets: u32,
    ping_interval: Option<&str>,
) -> Result<Server, LiveError> {
    let port = server::free_port()?;
    let mut command = program::serve(Command::new(program), url, port);
    command.args(SERVE).current_dir(folder);
    command.args(["--max-clients", &(sockets + OTHER_CLIENTS).to_string()]);
    if let Some(interval) = ping_interval {
        command.args(["--ping-interval", interval]);
    }
    Ok(Server::start(command, port, &log_file(folder, name))?)
}

fn log_file(folder: &Path, server: &str) -> PathBuf {
    folder.join(format!("{server}.log"))
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

fn phases(
    bench: &Bench<'_>,
    loads: &Loads,
    subscribers: &Sockets,
) -> Result<Vec<Phase>, LiveError> {
    let kinds = loads.kinds().chain([Kind::Unread, Kind::All]);
    kinds.map(|kind| bench.measure(kind, Some(subscribers))).collect()
}
