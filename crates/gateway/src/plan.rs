//! A plan: the requests to subgraphs, what they say, and what they wait for.
//!
//! Visits of one subgraph that the same number of requests leads to are one request. It asks for
//! entities by their representations, as many kinds of them at once as there are.

mod document;
mod entries;
mod form;
mod fragments;
mod lead;
mod print;
mod project;
mod reuse;
mod select;
mod shape;
mod size;
mod usual;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use graphql::operation::OperationKind;
use graphql::schema::{TypeId, TypeRef};
use graphql::value::Slot;

use crate::outline::{ItemId, PositionId, Tree, ids};
use crate::planner::{Choice, ContextId, ToldArguments};
use crate::supergraph::{FieldSetId, SubgraphId, Supergraph, TypeSet};
pub use document::document;
pub use entries::compile;
pub(crate) use entries::{name_of, told};
pub(crate) use form::form;
pub use form::{Form, Member};
pub use lead::{Lead, append_range};
pub use print::print;
pub use project::{Nesting, Out, OutValue, Projection};
pub use reuse::{ItemTree, Known, Provider, Reusable, Reuse};
pub use shape::{Read, Scalar, Shape, Value};
pub use usual::Usual;

ids! {
    /// The place of a request among those of its plan.
    FetchId "fetch";
}

/// What is asked of whom, in which order.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub fetches: Vec<Fetch>,
    pub tree: Tree,
    pub layout: Arc<Layout>,
    /// By position.
    pub projections: Vec<Projection>,
    /// What subgraphs are told of the objects above those that they are asked for.
    pub contexts: Vec<Context>,
    /// What entities may have been read already.
    pub reusable: Reusable,
    /// How many requests wait for each other.
    pub chain: u16,
}

/// Where the cells of objects are: made once, for every answer has the same.
#[derive(Debug, Default)]
pub struct Layout {
    /// By item: its place among those of its position.
    pub slots: Vec<u32>,
    /// By position: how many items it has.
    pub widths: Vec<u32>,
    /// By item: where its objects stand.
    pub children: Vec<Option<PositionId>>,
    /// Whether equal entities may have one object below them, and objects whose texts are equal may be
    /// one. Not where something below is asked with what stands above it: then each has its own.
    pub is_shared: bool,
    /// How many objects there were the last time, and how many cells: of objects, and of lists.
    pub objects: Usual,
    pub cells: Usual,
    pub elements: Usual,
    /// The same by position.
    pub at: Box<[Usual]>,
    /// How many bytes of data there were.
    pub written: Usual,
}

impl Layout {
    fn new(tree: &Tree) -> Self {
        // What an operation may ask for is bounded far below.
        let narrow = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        let mut slots = vec![0; tree.items.len()];
        for position in &tree.positions {
            for (place, item) in position.items.iter().enumerate() {
                slots[item.index()] = narrow(place);
            }
        }
        let widths: Vec<_> =
            tree.positions.iter().map(|position| narrow(position.items.len())).collect();
        let children = tree.items.iter().map(|item| item.child).collect();
        let at = widths.iter().map(|_| Usual::default()).collect();
        Self { slots, widths, children, is_shared: true, at, ..Self::default() }
    }
}

/// A value that a subgraph is told of an object above those that it is asked for.
#[derive(Clone, Debug)]
pub struct Context {
    pub r#type: TypeRef,
    /// Where it stands: the position, the types of its objects, and the one value that they say. The
    /// nearest object counts.
    pub sources: Vec<(PositionId, TypeSet, Form)>,
}

/// One request to a subgraph.
#[derive(Clone, Debug)]
pub struct Fetch {
    pub subgraph: SubgraphId,
    pub kind: OperationKind,
    /// The requests whose answers it is made of.
    pub needs: Vec<FetchId>,
    /// How many requests lead to it, itself among them.
    pub level: u16,
    /// What is asked of the root type.
    pub root: Option<Root>,
    /// What is asked of entities, by the list of representations that they are asked with.
    pub entities: Vec<Entities>,
    pub document: Document,
}

