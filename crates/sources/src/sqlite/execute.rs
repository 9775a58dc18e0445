//! A request's whole run: one snapshot, the statements, the writer.

pub(super) mod meter;

use fallible_streaming_iterator::FallibleStreamingIterator as _;
use response::{Node, Shape, Writer, Written};
use rusqlite::{CachedStatement, Connection};

use super::bind::Bound;
use super::cursor::SqliteCursor;
use crate::error::{SourceError, SourceErrorKind};
use crate::relational::{Level, Program};
use crate::source::ExecuteError;

/// Begins a snapshot, and reads no table.
const LOOK: &str = include_str!("look.sql");

/// Runs a program and writes its answer. All statements see one state of the file.
pub fn execute(
    connection: &Connection,
    program: &Program,
    bound: &Bound,
    writer: Writer<'_, SourceError>,
) -> Result<Written<SourceError>, ExecuteError> {
    if program.levels.is_empty() || is_read_at_once(program, writer.shape()) {
        return execute_statements(connection, program, bound, writer);
    }
    // It holds the snapshot for the statements, and does so for less than a transaction costs.
    let mut look = connection.prepare_cached(LOOK).map_err(SourceError::from)?;
    let mut snapshot = look.query([]).map_err(SourceError::from)?;
    // A writer is waited for here, once, and not by each statement.
    snapshot.advance().map_err(SourceError::from)?;
    let written = execute_statements(connection, program, bound, writer);
    drop(snapshot);
    written
}

/// Whether the answer comes from one run of one statement, which is a snapshot by itself.
fn is_read_at_once(program: &Program, shape: &Shape) -> bool {
    let [level] = program.levels.as_slice() else { return false };
    let mut reading = shape.nodes.iter().filter(|node| match node {
        Node::List { .. }
        | Node::Single { .. }
        | Node::Edge { .. }
        | Node::Aggregate { .. }
        | Node::Groups { .. }
        | Node::Count { .. }
        | Node::HasMore { .. }
        | Node::HasOutside { .. } => true,
        Node::Object(_)
        | Node::Joined { .. }
        | Node::Present { .. }
        | Node::Leaf { .. }
        | Node::LeafOr { .. }
        | Node::Literal(_)
        | Node::Only(_)
        | Node::Leaves(_)
        | Node::TooDeep(_)
        | Node::Refused(_)
        | Node::Base64(_) => false,
    });
    let read = (reading.next(), reading.next());
    matches!(read, (Some(Node::List { .. } | Node::Single { .. }), None))
        && !level.reads_ahead_first()
}

fn execute_statements(
    connection: &Connection,
    program: &Program,
    bound: &Bound,
    mut writer: Writer<'_, SourceError>,
) -> Result<Written<SourceError>, ExecuteError> {
    let mut statements = Vec::with_capacity(program.levels.len());
    for level in &program.levels {
        statements.push(match connection.prepare_cached(&level.text) {
            Ok(statement) => Some(statement),
            // Its table is not what it was any more; other root fields can still be answered.
            Err(error) => {
                let error = SourceError::from(error);
                if error.kind != SourceErrorKind::Internal {
                    return Err(error.into());
                }
                writer.fail_root(level.root as usize, error);
                None
            }
        });
    }
    run(program, bound, &mut statements, writer)
}

fn run(
    program: &Program,
    bound: &Bound,
    statements: &mut [Option<CachedStatement<'_>>],
    writer: Writer<'_, SourceError>,
) -> Result<Written<SourceError>, ExecuteError> {
    let mut top = SqliteCursor::new(program, bound, statements);
    Ok(writer.write(&mut top)?)
}

/// Reads from the file, and no table.
pub fn look(connection: &Connection) -> Result<(), SourceError> {
    connection.prepare_cached(LOOK)?.query([])?.next()?;
    Ok(())
}

/// SQLite's plan of a statement, one step a line.
pub fn explain(connection: &Connection, level: &Level) -> Result<String, SourceError> {
    let mut statement = connection.prepare(&sql::print_explain(&level.text))?;
    // The plan does not depend on the parameters: they stay unbound.
    let details = statement.raw_query().mapped(|row| row.get::<_, String>(3));
    Ok(details.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

#[cfg(test)]
mod tests {
    use response::{Item, LevelId, NodeId, RowsId};

    use super::*;
    use crate::relational::{LevelKind, Page, Parents};

    fn level(page: Page) -> Level {
        Level {
            id: LevelId(0),
            root: 0,
            name: "".into(),
            kind: LevelKind::Rows(page),
            parent: None,
            end: LevelId(1),
            text: "".into(),
            bounded: None,
            parameters: Vec::new(),
            parents: Parents::Top,
            link: None,
            round: 0,
            calls: false,
        }
    }

    #[test]
    fn only_what_one_run_of_one_statement_answers_needs_no_snapshot() {
        let (rows, node) = (RowsId(0), NodeId(0));
        let list = Node::List { rows, item: Item { node, nullable: false } };
        let once = |pages: Vec<Page>, nodes: Vec<Node>| {
            let levels = pages.into_iter().map(level).collect();
            let shape = Shape { nodes, ..Shape::default() };
            is_read_at_once(&Program { levels, layout: response::Layout::default() }, &shape)
        };
        let page = Page::default();
        let text = Node::Literal(b"1".as_slice().into());
        assert!(once(vec![page.clone()], vec![text, list.clone()]));
        assert!(once(vec![page.clone()], vec![Node::Single { rows, node }]));
        assert!(!once(vec![page.clone(), page.clone()], vec![list.clone()]));
        assert!(!once(vec![page.clone()], vec![list.clone(), Node::HasMore { rows }]));
        assert!(!once(vec![page.clone()], vec![Node::Edge { rows, last: true, node }]));
        assert!(!once(vec![Page { look_ahead: true, from_end: true, ..page }], vec![list]));
    }
}
