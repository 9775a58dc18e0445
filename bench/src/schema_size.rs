//! The cost of requests and servers by the number of tables.
//!
//! * `synthetic`: the databases
//! * `operations`: the requests
//! * `database`: temporary databases of both kinds
//! * `cost`: instructions of the server for each request
//! * `instructions`: their counters
//! * `metadata`: metadata of Hasura with permissions of roles
//! * `growth`: start, statements and memory of servers with few and with many tables
//! * `report`: the results as tables and as JSON

mod cost;
pub(crate) mod database;
pub(crate) mod failure;
mod growth;
mod instructions;
mod metadata;
pub(crate) mod operations;
mod report;
pub(crate) mod synthetic;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;

use clap::Args;

use crate::program::{self, Program};
use crate::server::{self, Server};
use database::{Family, Place};
use failure::SizeError;
use instructions::Counter;
use operations::Dialect;
use report::Report;

/// Options of `schema-size`.
#[derive(Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// Measures 10, 50 and 200 tables for the cost, 500 for start and memory.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Prints the results as JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
    /// Measures only start, statements and memory.
    #[arg(long)]
    pub(crate) without_cost: bool,
    /// Measures only one kind of database.
    #[arg(long, value_name = "KIND")]
    pub(crate) source: Option<Family>,
    /// Measures only one dialect.
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<Dialect>,
    /// Number of roles of hasura, which all have permissions on each table, for start and memory.
    #[arg(long, value_name = "NUMBER", default_value = "11")]
    pub(crate) roles: usize,
    #[command(flatten)]
    pub(crate) program: Program,
    /// Number of requests that are counted of each warm operation.
    #[arg(long, value_name = "NUMBER", default_value = "200")]
    pub(crate) requests: NonZeroUsize,
    /// Further options of `thalweg serve`, as `-- --simple-collections both`.
    #[arg(last = true, value_name = "OPTIONS")]
    pub(crate) serve: Vec<String>,
}

/// Numbers of tables of the databases.
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
    let program = options.program.or_release()?;
    let counter = match options.without_cost {
        true => None,
        false => Some(Counter::find()?),
    };
    let sizes = options.sizes();
    let mut report = Report::new(counter, &sizes.cost);
    for family in one_or_all(options.source, Family::ALL) {
        let place = Place::new(family)?;
        report.versions.push(place.version());
        let mut addresses = Vec::new();
        let wanted = match counter {
            Some(_) => sizes.cost.as_slice(),
            None => &sizes.cost[..1],
        };
        for tables in wanted.iter().chain([&sizes.large]) {
            progress(&format!("{}: making {tables} tables", family.name()));
            let scripts = synthetic::scripts(family, *tables);
            let name = format!("tables_{tables}");
            addresses.push((*tables, place.create(&name, scripts)?));
            place.log_statements(&name)?;
        }
        let Some((large, counted)) = addresses.split_last() else { continue };
        for dialect in one_or_all(options.dialect, Dialect::ALL) {
            let subject = Subject { program: &program, family, dialect, serve: &options.serve };
            for (tables, address) in [addresses.first(), Some(large)].into_iter().flatten() {
                let row = growth::measure(&subject, &place, *tables, None, address)?;
                report.growth.push(row);
            }
            let (tables, address) = large;
            if dialect == Dialect::Hasura && options.roles > 0 {
                let roles = Some(options.roles);
                report.growth.push(growth::measure(&subject, &place, *tables, roles, address)?);
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

/// The chosen member, or all.
pub(crate) fn one_or_all<T>(one: Option<T>, all: impl IntoIterator<Item = T>) -> Vec<T> {
    one.map_or_else(|| all.into_iter().collect(), |one| vec![one])
}

/// A measured server: program, database and dialect.
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
        self.start_with(under, address, folder, &[])
    }

    /// Starts a server as [`Self::start`] does, with further options.
    fn start_with(
        &self,
        under: &[String],
        address: &str,
        folder: &Path,
        options: &[OsString],
    ) -> Result<Server, SizeError> {
        let command = match under.split_first() {
            Some((program, words)) => {
                let mut command = Command::new(program);
                command.args(words).arg(self.program);
                command
            }
            None => Command::new(self.program),
        };
        let port = server::free_port()?;
        let mut command = program::serve(command, address, port);
        // One thread: how many of several have answered, and hold something, would be chance.
        command.args(["--dialect", self.dialect.name(), "--threads", "1"]);
        command.args(options).args(self.serve);
        Ok(Server::start(command, port, &folder.join("log"))?)
    }

    fn name(&self) -> String {
        format!("{}, {}", self.family.name(), self.dialect.name())
    }
}

fn progress(text: &str) {
    eprintln!("{text}");
}
