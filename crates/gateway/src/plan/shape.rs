//! What is asked as those need it who read the answers: in the order of the document, with the
//! places of the cells.

use graphql::schema::{TypeId, TypeKind, TypeRef, Wrapper};

use super::{Asked, Fetch, Lead, Selection};
use crate::outline::{ItemId, PositionId, Tree, What};
use crate::supergraph::Supergraph;

/// What is read of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Whether the objects say their type. Those of which there is one only need not.
    pub typename: bool,
    /// Whether it is asked of an interface, and stands for all types.
    pub is_of_all: bool,
    /// What is read of all of them.
    pub members: Box<[Read]>,
    /// What is read of those of one type, too.
    pub own: Box<[(TypeId, Box<[Read]>)]>,
}

/// A member of an object in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// What it begins with: `"name":`.
    pub lead: Lead,
    pub item: ItemId,
    /// The cell of it among those of its object.
    pub slot: u32,
    /// In how many lists its values are.
    pub lists: u8,
    pub value: Value,
    /// The other items that the same member is: of an object whose type nobody says, those of all types.
    pub also: Box<[Read]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Leaf(Scalar),
    Objects {
        position: PositionId,
        /// The type of all of them, if there is one only.
        r#type: Option<TypeId>,
        /// Whether nobody else reads into these objects by way of this member.
        is_alone: bool,
        shape: Shape,
    },
}

/// What a leaf may be. <https://spec.graphql.org/draft/#sec-Scalars>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Int,
    Float,
    String,
    Id,
    Boolean,
    Enum,
    /// A scalar of the schema's own: any JSON.
    Any,
}

impl Read {
    /// The name in the answer.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        let lead = self.lead.text();
        lead.get(1..lead.len().saturating_sub(2)).unwrap_or_default()
    }
}

impl Shape {
    /// All items that are read of an object of a type.
    pub fn reads_of(&self, r#type: Option<TypeId>) -> impl Iterator<Item = &Read> + Clone {
        let (common, own) = self.members_of(r#type);
        common.iter().chain(own).flat_map(|read| std::iter::once(read).chain(&read.also))
    }

    /// The members of an object of a type: of all objects, and of its own.
    #[must_use]
    pub fn members_of(&self, r#type: Option<TypeId>) -> (&[Read], &[Read]) {
        let own = self.own.iter().find(|(on, _)| Some(*on) == r#type);
        (&self.members, own.map_or(&[], |(_, members)| members))
    }
}

/// Makes the shapes of all requests.
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
                shapes.map(|(base, asked)| (*base, shaping.shape(asked, *base))).collect();
        }
    }
}

/// By item: how many requests read it.
fn readers(tree: &Tree, fetches: &[Fetch]) -> Vec<u32> {
    let mut readers = vec![0; tree.items.len()];
    for fetch in fetches {
        if let Some(root) = &fetch.root {
            count(&[&root.selection], &mut readers);
        }
        for entry in fetch.entities.iter().flat_map(|list| &list.entries) {
            let selections: Vec<_> = entry.selections.iter().map(|(_, asked)| asked).collect();
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
        items.extend(selection.fields.iter().map(|asked| asked.item));
        open.extend(selection.fields.iter().filter_map(|asked| asked.below.as_ref()));
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

    fn members(&self, asked: &[Asked]) -> Box<[Read]> {
        let mut members: Vec<Read> = Vec::new();
        for read in asked.iter().filter_map(|asked| self.member(asked)) {
            match members.iter_mut().find(|known| known.lead == read.lead) {
                Some(known) => {
                    let also = std::mem::take(&mut known.also);
                    known.also = also.into_iter().chain([read]).collect();
                }
                None => members.push(read),
            }
        }
        members.into()
    }

    fn member(&self, asked: &Asked) -> Option<Read> {
        let item = self.tree.item(asked.item);
        let What::Field { field, .. } = &item.what else { return None };
        let declared = self.supergraph.schema[*field].r#type;
        let value = match (&asked.below, item.child) {
            (Some(selection), Some(position)) => {
                let base = self.tree.position(position).r#type;
                Value::Objects {
                    position,
                    r#type: self.supergraph.is_object(base).then_some(base),
                    is_alone: self.readers[asked.item.index()] == 1,
                    shape: self.shape(selection, base),
                }
            }
            _ => Value::Leaf(scalar(self.supergraph, declared.base)),
        };
        Some(Read {
            lead: Lead::new([b"\"", asked.key.as_bytes(), b"\":"].concat().into()),
            item: asked.item,
            slot: self.slots[asked.item.index()],
            lists: lists(declared),
            value,
            also: Box::default(),
        })
    }
}

/// In how many lists the values of a type are.
fn lists(r#type: TypeRef) -> u8 {
    let lists = r#type.wrappers().filter(|wrapper| *wrapper == Wrapper::List).count();
    // A type has no more wrappers than fit into its number.
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
