//! Facts about types and fields of the definitions that decide which parts of the API they have.

use crate::language_tags::has_several_languages;
use crate::model::{Base, Custom, Field, Scalar, Search, Type, TypeKind};

/// Fields of a type that other types `@provides`, by name.
pub(super) type Provided<'m> = [&'m str];

/// True for the field of a type's automatic id.
pub(super) fn is_id(field: &Field) -> bool {
    field.r#type.base == Base::Scalar(Scalar::Id)
}

/// True for an id of another subgraph, which is stored as a text.
pub(super) fn is_foreign_id(field: &Field) -> bool {
    is_id(field) && field.federation.is_external
}

/// True if another server answers the field.
pub(super) fn is_custom(field: &Field) -> bool {
    match field.custom {
        Some(Custom::Http(_) | Custom::Dql(_) | Custom::Lambda) => true,
        None => false,
    }
}

/// True for the reverse of a relation that only the other field writes: `@dgraph(pred: "~…")`.
pub(super) fn is_reverse(field: &Field) -> bool {
    field.stored_name.starts_with('~') || field.stored_name.starts_with("<~")
}

/// True if the field is the key of a federated type.
fn is_key(r#type: &Type, field: &Field) -> bool {
    r#type.federation.key.as_deref() == Some(&*field.name)
}

/// True if another subgraph has the field's values.
pub(super) fn is_external(r#type: &Type, field: &Field, provided: &Provided<'_>) -> bool {
    field.federation.is_external && !is_key(r#type, field) && !provided.contains(&&*field.name)
}

/// The field of the automatic id, unless another subgraph has its values.
pub(super) fn id_field<'m>(r#type: &'m Type, provided: &Provided<'_>) -> Option<&'m Field> {
    r#type.fields.iter().find(|field| is_id(field) && !is_external(r#type, field, provided))
}

/// The first `@id` field, unless another subgraph has its values.
pub(super) fn xid_field<'m>(r#type: &'m Type, provided: &Provided<'_>) -> Option<&'m Field> {
    r#type.fields.iter().find(|field| field.id.is_some() && !is_external(r#type, field, provided))
}

/// True if rows are found by an automatic id.
pub(super) fn has_id(r#type: &Type) -> bool {
    id_field(r#type, &[]).is_some()
}

/// True if rows are found by an `@id` field.
pub(super) fn has_xid(r#type: &Type) -> bool {
    xid_field(r#type, &[]).is_some()
}

/// True if rows can be found and linked by a key.
pub(super) fn is_identified(r#type: &Type) -> bool {
    has_id(r#type) || has_xid(r#type)
}

/// True if the type has vectors that similarity queries compare.
pub(super) fn has_embedding(r#type: &Type) -> bool {
    r#type.fields.iter().any(|field| field.is_embedding && !is_external(r#type, field, &[]))
}

/// True if rows can be ordered by the field.
pub(super) fn is_orderable(r#type: &Type, field: &Field, provided: &Provided<'_>) -> bool {
    if field.federation.is_external {
        return !is_external(r#type, field, provided);
    }
    let is_ordered = match field.r#type.base {
        Base::Scalar(scalar) => match scalar {
            Scalar::Int | Scalar::Int64 | Scalar::Float | Scalar::String | Scalar::DateTime => true,
            Scalar::Id
            | Scalar::Boolean
            | Scalar::Point
            | Scalar::Polygon
            | Scalar::MultiPolygon => false,
        },
        Base::Enum(_) | Base::Type(_) | Base::Union(_) | Base::Input(_) => false,
    };
    is_ordered && field.r#type.list.is_none() && !is_custom(field) && !has_several_languages(field)
}

/// True if rows of a type can be ordered at all.
pub(super) fn has_orderable(r#type: &Type, provided: &Provided<'_>) -> bool {
    r#type.fields.iter().any(|field| is_orderable(r#type, field, provided))
}

/// True if the values of the field have a sum.
pub(super) fn is_summable(r#type: &Type, field: &Field, provided: &Provided<'_>) -> bool {
    let is_number =
        matches!(field.r#type.base, Base::Scalar(Scalar::Int | Scalar::Int64 | Scalar::Float));
    is_number
        && field.r#type.list.is_none()
        && !is_custom(field)
        && !is_external(r#type, field, provided)
}

/// The indexes by which the field is searched: an `@id` field has one of its own.
pub(super) fn searches(field: &Field) -> Vec<Search> {
    if field.search.is_empty() && field.id.is_some() {
        return match field.r#type.base {
            Base::Scalar(Scalar::Int) => vec![Search::Int],
            Base::Scalar(Scalar::Int64) => vec![Search::Int64],
            _ => vec![Search::Hash],
        };
    }
    field.search.clone()
}

/// True for interfaces.
pub(super) fn is_interface(r#type: &Type) -> bool {
    match r#type.kind {
        TypeKind::Interface => true,
        TypeKind::Object => false,
    }
}
