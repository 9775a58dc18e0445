//! What fields take from the objects above them: which values, from where, and on the way to which
//! positions a subgraph can be told them.
//!
//! A subgraph is told values beside representations, so that all objects of one list are told the
//! same. The representations may be those of the field's own objects, or of objects between them and
//! the one that says the value.

use std::sync::Arc;

use graphql::schema::{FieldId, TypeId, TypeRef};
use rustc_hash::FxHashMap;

use crate::outline::{ItemId, PositionId, Tree, What, ids};
use crate::supergraph::{ContextArgument, FieldSetId, SubgraphId, Supergraph, TypeSet};

ids! {
    /// A value that objects say to fields below them.
    ContextId "context";
    /// Values that a subgraph is told at once.
    ToldId "told";
}

graphql::heap_size!(plain ContextId);

/// A value that an object says to fields below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The type of the arguments that take it.
    pub r#type: TypeRef,
    /// Where it may stand, the nearest position first.
    pub sources: Vec<Source>,
}

/// A position whose objects say a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub position: PositionId,
    /// The class of types that plans speak of.
    pub object: TypeId,
    pub types: TypeSet,
    pub set: FieldSetId,
}

/// The arguments of a field that take a value, by their names.
pub type ToldArguments = Vec<(Arc<str>, ContextId)>;

/// Everything that the fields of an operation take from the objects above them.
#[derive(Clone, Debug, Default)]
pub struct Contexts {
    values: Vec<Context>,
    told: Vec<Vec<ContextId>>,
    fields: FxHashMap<(PositionId, SubgraphId, FieldId), (ToldId, ToldArguments)>,
    /// Where a subgraph can be told something for fields there or below.
    on_the_way: FxHashMap<(PositionId, SubgraphId), Vec<ToldId>>,
}

impl Contexts {
    /// Looks for them, and asks for the values in the tree.
    pub(super) fn new(supergraph: &Supergraph, tree: &mut Tree) -> Self {
        let mut contexts = Self::default();
        if !supergraph.has_contexts() {
            return contexts;
        }
        let mut place = 0;
        // What is asked for may take something itself.
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

    /// The values that a subgraph is told at once.
    #[must_use]
    pub fn told(&self, id: ToldId) -> &[ContextId] {
        &self.told[id.index()]
    }

    /// What a subgraph has to be told for a field, and in which arguments; `None` if nobody says it.
    #[must_use]
    pub fn of_field(
        &self,
        position: PositionId,
        subgraph: SubgraphId,
        field: FieldId,
    ) -> Option<(ToldId, &ToldArguments)> {
        let (told, arguments) = self.fields.get(&(position, subgraph, field))?;
        Some((*told, arguments))
    }

    /// What a subgraph can be told at a position for fields there or below.
    pub(super) fn at(&self, position: PositionId, subgraph: SubgraphId) -> &[ToldId] {
        self.on_the_way.get(&(position, subgraph)).map_or(&[], Vec::as_slice)
    }

    fn add_item(&mut self, supergraph: &Supergraph, tree: &mut Tree, id: ItemId) {
        let item = tree.item(id);
        let What::Field { name, .. } = &item.what else { return };
        let (name, position) = (name.clone(), item.position);
        let classes = tree.position(position).classes.iter().map(|class| class.representative);
        let asked = classes.filter(|object| supergraph.contains(&item.types, *object));
        for object in asked.collect::<Vec<_>>() {
            let parents =
                std::iter::once(object).chain(supergraph.interfaces(object).iter().copied());
            for parent in parents {
                let Some(field) = supergraph.find_field(parent, &name) else { continue };
                for own in &supergraph.field_owners(field).subgraphs {
                    if let Some(set) = own.requires.filter(|_| parent == object) {
                        // One that is nested too deep is no way.
                        let _ = tree.hide(supergraph, position, object, set);
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
        let told = self.together(values);
        self.fields.insert(place, (told, arguments));
        // Up to the first object that says something: above it, objects may be told different things.
        let mut way = position;
        loop {
            let known = self.on_the_way.entry((way, subgraph)).or_default();
            if !known.contains(&told) {
                known.push(told);
            }
            if nearest.contains(&way) {
                return;
            }
            let Some(parent) = tree.position(way).parent else { return };
            way = tree.item(parent).position;
        }
    }

    fn together(&mut self, values: Vec<ContextId>) -> ToldId {
        let known = self.told.iter().position(|known| *known == values);
        ToldId::new(known.unwrap_or_else(|| {
            self.told.push(values);
            self.told.len() - 1
        }))
    }

    /// The value of an argument of a field at a position; `None` if nobody says it.
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
            tree.hide(supergraph, source.position, source.object, source.set)?;
        }
        let value = Context { r#type: argument.r#type, sources };
        let known = self.values.iter().position(|known| *known == value);
        Some(ContextId::new(known.unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        })))
    }
}

/// The objects above a position that say the value of an argument: up to the first position all of
/// whose objects do.
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
