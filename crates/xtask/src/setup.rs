//! Requirements of the tests on this machine: a C compiler, three versions of PostgreSQL,
//! PgBouncer, pgpool-II, NATS and Redis, a Neo4j, and the browser and the clients for tests of the server.
//!
//! Prints nothing if all are installed.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::clients::{self, ClientsError};
use crate::debian::{self, InstallError};
use crate::maven;
use crate::neo4j::{self, Neo4jError};
use crate::program;

/// Options of the setup.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    /// Installs nothing, only checks.
    pub(crate) offline: bool,
    /// Missing requirements are listed, and are no error.
    pub(crate) allow_missing: bool,
}

/// The databases and tools found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The folder of Maven Central's versions.
    pub(crate) folder: PathBuf,
    /// The required databases.
    pub(crate) required: Required,
    /// The folder of Neo4j's versions.
    pub(crate) neo4j_folder: PathBuf,
    /// The reason why there is no Neo4j.
    pub(crate) no_neo4j: Option<String>,
    /// Whether the browser and the clients are installed.
    pub(crate) clients: bool,
}

/// Databases without which tests fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Required {
    /// The distribution's and Maven Central's.
    All,
    /// Maven Central's: only root can install the distribution's.
    Maven,
    /// Those that are installed.
    None,
}

/// The machine lacks something that cannot be installed now.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetupError {
    #[error(
        "there is no C compiler (`cc`), which SQLite needs; \
         on Debian: apt-get update && apt-get install -y build-essential"
    )]
    Compiler,
    #[error("{}\n(`--allow-missing` goes on without)", list(.0))]
    Missing(Vec<Missing>),
}

/// A requirement that cannot be installed.
#[derive(Debug)]
pub(crate) struct Missing {
    name: String,
    reason: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.name, self.reason)
    }
}

/// Installs missing requirements.
pub(crate) fn setup(workspace: &Path, options: Options) -> Result<Found, SetupError> {
    if program::find("cc").is_none() {
        return Err(SetupError::Compiler);
    }
    let mut missing = Vec::new();
    let mut required = Required::All;
    match debian::provide(options.offline) {
        Ok(debian::Provided::Installed) => {}
        Ok(debian::Provided::OnlyRootCould) => {
            println!(
                "setup: the distribution's PostgreSQL is not installed, and only root could \
                 install it: the tests use Maven Central's only"
            );
            required = Required::Maven;
        }
        Err(error) => missing.push(Missing {
            name: "the distribution's PostgreSQL".to_owned(),
            reason: error.to_string(),
        }),
    }
    let folder = maven::folder(workspace);
    for release in &maven::RELEASES {
        if let Err(error) = maven::provide(release, &folder, options.offline) {
            let name = format!("PostgreSQL {}", release.version);
            missing.push(Missing { name, reason: error.to_string() });
        }
    }
    if !missing.is_empty() {
        required = Required::None;
    }
    match debian::provide_poolers(options.offline) {
        Ok(debian::Provided::Installed) => {}
        Ok(debian::Provided::OnlyRootCould) => println!(
            "setup: PgBouncer or pgpool-II is not installed, and only root could install it: nothing is tried \
             through a pooler"
        ),
        Err(error) => missing.push(Missing {
            name: "PgBouncer and pgpool-II".to_owned(),
            reason: error.to_string(),
        }),
    }
    match debian::provide_brokers(options.offline) {
        Ok(debian::Provided::Installed) => {}
        Ok(debian::Provided::OnlyRootCould) => println!(
            "setup: NATS or Redis is not installed, and only root could install it: nothing is \
             tried with that broker"
        ),
        Err(error) => {
            missing.push(Missing { name: "NATS and Redis".to_owned(), reason: error.to_string() })
        }
    }
    let neo4j_folder = neo4j::folder(workspace);
    let no_neo4j = match neo4j::provide(&neo4j_folder, options.offline) {
        Ok(()) => None,
        Err(Neo4jError::Install(InstallError::NotRoot(packages))) => {
            let reason = format!("{packages} is not installed, and only root could install it");
            println!("setup: {reason}: nothing is tried with Neo4j");
            Some(reason)
        }
        Err(error) => {
            let reason = error.to_string();
            missing.push(Missing { name: "Neo4j".to_owned(), reason: reason.clone() });
            Some(reason)
        }
    };
    let clients = match clients::provide(workspace, options.offline) {
        Ok(_) => true,
        Err(ClientsError::Install(InstallError::NotRoot(packages))) => {
            println!(
                "setup: {packages} is not installed, and only root could install it: the server \
                 is not tried with a browser and with clients"
            );
            false
        }
        Err(error) => {
            let name = "the browser and the clients".to_owned();
            missing.push(Missing { name, reason: error.to_string() });
            false
        }
    };
    if !missing.is_empty() && !options.allow_missing {
        return Err(SetupError::Missing(missing));
    }
    for missing in missing {
        println!("not run: {missing}");
    }
    Ok(Found { folder, required, neo4j_folder, no_neo4j, clients })
}

fn list(missing: &[Missing]) -> String {
    missing.iter().map(Missing::to_string).collect::<Vec<_>>().join("\n")
}
