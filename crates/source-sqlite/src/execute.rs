//! A request's whole run: one snapshot, the statements, the writer.

pub(super) mod meter;

use relational::{Level, Program};
use response::{ColumnRef, Node, Output, OutputId, RowsId, Shape, Writer, Written};
use rusqlite::Connection;
use source::ExecuteError;
use source::{SourceError, SourceErrorKind};

use super::allocations;
use super::bind::Bound;
use super::connection::OpenFile;
use super::cursor::SqliteCursor;
use super::statement::Statement;
use crate::error::map_error;

/// Begins a snapshot, and reads no table.
pub(super) const SNAPSHOT_PROBE: &str = include_str!("snapshot_probe.sql");

/// Runs a program and writes its answer. All statements see one state of the file.
pub fn execute<O: Output>(
    file: &OpenFile,
    program: &Program,
    bound: &Bound,
    writer: Writer<'_, SourceError, O>,
) -> Result<Written<SourceError, O::Data>, ExecuteError> {
    allocations::reserving(writer.another_held(), || snapshot(file, program, bound, writer))
}

fn snapshot<O: Output>(
    file: &OpenFile,
    program: &Program,
    bound: &Bound,
    writer: Writer<'_, SourceError, O>,
) -> Result<Written<SourceError, O::Data>, ExecuteError> {
    if program.levels.is_empty() || is_one_run(program, writer.shape()) {
        return execute_statements(file, program, bound, writer);
    }
    // It holds the snapshot for the statements, and does so for less than a transaction costs.
    let mut look = Statement::of(file, SNAPSHOT_PROBE).map_err(map_error)?;
    let mut snapshot = look.run();
    // A writer is waited for here, once, and not by each statement.
    snapshot.step().map_err(map_error)?;
    let written = execute_statements(file, program, bound, writer);
    drop(snapshot);
    written
}

/// Whether one statement reads the whole answer: it is a snapshot by itself, and all statements for
/// its rows see the same.
fn is_one_run(program: &Program, shape: &Shape) -> bool {
    let mut tops = program.levels.iter().filter(|level| level.parent.is_none());
    let (Some(top), None) = (tops.next(), tops.next()) else { return false };
    let of_top = |rows: &RowsId| program.layout.level(*rows) == Some(top.id);
    let over_top = |output: &OutputId| program.layout.place(*output) == ColumnRef::Level(top.id);
    let mut reading = shape.nodes.iter().filter(|node| match node {
        Node::List { rows, .. }
        | Node::Single { rows, .. }
        | Node::Edge { rows, .. }
        | Node::Length { rows }
        | Node::HasMore { rows }
        | Node::HasOutside { rows, .. } => of_top(rows),
        Node::Representations { branches, .. } => {
            branches.iter().filter_map(|branch| branch.rows).any(|own| of_top(&own.rows))
        }
        Node::Aggregate { output, .. }
        | Node::Groups { output, .. }
        | Node::Count { output }
        | Node::IfAny { output, .. } => over_top(output),
        Node::Object(_)
        | Node::Joined { .. }
        | Node::Present { .. }
        | Node::Variants { .. }
        | Node::Leaf { .. }
        | Node::LeafOr { .. }
        | Node::Literal(_)
        | Node::NoMore { .. }
        | Node::Echo(_)
        | Node::Only(_)
        | Node::Each(_)
        | Node::Affected { .. }
        | Node::Leaves(_)
        | Node::TooDeep(_)
        | Node::Refused(_)
        | Node::NotRead(_)
        | Node::Base64(_) => false,
    });
    let read = (reading.next(), reading.next());
    matches!(
        read,
        (Some(Node::List { .. } | Node::Single { .. } | Node::Representations { .. }), None)
    ) && !top.reads_ahead_first()
}

