//! The rows that are asked for: the same ones in every kind of database.
//!
//! * `meetups`: venues, meetups, members, by a generator
//! * `movies`: movies and people, a graph by a generator
//! * `chinook`: the script of the well-known sample, where it is given

mod chinook;
mod meetups;
mod movies;

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use testkit::cases::sample_script;
use testkit::neo4j::Graph;
use testkit::postgres::Server;

use super::failure::RaceError;
use super::suite::{Data, Generator, Given, Source, Suite};

/// Makes a database on the server and its rows; `given` is the file that the command line names.
pub(crate) fn fill_postgres(
    suite: &Suite,
    given: Option<&Path>,
    server: &Server,
    database: &str,
) -> Result<(), RaceError> {
    let script = statements(suite, given, Source::Postgres)?.join(";\n");
    let fill = || {
        server.create_database(database)?;
        server.execute(database, &format!("BEGIN;\n{script};\nCOMMIT"))?;
        // Otherwise the first measurements would set hint bits, and the planner would guess.
        server.execute(database, "VACUUM ANALYZE")
    };
    fill().map_err(|error| problem(suite, &error))
}

/// Makes an SQLite file and its rows.
pub(crate) fn fill_sqlite(
    suite: &Suite,
    given: Option<&Path>,
    file: &Path,
) -> Result<(), RaceError> {
    let statements = statements(suite, given, Source::Sqlite)?;
    let fill = || {
        let connection = Connection::open(file)?;
        connection.execute_batch("PRAGMA synchronous = OFF; BEGIN")?;
        // One by one: SQLite copies all that is left of a script for each statement of it.
        for statement in statements {
            connection.execute_batch(&statement)?;
        }
        connection.execute_batch("COMMIT; ANALYZE")?;
        // As the file of `thalweg demo`, and as whoever serves a file under load has it.
        connection.pragma_update(None, "journal_mode", "wal")
    };
    fill().map_err(|error: rusqlite::Error| problem(suite, &error))
}

/// Makes a graph in the place of what was there.
pub(crate) fn fill_graph(suite: &Suite, graph: &Graph) -> Result<(), RaceError> {
    let size = match &suite.file.data {
        Data::Generator(Generator::Movies) => movies::SAMPLE,
        Data::Generator(Generator::ManyMovies) => movies::MANY,
        Data::Generator(Generator::Shop | Generator::Meetups)
        | Data::Scripts(_)
        | Data::Given(Given::Chinook) => {
            return Err(problem(suite, &"it makes no graph"));
        }
    };
    graph.clear()?;
    movies::fill(size, graph).map_err(|error| problem(suite, &error))
}

/// The statements that make tables and rows, without what ends them.
fn statements(
    suite: &Suite,
    given: Option<&Path>,
    source: Source,
) -> Result<Vec<String>, RaceError> {
    match &suite.file.data {
        Data::Generator(Generator::Shop) => Ok(vec![sample_script(match source {
            Source::Postgres => sample::POSTGRES_SCHEMA,
            Source::Sqlite => sample::SQLITE_SCHEMA,
            Source::Neo4j => return Err(no_tables(suite)),
        })]),
        Data::Generator(Generator::Meetups) if source != Source::Neo4j => {
            Ok(meetups::statements(source))
        }
        Data::Generator(Generator::Meetups | Generator::Movies | Generator::ManyMovies) => {
            Err(no_tables(suite))
        }
        Data::Scripts(scripts) => {
            let names = scripts.get(&source).map_or(&[][..], Vec::as_slice);
            names.iter().map(|name| read(&suite.folder.join(name))).collect()
        }
        Data::Given(Given::Chinook) => {
            let Some(path) = given else {
                return Err(problem(suite, &"its file is not given: `--chinook FILE`"));
            };
            chinook::statements(&read(path)?, source).map_err(|error| RaceError::file(path, &error))
        }
    }
}

fn no_tables(suite: &Suite) -> RaceError {
    problem(suite, &"there are no tables in it, or none for this kind of database")
}

fn read(path: &Path) -> Result<String, RaceError> {
    fs::read_to_string(path).map_err(|error| RaceError::file(path, &error))
}

fn problem(suite: &Suite, problem: &impl ToString) -> RaceError {
    RaceError::Data { suite: suite.id.clone(), problem: problem.to_string() }
}
