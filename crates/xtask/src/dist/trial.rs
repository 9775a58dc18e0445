//! Smoke test of a program before it is packed: it prints its version, and serves the demo once.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::executable::Executable;
use super::{DistError, VERSION};
use crate::program::{self, ProgramError};

/// Timeout of every step.
const PATIENCE: Duration = Duration::from_secs(60);

const QUERY: &str = r#"{"query":"{ artistById(id: 127) { name } }"}"#;
pub(super) const ANSWER: &str = r#"{"data":{"artistById":{"name":""#;

/// A server that is killed in the end.
#[derive(Debug)]
struct Server(Child);

/// Checks that the program works; its files go into the folder.
pub(crate) fn run(program: &Executable, folder: &Path) -> Result<(), DistError> {
    println!("dist: trying {}", program.path().display());
    let version = program::output(command(program, folder).arg("--version"))?;
    let expected = format!("thalweg {VERSION}\n");
    if version != expected {
        return Err(DistError::Trial(format!("it calls itself {version:?}, not {expected:?}")));
    }
    serve_once(program, folder)
}

fn serve_once(program: &Executable, folder: &Path) -> Result<(), DistError> {
    let mut demo = command(program, folder);
    demo.args(["demo", "--listen", "127.0.0.1:0", "--file", "trial.db"]);
    demo.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let started = demo.spawn().map_err(|error| ProgramError::Start {
        program: program.path().display().to_string(),
        error,
    })?;
    let mut server = Server(started);
    let Some(log) = server.0.stderr.take() else {
        return Err(DistError::Trial("it has no error stream".to_owned()));
    };
    let mut seen = String::new();
    let mut lines = BufReader::new(log).lines().map_while(Result::ok);
    let address = lines.find_map(|line| {
        seen.push_str(&line);
        seen.push('\n');
        address(&line).map(str::to_owned)
    });
    let Some(address) = address else {
        return Err(DistError::Trial(format!("the demo does not serve: {seen}")));
    };
    let answer = request(&address)
        .map_err(|error| DistError::Trial(format!("the demo cannot be asked: {error}")))?;
    match answer.starts_with("HTTP/1.1 200 ") && answer.contains(ANSWER) {
        true => Ok(()),
        false => Err(DistError::Trial(format!("the demo answers {answer:?}"))),
    }
}

/// The program without the caller's environment and configuration.
fn command(program: &Executable, folder: &Path) -> Command {
    let mut command = program.command();
    command.current_dir(folder);
    for (name, _) in std::env::vars() {
        if name.starts_with("THALWEG_") || name.starts_with("PG") {
            command.env_remove(name);
        }
    }
    command
}

/// The host and the port from the line that the server writes when it is ready.
pub(super) fn address(line: &str) -> Option<&str> {
    let (_, url) = line.split_once("serving at http://")?;
    url.split('/').next()
}

pub(super) fn request(address: &str) -> std::io::Result<String> {
    let length = QUERY.len();
    send(
        address,
        &format!(
            "POST /graphql HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{QUERY}"
        ),
    )
}

/// Sends a request that closes its connection, and returns the response.
pub(super) fn send(address: &str, request: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::platform::Platform;

    #[test]
    fn the_address_stands_in_the_log() {
        let line = "2026-11-21T00:00:00Z  INFO serving at http://127.0.0.1:4000/graphql version=1";
        assert_eq!(address(line), Some("127.0.0.1:4000"));
        assert_eq!(address("reading the database"), None);
    }

    #[test]
    fn another_program_is_refused() {
        let refused = Platform::of_host()
            .and_then(|host| Executable::new(Path::new("/bin/echo"), host, true))
            .and_then(|echo| run(&echo, &std::env::temp_dir()));
        let message = refused.map_err(|error| error.to_string());
        let expected = "the program is not as it should be: it calls itself";
        assert!(message.as_ref().is_err_and(|text| text.starts_with(expected)), "{message:?}");
    }
}
