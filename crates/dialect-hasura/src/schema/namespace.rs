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

impl Root {
    fn name(self) -> &'static str {
        match self {
            Self::Query => "query_root",
            Self::Mutation => "mutation_root",
            Self::Subscription => "subscription_root",
        }
    }

    /// The type with the fields of the source: the root type, or that of its namespace.
    fn holder(self, build: &Build<'_>) -> String {
        let naming = build.plan.naming;
        let Some(namespace) = naming.namespace() else { return self.name().to_owned() };
        let [query, mutation, subscription] = naming.namespace_types(namespace);
        match self {
            Self::Query => query,
            Self::Mutation => mutation,
            Self::Subscription => subscription,
        }
    }
}

/// Adds a field of the source to a root type, or to its namespace. The first of a name stays.
pub(super) fn add_field(build: &mut Build<'_>, root: Root, field: DraftField) {
    let holder = root.holder(build);
    if !build.draft.has(&holder) {
        let about = (holder == Root::Mutation.name()).then_some("mutation root");
        build.draft.object(&holder, about, Vec::new());
        if let Some(namespace) = build.plan.naming.namespace() {
            let field = DraftField::new(namespace, holder.as_str(), FieldBinding::Constants);
            add_outside(build, root, field.verbatim());
        }
    }
    build.draft.add_field(&holder, field);
}

/// Adds a field to a root type, beside the namespace.
pub(super) fn add_outside(build: &mut Build<'_>, root: Root, field: DraftField) {
    if root == Root::Mutation && !build.draft.has(root.name()) {
        build.draft.object(root.name(), Some("mutation root"), Vec::new());
    }
    build.draft.add_field(root.name(), field);
}
