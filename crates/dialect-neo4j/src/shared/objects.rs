//! Fields of object types and interfaces.

use super::attribute::{Attribute, Origin};
use super::builder::Builder;
use crate::model::ShownField;
use crate::shared::draft::DraftField;
use api::binding::{EdgeField, FieldBinding};

/// The binding of a field of an interface: only those of objects are executed.
pub(crate) fn in_interface() -> FieldBinding {
    FieldBinding::Refused("It is a field of an interface.".into())
}

/// The field that shows a stored value; `others` binds what no object stores.
pub(crate) fn column(
    build: &Builder<'_>,
    attribute: &Attribute<'_>,
    others: FieldBinding,
) -> DraftField {
    let binding = match attribute.origin {
        Origin::Node(field) => FieldBinding::Column(field),
        Origin::Edge(field) => FieldBinding::Edge(EdgeField::Column(field)),
        Origin::Common(_) | Origin::Apart | Origin::Computed(_) => others,
    };
    DraftField::of(attribute.field, &attribute.output(build), binding)
}

/// A field of an interface whose target only its types define.
pub(crate) fn of_types(field: &ShownField) -> DraftField {
    let mut draft = DraftField::new(&field.name, &field.r#type, in_interface());
    draft.description.clone_from(&field.description);
    draft.deprecated(field.deprecated.as_ref())
}
