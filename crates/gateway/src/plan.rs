//! Query plan: the fetches from subgraphs, their documents and dependencies.
//!
//! Visits of one subgraph at the same level form one fetch. It can select entities of several
//! types, each with its representations.

mod document;
mod entries;
mod form;
mod fragments;
mod parts;
mod prefix;
mod print;
mod projection;
mod reuse;
mod select;
mod shape;
mod size;
mod size_hint;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use graphql::operation::OperationKind;
use graphql::schema::{TypeId, TypeRef};
use graphql::value::Slot;

use crate::outline::{ItemId, Parts, PositionId, Tree, ids};
use crate::planner::{Choice, ContextArguments, ContextId};
pub use document::document;
pub use entries::compile;
pub(crate) use entries::{contexts_of, name_of};
pub(crate) use form::form;
pub use form::{Form, Member};
pub use prefix::{Prefix, append_range};
pub use print::print;
pub use projection::{Nesting, Projection, ResponseMember, ResponseValue};
pub use reuse::{ItemTree, Provider, Reusable, ReusableSelection, Reuse};
pub use shape::{Read, Scalar, Shape, Value};
pub use size_hint::SizeHint;
use supergraph::{FieldSetId, SubgraphId, Supergraph, TypeSet};

ids! {
    /// Index of a fetch in its plan.
    FetchId "fetch";
}

/// A query plan.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub fetches: Vec<Fetch>,
    pub tree: Tree,
    pub layout: Arc<Layout>,
    /// By position.
    pub projections: Vec<Projection>,
    /// Contexts whose values are sent as arguments of fields below.
    pub contexts: Vec<Context>,
    /// Data that several fetches would read.
    pub reusable: Reusable,
    /// Length of the longest chain of dependent fetches.
    pub chain: u16,
    /// By part of the response: the fetches that it needs. One part without deferred fragments.
    pub parts: Box<[Box<[FetchId]>]>,
}

/// Cell layout of objects, equal for all executions of a plan.
#[derive(Debug, Default)]
pub struct Layout {
    /// By item: its index in its position.
    pub slots: Vec<u32>,
    /// By position: its number of items.
    pub widths: Vec<u32>,
    /// By item: the position of its objects.
    pub children: Vec<Option<PositionId>>,
    /// Whether equal entities may share the objects below them, and equal JSON objects may be
    /// merged. `false` with context arguments, which depend on the enclosing objects.
    pub is_shared: bool,
    /// Number of objects, cells and list elements in the last execution.
    pub objects: SizeHint,
    pub cells: SizeHint,
    pub elements: SizeHint,
    /// Number of objects in the last execution, by position.
    pub at: Box<[SizeHint]>,
    /// Length of the data in the last execution.
    pub written: SizeHint,
}

impl Layout {
    fn new(tree: &Tree) -> Self {
        // The size of an operation is limited far below.
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
        let at = widths.iter().map(|_| SizeHint::default()).collect();
        Self { slots, widths, children, is_shared: true, at, ..Self::default() }
    }
}

/// A context: a value of an enclosing object (`@context`).
#[derive(Clone, Debug)]
pub struct Context {
    pub r#type: TypeRef,
    /// Positions and types that set it, with the form of the value. The nearest enclosing object
    /// counts.
    pub sources: Vec<(PositionId, TypeSet, Form)>,
}

/// A fetch: a request to a subgraph.
#[derive(Clone, Debug)]
pub struct Fetch {
    pub subgraph: SubgraphId,
    pub kind: OperationKind,
    /// The fetches it depends on.
    pub needs: Vec<FetchId>,
    /// Number of fetches on the longest chain to it, including itself.
    pub level: u16,
    /// Parts of the response that need its data.
    pub parts: Parts,
    /// Selection on a root type.
    pub root: Option<Root>,
    /// Selections on entities, by list of representations.
    pub entities: Vec<Entities>,
    pub document: Document,
}

