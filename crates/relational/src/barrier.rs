//! Conditions that are evaluated only on rows that pass others.
//!
//! A database evaluates the conditions of a WHERE in the order that it finds cheapest, some of them
//! where it scans a table that it joins later. So a condition that fails for some value, has an
//! effect, or takes long, would show what rows hold that another condition leaves out. Only CASE has
//! an order: PostgreSQL and SQLite evaluate a branch for rows that pass its condition, whatever their
//! planners do. A condition that shows nothing but its outcome stands beside the CASE as well, so
//! that indexes and joins serve it. That is what PostgreSQL's own security barriers do, which let
//! leakproof operators pass.
//!
//! The first condition stands outside too, where an index or a join may decide it.

use catalog::{EntityKind, Scalar, Type};
use ir::{Case, Comparison, Filter, Hop, OrderKey, Quantifier, ValueRef};
use source::CompileError;
use sql::{Alias, Expression};

use super::compile::Compiler;
use super::filter::all;
use super::row_set::Scope;
use super::statement::Statement;
use super::value::ValueKind;

/// What has to pass before anything else is evaluated on the rows of a scope.
#[derive(Debug, Default)]
pub(super) struct Guards {
    /// The rows themselves.
    pub(super) first: Option<Filter>,
    /// Those at the ends of paths. They count as absent if they do not pass, but a join that is
    /// found to need them may look at their values before that is decided.
    pub(super) joined: Vec<(Vec<Hop>, Filter)>,
    /// The rows are made by a function or a change, or held by a field: what looks like a column
    /// may be computed.
    pub(super) made: bool,
    /// Whether what is compiled stands in the branch that waits for these.
    is_within: bool,
}

/// What of a condition is evaluated on all rows, and what on those that pass first.
#[derive(Default)]
struct Parts<'f> {
    harmless: Vec<&'f Filter>,
    guarded: Vec<&'f Filter>,
}

