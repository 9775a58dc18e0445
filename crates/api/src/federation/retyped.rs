//! Fields whose type an extension changes, where the values are the same.
//!
//! Subgraphs compose only if their fields agree in their types: an [`ID`] of others is a text of
//! the database, and a reference that is never null is nullable in the API's own definitions.
//!
//! [`ID`]: https://spec.graphql.org/draft/#sec-ID

use catalog::Catalog;
use graphql::print_type;
use graphql::schema::{FieldId, InputId, Schema, TypeId, TypeKind, TypeRef};
use ir::{Hop, HopDirection};

use super::{FederationError, scalar};
use crate::api::Api;
use crate::binding::{FieldBinding, FilterRole, InputRole, RowsBinding, RowsFrom};
use crate::builder::ApiBuilder;

/// A field with a changed type, or changed types of arguments.
#[derive(Debug)]
pub(super) struct Retyped {
    pub(super) parent: TypeId,
    pub(super) name: Box<str>,
    pub(super) change: Option<Change>,
    /// The arguments that are ids.
    pub(super) ids: Vec<Box<str>>,
}

/// Changes of a field's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// From text to ID.
    Id,
    /// From nullable to non-null: the row that is referred to always exists.
    NonNull,
}

/// The change for a field to get the given type; `None` if it is not possible.
pub(super) fn change(
    api: &Api,
    catalog: &Catalog,
    (parent, field): (TypeId, FieldId),
    said: &str,
) -> Option<Change> {
    let schema = &api.schema;
    let definition = &schema[field];
    let TypeKind::Object { interfaces, .. } = &schema[parent].kind else { return None };
    // Types of interfaces' fields stay.
    let mut interfaces = interfaces.iter();
    if interfaces.any(|interface| schema.find_field(*interface, &definition.name).is_some()) {
        return None;
    }
    match api.field(field) {
        FieldBinding::Column(_) => {
            let is_id = as_id(schema, definition.r#type).is_some_and(|text| text == said);
            is_id.then_some(Change::Id)
        }
        FieldBinding::Rows(RowsBinding { from: RowsFrom::Relation(hop), .. }) => {
            let own = definition.r#type;
            let is_said = !own.is_non_null() && print_type(schema, own.non_null()) == said;
            (is_said && is_always_there(catalog, *hop)).then_some(Change::NonNull)
        }
        _ => None,
    }
}

/// True if an argument can become an ID as declared: values of a text are compared with it.
pub(super) fn is_id(api: &Api, argument: InputId, said: &str) -> bool {
    let r#type = api.schema[argument].r#type;
    matches!(api.input(argument).role, InputRole::Filter(FilterRole::Equal(_)))
        && as_id(&api.schema, r#type).is_some_and(|text| text == said)
}

/// The API with the changed types.
pub(super) fn retype(api: Api, retyped: &[Retyped]) -> Result<Api, FederationError> {
    if retyped.is_empty() {
        return Ok(api);
    }
    let mut builder = ApiBuilder::reopen(api);
    let id = scalar(&mut builder, "ID")?;
    let with_id = |own: TypeRef| {
        let mut r#type = own;
        r#type.base = id;
        r#type
    };
    for Retyped { parent, name, change, ids } in retyped {
        let Some(old) = builder.schema().find_field(*parent, name) else { continue };
        let own = builder.schema()[old].r#type;
        let r#type = match change {
            None => own,
            Some(Change::Id) => with_id(own),
            Some(Change::NonNull) => own.non_null(),
        };
        let field = builder.retype_field(*parent, old, r#type);
        for name in ids {
            let Some(argument) = builder.schema().find_argument(field, name) else { continue };
            let r#type = with_id(builder.schema()[argument].r#type);
            builder.retype_argument(field, argument, r#type);
        }
    }
    Ok(builder.finish())
}

/// The printed type with ID instead of its text type.
pub(super) fn as_id(schema: &Schema, r#type: TypeRef) -> Option<String> {
    let base = &*schema[r#type.base].name;
    let is_text = matches!(base, "String" | "UUID");
    is_text.then(|| print_type(schema, r#type).replacen(base, "ID", 1))
}

/// True if each row refers to another one.
fn is_always_there(catalog: &Catalog, hop: Hop) -> bool {
    let relationship = &catalog[hop.relationship];
    let mut fields = relationship.from_fields.iter();
    hop.direction == HopDirection::Forward
        && !relationship.from_fields.is_empty()
        && fields.all(|field| !catalog[*field].nullable)
}
