//! Contexts (`@context`, `@fromContext`): which values of enclosing objects a field takes, and at
//! which positions they can be sent to its subgraph.
//!
//! Context values are sent once for a list of representations, so they are equal for all its
//! objects. The representations can be those of the field's own objects, or of objects between them
//! and the one that sets the context.

use std::sync::Arc;

use graphql::schema::{FieldId, TypeId, TypeRef};
use rustc_hash::FxHashMap;

use crate::outline::{ItemId, ItemKind, PositionId, Tree, ids};
use supergraph::{ContextArgument, FieldSetId, SubgraphId, Supergraph, TypeSet};

ids! {
    /// A context of an operation.
    ContextId "context";
    /// A set of contexts that are sent together.
    ContextSetId "contexts";
}

graphql::heap_size!(plain ContextId);

/// A value that enclosing objects set.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// Type of the arguments that take the value.
    pub r#type: TypeRef,
    /// Positions that set it, the nearest first.
    pub sources: Vec<Source>,
}

/// A position and type that sets a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub position: PositionId,
    /// Representative of the class of types.
    pub object: TypeId,
    pub types: TypeSet,
    pub set: FieldSetId,
}

/// Arguments that take context values, by name.
pub type ContextArguments = Vec<(Arc<str>, ContextId)>;

/// All contexts of an operation.
#[derive(Clone, Debug, Default)]
pub struct Contexts {
    values: Vec<Context>,
    sets: Vec<Vec<ContextId>>,
    fields: FxHashMap<(PositionId, SubgraphId, FieldId), (ContextSetId, ContextArguments)>,
    /// Context sets by the positions where they can be sent to a subgraph, for fields there or
    /// below.
    by_position: FxHashMap<(PositionId, SubgraphId), Vec<ContextSetId>>,
}

impl Contexts {
    /// Finds the contexts of an operation and adds hidden items for their values.
    pub(super) fn new(supergraph: &Supergraph, tree: &mut Tree) -> Self {
        let mut contexts = Self::default();
        if !supergraph.has_contexts() {
            return contexts;
        }
        let mut place = 0;
        // Hidden items may take contexts as well.
        while place < tree.items.len() {
            contexts.add_item(supergraph, tree, ItemId::new(place));
            place += 1;
        }
        contexts
    }

    #[must_use]
    pub fn values(&self) -> &[Context] {
        &self.values
    }

    /// Returns the contexts of a set.
    #[must_use]
    pub fn set(&self, id: ContextSetId) -> &[ContextId] {
        &self.sets[id.index()]
    }

    /// Returns the context set and the arguments of a field; `None` if a context is not set.
    #[must_use]
    pub fn of_field(
        &self,
        position: PositionId,
        subgraph: SubgraphId,
        field: FieldId,
    ) -> Option<(ContextSetId, &ContextArguments)> {
        let (context_set, arguments) = self.fields.get(&(position, subgraph, field))?;
        Some((*context_set, arguments))
    }

    /// Returns the context sets that can be sent at a position.
    pub(super) fn at(&self, position: PositionId, subgraph: SubgraphId) -> &[ContextSetId] {
        self.by_position.get(&(position, subgraph)).map_or(&[], Vec::as_slice)
    }

    fn add_item(&mut self, supergraph: &Supergraph, tree: &mut Tree, id: ItemId) {
        let item = tree.item(id);
        let ItemKind::Field { name, .. } = &item.kind else { return };
        let (name, position) = (name.clone(), item.position);
        let classes = tree.position(position).classes.iter().map(|class| class.representative);
        let classes_selected = classes.filter(|object| supergraph.contains(&item.types, *object));
        for object in classes_selected.collect::<Vec<_>>() {
            let parents =
                std::iter::once(object).chain(supergraph.interfaces(object).iter().copied());
            for parent in parents {
                let Some(field) = supergraph.find_field(parent, &name) else { continue };
                for own in &supergraph.field_owners(field).subgraphs {
                    if let Some(set) = own.requires.filter(|_| parent == object) {
                        // If it is nested too deep the field cannot be resolved.
                        let _ = tree.add_field_set(supergraph, position, object, set);
                    }
                    if !own.context.is_empty() {
                        self.add_field(
                            supergraph,
                            tree,
                            (position, own.subgraph, field),
                            &own.context,
                        );
                    }
                }
            }
        }
    }

    fn add_field(
        &mut self,
        supergraph: &Supergraph,
        tree: &mut Tree,
        place: (PositionId, SubgraphId, FieldId),
        taken: &[ContextArgument],
    ) {
        let (position, subgraph, _) = place;
        let mut arguments = Vec::with_capacity(taken.len());
        let mut nearest = Vec::new();
        for argument in taken {
            let Some(context) = self.value(supergraph, tree, position, argument) else { return };
            nearest.extend(self.values[context.index()].sources.first().map(|one| one.position));
            arguments.push((argument.name.clone(), context));
        }
        let mut values: Vec<ContextId> = arguments.iter().map(|(_, context)| *context).collect();
        values.sort_unstable();
        values.dedup();
        let context_set = self.intern(values);
        self.fields.insert(place, (context_set, arguments));
        // Up to the nearest object that sets a value: objects above it may have different values.
        let mut derivation = position;
        loop {
            let known = self.by_position.entry((derivation, subgraph)).or_default();
            if !known.contains(&context_set) {
                known.push(context_set);
            }
            if nearest.contains(&derivation) {
                return;
            }
            let Some(parent) = tree.position(derivation).parent else { return };
            derivation = tree.item(parent).position;
        }
    }

    fn intern(&mut self, values: Vec<ContextId>) -> ContextSetId {
        let known = self.sets.iter().position(|known| *known == values);
        ContextSetId::new(known.unwrap_or_else(|| {
            self.sets.push(values);
            self.sets.len() - 1
        }))
    }

    /// Returns the context of an argument; `None` if no enclosing object sets it.
    fn value(
        &mut self,
        supergraph: &Supergraph,
        tree: &mut Tree,
        position: PositionId,
        argument: &ContextArgument,
    ) -> Option<ContextId> {
        let sources = sources(supergraph, tree, position, argument);
        if sources.is_empty() {
            return None;
        }
        for source in &sources {
            tree.add_field_set(supergraph, source.position, source.object, source.set)?;
        }
        let value = Context { r#type: argument.r#type, sources };
        let known = self.values.iter().position(|known| *known == value);
        Some(ContextId::new(known.unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        })))
    }
}

/// Returns the enclosing positions that set an argument's context, up to the first one whose types
/// all do.
fn sources(
    supergraph: &Supergraph,
    tree: &Tree,
    mut position: PositionId,
    argument: &ContextArgument,
) -> Vec<Source> {
    let mut sources = Vec::new();
    while let Some(parent) = tree.position(position).parent {
        let item = tree.item(parent);
        position = item.position;
        let mut says_all = true;
        for class in &tree.position(position).classes {
            let object = class.representative;
            if !supergraph.contains(&item.types, object) {
                continue;
            }
            let own = argument
                .sources
                .iter()
                .find(|source| supergraph.contains(supergraph.possible(source.r#type), object));
            match own {
                Some(own) => sources.push(Source {
                    position,
                    object,
                    types: class.types.clone(),
                    set: own.set,
                }),
                None => says_all = false,
            }
        }
        if says_all {
            break;
        }
    }
    sources
}