impl Compiler<'_> {
    /// `then` of the rows that pass `first`.
    pub(super) fn barrier(
        &self,
        first: &Filter,
        then: &Filter,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let Parts { harmless, guarded } = self.parts(then, scope);
        let mut conditions = vec![self.filter(first, scope, statement)?];
        for filter in harmless {
            conditions.push(self.filter(filter, scope, statement)?);
        }
        // Of two ranges of a column SQLite looks the one up that stands first: that of the request
        // leaves out more rows than a policy's, as a rule.
        conditions.rotate_left(1);
        if !guarded.is_empty() {
            let before = scope.set_within(true);
            let mut rest = Vec::with_capacity(guarded.len());
            for filter in guarded {
                rest.push(self.filter(filter, scope, statement)?);
            }
            scope.set_within(before);
            let then = Box::new(all(rest));
            let condition = Box::new(self.filter(first, scope, statement)?);
            conditions.push(Expression::When { condition, then });
        }
        Ok(all(conditions))
    }

    /// A condition on what an order compares, of the rows that pass first.
    pub(super) fn guarded(
        &self,
        condition: Expression,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let Some(first) = scope.guards.first.clone() else { return Ok(condition) };
        let first = Box::new(self.filter(&first, scope, statement)?);
        Ok(Expression::When { condition: first, then: Box::new(condition) })
    }

    /// A computed value that rows are sorted or grouped by. PostgreSQL may sort the rows of a table
    /// before it joins others to them, those among it that decide which rows there are.
    pub(super) fn sorted(
        &self,
        value: Expression,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let is_joined = scope.guards.first.as_ref().is_some_and(Filter::reads_other_rows);
        match is_joined && self.flavor.sorts_before_joins {
            true => self.guarded(value, scope, statement),
            false => Ok(value),
        }
    }

    /// A condition that the database cannot make a join of, so that it is decided where the rows
    /// themselves are read.
    pub(super) fn decided_alone(
        &self,
        filter: &Filter,
        alias: Alias,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let condition = self.condition_on(filter, alias, statement)?;
        if !filter.reads_other_rows() {
            return Ok(condition);
        }
        let then = Box::new(Expression::Boolean(true));
        Ok(Expression::When { condition: Box::new(condition), then })
    }

    /// What the row at the end of a path has to pass before its values are looked at, where that is
    /// not decided yet.
    pub(super) fn guard_of_joined(
        &self,
        scope: &mut Scope,
        path: &[Hop],
        statement: &mut Statement,
    ) -> Result<Option<Expression>, CompileError> {
        if !scope.guards.is_within {
            return Ok(None);
        }
        self.condition_of_joined(scope, path, statement)
    }

    /// What the row at the end of a path has to pass, and those on the way to it.
    pub(super) fn condition_of_joined(
        &self,
        scope: &mut Scope,
        path: &[Hop],
        statement: &mut Statement,
    ) -> Result<Option<Expression>, CompileError> {
        let joined = scope.guards.joined.iter().filter(|(own, _)| path.starts_with(own));
        let mut conditions = Vec::new();
        for (own, filter) in joined.cloned().collect::<Vec<_>>() {
            let alias = self.joined(scope, statement, &own);
            conditions.push(self.condition_on(&filter, alias, statement)?);
        }
        Ok((!conditions.is_empty()).then(|| Expression::all(conditions)))
    }

    /// The parts of the outermost conjunction. Where the database reads a list of values when it
    /// first compares one with it, a condition that finds rows by one list alone stands outside: of
    /// two, the time that the second takes would tell whether the first found a hidden row.
    fn parts<'f>(&self, filter: &'f Filter, scope: &Scope) -> Parts<'f> {
        let mut parts = Parts::default();
        let mut lists = Vec::new();
        self.split(filter, scope, &mut parts, &mut lists);
        let finds_one = |list: &&Filter| self.finds_one(list);
        let alone = match lists.iter().position(finds_one) {
            // An index of it is worth more than one of anything else.
            Some(position) => {
                parts.guarded.append(&mut parts.harmless);
                Some(position)
            }
            None => (parts.harmless.is_empty() && !lists.is_empty()).then_some(0),
        };
        parts.harmless.extend(alone.map(|position| lists.remove(position)));
        parts.guarded.append(&mut lists);
        parts
    }

    fn split<'f>(
        &self,
        filter: &'f Filter,
        scope: &Scope,
        parts: &mut Parts<'f>,
        lists: &mut Vec<&'f Filter>,
    ) {
        let made = scope.guards.made;
        match filter {
            Filter::And(filters) => {
                filters.iter().for_each(|filter| self.split(filter, scope, parts, lists));
            }
            _ if self.is_harmless(filter, made) => parts.harmless.push(filter),
            Filter::Compare { place, comparison: Comparison::In, .. }
            | Filter::CompareText {
                place, comparison: Comparison::In, case: Case::AsTyped, ..
            } if self.is_harmlessly_compared(place, made) => {
                lists.push(filter);
            }
            _ => parts.guarded.push(filter),
        }
    }

    /// Whether each value of a list is that of one row at most.
    fn finds_one(&self, filter: &Filter) -> bool {
        let (Filter::Compare { place, .. } | Filter::CompareText { place, .. }) = filter else {
            return false;
        };
        let ValueRef::Field { field, .. } = place else { return false };
        self.catalog[self.catalog[*field].entity].is_unique_alone(*field)
    }

    /// Whether evaluating a condition shows nothing of a row but whether it passes.
    fn is_harmless(&self, filter: &Filter, made: bool) -> bool {
        match filter {
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter().all(|filter| self.is_harmless(filter, made))
            }
            Filter::Not(filter) | Filter::Except(filter) => self.is_harmless(filter, made),
            // What comes first shows nothing by itself.
            Filter::Barrier { then, .. } => self.is_harmless(then, made),
            Filter::IsNull(place) => self.is_column(place, made),
            Filter::Compare { place, comparison, .. } => {
                self.is_order(*comparison) && self.is_harmlessly_compared(place, made)
            }
            Filter::CompareText { place, comparison, case: Case::AsTyped, .. } => {
                self.is_order(*comparison) && self.is_harmlessly_compared(place, made)
            }
            Filter::Relation { quantifier, filter, .. } => match quantifier {
                Quantifier::Some | Quantifier::Every | Quantifier::None => {
                    self.is_harmless(filter, false)
                }
                Quantifier::Single => false,
            },
            Filter::CompareText { .. }
            | Filter::CompareValues { .. }
            | Filter::Exists { .. }
            | Filter::FunctionRows { .. }
            | Filter::Required(_)
            | Filter::AnyElement { .. }
            | Filter::ElementBetween { .. }
            | Filter::RelatedGroup { .. }
            | Filter::VariantGroup { .. }
            | Filter::Text { .. }
            | Filter::Nearest(_)
            | Filter::Geo { .. } => false,
        }
    }

    /// Whether comparing what an order compares shows nothing but the outcome.
    pub(super) fn is_harmless_order(&self, key: &OrderKey, scope: &Scope) -> bool {
        match key {
            OrderKey::Value(place) => self.is_harmlessly_compared(place, scope.guards.made),
            OrderKey::Relation { .. } | OrderKey::Call(_) | OrderKey::FunctionRows { .. } => false,
        }
    }

    /// Whether it compares two values by their order, at a cost that is the same for all rows.
    fn is_order(&self, comparison: Comparison) -> bool {
        match comparison {
            Comparison::In | Comparison::NotIn => !self.flavor.reads_lists_late,
            comparison => is_order(comparison),
        }
    }

    /// Whether it is a column of a table, whose value nobody computes.
    fn is_column(&self, place: &ValueRef, made: bool) -> bool {
        let ValueRef::Field { field, .. } = place else { return false };
        let field = &self.catalog[*field];
        let is_stored = match self.catalog[field.entity].kind {
            EntityKind::Table | EntityKind::MaterializedView => true,
            // A view computes its columns, and another server is asked in words of its own.
            EntityKind::View
            | EntityKind::ForeignTable
            | EntityKind::Record
            | EntityKind::Model
            | EntityKind::ValueSet
            | EntityKind::Composite
            | EntityKind::Node
            | EntityKind::Edge => false,
        };
        is_stored && !made && field.generated != Some(catalog::Generated::Stored)
    }

    fn is_harmlessly_compared(&self, place: &ValueRef, made: bool) -> bool {
        let ValueRef::Field { field, .. } = place else { return false };
        if !self.is_column(place, made) {
            return false;
        }
        let r#type = self.catalog.base_type(&self.catalog[*field].r#type);
        match (self.flavor.typed_text, r#type) {
            (true, Type::Scalar(scalar)) => is_leakproof(scalar),
            (true, _) => false,
            (false, r#type) => match ValueKind::of_type(self.catalog, r#type) {
                ValueKind::Boolean
                | ValueKind::Integer { .. }
                | ValueKind::Decimal
                | ValueKind::Float
                | ValueKind::Text
                | ValueKind::Uuid
                | ValueKind::Date
                | ValueKind::Bytes => true,
                // What is compared is computed of the text that is stored.
                ValueKind::Timestamp
                | ValueKind::TimestampWithZone
                | ValueKind::Epoch(_)
                | ValueKind::Time
                | ValueKind::TimeWithZone
                | ValueKind::Json
                | ValueKind::List
                | ValueKind::Composite
                | ValueKind::Other => false,
            },
        }
    }
}

