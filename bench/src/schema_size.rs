//! What a request costs, and what the server takes, by the number of tables.
//!
//! * `synthetic`: the databases
//! * `operations`: what is asked
//! * `database`: temporary databases of both kinds
//! * `cost`: instructions of the server for each request
//! * `instructions`: who counts them
//! * `growth`: start, statements and memory of servers with few and with many tables
//! * `memory`: what a process holds
//! * `report`: the results as tables and as JSON

mod cost;
pub(crate) mod database;
pub(crate) mod failure;
mod growth;
mod instructions;
pub(crate) mod memory;
pub(crate) mod operations;
mod report;
pub(crate) mod synthetic;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::server::{self, Server};
use database::{Family, Place};
use failure::SizeError;
use instructions::Counter;
use operations::Dialect;
use report::Report;

/// What is asked on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Small databases.
    pub(crate) quick: bool,
    /// Results as JSON.
    pub(crate) json: bool,
    /// Leaves out the counting of instructions.
    pub(crate) without_cost: bool,
    pub(crate) sources: Vec<Family>,
    pub(crate) dialects: Vec<Dialect>,
    /// What is measured instead of the release build.
    pub(crate) program: Option<PathBuf>,
    /// How many requests are counted of each warm operation.
    pub(crate) requests: NonZeroUsize,
    /// Further options of every server.
    pub(crate) serve: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            quick: false,
            json: false,
            without_cost: false,
            sources: Family::ALL.to_vec(),
            dialects: Dialect::ALL.to_vec(),
            program: None,
            requests: NonZeroUsize::MIN.saturating_add(199),
            serve: Vec::new(),
        }
    }
}

/// How many tables the databases have.
#[derive(Debug)]
struct Sizes {
    /// For the cost of a request.
    cost: [usize; 3],
    /// For start and memory.
    large: usize,
}

impl Options {
    fn sizes(&self) -> Sizes {
        match self.quick {
            true => Sizes { cost: [10, 50, 200], large: 500 },
            false => Sizes { cost: [10, 200, 2_000], large: 5_000 },
        }
    }
}

/// Measures and prints; true if the cost of a request is the same on every size.
pub(crate) fn schema_size(options: &Options) -> Result<bool, SizeError> {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => release()?,
    };
    let counter = match options.without_cost {
        true => None,
        false => Some(Counter::find()?),
    };
    let sizes = options.sizes();
    let mut report = Report::new(counter, &sizes.cost);
    for family in &options.sources {
        let place = Place::new(*family)?;
        report.versions.push(place.version());
        let mut addresses = Vec::new();
        let wanted = match counter {
            Some(_) => sizes.cost.as_slice(),
            None => &sizes.cost[..1],
        };
        for tables in wanted.iter().chain([&sizes.large]) {
            progress(&format!("{}: making {tables} tables", family.name()));
            let scripts = synthetic::scripts(*family, *tables);
            let name = format!("tables_{tables}");
            addresses.push((*tables, place.create(&name, scripts)?));
            place.log_statements(&name)?;
        }
        let Some((large, counted)) = addresses.split_last() else { continue };
        for dialect in &options.dialects {
            let (family, dialect) = (*family, *dialect);
            let subject = Subject { program: &program, family, dialect, serve: &options.serve };
            for (tables, address) in [addresses.first(), Some(large)].into_iter().flatten() {
                let row = growth::measure(&subject, &place, *tables, address)?;
                report.growth.push(row);
            }
            if let Some(counter) = counter {
                report.costs.extend(cost::measure(&subject, counter, options, counted)?);
            }
        }
    }
    match options.json {
        true => println!("{}", serde_json::to_string_pretty(&report)?),
        false => print!("{}", report.text()),
    }
    Ok(report.is_level())
}

/// The release build, beside the one that this program is of.
pub(crate) fn release() -> Result<PathBuf, SizeError> {
    let own = server::thalweg()?;
    let target = own.parent().and_then(Path::parent).unwrap_or(Path::new("target"));
    let program = target.join("release/thalweg");
    if program.is_file() { Ok(program) } else { Err(SizeError::NoBinary(program)) }
}

/// What is measured.
#[derive(Debug, Clone, Copy)]
struct Subject<'s> {
    program: &'s Path,
    family: Family,
    dialect: Dialect,
    serve: &'s [String],
}

impl Subject<'_> {
    /// Starts a server, `under` another program if there is one; its log goes into the folder.
    fn start(&self, under: &[String], address: &str, folder: &Path) -> Result<Server, SizeError> {
        let mut command = match under.split_first() {
            Some((program, words)) => {
                let mut command = Command::new(program);
                command.args(words).arg(self.program);
                command
            }
            None => Command::new(self.program),
        };
        for (name, _) in std::env::vars() {
            if name.starts_with("THALWEG_") || name.starts_with("PG") {
                command.env_remove(name);
            }
        }
        let port = server::free_port()?;
        // One thread: how many of several have answered, and hold something, would be chance.
        command.args(["serve", address, "--dialect", self.dialect.name(), "--threads", "1"]);
        command.args(self.serve).args(["--listen", &format!("127.0.0.1:{port}")]);
        Ok(Server::start(command, port, &folder.join("log"))?)
    }

    fn name(&self) -> String {
        format!("{}, {}", self.family.name(), self.dialect.name())
    }
}

fn progress(text: &str) {
    eprintln!("{text}");
}
