//! Conditions on aggregates, as in the plugin pg-aggregates: `having` of groups, and `aggregates`
//! beside the quantifiers of the connection-filter plugin.

use std::sync::Arc;

use catalog::{Scalar, Type};
use graphql::schema::{TypeId, TypeKind, TypeRef};
use ir::{AggregateFunction, Call, Comparison, ValueRef};

use super::aggregates::{
    PluginAggregate, SPECIFICATIONS, Specification, claim, has_aggregates, is_available, made,
    offered,
};
use super::api_types::ComputedValue;
use super::build::{Build, input};
use super::descriptions;
use super::entity::{Column, Served};
use super::filter::{self, FilterOptions};
use api::binding::{FilterRole, InputBinding, Meaning, OperatorRole, RowsRole, Subject};

/// The operators of `having`.
const OPERATORS: [(&str, Comparison); 6] = [
    ("equalTo", Comparison::Equal),
    ("notEqualTo", Comparison::NotEqual),
    ("greaterThan", Comparison::Greater),
    ("greaterThanOrEqualTo", Comparison::GreaterOrEqual),
    ("lessThan", Comparison::Less),
    ("lessThanOrEqualTo", Comparison::LessOrEqual),
];

/// A column's aggregate, as operators compare it.
fn aggregated(function: AggregateFunction, column: &Column) -> FilterRole {
    let place = Box::new(ValueRef::field(column.field));
    FilterRole::Operators(Arc::new(Subject::new(ValueRef::Aggregated { function, place })))
}

