//! PgBouncer in front of a private server, with a folder and a port of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fmt, fs};

use super::pooler::{self, Pooler};
use super::server::{Server, StartError, free_port, percent_encode};

/// The first version that can keep prepared statements where transactions share sessions.
const KEEPS_STATEMENTS_FROM: (u16, u16) = (1, 21);

/// The time at which a client's server session is given to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PoolMode {
    /// After its connection.
    Session,
    /// After each transaction; prepared statements are left behind, unless [`KEEPING`] is said.
    Transaction,
}

/// A pooler in front of all databases of a server; dropping it stops it. It trusts all clients.
#[derive(Debug)]
pub struct PgBouncer {
    program: PathBuf,
    pooler: Pooler,
}

impl fmt::Display for PoolMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            PoolMode::Session => "session",
            PoolMode::Transaction => "transaction",
        })
    }
}

impl PgBouncer {
    /// Whether the program is on this machine. If not, that is printed.
    #[must_use]
    pub fn is_installed() -> bool {
        pooler::is_installed("pgbouncer", "PgBouncer")
    }

    /// Whether the installed version can keep prepared statements in the mode
    /// [`PoolMode::Transaction`], by the line [`KEEPING`]. If not, that is printed.
    #[must_use]
    pub fn keeps_statements() -> bool {
        let Ok(program) = pooler::find("pgbouncer") else { return Self::is_installed() };
        let keeps = version(&program) >= KEEPS_STATEMENTS_FROM;
        if !keeps {
            print_older();
        }
        keeps
    }

    /// Starts one with this limit of sessions per database.
    pub fn start(server: &Server, mode: PoolMode, sessions: usize) -> Result<Self, StartError> {
        Self::start_with(server, mode, sessions, &[PINNED])
    }

    /// Starts one with further lines in its file.
    pub fn start_with(
        server: &Server,
        mode: PoolMode,
        sessions: usize,
        lines: &[&str],
    ) -> Result<Self, StartError> {
        let program = pooler::find("pgbouncer")?;
        let port = free_port().map_err(StartError::Folder)?;
        Self::start_at(&program, port, &file(&program, server, port, mode, sessions, lines))
    }

    /// Kills it and starts another one at its port, as after an edit of its file.
    pub fn restart_with(
        &mut self,
        server: &Server,
        mode: PoolMode,
        sessions: usize,
        lines: &[&str],
    ) -> Result<(), StartError> {
        self.pooler.stop();
        let port = self.port();
        let file = file(&self.program, server, port, mode, sessions, lines);
        *self = Self::start_at(&self.program, port, &file)?;
        Ok(())
    }

    fn start_at(program: &Path, port: u16, file: &str) -> Result<Self, StartError> {
        let pooler = Pooler::start("KILL", port, |folder| {
            let settings = folder.join("pgbouncer.ini");
            fs::write(&settings, file).map_err(StartError::Folder)?;
            Ok(vec![program.into(), settings.into()])
        })?;
        Ok(Self { program: program.to_owned(), pooler })
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.pooler.port()
    }

    /// The address of a database through it.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{}", self.port(), percent_encode(database))
    }
}

/// The line of its file that ignores start-up parameters of sessions which it does not support.
pub const PINNED: &str =
    "ignore_startup_parameters = extra_float_digits,bytea_output,IntervalStyle";

/// The line that keeps prepared statements.
pub const KEEPING: &str = "max_prepared_statements = 20";

fn file(
    program: &Path,
    server: &Server,
    port: u16,
    mode: PoolMode,
    sessions: usize,
    lines: &[&str],
) -> String {
    let mut file = format!(
        "[databases]\n\
         * = host=127.0.0.1 port={} user=postgres\n\
         [pgbouncer]\n\
         listen_addr = 127.0.0.1\n\
         listen_port = {port}\n\
         unix_socket_dir =\n\
         auth_type = any\n\
         pool_mode = {mode}\n\
         default_pool_size = {sessions}\n\
         max_client_conn = 1000\n\
         server_idle_timeout = 1\n\
         server_login_retry = 1\n",
        server.port()
    );
    let is_kept = lines.contains(&KEEPING) || version(program) < KEEPS_STATEMENTS_FROM;
    if mode == PoolMode::Transaction && !is_kept {
        file.push_str("max_prepared_statements = 0\n");
    }
    for line in lines {
        file.push_str(line);
        file.push('\n');
    }
    file
}

/// Reads `PgBouncer 1.18.0`.
fn version(program: &Path) -> (u16, u16) {
    let output = Command::new(program).arg("--version").output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    parse_version(&String::from_utf8_lossy(&text)).unwrap_or_default()
}

fn parse_version(text: &str) -> Option<(u16, u16)> {
    let mut numbers = text.strip_prefix("PgBouncer ")?.split(['.', '\n']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests must see what they left out")]
fn print_older() {
    eprintln!("not run: this PgBouncer keeps no prepared statements; 1.21 and newer do");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_the_program_says() {
        assert_eq!(parse_version("PgBouncer 1.18.0\nlibevent 2.1\n"), Some((1, 18)));
        assert_eq!(parse_version("pgbouncer"), None);
    }
}
