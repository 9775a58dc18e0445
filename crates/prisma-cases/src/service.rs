//! Thalweg with a database for a datamodel.
//!
//! The command lines are here and nowhere else.

mod database;
mod process;
mod request;
#[cfg(test)]
pub(crate) mod scripted;

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::Value as Json;
use testkit::postgres;

pub(crate) use database::Database;
use process::Process;

/// Servers that run at the same time: a test seldom has more projects than one.
const MAX_SERVERS: usize = 3;

/// A part of the HTTP API of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Api,
    Private,
    Import,
    Export,
}

impl Endpoint {
    /// What follows the path of the project.
    fn suffix(self) -> &'static str {
        match self {
            Self::Api => "",
            Self::Private => "/private",
            Self::Import => "/import",
            Self::Export => "/export",
        }
    }
}

/// The servers that run, the last used one last.
#[derive(Debug)]
pub(crate) struct Service {
    program: PathBuf,
    folder: PathBuf,
    postgres: Option<&'static postgres::Server>,
    running: Vec<Running>,
    count: usize,
    runtime: tokio::runtime::Runtime,
}

#[derive(Debug)]
struct Running {
    data_model: Rc<str>,
    location: Location,
    process: Process,
}

/// Where a database is.
#[derive(Debug, Clone)]
pub(crate) enum Location {
    Sqlite(PathBuf),
    Postgres(&'static postgres::Server, String),
}

impl Location {
    /// What the commands take.
    fn url(&self) -> String {
        match self {
            Self::Sqlite(path) => path.display().to_string(),
            Self::Postgres(server, name) => server.url(name),
        }
    }
}

/// The options of the commands for a datamodel.
fn migrate_arguments(types: &Path, url: &str) -> Vec<String> {
    ["migrate", &types.display().to_string(), "--data", url].map(str::to_owned).into()
}

fn serve_arguments(types: &Path, url: &str) -> Vec<String> {
    let types = types.display().to_string();
    ["serve", url, "--dialect", "prisma", "--types", &types, "--listen", "127.0.0.1:0"]
        .map(str::to_owned)
        .into()
}

fn schema_arguments(types: &Path, url: &str) -> Vec<String> {
    let types = types.display().to_string();
    ["schema", url, "--dialect", "prisma", "--types", &types].map(str::to_owned).into()
}

impl Service {
    pub(crate) fn new(
        program: PathBuf,
        folder: PathBuf,
        database: Database,
    ) -> Result<Self, String> {
        let postgres = match database {
            Database::Sqlite => None,
            Database::Postgres => {
                let installations =
                    postgres::required_installations().map_err(|error| error.to_string())?;
                let installation = installations.first().ok_or("no PostgreSQL is installed")?;
                Some(postgres::shared(installation).map_err(|error| error.to_string())?)
            }
        };
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        Ok(Self { program, folder, postgres, running: Vec::new(), count: 0, runtime })
    }

    /// Has an empty database and a server for a datamodel.
    pub(crate) fn set_up(&mut self, data_model: &Rc<str>) -> Result<(), String> {
        if self.find(data_model).is_some() {
            return self.empty(data_model);
        }
        let (types, location) = self.migrated(data_model)?;
        let process = Process::serve(&self.program, &serve_arguments(&types, &location.url()))?;
        if self.running.len() == MAX_SERVERS {
            let oldest = self.running.remove(0);
            drop(oldest.process);
            oldest.location.remove();
        }
        self.running.push(Running { data_model: data_model.clone(), location, process });
        Ok(())
    }

    /// The place of a server, which becomes the last used one.
    fn find(&mut self, data_model: &str) -> Option<&Running> {
        let idx = self.running.iter().position(|one| *one.data_model == *data_model)?;
        let found = self.running.remove(idx);
        self.running.push(found);
        self.running.last()
    }

    fn require(&mut self, data_model: &str) -> Result<&Running, String> {
        self.find(data_model).ok_or_else(|| "the project was not set up".into())
    }

    /// Makes a database with the storage of a datamodel.
    fn migrated(&mut self, data_model: &str) -> Result<(PathBuf, Location), String> {
        self.count += 1;
        let name = format!("prisma_case_{}_{}", std::process::id(), self.count);
        let types = self.folder.join(format!("{name}.prisma"));
        fs::write(&types, data_model).map_err(|error| error.to_string())?;
        let location = match self.postgres {
            Some(server) => {
                server.create_database(&name).map_err(|error| error.to_string())?;
                Location::Postgres(server, name)
            }
            None => Location::Sqlite(self.folder.join(format!("{name}.db"))),
        };
        let arguments = migrate_arguments(&types, &location.url());
        if let Err(error) = process::run(&self.program, &arguments) {
            location.remove();
            return Err(format!("the datamodel is refused: {error}\n{data_model}"));
        }
        Ok((types, location))
    }

    /// Deletes all rows.
    pub(crate) fn empty(&mut self, data_model: &Rc<str>) -> Result<(), String> {
        self.require(data_model)?.location.empty()
    }

    /// The number of rows of a table.
    pub(crate) fn count(&mut self, data_model: &str, table: &str) -> Result<i64, String> {
        self.require(data_model)?.location.count(table)
    }

    /// The printed schema of a datamodel.
    pub(crate) fn schema(&mut self, data_model: &str) -> Result<String, String> {
        let (types, location) = self.migrated(data_model)?;
        let printed = process::run(&self.program, &schema_arguments(&types, &location.url()));
        location.remove();
        printed
    }

    pub(crate) fn request(
        &mut self,
        data_model: &str,
        endpoint: Endpoint,
        body: &Json,
    ) -> Result<Json, String> {
        let url = format!("{}{}", self.require(data_model)?.process.url, endpoint.suffix());
        self.runtime.block_on(request::send(&url, body))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        for one in self.running.drain(..) {
            drop(one.process);
            one.location.remove();
        }
        drop(fs::remove_dir_all(&self.folder));
    }
}
