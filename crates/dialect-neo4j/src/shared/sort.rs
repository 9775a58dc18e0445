//! Input types of the orders of lists.

use super::attribute::{Attribute, Origin};
use crate::shared::draft::DraftInput;
use api::binding::{InputBinding, OrderRole};

/// The enum of directions.
pub(crate) const DIRECTION: &str = "SortDirection";

/// The order by an attribute; `apart` binds those that only some of several types store.
pub(crate) fn direction(attribute: &Attribute<'_>, apart: InputBinding) -> DraftInput {
    let binding = match attribute.origin {
        Origin::Node(field) => InputBinding::lenient(OrderRole::Field(field)),
        Origin::Edge(field) => InputBinding::lenient(OrderRole::Edge(field)),
        Origin::Common(place) => InputBinding::lenient(OrderRole::Common(place)),
        Origin::Computed(made) => InputBinding::lenient(OrderRole::Computed(made.function)),
        Origin::Apart => apart,
    };
    DraftInput::new(attribute.name(), DIRECTION, binding)
}

/// The description of a type of orders of rows.
pub(crate) fn description(rows: &str, sort: &str) -> String {
    format!(
        "Fields to sort {rows} by. The order in which sorts are applied is not guaranteed when \
         specifying many fields in one {sort} object."
    )
}
