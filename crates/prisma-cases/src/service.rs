//! Thalweg with a database for a datamodel.
//!
//! The command lines are here and nowhere else.

mod database;
mod process;
mod request;
#[cfg(test)]
pub(crate) mod scripted;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use testkit::postgres;

pub(crate) use database::{Database, has_capability};
use process::Process;

use crate::value::{Deployment, Place, Project};

/// Databases that are kept for later tests, many of which have the same few datamodels.
const MAX_SERVERS: usize = 20;

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

/// A migration that loses data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Losses {
    Allowed,
    Refused,
}

/// The servers that run, the last used one last.
#[derive(Debug)]
pub(crate) struct Service {
    program: PathBuf,
    folder: PathBuf,
    postgres: Option<&'static postgres::Server>,
    running: Vec<Running>,
    /// The database that a test has made by statements.
    existing: Option<Location>,
    /// Options of the servers that are started.
    serve_options: &'static [&'static str],
    count: usize,
    runtime: tokio::runtime::Runtime,
}

#[derive(Debug)]
struct Running {
    project: Project,
    location: Location,
    /// How its server is started.
    arguments: Vec<String>,
    /// The server, from the first request on.
    process: Option<Process>,
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

/// The command lines for a datamodel in a file.
fn migrate_arguments(types: &Path, url: &str, losses: Losses) -> Vec<String> {
    let types = types.display().to_string();
    let mut arguments = vec!["migrate", &types, "--dialect", "prisma", "--data", url];
    if losses == Losses::Allowed {
        arguments.push("--allow-loss");
    }
    arguments.into_iter().map(str::to_owned).collect()
}

fn serve_arguments(types: &Path, url: &str) -> Vec<String> {
    let types = types.display().to_string();
    ["serve", &types, "--dialect", "prisma", "--data", url, "--listen", "127.0.0.1:0"]
        .map(str::to_owned)
        .into()
}

/// For tables that Thalweg has not made.
fn serve_existing_arguments(types: &Path, url: &str, schema: &str) -> Vec<String> {
    let types = types.display().to_string();
    let dialect = ["serve", url, "--dialect", "prisma", "--types", &types, "--schema", schema];
    let listen = ["--listen", "127.0.0.1:0"];
    dialect.into_iter().chain(listen).map(str::to_owned).collect()
}

fn schema_arguments(types: &Path, url: &str) -> Vec<String> {
    let types = types.display().to_string();
    ["schema", &types, "--dialect", "prisma", "--data", url].map(str::to_owned).into()
}

fn types_arguments(url: &str, schema: &str) -> Vec<String> {
    ["types", url, "--dialect", "prisma", "--schema", schema].map(str::to_owned).into()
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
        let running = Vec::new();
        Ok(Self {
            program,
            folder,
            postgres,
            running,
            existing: None,
            serve_options: &[],
            count: 0,
            runtime,
        })
    }

