//! Orders of rows of a type.

use ir::Direction;

use super::builder::Builder;
use super::facts::is_orderable;
use super::reads;
use super::section::Section;
use crate::model::{Field, TypeIndex};
use api::binding::{InputBinding, OrderRole};
use api::draft::{DraftInput, DraftKind, DraftValue};

/// Adds the order of a type, if its rows can be ordered.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let provided = build.provided(index);
    let fields = r#type.fields.iter().enumerate();
    let fields = fields.filter(|(_, field)| is_orderable(r#type, field, &provided));
    let value = |(place, field): (usize, &Field)| {
        DraftValue::new(&field.name, reads::sorted(build, index, place))
    };
    let values: Vec<DraftValue> = fields.map(value).collect();
    if values.is_empty() {
        return;
    }
    let (order, orderable) = (format!("{}Order", r#type.name), format!("{}Orderable", r#type.name));
    let directed = |name, direction| {
        DraftInput::new(name, &orderable, InputBinding::lenient(OrderRole::Directed(direction)))
    };
    let members = vec![
        directed("asc", Direction::Ascending),
        directed("desc", Direction::Descending),
        DraftInput::new("then", &order, InputBinding::lenient(OrderRole::Then)),
    ];
    build.input(&order, members);
    build.draft.add_plain(Section::Enums, &orderable, DraftKind::Enum { values });
}
