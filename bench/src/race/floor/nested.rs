//! Nested loops over prepared statements of SQLite: the least that brings the rows of an answer.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::types::{Value as Cell, ValueRef};
use rusqlite::{Connection, OpenFlags, Statement};
use serde_json::Value;

use super::script::Script;
use super::{Row, Rows, Variables};

/// The setting of each connection of the server.
const CACHE_KIBIBYTES: i64 = 4_096;

/// The statements of a script, prepared.
#[derive(Debug)]
pub(super) struct Loops<'c> {
    connection: &'c Connection,
    begin: Statement<'c>,
    commit: Statement<'c>,
    nodes: Vec<Node>,
    /// The statement of each node; taken out while it runs.
    statements: Vec<Option<Statement<'c>>>,
}

/// The place of a statement in the loops.
#[derive(Debug)]
struct Node {
    parent: Option<usize>,
    children: Vec<usize>,
    parameters: Vec<Parameter>,
    /// The values of the last run, where equal ones need no other.
    once: Option<Vec<Cell>>,
}

/// A bound value.
#[derive(Debug)]
enum Parameter {
    Number(i64),
    /// One of the values of a run, in the order of their names.
    Variable(usize),
    /// A column of the parent's row.
    Parent(usize, String),
}

/// The loops cannot be made or run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoopError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error("there are no rows `{0}` above those that are of them")]
    Parent(String),
    #[error("`:{0}` is no column of the parent, no variable, and not set")]
    Parameter(String),
}

/// Opens a file as the server does, for reading or for writing.
pub(super) fn open(file: &Path, writes: bool) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE;
    let connection = Connection::open_with_flags(file, flags)?;
    // SQLite would plan some of the statements anew for each other value that is bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "query_only", !writes)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    Ok(connection)
}

/// Values for variables: a floor's are integers.
pub(super) fn values(variables: &Variables) -> Vec<Option<i64>> {
    variables.values().map(Value::as_i64).collect()
}

/// The rows of one answer.
pub(super) fn rows(script: &Script, file: &Path, variables: &Variables) -> Result<Rows, LoopError> {
    let connection = open(file, script.writes)?;
    let mut loops = Loops::prepare(script, &connection, variables)?;
    let bound: Vec<Vec<String>> = loops.nodes.iter().map(Node::columns_of_parent).collect();
    let parents: Vec<Option<usize>> = loops.nodes.iter().map(|node| node.parent).collect();
    let mut read: Vec<Vec<Row>> = script.statements.iter().map(|_| Vec::new()).collect();
    loops.run(&values(variables), &mut |index, row| {
        let mut columns = Row::new();
        // A row is of the parent whose row was read last.
        if let Some(parent) = parents[index].and_then(|parent| read[parent].last()) {
            for name in &bound[index] {
                columns.extend(parent.get_key_value(name).map(|(k, v)| (k.clone(), v.clone())));
            }
        }
        columns.extend(to_row(row)?);
        read[index].push(columns);
        Ok(())
    })?;
    let names = script.statements.iter().zip(read);
    let named = names.flat_map(|(statement, rows)| {
        statement.names.iter().map(move |name| (name.clone(), rows.clone()))
    });
    Ok(named.collect())
}

impl<'c> Loops<'c> {
    pub(super) fn prepare(
        script: &Script,
        connection: &'c Connection,
        variables: &Variables,
    ) -> Result<Self, LoopError> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut statements: Vec<Option<Statement<'c>>> = Vec::new();
        for (index, written) in script.statements.iter().enumerate() {
            let statement = connection.prepare(&written.text)?;
            let parent = match &written.of {
                None => None,
                Some(name) => {
                    let mut above = script.statements[..index].iter();
                    let parent = above.position(|other| other.names.contains(name));
                    Some(parent.ok_or_else(|| LoopError::Parent(name.clone()))?)
                }
            };
            let above = parent.and_then(|parent| statements[parent].as_ref());
            let parameters = parameters(&statement, above, script, variables)?;
            let once = written.once.then(Vec::new);
            nodes.push(Node { parent, children: Vec::new(), parameters, once });
            if let Some(parent) = parent {
                nodes[parent].children.push(index);
            }
            statements.push(Some(statement));
        }
        let begin = if script.writes { "BEGIN IMMEDIATE" } else { "BEGIN" };
        let begin = connection.prepare(begin)?;
        let commit = connection.prepare("COMMIT")?;
        Ok(Self { connection, begin, commit, nodes, statements })
    }

    /// Runs all once, in one transaction; each row is read by the function, which is told the
    /// statement's number.
    pub(super) fn run(
        &mut self,
        values: &[Option<i64>],
        read: &mut impl FnMut(usize, &rusqlite::Row<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), LoopError> {
        debug_assert!(self.connection.is_autocommit(), "the last answer has not ended");
        self.begin.raw_execute()?;
        for index in 0..self.nodes.len() {
            if let Some(values) = &mut self.nodes[index].once {
                values.clear();
            }
            if self.nodes[index].parent.is_none() {
                step(index, None, values, &mut self.nodes, &mut self.statements, read)?;
            }
        }
        self.commit.raw_execute()?;
        Ok(())
    }
}

impl Node {
    fn columns_of_parent(&self) -> Vec<String> {
        let names = self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Parent(_, name) => Some(name.clone()),
            Parameter::Number(_) | Parameter::Variable(_) => None,
        });
        names.collect()
    }
}

