//! A running Neo4j with an empty graph, exclusive to one test.

use std::fs;
use std::io;
use std::path::Path;

use super::bolt::{BoltError, Connection, Request};
use super::installation::{self, Installation, MissingInstallation};
use super::lock::{Lock, Registered};
use super::script;
use super::server::{self, Kind, StartError};
use super::value::Value;

/// All but the two indexes that a server creates itself.
const INDEXES: &str = "SHOW INDEXES YIELD name, type, owningConstraint \
                       WHERE type <> 'LOOKUP' AND owningConstraint IS NULL RETURN name";

const CLEARING_ATTEMPTS: usize = 10;

/// A graph that is exclusive until it is dropped; the server may stay.
#[derive(Debug)]
pub struct Graph {
    server: Registered,
    kind: Kind,
    lock: Lock,
}

/// A graph could not be had or changed.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// Neo4j is required and not installed.
    #[error(transparent)]
    Missing(#[from] MissingInstallation),
    /// The server does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Files that servers share.
    #[error("what tests with Neo4j share: {0}")]
    Lock(#[source] io::Error),
    /// A file of statements could not be read.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// A statement was refused.
    #[error("{error}, of the statement\n{statement}")]
    Statement {
        /// The statement.
        statement: String,
        /// The cause.
        error: BoltError,
    },
    /// The server cannot be reached.
    #[error("Neo4j does not answer: {0}")]
    Connection(#[source] BoltError),
}

/// Takes the graph, as soon as no other test has it, empty and without constraints and indexes.
/// None without a Neo4j; then the test is reported as not run.
pub fn take() -> Result<Option<Graph>, GraphError> {
    let Some(installation) = installation::required()? else { return Ok(None) };
    let lock = Lock::take(&installation::folder()).map_err(GraphError::Lock)?;
    if let Some(server) = lock.registered()
        && Connection::open(server.port, None)
            .map_err(GraphError::Connection)
            .is_ok_and(|mut connection| clear(&mut connection).is_ok())
    {
        return Ok(Some(Graph { server, kind: Kind::Shared, lock }));
    }
    // It has ended, or it is one of another kind whose test was killed.
    start(&installation, lock, Kind::Shared).map(Some)
}

/// A graph of a server of its own, in which the user `neo4j` has a password. The server ends with
/// it; the next test with the shared kind has to wait for a start.
pub fn take_with_password() -> Result<Option<Graph>, GraphError> {
    take_private(Kind::Guarded)
}

/// A graph without a password and with APOC, which Neo4j's GraphQL library calls.
pub fn take_with_apoc() -> Result<Option<Graph>, GraphError> {
    take_private(Kind::Extended)
}

/// A graph of a server of its own with the speed of a production server: with a heap of a gigabyte,
/// and Java's default collector and compilers.
pub fn take_for_measurement() -> Result<Option<Graph>, GraphError> {
    take_private(Kind::Measured)
}

fn take_private(kind: Kind) -> Result<Option<Graph>, GraphError> {
    let Some(installation) = installation::required()? else { return Ok(None) };
    let lock = Lock::take(&installation::folder()).map_err(GraphError::Lock)?;
    start(&installation, lock, kind).map(Some)
}

/// Starts a server in place of the running one: there are never two at a time.
fn start(installation: &Installation, lock: Lock, kind: Kind) -> Result<Graph, GraphError> {
    if let Some(server) = lock.registered() {
        end(&lock, &server).map_err(GraphError::Lock)?;
    }
    let server = server::start(installation, &lock, kind)?;
    Ok(Graph { server, kind, lock })
}

fn end(lock: &Lock, server: &Registered) -> io::Result<()> {
    lock.unregister()?;
    server::end(server);
    Ok(())
}

impl Graph {
    /// The port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.server.port
    }

    /// The folder of the server, for tests of its end.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.server.folder
    }

    /// The process of the server, for measurements.
    #[must_use]
    pub fn process(&self) -> Option<u32> {
        fs::read_to_string(self.server.folder.join("process")).ok()?.trim().parse().ok()
    }

    /// The password of the user `neo4j`; none without authentication.
    #[must_use]
    pub fn password(&self) -> Option<&'static str> {
        self.kind.password()
    }

    /// Its address, with a scheme such as `neo4j` or `bolt`.
    #[must_use]
    pub fn address(&self, scheme: &str) -> String {
        format!("{scheme}://127.0.0.1:{}", self.server.port)
    }

    /// Opens a connection that is not the product's.
    pub fn connect(&self) -> Result<Connection, GraphError> {
        Connection::open(self.server.port, self.password()).map_err(GraphError::Connection)
    }

    /// Ends the server as if its machine had lost power.
    pub fn kill_server(&self) -> Result<(), GraphError> {
        server::kill(&self.server).map_err(GraphError::Lock)
    }

    /// Starts a killed server again, with its graph and at the same port.
    pub fn start_server_again(&self) -> Result<(), GraphError> {
        Ok(server::start_again(&self.server, self.kind)?)
    }

    /// Runs the statements of a text one after the other, and returns the records of the last one.
    pub fn run(&self, text: &str) -> Result<Vec<Vec<Value>>, GraphError> {
        let mut connection = self.connect()?;
        let mut records = Vec::new();
        for statement in script::split(text) {
            records = run_one(&mut connection, statement)?;
        }
        Ok(records)
    }

    /// Runs one statement with parameters, a map, and returns its records.
    pub fn run_with(
        &self,
        statement: &str,
        parameters: Value,
    ) -> Result<Vec<Vec<Value>>, GraphError> {
        let answered = self.connect()?.exchange(&Request::new(statement, parameters));
        answered.map_err(|error| refused(error, statement))
    }

    /// Runs the statements of a file.
    pub fn run_file(&self, path: &Path) -> Result<Vec<Vec<Value>>, GraphError> {
        let text = fs::read_to_string(path)
            .map_err(|error| GraphError::File { path: path.display().to_string(), error })?;
        self.run(&text)
    }

    /// Removes all nodes, relationships, constraints and indexes. The server keeps the names of
    /// used properties.
    pub fn clear(&self) -> Result<(), GraphError> {
        clear(&mut self.connect()?)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        match self.kind {
            // It stays for the next test.
            Kind::Shared => {}
            // If that fails, its watcher still sees the lock become free.
            Kind::Guarded | Kind::Extended | Kind::Measured => {
                drop(end(&self.lock, &self.server));
            }
        }
    }
}

