//! Values that must be known to write a field set of an object.

use graphql::schema::TypeId;

use super::super::facts::ValueId;
use super::super::{ContextSetId, Source};
use super::Reachability;
use crate::outline::{Arguments, ItemKind, PositionId};
use supergraph::{FieldSetId, SetSelection, SubgraphId};

impl Reachability<'_> {
    /// Adds the values that must be known to send contexts.
    pub(super) fn context_needs(
        &self,
        context_set: ContextSetId,
        needs: &mut Vec<ValueId>,
    ) -> Option<()> {
        let values = self.contexts.set(context_set).iter();
        let values = values.map(|value| &self.contexts.values()[value.index()]);
        for Source { position, object, set, .. } in values.flat_map(|value| &value.sources) {
            // No subgraph returns objects of this type here.
            if self.facts.at(*position, *object).is_empty() {
                continue;
            }
            if !self.is_certain(*position, *object) {
                let kind = ItemKind::Typename;
                needs.push(self.value_of(*position, *object, &kind, &Arguments::default())?);
            }
            self.needs(*position, *object, *set, needs)?;
        }
        Some(())
    }

    /// Returns the values that must be known for a representation by a key.
    pub(super) fn key_needs(
        &self,
        position: PositionId,
        object: TypeId,
        subgraph: SubgraphId,
        on: TypeId,
        key: FieldSetId,
    ) -> Option<Vec<ValueId>> {
        let mut needs = Vec::new();
        self.needs(position, object, key, &mut needs)?;
        if on == object && !self.is_certain(position, object) {
            needs.push(self.value_of(
                position,
                object,
                &ItemKind::Typename,
                &Arguments::default(),
            )?);
        } else if on != object {
            // The interface's own key is used only if the runtime type is unknown: with the type
            // the other subgraph has to resolve less.
            let owner = self.supergraph.type_in(on, subgraph)?;
            if !owner.is_interface_object && !self.facts.is_opaque(position, object) {
                return None;
            }
        }
        Some(needs)
    }

    /// Adds the values that must be known to write a field set; `None` if one of them cannot be
    /// known so far. Recursion is bounded by the nesting of field sets.
    pub(super) fn needs(
        &self,
        position: PositionId,
        object: TypeId,
        set: FieldSetId,
        needs: &mut Vec<ValueId>,
    ) -> Option<()> {
        for selection in &self.supergraph.field_set(set).selections {
            match selection {
                SetSelection::Typename => {
                    let typename =
                        self.value_of(position, object, &ItemKind::Typename, &Arguments::default());
                    match typename {
                        Some(known) => needs.push(known),
                        None if self.is_certain(position, object) => {}
                        None => return None,
                    }
                }
                SetSelection::On(set) => {
                    let on = self.supergraph.field_set(*set).parent;
                    if self.supergraph.contains(self.supergraph.possible(on), object) {
                        self.needs(position, object, *set, needs)?;
                    }
                }
                SetSelection::Field { field, arguments, set } => {
                    let name = self.supergraph.schema[*field].name.clone();
                    let kind = ItemKind::Field { name, field: *field };
                    let known =
                        self.value_of(position, object, &kind, &Arguments::of_set(arguments))?;
                    needs.push(known);
                    let (Some(child), Some(set)) =
                        (self.tree.item(self.facts.known(known).item).child, *set)
                    else {
                        continue;
                    };
                    for class in &self.tree.position(child).classes {
                        let below = class.representative;
                        // No subgraph returns objects of this type here.
                        if !self.facts.at(child, below).is_empty() {
                            self.needs(child, below, set, needs)?;
                        }
                    }
                }
            }
        }
        Some(())
    }

    /// Whether all objects of a position have this type, so that `__typename` is not needed.
    pub(super) fn is_certain(&self, position: PositionId, object: TypeId) -> bool {
        self.tree.position(position).r#type == object
    }

    fn value_of(
        &self,
        position: PositionId,
        object: TypeId,
        kind: &ItemKind,
        arguments: &Arguments,
    ) -> Option<ValueId> {
        let item = self.tree.find(self.supergraph, position, object, kind, arguments)?;
        self.facts.find_value(position, object, item)
    }
}
