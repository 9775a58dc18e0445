//! Inputs of the stored values of new objects.

use super::attribute::{Attribute, Origin};
use super::builder::Builder;
use crate::shared::draft::DraftInput;
use crate::shared::values::{constant, required};
use api::binding::WriteRole;

/// Adds the values of a new object.
pub(crate) fn add_created<'b, 'm: 'b>(
    build: &mut Builder<'_>,
    name: &str,
    attributes: impl Iterator<Item = &'b Attribute<'m>>,
) {
    build.draft.input(name);
    for attribute in attributes {
        // An interface has no nodes of its own that could be created.
        let (Origin::Node(field) | Origin::Edge(field)) = attribute.origin else { continue };
        let r#type = required(build.given(attribute.property), attribute.property);
        let mut input = DraftInput::lenient(attribute.name(), &r#type, WriteRole::Stored(field));
        input.default = attribute.property.default.as_ref().map(constant);
        build.draft.add_input(name, input.deprecated(attribute.field.deprecated.as_ref()));
    }
}
