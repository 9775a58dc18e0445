//! A prefix of the names of a subgraph, so that databases with tables of one name compose.

use graphql::schema::{FieldId, Schema, TypeId, TypeKind, is_name};

use super::{FederationError, is_value_type};
use crate::api::Api;
use crate::binding::FieldBinding;

/// Adds a prefix to the names of types and root fields. Scalars, and the types and fields that are the
/// same in every subgraph of the kind, keep their names.
pub(super) fn prefix(mut api: Api, prefix: &str) -> Result<Api, FederationError> {
    if !is_name(prefix) {
        return Err(FederationError::Prefix(prefix.into()));
    }
    let schema = &api.schema;
    let roots: Vec<TypeId> =
        [schema.query, schema.mutation, schema.subscription].into_iter().flatten().collect();
    let types = schema.types().filter(|(id, _)| !roots.contains(id) && !is_common(&api, *id));
    let types: Vec<TypeId> = types.map(|(id, _)| id).collect();
    let mut fields: Vec<FieldId> = Vec::new();
    for root in &roots {
        let own = fields_of(schema, *root).iter().copied();
        // Types may share a field.
        fields.extend(own.filter(|field| !is_common_field(api.field(*field))));
    }
    fields.sort_unstable();
    fields.dedup();
    for id in types {
        let name = [prefix, &api.schema[id].name].concat();
        if !api.schema.rename_type(id, &name) {
            return Err(FederationError::Prefix(prefix.into()));
        }
    }
    for field in fields {
        let name = [prefix, &api.schema[field].name].concat();
        api.schema.rename_field(field, &name);
    }
    Ok(api)
}

/// True for helper types, such as `PageInfo`, which every subgraph of a dialect has.
fn is_common(api: &Api, id: TypeId) -> bool {
    let is_id = |field: &FieldId| {
        matches!(api.field(*field), FieldBinding::NodeId { .. } | FieldBinding::GlobalId { .. })
    };
    match &api.schema[id].kind {
        TypeKind::Scalar => true,
        TypeKind::Object { .. } => is_value_type(api, id),
        // `Node` has an opaque id, which also the query type may have.
        TypeKind::Interface { fields, .. } => {
            fields.iter().all(|field| is_id(field) || is_common_field(api.field(*field)))
        }
        TypeKind::Union { .. } | TypeKind::Enum { .. } | TypeKind::InputObject { .. } => false,
    }
}

fn is_common_field(field: &FieldBinding) -> bool {
    matches!(field, FieldBinding::Same | FieldBinding::Literal(_) | FieldBinding::Lookup { .. })
}

fn fields_of(schema: &Schema, id: TypeId) -> &[FieldId] {
    match &schema[id].kind {
        TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => fields,
        TypeKind::Scalar
        | TypeKind::Union { .. }
        | TypeKind::Enum { .. }
        | TypeKind::InputObject { .. } => &[],
    }
}
