//! Shapes: selections in the form for reading a response, in the order of the document and with
//! cell slots.

use graphql::schema::{TypeId, TypeKind, TypeRef, Wrapper};

use super::{Fetch, Prefix, SelectedField, Selection};
use crate::outline::{ItemId, ItemKind, PositionId, Tree};
use supergraph::Supergraph;

/// Shape of an object in a subgraph response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Whether it contains `__typename`; not needed for a single possible type.
    pub typename: bool,
    /// Whether it was selected on an interface object, and so holds for all types.
    pub is_of_all: bool,
    /// Members of all types.
    pub members: Box<[Read]>,
    /// Additional members of one type.
    pub own: Box<[(TypeId, Box<[Read]>)]>,
}

/// A member of an object in a subgraph response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// Its name, as `"name":`.
    pub prefix: Prefix,
    pub item: ItemId,
    /// Its slot in the object.
    pub slot: u32,
    /// Number of list wrappers.
    pub lists: u8,
    pub value: Value,
    /// Other items with the same response name: those of other types, if the runtime type is not in
    /// the response.
    pub also: Box<[Read]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Leaf(Scalar),
    Objects {
        position: PositionId,
        /// The runtime type, if there is only one.
        r#type: Option<TypeId>,
        /// Whether no other fetch reads fields of these objects through this member.
        is_alone: bool,
        shape: Shape,
    },
}

/// Type of a leaf. <https://spec.graphql.org/draft/#sec-Scalars>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Int,
    Float,
    String,
    Id,
    Boolean,
    Enum,
    /// A custom scalar: any JSON.
    Any,
}

impl Read {
    /// Response name.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        let prefix = self.prefix.text();
        prefix.get(1..prefix.len().saturating_sub(2)).unwrap_or_default()
    }
}

impl Shape {
    /// Returns all items that are read for an object of a type.
    pub fn reads_of(&self, r#type: Option<TypeId>) -> impl Iterator<Item = &Read> + Clone {
        let (common, own) = self.members_of(r#type);
        common.iter().chain(own).flat_map(|read| std::iter::once(read).chain(&read.also))
    }

    /// Returns the members of an object of a type: the common ones, and those of the type.
    #[must_use]
    pub fn members_of(&self, r#type: Option<TypeId>) -> (&[Read], &[Read]) {
        let own = self.own.iter().find(|(on, _)| Some(*on) == r#type);
        (&self.members, own.map_or(&[], |(_, members)| members))
    }
}

/// Adds the shapes of all fetches.
pub(super) fn add_shapes(
    supergraph: &Supergraph,
    tree: &Tree,
    slots: &[u32],
    fetches: &mut [Fetch],
) {
    let readers = readers(tree, fetches);
    let shaping = Shaping { supergraph, tree, slots, readers };
    for fetch in fetches {
        if let Some(root) = &mut fetch.root {
            root.shape = shaping.shape(&root.selection, tree.position(root.position).r#type);
        }
        for entry in fetch.entities.iter_mut().flat_map(|list| &mut list.entries) {
            let shapes = entry.selections.iter();
            entry.shapes =
                shapes.map(|(base, selected)| (*base, shaping.shape(selected, *base))).collect();
        }
    }
}

/// By item: the number of fetches that read it.
fn readers(tree: &Tree, fetches: &[Fetch]) -> Vec<u32> {
    let mut readers = vec![0; tree.items.len()];
    for fetch in fetches {
        if let Some(root) = &fetch.root {
            count(&[&root.selection], &mut readers);
        }
        for entry in fetch.entities.iter().flat_map(|list| &list.entries) {
            let selections: Vec<_> =
                entry.selections.iter().map(|(_, selected)| selected).collect();
            count(&selections, &mut readers);
        }
    }
    readers
}

/// Counts each item of some selections once.
fn count(selections: &[&Selection], readers: &mut [u32]) {
    let mut items = Vec::new();
    let mut open = selections.to_vec();
    while let Some(selection) = open.pop() {
        open.extend(selection.fragments.iter().map(|(_, selection)| selection));
        items.extend(selection.fields.iter().map(|selected| selected.item));
        open.extend(selection.fields.iter().filter_map(|selected| selected.below.as_ref()));
    }
    items.sort_unstable();
    items.dedup();
    for item in items {
        readers[item.index()] += 1;
    }
}

struct Shaping<'s> {
    supergraph: &'s Supergraph,
    tree: &'s Tree,
    /// By item.
    slots: &'s [u32],
    /// By item.
    readers: Vec<u32>,
}

impl Shaping<'_> {
    /// Recursion is bounded by the depth of the tree.
    fn shape(&self, selection: &Selection, base: TypeId) -> Shape {
        let own = selection.fragments.iter();
        Shape {
            typename: selection.typename && !self.supergraph.is_object(base),
            is_of_all: !self.supergraph.is_object(base),
            members: self.members(&selection.fields),
            own: own.map(|(on, selection)| (*on, self.members(&selection.fields))).collect(),
        }
    }

    fn members(&self, selected: &[SelectedField]) -> Box<[Read]> {
        let mut members: Vec<Read> = Vec::new();
        for read in selected.iter().filter_map(|selected| self.member(selected)) {
            match members.iter_mut().find(|known| known.prefix == read.prefix) {
                Some(known) => {
                    let also = std::mem::take(&mut known.also);
                    known.also = also.into_iter().chain([read]).collect();
                }
                None => members.push(read),
            }
        }
        members.into()
    }

    fn member(&self, selected: &SelectedField) -> Option<Read> {
        let item = self.tree.item(selected.item);
        let ItemKind::Field { field, .. } = &item.kind else { return None };
        let declared = self.supergraph.schema[*field].r#type;
        let value = match (&selected.below, item.child) {
            (Some(selection), Some(position)) => {
                let base = self.tree.position(position).r#type;
                Value::Objects {
                    position,
                    r#type: self.supergraph.is_object(base).then_some(base),
                    is_alone: self.readers[selected.item.index()] == 1,
                    shape: self.shape(selection, base),
                }
            }
            _ => Value::Leaf(scalar(self.supergraph, declared.base)),
        };
        Some(Read {
            prefix: Prefix::new([b"\"", selected.key.as_bytes(), b"\":"].concat().into()),
            item: selected.item,
            slot: self.slots[selected.item.index()],
            lists: lists(declared),
            value,
            also: Box::default(),
        })
    }
}

/// Number of list wrappers of a type.
fn lists(r#type: TypeRef) -> u8 {
    let lists = r#type.wrappers().filter(|wrapper| *wrapper == Wrapper::List).count();
    // A type has fewer wrappers than that.
    u8::try_from(lists).unwrap_or(u8::MAX)
}

pub(super) fn scalar(supergraph: &Supergraph, base: TypeId) -> Scalar {
    let definition = &supergraph.schema[base];
    match (&definition.kind, &*definition.name) {
        (TypeKind::Enum { .. }, _) => Scalar::Enum,
        (_, "Int") => Scalar::Int,
        (_, "Float") => Scalar::Float,
        (_, "String") => Scalar::String,
        (_, "ID") => Scalar::Id,
        (_, "Boolean") => Scalar::Boolean,
        _ => Scalar::Any,
    }
}