fn clear(connection: &mut Connection) -> Result<(), GraphError> {
    // A scan on a busy machine once missed the last node of the test before; the counts of the
    // store are not read by a scan.
    for _ in 0..CLEARING_ATTEMPTS {
        run_one(connection, "MATCH (n) DETACH DELETE n")?;
        let counted = run_one(connection, "MATCH (n) RETURN count(n) = 0")?;
        if counted == [[Value::Boolean(true)]] {
            break;
        }
    }
    for (names, drop) in
        [("SHOW CONSTRAINTS YIELD name", "DROP CONSTRAINT `"), (INDEXES, "DROP INDEX `")]
    {
        for record in run_one(connection, names)? {
            let Some(name) = record.first().and_then(Value::text) else { continue };
            let statement = [drop, &name.replace('`', "``"), "`"].concat();
            run_one(connection, &statement)?;
        }
    }
    Ok(())
}

fn run_one(connection: &mut Connection, statement: &str) -> Result<Vec<Vec<Value>>, GraphError> {
    connection.query(statement).map_err(|error| refused(error, statement))
}

fn refused(error: BoltError, statement: &str) -> GraphError {
    match error {
        BoltError::Refused { .. } => {
            GraphError::Statement { statement: statement.to_owned(), error }
        }
        BoltError::Connection(_) | BoltError::Version | BoltError::Answer => {
            GraphError::Connection(error)
        }
    }
}
