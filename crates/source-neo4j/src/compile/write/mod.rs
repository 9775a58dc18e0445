//! Changes: one statement for each root field, with all that is done along relationships and all
//! that is read of the nodes afterwards.
//!
//! The nodes of a change are a list, from which each of its children sets out. A change of nothing
//! else, of which one set of rows is read at most, needs no list.
//!
//! * `insert`: new nodes; `child`: nested writes along relationships; `link`: new relationships to
//!   nodes that may exist already
//! * `assign`: values that are stored
//! * `returned`: the rows that a change returns; `touched`: its nodes for events

mod assign;
mod child;
mod insert;
mod link;
mod returned;
mod touched;

use cypher::{Clause, Expression, Function, Match, Path, Projection, ProjectionItem, Variable};
use ir::{ChildWrite, Rows, StepId, StepKind, Write, WriteKind};
use source::CompileError;

use self::touched::Touch;
use super::super::program::GraphStatement;
use super::place::Scope;
use super::rows::call;
use super::statement::Statement;
use super::{Compiler, WriteForm, refused};

/// The nodes of a change.
#[derive(Clone, Copy)]
enum Changed {
    /// A row for each node.
    Each(Variable),
    /// One row with a list of the nodes.
    List(Variable),
}

impl Compiler<'_> {
    /// The statement of a change and of reading its rows.
    pub(super) fn write(
        &mut self,
        root: u32,
        write: &Write,
        reads: &[&Rows],
    ) -> Result<GraphStatement, CompileError> {
        let mut statement = Statement::default();
        if self.form == WriteForm::Touched {
            return self.write_touched(root, write, reads, statement);
        }
        let mut clauses = Vec::new();
        let (node, _) = self.top(write, &mut clauses, &mut statement)?;
        let shown = reads.iter().filter(|rows| !returned::is_counted(rows)).count();
        let is_delete = matches!(write.kind, WriteKind::Delete { .. });
        let is_plain = write.children.is_empty() && write.check.is_all();
        let changed = if is_plain && (is_delete || shown <= 1) {
            Changed::Each(node)
        } else {
            let list = statement.column();
            clauses.push(Clause::With(collected(node, list)));
            self.done(write, list, &mut clauses, &mut statement)?;
            Changed::List(list)
        };
        if is_delete {
            if shown > 0 {
                return Err(refused("rows that are deleted"));
            }
            clauses.push(deletion(changed, &mut statement));
        }
        self.returned(reads, changed, &mut clauses, &mut statement)?;
        self.finish(root, clauses, statement)
    }

    /// Adds the nested writes of a change's nodes, which are a list, and the checks of the nodes.
    /// The number of relationships is checked last, as in the library.
    fn done(
        &self,
        write: &Write,
        list: Variable,
        clauses: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let is_expected =
            |child: &&ChildWrite| matches!(child.write.kind, WriteKind::Expect { .. });
        let expected = write.children.iter().rev().take_while(is_expected).count();
        let others = write.children.len().saturating_sub(expected);
        let (others, expected) =
            write.children.split_at_checked(others).unwrap_or((&write.children, &[]));
        self.children(others, list, clauses, statement)?;
        clauses.extend(self.checked(&write.check, list, statement)?);
        self.children(expected, list, clauses, statement)
    }

    /// The clauses that make, change or find the nodes of the outermost change: a row for each.
    fn top(
        &self,
        write: &Write,
        clauses: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<(Variable, Option<Touch>), CompileError> {
        let (filter, assignments, at_most) = match &write.kind {
            WriteKind::Insert(insert) => {
                let node = self.insert(write.entity, insert, clauses, statement)?;
                return Ok((node, Some(Touch::Created)));
            }
            WriteKind::Update(update) => {
                (&update.filter, update.assignments.as_slice(), &update.at_most)
            }
            WriteKind::Delete { filter, at_most } => (filter, [].as_slice(), at_most),
            WriteKind::Upsert { .. } | WriteKind::LinkOrInsert { .. } => {
                return Err(refused("an insert of what may be there"));
            }
            WriteKind::Link { .. }
            | WriteKind::Unlink { .. }
            | WriteKind::SetLinks { .. }
            | WriteKind::Expect { .. } => {
                return Err(refused("a change of relationships of no row"));
            }
            WriteKind::Choose { .. } => return Err(refused("a choice of writes")),
        };
        if at_most.is_some() {
            return Err(refused("a guard of how many rows are changed"));
        }
        let node = statement.element();
        let scope = Scope::of(node, None);
        let own = self.conditions(filter, &scope, statement)?;
        let required = own.required([node]);
        let path = Path::node(self.node(node, write.entity)?);
        clauses.push(Match::of(path, Expression::condition(own.passes)));
        clauses.extend(required);
        let sets = self.assigned(node, assignments, statement)?;
        let is_delete = matches!(write.kind, WriteKind::Delete { .. });
        let mut touch = is_delete.then_some(Touch::Deleted);
        if !sets.is_empty() {
            touch = self.remember([node], node, clauses, statement);
            clauses.push(Clause::Set(sets));
        }
        Ok((node, touch))
    }
}

/// Whether a step reads the rows of a change.
pub(super) fn reads_of(step: StepId, read: &ir::Step) -> bool {
    rows_of(read).is_some_and(|rows| match rows.from {
        ir::From::Returned { step: of, .. } => of == step,
        ir::From::Once => returned::counts_of(step, rows),
        _ => false,
    })
}

/// The rows that a step reads.
pub(super) fn rows_of(step: &ir::Step) -> Option<&Rows> {
    match &step.kind {
        StepKind::Read(rows) => Some(rows),
        StepKind::Write(_) | StepKind::Call(_) | StepKind::Require(_) | StepKind::Objects(_) => {
            None
        }
    }
}

/// One row with the list of all nodes.
fn collected(node: Variable, list: Variable) -> Projection {
    let nodes = Expression::call(Function::Collect, vec![Expression::Variable(node)]);
    Projection { items: vec![ProjectionItem::named(nodes, list)], ..Projection::default() }
}

/// The clause that deletes nodes with their relationships.
fn deletion(changed: Changed, statement: &mut Statement) -> Clause {
    match changed {
        Changed::Each(node) => Clause::Delete { detach: true, elements: vec![node] },
        Changed::List(list) => {
            let node = statement.element();
            let unwind = Clause::Unwind { list: Expression::Variable(list), variable: node };
            let delete = Clause::Delete { detach: true, elements: vec![node] };
            call(vec![list], vec![unwind, delete])
        }
    }
}
