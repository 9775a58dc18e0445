//! Comparisons and measurements of Thalweg and other servers, which get the same requests over HTTP.
//!
//! * `arguments`: the command line
//! * `compare`: answers and schemas beside PostGraphile and Neo4j's GraphQL library
//! * `audit`: the public audit of federation gateways
//! * `race`: requests/s, latency, CPU and memory of servers, and the report; `federation`: of gateways
//! * `schema_size`: the cost of requests and starts by the number of tables
//! * `start_up`: starts of all servers by the number of tables
//! * `documents`: documents that are sent once; `mixed`: short requests of many shapes
//! * `citus`: clusters of several workers
//! * `restaurants`: long answers of type definitions, beside bare loops
//! * `live`: subscriptions over thousands of sockets
//! * `soak`: half an hour of mixed load with outages
//! * `long`: long answers with slow readers, and short requests beside long statements
//!
//! They share `server`, `program` and `peers` (starting and installing servers), `http` (a client),
//! `background` (threads), `process` (CPU and memory), `statistics` and `figure` (results as text).
//! `process_group` ends all started processes if the benchmark is killed; `sessions` turns off Linux's groups
//! of processes by session, in which PostgreSQL may wait.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people who work on the project: its output is the terminal"
)]

mod arguments;
mod audit;
mod background;
mod citus;
mod compare;
mod documents;
mod federation;
mod figure;
mod folder_name;
mod http;
mod latency;
mod live;
mod long;
mod mixed;
mod peers;
mod process;
mod process_group;
mod program;
mod race;
mod restaurants;
mod schema_size;
mod server;
mod sessions;
mod soak;
mod start_up;
mod statistics;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arguments::Command;

/// An error of any command.
type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    let command = match arguments::parse(std::env::args_os()) {
        Ok(command) => command,
        // Prints help to the standard output, and all else with the exit code 2 to that of errors.
        Err(error) => error.exit(),
    };
    match run(command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a command; false if what it measured or compared is not as it should be.
fn run(command: Command) -> Result<bool, Failure> {
    let workspace = workspace();
    match command {
        Command::Compare(options) => match &options.other {
            Some(compare::Other::Federation(options)) => Ok(audit::compare(&workspace, options)?),
            None => Ok(compare::compare(&workspace, &options)?),
        },
        Command::SchemaSize(options) => Ok(schema_size::schema_size(&options)?),
        Command::Documents(options) => Ok(documents::documents(&options)?),
        Command::Citus(options) => {
            let _ungrouped = sessions::ungroup();
            Ok(citus::measure(&options)?)
        }
        Command::Mixed(options) => Ok(mixed::measure(&options)?),
        Command::StartUp(options) => Ok(start_up::start_up(&workspace, &options)?),
        Command::Streaming(options) => {
            let _ungrouped = sessions::ungroup();
            let kind = long::Kind::Streaming { stall_timeout: options.stall_timeout };
            Ok(long::measure(&workspace, kind, &options.common)?)
        }
        Command::Beside(options) => {
            let _ungrouped = sessions::ungroup();
            Ok(long::measure(&workspace, long::Kind::Beside, &options)?)
        }
        Command::Run(options) => {
            let _ungrouped = sessions::ungroup();
            match options.is_federation() {
                true => Ok(federation::run(&workspace, &options)?),
                false => Ok(race::run(&workspace, &options)?),
            }
        }
        Command::FederationSubgraphs(arguments) => {
            match federation::subgraphs::serve(&(&arguments).into())? {}
        }
        Command::SqliteFloor(options) => sqlite_floor(&options),
        Command::Neo4jFloor(options) => neo4j_floor(&options),
        Command::Restaurants(options) => {
            let _ungrouped = sessions::ungroup();
            Ok(restaurants::measure(&workspace, &options)?)
        }
        Command::Live(options) => {
            let _ungrouped = sessions::ungroup();
            Ok(live::measure(&workspace, &options)?)
        }
        Command::HandOver(options) => {
            let _ungrouped = sessions::ungroup();
            Ok(live::hand_over::measure(&workspace, &options)?)
        }
        Command::Soak(options) => {
            let _ungrouped = sessions::ungroup();
            Ok(soak::measure(&workspace, &options)?)
        }
        Command::RestaurantsFloor(options) => {
            restaurants::floor::print(&options)?;
            Ok(true)
        }
        Command::Report(options) => Ok(report(options.folder)?),
    }
}

/// Prints what the bare loop over SQLite does.
fn sqlite_floor(options: &race::floor::bare::Options) -> Result<bool, Failure> {
    let measured = race::floor::bare::measure(&workspace().join("bench"), options)?;
    println!("{}", serde_json::to_string(&measured)?);
    Ok(true)
}

/// Prints what the bare loop over Neo4j does.
fn neo4j_floor(options: &race::floor::bolt::Options) -> Result<bool, Failure> {
    let measured = race::floor::bolt::measure(&workspace().join("bench"), options)?;
    println!("{}", serde_json::to_string(&measured)?);
    Ok(true)
}

/// Reports a run, the newest if none is named.
fn report(folder: Option<PathBuf>) -> Result<bool, race::report::ReportError> {
    let folder = match folder {
        Some(folder) => folder,
        None => race::report::newest(&workspace().join(race::RUNS))?,
    };
    let paths = race::report::write(&folder)?;
    for path in [paths.page, paths.json, paths.markdown] {
        println!("{}", path.display());
    }
    Ok(true)
}

/// The folder above `bench`: asked from Cargo at run time, because a clone may be moved.
fn workspace() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().unwrap_or(Path::new(".")).to_owned()
}
