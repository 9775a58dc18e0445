//! The suite `restaurants`: the eight queries of a published benchmark of Dgraph's GraphQL, over type
//! definitions with its numbers of rows, beside bare loops; and mutations.
//!
//! * `data`: the rows; `store`: the databases
//! * `floor`: the bare loop over SQLite, and the statements of `COPY`
//! * `reader`: answers of hundreds of megabytes
//! * `writes`: mutations; `imports`: `thalweg import`
//! * `report`: the tables of figures

mod data;
mod failure;
pub(crate) mod floor;
mod imports;
mod reader;
mod report;
mod store;
mod writes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::Args;
use testkit::postgres::Server as Postgres;

pub(crate) use failure::RestaurantsError;

use crate::program::{self, Program};
use crate::race;
use crate::race::place::first_process;
use crate::race::usage::{Processes, Watch};
use crate::schema_size;
use crate::schema_size::database::Family;
use crate::server::{self, Server};
use crate::statistics;
use imports::Imports;
use reader::Received;
use report::{Figure, Report};

/// Dishes at full scale, and how many times less the default has.
const DISHES: i64 = 4_158_700;
const TENTH: i64 = 10;

/// The queries by their published numbers, with what they read: cuisines (C), restaurants (R), dishes
/// (D).
const QUERIES: [(&str, &str); 8] = [
    ("00", "C"),
    ("01", "C → R"),
    ("10", "R, 2 fields"),
    ("11", "R, 8 fields"),
    ("12", "R → D"),
    ("13", "R → D → C"),
    ("20", "D"),
    ("21", "D → C"),
];

/// Options of `thalweg serve`: the answers are longer than the usual limits.
const SERVE: [&str; 10] = [
    "--max-response-size",
    "1GiB",
    "--max-cost",
    "1000000000",
    "--request-timeout",
    "10m",
    "--log-requests",
    "none",
    "--server-timing",
    "on",
];

/// Options of `restaurants`.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// 4,158,700 dishes instead of a tenth of them.
    #[arg(long)]
    pub(crate) full: bool,
    /// Measures each query once instead of three times, and mutations for two seconds instead of ten.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measures only one kind of database.
    #[arg(long, value_name = "KIND")]
    pub(crate) source: Option<Family>,
    #[command(flatten)]
    pub(crate) program: Program,
}

/// Programs and files of a run.
#[derive(Debug)]
struct Bench {
    program: PathBuf,
    folder: PathBuf,
    types: PathBuf,
    queries: PathBuf,
    /// The rows in SQLite, from which the floor's answers come for both databases.
    file: PathBuf,
    rounds: usize,
    writing: Duration,
}

/// The measured database.
#[derive(Debug)]
enum Database {
    Sqlite,
    Postgres(Postgres, &'static str),
}

/// Measures and prints; false if an answer was not the floor's.
pub(crate) fn measure(workspace: &Path, options: &Options) -> Result<bool, RestaurantsError> {
    let folder = workspace.join(race::RUNS).join("restaurants");
    fs::create_dir_all(&folder)?;
    let texts = workspace.join("bench/restaurants");
    let bench = Bench {
        program: options.program.or_release()?,
        types: texts.join("schema.graphql"),
        queries: texts.join("queries"),
        file: folder.join("restaurants.db"),
        folder,
        rounds: if options.quick { 1 } else { 3 },
        writing: Duration::from_secs(if options.quick { 2 } else { 10 }),
    };
    let dishes = if options.full { DISHES } else { DISHES / TENTH };
    let mut report = Report::new(dishes);
    eprintln!("restaurants: writing {dishes} dishes into SQLite");
    store::fill_sqlite(&bench.program, &bench.types, &bench.file, dishes)?;
    let mut databases = Vec::new();
    for family in schema_size::one_or_all(options.source, [Family::Sqlite, Family::Postgres]) {
        let database = match family {
            Family::Sqlite => Database::Sqlite,
            Family::Postgres => {
                eprintln!("restaurants: writing {dishes} dishes into PostgreSQL");
                let (server, name) = store::fill_postgres(&bench.program, &bench.types, dishes)?;
                Database::Postgres(server, name)
            }
        };
        bench.measure(&database, &mut report)?;
        databases.push(database);
    }
    // Last, since the answers of both are compared with those of the rows in SQLite.
    report.begin_written();
    for database in &databases {
        eprintln!("restaurants: {}, mutations", database.title());
        let server = bench.serve(database)?;
        report.add_written(database.title(), &writes::measure(server.port, bench.writing)?);
    }
    report.begin_imported();
    let Bench { program, types, folder, .. } = &bench;
    let imports = Imports { program, types, folder, dishes };
    for database in &databases {
        eprintln!("restaurants: {}, import", database.title());
        let imported = match database {
            Database::Sqlite => imports.sqlite()?,
            Database::Postgres(server, _) => imports.postgres(server)?,
        };
        report.add_imported(database.title(), &imported);
    }
    let text = report.text();
    fs::write(bench.folder.join("restaurants.md"), &text)?;
    print!("{text}");
    store::remove_sqlite(&bench.file);
    Ok(report.is_right())
}

/// A request with its usage, and the answer of the floor with its CPU in seconds.
type Round = (Received, race::usage::Usage, (Received, f64));

impl Bench {
    fn measure(&self, database: &Database, report: &mut Report) -> Result<(), RestaurantsError> {
        let title = database.title();
        report.begin(title);
        for (query, about) in QUERIES {
            eprintln!("restaurants: {title}, query {query}");
            let figure = self.query(database, query, about)?;
            report.add(&figure);
        }
        Ok(())
    }

