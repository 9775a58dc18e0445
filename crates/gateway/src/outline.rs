//! Selection tree: an operation as a tree of positions with the fields selected there.
//!
//! `@skip` and `@include` are evaluated, fragments are inlined, and selections of one response name
//! are merged (<https://spec.graphql.org/draft/#sec-Field-Collection>), for all possible types at
//! once: the plan is made before runtime types are known. For clients that accept several payloads,
//! fields in fragments with `@defer` belong to parts of the response of their own.

mod arguments;
mod classes;
mod denial;
mod directives;
mod hidden;
mod parts;
mod size;
mod visible;

use std::sync::Arc;

use graphql::operation::Location;
use graphql::schema::{FieldId, TypeId};

pub use arguments::Arguments;
pub use directives::{Directives, FieldDirectives, OccurrenceDirectives};
pub use parts::{DeferredFragment, PartId, Parts};
use supergraph::{Supergraph, TypeSet};
pub use visible::{TooManySelections, outline, outline_for, outline_in_parts};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $letter:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(unreachable_pub, reason = "some are made for one module only")]
        pub struct $name(u32);

        #[allow(unreachable_pub, reason = "the same")]
        impl $name {
            pub(crate) fn new(index: usize) -> Self {
                // The size of an operation is limited far below.
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    )*};
}
pub(crate) use ids;

ids! {
    /// A position of objects in the response.
    PositionId "position";
    /// A field selected at a position.
    ItemId "item";
}

/// Selection tree of an operation, with the hidden fields that its plan may need.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub positions: Vec<Position>,
    pub items: Vec<Item>,
    /// By [`PartId::fragment`].
    pub deferred: Vec<DeferredFragment>,
}

/// A position of objects: the root, or the objects of one item.
#[derive(Clone, Debug)]
pub struct Position {
    /// Declared type of the field; its possible types are those of the objects.
    pub r#type: TypeId,
    pub possible: TypeSet,
    /// Classes of possible types; plans treat a class as one type.
    pub classes: Vec<Class>,
    pub parent: Option<ItemId>,
    /// In the order of the response, then the hidden ones.
    pub items: Vec<ItemId>,
    /// Number of changes of `items`.
    pub(crate) changes: u32,
    /// Visible items of the types whose response order differs.
    pub orders: Vec<(TypeSet, Vec<ItemId>)>,
}

/// Possible types at a position that every subgraph resolves in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The type that stands for the class in plans.
    pub representative: TypeId,
    pub types: TypeSet,
}

/// A field selected on the objects of a position.
#[derive(Clone, Debug)]
pub struct Item {
    pub position: PositionId,
    /// Response name; for a hidden item, the field name.
    pub key: Box<str>,
    pub kind: ItemKind,
    /// Types of the objects that it is selected on.
    pub types: TypeSet,
    pub arguments: Arguments,
    /// Position of its objects, if it has a composite type.
    pub child: Option<PositionId>,
    /// Whether it is part of the response; hidden items are keys and required fields.
    pub is_visible: bool,
    /// Whether the client is not authorized to read it: it is not fetched, and null in the
    /// response.
    pub is_denied: bool,
    /// Parts of the response that it belongs to; none for a hidden item.
    pub parts: Parts,
    pub location: Location,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    Typename,
    Field {
        name: Arc<str>,
        /// The field of the type that the operation selects it on.
        field: FieldId,
    },
    /// `__schema` and `__type` of the root, which need no subgraph.
    Introspection,
}

impl Tree {
    #[must_use]
    pub fn position(&self, id: PositionId) -> &Position {
        &self.positions[id.index()]
    }

    #[must_use]
    pub fn item(&self, id: ItemId) -> &Item {
        &self.items[id.index()]
    }

    /// Returns the parts of the deferred fragments at a position, with their types.
    pub fn deferred_at(&self, position: PositionId) -> impl Iterator<Item = (PartId, &TypeSet)> {
        let fragments = self.deferred.iter().enumerate();
        let own = fragments.filter(move |(_, fragment)| fragment.position == position);
        own.map(|(place, fragment)| (PartId::new(place + 1), &fragment.types))
    }

    /// Returns the parts of a set that are not inside of another one.
    pub(crate) fn outermost(&self, parts: Parts) -> Parts {
        if parts.contains(PartId::INITIAL) {
            return Parts::only(PartId::INITIAL);
        }
        let is_inside = |mut part: PartId| loop {
            match part.fragment().and_then(|place| self.deferred.get(place)) {
                Some(fragment) if parts.contains(fragment.parent) => return true,
                Some(fragment) => part = fragment.parent,
                None => return false,
            }
        };
        let all = (0..=self.deferred.len()).map(PartId::new);
        let outermost = all.filter(|part| parts.contains(*part) && !is_inside(*part));
        outermost.fold(Parts::NONE, |all, part| all.with(Parts::only(part)))
    }

    /// Returns the types of a class by its representative.
    #[must_use]
    pub fn class(&self, position: PositionId, representative: TypeId) -> Option<&TypeSet> {
        let classes = &self.position(position).classes;
        let class = classes.iter().find(|class| class.representative == representative);
        class.map(|class| &class.types)
    }

    /// Returns the unauthorized items, in the order of the tree.
    pub fn denied(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.is_denied)
    }

    /// Returns the type whose field an item is, as the operation selects it.
    #[must_use]
    pub fn parent_of(&self, supergraph: &Supergraph, item: &Item) -> TypeId {
        let position = self.position(item.position);
        let ItemKind::Field { name, field } = &item.kind else { return position.r#type };
        let has = |parent: &TypeId| supergraph.find_field(*parent, name) == Some(*field);
        let own = Some(position.r#type).filter(has);
        let objects = || supergraph.members(&item.types);
        let interfaces = || objects().flat_map(|object| supergraph.interfaces(object)).copied();
        let found = own.or_else(|| objects().find(has)).or_else(|| interfaces().find(has));
        found.unwrap_or(position.r#type)
    }

    /// Returns the root field that a position is below.
    #[must_use]
    pub fn root_item(&self, mut position: PositionId) -> Option<ItemId> {
        loop {
            let parent = self.position(position).parent?;
            position = self.item(parent).position;
            if position == Self::ROOT {
                return Some(parent);
            }
        }
    }

    /// Position of the root object.
    pub const ROOT: PositionId = PositionId(0);

    fn add_position(
        &mut self,
        supergraph: &Supergraph,
        r#type: TypeId,
        parent: Option<ItemId>,
    ) -> PositionId {
        let possible = supergraph.possible(r#type).clone();
        let classes = classes::singletons(supergraph, &possible);
        let (items, orders) = (Vec::new(), Vec::new());
        let changes = 0;
        let position = Position { r#type, possible, classes, parent, items, changes, orders };
        self.positions.push(position);
        PositionId::new(self.positions.len() - 1)
    }

    fn add_item(&mut self, item: Item) -> ItemId {
        let id = ItemId::new(self.items.len());
        let position = &mut self.positions[item.position.index()];
        position.items.push(id);
        position.changes += 1;
        self.items.push(item);
        id
    }

    /// Number of hidden positions on the way to a position.
    fn hidden_depth(&self, mut position: PositionId) -> usize {
        let mut depth = 0;
        while let Some(parent) = self.position(position).parent {
            let item = self.item(parent);
            depth += usize::from(!item.is_visible);
            position = item.position;
        }
        depth
    }
}
