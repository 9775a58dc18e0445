//! The catalog queries and their rows; one query for all tables, not one for each.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, ErrorCode, Params, Row};

use super::IntrospectError;
use super::unknown::KnownNames;

const TABLES: Query = Query { what: "tables", text: include_str!("tables.sql") };
const COLUMNS: Query = Query { what: "columns", text: include_str!("columns.sql") };
const VIEW_COLUMNS: Query =
    Query { what: "columns of views", text: include_str!("view_columns.sql") };
const COLUMNS_OF_VIEW: Query =
    Query { what: "columns of one view", text: include_str!("columns_of_view.sql") };
const INDEXES: Query = Query { what: "indexes", text: include_str!("indexes.sql") };
const TRIGGERS: Query = Query { what: "triggers", text: include_str!("triggers.sql") };
const TEXTS: Query = Query { what: "statements", text: include_str!("texts.sql") };
const KNOWN_NAMES: Query = Query { what: "functions", text: include_str!("known_names.sql") };

/// The collations of SQLite itself; connections add none.
/// <https://www.sqlite.org/datatype3.html#collating_sequences>
const COLLATIONS: [&str; 3] = ["binary", "nocase", "rtrim"];
const FOREIGN_KEYS: Query = Query { what: "foreign keys", text: include_str!("foreign_keys.sql") };

#[derive(Clone, Copy)]
struct Query {
    what: &'static str,
    text: &'static str,
}

/// All rows of the catalog queries, each list in the order in which the catalog lists the things.
pub(super) struct Rows {
    pub(super) tables: Vec<TableRow>,
    pub(super) columns: Vec<ColumnRow>,
    pub(super) indexed_columns: Vec<IndexedColumnRow>,
    pub(super) foreign_key_columns: Vec<ForeignKeyColumnRow>,
    pub(super) triggers: Vec<TriggerRow>,
    pub(super) broken_views: Vec<BrokenView>,
    pub(super) texts: Vec<TextRow>,
    pub(super) known_names: KnownNames,
}

