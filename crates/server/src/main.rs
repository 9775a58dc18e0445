//! The `thalweg` program.
//!
//! * `options`: the command line and the environment
//! * `log`: what the program says while it runs
//! * `commands`: one file a command
//! * `http`: GraphQL over HTTP
//! * `memory`: what the allocator gives back
//! * `demo`: writes the sample shop into a database
//! * `failure`: why a command ended without its result
//!
//! Whatever is wrong with a source, a file or an option ends as one sentence on the standard error
//! stream, and never as a panic.

mod commands;
mod demo;
mod failure;
mod http;
mod log;
mod memory;
mod options;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::options::Arguments;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    log::start(&arguments.log, arguments.command.usual_level());
    match commands::run(&arguments.command) {
        Ok(code) => code,
        // The reader of the output has seen enough, as `head` does.
        Err(failure) if failure.is_closed_output() => ExitCode::SUCCESS,
        Err(failure) => {
            // Where even the error stream is closed, the exit code has to be enough.
            drop(writeln!(io::stderr(), "error: {failure}"));
            failure.exit_code()
        }
    }
}
