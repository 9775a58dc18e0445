//! The databases: `thalweg migrate` makes their tables, and the rows come in bulk.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};
use tempfile::TempDir;
use testkit::postgres::{self, Server};

use super::data::{self, Cell, Table};
use super::failure::RestaurantsError;
use crate::program::forget_environment;

const DATABASE: &str = "restaurants";
const SETTINGS: [&str; 2] = ["shared_buffers=256MB", "max_wal_size=4GB"];

/// Makes the tables of the definitions.
pub(super) fn migrate(program: &Path, types: &Path, data: &str) -> Result<(), RestaurantsError> {
    let mut command = Command::new(program);
    command.arg("migrate").arg(types).args(["--data", data]);
    forget_environment(&mut command);
    finish(&mut command)
}

/// Makes a file with so many dishes.
pub(super) fn fill_sqlite(
    program: &Path,
    types: &Path,
    file: &Path,
    dishes: i64,
) -> Result<(), RestaurantsError> {
    remove_sqlite(file);
    migrate(program, types, &file.display().to_string())?;
    insert_rows(file, dishes)
}

/// Removes a database file, and those beside it.
pub(super) fn remove_sqlite(file: &Path) {
    for ending in ["", "-wal", "-shm"] {
        drop(fs::remove_file(format!("{}{ending}", file.display())));
    }
}

/// Inserts the rows by prepared statements in one transaction, without a sync.
pub(super) fn insert_rows(file: &Path, dishes: i64) -> Result<(), RestaurantsError> {
    let connection = Connection::open(file)?;
    connection.execute_batch("PRAGMA synchronous = OFF; BEGIN")?;
    connection.set_prepared_statement_cache_capacity(Table::ALL.len());
    let statements = Table::ALL.map(insert);
    data::rows(dishes, |table, cells| {
        let place = Table::ALL.iter().position(|known| *known == table).unwrap_or_default();
        let mut statement = connection.prepare_cached(&statements[place])?;
        statement.execute(params_from_iter(cells)).map(drop)
    })?;
    connection.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(())
}

/// Starts PostgreSQL and makes a database with so many dishes. Returns its name, too.
pub(super) fn fill_postgres(
    program: &Path,
    types: &Path,
    dishes: i64,
) -> Result<(Server, &'static str), RestaurantsError> {
    let installations = postgres::installations();
    let installation = installations.first().ok_or(RestaurantsError::NoPostgres)?;
    let server = Server::start_with(installation, &SETTINGS)?;
    server.create_database(DATABASE)?;
    migrate(program, types, &server.socket_url(DATABASE))?;
    let folder = tempfile::tempdir()?;
    let (files, last) = write_files(&folder, dishes)?;
    copy_rows(&server, DATABASE, &files)?;
    server.execute(DATABASE, &format!("SELECT setval('thalweg.id', {last})"))?;
    server.execute(DATABASE, "VACUUM ANALYZE")?;
    server.execute(DATABASE, "CHECKPOINT")?;
    Ok((server, DATABASE))
}

/// Copies files into their tables.
pub(super) fn copy_rows(
    server: &Server,
    database: &str,
    files: &[(Table, PathBuf)],
) -> Result<(), RestaurantsError> {
    for (table, file) in files {
        let columns: Vec<_> =
            table.columns().iter().map(|column| format!("\"{column}\"")).collect();
        let (name, columns) = (table.name(), columns.join(", "));
        let copy = format!("COPY \"{name}\" ({columns}) FROM '{}'", file.display());
        server.execute(database, &copy)?;
    }
    Ok(())
}

/// For each table the number of its rows, and sums of ids, of references, of numbers and of lengths of
/// texts.
const SUMS: [&str; 7] = [
    r#"SELECT count(*) || ' ' || sum(cid + length(name)) FROM "Country""#,
    r#"SELECT count(*) || ' ' || sum(cid + country + length(name)) FROM "City""#,
    r#"SELECT count(*) || ' ' || sum(id + length(name)) FROM "Cuisine""#,
    r#"SELECT count(*) || ' ' || sum(id + length(name) + length(pic)) FROM "Restaurant""#,
    r#"SELECT count(*) || ' ' || sum(id + city + restaurant + zipcode) FROM "RestaurantAddress""#,
    r#"SELECT count(*) || ' ' || sum(restaurant * cuisines) FROM "Restaurant_cuisines""#,
    r#"SELECT count(*) || ' ' || sum(id + cuisine + "servedBy" + length(description))
        || ' ' || sum(CAST(price * 100 AS bigint)) FROM "Dish""#,
];

pub(super) fn sums_of_sqlite(file: &Path) -> Result<Vec<String>, RestaurantsError> {
    let connection = Connection::open(file)?;
    let sums = SUMS.iter().map(|sum| connection.query_row(sum, [], |row| row.get(0)));
    Ok(sums.collect::<Result<_, _>>()?)
}

pub(super) fn sums_of_postgres(
    server: &Server,
    database: &str,
) -> Result<Vec<String>, RestaurantsError> {
    let mut sums = Vec::new();
    for sum in SUMS {
        let rows = server.query(database, sum)?;
        sums.extend(rows.into_iter().flatten().flatten());
    }
    Ok(sums)
}

/// Files for `COPY`, which PostgreSQL's own user must be able to read, and the last id.
pub(super) fn write_files(
    folder: &TempDir,
    dishes: i64,
) -> Result<(Vec<(Table, PathBuf)>, i64), RestaurantsError> {
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
    let mut files = Vec::new();
    let mut writers = Vec::new();
    for table in Table::ALL {
        let path = folder.path().join(table.name());
        writers.push(BufWriter::new(File::create(&path)?));
        files.push((table, path));
    }
    let last = data::rows(dishes, |table, cells| {
        let place = Table::ALL.iter().position(|known| *known == table).unwrap_or_default();
        write_line(&mut writers[place], cells)
    })?;
    for mut writer in writers {
        writer.flush()?;
    }
    Ok((files, last))
}

/// A line of PostgreSQL's text format; no text has a character that it escapes.
fn write_line(writer: &mut impl Write, cells: &[Cell<'_>]) -> std::io::Result<()> {
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 {
            writer.write_all(b"\t")?;
        }
        match cell {
            Cell::Integer(number) => write!(writer, "{number}")?,
            Cell::Real(number) => write!(writer, "{number}")?,
            Cell::Text(text) => writer.write_all(text.as_bytes())?,
            Cell::Boolean(value) => write!(writer, "{value}")?,
            Cell::Moment(microseconds) => write!(writer, "{}", moment(*microseconds))?,
        }
    }
    writer.write_all(b"\n")
}

/// `2020-02-28T10:20:30Z`
pub(super) fn moment(microseconds: i64) -> String {
    let (year, month, day) = super::floor::date(microseconds.div_euclid(86_400_000_000));
    let seconds = microseconds.rem_euclid(86_400_000_000) / 1_000_000;
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn insert(table: Table) -> String {
    let columns: Vec<_> = table.columns().iter().map(|column| format!("\"{column}\"")).collect();
    let marks = vec!["?"; columns.len()].join(", ");
    format!("INSERT INTO \"{}\" ({}) VALUES ({marks})", table.name(), columns.join(", "))
}

pub(super) fn finish(command: &mut Command) -> Result<(), RestaurantsError> {
    let output = command.output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(RestaurantsError::Failed {
            program: command.get_program().to_string_lossy().into_owned(),
            status: output.status,
            text: String::from_utf8_lossy(&output.stderr).into_owned(),
        }),
    }
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Integer(number) | Self::Moment(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Boolean(value) => ValueRef::Integer((*value).into()),
        }))
    }
}