impl Scope {
    /// Says whether what is compiled next waits for the guards; gives what was said before.
    pub(super) fn set_within(&mut self, is_within: bool) -> bool {
        std::mem::replace(&mut self.guards.is_within, is_within)
    }
}

/// Whether PostgreSQL says of the operators `=`, `<>`, `<`, `<=`, `>` and `>=` between two values of
/// the type that they are leakproof, in every version that is supported.
#[must_use]
pub fn is_leakproof(scalar: &Scalar) -> bool {
    match scalar {
        Scalar::Boolean
        | Scalar::Int16
        | Scalar::Int32
        | Scalar::Int64
        | Scalar::Float32
        | Scalar::Float64
        | Scalar::Money
        | Scalar::Text
        | Scalar::Character { .. }
        | Scalar::Uuid
        | Scalar::Date
        | Scalar::Time
        | Scalar::TimeWithZone
        | Scalar::Timestamp
        | Scalar::TimestampWithZone
        | Scalar::Interval
        | Scalar::Bytes
        | Scalar::Inet
        | Scalar::Cidr
        | Scalar::MacAddress
        | Scalar::MacAddress8
        | Scalar::Bit
        | Scalar::ObjectId => true,
        Scalar::Decimal { .. }
        | Scalar::CaseInsensitiveText
        | Scalar::Json
        | Scalar::Jsonb
        | Scalar::Xml
        | Scalar::Point
        | Scalar::GeographicPoint
        | Scalar::CartesianPoint
        | Scalar::Spatial(_)
        | Scalar::KeyValue
        // Of SQLite alone.
        | Scalar::Epoch(_)
        | Scalar::Other(_) => false,
    }
}

/// Whether it is one of these operators, or is made of them.
fn is_order(comparison: Comparison) -> bool {
    match comparison {
        Comparison::Equal
        | Comparison::NotEqual
        | Comparison::DistinctFrom
        | Comparison::NotDistinctFrom
        | Comparison::Less
        | Comparison::LessOrEqual
        | Comparison::Greater
        | Comparison::GreaterOrEqual
        | Comparison::In
        | Comparison::NotIn => true,
        Comparison::Contains
        | Comparison::ContainedBy
        | Comparison::ContainsMore
        | Comparison::ContainedByMore
        | Comparison::ContainsElement
        | Comparison::Overlaps
        | Comparison::LeftOf
        | Comparison::RightOf
        | Comparison::NotRightOf
        | Comparison::NotLeftOf
        | Comparison::Adjacent
        | Comparison::HasKey
        | Comparison::HasAnyKey
        | Comparison::HasAllKeys
        | Comparison::PathExists
        | Comparison::PathIsTrue
        | Comparison::Tree(_) => false,
    }
}
