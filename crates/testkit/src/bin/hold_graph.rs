//! Holds a private Neo4j until it is itself killed: the test of that needs a process to kill.
//!
//! It prints port, password and folder, or nothing where there is no Neo4j.
#![allow(clippy::print_stdout, reason = "what it prints is what its caller reads")]

use std::error::Error;
use std::time::Duration;

use testkit::neo4j;

/// Its caller kills it long before.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() -> Result<(), Box<dyn Error>> {
    let Some(graph) = neo4j::take_with_password()? else { return Ok(()) };
    let password = graph.password().unwrap_or_default();
    println!("{} {password} {}", graph.port(), graph.folder().display());
    std::thread::sleep(PATIENCE);
    Ok(())
}
