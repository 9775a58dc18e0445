//! The nodes that a change creates, updates and deletes, with their properties before and after it,
//! for events.
//!
//! Each place that changes nodes adds a list of them to the statement's only row: an entry is a map
//! of the node's id, its labels, the node itself, and its properties before. Deleted nodes cannot be
//! read any more, so that their entries have no node. The last column has the entries with the
//! properties that the nodes have in the end.

use cypher::{
    Case, Clause, Comparison, Expression, Function, Name, Operation, Projection, ProjectionItem,
    Variable,
};
use ir::{Rows, Write, WriteKind};
use source::CompileError;

use super::super::super::program::GraphStatement;
use super::super::read::returned as record;
use super::super::rows::Items;
use super::super::statement::Statement;
use super::super::{Compiler, WriteForm, refused};
use super::returned::is_counted;
use super::{Changed, collected, deletion};

/// A change of a node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Touch {
    Created,
    /// Created, unless the variable is true.
    CreatedUnless(Variable),
    /// Updated; its properties were those of the variable.
    Updated(Variable),
    Deleted,
}

/// The members of an entry.
const ID: &str = "i";
const LABELS: &str = "l";
const NODE: &str = "n";
const BEFORE: &str = "b";

impl Compiler<'_> {
    /// The statement of a change that also returns the nodes that it touches.
    pub(super) fn write_touched(
        &mut self,
        root: u32,
        write: &Write,
        reads: &[&Rows],
        mut statement: Statement,
    ) -> Result<GraphStatement, CompileError> {
        let mut clauses = Vec::new();
        let (node, touch) = self.top(write, &mut clauses, &mut statement)?;
        let list = statement.column();
        let projection = self.with_touched(collected(node, list), node, touch, &mut statement);
        clauses.push(Clause::With(projection));
        self.done(write, list, &mut clauses, &mut statement)?;
        let is_delete = matches!(write.kind, WriteKind::Delete { .. });
        if is_delete {
            clauses.push(deletion(Changed::List(list), &mut statement));
        }
        let number = self.statements;
        let mut columns = Items::default();
        for rows in reads {
            match is_counted(rows) {
                true => self.counters(rows, number)?,
                false if is_delete => return Err(refused("rows that are deleted")),
                false => {
                    let place = (number, &mut columns);
                    self.listed(rows, list, place, &mut clauses, &mut statement)?;
                }
            }
        }
        let touched = columns.push(touched(&mut statement))?;
        clauses.push(record(columns, &mut statement));
        let statement = self.finish(root, clauses, statement)?;
        Ok(GraphStatement { touched: Some(touched), ..statement })
    }

    /// Keeps the properties of a node before it is updated. `variables` are those that go on.
    pub(super) fn remember(
        &self,
        variables: impl IntoIterator<Item = Variable>,
        node: Variable,
        clauses: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Option<Touch> {
        if self.form == WriteForm::Plain {
            return None;
        }
        let before = statement.column();
        let mut projection = Projection::of(variables);
        projection.items.push(ProjectionItem::named(properties(node), before));
        clauses.push(Clause::With(projection));
        Some(Touch::Updated(before))
    }

    /// The projection that collects nodes, and their entries as another list.
    pub(super) fn with_touched(
        &self,
        mut projection: Projection,
        node: Variable,
        touch: Option<Touch>,
        statement: &mut Statement,
    ) -> Projection {
        if let (WriteForm::Touched, Some(touch)) = (self.form, touch) {
            let name = statement.column();
            let entries = Expression::call(Function::Collect, vec![entry(node, touch)]);
            projection.items.push(ProjectionItem::named(entries, name));
            statement.touched.lists.push(name);
            if let Touch::Deleted = touch {
                statement.touched.deleted.push(name);
            }
        }
        projection
    }

    /// The RETURN of the entries of nodes; `None` if they are not collected.
    pub(super) fn returned_touched(
        &self,
        node: Variable,
        touch: Option<Touch>,
        statement: &mut Statement,
    ) -> Option<Clause> {
        let projection = self.with_touched(Projection::default(), node, touch, statement);
        (!projection.items.is_empty()).then_some(Clause::Return(projection))
    }
}

fn entry(node: Variable, touch: Touch) -> Expression {
    let of = |function| Expression::call(function, vec![Expression::Variable(node)]);
    let name = |name: &str| Name(name.into());
    let mut members = vec![(name(ID), of(Function::Id)), (name(LABELS), of(Function::Labels))];
    let node = (name(NODE), Expression::Variable(node));
    match touch {
        Touch::Created | Touch::CreatedUnless(_) => members.push(node),
        Touch::Updated(before) => {
            members.extend([node, (name(BEFORE), Expression::Variable(before))]);
        }
        Touch::Deleted => members.push((name(BEFORE), of(Function::Properties))),
    }
    let entry = Expression::Map(members);
    match touch {
        Touch::CreatedUnless(existed) => Expression::Case(Case {
            branches: vec![(Expression::Variable(existed), Expression::Null)],
            otherwise: Some(Box::new(entry)),
        }),
        Touch::Created | Touch::Updated(_) | Touch::Deleted => entry,
    }
}

/// The time, and each entry as a list of its id, labels, properties before and properties after;
/// null where the node is not there.
fn touched(statement: &mut Statement) -> Expression {
    let (lists, deleted) = (statement.touched.lists.clone(), statement.touched.deleted.clone());
    let entry = statement.item();
    let member = |name| Expression::property(entry, name);
    let node = || Box::new(member(NODE));
    let mut is_gone = vec![Expression::IsNull(node())];
    // A node may be updated at one place and deleted at another.
    if !deleted.is_empty() && deleted.len() < lists.len() {
        let other = statement.item();
        let ids = Expression::ListComprehension {
            variable: other,
            list: Box::new(joined(&deleted)),
            filter: None,
            value: Some(Box::new(Expression::property(other, ID))),
        };
        is_gone.push(member(ID).compare(Comparison::In, ids));
    }
    let after = Expression::Case(Case {
        branches: vec![(Expression::Or(is_gone), Expression::Null)],
        otherwise: Some(Box::new(Expression::call(Function::Properties, vec![member(NODE)]))),
    });
    let parts = vec![member(ID), member(LABELS), member(BEFORE), after];
    let entries = Expression::ListComprehension {
        variable: entry,
        list: Box::new(joined(&lists)),
        filter: None,
        value: Some(Box::new(Expression::List(parts))),
    };
    Expression::List(vec![Expression::call(Function::Timestamp, Vec::new()), entries])
}

/// The lists as one.
fn joined(lists: &[Variable]) -> Expression {
    let mut lists = lists.iter().map(|list| Expression::Variable(*list));
    let first = lists.next().unwrap_or_else(|| Expression::List(Vec::new()));
    lists.fold(first, |joined, list| joined.compute(Operation::Add, list))
}

fn properties(node: Variable) -> Expression {
    Expression::call(Function::Properties, vec![Expression::Variable(node)])
}