/// What one document of a request asks: most have one for all.
#[derive(Clone, Copy, Debug)]
pub struct Part<'p> {
    pub fetch: &'p Fetch,
    /// What is asked of the lists of entities; one as often as what the subgraph is told of the objects
    /// above differs.
    pub lists: &'p [&'p Entities],
}

/// What is asked of a root type.
#[derive(Clone, Debug)]
pub struct Root {
    pub position: PositionId,
    pub selection: Selection,
    /// The same for who reads the answer.
    pub shape: Shape,
}

/// What is asked of the entities of one list of representations.
#[derive(Clone, Debug, Default)]
pub struct Entities {
    /// Whether the answer has to say the types of the entities.
    pub typename: bool,
    /// What the subgraph is told of the objects above: it is the same for all objects of one list.
    pub told: Vec<ContextId>,
    /// What is asked, by type, as it is printed: all entries say it under the same names.
    pub types: Vec<(TypeId, Selection)>,
    pub entries: Vec<Entry>,
}

impl Entities {
    /// What is read of an object of an entry, with the type of which it is asked.
    #[must_use]
    pub fn shape(&self, entry: u32, own: Option<TypeId>) -> Option<(TypeId, &Shape)> {
        let shapes = &self.entries.get(entry as usize)?.shapes;
        let of_own = shapes.iter().find(|(base, _)| Some(*base) == own);
        // One asked as an interface stands for all types.
        let only = shapes.first().filter(|(_, shape)| shapes.len() == 1 && shape.is_of_all);
        of_own.or(only).map(|(base, shape)| (*base, shape))
    }

    /// The same, and all that may be read of an object whose type nobody knows.
    #[must_use]
    pub fn shapes(&self, entry: u32, own: Option<TypeId>) -> &[(TypeId, Shape)] {
        let Some(entry) = self.entries.get(entry as usize) else { return &[] };
        let place = entry.shapes.iter().position(|(base, _)| Some(*base) == own);
        match (place, &*entry.shapes) {
            (Some(place), shapes) => shapes.get(place..=place).unwrap_or_default(),
            (None, only @ [(_, shape)]) if shape.is_of_all => only,
            (None, shapes) if own.is_none() => shapes,
            (None, _) => &[],
        }
    }
}

/// Objects of a position that are asked for by representations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub position: PositionId,
    /// The types of the objects.
    pub types: TypeSet,
    /// The type that the representation names, if it is not the object's own.
    pub on: Option<TypeId>,
    /// What the objects are found by.
    pub keys: Vec<FieldSetId>,
    /// What fields require beside it.
    pub inputs: Vec<FieldSetId>,
    /// What a representation says.
    pub form: Form,
    /// What is asked, by type: what the answer is to this position.
    pub selections: Vec<(TypeId, Selection)>,
    /// The same for who reads the answer.
    pub shapes: Vec<(TypeId, Shape)>,
    /// Of each type, what earlier requests may have read already.
    pub reuse: Vec<Reuse>,
}

/// What is asked of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Whether the objects say their type.
    pub typename: bool,
    pub fields: Vec<Asked>,
    /// What is asked of the objects of one type.
    pub fragments: Vec<(TypeId, Selection)>,
}

/// A field as it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The name in the subgraph's answer.
    pub key: Box<str>,
    pub item: ItemId,
    /// The arguments whose values objects above say.
    pub told: ToldArguments,
    pub below: Option<Selection>,
}

/// The text of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub text: Box<str>,
    /// The body of the request up to the first variable.
    pub head: Box<[u8]>,
    /// The client's variables that it says.
    pub variables: Vec<Slot>,
}

/// Names the lists of representations.
#[must_use]
pub fn representations_variable(place: usize) -> String {
    format!("representations{place}")
}

/// Names a value that the entities of a list share.
#[must_use]
pub fn context_variable(place: usize, context: ContextId) -> String {
    format!("context{place}_{}", context.index())
}

/// Names what entities come under, where a request has several lists of them.
#[must_use]
pub fn entities_key(place: usize, of: usize) -> String {
    if of == 1 { "_entities".to_owned() } else { format!("_entities{place}") }
}

/// Everything that a plan is made from.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'p> {
    pub supergraph: &'p Supergraph,
    pub operation: &'p graphql::operation::Operation,
    pub choice: &'p Choice,
}
