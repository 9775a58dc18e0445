//! `thalweg health`: probes the readiness of a server, for images without other programs.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::commands::print;
use crate::failure::Failure;
use crate::options::{Address, HealthOptions, Place};

/// Orchestrators usually allow no more time for a probe.
const PATIENCE: Duration = Duration::from_secs(5);

/// Size limit of the response: more than the server sends.
const MOST_BYTES: u64 = 64 * 1024;

/// A server that is not ready.
#[derive(Debug, thiserror::Error)]
#[error("the server at {address} {reason}")]
struct HealthError {
    address: String,
    reason: Unhealthy,
}

/// The reason why a server is not ready.
#[derive(Debug)]
enum Unhealthy {
    /// No response.
    Silent(io::Error),
    /// The status line of the response, and its body.
    Unready(String, String),
}

pub(crate) fn run(options: &HealthOptions) -> Result<(), Failure> {
    // A Unix socket has no TLS, which other addresses may have.
    let is_unix = |address: &&Address| matches!(address.place, Place::Unix(_));
    let address = options.listen.iter().find(is_unix).or(options.listen.first());
    let Some(address) = address else {
        return Err(Failure::Usage("`--listen` names no address".to_owned()));
    };
    let ill = |reason| Failure::other(HealthError { address: address.text.clone(), reason });
    let answer = ask(address).map_err(|error| ill(Unhealthy::Silent(error)))?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.lines().next().unwrap_or_default();
    match status.split(' ').nth(1) {
        Some("200") => print(&format!("{body}\n")),
        Some(_) | None => Err(ill(Unhealthy::Unready(status.to_owned(), body.to_owned()))),
    }
}

fn ask(address: &Address) -> io::Result<String> {
    match &address.place {
        Place::Unix(path) => {
            let stream = UnixStream::connect(path)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            exchange(stream)
        }
        Place::Tcp(sockets) => {
            let mut refused = io::Error::from(io::ErrorKind::AddrNotAvailable);
            for socket in sockets {
                match TcpStream::connect_timeout(socket, PATIENCE) {
                    Ok(stream) => {
                        stream.set_read_timeout(Some(PATIENCE))?;
                        return exchange(stream);
                    }
                    Err(error) => refused = error,
                }
            }
            Err(refused)
        }
    }
}

fn exchange(mut stream: impl Read + Write) -> io::Result<String> {
    stream
        .write_all(b"GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(MOST_BYTES).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

impl fmt::Display for Unhealthy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent(error) => write!(f, "cannot be reached: {error}"),
            Self::Unready(status, body) => write!(f, "is not ready: {status}: {body}"),
        }
    }
}
