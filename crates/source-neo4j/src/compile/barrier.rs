//! Conditions that are evaluated only on nodes that pass others.
//!
//! The server evaluates the conditions of a WHERE in the order that it estimates to be cheap, and
//! merges those of a WITH that adds nothing with the ones before it. Only a branch of CASE waits
//! for its condition. A condition that cannot fail, and takes no longer for one value than for
//! another, stands beside it as well: an index can serve it there.

use catalog::Type;
use cypher::{Case, Expression};
use ir::{Comparison, Filter, TextMatch, ValueRef};
use source::CompileError;

use super::super::program::ParameterType;
use super::Compiler;
use super::place::Scope;
use super::statement::Statement;

impl Compiler<'_> {
    /// `then` of the nodes that pass `first`.
    pub(super) fn barrier(
        &self,
        first: &Filter,
        then: &Filter,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let (mut harmless, mut guarded) = (Vec::new(), Vec::new());
        self.split_harmless(then, &mut harmless, &mut guarded);
        let mut conditions = vec![self.filter(first, scope, statement)?];
        for filter in harmless {
            conditions.push(self.filter(filter, scope, statement)?);
        }
        let mut rest = Vec::with_capacity(guarded.len());
        for filter in guarded {
            rest.push(self.filter(filter, scope, statement)?);
        }
        if let Some(rest) = Expression::condition(rest) {
            let branches = vec![(self.filter(first, scope, statement)?, rest)];
            let otherwise = Some(Box::new(Expression::Boolean(false)));
            conditions.push(Expression::Case(Case { branches, otherwise }));
        }
        Ok(Expression::all(conditions))
    }

    /// The parts of the outermost conjunction.
    fn split_harmless<'f>(
        &self,
        filter: &'f Filter,
        harmless: &mut Vec<&'f Filter>,
        guarded: &mut Vec<&'f Filter>,
    ) {
        match filter {
            Filter::And(filters) => {
                filters.iter().for_each(|filter| self.split_harmless(filter, harmless, guarded));
            }
            _ if self.is_harmless(filter) => harmless.push(filter),
            _ => guarded.push(filter),
        }
    }

    /// Whether evaluating a condition reveals nothing of a node but whether it passes.
    fn is_harmless(&self, filter: &Filter) -> bool {
        match filter {
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter().all(|filter| self.is_harmless(filter))
            }
            Filter::Not(filter) | Filter::Except(filter) => self.is_harmless(filter),
            Filter::IsNull(place) => is_property(place),
            Filter::Compare { place, comparison, .. } => {
                is_property(place)
                    && match comparison {
                        Comparison::Equal
                        | Comparison::NotEqual
                        | Comparison::In
                        | Comparison::NotIn => true,
                        // Durations are added to a moment first, which fails for other values.
                        Comparison::Less
                        | Comparison::LessOrEqual
                        | Comparison::Greater
                        | Comparison::GreaterOrEqual => !self.may_be_duration(place),
                        _ => false,
                    }
            }
            Filter::Text { place, r#match: TextMatch::StartsWith, case, .. } => {
                is_property(place) && *case != ir::Case::Ignored
            }
            _ => false,
        }
    }

    fn may_be_duration(&self, place: &ValueRef) -> bool {
        let ValueRef::Field { field, .. } = place else { return true };
        match self.catalog.base_type(&self.catalog[*field].r#type) {
            Type::Scalar(_) | Type::Enum(_) => {
                !self.field_type(*field).is_ok_and(|r#type| r#type != ParameterType::Duration)
            }
            _ => true,
        }
    }
}

/// Whether it is a stored property of the node itself.
fn is_property(place: &ValueRef) -> bool {
    match place {
        ValueRef::Field { path, .. } => path.is_empty(),
        _ => false,
    }
}
