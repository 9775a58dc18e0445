//! Recorder of the changes that the writing connection commits.
//!
//! Temporary triggers pass the values of each changed row to a function of the connection. SQLite's
//! update hook does not report values, rows of tables WITHOUT ROWID, or rows that a statement replaces;
//! its pre-update hook needs a C library that is built otherwise. Rows that REPLACE deletes fire no
//! triggers, so files whose definitions contain that word are not recorded.
//!
//! The version of the file as this connection reads it changes with commits of other connections only.

use std::cell::Cell as Variable;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use source::changes::{Cell, NoStream, RowChange};
use source::{SourceError, SourceErrorKind};
use sql::{Identifier, ObservedChange, RowObserver, print_row_observer};

use super::Recording;
use super::tables::{CellForm, RecordedTable};
use crate::error::map_error;

/// The name of the function, and the beginning of the names of triggers.
const NAME: &str = "thalweg_changed";

/// Time between two reads of the version of the file.
pub(crate) const INTERVAL: Duration = Duration::from_millis(25);

const SCHEMA_VERSION: &str = include_str!("schema_version.sql");
const DATA_VERSION: &str = include_str!("data_version.sql");
const REPLACES: &str = include_str!("replaces.sql");
const COLUMNS: &str = include_str!("columns.sql");
const COLLATED: &str = include_str!("collated.sql");

/// The recorder of a connection.
#[derive(Debug)]
pub(crate) struct Recorder {
    recording: Arc<Recording>,
    schema_version: i64,
    data_version: Variable<i64>,
    looked: Variable<Instant>,
}

impl Recorder {
    /// Begins to record on a connection that has no transaction. After an error, the connection may have
    /// triggers.
    pub(crate) fn begin(
        connection: &Connection,
        recording: &Arc<Recording>,
    ) -> Result<Self, NoStream> {
        let failed = |error| NoStream::Failed(map_error(error));
        let schema_version = version(connection, SCHEMA_VERSION).map_err(failed)?;
        let replaces = connection.query_row(REPLACES, (), |row| row.get::<_, String>(0));
        if let Some(name) = replaces.optional().map_err(failed)? {
            let reason = ["the definition of `", &name, "` contains REPLACE"].concat();
            return Err(NoStream::NotAllowed(reason.into()));
        }
        let data_version = version(connection, DATA_VERSION).map_err(failed)?;
        add_function(connection, recording).map_err(failed)?;
        let mut covered = Vec::new();
        for (place, table) in recording.tables.iter().enumerate() {
            if observe(connection, place, table).map_err(failed)? {
                covered.push(place);
            }
        }
        let recorder = Self {
            recording: Arc::clone(recording),
            schema_version,
            data_version: Variable::new(data_version),
            looked: Variable::new(Instant::now()),
        };
        // Definitions that changed meanwhile were not read, or were read in part.
        if !recorder.is_current(connection) {
            let message = "the definitions of the file have changed";
            return Err(NoStream::Failed(SourceError::new(SourceErrorKind::Internal, message)));
        }
        recording.begin(covered);
        Ok(recorder)
    }

    pub(crate) fn recording(&self) -> &Arc<Recording> {
        &self.recording
    }

    /// Returns true if the triggers fit the definitions of the file.
    pub(crate) fn is_current(&self, connection: &Connection) -> bool {
        version(connection, SCHEMA_VERSION).is_ok_and(|version| version == self.schema_version)
    }

    /// Detects commits of other connections, unless it has just done so.
    pub(crate) fn look(&self, connection: &Connection) -> Result<(), SourceError> {
        if self.looked.get().elapsed() < INTERVAL {
            return Ok(());
        }
        self.looked.set(Instant::now());
        let version = version(connection, DATA_VERSION).map_err(map_error)?;
        if self.data_version.replace(version) != version {
            self.recording.add_foreign();
        }
        Ok(())
    }
}