/// Binds values to the parameters of a statement by name.
fn parameters(
    statement: &Statement<'_>,
    parent: Option<&Statement<'_>>,
    script: &Script,
    variables: &Variables,
) -> Result<Vec<Parameter>, LoopError> {
    let names = (1..=statement.parameter_count()).map(|number| {
        let name = statement.parameter_name(number).unwrap_or_default();
        name.trim_start_matches(':').to_owned()
    });
    names
        .map(|name| {
            let column = parent.and_then(|parent| parent.column_names().position(|of| of == name));
            if let Some(column) = column {
                return Ok(Parameter::Parent(column, name));
            }
            if let Some(variable) = variables.keys().position(|other| *other == name) {
                return Ok(Parameter::Variable(variable));
            }
            let number = script.numbers.iter().find(|(other, _)| *other == name);
            number.map(|(_, number)| Parameter::Number(*number)).ok_or(LoopError::Parameter(name))
        })
        .collect()
}

fn step(
    index: usize,
    parent: Option<&rusqlite::Row<'_>>,
    values: &[Option<i64>],
    nodes: &mut [Node],
    statements: &mut [Option<Statement<'_>>],
    read: &mut impl FnMut(usize, &rusqlite::Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let Some(mut statement) = statements[index].take() else { return Ok(()) };
    for (number, parameter) in (1..).zip(&nodes[index].parameters) {
        match parameter {
            Parameter::Number(value) => statement.raw_bind_parameter(number, value)?,
            Parameter::Variable(variable) => {
                statement.raw_bind_parameter(number, values[*variable])?;
            }
            Parameter::Parent(column, _) => {
                let Some(parent) = parent else { continue };
                let value = rusqlite::types::ToSqlOutput::Borrowed(parent.get_ref(*column)?);
                statement.raw_bind_parameter(number, value)?;
            }
        }
    }
    if let (Some(parent), true) = (parent, nodes[index].once.is_some()) {
        let mut keys = Vec::with_capacity(nodes[index].parameters.len());
        for parameter in &nodes[index].parameters {
            if let Parameter::Parent(column, _) = parameter {
                keys.push(parent.get::<_, Cell>(*column)?);
            }
        }
        if nodes[index].once.as_ref() == Some(&keys) {
            statements[index] = Some(statement);
            return Ok(());
        }
        nodes[index].once = Some(keys);
    }
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        read(index, row)?;
        for place in 0..nodes[index].children.len() {
            let child = nodes[index].children[place];
            step(child, Some(row), values, nodes, statements, read)?;
        }
    }
    drop(rows);
    statements[index] = Some(statement);
    Ok(())
}

/// A row by the names of its columns.
pub(crate) fn to_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let mut columns = Row::new();
    for (place, name) in row.as_ref().column_names().enumerate() {
        columns.insert(name.to_owned(), to_json(row.get_ref(place)?));
    }
    Ok(columns)
}

fn to_json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        ValueRef::Integer(integer) => Value::from(integer),
        ValueRef::Real(real) => Value::from(real),
        ValueRef::Text(text) => Value::from(String::from_utf8_lossy(text)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use source_sqlite::connection::{Cache, OpenFile};

    use super::*;

    /// Pragmas that change the speed of a statement.
    const PRAGMAS: [&str; 12] = [
        "automatic_index",
        "cache_size",
        "cache_spill",
        "journal_mode",
        "locking_mode",
        "mmap_size",
        "page_size",
        "query_only",
        "read_uncommitted",
        "synchronous",
        "temp_store",
        "threads",
    ];

    fn settings(connection: &Connection) -> Vec<String> {
        let mut settings: Vec<String> = PRAGMAS
            .iter()
            .map(|name| {
                let value = connection.pragma_query_value(None, name, |row| row.get::<_, Cell>(0));
                format!("{name}: {:?}", value.expect("a pragma"))
            })
            .collect();
        let is_stable = connection.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG);
        settings.push(format!("stable plans: {:?}", is_stable.expect("a setting")));
        settings
    }

    #[test]
    fn a_file_is_opened_as_the_server_opens_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.db");
        let made = Connection::open(&file).expect("a file");
        made.pragma_update(None, "journal_mode", "wal").expect("a journal mode");
        let server =
            OpenFile::open(&file, Duration::ZERO, Cache::Default).expect("the server's connection");
        let floor = open(&file, false).expect("the floor's connection");
        assert_eq!(settings(&floor), settings(&server.connection));
        // The server's connection that writes differs by this alone.
        server.connection.pragma_update(None, "query_only", false).expect("a pragma");
        let floor = open(&file, true).expect("the floor's connection that writes");
        assert_eq!(settings(&floor), settings(&server.connection));
    }

    #[test]
    fn a_statement_that_is_once_runs_again_for_other_values_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.db");
        let made = Connection::open(&file).expect("a file");
        made.execute_batch("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 1), (2, 1), (3, 2)")
            .expect("rows");
        let count = |words: &str| {
            let text = format!(
                "-- rows parents\nSELECT a, b FROM t WHERE a < :most ORDER BY a;\n\
                 -- rows children of parents{words}\nSELECT a AS child FROM t WHERE b = :b;\n"
            );
            let script = Script::parse(&text).expect("a script");
            let variables = Variables::from_iter([("most".to_owned(), Value::from(9))]);
            rows(&script, &file, &variables).expect("rows")["children"].len()
        };
        assert_eq!(count(""), 2 + 2 + 1);
        assert_eq!(count(" once"), 2 + 1);
    }
}
