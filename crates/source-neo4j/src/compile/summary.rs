//! Summaries of all rows, regardless of the page: their number and aggregates, in one row.

use cypher::{Clause, Expression, Function, Projection, ProjectionItem, Variable};
use ir::{AggregateFunction, AggregateTerm, Form, OutputId, OutputKind, Rows};
use response::{ColumnRef, LevelId};
use source::CompileError;

use super::super::program::{LevelPage, LevelRows};
use super::listed::Start;
use super::place::{Kind, Scope, formed};
use super::rows::returning;
use super::statement::Statement;
use super::{Compiler, column, refused};

/// The subqueries that make the values of one row.
pub(super) struct Summary {
    pub(super) level: LevelId,
    pub(super) width: u16,
    /// Each returns one row.
    pub(super) bodies: Vec<Vec<Clause>>,
    /// The value in a list of the rows' values.
    pub(super) row: Expression,
}

/// The requested values of all rows.
#[derive(Default)]
struct Requested<'r> {
    /// The outputs that the row of values is for.
    outputs: Vec<OutputId>,
    terms: Vec<Term<'r>>,
}

/// One value of a summary.
#[derive(Clone, Copy)]
struct Term<'r> {
    function: AggregateFunction,
    place: Option<&'r ir::ValueRef>,
    form: Form,
    /// Over distinct nodes, where relationships lead to them.
    once: bool,
}

/// The rows over which a value is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    /// The rows as they are found: a node for each relationship that leads to it.
    Rows,
    /// Each node once.
    Nodes,
    /// Either: the nodes suffice to compute how often each is found.
    Counted,
}

