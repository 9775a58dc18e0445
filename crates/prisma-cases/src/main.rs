//! Replays the tests of Prisma 1's servers against Thalweg.
//!
//! ```sh
//! cargo run -p prisma-cases -- [read|schema|introspect] [--sqlite] PRISMA1 [PART]…
//! ```
//!
//! The tests are not in this repository: `https://github.com/prisma/prisma1` has them. They are
//! programs in Scala, which this program reads and runs: a project of a test becomes a database on a
//! private PostgreSQL (or a file of SQLite), migrated and served by Thalweg, and its queries become
//! requests. A test with a statement that is not understood is never counted as equal.
//!
//! `read` only tells what is understood, without a server; `schema` compares the printed schemas of
//! the generator's cases, and `introspect` the datamodels of tables with the snapshots of Prisma's
//! introspection.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the report is what it is for; progress goes to the error stream"
)]

mod arguments;
mod corpus;
mod evaluate;
mod fixtures;
mod introspections;
mod report;
mod scala;
mod service;
mod suite;
mod value;

use std::cell::RefCell;
use std::path::PathBuf;
use std::process::ExitCode;

use arguments::{Arguments, Command};
use corpus::Corpus;
use report::Report;
use service::Service;

/// The programs of the tests nest deeply, and are evaluated as trees.
const STACK: usize = 512 << 20;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK);
    let ended = thread.spawn(move || match run(&arguments) {
        Ok(report) => {
            report.print();
            if report.has_failures() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    });
    ended.ok().and_then(|thread| thread.join().ok()).unwrap_or(ExitCode::from(2))
}

fn run(arguments: &Arguments) -> Result<Report, String> {
    let service = match arguments.command {
        Command::Read => None,
        Command::Replay | Command::Schema | Command::Introspect => {
            let folder = std::env::temp_dir().join(format!("prisma-cases-{}", std::process::id()));
            Some(RefCell::new(Service::new(program(), folder, arguments.database)?))
        }
    };
    match (arguments.command, &service) {
        (Command::Schema, Some(service)) => {
            return fixtures::run(arguments, &mut service.borrow_mut());
        }
        (Command::Introspect, Some(service)) => {
            return introspections::run(arguments, &mut service.borrow_mut());
        }
        _ => {}
    }
    let corpus = Corpus::read(&arguments.repository).map_err(|error| error.to_string())?;
    if corpus.specs.is_empty() {
        return Err(format!("{} has no tests of Prisma", arguments.repository.display()));
    }
    let mut report = Report::default();
    for (path, error) in &corpus.unread {
        eprintln!("not read     {path}: {error}");
    }
    for spec in corpus.specs.iter().filter(|spec| arguments.asks_for(&spec.path)) {
        for (name, outcome) in suite::run(&corpus, spec, service.as_ref(), arguments.database) {
            eprintln!("{} {}: {name}", outcome.word(), spec.path);
            report.0.push((spec.path.clone(), name, outcome));
        }
    }
    Ok(report)
}

/// `THALWEG`, or the program of this build.
fn program() -> PathBuf {
    std::env::var_os("THALWEG").map_or_else(
        || {
            let own = std::env::current_exe().unwrap_or_default();
            own.with_file_name("thalweg")
        },
        PathBuf::from,
    )
}