    /// A server of its own for each query, since the peak of its memory counts.
    fn serve(&self, database: &Database) -> Result<Server, RestaurantsError> {
        let port = server::free_port()?;
        let types = self.types.display().to_string();
        let mut command = program::serve(Command::new(&self.program), &types, port);
        command.args(["--data", &database.address(self)]).args(SERVE).current_dir(&self.folder);
        Ok(Server::start(command, port, &self.folder.join("server.log"))?)
    }

    fn query(
        &self,
        database: &Database,
        query: &'static str,
        about: &'static str,
    ) -> Result<Figure, RestaurantsError> {
        let text = fs::read_to_string(self.queries.join(format!("{query}.graphql")))?;
        let expected = reader::run(self.loop_over_sqlite(query)?)?;
        let server = self.serve(database)?;
        let processes = Processes { server: Some(server.process()), database: database.process() };
        let (mut figures, mut is_equal) = (Vec::new(), true);
        for _ in 0..self.rounds {
            let watch = Watch::start(processes)?;
            let received = reader::ask(server.port, text.trim())?;
            let usage = watch.finish()?;
            is_equal &= (received.bytes, received.digest) == (expected.bytes, expected.digest);
            let floor = self.floor(database, query)?;
            figures.push((received, usage, floor));
        }
        let median = |of: &dyn Fn(&Round) -> f64| statistics::median(figures.iter().map(of));
        // Of the first request, whose document and plan are in no cache.
        let first_prepared =
            figures.first().map_or(0.0, |(received, ..)| received.prepared.as_secs_f64());
        Ok(Figure {
            query,
            about,
            bytes: expected.bytes,
            first_byte: median(&|(received, ..)| received.first_byte.as_secs_f64()),
            seconds: median(&|(received, ..)| received.whole.as_secs_f64()),
            server_cpu: median(&|(_, usage, _)| usage.cpu.server),
            database_cpu: median(&|(_, usage, _)| usage.cpu.database),
            floor_seconds: median(&|(.., (floor, _))| floor.whole.as_secs_f64()),
            prepared: first_prepared,
            floor_cpu: median(&|(.., (_, cpu))| *cpu),
            peak_memory: figures.iter().map(|(_, usage, _)| usage.peak_memory).max().unwrap_or(0),
            is_equal,
        })
    }

    /// Time and CPU of the floor.
    fn floor(&self, database: &Database, query: &str) -> Result<(Received, f64), RestaurantsError> {
        let command = match database {
            Database::Sqlite => self.loop_over_sqlite(query)?,
            Database::Postgres(server, name) => copy(server, name, query)?,
        };
        let processes = Processes { server: None, database: database.process() };
        let watch = Watch::start(processes)?;
        let received = reader::run(command)?;
        let cpu = watch.finish()?.cpu;
        // The loop is a child of this process, which computes little itself.
        Ok((received, cpu.load + cpu.database))
    }

    fn loop_over_sqlite(&self, query: &str) -> Result<Command, RestaurantsError> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["restaurants-floor", "--query", query, "--file"]).arg(&self.file);
        Ok(command)
    }
}

impl Database {
    fn title(&self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres(..) => "PostgreSQL",
        }
    }

    fn address(&self, bench: &Bench) -> String {
        match self {
            Self::Sqlite => bench.file.display().to_string(),
            Self::Postgres(server, name) => server.socket_url(name),
        }
    }

    fn process(&self) -> Option<u32> {
        match self {
            Self::Sqlite => None,
            Self::Postgres(server, _) => first_process(server),
        }
    }
}

/// `psql` with the statements of a floor.
fn copy(server: &Postgres, name: &str, query: &str) -> Result<Command, RestaurantsError> {
    let floor = floor::find(query).ok_or_else(|| RestaurantsError::NoQuery(query.to_owned()))?;
    let mut command = Command::new(server.installation().bin.join("psql"));
    program::forget_environment(&mut command);
    command.args(["--no-psqlrc", "--quiet", "--dbname", &server.socket_url(name)]);
    for select in floor.copies {
        command.args(["--command", &format!("COPY ({select}) TO STDOUT")]);
    }
    Ok(command)
}
