//! Runs the request and response cases of Hasura's own tests against Thalweg.
//!
//! ```sh
//! cargo run -p hasura-cases -- graphql-engine/server/tests-py/queries [PART]…
//! ```
//!
//! The cases are not in this repository: `https://github.com/hasura/graphql-engine` has them. Each
//! folder's commands of the metadata API become a document of metadata, and its statements of SQL a
//! database on a private PostgreSQL; Thalweg serves both, and answers the requests. Webhooks and remote
//! schemas are the servers of that copy, in Python and Node.js (`services`). Cases about other
//! databases and about the metadata API itself are counted as not compared, with the reason.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the report is what it is for; progress goes to the error stream"
)]

mod case_file;
mod metadata;
mod report;
mod request;
mod run;
mod server;
mod services;
mod test_code;
mod test_files;
mod yaml;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: hasura-cases FOLDER [PART OF A PATH]…");
        return ExitCode::from(2);
    };
    let parts: Vec<_> = arguments.collect();
    match run::run(&PathBuf::from(folder), &parts) {
        Ok(report) => {
            report.print();
            if report.has_failures() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
