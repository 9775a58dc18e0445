//! Orders by several values, by those of related rows, and by the number of related rows: an
//! extension.

use api::binding::{ArgumentRole, OrderRole, RelationPath};
use api::draft::{DraftInput, DraftValue};
use api::{InputBinding, ValueBinding};
use ir::{Direction, HopDirection, Nulls};

use super::builder::{Builder, RelationField, described};
use crate::model::TypeIndex;

const DIRECTION: &str = "SortOrder";
const COUNT: &str = "RelationCountSortInput";

const SORT: &str = "The rows in the order of each of these values, after that of orderBy. Null is \
     greater than every value.";

/// Adds the orders of a type, if the extension is chosen.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    if !build.offered.extensions.orders {
        return;
    }
    add_shared(build);
    let scalars = build.scalars(index).filter_map(|(place, field, _)| {
        let column = build.located.column(index, place)?;
        Some(member(&field.name, DIRECTION, OrderRole::Field(column.field)))
    });
    let mut members: Vec<DraftInput> = scalars.collect();
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
    build.input(COUNT, vec![member("count", DIRECTION, OrderRole::RelatedCount)]);
}

/// The order by the row of a relation, or by the number of its rows. One row is that of the column in
/// the ordered row: a table of pairs does not say which of several is meant.
fn of_relation(build: &Builder<'_>, relation: RelationField<'_>) -> Option<DraftInput> {
    let path = build.located.path(relation.index, relation.end)?;
    match (relation.is_list, path) {
        (true, RelationPath::Hop(hop) | RelationPath::Through { near: hop, .. }) => {
            Some(member(relation.name, COUNT, OrderRole::RelatedAggregates(hop)))
        }
        (false, RelationPath::Hop(hop)) if hop.direction == HopDirection::Forward => {
            build.scalars(relation.target).next()?;
            let r#type = name(build, relation.target);
            Some(member(relation.name, &r#type, OrderRole::Related(hop)))
        }
        (false, RelationPath::Hop(_) | RelationPath::Through { .. }) => None,
    }
}

fn member(name: &str, r#type: &str, role: OrderRole) -> DraftInput {
    DraftInput::new(name, r#type, InputBinding::lenient(role))
}
