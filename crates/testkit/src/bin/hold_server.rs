//! Holds a private server until it is itself killed: the test of that needs a process to kill.
//!
//! Its argument is the folder of the server's programs; it prints port and folder.
#![allow(clippy::print_stdout, reason = "what it prints is what its caller reads")]

use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use testkit::postgres::{Server, installations};

/// Its caller kills it long before.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() -> Result<(), Box<dyn Error>> {
    let bin: OsString = std::env::args_os().nth(1).ok_or("the folder of a server's programs")?;
    let bin = PathBuf::from(bin);
    let installed = installations();
    let found = installed.iter().find(|found| found.bin == bin).ok_or("no such installation")?;
    let server = Server::start(found)?;
    println!("{} {}", server.port(), server.socket_folder().display());
    std::thread::sleep(PATIENCE);
    Ok(())
}
