//! Thalweg beside others, and beside itself: programs that talk HTTP only, to every one alike.
//!
//! `arguments` reads the command line. `compare` asks PostGraphile 4, PostGraphile 5 and Thalweg
//! the same, `audit` asks Thalweg what a public audit of gateways wants, `schema_size` measures what
//! requests and starts cost on schemas of different sizes, `documents` sends documents that no server
//! has seen, `mixed` asks short requests of many shapes, `long` asks for long answers and keeps statements running beside short requests,
//! `start_up` lets all three start on them, `race` measures how fast they answer, `federation` how
//! fast gateways do.
//! `server` runs a program that answers, `peers` installs those that are not ours, `http` asks;
//! `fate` ends what is left of all these if the benchmark is killed; `sessions` keeps Linux from
//! letting PostgreSQL wait.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people who work on the project: its output is the terminal"
)]

mod arguments;
mod audit;
mod compare;
mod documents;
mod fate;
mod federation;
mod http;
mod long;
mod mixed;
mod peers;
mod race;
mod schema_size;
mod server;
mod sessions;
mod start_up;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arguments::Command;

/// A command did not do what it is for.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Compare(#[from] compare::CompareError),
    #[error(transparent)]
    Audit(#[from] audit::AuditError),
    #[error(transparent)]
    SchemaSize(#[from] schema_size::failure::SizeError),
    #[error(transparent)]
    StartUp(#[from] start_up::StartUpError),
    #[error(transparent)]
    Long(#[from] long::LongError),
    #[error(transparent)]
    Run(#[from] race::failure::RaceError),
    #[error(transparent)]
    Federation(#[from] federation::FederationError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Report(#[from] race::report::ReportError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments::parse(&words) {
        Ok(Command::Help) => {
            print!("{}", arguments::help());
            Ok(true)
        }
        Ok(Command::Compare(options)) => {
            compare::compare(&workspace(), &options).map_err(Failure::from)
        }
        Ok(Command::Audit(options)) => {
            audit::compare(&workspace(), &options).map_err(Failure::from)
        }
        Ok(Command::SchemaSize(options)) => {
            schema_size::schema_size(&options).map_err(Failure::from)
        }
        Ok(Command::Documents(options)) => documents::documents(&options).map_err(Failure::from),
        Ok(Command::Mixed(options)) => mixed::measure(&options).map_err(Failure::from),
        Ok(Command::StartUp(options)) => {
            start_up::start_up(&workspace(), &options).map_err(Failure::from)
        }
        Ok(Command::Long(kind, options)) => {
            let _ungrouped = sessions::ungroup();
            long::measure(&workspace(), kind, &options).map_err(Failure::from)
        }
        Ok(Command::Run(options)) => {
            let _ungrouped = sessions::ungroup();
            race::run(&workspace(), &options).map_err(Failure::from)
        }
        Ok(Command::Federation(options)) => {
            let _ungrouped = sessions::ungroup();
            federation::run(&workspace(), &options).map_err(Failure::from)
        }
        Ok(Command::Subgraphs(options)) => match federation::subgraphs::serve(&options) {
            Ok(never) => match never {},
            Err(error) => Err(error.into()),
        },
        Ok(Command::SqliteFloor(options)) => sqlite_floor(&options),
        Ok(Command::Neo4jFloor(options)) => neo4j_floor(&options),
        Ok(Command::Report(folder)) => report(folder).map_err(Failure::from),
        Err(error) => {
            eprintln!("bench: {error}\n\n{}", arguments::help());
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
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
