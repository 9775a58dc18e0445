//! Conditions on related rows.

use cypher::{Clause, Comparison, Expression, Function, Match, Path, Projection, Query};
use ir::{AggregateFunction, Filter, Hop, Operand, Quantifier, ValueRef, Variant};
use source::CompileError;

use super::super::program::ParameterType;
use super::place::Scope;
use super::rows::returning;
use super::statement::Statement;
use super::{Compiler, refused};

/// A group of related rows.
#[derive(Clone, Copy)]
struct Group<'r> {
    ways: Paths<'r>,
    /// Each row's own fields count once, however many relationships lead to it.
    once: bool,
}

/// The comparison of an aggregate of related rows.
#[derive(Clone, Copy)]
struct Compared<'r> {
    comparison: ir::Comparison,
    operand: &'r Operand,
    /// Whether the value is a list, any of whose elements has to fulfil the comparison.
    element: bool,
}

#[derive(Clone, Copy)]
enum Paths<'r> {
    One { hop: Hop, filter: &'r Filter },
    Several(&'r [Variant]),
}

impl Compiler<'_> {
    /// Whether related rows pass a filter.
    pub(super) fn related(
        &self,
        hop: Hop,
        quantifier: Quantifier,
        filter: &Filter,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        if quantifier == Quantifier::Every && filter.is_all() {
            // The filter passes all rows, so none fails it.
            return Ok(Expression::Boolean(true));
        }
        let (path, far) = self.along(hop, scope, false, statement)?;
        let passes = self.filter(filter, &far, statement)?;
        let passes = match quantifier {
            Quantifier::Every => Expression::Not(Box::new(passes)),
            Quantifier::Some | Quantifier::None | Quantifier::Single => passes,
        };
        let passes = Expression::condition(vec![passes]);
        let exists =
            |path, passes| Expression::Exists(Box::new(Query::of(vec![Match::of(path, passes)])));
        Ok(match quantifier {
            Quantifier::Some => exists(path, passes),
            Quantifier::Every | Quantifier::None => Expression::Not(Box::new(exists(path, passes))),
            Quantifier::Single => {
                self.number(path, passes).compare(Comparison::Equal, Expression::Integer(1))
            }
        })
    }

    /// In how many ways a pattern is found.
    pub(super) fn number(&self, path: Path, filter: Option<Expression>) -> Expression {
        if self.flavor.count_subqueries {
            return Expression::Count(Box::new(Query::of(vec![Match::of(path, filter)])));
        }
        let value = Box::new(Expression::Integer(1));
        let filter = filter.map(Box::new);
        let found = Expression::PatternComprehension { path, filter, value };
        Expression::call(Function::Size, vec![found])
    }

    /// A condition on a group of related rows. Each aggregate of them has a subquery.
    pub(super) fn related_group(
        &self,
        (hop, filter, once): (Hop, &Filter, bool),
        having: &Filter,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let ways = Paths::One { hop, filter };
        self.having(Group { ways, once }, having, scope, statement)
    }

    /// A group of related rows of several entities.
    pub(super) fn variant_group(
        &self,
        (variants, once): (&[Variant], bool),
        having: &Filter,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let ways = Paths::Several(variants);
        self.having(Group { ways, once }, having, scope, statement)
    }

    fn having(
        &self,
        group: Group<'_>,
        having: &Filter,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let mut all = |filters: &[Filter]| -> Result<Vec<Expression>, CompileError> {
            filters.iter().map(|filter| self.having(group, filter, scope, statement)).collect()
        };
        match having {
            Filter::And(filters) => Ok(Expression::all(all(filters)?)),
            Filter::Or(filters) => Ok(Expression::Or(all(filters)?)),
            Filter::Not(filter) => {
                Ok(Expression::Not(Box::new(self.having(group, filter, scope, statement)?)))
            }
            Filter::Compare { place: ValueRef::Counted { distinct }, comparison, operand } => {
                let count = self.group_count(group, *distinct, scope, statement)?;
                self.compared(count, ParameterType::Integer, *comparison, operand, statement)
            }
            Filter::Compare {
                place: ValueRef::Aggregated { function, place },
                comparison,
                operand,
            } => {
                let compared = Compared { comparison: *comparison, operand, element: false };
                self.group_value(group, (*function, place), compared, scope, statement)
            }
            Filter::AnyElement {
                place: ValueRef::Aggregated { function, place },
                comparison,
                operand,
            } => {
                let compared = Compared { comparison: *comparison, operand, element: true };
                self.group_value(group, (*function, place), compared, scope, statement)
            }
            _ => Err(refused("this condition on related rows together")),
        }
    }

    /// Number of related rows: of relationships, or of the rows that they lead to.
    fn group_count(
        &self,
        group: Group<'_>,
        distinct: bool,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let (hop, filter) = match group.ways {
            Paths::One { hop, filter } => (hop, filter),
            Paths::Several(variants) => {
                return self.number_of_variants(variants, distinct, scope, statement);
            }
        };
        let (path, far) = self.along(hop, scope, distinct, statement)?;
        let passes = Expression::condition(vec![self.filter(filter, &far, statement)?]);
        if !distinct {
            return Ok(self.number(path, passes));
        }
        if !self.flavor.count_subqueries {
            return Err(refused("a number of different rows on this version of the server"));
        }
        let mut each = Projection::of([far.node]);
        each.distinct = true;
        let clauses = vec![Match::of(path, passes), Clause::Return(each)];
        Ok(Expression::Count(Box::new(Query::of(clauses))))
    }

    /// A condition on an aggregate of related rows: unknown where the value is null.
    fn group_value(
        &self,
        group: Group<'_>,
        (function, place): (AggregateFunction, &ValueRef),
        compared: Compared<'_>,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        if !self.flavor.collect_subqueries {
            return Err(refused("an aggregate filter on this version of the server"));
        }
        let nodes = group.once && !matches!(place, ValueRef::Edge(_));
        let (mut clauses, (field, value)) = match group.ways {
            Paths::One { hop, filter } => {
                let (path, far) = self.along(hop, scope, nodes, statement)?;
                let passes = Expression::condition(vec![self.filter(filter, &far, statement)?]);
                let mut clauses = vec![Match::of(path, passes)];
                if nodes {
                    let mut each = Projection::of([far.node]);
                    each.distinct = true;
                    clauses.push(Clause::With(each));
                }
                (clauses, self.place(place, &far)?)
            }
            Paths::Several(variants) => {
                self.values_of_variants(variants, place, nodes, scope, statement)?
            }
        };
        let r#type = match function {
            AggregateFunction::Count
            | AggregateFunction::DistinctCount
            | AggregateFunction::ShortestLength
            | AggregateFunction::LongestLength
            | AggregateFunction::Lengths => ParameterType::Integer,
            AggregateFunction::AverageLength => ParameterType::Float,
            AggregateFunction::Average => match self.field_type(field)? {
                ParameterType::Duration => ParameterType::Duration,
                _ => ParameterType::Float,
            },
            _ => self.field_type(field)?,
        };
        let value = self.aggregate(function, value, statement)?;
        // A name for the value would need a WITH, which the server groups by the row outside: then
        // of no related rows nothing would be made.
        let Compared { comparison, operand, element } = compared;
        let passes = match element {
            true => self.any_element(value, r#type, comparison, operand, statement)?,
            false => self.compared(value, r#type, comparison, operand, statement)?,
        };
        clauses.push(returning(passes, statement.column()));
        Ok(Expression::Element {
            list: Box::new(Expression::Collect(Box::new(Query::of(clauses)))),
            place: Box::new(Expression::Integer(0)),
        })
    }
}
