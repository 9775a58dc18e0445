//! The arguments of lists.

use api::InputBinding;
use api::binding::{ArgumentRole, FilterRole, PagePart};
use api::draft::DraftInput;

use super::builder::Builder;
use super::{filters, sort};
use crate::errors::{not_negative, too_many_nodes};
use crate::model::TypeIndex;

/// The arguments of a list of rows.
pub(super) fn of_list(build: &Builder<'_>, index: TypeIndex) -> Vec<DraftInput> {
    let name = &*build.r#type(index).name;
    let argument = |name, r#type: &str, role: ArgumentRole| {
        DraftInput::new(name, r#type, InputBinding::lenient(role))
    };
    let mut arguments = vec![condition(name)];
    // A type without values has no order of its own.
    if filters::has_orders(build, index) {
        let orders = format!("{name}OrderByInput");
        arguments.push(argument("orderBy", &orders, ArgumentRole::OrderBy));
    }
    let number = |name, part| {
        let otherwise = not_negative(name).into();
        let most = build.offered.max_nodes.filter(|_| part != PagePart::Offset).map(too_many_nodes);
        argument(
            name,
            "Int",
            ArgumentRole::NotNegative {
                part,
                otherwise: Box::new(otherwise),
                most: most.map(Box::new),
            },
        )
    };
    arguments.extend([
        number("skip", PagePart::Offset),
        argument("after", "String", ArgumentRole::AfterKey),
        argument("before", "String", ArgumentRole::BeforeKey),
        number("first", PagePart::Limit),
        number("last", PagePart::Last),
    ]);
    arguments.extend(sort::argument(build, index));
    arguments
}

/// The condition on the rows of a list or of a change.
pub(super) fn condition(name: &str) -> DraftInput {
    let r#type = format!("{name}WhereInput");
    DraftInput::new("where", &r#type, InputBinding::lenient(FilterRole::Conditions))
}
