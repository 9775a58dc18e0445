//! `thalweg import` of the rows as CSV, beside the bare load of the same rows into the same tables:
//! prepared statements in one transaction of SQLite, and `COPY` of PostgreSQL.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;
use testkit::postgres::Server;

use super::data::{self, Cell, Table};
use super::failure::RestaurantsError;
use super::store;
use crate::program::forget_environment;
use crate::race::place::first_process;
use crate::race::usage::{Processes, Watch};

/// Figures of an import, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Imported {
    pub(super) import: Load,
    pub(super) floor: Load,
}

/// Seconds of a load, and of the CPU of all its processes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) seconds: f64,
    pub(super) cpu: f64,
}

/// The program and its files.
#[derive(Debug)]
pub(super) struct Imports<'b> {
    pub(super) program: &'b Path,
    pub(super) types: &'b Path,
    /// The folder of the databases in SQLite.
    pub(super) folder: &'b Path,
    pub(super) dishes: i64,
}

impl Imports<'_> {
    pub(super) fn sqlite(&self) -> Result<Imported, RestaurantsError> {
        let files = self.write()?;
        let file = self.folder.join("imported.db");
        let address = file.display().to_string();
        store::remove_sqlite(&file);
        store::migrate(self.program, self.types, &address)?;
        let floor = measure(None, || store::insert_rows(&file, self.dishes))?;
        let expected = store::sums_of_sqlite(&file)?;
        store::remove_sqlite(&file);
        let import = measure(None, || self.import(&files, &address))?;
        require_equal(&store::sums_of_sqlite(&file)?, &expected)?;
        store::remove_sqlite(&file);
        Ok(Imported { import, floor })
    }

    pub(super) fn postgres(&self, server: &Server) -> Result<Imported, RestaurantsError> {
        let copied = tempfile::tempdir()?;
        let (tables, _) = store::write_files(&copied, self.dishes)?;
        let database = "copied";
        server.create_database(database)?;
        store::migrate(self.program, self.types, &server.socket_url(database))?;
        server.execute(database, "CHECKPOINT")?;
        let floor = measure(Some(server), || store::copy_rows(server, database, &tables))?;
        let expected = store::sums_of_postgres(server, database)?;
        drop(copied);
        let files = self.write()?;
        let database = "imported";
        server.create_database(database)?;
        server.execute(database, "CHECKPOINT")?;
        let address = server.socket_url(database);
        let import = measure(Some(server), || self.import(&files, &address))?;
        require_equal(&store::sums_of_postgres(server, database)?, &expected)?;
        Ok(Imported { import, floor })
    }

    fn import(&self, files: &Files, address: &str) -> Result<(), RestaurantsError> {
        let mut command = Command::new(self.program);
        command.arg("import").args(&files.paths).arg("--types").arg(self.types);
        command.args(["--data", address, "--ids", "keep"]);
        forget_environment(&mut command);
        store::finish(&mut command)
    }

    /// Writes a file for each type.
    fn write(&self) -> Result<Files, RestaurantsError> {
        let mut cuisines = HashMap::<i64, Vec<String>>::new();
        data::rows(0, |table, cells| {
            if let (Table::RestaurantCuisines, [Cell::Integer(restaurant), cuisine]) =
                (table, cells)
            {
                cuisines.entry(*restaurant).or_default().push(text_of("cuisines", cuisine));
            }
            Ok::<_, io::Error>(())
        })?;
        let folder = tempfile::tempdir()?;
        let (mut paths, mut writers) = (Vec::new(), Vec::new());
        for table in Table::ALL {
            let path = folder.path().join(format!("{}.csv", table.name()));
            let mut writer = BufWriter::new(File::create(&path)?);
            let further = if table == Table::Restaurant { ",cuisines" } else { "" };
            writeln!(writer, "{}{further}", table.columns().join(","))?;
            writers.push(writer);
            if table != Table::RestaurantCuisines {
                paths.push(path);
            }
        }
        data::rows(self.dishes, |table, cells| {
            let place = Table::ALL.iter().position(|known| *known == table).unwrap_or_default();
            let columns = table.columns().iter().zip(cells);
            let mut texts: Vec<_> = columns.map(|(column, cell)| text_of(column, cell)).collect();
            if let (Table::Restaurant, [Cell::Integer(id), ..]) = (table, cells) {
                texts.push(cuisines.get(id).map(|ids| ids.join(";")).unwrap_or_default());
            }
            writeln!(writers[place], "{}", texts.join(","))
        })?;
        for writer in &mut writers {
            writer.flush()?;
        }
        Ok(Files { paths, _folder: folder })
    }
}

/// Both loads stored the same rows, as far as the sums tell.
fn require_equal(imported: &[String], expected: &[String]) -> Result<(), RestaurantsError> {
    if imported == expected {
        return Ok(());
    }
    Err(RestaurantsError::Imported(format!("{imported:?} instead of {expected:?}")))
}

/// Files that are removed when they are dropped.
#[derive(Debug)]
struct Files {
    paths: Vec<PathBuf>,
    _folder: TempDir,
}

/// A cell of CSV; no text has a quote.
fn text_of(column: &str, cell: &Cell<'_>) -> String {
    match cell {
        Cell::Integer(number) if column == "zipcode" => number.to_string(),
        Cell::Integer(id) => format!("0x{id:x}"),
        Cell::Real(number) => number.to_string(),
        Cell::Text(text) => format!("\"{text}\""),
        Cell::Boolean(value) => value.to_string(),
        Cell::Moment(microseconds) => store::moment(*microseconds),
    }
}

fn measure(
    server: Option<&Server>,
    load: impl FnOnce() -> Result<(), RestaurantsError>,
) -> Result<Load, RestaurantsError> {
    let processes = Processes { server: None, database: server.and_then(first_process) };
    let watch = Watch::start(processes)?;
    let started = Instant::now();
    load()?;
    let seconds = started.elapsed().as_secs_f64();
    let cpu = watch.finish()?.cpu;
    Ok(Load { seconds, cpu: cpu.load + cpu.database })
}