impl Compiler<'_> {
    /// The summary of all rows, if any is requested.
    pub(super) fn summary(
        &mut self,
        rows: &Rows,
        start: Start<'_, '_>,
        statement: &mut Statement,
    ) -> Result<Option<Summary>, CompileError> {
        let Requested { outputs, terms } = self.requested(rows)?;
        if outputs.is_empty() {
            return Ok(None);
        }
        // Its place is set with the columns of the level above.
        let level = self.level(LevelRows::InRow { column: 0 }, LevelPage::default())?;
        for output in outputs {
            self.place_output(output, ColumnRef::Level(level));
        }
        let leads = leads(rows);
        let over: Vec<Over> = terms.iter().map(|term| term.over(leads)).collect();
        let (of_rows, of_nodes) = (over.contains(&Over::Rows), over.contains(&Over::Nodes));
        let width = column(terms.len())?;
        if let Start::Listed(listed) = start
            && terms.iter().all(|term| term.is_count(leads))
        {
            let size = Expression::call(Function::Size, vec![Expression::Variable(listed.list)]);
            let row = in_a_row(vec![size; terms.len()]);
            return Ok(Some(Summary { level, width, bodies: Vec::new(), row }));
        }
        if !(of_rows && of_nodes) {
            let (mut body, values) = self.summary_part(rows, start, of_nodes, &terms, statement)?;
            let name = statement.column();
            body.push(returning(in_a_row(values), name));
            let row = Expression::Variable(name);
            return Ok(Some(Summary { level, width, bodies: vec![body], row }));
        }
        // Some are computed of nodes, some of relationships.
        let mut bodies = Vec::with_capacity(2);
        let mut places: Vec<Option<Variable>> = vec![None; terms.len()];
        for nodes in [false, true] {
            let is_own = |over: &Over| (*over == Over::Nodes) == nodes;
            let own: Vec<usize> =
                (0..terms.len()).filter(|idx| over.get(*idx).is_some_and(is_own)).collect();
            let which: Vec<Term<'_>> =
                own.iter().filter_map(|idx| terms.get(*idx).copied()).collect();
            let (mut body, values) = self.summary_part(rows, start, nodes, &which, statement)?;
            let mut items = Vec::with_capacity(values.len());
            for (idx, value) in own.into_iter().zip(values) {
                let name = statement.column();
                items.push(ProjectionItem::named(value, name));
                if let Some(place) = places.get_mut(idx) {
                    *place = Some(name);
                }
            }
            body.push(Clause::Return(Projection { items, ..Projection::default() }));
            bodies.push(body);
        }
        let values =
            places.into_iter().map(|place| place.map_or(Expression::Null, Expression::Variable));
        Ok(Some(Summary { level, width, bodies, row: in_a_row(values.collect()) }))
    }

    /// The requested values; the number of rows comes first.
    fn requested<'r>(&mut self, rows: &'r Rows) -> Result<Requested<'r>, CompileError> {
        let Requested { mut outputs, mut terms } = Requested::default();
        let counts = rows.outputs.iter().filter(|output| output.kind == OutputKind::Count);
        outputs.extend(counts.map(|output| output.id));
        if !outputs.is_empty() {
            let function = AggregateFunction::Count;
            terms.push(Term { function, place: None, form: Form::Stored, once: false });
        }
        for output in &rows.outputs {
            let OutputKind::Aggregate(aggregate) = &output.kind else { continue };
            if aggregate.paged {
                return Err(refused("an aggregate of a page"));
            }
            if !aggregate.group_by.is_empty() || aggregate.having.is_some() {
                return Err(refused("groups of rows"));
            }
            outputs.push(output.id);
            for AggregateTerm { id, function, place, form, once } in &aggregate.terms {
                self.place_output(*id, ColumnRef::Column(column(terms.len())?));
                let (function, place) = (*function, place.as_ref());
                terms.push(Term { function, place, form: *form, once: *once });
            }
        }
        Ok(Requested { outputs, terms })
    }

    /// Values over the same rows.
    fn summary_part(
        &self,
        rows: &Rows,
        start: Start<'_, '_>,
        nodes: bool,
        terms: &[Term<'_>],
        statement: &mut Statement,
    ) -> Result<(Vec<Clause>, Vec<Expression>), CompileError> {
        let (mut clauses, scope) = self.found(rows, start, statement)?;
        let mut times = None;
        if nodes {
            let counts = terms.iter().any(|term| term.is_count(true));
            let mut projection = Projection::of([scope.node]);
            if let Kind::Variants { number, .. } = scope.kind
                && self.depends_on_entity(terms, &scope)?
            {
                projection.items.push(ProjectionItem::variable(number));
            }
            if counts {
                let name = statement.column();
                projection.items.push(ProjectionItem::named(Expression::CountRows, name));
                times = Some(name);
            } else {
                projection.distinct = true;
            }
            clauses.push(Clause::With(projection));
        }
        let values = terms.iter().map(|term| {
            let value = match (term.place, term.function, times) {
                (None, AggregateFunction::Count, Some(times)) => {
                    Expression::call(Function::Sum, vec![Expression::Variable(times)])
                }
                (None, AggregateFunction::Count, None) => Expression::CountRows,
                (None, AggregateFunction::DistinctCount, _) if nodes || !leads(rows) => {
                    Expression::CountRows
                }
                (None, AggregateFunction::DistinctCount, _) => Expression::Call {
                    function: Function::Count,
                    distinct: true,
                    arguments: vec![Expression::Variable(scope.node)],
                },
                (None, _, _) => return Err(refused("an aggregate of no field")),
                (Some(place), function, _) => {
                    let (_, value) = self.place(place, &scope)?;
                    self.aggregate(function, value, statement)?
                }
            };
            formed(value, term.form)
        });
        let values = values.collect::<Result<Vec<_>, _>>()?;
        Ok((clauses, values))
    }
}

impl Compiler<'_> {
    /// Whether some value depends on the entity of a node, among several.
    fn depends_on_entity(
        &self,
        terms: &[Term<'_>],
        scope: &Scope<'_>,
    ) -> Result<bool, CompileError> {
        for term in terms {
            if let Some(place) = term.place
                && let (_, Expression::Case(_)) = self.place(place, scope)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Term<'_> {
    fn over(&self, leads: bool) -> Over {
        match self.place {
            Some(ir::ValueRef::Field { .. } | ir::ValueRef::Common(_)) if self.once && leads => {
                Over::Nodes
            }
            Some(_) => Over::Rows,
            None => Over::Counted,
        }
    }

    /// Whether it is the number of rows as they are found, with or without relationships.
    fn is_count(&self, leads: bool) -> bool {
        match self.function {
            AggregateFunction::Count => self.place.is_none(),
            AggregateFunction::DistinctCount => self.place.is_none() && !leads,
            _ => false,
        }
    }
}

/// Whether a node may be found several times: by relationships, or as one of several entities.
fn leads(rows: &Rows) -> bool {
    matches!(rows.from, ir::From::Relation(_) | ir::From::Variants(_))
}

/// A row, in a list of rows.
fn in_a_row(values: Vec<Expression>) -> Expression {
    Expression::List(vec![Expression::List(values)])
}
