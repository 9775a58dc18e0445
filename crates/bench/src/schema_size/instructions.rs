//! How many instructions a request takes, counted by valgrind: no clock, so no noise.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::tables::{self, Kind};
use super::{Place, SizeError};
use crate::http::Connection;
use crate::server::{Server, free_port};

/// Requests before the count: everything that is made once is made then.
const WARM_UP: usize = 20;
const REQUESTS: usize = 100;

/// Instructions of one request on a schema of so many tables.
pub(super) fn count(place: &Place, kind: Kind, count: usize) -> Result<f64, SizeError> {
    let address = tables::create(place, kind, count)?;
    let output = place.folder.join("callgrind.out");
    let dump = place.folder.join("callgrind.out.1");
    for old in [&output, &dump] {
        if old.exists() {
            fs::remove_file(old)?;
        }
    }
    let port = free_port()?;
    let mut command = Command::new("valgrind");
    // Counting begins later: a start under it takes minutes.
    command
        .args(["--tool=callgrind", "--instr-atstart=no"])
        .arg(format!("--callgrind-out-file={}", output.display()))
        .arg(&place.thalweg)
        .args(["serve", &address, "--threads", "1", "--listen", &format!("127.0.0.1:{port}")]);
    let server = Server::start(command, port, &place.folder.join("valgrind.log"))?;
    let mut connection = Connection::open(port)?;
    ask(&mut connection, WARM_UP)?;
    control(&server, &["-i", "on"])?;
    ask(&mut connection, WARM_UP)?;
    control(&server, &["-z"])?;
    ask(&mut connection, REQUESTS)?;
    control(&server, &["-d"])?;
    Ok(read_count(&dump)? / REQUESTS as f64)
}

/// Asks the request so often, and looks that it is answered.
pub(super) fn ask(connection: &mut Connection, times: usize) -> Result<(), SizeError> {
    let body = tables::request().to_string();
    for _ in 0..times {
        let answer = connection.post(&body)?;
        let text = String::from_utf8_lossy(&answer);
        if text.contains("\"errors\"") || !text.contains("\"endCursor\"") {
            return Err(SizeError::Refused(text.into_owned()));
        }
    }
    Ok(())
}

fn control(server: &Server, words: &[&str]) -> Result<(), SizeError> {
    let program = "callgrind_control";
    let done = Command::new(program)
        .args(words)
        .arg(server.process().to_string())
        .output()
        .map_err(|error| SizeError::Valgrind { program, error })?;
    if done.status.success() {
        return Ok(());
    }
    let said = [done.stdout, done.stderr].concat();
    Err(SizeError::Control(String::from_utf8_lossy(&said).into_owned()))
}

/// The sum is on a line of its own: `totals: 123456`.
fn read_count(dump: &Path) -> Result<f64, SizeError> {
    let text = fs::read_to_string(dump)?;
    let line = text.lines().find_map(|line| line.strip_prefix("totals:"));
    line.and_then(|number| number.trim().parse().ok())
        .ok_or_else(|| SizeError::Count(dump.to_owned()))
}
