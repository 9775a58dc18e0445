//! What is wanted at a place, the objects of one type at one position: which subgraphs have something
//! of it, what they require for it, and by which keys they are asked.

use std::collections::BTreeMap;
use std::rc::Rc;

use graphql::schema::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Reacher;
use crate::outline::{Arguments, PositionId, What};
use crate::supergraph::{FieldIn, FieldSetId, SubgraphId};

/// What was found out of each place; it holds as long as its position has the same items.
#[derive(Debug, Default)]
pub(super) struct Places(FxHashMap<(PositionId, TypeId), Place>);

#[derive(Debug)]
struct Place {
    /// How often the items of the position had changed.
    changes: u32,
    is_opaque: bool,
    wanted: Rc<[Wanted]>,
}

/// A subgraph that has something of a place.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) subgraph: SubgraphId,
    /// What it requires, each once.
    pub(super) requires: Vec<FieldSetId>,
    pub(super) keys: Vec<WantedKey>,
}

/// A key by which a subgraph answers for objects.
#[derive(Clone, Copy, Debug)]
pub(super) struct WantedKey {
    /// The type that has it.
    pub(super) on: TypeId,
    pub(super) fields: FieldSetId,
    /// The interface that the subgraph knows the objects as.
    pub(super) interface: Option<TypeId>,
}

impl Reacher<'_> {
    /// Puts into the tree what it may take to come to the items of a position from elsewhere: keys of
    /// the subgraphs that have something of them, and what fields require.
    pub(super) fn prepare(&mut self, position: PositionId) {
        if !self.prepared.insert(position) {
            return;
        }
        let classes = self.tree.position(position).classes.clone();
        for object in classes.into_iter().map(|class| class.representative) {
            if !self.is_certain(position, object) {
                let (what, arguments) = (What::Typename, Arguments::default());
                let _ = self.tree.hide_one(self.supergraph, position, object, what, arguments);
            }
            let mut asked: FxHashSet<SubgraphId> = FxHashSet::default();
            let mut required: FxHashSet<FieldSetId> = FxHashSet::default();
            loop {
                let mut sets = Vec::new();
                for (subgraph, requires) in self.asked(position, object) {
                    if asked.insert(subgraph) {
                        sets.extend(self.keys(object, subgraph).iter().map(|key| key.fields));
                    }
                    sets.extend(requires.into_iter().filter(|set| required.insert(*set)));
                }
                if sets.is_empty() {
                    break;
                }
                for set in sets {
                    // One that is nested too deep is no way.
                    let _ = self.tree.hide(self.supergraph, position, object, set);
                }
            }
        }
    }

    /// What is wanted at a place.
    pub(super) fn wanted(&mut self, position: PositionId, object: TypeId) -> Rc<[Wanted]> {
        let changes = self.tree.position(position).changes;
        let is_opaque = self.facts.is_opaque(position, object);
        let known = self.places.0.get(&(position, object));
        if let Some(place) =
            known.filter(|place| place.changes == changes && place.is_opaque == is_opaque)
        {
            return Rc::clone(&place.wanted);
        }
        let asked = self.asked(position, object).into_iter();
        let wanted = asked.map(|(subgraph, mut requires)| {
            requires.sort_unstable();
            requires.dedup();
            Wanted { subgraph, requires, keys: self.keys(object, subgraph) }
        });
        let wanted: Rc<[Wanted]> = wanted.collect();
        let place = Place { changes, is_opaque, wanted: Rc::clone(&wanted) };
        self.places.0.insert((position, object), place);
        wanted
    }

    /// The subgraphs that give some item of a type at a position, with what they require.
    fn asked(&self, position: PositionId, object: TypeId) -> BTreeMap<SubgraphId, Vec<FieldSetId>> {
        let mut asked: BTreeMap<SubgraphId, Vec<FieldSetId>> = BTreeMap::new();
        for item in &self.tree.position(position).items {
            let item = self.tree.item(*item);
            if item.is_denied || !self.supergraph.contains(&item.types, object) {
                continue;
            }
            let name = match &item.what {
                What::Field { name, .. } => name,
                What::Typename => {
                    if self.facts.is_opaque(position, object) {
                        // Whoever has the type says it.
                        for owner in &self.supergraph.type_owners(object).subgraphs {
                            asked.entry(owner.subgraph).or_default();
                        }
                    }
                    continue;
                }
                What::Introspection => continue,
            };
            for own in self.givers(object, name) {
                asked.entry(own.subgraph).or_default().extend(own.requires);
            }
            for interface in self.supergraph.interfaces(object) {
                for own in self.givers(*interface, name) {
                    if self.is_interface_object(*interface, own.subgraph) {
                        asked.entry(own.subgraph).or_default().extend(own.requires);
                    }
                }
            }
        }
        asked
    }

    /// A field as those have it who give it wherever they read objects of the type, if they are told
    /// what it requires.
    fn givers(&self, parent: TypeId, name: &str) -> impl Iterator<Item = &FieldIn> {
        let field = self.supergraph.find_field(parent, name);
        let owners = field.map_or(&[][..], |field| &self.supergraph.field_owners(field).subgraphs);
        owners.iter().filter(|own| self.labels.allow(&own.when) && !own.is_external)
    }

    pub(super) fn is_interface_object(&self, interface: TypeId, subgraph: SubgraphId) -> bool {
        let owner = self.supergraph.type_in(interface, subgraph);
        owner.is_some_and(|owner| owner.is_interface_object)
    }

    /// The keys by which a subgraph answers for objects of a type.
    fn keys(&self, object: TypeId, subgraph: SubgraphId) -> Vec<WantedKey> {
        let types =
            std::iter::once(object).chain(self.supergraph.interfaces(object).iter().copied());
        let mut keys = Vec::new();
        for on in types {
            let Some(owner) = self.supergraph.type_in(on, subgraph) else { continue };
            // A subgraph that has the interface itself answers with objects that it knows.
            let knows = owner.is_interface_object
                || self.supergraph.contains(self.supergraph.possible_in(on, subgraph), object);
            let interface = (on != object && owner.is_interface_object).then_some(on);
            let resolvable = owner.keys.iter().filter(|key| knows && key.is_resolvable);
            keys.extend(resolvable.map(|key| WantedKey { on, fields: key.fields, interface }));
        }
        keys
    }
}
