//! Arguments of fields that return rows.

use super::builder::Builder;
use super::facts::{Provided, has_orderable};
use crate::model::{Base, InputValue, TypeIndex};
use api::binding::{ArgumentRole, FilterRole, InputBinding, InputRole};
use api::draft::DraftInput;

/// The arguments of a list of rows of a type: filter, order and page. `provided` are fields that
/// the type with the list has of other subgraphs.
pub(super) fn of_list(
    build: &Builder<'_>,
    target: TypeIndex,
    provided: &Provided<'_>,
) -> Vec<DraftInput> {
    let name = &build.r#type(target).name;
    let mut arguments = vec![filter(name)];
    if has_orderable(build.r#type(target), provided) {
        let binding = InputBinding::lenient(ArgumentRole::Sort);
        arguments.push(DraftInput::new("order", &format!("{name}Order"), binding));
    }
    arguments.extend(page());
    arguments
}

/// The arguments of a list of rows of a union, which have no order.
pub(super) fn of_union_list(name: &str) -> Vec<DraftInput> {
    let mut arguments = vec![filter(name)];
    arguments.extend(page());
    arguments
}

/// The filter of rows of a type or of a union.
pub(super) fn filter(name: &str) -> DraftInput {
    let binding = InputBinding::lenient(FilterRole::Conditions);
    DraftInput::new("filter", &format!("{name}Filter"), binding)
}

/// Arguments of the definitions: stored fields ignore them.
pub(super) fn own(build: &Builder<'_>, arguments: &[InputValue]) -> Vec<DraftInput> {
    let own = arguments.iter().map(|argument| {
        let binding = InputBinding::lenient(InputRole::Ignored);
        DraftInput::new(&argument.name, &build.input_text(argument.r#type), binding)
    });
    own.collect()
}

/// The arguments of a field of rows along a relation; none of other fields.
pub(super) fn of_relation(
    build: &Builder<'_>,
    base: Base,
    is_list: bool,
    provided: &Provided<'_>,
) -> Vec<DraftInput> {
    match (base, is_list) {
        (Base::Type(target), true) => of_list(build, target, provided),
        (Base::Union(_), true) => of_union_list(build.name(base)),
        (Base::Type(_) | Base::Union(_), false) => vec![filter(build.name(base))],
        (Base::Scalar(_) | Base::Enum(_) | Base::Input(_), _) => Vec::new(),
    }
}

fn page() -> [DraftInput; 2] {
    [("first", ArgumentRole::SignedLimit), ("offset", ArgumentRole::Offset)]
        .map(|(name, role)| DraftInput::new(name, "Int", InputBinding::lenient(role)))
}
