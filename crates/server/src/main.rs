//! The `thalweg` program.
//!
//! * `options`: what can be asked for
//! * `configuration`: the command line, the environment and the file, read together
//! * `log`: what the program says while it runs
//! * `commands`: one file a command
//! * `http`: GraphQL over HTTP
//! * `traces`: what happened to requests, told to a collector
//! * `request_id`: the name of one request
//! * `metrics`: what the process counts, and how Prometheus reads it
//! * `supervisor`: what systemd is told
//! * `memory`: what the allocator takes and gives back
//! * `supergraph`: where the text of a supergraph comes from
//! * `demo`: writes the sample shop into a database
//! * `failure`: why a command ended without its result
//!
//! Whatever is wrong with a source, a file or an option ends as one sentence on the standard error
//! stream, and never as a panic.

mod commands;
mod configuration;
mod demo;
mod failure;
mod http;
mod log;
mod memory;
mod metrics;
mod options;
mod request_id;
mod supergraph;
mod supervisor;
mod traces;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    memory::use_small_pages();
    memory::give_back_soon();
    let invocation = match configuration::read(env::args_os().collect()) {
        Ok(invocation) => invocation,
        Err(error) => return ExitCode::from(error.report()),
    };
    let arguments = &invocation.arguments;
    log::start(&arguments.log, arguments.command.default_level());
    if let Some(file) = &invocation.file {
        tracing::info!("options are read from {}", file.display());
    }
    match commands::run(&invocation) {
        Ok(code) => code,
        // The reader of the output has seen enough, as `head` does.
        Err(failure) if failure.is_closed_output() => ExitCode::SUCCESS,
        Err(failure) => {
            // Where even the error stream is closed, the exit code has to be enough.
            let message = configuration::redacted(&failure.to_string());
            drop(writeln!(io::stderr(), "error: {message}"));
            failure.exit_code()
        }
    }
}
