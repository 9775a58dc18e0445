//! What has to be known to say something of objects.

use graphql::schema::TypeId;

use super::super::facts::KnownId;
use super::super::{Source, ToldId};
use super::Reacher;
use crate::outline::{Arguments, PositionId, What};
use crate::supergraph::{FieldSetId, SetSelection, SubgraphId};

impl Reacher<'_> {
    /// What has to be known of the objects above to tell a subgraph what they say.
    pub(super) fn context_needs(&self, told: ToldId, needs: &mut Vec<KnownId>) -> Option<()> {
        let values = self.contexts.told(told).iter();
        let values = values.map(|value| &self.contexts.values()[value.index()]);
        for Source { position, object, set, .. } in values.flat_map(|value| &value.sources) {
            // Objects of a type that nobody gives there say nothing.
            if self.facts.at(*position, *object).is_empty() {
                continue;
            }
            if !self.is_certain(*position, *object) {
                let what = What::Typename;
                needs.push(self.known_of(*position, *object, &what, &Arguments::default())?);
            }
            self.needs(*position, *object, *set, needs)?;
        }
        Some(())
    }

    /// What has to be known for a representation by a key.
    pub(super) fn key_needs(
        &self,
        position: PositionId,
        object: TypeId,
        subgraph: SubgraphId,
        on: TypeId,
        key: FieldSetId,
    ) -> Option<Vec<KnownId>> {
        let mut needs = Vec::new();
        self.needs(position, object, key, &mut needs)?;
        if on == object && !self.is_certain(position, object) {
            needs.push(self.known_of(position, object, &What::Typename, &Arguments::default())?);
        } else if on != object {
            // By the interface's own key only where nobody says the types: it asks less of the other
            // subgraph to be told a type that it knows.
            let owner = self.supergraph.type_in(on, subgraph)?;
            if !owner.is_interface_object && !self.facts.is_opaque(position, object) {
                return None;
            }
        }
        Some(needs)
    }

    /// What has to be known of the objects of a type to say a field set of them; `None` if it cannot
    /// be, as far as is known. Recursion is bounded by the nesting of field sets.
    pub(super) fn needs(
        &self,
        position: PositionId,
        object: TypeId,
        set: FieldSetId,
        needs: &mut Vec<KnownId>,
    ) -> Option<()> {
        for selection in &self.supergraph.field_set(set).selections {
            match selection {
                SetSelection::Typename => {
                    let typename =
                        self.known_of(position, object, &What::Typename, &Arguments::default());
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
                    let what = What::Field { name, field: *field };
                    let known =
                        self.known_of(position, object, &what, &Arguments::of_set(arguments))?;
                    needs.push(known);
                    let (Some(child), Some(set)) =
                        (self.tree.item(self.facts.known(known).item).child, *set)
                    else {
                        continue;
                    };
                    for class in &self.tree.position(child).classes {
                        let below = class.representative;
                        // Objects of a type that nobody gives there need nothing.
                        if !self.facts.at(child, below).is_empty() {
                            self.needs(child, below, set, needs)?;
                        }
                    }
                }
            }
        }
        Some(())
    }

    /// Whether all objects of a position are of one type, so that nobody has to say it.
    pub(super) fn is_certain(&self, position: PositionId, object: TypeId) -> bool {
        self.tree.position(position).r#type == object
    }

    fn known_of(
        &self,
        position: PositionId,
        object: TypeId,
        what: &What,
        arguments: &Arguments,
    ) -> Option<KnownId> {
        let item = self.tree.find(self.supergraph, position, object, what, arguments)?;
        self.facts.find_known(position, object, item)
    }
}
