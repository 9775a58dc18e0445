//! Which selections of an operation its caller may not read.
//!
//! What an interface shows of a type that is guarded is guarded too: nobody knows before the request
//! which type an object has, and that there is one of a guarded type is told to nobody. Whoever may
//! read some of the types asks for these by name, in fragments.

use graphql::does_condition_hold;
use graphql::operation::{FieldRef, Operation, Selection, SelectionSetId};
use graphql::schema::{FieldId, TypeId, TypeKind};
use graphql::variables::Steering;

use crate::access::AccessSet;
use crate::supergraph::{Supergraph, TypeSet};

#[derive(Clone, Copy)]
pub(super) struct Denial<'d> {
    pub(super) supergraph: &'d Supergraph,
    pub(super) denied: &'d AccessSet,
}

impl Denial<'_> {
    /// Whether the caller may read everything that the operation names.
    pub(super) fn is_empty(self) -> bool {
        self.denied.is_empty()
    }

    /// Whether a field that is asked of `parent`, where objects are of one of `types`, is not for the
    /// caller. `asks_itself` says whether its own type is asked for fields, outside of fragments.
    pub(super) fn denies(
        self,
        parent: TypeId,
        field: FieldId,
        types: &TypeSet,
        asks_itself: bool,
    ) -> bool {
        let base = self.supergraph.schema[field].r#type.base;
        self.guards_type(parent)
            || self.guards_field(field)
            || (asks_itself && self.guards_some(base))
            || (self.is_interface(parent) && self.guards_below(field, types))
    }

    fn guards_type(self, id: TypeId) -> bool {
        self.denied.has_any(self.supergraph.requirements.of_type(id))
    }

    fn guards_field(self, id: FieldId) -> bool {
        self.denied.has_any(self.supergraph.requirements.of_field(id))
            || self.guards_type(self.supergraph.schema[id].r#type.base)
    }

    /// Whether an interface has an object type that is not for the caller.
    fn guards_some(self, id: TypeId) -> bool {
        let mut objects = self.supergraph.members(self.supergraph.possible(id));
        self.is_interface(id) && objects.any(|object| self.guards_object(object))
    }

    /// Whether a field of an interface is not for the caller for an object type that has it.
    fn guards_below(self, field: FieldId, types: &TypeSet) -> bool {
        let name = &self.supergraph.schema[field].name;
        self.supergraph.members(types).any(|object| {
            let own = self.supergraph.find_field(object, name);
            self.guards_object(object) || own.is_some_and(|own| self.guards_field(own))
        })
    }

    /// Objects of types that clients do not know are shown to nobody.
    fn guards_object(self, object: TypeId) -> bool {
        self.supergraph.api.has(object) && self.guards_type(object)
    }

    fn is_interface(self, id: TypeId) -> bool {
        matches!(self.supergraph.schema[id].kind, TypeKind::Interface { .. })
    }
}

/// Whether a selection set asks for fields of its type, outside of fragments.
pub(super) fn asks_itself(
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
