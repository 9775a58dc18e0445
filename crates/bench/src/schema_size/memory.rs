//! How long a start takes and how much memory stays.

use std::fs;
use std::process::Command;
use std::time::Duration;

use super::instructions::ask;
use super::tables::{self, Kind};
use super::{Place, SizeError};
use crate::http::Connection;
use crate::server::{Server, free_port};

/// What a running server takes.
#[derive(Debug)]
pub(super) struct Usage {
    /// From the start of the process to its first answer, introspection included.
    pub(super) start: Duration,
    /// Resident, after the first requests.
    pub(super) kilobytes: u64,
}

pub(super) fn measure(place: &Place, kind: Kind, count: usize) -> Result<Usage, SizeError> {
    let address = tables::create(place, kind, count)?;
    let port = free_port()?;
    let mut command = Command::new(&place.thalweg);
    command.args(["serve", &address, "--threads", "1", "--listen", &format!("127.0.0.1:{port}")]);
    let server = Server::start(command, port, &place.folder.join("thalweg.log"))?;
    ask(&mut Connection::open(port)?, 3)?;
    let process = server.process();
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .ok_or(SizeError::Memory(process))?;
    Ok(Usage { start: server.start_time, kilobytes })
}