/// The part of a fetch that one document selects; usually the whole fetch.
#[derive(Clone, Copy, Debug)]
pub struct DocumentPart<'p> {
    pub number: FetchId,
    pub fetch: &'p Fetch,
    /// The lists of entities; a list occurs once for each distinct set of context values.
    pub lists: &'p [&'p Entities],
}

/// Selection on a root type.
#[derive(Clone, Debug)]
pub struct Root {
    pub position: PositionId,
    pub selection: Selection,
    /// The selection in the form for reading the response.
    pub shape: Shape,
}

/// Selection on the entities of one list of representations.
#[derive(Clone, Debug, Default)]
pub struct Entities {
    /// Whether the response must contain `__typename`.
    pub typename: bool,
    /// Contexts of the list; all its entities have the same values.
    pub contexts: Vec<ContextId>,
    /// Selections to print, by type; equal for all entries.
    pub types: Vec<(TypeId, Selection)>,
    pub entries: Vec<Entry>,
}

impl Entities {
    /// Whether the document selects a response name on entities of the list, of any type.
    #[must_use]
    pub fn selects(&self, name: &str) -> bool {
        let selects =
            |selection: &Selection| selection.fields.iter().any(|field| *field.key == *name);
        self.types.iter().any(|(_, selection)| {
            selects(selection) || selection.fragments.iter().any(|(_, below)| selects(below))
        })
    }

    /// Returns the shape of an object of an entry, with the type it was selected on.
    #[must_use]
    pub fn shape(&self, entry: u32, own: Option<TypeId>) -> Option<(TypeId, &Shape)> {
        let shapes = &self.entries.get(entry as usize)?.shapes;
        let of_own = shapes.iter().find(|(base, _)| Some(*base) == own);
        // A selection on an interface object holds for all types.
        let only = shapes.first().filter(|(_, shape)| shapes.len() == 1 && shape.is_of_all);
        of_own.or(only).map(|(base, shape)| (*base, shape))
    }

    /// Returns the shape of an object; for an unknown runtime type, all shapes.
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

/// Objects of a position that are fetched by representations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub position: PositionId,
    /// Types of the objects.
    pub types: TypeSet,
    /// Type name in the representation, if it is not the object's own.
    pub on: Option<TypeId>,
    /// Key field sets of the representation.
    pub keys: Vec<FieldSetId>,
    /// Required field sets of the representation.
    pub inputs: Vec<FieldSetId>,
    /// Form of the representation.
    pub form: Form,
    /// Selections by type, for the items of this position.
    pub selections: Vec<(TypeId, Selection)>,
    /// The selections in the form for reading the response.
    pub shapes: Vec<(TypeId, Shape)>,
    /// By type: earlier fetches that may have read the same data.
    pub reuse: Vec<Reuse>,
}

/// A selection set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Whether it selects `__typename`.
    pub typename: bool,
    pub fields: Vec<SelectedField>,
    /// Selections on one type.
    pub fragments: Vec<(TypeId, Selection)>,
}

/// A selected field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedField {
    /// Response name in the subgraph response.
    pub key: Box<str>,
    pub item: ItemId,
    /// Context arguments.
    pub context_arguments: ContextArguments,
    pub below: Option<Selection>,
}

/// Printed document of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub text: Box<str>,
    /// Start of the request body, up to the first variable.
    pub head: Box<[u8]>,
    /// Variables of the client that it uses.
    pub variables: Vec<Slot>,
}

/// Returns the name of the variable with the representations of a list.
#[must_use]
pub fn representations_variable(place: usize) -> String {
    format!("representations{place}")
}

/// Returns the name of the variable with a context value of a list.
#[must_use]
pub fn context_variable(place: usize, context: ContextId) -> String {
    format!("context{place}_{}", context.index())
}

/// Returns the response name of a list of entities.
#[must_use]
pub fn entities_key(place: usize, of: usize) -> String {
    if of == 1 { "_entities".to_owned() } else { format!("_entities{place}") }
}

/// Inputs for compiling a plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanInputs<'p> {
    pub supergraph: &'p Supergraph,
    pub operation: &'p graphql::operation::Operation,
    pub choice: &'p Choice,
}
