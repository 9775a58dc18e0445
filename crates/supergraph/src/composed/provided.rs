//! `@provides`: fields that a subgraph resolves below some fields only.

use graphql::schema::TypeId;

use super::{FieldSetId, SetSelection, Supergraph};

impl Supergraph {
    /// Returns the field sets below a field, if the given field sets contain it for a type; `None`
    /// otherwise.
    #[must_use]
    pub fn provided(
        &self,
        sets: &[FieldSetId],
        object: TypeId,
        name: &str,
    ) -> Option<Vec<FieldSetId>> {
        let mut below = Vec::new();
        let mut is_named = false;
        for set in sets {
            look(self, *set, object, name, &mut is_named, &mut below);
        }
        is_named.then_some(below)
    }
}

/// Recursion is bounded by the nesting of field sets.
fn look(
    supergraph: &Supergraph,
    set: FieldSetId,
    object: TypeId,
    name: &str,
    is_named: &mut bool,
    below: &mut Vec<FieldSetId>,
) {
    for selection in &supergraph.field_set(set).selections {
        match selection {
            SetSelection::Typename => {}
            SetSelection::On(set) => {
                let on = supergraph.field_set(*set).parent;
                if supergraph.contains(supergraph.possible(on), object) {
                    look(supergraph, *set, object, name, is_named, below);
                }
            }
            SetSelection::Field { field, set, .. } => {
                if *supergraph.schema[*field].name == *name {
                    *is_named = true;
                    below.extend(*set);
                }
            }
        }
    }
}
