//! What is made of all rows of a set: their number, sums and the like, and groups of them.
//!
//! Each is a level of its own: one row for each parent, or a row for each group of a parent's
//! rows. The page of the rows is left aside. Along a relationship all parents share one
//! statement, grouped by the parents' keys; a parent without rows has no row then, and whoever
//! reads the level knows what that means.

use catalog::{FieldId, FunctionResult, Scalar, Type};
use ir::{
    Aggregate, AggregateFunction, AggregateTerm, Call, Comparison, Filter, Hop, Operand, Output,
    OutputKind, Rows, ValueRef,
};
use response::LevelId;
use source::CompileError;
use sql::{Alias, Expression, NullsOrder, OrderItem, Select, SelectItem};

use super::compile::{Compiler, Parent};
use super::items::numbered;
use super::level::LevelKind;
use super::parents::{LinkedScope, join_page};
use super::row_set::{Scope, page_bounds};
use super::statement::Statement;
use super::value::{Against, COUNT, ValueKind};

impl Compiler<'_> {
    /// Compiles the number of the rows, their aggregates and their groups.
    pub(super) fn aggregates(
        &mut self,
        rows: &Rows,
        parent: Option<&Parent<'_>>,
    ) -> Result<(), CompileError> {
        let mut whole = Vec::new();
        let mut whole_page = Vec::new();
        let mut groups = Vec::new();
        let mut count = None;
        for output in &rows.outputs {
            match &output.kind {
                OutputKind::Count => count = Some(output.id),
                OutputKind::Aggregate(aggregate)
                    if aggregate.paged && aggregate.group_by.is_empty() =>
                {
                    whole_page.push((output.id, aggregate));
                }
                OutputKind::Aggregate(aggregate) if aggregate.group_by.is_empty() => {
                    whole.push((output.id, aggregate));
                }
                OutputKind::Aggregate(aggregate) => groups.push((output.id, aggregate)),
                _ => {}
            }
        }
        let all = all_of(rows);
        if !whole_page.is_empty() {
            let aggregates: Vec<&Aggregate> =
                whole_page.iter().map(|(_, aggregate)| *aggregate).collect();
            let level = self.whole(&page_of(rows), false, &aggregates, parent)?;
            for (output, _) in whole_page {
                self.place_output(output, response::ColumnRef::Level(level));
            }
        }
        if count.is_some() || !whole.is_empty() {
            let aggregates: Vec<&Aggregate> =
                whole.iter().map(|(_, aggregate)| *aggregate).collect();
            let level = self.whole(&all, count.is_some(), &aggregates, parent)?;
            for output in count.into_iter().chain(whole.iter().map(|(id, _)| *id)) {
                self.place_output(output, response::ColumnRef::Level(level));
            }
        }
        for (output, aggregate) in groups {
            let level = match aggregate.paged {
                true => self.groups(&page_of(rows), aggregate, parent)?,
                false => self.groups(&all, aggregate, parent)?,
            };
            self.place_output(output, response::ColumnRef::Level(level));
        }
        Ok(())
    }

    /// One row for all rows of a parent. The number of rows is column 0, where it is asked for.
    fn whole(
        &mut self,
        all: &Rows,
        counted: bool,
        aggregates: &[&Aggregate],
        parent: Option<&Parent<'_>>,
    ) -> Result<LevelId, CompileError> {
        let mut statement = Statement::default();
        let linked = self.aggregated_scope(all, parent, &mut statement)?;
        let LinkedScope { mut scope, lateral, link, how, .. } = linked;
        let mut items = Vec::new();
        if counted {
            items.push(Expression::CountRows);
        }
        for aggregate in aggregates {
            if aggregate.having.is_some() {
                return Err(CompileError::not_built("a condition on no group"));
            }
            self.terms(&aggregate.terms, &mut items, &mut scope, &mut statement)?;
        }
        let linked = LinkedScope { scope, lateral, link, how, numbered: false };
        let select = self.linked(all, linked, items, Vec::new(), &mut statement)?;
        let kind = if aggregates.is_empty() { LevelKind::Count } else { LevelKind::Aggregate };
        let level = self.push(all, parent, &select, statement, kind, how)?;
        self.close(level)?;
        Ok(level)
    }

    /// A row for each group of a parent's rows, in the order of the keys.
    fn groups(
        &mut self,
        all: &Rows,
        aggregate: &Aggregate,
        parent: Option<&Parent<'_>>,
    ) -> Result<LevelId, CompileError> {
        let mut statement = Statement::default();
        let linked = self.aggregated_scope(all, parent, &mut statement)?;
        let LinkedScope { mut scope, lateral, link, how, .. } = linked;
        let mut keys = Vec::with_capacity(aggregate.group_by.len());
        for place in &aggregate.group_by {
            keys.push(self.compared_place(place, &mut scope, &mut statement)?);
        }
        let mut items = Vec::new();
        self.terms(&aggregate.terms, &mut items, &mut scope, &mut statement)?;
        if let Some(having) = &aggregate.having {
            scope.select.having = Some(self.filter(having, &mut scope, &mut statement)?);
        }
        let linked = LinkedScope { scope, lateral, link, how, numbered: false };
        let select = self.linked(all, linked, items, keys, &mut statement)?;
        let level = self.push(all, parent, &select, statement, LevelKind::Groups, how)?;
        self.close(level)?;
        Ok(level)
    }

    /// The rows that something is made of. Those of a page are cut off in a subquery.
    fn aggregated_scope(
        &self,
        rows: &Rows,
        parent: Option<&Parent<'_>>,
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        let mut linked = self.scope(rows, parent, statement)?;
        let bounds = page_bounds(rows)?;
        if linked.numbered {
            self.cut_within(rows, &mut linked, statement)?;
        } else if bounds.limit.is_some() || bounds.offset.is_some() {
            self.order(rows, &mut linked.scope, statement)?;
            self.page(rows, false, &mut linked.scope, statement)?;
            if let ir::From::Variants(_) = rows.from {
                linked.scope.within_union(statement);
                return Ok(linked);
            }
            self.stand_within(rows, None, &mut linked.scope, statement)?;
        }
        Ok(linked)
    }

    /// The values of all rows of each parent, in groups by `keys`, with the parents' keys. Where
    /// each parent has a select of its own, that is grouped by nothing else.
    fn linked(
        &self,
        all: &Rows,
        linked: LinkedScope,
        items: Vec<Expression>,
        keys: Vec<Expression>,
        statement: &mut Statement,
    ) -> Result<Select, CompileError> {
        let LinkedScope { mut scope, lateral, link, .. } = linked;
        let columns = items.len();
        match &lateral {
            Some(_) => scope.select.items = numbered(items.into_iter()),
            None => {
                let items = items.into_iter().chain(link.iter().cloned());
                scope.select.items = items.map(item).collect();
                scope.select.group_by = self.group_by(all, link.clone())?;
            }
        }
        scope.select.group_by.extend(keys.iter().cloned());
        scope.select.order_by = keys.into_iter().map(ascending).collect();
        let Some(parents) = lateral else { return Ok(scope.select) };
        let (mut select, alias) = join_page(parents, scope.select, statement);
        let columns = (0_u16..).take(columns).map(|number| Expression::numbered(alias, number));
        select.items = columns.chain(link).map(item).collect();
        Ok(select)
    }

    /// Adds the columns of an aggregate's values.
    fn terms(
        &mut self,
        terms: &[AggregateTerm],
        items: &mut Vec<Expression>,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        for AggregateTerm { id, function, place, form, .. } in terms {
            let value = self.aggregate(*function, place.as_ref(), scope, statement)?;
            let column = u16::try_from(items.len()).unwrap_or(u16::MAX);
            items.push(match place.as_ref().and_then(|place| self.field_at(place)) {
                Some(field) => self.formed(field, value, *form),
                None => value,
            });
            self.place_output(*id, response::ColumnRef::Column(column));
        }
        Ok(())
    }

    /// One value of all rows of a group.
    pub(super) fn aggregate(
        &self,
        function: AggregateFunction,
        place: Option<&ValueRef>,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let Some(place) = place else {
            return match function {
                AggregateFunction::Count => Ok(Expression::CountRows),
                _ => Err(CompileError::not_built("an aggregate of no field")),
            };
        };
        if function == AggregateFunction::GroupKey {
            return self.compared_place(place, scope, statement);
        }
        if let ValueRef::Distinct(place) = place {
            let value = self.aggregate(function, Some(place), scope, statement)?;
            return match value {
                Expression::Aggregate { function, argument }
                    if function != sql::AggregateFunction::CountDistinct =>
                {
                    let argument = Box::new(Expression::Distinct(argument));
                    Ok(Expression::Aggregate { function, argument })
                }
                value => Ok(value),
            };
        }
        if let (AggregateFunction::DistinctCount, ValueRef::Computed(call)) = (function, place) {
            // What a function gives is counted as it is, rows and composites without a value
            // among it.
            let call = self.call_of_row(call, scope, statement)?;
            let function = sql::AggregateFunction::CountDistinct;
            return Ok(Expression::Aggregate { function, argument: Box::new(call) });
        }
        if let (AggregateFunction::DistinctCount, ValueRef::Together(fields)) = (function, place) {
            let value = |field: &FieldId| {
                let kind = ValueKind::of(self.catalog, *field);
                self.comparable(kind, self.field(scope.alias, *field))
            };
            let argument = Box::new(Expression::Together(fields.iter().map(value).collect()));
            let function = sql::AggregateFunction::CountDistinct;
            return Ok(Expression::Aggregate { function, argument });
        }
        if let Some(function) = function_of_two(function) {
            let ValueRef::Together(fields) = place else {
                return Err(CompileError::not_built("this aggregate of one value"));
            };
            let values = fields.iter().map(|field| self.field(scope.alias, *field)).collect();
            let argument = Box::new(Expression::Arguments(values));
            return Ok(Expression::Aggregate { function, argument });
        }
        let (field, column) = self.place(place, scope, statement)?;
        let kind = ValueKind::of(self.catalog, field);
        let exact = matches!(kind, ValueKind::Integer { .. } | ValueKind::Decimal);
        let column = match (function, self.catalog.base_type(&self.catalog[field].r#type)) {
            // An amount has no zero that is a number.
            (AggregateFunction::Total, Type::Scalar(Scalar::Money)) => {
                self.formed(field, column, ir::Form::Number)
            }
            _ => column,
        };
        let (function, argument) = match function {
            AggregateFunction::Count => (sql::AggregateFunction::Count, column),
            AggregateFunction::DistinctCount => {
                (sql::AggregateFunction::CountDistinct, self.comparable(kind, column))
            }
            AggregateFunction::Minimum => {
                (sql::AggregateFunction::Minimum, self.comparable(kind, column))
            }
            AggregateFunction::Maximum => {
                (sql::AggregateFunction::Maximum, self.comparable(kind, column))
            }
            AggregateFunction::All => (sql::AggregateFunction::All, self.comparable(kind, column)),
            AggregateFunction::Any => (sql::AggregateFunction::Any, self.comparable(kind, column)),
            AggregateFunction::Sum if exact => (sql::AggregateFunction::ExactSum, column),
            AggregateFunction::Sum => (sql::AggregateFunction::Sum, column),
            AggregateFunction::Total if exact => (sql::AggregateFunction::ExactTotal, column),
            AggregateFunction::Total => (sql::AggregateFunction::Total, column),
            AggregateFunction::Average if exact => (sql::AggregateFunction::ExactAverage, column),
            AggregateFunction::Average => (sql::AggregateFunction::Average, column),
            AggregateFunction::StandardDeviationSample => {
                (sql::AggregateFunction::StandardDeviationSample, column)
            }
            AggregateFunction::StandardDeviationPopulation => {
                (sql::AggregateFunction::StandardDeviationPopulation, column)
            }
            AggregateFunction::VarianceSample => (sql::AggregateFunction::VarianceSample, column),
            AggregateFunction::VariancePopulation => {
                (sql::AggregateFunction::VariancePopulation, column)
            }
            AggregateFunction::GroupKey
            | AggregateFunction::Correlation
            | AggregateFunction::CovarianceSample
            | AggregateFunction::ShortestText
            | AggregateFunction::LongestText
            | AggregateFunction::ShortestLength
            | AggregateFunction::LongestLength
            | AggregateFunction::AverageLength
            | AggregateFunction::Values
            | AggregateFunction::Lengths => {
                return Err(CompileError::not_built("this aggregate"));
            }
        };
        Ok(Expression::Aggregate { function, argument: Box::new(argument) })
    }

    /// A condition on one value of all rows of a group.
    pub(super) fn compare_aggregate(
        &self,
        function: AggregateFunction,
        place: &ValueRef,
        (comparison, operand): (Comparison, &Operand),
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        if let AggregateFunction::Count | AggregateFunction::DistinctCount = function {
            let value = self.aggregate(function, Some(place), scope, statement)?;
            return self.compared(COUNT, value, comparison, operand, statement);
        }
        let values = match place {
            ValueRef::Distinct(values) => values,
            values => values,
        };
        let field = match values {
            ValueRef::Together(fields) => fields.first().copied(),
            _ => self.field_at(place),
        };
        let field = field.ok_or(CompileError::not_built("an aggregate of rows"))?;
        let value = self.aggregate(function, Some(place), scope, statement)?;
        let kind = self.aggregate_kind(function, field);
        let value = self.comparable_aggregate(function, field, value);
        self.compared((Against::Field(field), kind), value, comparison, operand, statement)
    }

    /// The kind of what a function makes of a field's values.
    pub(super) fn aggregate_kind(&self, function: AggregateFunction, field: FieldId) -> ValueKind {
        match function {
            AggregateFunction::Minimum
            | AggregateFunction::Maximum
            | AggregateFunction::All
            | AggregateFunction::Any
            | AggregateFunction::GroupKey => ValueKind::of(self.catalog, field),
            // Sums, averages and numbers of values are beyond the type of the values.
            _ => ValueKind::Decimal,
        }
    }

    /// What a function makes, as this database can compare it: exact sums that a source brings
    /// may be texts.
    pub(super) fn comparable_aggregate(
        &self,
        function: AggregateFunction,
        field: FieldId,
        value: Expression,
    ) -> Expression {
        match function {
            AggregateFunction::Sum | AggregateFunction::Total | AggregateFunction::Average
                if !self.flavor.exact_sums =>
            {
                self.formed(field, value, ir::Form::Number)
            }
            _ => value,
        }
    }

    /// An aggregate of the rows that are related to the row at `near`: to be shown, or to be
    /// compared.
    pub(super) fn related_aggregate(
        &self,
        (hop, filter, aggregate): (Hop, &Filter, &Aggregate),
        compared: bool,
        (near, scope): (Alias, &mut Scope),
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        if self.may_correlate(hop, near, statement) {
            let mut rows = self.related_rows(hop, filter, near, statement)?;
            let value = self.aggregate_value(&mut rows, aggregate, compared, statement)?;
            return Ok(value_of(rows, value));
        }
        let mut rows = self.related_rows_elsewhere(hop, filter, near, statement)?;
        let value = self.aggregate_value(&mut rows, aggregate, compared, statement)?;
        let (values, _) = self.join_groups(hop, (rows, vec![value]), near, scope, statement);
        Ok(match Self::is_nullable(aggregate) {
            true => Expression::first_of(values),
            // Without rows there is no group.
            false => {
                let values = values.into_iter().chain([Expression::Number(0)]);
                Expression::Coalesce(values.collect())
            }
        })
    }

    /// An aggregate of the rows that a function of the row returns, likewise.
    pub(super) fn function_aggregate(
        &self,
        (call, filter, aggregate): (&Call, &Filter, &Aggregate),
        compared: bool,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let mut rows = self.function_rows(call, filter, scope, statement)?;
        let value = self.aggregate_value(&mut rows, aggregate, compared, statement)?;
        Ok(value_of(rows, value))
    }

    /// One aggregate of rows, to be shown or to be compared.
    fn aggregate_value(
        &self,
        scope: &mut Scope,
        aggregate: &Aggregate,
        compared: bool,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let [AggregateTerm { function, place, form, .. }] = aggregate.terms.as_slice() else {
            return Err(CompileError::not_built("several aggregates as one value"));
        };
        if aggregate.paged || !aggregate.group_by.is_empty() || aggregate.having.is_some() {
            return Err(CompileError::not_built("groups of related rows as one value"));
        }
        let value = self.aggregate(*function, place.as_ref(), scope, statement)?;
        Ok(match place.as_ref().and_then(|place| self.field_at(place)) {
            None => value,
            Some(field) if compared => self.comparable_aggregate(*function, field, value),
            Some(field) => self.formed(field, value, *form),
        })
    }

    /// A condition on all rows together that are related to the row at `near`.
    pub(super) fn related_group(
        &self,
        (hop, filter, having): (Hop, &Filter, &Filter),
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let near = scope.alias;
        if self.may_correlate(hop, near, statement) {
            let mut rows = self.related_rows(hop, filter, near, statement)?;
            let condition = self.filter(having, &mut rows, statement)?;
            return Ok(value_of(rows, condition));
        }
        let mut rows = self.related_rows_elsewhere(hop, filter, near, statement)?;
        let condition = self.filter(having, &mut rows, statement)?;
        let mut no_rows = self.rows_elsewhere(hop, statement);
        no_rows.select.and_where(Expression::Boolean(false));
        let of_none = self.filter(having, &mut no_rows, statement)?;
        let groups = (rows, vec![condition]);
        let (values, has_no_group) = self.join_groups(hop, groups, near, scope, statement);
        let then = Box::new(value_of(no_rows, of_none));
        // A group's own condition may be null.
        let of_none = Expression::When { condition: Box::new(has_no_group), then };
        Ok(Expression::Coalesce([of_none].into_iter().chain(values).collect()))
    }

    /// The rows that are related to the row at `near` and pass a filter.
    fn related_rows(
        &self,
        hop: Hop,
        filter: &Filter,
        near: Alias,
        statement: &mut Statement,
    ) -> Result<Scope, CompileError> {
        let mut scope = self.rows_along(hop, near, statement);
        if !filter.is_all() {
            let passes = self.filter_within(near, filter, &mut scope, statement)?;
            scope.select.and_where(passes);
        }
        Ok(scope)
    }

    /// All rows that may be related to the row at `near`, wherever they are, and pass a filter.
    fn related_rows_elsewhere(
        &self,
        hop: Hop,
        filter: &Filter,
        near: Alias,
        statement: &mut Statement,
    ) -> Result<Scope, CompileError> {
        let mut scope = self.rows_elsewhere(hop, statement);
        if !filter.is_all() {
            let passes = self.filter_within(near, filter, &mut scope, statement)?;
            scope.select.and_where(passes);
        }
        Ok(scope)
    }

    /// Whether an aggregate may be null.
    pub(super) fn is_nullable(aggregate: &Aggregate) -> bool {
        !aggregate.terms.iter().all(|term| {
            matches!(
                term.function,
                AggregateFunction::Count
                    | AggregateFunction::DistinctCount
                    | AggregateFunction::Total
            )
        })
    }

    /// The field that says what kind of values a place has.
    fn field_at(&self, place: &ValueRef) -> Option<FieldId> {
        match place {
            ValueRef::Computed(call) => match self.catalog[call.function].result {
                FunctionResult::Value(field) => Some(field),
                _ => None,
            },
            _ => field_of(place),
        }
    }

    /// A place as this database can compare its values.
    fn compared_place(
        &self,
        place: &ValueRef,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let (field, column) = self.place(place, scope, statement)?;
        Ok(match place {
            // What was cut off is in the form in which it is compared.
            ValueRef::Truncated { .. } => column,
            _ => self.comparable(ValueKind::of(self.catalog, field), column),
        })
    }
}