pub(super) struct TableRow {
    pub(super) name: Box<str>,
    pub(super) kind: TableKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TableKind {
    Table,
    View,
    Virtual,
    /// Holds the data of a virtual table.
    Shadow,
}

pub(super) struct ColumnRow {
    pub(super) table: Box<str>,
    pub(super) name: Box<str>,
    pub(super) declared: Box<str>,
    pub(super) not_null: bool,
    pub(super) default: Option<Box<str>>,
    /// The place in the primary key from 1; 0 outside of it.
    pub(super) primary_key: i64,
    pub(super) generated: bool,
}

/// One column of one index.
pub(super) struct IndexedColumnRow {
    pub(super) table: Box<str>,
    pub(super) index: Box<str>,
    pub(super) unique: bool,
    pub(super) origin: IndexOrigin,
    pub(super) partial: bool,
    /// `None` where an expression is indexed.
    pub(super) column: Option<Box<str>>,
    /// The statement that made it, of a partial index.
    pub(super) text: Option<Box<str>>,
    /// Whether some column of the table has a collation of its own.
    pub(super) collated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexOrigin {
    PrimaryKey,
    UniqueConstraint,
    CreateIndex,
}

/// One pair of columns of one foreign key.
pub(super) struct ForeignKeyColumnRow {
    pub(super) table: Box<str>,
    pub(super) id: i64,
    pub(super) parent: Box<str>,
    pub(super) column: Box<str>,
    /// `None` where the declaration names no columns and means the parent's primary key.
    pub(super) parent_column: Option<Box<str>>,
}

/// A trigger, by the statement that made it.
pub(super) struct TriggerRow {
    pub(super) table: Box<str>,
    pub(super) text: Box<str>,
}

/// A thing of the file, by the statement that made it.
pub(super) struct TextRow {
    pub(super) kind: Box<str>,
    pub(super) name: Box<str>,
    pub(super) table: Box<str>,
    pub(super) text: Box<str>,
}

/// A view whose columns SQLite cannot determine.
pub(super) struct BrokenView {
    pub(super) name: Box<str>,
    pub(super) error: rusqlite::Error,
}

/// Reads everything; the caller holds the snapshot.
pub(super) fn read(connection: &Connection) -> Result<Rows, IntrospectError> {
    // First of all: this query opens the snapshot.
    let tables = select(connection, TABLES, [], table)?;
    let mut columns = select(connection, COLUMNS, [], column)?;
    let broken_views = read_view_columns(connection, &tables, &mut columns)?;
    let indexed_columns = select(connection, INDEXES, [], indexed_column)?;
    let foreign_key_columns = select(connection, FOREIGN_KEYS, [], foreign_key_column)?;
    let triggers = select(connection, TRIGGERS, [], trigger)?;
    let texts = select(connection, TEXTS, [], text)?;
    let known_names = known_names(connection)?;
    Ok(Rows {
        tables,
        columns,
        indexed_columns,
        foreign_key_columns,
        triggers,
        broken_views,
        texts,
        known_names,
    })
}

fn known_names(connection: &Connection) -> Result<KnownNames, IntrospectError> {
    let functions = select(connection, KNOWN_NAMES, [], |row| row.get::<_, String>(0))?;
    Ok(KnownNames {
        // The list of the connection has those that the file names as well, whether or not they are
        // there.
        collations: COLLATIONS.map(str::to_owned).into(),
        functions: functions.iter().map(|name| name.to_ascii_lowercase()).collect(),
    })
}

/// One query for all views; view by view only if one of them is broken, to find which.
fn read_view_columns(
    connection: &Connection,
    tables: &[TableRow],
    columns: &mut Vec<ColumnRow>,
) -> Result<Vec<BrokenView>, IntrospectError> {
    match select(connection, VIEW_COLUMNS, [], column) {
        Ok(of_views) => {
            columns.extend(of_views);
            return Ok(Vec::new());
        }
        Err(IntrospectError::Query { source, .. }) if is_broken_view(&source) => {}
        Err(error) => return Err(error),
    }
    let mut broken_views = Vec::new();
    for view in tables.iter().filter(|table| table.kind == TableKind::View) {
        match select(connection, COLUMNS_OF_VIEW, [&view.name], column) {
            Ok(of_view) => columns.extend(of_view),
            Err(IntrospectError::Query { source, .. }) if is_broken_view(&source) => {
                broken_views.push(BrokenView { name: view.name.clone(), error: source });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(broken_views)
}

/// SQLite's general error: the schema does not fit together. A busy, unreadable or damaged file
/// has codes of its own.
fn is_broken_view(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::Unknown)
}

fn select<T, P: Params>(
    connection: &Connection,
    query: Query,
    parameters: P,
    row: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, IntrospectError> {
    let rows = || -> rusqlite::Result<Vec<T>> {
        let mut statement = connection.prepare_cached(query.text)?;
        statement.query_map(parameters, row)?.collect()
    };
    rows().map_err(|source| IntrospectError::Query { what: query.what, source })
}

fn table(row: &Row<'_>) -> rusqlite::Result<TableRow> {
    Ok(TableRow { name: row.get(0)?, kind: row.get(1)? })
}

fn column(row: &Row<'_>) -> rusqlite::Result<ColumnRow> {
    let hidden: i64 = row.get(6)?;
    Ok(ColumnRow {
        table: row.get(0)?,
        name: row.get(1)?,
        declared: row.get(2)?,
        not_null: row.get(3)?,
        default: row.get(4)?,
        primary_key: row.get(5)?,
        // 2 is computed when read, 3 when written; 1 occurs in virtual tables only.
        generated: matches!(hidden, 2 | 3),
    })
}

fn indexed_column(row: &Row<'_>) -> rusqlite::Result<IndexedColumnRow> {
    Ok(IndexedColumnRow {
        table: row.get(0)?,
        index: row.get(1)?,
        unique: row.get(2)?,
        origin: row.get(3)?,
        partial: row.get(4)?,
        column: row.get(5)?,
        text: row.get(6)?,
        collated: row.get(7)?,
    })
}

fn foreign_key_column(row: &Row<'_>) -> rusqlite::Result<ForeignKeyColumnRow> {
    Ok(ForeignKeyColumnRow {
        table: row.get(0)?,
        id: row.get(1)?,
        parent: row.get(2)?,
        column: row.get(3)?,
        parent_column: row.get(4)?,
    })
}

fn trigger(row: &Row<'_>) -> rusqlite::Result<TriggerRow> {
    Ok(TriggerRow { table: row.get(0)?, text: row.get(1)? })
}

fn text(row: &Row<'_>) -> rusqlite::Result<TextRow> {
    Ok(TextRow { kind: row.get(0)?, name: row.get(1)?, table: row.get(2)?, text: row.get(3)? })
}

impl FromSql for TableKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "table" => Ok(Self::Table),
            "view" => Ok(Self::View),
            "virtual" => Ok(Self::Virtual),
            "shadow" => Ok(Self::Shadow),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

impl FromSql for IndexOrigin {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "pk" => Ok(Self::PrimaryKey),
            "u" => Ok(Self::UniqueConstraint),
            "c" => Ok(Self::CreateIndex),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::known_names;

    #[test]
    fn functions_of_json_are_known_before_they_are_used() {
        let connection = Connection::open_in_memory().unwrap();
        let known = known_names(&connection).unwrap();
        for name in ["json_tree", "json_each", "json_extract"] {
            assert!(known.functions.contains(name), "{name}");
            let call = match name {
                "json_extract" => "SELECT json_extract('[1]', '$[0]')".to_owned(),
                name => format!("SELECT value FROM {name}('[1]')"),
            };
            connection.prepare(&call).unwrap();
        }
    }
}
