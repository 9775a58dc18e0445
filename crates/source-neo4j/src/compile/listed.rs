//! Rows that are found once and used twice, as a list: all of them for aggregates and counts, and a
//! page of them for the answer.

use cypher::{Clause, Expression, Function, Projection, ProjectionItem, Variable};
use ir::{OutputKind, Rows};
use source::CompileError;

use super::Compiler;
use super::place::Scope;
use super::rows::{Collected, call};
use super::statement::Statement;
use super::summary::Summary;

/// From where rows are found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start<'s, 'r> {
    /// Rows of a root field.
    Root,
    /// Rows related to a row.
    Near(&'s Scope<'s>),
    /// Rows in a list.
    Listed(&'s Listed<'r>),
}

/// Rows that are found, as the list in a variable.
#[derive(Debug)]
pub(super) struct Listed<'r> {
    pub(super) list: Variable,
    /// Names of the list's elements.
    scope: Scope<'r>,
}

/// The summary of all rows, and the rows of the page.
pub(super) struct Both {
    /// The clauses before the RETURN of all of it.
    pub(super) body: Vec<Clause>,
    pub(super) summary: Option<Summary>,
    /// The rows that are shown, and all in groups.
    pub(super) lists: Vec<Collected>,
}

impl Start<'_, '_> {
    /// The variables that a subquery has to see.
    pub(super) fn variables(&self) -> Vec<Variable> {
        match self {
            Self::Root => Vec::new(),
            Self::Near(scope) => scope.variables(),
            Self::Listed(listed) => vec![listed.list],
        }
    }
}

impl<'r> Listed<'r> {
    /// A row for each of them.
    pub(super) fn rows(&self, statement: &mut Statement) -> (Vec<Clause>, Scope<'r>) {
        let list = Expression::Variable(self.list);
        let variables = self.scope.own_variables();
        if let [only] = variables.as_slice() {
            return (vec![Clause::Unwind { list, variable: *only }], self.scope);
        }
        let row = statement.item();
        let items = variables.into_iter().zip(0_u32..).map(|(variable, place)| {
            let list = Box::new(Expression::Variable(row));
            let place = Box::new(Expression::Integer(place));
            ProjectionItem::named(Expression::Element { list, place }, variable)
        });
        let with = Projection { items: items.collect(), ..Projection::default() };
        (vec![Clause::Unwind { list, variable: row }, Clause::With(with)], self.scope)
    }
}

impl Compiler<'_> {
    /// The summary of all rows, and the rows of the page. None where only one of them is selected,
    /// or where finding the rows twice costs less: the server keeps the number of an entity's
    /// nodes.
    pub(super) fn both(
        &mut self,
        rows: &Rows,
        start: Start<'_, '_>,
        statement: &mut Statement,
    ) -> Result<Option<Both>, CompileError> {
        let is_of_all = |kind: &OutputKind| {
            matches!(kind, OutputKind::Count | OutputKind::Aggregate(_) | OutputKind::Groups(_))
        };
        let mut groups = Vec::new();
        for output in &rows.outputs {
            if let OutputKind::Groups(own) = &output.kind {
                groups.push((output.id, own));
            }
        }
        let finds_twice = !rows.shown || (matches!(start, Start::Root) && is_count_of_all(rows));
        if groups.is_empty()
            && (finds_twice || !rows.outputs.iter().any(|output| is_of_all(&output.kind)))
        {
            return Ok(None);
        }
        let (mut body, scope) = self.found(rows, start, statement)?;
        let list = statement.item();
        let mut variables = scope.own_variables().into_iter().map(Expression::Variable);
        let row = match (variables.next(), variables.len()) {
            (Some(only), 0) => only,
            (first, _) => Expression::List(first.into_iter().chain(variables).collect()),
        };
        let all = Expression::call(Function::Collect, vec![row]);
        let items = vec![ProjectionItem::named(all, list)];
        body.push(Clause::With(Projection { items, ..Projection::default() }));
        let listed = Listed { list, scope };
        let start = Start::Listed(&listed);
        let mut summary = self.summary(rows, start, statement)?;
        for own in summary.iter_mut().flat_map(|summary| std::mem::take(&mut summary.bodies)) {
            body.push(call(vec![list], own));
        }
        let mut lists = Vec::with_capacity(1 + groups.len());
        if rows.shown {
            lists.push(self.collected(rows, start, statement)?);
        }
        for own in groups {
            lists.push(self.grouped(rows, own, start, statement)?);
        }
        for own in &mut lists {
            body.push(call(vec![list], std::mem::take(&mut own.body)));
        }
        Ok(Some(Both { body, summary, lists }))
    }
}

/// Whether the summary is the number of all nodes of an entity.
fn is_count_of_all(rows: &Rows) -> bool {
    let is_number = |output: &ir::Output| match &output.kind {
        OutputKind::Aggregate(aggregate) => aggregate.terms.iter().all(|term| term.place.is_none()),
        _ => true,
    };
    rows.filter.is_all()
        && matches!(rows.from, ir::From::Entity(_))
        && rows.outputs.iter().all(is_number)
}