/// A value of a set of rows, as a subquery.
fn value_of(mut rows: Scope, value: Expression) -> Expression {
    rows.select.items = vec![item(value)];
    Expression::Subquery(Box::new(rows.select))
}

/// A function of two values.
fn function_of_two(function: AggregateFunction) -> Option<sql::AggregateFunction> {
    match function {
        AggregateFunction::Correlation => Some(sql::AggregateFunction::Correlation),
        AggregateFunction::CovarianceSample => Some(sql::AggregateFunction::CovarianceSample),
        _ => None,
    }
}

/// The field that a place is made of.
pub(super) fn field_of(place: &ValueRef) -> Option<FieldId> {
    match place {
        ValueRef::Field { field, .. } | ValueRef::Outer { field, .. } | ValueRef::Edge(field) => {
            Some(*field)
        }
        ValueRef::Truncated { place, .. } | ValueRef::Aggregated { place, .. } => field_of(place),
        ValueRef::Attribute { of: place, .. }
        | ValueRef::If { place, .. }
        | ValueRef::Distinct(place)
        | ValueRef::Spatial { place, .. }
        | ValueRef::OrElse { place, .. } => field_of(place),
        ValueRef::Coalesce(places) => field_of(places.first()?),
        ValueRef::Computed(_)
        | ValueRef::Distance(_)
        | ValueRef::Counted { .. }
        | ValueRef::Together(_)
        | ValueRef::Common(_) => None,
    }
}

