//! Orders by several values, by those of related rows, and by the number of related rows: an
//! extension.

use api::binding::{ArgumentRole, OrderRole, RelationPath};
use api::draft::{DraftInput, DraftValue};
use api::{InputBinding, ValueBinding};
use ir::{Direction, HopDirection, Nulls};

use super::builder::{Builder, RelationField, described, upper_first};
use super::groups::{FUNCTIONS, Function, is_made};
use crate::model::{ScalarType, TypeIndex};

const DIRECTION: &str = "SortOrder";

const SORT: &str = "The rows in the order of each of these values, after that of orderBy. Null is \
     greater than every value.";

/// Adds the orders of a type, if the extension is chosen.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    if !build.offered.extensions.orders {
        return;
    }
    add_shared(build);
    add_aggregates(build, index);
    add_values(build, index);
    let mut members = directions(build, index, |_| true);
    let relations = build.relations(index);
    members.extend(relations.into_iter().filter_map(|relation| of_relation(build, relation)));
    if !members.is_empty() {
        let name = name(build, index);
        build.input(&name, members);
    }
}

/// The argument of lists, if the extension is chosen and the type has values.
pub(super) fn argument(build: &Builder<'_>, index: TypeIndex) -> Option<DraftInput> {
    let is_sorted = build.offered.extensions.orders && build.scalars(index).next().is_some();
    is_sorted.then(|| {
        let r#type = format!("[{}!]", name(build, index));
        let binding = InputBinding::lenient(ArgumentRole::Sort);
        described(DraftInput::new("sort", &r#type, binding), SORT)
    })
}

fn name(build: &Builder<'_>, index: TypeIndex) -> String {
    format!("{}SortInput", build.r#type(index).name)
}

fn add_shared(build: &mut Builder<'_>) {
    if build.draft.has(DIRECTION) {
        return;
    }
    // As PostgreSQL orders: null is greater than every value.
    let ascending = ValueBinding::Placed { direction: Direction::Ascending, nulls: Nulls::Last };
    let descending = ValueBinding::Placed { direction: Direction::Descending, nulls: Nulls::First };
    let values = vec![DraftValue::new("ASC", ascending), DraftValue::new("DESC", descending)];
    build.values(DIRECTION, values);
}

/// The order by the row of a relation, or by aggregates of its rows. One row that has the column of
/// the relation itself, or is found by a table of pairs, is found by its least value, since nothing
/// enforces that it is one.
fn of_relation(build: &Builder<'_>, relation: RelationField<'_>) -> Option<DraftInput> {
    let path = build.located.path(relation.index, relation.end)?;
    match (relation.is_list, path) {
        (true, RelationPath::Hop(hop)) => {
            let r#type = aggregates_name(build, relation.target);
            Some(member(relation.name, &r#type, OrderRole::RelatedAggregates(hop)))
        }
        (true, RelationPath::Through { near, far }) => {
            let r#type = aggregates_name(build, relation.target);
            let role = OrderRole::RelatedAggregatesThrough { near, far };
            Some(member(relation.name, &r#type, role))
        }
        (false, RelationPath::Hop(hop)) if hop.direction == HopDirection::Forward => {
            build.scalars(relation.target).next()?;
            let r#type = name(build, relation.target);
            Some(member(relation.name, &r#type, OrderRole::Related(hop)))
        }
        (false, path) => {
            build.scalars(relation.target).find(|(_, _, scalar)| has_least(scalar.r#type))?;
            let role = match path {
                RelationPath::Hop(hop) => OrderRole::RelatedAggregates(hop),
                RelationPath::Through { near, far } => {
                    OrderRole::RelatedAggregatesThrough { near, far }
                }
            };
            Some(member(relation.name, &values_name(build, relation.target), role))
        }
    }
}

/// Adds the orders by aggregates of several rows of a type.
fn add_aggregates(build: &mut Builder<'_>, index: TypeIndex) {
    let mut members = vec![member("count", DIRECTION, OrderRole::RelatedCount)];
    for Function { name, function, .. } in &FUNCTIONS {
        let columns = directions(build, index, |r#type| is_made(*function, r#type));
        if !columns.is_empty() {
            let r#type = format!("{}SortBy{}Input", build.r#type(index).name, upper_first(name));
            build.input(&r#type, columns);
            members.push(member(name, &r#type, OrderRole::Aggregates(*function)));
        }
    }
    let r#type = aggregates_name(build, index);
    build.input(&r#type, members);
}

/// Adds the orders by the one row of a type that has the column of a relation.
fn add_values(build: &mut Builder<'_>, index: TypeIndex) {
    let members = directions(build, index, has_least);
    if !members.is_empty() {
        let r#type = values_name(build, index);
        build.input(&r#type, members);
    }
}

/// Whether all databases have a least value of a type.
fn has_least(r#type: ScalarType) -> bool {
    match r#type {
        ScalarType::Id
        | ScalarType::String
        | ScalarType::Int
        | ScalarType::Float
        | ScalarType::DateTime
        | ScalarType::Enum(_) => true,
        ScalarType::Boolean | ScalarType::Json | ScalarType::Uuid => false,
    }
}

fn aggregates_name(build: &Builder<'_>, index: TypeIndex) -> String {
    format!("{}SortByAggregatesInput", build.r#type(index).name)
}

fn values_name(build: &Builder<'_>, index: TypeIndex) -> String {
    format!("{}SortByValueInput", build.r#type(index).name)
}

/// A direction for each value of a type.
fn directions(
    build: &Builder<'_>,
    index: TypeIndex,
    has: impl Fn(ScalarType) -> bool,
) -> Vec<DraftInput> {
    let scalars = build.scalars(index).filter(|(_, _, scalar)| has(scalar.r#type));
    let members = scalars.filter_map(|(place, field, _)| {
        let column = build.located.column(index, place)?;
        Some(member(&field.name, DIRECTION, OrderRole::Field(column.field)))
    });
    members.collect()
}

fn member(name: &str, r#type: &str, role: OrderRole) -> DraftInput {
    DraftInput::new(name, r#type, InputBinding::lenient(role))
}