fn version(connection: &Connection, text: &str) -> Result<i64, rusqlite::Error> {
    connection.prepare_cached(text)?.query_row((), |row| row.get(0))
}

/// Creates the triggers of a table. Returns false if it does not have the expected columns.
fn observe(
    connection: &Connection,
    place: usize,
    table: &RecordedTable,
) -> Result<bool, rusqlite::Error> {
    let mut columns = connection.prepare(COLUMNS)?;
    let columns = columns.query_map([&*table.name], |row| row.get(0))?;
    let columns: HashSet<String> = columns.collect::<Result<_, _>>()?;
    let Ok(number) = u32::try_from(place) else { return Ok(false) };
    if columns.is_empty() || table.columns.iter().any(|column| !columns.contains(&*column.name)) {
        return Ok(false);
    }
    let most = connection.limit(Limit::SQLITE_LIMIT_FUNCTION_ARG)?;
    for change in ObservedChange::ALL {
        let name = [NAME, "_", &place.to_string(), "_", &change.number().to_string()].concat();
        let mut observer = RowObserver {
            name: Identifier(name.into()),
            on: Identifier(table.name.clone()),
            change,
            function: Identifier(NAME.into()),
            table: number,
            columns: Vec::new(),
        };
        // Without values, all rows count as changed.
        if usize::try_from(most).is_ok_and(|most| 2 + 2 * table.columns.len() <= most) {
            let names = table.columns.iter().map(|column| Identifier(column.name.clone()));
            observer.columns = names.collect();
        }
        connection.execute_batch(&print_row_observer(&observer))?;
    }
    Ok(true)
}

/// Adds the function that the triggers call.
fn add_function(
    connection: &Connection,
    recording: &Arc<Recording>,
) -> Result<(), rusqlite::Error> {
    let mut collated = connection.prepare(COLLATED)?;
    let collated = collated.query_map((), |row| row.get(0))?;
    let collated: HashSet<String> = collated.collect::<Result<_, _>>()?;
    let forms = recording.tables.iter().map(|table| {
        // By a collation, different texts may be equal.
        let has_collation = collated.contains(&*table.name);
        let form = |form: CellForm| match form {
            CellForm::Text if has_collation => CellForm::None,
            form => form,
        };
        table.columns.iter().map(|column| form(column.form)).collect()
    });
    let forms: Vec<Vec<CellForm>> = forms.collect();
    let recording = Arc::clone(recording);
    connection.create_scalar_function(NAME, -1, FunctionFlags::SQLITE_UTF8, move |context| {
        record(&recording, &forms, context);
        Ok(rusqlite::types::Null)
    })
}

/// Records a call of a trigger.
fn record(recording: &Recording, forms: &[Vec<CellForm>], context: &Context<'_>) {
    let number =
        |place: usize| context.get::<i64>(place).ok().and_then(|n| usize::try_from(n).ok());
    let Some(table) = number(0) else { return };
    let Some(forms) = forms.get(table) else { return };
    let value = |place: usize| match place < context.len() {
        true => context.get_raw(place),
        false => ValueRef::Null,
    };
    let change = ObservedChange::ALL.into_iter().find(|one| number(1) == Some(one.number().into()));
    let Some(change) = change.filter(|_| context.len() > 2) else {
        return recording.add_all(table);
    };
    let one = || {
        Some(forms.iter().enumerate().map(|(place, form)| form.cell(value(2 + place))).collect())
    };
    let row = match change {
        ObservedChange::Insert => RowChange { before: None, after: one() },
        ObservedChange::Delete => RowChange { before: one(), after: None },
        ObservedChange::Update => {
            let cells = forms
                .iter()
                .enumerate()
                .map(|(place, form)| form.cells(value(2 + place), value(2 + forms.len() + place)));
            let (before, after): (Vec<Cell>, Vec<Cell>) = cells.unzip();
            RowChange { before: Some(before), after: Some(after) }
        }
    };
    recording.add(table, row);
}