/// Adds the type of conditions on groups of an entity's rows; `None` if its name is taken. Fills
/// `conditions` with the types of those on each function's aggregates.
pub(super) fn add_having(
    build: &mut Build<'_>,
    one: &Served<'_>,
    conditions: &mut [Option<TypeId>],
) -> Option<TypeId> {
    let table = build.table_name(one.entity.id);
    let mut compared = Vec::new();
    for (specification, known) in SPECIFICATIONS.into_iter().zip(conditions) {
        let mut columns = Vec::new();
        for column in &one.columns {
            if let Some((kind, takes)) = having_kind(build, column, specification.function) {
                let role = aggregated(specification.function, column);
                let name = build.column_name(column.field);
                let role = if takes { role } else { refused(role, unfit(specification, name)) };
                columns.push((column, kind, role));
            }
        }
        if !columns.is_empty() {
            compared.push((specification, known, columns));
        }
    }
    let subject = build.entity_name(one.entity.id);
    let object = || TypeKind::InputObject { fields: Vec::new() };
    let name = build.inflection.having_type(table);
    let description = descriptions::having_type(&one.name);
    let having = claim(build, &subject, &name, object(), Some(description.into()))?;
    let list = TypeRef::named(having).non_null().list();
    let item = Meaning::True;
    for (name, role) in
        [("AND", FilterRole::And { item: item.clone() }), ("OR", FilterRole::Or { item })]
    {
        let definition = graphql::schema::InputDefinition::new(name, list);
        build.api.add_input_field(having, definition, InputBinding::lenient(role));
    }
    for (specification, known, columns) in compared {
        *known = add_conditions(build, one, having, specification);
        let Some(values) = *known else { continue };
        for (column, kind, role) in columns {
            let Some(r#type) = kind.find(build) else { continue };
            let definition =
                graphql::schema::InputDefinition::new(&column.name, TypeRef::named(r#type));
            build.api.add_input_field(values, definition, InputBinding::lenient(role));
        }
    }
    Some(having)
}

/// Adds the type of conditions on a function's aggregates of a group.
pub(super) fn add_conditions(
    build: &mut Build<'_>,
    one: &Served<'_>,
    having: TypeId,
    specification: Specification,
) -> Option<TypeId> {
    let subject = build.entity_name(one.entity.id);
    let table = build.table_name(one.entity.id);
    let name = build.inflection.having_aggregate_type(table, specification.name);
    let kind = TypeKind::InputObject { fields: Vec::new() };
    let values = claim(build, &subject, &name, kind, None)?;
    let definition =
        graphql::schema::InputDefinition::new(specification.name, TypeRef::named(values));
    build.api.add_input_field(having, definition, InputBinding::lenient(FilterRole::Conditions));
    Some(values)
}

/// A condition that the database cannot compare.
pub(super) fn refused(role: FilterRole, otherwise: Box<str>) -> FilterRole {
    FilterRole::Unsupported { role: Box::new(role), otherwise: Box::new(otherwise) }
}

/// The error where the operators of a value do not fit its aggregate.
pub(super) fn unfit(specification: Specification, name: &str) -> Box<str> {
    match specification.function {
        AggregateFunction::DistinctCount => {
            format!("how many values {name} has is a number, which {name} is not").into()
        }
        _ => specification.refusal(name),
    }
}

/// The operators that `having` has for a column, for all of its aggregates.
#[derive(Clone, Copy, Debug)]
pub(super) enum HavingKind {
    Int,
    BigInt,
    Float,
    BigFloat,
    Datetime,
}

impl HavingKind {
    /// The input type of the operators, made lazily.
    pub(super) fn find(self, build: &mut Build<'_>) -> Option<TypeId> {
        let (name, scalar) = match self {
            Self::Int => ("HavingIntFilter", "Int"),
            Self::BigInt => ("HavingBigintFilter", "BigInt"),
            Self::Float => ("HavingFloatFilter", "Float"),
            Self::BigFloat => ("HavingBigfloatFilter", "BigFloat"),
            Self::Datetime => ("HavingDatetimeFilter", "Datetime"),
        };
        if let Some(known) = build.filters.get(name) {
            return *known;
        }
        let operand = build.scalar(scalar)?;
        let kind = TypeKind::InputObject { fields: Vec::new() };
        let made = claim(build, scalar, name, kind, None);
        build.filters.insert(name.into(), made);
        for (name, comparison) in OPERATORS {
            let definition = graphql::schema::InputDefinition::new(name, operand);
            let binding = InputBinding::lenient(OperatorRole::Compare(comparison));
            build.api.add_input_field(made?, definition, binding);
        }
        made
    }
}

/// The operators of `having` for a column's aggregate, which are those of the column's type, and
/// true if the database can compare it. Domains have none.
pub(super) fn having_kind(
    build: &mut Build<'_>,
    column: &Column,
    function: AggregateFunction,
) -> Option<(HavingKind, bool)> {
    if !is_available(build, function) {
        return None;
    }
    let extreme = matches!(function, AggregateFunction::Minimum | AggregateFunction::Maximum);
    let time_zones = build.catalog.capabilities().time_zones;
    let Type::Scalar(scalar) = &build.catalog[column.field].r#type else { return None };
    let kind = match scalar {
        Scalar::Int16 | Scalar::Int32 => HavingKind::Int,
        Scalar::Int64 => HavingKind::BigInt,
        Scalar::Float32 | Scalar::Float64 => HavingKind::Float,
        Scalar::Decimal { .. } | Scalar::Money => HavingKind::BigFloat,
        // Of moments only the minimum and the maximum are moments.
        Scalar::Date | Scalar::Timestamp => return Some((HavingKind::Datetime, extreme)),
        Scalar::TimestampWithZone if time_zones => return Some((HavingKind::Datetime, extreme)),
        _ => return None,
    };
    Some((kind, made(build, column, function).is_some()))
}

/// Adds `aggregates` to a filter by several related rows, those of `other`, whose own filter is
/// `target`.
pub(super) fn add_filter(
    build: &mut Build<'_>,
    options: &FilterOptions,
    many: TypeId,
    other: &Served<'_>,
    target: TypeId,
) {
    if !has_aggregates(build, other) {
        return;
    }
    let Some((r#type, nothing)) = filter_type(build, options, other, target) else { return };
    let description = descriptions::filter_aggregates(&other.name);
    let definition = input("aggregates", &description, TypeRef::named(r#type));
    let binding = options.object(RowsRole::Group { nothing: Arc::new(nothing) });
    build.api.add_input_field(many, definition, binding);
}

/// The name, the operators and the binding of a filter by an aggregate of a function's values of
/// related rows. As in the plugin the operators are those of the function's own type.
fn computed_filter(
    build: &mut Build<'_>,
    computed: ComputedValue,
    specification: Specification,
) -> Option<(String, TypeId, FilterRole)> {
    let ComputedValue { function, name, field, value, .. } = computed;
    let r#type = &build.catalog[field].r#type;
    let is_number = matches!(
        build.catalog.base_type(r#type),
        Type::Scalar(
            Scalar::Int16
                | Scalar::Int32
                | Scalar::Int64
                | Scalar::Float32
                | Scalar::Float64
                | Scalar::Decimal { .. }
        )
    );
    let column = Column { field, name, value, not_null: false };
    let made = offered(build, &column, specification.function)?.made.is_some();
    let operators = filter::operators::find(build, r#type)?;
    let call = Call { function, of_row: Some(Vec::new()), arguments: Vec::new() };
    let place = Box::new(ValueRef::Computed(call));
    let subject = Subject::new(ValueRef::Aggregated { function: specification.function, place });
    let role = FilterRole::Operators(Arc::new(subject));
    let fits = is_number || specification.function != AggregateFunction::DistinctCount;
    let role = match (made, fits) {
        (true, true) => role,
        (true, false) => refused(role, unfit(specification, &column.name)),
        (false, _) => refused(role, specification.refusal(&column.name)),
    };
    Some((column.name, operators, role))
}

/// The type of conditions on aggregates of related rows, and the error if there are none.
fn filter_type(
    build: &mut Build<'_>,
    options: &FilterOptions,
    other: &Served<'_>,
    target: TypeId,
) -> Option<(TypeId, Box<str>)> {
    let table = &other.name;
    let mut compared = Vec::new();
    for specification in SPECIFICATIONS {
        let mut columns = Vec::new();
        for column in &other.columns {
            let Some(PluginAggregate { stored, made, .. }) =
                offered(build, column, specification.function)
            else {
                continue;
            };
            if let Some(operators) = filter::operators::find(build, &stored) {
                let role = aggregated(specification.function, column);
                let name = build.column_name(column.field);
                let role = match made {
                    Some(_) => role,
                    None => refused(role, specification.refusal(name)),
                };
                columns.push((column.name.clone(), operators, role));
            }
        }
        for computed in build.computed.get(&other.entity.id).cloned().unwrap_or_default() {
            // A column or another function may have its name.
            if columns.iter().all(|(name, _, _)| *name != computed.name) {
                columns.extend(computed_filter(build, computed, specification));
            }
        }
        if !columns.is_empty() {
            compared.push((specification, columns));
        }
    }
    let names: Vec<&str> = compared.iter().map(|(specification, _)| specification.name).collect();
    let nothing = descriptions::no_aggregate(&names)?.into();
    let name = build.inflection.filter_type(&format!("{table}Aggregates"));
    if let Some(known) = build.filters.get(&*name) {
        return known.map(|known| (known, nothing));
    }
    let subject = build.entity_name(other.entity.id);
    let object = || TypeKind::InputObject { fields: Vec::new() };
    let description = descriptions::aggregates_filter_type(table);
    let made = claim(build, &subject, &name, object(), Some(description.into()));
    build.filters.insert(name.into(), made);
    let r#type = made?;
    let description = descriptions::aggregated_if(table);
    let definition = input("filter", &description, TypeRef::named(target));
    build.api.add_input_field(r#type, definition, options.object(FilterRole::GroupFilter));
    for (specification, columns) in compared {
        let name = build.inflection.aggregate_filter_type(table, specification.name);
        let Some(values) = claim(build, &subject, &name, object(), None) else { continue };
        for (name, operators, role) in columns {
            let definition =
                graphql::schema::InputDefinition::new(&name, TypeRef::named(operators));
            build.api.add_input_field(values, definition, options.object(role));
        }
        let description = descriptions::aggregate_over(specification.label, table);
        let definition = input(specification.name, &description, TypeRef::named(values));
        build.api.add_input_field(r#type, definition, options.object(FilterRole::Conditions));
    }
    Some((r#type, nothing))
}
