//! Unauthorized selections of an operation.
//!
//! A field of an interface is unauthorized if it is for one of its types: the runtime type is not
//! known before the request, and a response must not reveal that an object has a guarded type. A
//! client that may read only some of the types selects these by fragments.

use graphql::does_condition_hold;
use graphql::operation::{FieldRef, Operation, Selection, SelectionSetId};
use graphql::schema::{FieldId, TypeId, TypeKind};
use graphql::variables::Steering;

use crate::access::AccessSet;
use supergraph::{Supergraph, TypeSet};

#[derive(Clone, Copy)]
pub(super) struct Denial<'d> {
    pub(super) supergraph: &'d Supergraph,
    pub(super) denied: &'d AccessSet,
}

impl Denial<'_> {
    /// Whether the client may read the whole operation.
    pub(super) fn is_empty(self) -> bool {
        self.denied.is_empty()
    }

    /// Whether the client may not read a field selected on `parent` for objects of `types`.
    /// `has_own_fields` is whether its selection set has fields outside of fragments.
    pub(super) fn denies(
        self,
        parent: TypeId,
        field: FieldId,
        types: &TypeSet,
        has_own_fields: bool,
    ) -> bool {
        let base = self.supergraph.schema[field].r#type.base;
        self.guards_type(parent)
            || self.guards_field(field)
            || (has_own_fields && self.guards_some(base))
            || (self.is_interface(parent) && self.guards_below(field, types))
    }

    fn guards_type(self, id: TypeId) -> bool {
        self.denied.has_any(self.supergraph.requirements.of_type(id))
    }

    fn guards_field(self, id: FieldId) -> bool {
        self.denied.has_any(self.supergraph.requirements.of_field(id))
            || self.guards_type(self.supergraph.schema[id].r#type.base)
    }

    /// Whether an interface has an unauthorized object type.
    fn guards_some(self, id: TypeId) -> bool {
        let mut objects = self.supergraph.members(self.supergraph.possible(id));
        self.is_interface(id) && objects.any(|object| self.guards_object(object))
    }

    /// Whether a field of an interface is unauthorized for one of the types.
    fn guards_below(self, field: FieldId, types: &TypeSet) -> bool {
        let name = &self.supergraph.schema[field].name;
        self.supergraph.members(types).any(|object| {
            let own = self.supergraph.find_field(object, name);
            self.guards_object(object) || own.is_some_and(|own| self.guards_field(own))
        })
    }

    /// Whether an object type is unauthorized; types hidden from the API are never in a response.
    fn guards_object(self, object: TypeId) -> bool {
        self.supergraph.api.has(object) && self.guards_type(object)
    }

    fn is_interface(self, id: TypeId) -> bool {
        matches!(self.supergraph.schema[id].kind, TypeKind::Interface { .. })
    }
}

/// Whether a selection set has fields outside of fragments.
pub(super) fn has_own_fields(
    operation: &Operation,
    set: SelectionSetId,
    steering: &Steering<'_>,
) -> bool {
    operation.selection_set(set).selections.iter().any(|selection| match selection {
        Selection::Field(field) => {
            matches!(field.field, FieldRef::Field(_))
                && does_condition_hold(&field.conditions, steering)
        }
        Selection::Fragment { .. } => false,
    })
}