    /// Servers have these options from now on.
    pub(crate) fn serve_with(&mut self, options: &'static [&'static str]) {
        if self.serve_options != options {
            self.serve_options = options;
            self.remove_all();
        }
    }

    /// Ends all servers, and deletes their databases.
    fn remove_all(&mut self) {
        for one in self.running.drain(..) {
            drop(one.process);
            one.location.remove();
        }
    }

    /// Has an empty database and a server for a project.
    pub(crate) fn set_up(&mut self, project: &Project) -> Result<(), String> {
        if self.find(project).is_some() {
            return self.empty(project);
        }
        let (types, location) = self.migrated(&project.data_model)?;
        let arguments = serve_arguments(&types, &location.url());
        self.add(project, location, arguments);
        Ok(())
    }

    /// Keeps a database for a project; its server starts with the first request.
    fn add(&mut self, project: &Project, location: Location, arguments: Vec<String>) {
        if self.running.len() == MAX_SERVERS {
            let oldest = self.running.remove(0);
            drop(oldest.process);
            oldest.location.remove();
        }
        let project = project.clone();
        self.running.push(Running { project, location, arguments, process: None });
    }

    /// Where the server of a project answers.
    fn url(&mut self, project: &Project) -> Result<String, String> {
        let program = self.program.clone();
        let options = self.serve_options;
        let running = self.require(project)?;
        if let Some(process) = &running.process {
            return Ok(process.url.clone());
        }
        let mut arguments = running.arguments.clone();
        arguments.extend(options.iter().map(|option| (*option).to_owned()));
        let process = Process::serve(&program, &arguments)
            .map_err(|error| format!("{error}\n{}", project.data_model))?;
        let url = process.url.clone();
        running.process = Some(process);
        Ok(url)
    }

    /// The server of a project, which becomes the last used one.
    fn find(&mut self, project: &Project) -> Option<&mut Running> {
        let idx = self.running.iter().position(|one| is_same(&one.project, project))?;
        let found = self.running.remove(idx);
        self.running.push(found);
        self.running.last_mut()
    }

    fn require(&mut self, project: &Project) -> Result<&mut Running, String> {
        if let Place::Existing(schema) = &project.place
            && self.find(project).is_none()
        {
            let location = self.existing.clone().ok_or("there is no existing database")?;
            let types = self.write(&project.data_model)?;
            let arguments = serve_existing_arguments(&types, &location.url(), schema);
            self.add(project, location, arguments);
        }
        self.find(project).ok_or_else(|| "the project was not set up".into())
    }

    /// Makes a database by statements, which projects use that say so.
    pub(crate) fn make_existing(&mut self, sql: &str) -> Result<(), String> {
        let (gone, running) = std::mem::take(&mut self.running)
            .into_iter()
            .partition(|one| matches!(one.project.place, Place::Existing(_)));
        self.running = running;
        drop::<Vec<_>>(gone);
        if let Some(before) = self.existing.take() {
            before.remove();
        }
        let location = self.new_database()?;
        location.execute(sql)?;
        self.existing = Some(location);
        Ok(())
    }

    fn new_database(&mut self) -> Result<Location, String> {
        self.count += 1;
        let name = format!("prisma_case_{}_{}", std::process::id(), self.count);
        Ok(match self.postgres {
            Some(server) => {
                server.create_database(&name).map_err(|error| error.to_string())?;
                Location::Postgres(server, name)
            }
            None => Location::Sqlite(self.folder.join(format!("{name}.db"))),
        })
    }

    /// Writes a datamodel to a file.
    fn write(&mut self, data_model: &str) -> Result<PathBuf, String> {
        self.count += 1;
        let path = self.folder.join(format!("{}.prisma", self.count));
        fs::write(&path, data_model).map_err(|error| error.to_string())?;
        Ok(path)
    }

    /// Makes a database with the storage of a datamodel.
    fn migrated(&mut self, data_model: &str) -> Result<(PathBuf, Location), String> {
        let types = self.write(data_model)?;
        let location = self.new_database()?;
        let arguments = migrate_arguments(&types, &location.url(), Losses::Refused);
        if let Err(error) = process::run(&self.program, &arguments) {
            location.remove();
            return Err(format!("the datamodel is refused: {error}\n{data_model}"));
        }
        Ok((types, location))
    }

    /// What is said about a datamodel if it is refused.
    pub(crate) fn refusal(&mut self, data_model: &str) -> Option<String> {
        match self.migrated(data_model) {
            Ok((_, location)) => {
                location.remove();
                None
            }
            Err(text) => Some(text),
        }
    }

    /// A number for a project whose datamodel changes.
    pub(crate) fn next_deployed(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// Migrates the database of a project to another datamodel, and serves it.
    pub(crate) fn deploy(
        &mut self,
        project: &Project,
        losses: Losses,
    ) -> Result<Deployment, String> {
        let types = self.write(&project.data_model)?;
        let location = self.require(project)?.location.clone();
        let migrated =
            process::run(&self.program, &migrate_arguments(&types, &location.url(), losses));
        match migrated {
            Err(text) => Ok(Deployment { is_applied: false, text }),
            Ok(printed) => {
                let text = printed.output + &printed.log;
                self.running.pop();
                let arguments = serve_arguments(&types, &location.url());
                self.add(project, location, arguments);
                Ok(Deployment { is_applied: true, text })
            }
        }
    }

    /// Deletes all rows.
    pub(crate) fn empty(&mut self, project: &Project) -> Result<(), String> {
        self.require(project)?.location.empty()
    }

    /// The number of rows of a table.
    pub(crate) fn count(&mut self, project: &Project, table: &str) -> Result<i64, String> {
        self.require(project)?.location.count(table)
    }

    /// The tables of a project.
    pub(crate) fn tables(&mut self, project: &Project) -> Result<Json, String> {
        self.require(project)?.location.tables()
    }

    /// The printed schema of a datamodel.
    pub(crate) fn schema(&mut self, data_model: &str) -> Result<String, String> {
        let (types, location) = self.migrated(data_model)?;
        let printed = process::run(&self.program, &schema_arguments(&types, &location.url()));
        location.remove();
        printed.map(|printed| printed.output)
    }

    /// The datamodel of the tables that statements make in a schema.
    pub(crate) fn introspect(&mut self, sql: &str, schema: &str) -> Result<String, String> {
        let location = self.new_database()?;
        let made = location.execute(sql).map_err(|error| format!("the statements: {error}"));
        let printed = made
            .and_then(|()| process::run(&self.program, &types_arguments(&location.url(), schema)));
        location.remove();
        printed.map(|printed| printed.output)
    }

    pub(crate) fn request(
        &mut self,
        project: &Project,
        endpoint: Endpoint,
        body: &Json,
    ) -> Result<Json, String> {
        let url = format!("{}{}", self.url(project)?, endpoint.suffix());
        self.runtime.block_on(request::send(&url, body))
    }
}

/// Both use the same database.
fn is_same(left: &Project, right: &Project) -> bool {
    match (&left.place, &right.place) {
        (Place::Deployed(left), Place::Deployed(right)) => left == right,
        _ => left == right,
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.remove_all();
        drop(fs::remove_dir_all(&self.folder));
    }
}
