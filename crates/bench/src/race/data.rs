//! The rows that are asked for: the same ones in every kind of database.
//!
//! * `meetups`: venues, meetups, members, by a generator
//! * `chinook`: the script of the well-known sample, where it is given

mod chinook;
mod meetups;

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use testkit::cases::sample_script;
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
        })]),
        Data::Generator(Generator::Meetups) => Ok(meetups::statements(source)),
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

fn read(path: &Path) -> Result<String, RaceError> {
    fs::read_to_string(path).map_err(|error| RaceError::file(path, &error))
}

fn problem(suite: &Suite, problem: &impl ToString) -> RaceError {
    RaceError::Data { suite: suite.id.clone(), problem: problem.to_string() }
}
