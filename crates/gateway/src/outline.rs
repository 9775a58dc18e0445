//! An operation as a tree of positions: what is asked of which types where.
//!
//! `@skip` and `@include` are decided, fragments are in their places, and occurrences of one field
//! are merged (<https://spec.graphql.org/draft/#sec-Field-Collection>), for all types that an object
//! may have at once: planning comes before anybody knows them.

mod arguments;
mod classes;
mod denial;
mod directives;
mod hidden;
mod size;
mod visible;

use std::sync::Arc;

use graphql::operation::Location;
use graphql::schema::{FieldId, TypeId};

use crate::supergraph::{Supergraph, TypeSet};
pub use arguments::Arguments;
pub use directives::{Directives, Said, Way};
pub use visible::{TooMuch, outline, outline_for};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $letter:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(unreachable_pub, reason = "some are made for one module only")]
        pub struct $name(u32);

        #[allow(unreachable_pub, reason = "the same")]
        impl $name {
            pub(crate) fn new(index: usize) -> Self {
                // What an operation may ask for is bounded far below.
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
    /// A place of the answer where objects stand.
    PositionId "position";
    /// Something that is asked of the objects of a position.
    ItemId "item";
}

/// What an operation asks for, and what may be needed to find it.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub positions: Vec<Position>,
    pub items: Vec<Item>,
}

/// Where objects stand: the root, or what one item gives.
#[derive(Clone, Debug)]
pub struct Position {
    /// The type that the field says; objects have a type of it.
    pub r#type: TypeId,
    pub possible: TypeSet,
    /// The types that objects may have: a class is planned for at once.
    pub classes: Vec<Class>,
    pub parent: Option<ItemId>,
    /// In the order of the answer, then the hidden ones.
    pub items: Vec<ItemId>,
    /// How often the items have changed.
    pub(crate) changes: u32,
    /// The visible items of those types whose answers have another order.
    pub orders: Vec<(TypeSet, Vec<ItemId>)>,
}

/// Types of a position of which every subgraph reads the same in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The one that plans speak of.
    pub representative: TypeId,
    pub types: TypeSet,
}

/// Something that is asked of the objects of a position.
#[derive(Clone, Debug)]
pub struct Item {
    pub position: PositionId,
    /// The name in the answer; of a hidden one that of the field.
    pub key: Box<str>,
    pub what: What,
    /// The objects that it is asked of.
    pub types: TypeSet,
    pub arguments: Arguments,
    /// Where its objects stand, if it gives some.
    pub child: Option<PositionId>,
    /// Whether it is part of the answer, and not only of the way to it.
    pub is_visible: bool,
    /// Whether the caller may not read it: nobody is asked for it, and it is null.
    pub is_denied: bool,
    pub location: Location,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Typename,
    Field {
        name: Arc<str>,
        /// As the type has it that the operation asks it of.
        field: FieldId,
    },
    /// `__schema` and `__type` of the root: answered without a subgraph.
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

    /// The types that a class has, by the one that plans speak of.
    #[must_use]
    pub fn class(&self, position: PositionId, representative: TypeId) -> Option<&TypeSet> {
        let classes = &self.position(position).classes;
        let class = classes.iter().find(|class| class.representative == representative);
        class.map(|class| &class.types)
    }

    /// What the caller may not read, in the order of the tree.
    pub fn denied(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.is_denied)
    }

    /// The type whose field an item is, as the operation asks for it.
    #[must_use]
    pub fn parent_of(&self, supergraph: &Supergraph, item: &Item) -> TypeId {
        let position = self.position(item.position);
        let What::Field { name, field } = &item.what else { return position.r#type };
        let has = |parent: &TypeId| supergraph.find_field(*parent, name) == Some(*field);
        let own = Some(position.r#type).filter(has);
        let objects = || supergraph.members(&item.types);
        let interfaces = || objects().flat_map(|object| supergraph.interfaces(object)).copied();
        let found = own.or_else(|| objects().find(has)).or_else(|| interfaces().find(has));
        found.unwrap_or(position.r#type)
    }

    /// The root field that a position is below.
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

    /// The root.
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

    /// How deep a position stands among hidden ones.
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
