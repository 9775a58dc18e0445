//! The namespace of a source: an object within each root type that has the fields of the source.

use api::binding::FieldBinding;

use super::Build;
use crate::draft::DraftField;

/// The root types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    Query,
    Mutation,
    Subscription,
}

/// The fields of a root type: those of the source, or the one field of its namespace.
pub(super) fn within(
    build: &mut Build<'_>,
    root: Root,
    fields: Vec<DraftField>,
) -> Vec<DraftField> {
    let naming = build.plan.naming;
    let Some(namespace) = naming.namespace() else { return fields };
    if fields.is_empty() {
        return fields;
    }
    let [query, mutation, subscription] = naming.namespace_types(namespace);
    let r#type = match root {
        Root::Query => query,
        Root::Mutation => mutation,
        Root::Subscription => subscription,
    };
    build.draft.object(&r#type, None, fields);
    vec![DraftField::new(namespace, r#type, FieldBinding::Constants).verbatim()]
}