/// The rows without their page, and nothing asked of them yet. What counts as absent does so
/// whatever is asked.
fn all_of(rows: &Rows) -> Rows {
    let is_condition = |output: &&Output| matches!(output.kind, OutputKind::PresentIf { .. });
    Rows {
        id: rows.id,
        from: without_outputs(&rows.from),
        filter: rows.filter.clone(),
        // It says which of the rows that agree is one of them.
        order: if rows.distinct.is_empty() { Vec::new() } else { rows.order.clone() },
        page: ir::Page::All,
        distinct: rows.distinct.clone(),
        single: rows.single,
        once: rows.once,
        shown: rows.shown,
        outputs: rows.outputs.iter().filter(is_condition).cloned().collect(),
    }
}

/// The same rows, of which nothing is asked where they are of several entities.
fn without_outputs(from: &ir::From) -> ir::From {
    let mut from = from.clone();
    if let ir::From::Variants(variants) = &mut from {
        variants.iter_mut().for_each(|variant| variant.outputs.clear());
    }
    from
}

/// The rows of the page, none of which is shown: those that an access rule cuts off are aggregated,
/// too.
fn page_of(rows: &Rows) -> Rows {
    Rows { order: rows.order.clone(), page: rows.page.requested(), ..all_of(rows) }
}

fn item(expression: Expression) -> SelectItem {
    SelectItem { expression, name: None }
}

fn ascending(expression: Expression) -> OrderItem {
    let direction = sql::Direction::Ascending;
    OrderItem { expression, direction, nulls: Some(NullsOrder::Last) }
}
