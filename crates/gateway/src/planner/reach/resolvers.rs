//! Subgraphs that can resolve something for the objects of one type at one position, with the
//! required fields and the keys.

use std::collections::BTreeMap;
use std::rc::Rc;

use graphql::schema::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Reachability;
use crate::outline::{Arguments, ItemKind, PositionId};
use supergraph::{FieldIn, FieldSetId, SubgraphId};

/// Cache by position and type; an entry is valid while the items of its position stay the same.
#[derive(Debug, Default)]
pub(super) struct ResolverCache(FxHashMap<(PositionId, TypeId), CachedResolvers>);

#[derive(Debug)]
struct CachedResolvers {
    /// Number of changes of the position's items.
    changes: u32,
    is_opaque: bool,
    resolvers: Rc<[Resolver]>,
}

/// A subgraph that can resolve some items.
#[derive(Debug)]
pub(super) struct Resolver {
    pub(super) subgraph: SubgraphId,
    /// Distinct required field sets.
    pub(super) requires: Vec<FieldSetId>,
    pub(super) keys: Vec<ResolverKey>,
}

/// A resolvable key of a subgraph.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResolverKey {
    /// The type that has the key.
    pub(super) on: TypeId,
    pub(super) fields: FieldSetId,
    /// The interface object type, if the subgraph does not know the object type.
    pub(super) interface: Option<TypeId>,
}

impl Reachability<'_> {
    /// Adds hidden items that may be needed to resolve the items of a position from other
    /// subgraphs: keys, and required fields.
    pub(super) fn prepare(&mut self, position: PositionId) {
        if !self.prepared.insert(position) {
            return;
        }
        let classes = self.tree.position(position).classes.clone();
        for object in classes.into_iter().map(|class| class.representative) {
            if !self.is_certain(position, object) {
                let (kind, arguments) = (ItemKind::Typename, Arguments::default());
                let _ = self.tree.add_hidden(self.supergraph, position, object, kind, arguments);
            }
            let mut resolving: FxHashSet<SubgraphId> = FxHashSet::default();
            let mut required: FxHashSet<FieldSetId> = FxHashSet::default();
            loop {
                let mut sets = Vec::new();
                for (subgraph, requires) in self.resolving(position, object) {
                    if resolving.insert(subgraph) {
                        sets.extend(self.keys(object, subgraph).iter().map(|key| key.fields));
                    }
                    sets.extend(requires.into_iter().filter(|set| required.insert(*set)));
                }
                if sets.is_empty() {
                    break;
                }
                for set in sets {
                    // A field set that is nested too deep cannot be used.
                    let _ = self.tree.add_field_set(self.supergraph, position, object, set);
                }
            }
        }
    }

    /// Returns the subgraphs for the objects of a type at a position.
    pub(super) fn resolvers(&mut self, position: PositionId, object: TypeId) -> Rc<[Resolver]> {
        let changes = self.tree.position(position).changes;
        let is_opaque = self.facts.is_opaque(position, object);
        let known = self.resolver_cache.0.get(&(position, object));
        if let Some(cached) =
            known.filter(|cached| cached.changes == changes && cached.is_opaque == is_opaque)
        {
            return Rc::clone(&cached.resolvers);
        }
        let resolving = self.resolving(position, object).into_iter();
        let resolvers = resolving.map(|(subgraph, mut requires)| {
            requires.sort_unstable();
            requires.dedup();
            Resolver { subgraph, requires, keys: self.keys(object, subgraph) }
        });
        let resolvers: Rc<[Resolver]> = resolvers.collect();
        let cached = CachedResolvers { changes, is_opaque, resolvers: Rc::clone(&resolvers) };
        self.resolver_cache.0.insert((position, object), cached);
        resolvers
    }

    /// Returns the subgraphs that resolve some item of a type, with the required field sets.
    fn resolving(
        &self,
        position: PositionId,
        object: TypeId,
    ) -> BTreeMap<SubgraphId, Vec<FieldSetId>> {
        let mut resolving: BTreeMap<SubgraphId, Vec<FieldSetId>> = BTreeMap::new();
        for item in &self.tree.position(position).items {
            let item = self.tree.item(*item);
            if item.is_denied || !self.supergraph.contains(&item.types, object) {
                continue;
            }
            let name = match &item.kind {
                ItemKind::Field { name, .. } => name,
                ItemKind::Typename => {
                    if self.facts.is_opaque(position, object) {
                        // Any subgraph with the type returns `__typename`.
                        for owner in &self.supergraph.type_owners(object).subgraphs {
                            resolving.entry(owner.subgraph).or_default();
                        }
                    }
                    continue;
                }
                ItemKind::Introspection => continue,
            };
            for own in self.resolving_fields(object, name) {
                resolving.entry(own.subgraph).or_default().extend(own.requires);
            }
            for interface in self.supergraph.interfaces(object) {
                for own in self.resolving_fields(*interface, name) {
                    if self.is_interface_object(*interface, own.subgraph) {
                        resolving.entry(own.subgraph).or_default().extend(own.requires);
                    }
                }
            }
        }
        resolving
    }

    /// Returns a field in the subgraphs that resolve it on every object of the type, given its
    /// required fields.
    fn resolving_fields(&self, parent: TypeId, name: &str) -> impl Iterator<Item = &FieldIn> {
        let field = self.supergraph.find_field(parent, name);
        let owners = field.map_or(&[][..], |field| &self.supergraph.field_owners(field).subgraphs);
        owners.iter().filter(|own| self.labels.allow(&own.when) && !own.is_external)
    }

    pub(super) fn is_interface_object(&self, interface: TypeId, subgraph: SubgraphId) -> bool {
        let owner = self.supergraph.type_in(interface, subgraph);
        owner.is_some_and(|owner| owner.is_interface_object)
    }

    /// Returns the resolvable keys of a subgraph for objects of a type.
    fn keys(&self, object: TypeId, subgraph: SubgraphId) -> Vec<ResolverKey> {
        let types =
            std::iter::once(object).chain(self.supergraph.interfaces(object).iter().copied());
        let mut keys = Vec::new();
        for on in types {
            let Some(owner) = self.supergraph.type_in(on, subgraph) else { continue };
            // A subgraph with the interface itself returns objects of the types it knows.
            let knows = owner.is_interface_object
                || self.supergraph.contains(self.supergraph.possible_in(on, subgraph), object);
            let interface = (on != object && owner.is_interface_object).then_some(on);
            let resolvable = owner.keys.iter().filter(|key| knows && key.is_resolvable);
            keys.extend(resolvable.map(|key| ResolverKey { on, fields: key.fields, interface }));
        }
        keys
    }
}
