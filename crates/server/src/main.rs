//! The `thalweg` program.
//!
//! * `options`: the options
//! * `composition`: composes a supergraph
//! * `configuration`: combines the command line, the environment and the file
//! * `log`: the log
//! * `commands`: one file per command
//! * `http`: GraphQL over HTTP
//! * `traces`: OpenTelemetry traces
//! * `collector`: collectors of OpenTelemetry
//! * `otlp`: export of traces, metrics and logs to a collector of OpenTelemetry
//! * `request_id`: the id of a request
//! * `metrics`: Prometheus metrics
//! * `usage`: counts and reports of the parts of the schema that clients use
//! * `supervisor`: notifications to systemd
//! * `jitter`: random parts of durations
//! * `memory`: settings of the allocator, and returning memory to the system
//! * `supergraph`: reads and watches a supergraph
//! * `demo`: writes the sample shop
//! * `events`: delivery of events beside a server; `action_delivery`: of calls of asynchronous actions
//! * `failure`: the error of a command
//!
//! A problem of a source, a file or an option ends as one sentence on standard error, never as a
//! panic.

mod action_delivery;
mod collector;
mod commands;
mod composition;
mod configuration;
mod demo;
mod events;
mod failure;
mod http;
mod jitter;
mod log;
mod memory;
mod metrics;
mod options;
mod otlp;
mod request_id;
mod subscription_bodies;
mod supergraph;
mod supervisor;
mod traces;
mod usage;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    memory::use_small_pages();
    memory::give_back_soon();
    // Before any file is opened.
    sources::count_memory_of_sqlite();
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
        // The reader of the output has closed it, as `head` does.
        Err(failure) if failure.is_closed_output() => ExitCode::SUCCESS,
        Err(failure) => {
            // If the error stream is closed, only the exit code remains.
            let message = configuration::redacted(&failure.to_string());
            drop(writeln!(io::stderr(), "error: {message}"));
            failure.exit_code()
        }
    }
}
