//! The databases of a run: one for each suite and source, which all contestants share.

use std::fs;
use std::path::{Path, PathBuf};

use testkit::neo4j::{self, Graph};
use testkit::postgres::{self, Server};

use super::data;
use super::failure::RaceError;
use super::plan::Stage;
use super::suite::Source;

/// Beyond what every contestant and `pgbench` open together.
const POSTGRES_SETTINGS: [&str; 2] = ["max_connections=300", "shared_buffers=256MB"];

/// Makes databases; all are gone with it.
#[derive(Debug)]
pub(crate) struct Place {
    folder: PathBuf,
    chinook: Option<PathBuf>,
    /// Started for the first suite that wants it.
    postgres: Option<Server>,
    /// Started for the first suite that wants it, and kept until another suite wants it.
    graph: Option<Graph>,
}

/// The database of a suite.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) source: Source,
    /// `sqlite:FILE`, `postgres:///…` by the Unix socket, or `bolt://…`.
    pub(crate) url: String,
    /// PostgreSQL's name of it, or the file.
    pub(crate) name: String,
    /// PostgreSQL's folder of sockets; empty for the others.
    pub(crate) socket: String,
    pub(crate) port: u16,
    /// PostgreSQL's first process, or Neo4j's.
    pub(crate) process: Option<u32>,
}

impl Place {
    /// `folder` is for SQLite's files.
    pub(crate) fn new(folder: &Path, chinook: Option<PathBuf>) -> Self {
        Self { folder: folder.to_owned(), chinook, postgres: None, graph: None }
    }

    /// Makes the tables and rows of a suite.
    pub(crate) fn make(&mut self, stage: Stage<'_>) -> Result<Database, RaceError> {
        let given = self.chinook.clone();
        let given = given.as_deref();
        match stage.source {
            Source::Sqlite => {
                fs::create_dir_all(&self.folder)?;
                let file = self.folder.join(format!("{}.db", stage.suite.id));
                remove(&file)?;
                data::fill_sqlite(stage.suite, given, &file)?;
                let name = file.display().to_string();
                Ok(Database {
                    source: stage.source,
                    url: format!("sqlite:{name}"),
                    name,
                    socket: String::new(),
                    port: 0,
                    process: None,
                })
            }
            Source::Postgres => {
                let server = self.postgres()?;
                let name = stage.suite.id.clone();
                data::fill_postgres(stage.suite, given, server, &name)?;
                Ok(Database {
                    source: stage.source,
                    url: server.socket_url(&name),
                    name,
                    socket: server.socket_folder().display().to_string(),
                    port: server.port(),
                    process: first_process(server),
                })
            }
            Source::Neo4j => {
                let graph = self.graph()?;
                data::fill_graph(stage.suite, graph)?;
                Ok(Database {
                    source: stage.source,
                    // The others would ask who else is in the cluster.
                    url: graph.address("bolt"),
                    name: String::new(),
                    socket: String::new(),
                    port: graph.port(),
                    process: graph.process(),
                })
            }
        }
    }

    /// PostgreSQL, where a suite has wanted it.
    pub(crate) fn server(&self) -> Option<&Server> {
        self.postgres.as_ref()
    }

    /// Neo4j, where a suite has wanted it.
    pub(crate) fn neo4j(&self) -> Option<&Graph> {
        self.graph.as_ref()
    }

    /// The version of PostgreSQL, where it runs already.
    pub(crate) fn postgres_version(&self) -> Option<String> {
        self.postgres.as_ref().map(|server| server.installation().version.to_string())
    }

    fn graph(&mut self) -> Result<&Graph, RaceError> {
        let graph = match self.graph.take() {
            Some(graph) => graph,
            None => neo4j::take_for_measurement()?.ok_or(RaceError::NoNeo4j)?,
        };
        Ok(self.graph.insert(graph))
    }

    fn postgres(&mut self) -> Result<&Server, RaceError> {
        let server = match self.postgres.take() {
            Some(server) => server,
            None => {
                // The distribution's comes first: it is what most machines have.
                let installations = postgres::installations();
                let installation = installations.first().ok_or(RaceError::NoPostgres)?;
                Server::start_with(installation, &POSTGRES_SETTINGS)?
            }
        };
        Ok(self.postgres.insert(server))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed is in `target`, with everything else that may go at any time.
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// A file of a run that was stopped, with what belongs to it.
fn remove(file: &Path) -> Result<(), RaceError> {
    for ending in ["", "-wal", "-shm"] {
        let path = PathBuf::from(format!("{}{ending}", file.display()));
        if path.exists() {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// The first line of PostgreSQL's own file.
pub(crate) fn first_process(server: &Server) -> Option<u32> {
    let text = fs::read_to_string(server.data_folder().join("postmaster.pid")).ok()?;
    text.lines().next()?.trim().parse().ok()
}