fn execute_statements<O: Output>(
    file: &OpenFile,
    program: &Program,
    bound: &Bound,
    mut writer: Writer<'_, SourceError, O>,
) -> Result<Written<SourceError, O::Data>, ExecuteError> {
    let mut statements = Vec::with_capacity(program.levels.len());
    for level in &program.levels {
        statements.push(match Statement::of(file, &level.text) {
            Ok(statement) => Some(statement),
            // Its table has changed; other root fields can still be answered.
            Err(error) => {
                let error = map_error(error);
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

fn run<O: Output>(
    program: &Program,
    bound: &Bound,
    statements: &mut [Option<Statement<'_>>],
    writer: Writer<'_, SourceError, O>,
) -> Result<Written<SourceError, O::Data>, ExecuteError> {
    let mut top = SqliteCursor::new(program, bound, statements);
    Ok(writer.write(&mut top)?)
}

/// Reads from the file, and no table.
pub fn probe(file: &OpenFile) -> Result<(), SourceError> {
    Statement::of(file, SNAPSHOT_PROBE).map_err(map_error)?.run().step().map_err(map_error)?;
    Ok(())
}

/// SQLite's plan of a statement, one step a line.
pub fn explain(connection: &Connection, level: &Level) -> Result<String, SourceError> {
    let mut statement = connection.prepare(&sql::print_explain(&level.text)).map_err(map_error)?;
    // The plan does not depend on the parameters: they stay unbound.
    let details = statement.raw_query().mapped(|row| row.get::<_, String>(3));
    Ok(details.collect::<Result<Vec<_>, _>>().map_err(map_error)?.join("\n"))
}

#[cfg(test)]
mod tests {
    use response::{Item, LevelId, NodeId, RowsId};

    use super::*;
    use relational::{LevelKind, Page, Parents};

    fn level(page: Page) -> Level {
        Level {
            id: LevelId(0),
            root: 0,
            name: "".into(),
            kind: LevelKind::Rows(page),
            parent: None,
            end: LevelId(1),
            text: "".into(),
            columns: 0,
            bounded: None,
            parameters: Vec::new(),
            parents: Parents::Top,
            repeats: None,
            apart: Vec::new(),
            link: None,
            sorted_by: None,
            round: 0,
            calls: false,
            when: Box::default(),
        }
    }

    #[test]
    fn only_what_one_run_of_one_statement_holds_needs_no_snapshot() {
        let (rows, node) = (RowsId(0), NodeId(0));
        let list = Node::List { rows, item: Item { node, nullable: false } };
        let once = |levels: Vec<Level>, nodes: Vec<Node>| {
            let levels: Vec<_> =
                (0..).zip(levels).map(|(id, level)| Level { id: LevelId(id), ..level }).collect();
            let rows = levels.iter().map(|level| Some(level.id)).collect();
            let outputs = vec![ColumnRef::Level(LevelId(0))];
            let layout = response::Layout { rows, outputs, affected: Vec::new() };
            let mut shape = Shape::default();
            shape.nodes = nodes;
            is_one_run(&Program { levels, layout, units: Vec::new() }, &shape)
        };
        let top = || level(Page::default());
        let below = || Level { parent: Some(LevelId(0)), ..top() };
        let text = Node::Literal(b"1".as_slice().into());
        let nested = Node::List { rows: RowsId(1), item: Item { node, nullable: false } };
        assert!(once(vec![top()], vec![text, list.clone()]));
        assert!(once(vec![top()], vec![Node::Single { rows, node }]));
        assert!(once(vec![top(), below()], vec![nested.clone(), list.clone()]));
        assert!(once(
            vec![top(), below()],
            vec![nested.clone(), Node::HasMore { rows: RowsId(1) }, list.clone()]
        ));
        assert!(!once(vec![top(), top()], vec![nested, list.clone()]));
        assert!(!once(vec![top()], vec![list.clone(), Node::HasMore { rows }]));
        assert!(!once(vec![top()], vec![list.clone(), Node::Count { output: OutputId(0) }]));
        assert!(!once(vec![top()], vec![Node::Edge { rows, last: true, node }]));
        let ahead = Page { look_ahead: true, from_end: true, ..Page::default() };
        assert!(!once(vec![level(ahead)], vec![list]));
    }
}
