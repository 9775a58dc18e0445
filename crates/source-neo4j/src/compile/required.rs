//! Requirements of rows: if a row fails one, the statement fails.
//!
//! A requirement is a value that a WITH computes beside the row: the server evaluates conditions in
//! any order, those of a WITH that adds nothing together with those before it, and so for rows that
//! do not pass the others.

use cypher::{Case, Clause, Expression, Projection, ProjectionItem, Variable};
use ir::{Filter, Otherwise, OtherwiseKind};
use source::CompileError;

use super::Compiler;
use super::place::Scope;
use super::raise::raise;
use super::statement::Statement;

/// The conditions of rows.
pub(super) struct Conditions {
    /// Conditions that rows have to pass to be found.
    pub(super) passes: Vec<Expression>,
    /// The requirement of all found rows, and its variable.
    required: Option<(Expression, Variable)>,
}

impl Conditions {
    /// The requirement of all rows, as a value that is true or fails.
    pub(super) fn holds(&self) -> Option<Expression> {
        self.required.as_ref().map(|(holds, _)| holds.clone())
    }

    /// The clause that fails for rows that do not pass. `variables` are those that go on.
    pub(super) fn required(&self, variables: impl IntoIterator<Item = Variable>) -> Option<Clause> {
        let (holds, name) = self.required.clone()?;
        Some(keep_if(variables, holds, name))
    }
}

impl Compiler<'_> {
    /// The conditions and the requirements of a filter.
    pub(super) fn conditions(
        &self,
        filter: &Filter,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Conditions, CompileError> {
        let (mut plain, mut required) = (Vec::new(), Vec::new());
        split(filter, &mut plain, &mut required);
        if required.is_empty() {
            let passes = vec![self.filter(filter, scope, statement)?];
            return Ok(Conditions { passes, required: None });
        }
        let mut all = |filters: Vec<&Filter>| -> Result<Vec<Expression>, CompileError> {
            filters.into_iter().map(|filter| self.filter(filter, scope, statement)).collect()
        };
        let (passes, required) = (all(plain)?, all(required)?);
        let required = match Expression::condition(required) {
            Some(holds) => Some((or_fail(holds, statement)?, statement.column())),
            None => None,
        };
        Ok(Conditions { passes, required })
    }

    /// The subquery that fails if one of the nodes of a list does not pass.
    pub(super) fn checked(
        &self,
        check: &Filter,
        list: Variable,
        statement: &mut Statement,
    ) -> Result<Option<Clause>, CompileError> {
        if check.is_all() {
            return Ok(None);
        }
        let node = statement.element();
        let scope = Scope::of(node, None);
        let holds = Expression::condition(vec![self.filter(check, &scope, statement)?]);
        let Some(holds) = holds else { return Ok(None) };
        let holds = or_fail(holds, statement)?;
        let body = vec![
            Clause::Unwind { list: Expression::Variable(list), variable: node },
            keep_if([node], holds, statement.column()),
            super::rows::returning(Expression::CountRows, statement.column()),
        ];
        Ok(Some(super::rows::call(vec![list], body)))
    }
}

/// The clause that keeps rows with a value; the value is computed for no others.
pub(super) fn keep_if(
    variables: impl IntoIterator<Item = Variable>,
    holds: Expression,
    name: Variable,
) -> Clause {
    let mut projection = Projection::of(variables);
    projection.items.push(ProjectionItem::named(holds, name));
    projection.filter = Some(Expression::Variable(name));
    Clause::With(projection)
}

/// The parts of the outermost conjunction.
fn split<'f>(filter: &'f Filter, plain: &mut Vec<&'f Filter>, required: &mut Vec<&'f Filter>) {
    match filter {
        Filter::And(filters) => filters.iter().for_each(|filter| split(filter, plain, required)),
        Filter::Required(filter) => required.push(filter),
        Filter::Or(_)
        | Filter::Not(_)
        | Filter::Except(_)
        | Filter::Barrier { .. }
        | Filter::Compare { .. }
        | Filter::CompareText { .. }
        | Filter::CompareValues { .. }
        | Filter::Exists { .. }
        | Filter::IsNull(_)
        | Filter::AnyElement { .. }
        | Filter::ElementBetween { .. }
        | Filter::FunctionRows { .. }
        | Filter::Relation { .. }
        | Filter::RelatedGroup { .. }
        | Filter::VariantGroup { .. }
        | Filter::Text { .. }
        | Filter::Nearest(_)
        | Filter::Geo { .. } => plain.push(filter),
    }
}

/// True, or the end of the statement: a condition that is unknown does not hold.
fn or_fail(holds: Expression, statement: &mut Statement) -> Result<Expression, CompileError> {
    let otherwise = Otherwise::new(OtherwiseKind::Refused, "Forbidden");
    let failure = Box::new(Expression::IsNull(Box::new(raise(&otherwise, statement)?)));
    let branches = vec![(holds, Expression::Boolean(true))];
    Ok(Expression::Case(Case { branches, otherwise: Some(failure) }))
}
