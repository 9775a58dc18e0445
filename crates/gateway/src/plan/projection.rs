//! Projections: the members of response objects by position, in the order of the operation.

use std::sync::Arc;

use graphql::schema::{TypeId, TypeKind, TypeRef, Wrapper};

use super::Prefix;
use super::shape::{Scalar, scalar};
use crate::outline::{Item, ItemId, ItemKind, PartId, Parts, Position, PositionId, Tree};
use supergraph::{Supergraph, TypeSet};

/// Response members of the objects of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Projection {
    pub members: Box<[ResponseMember]>,
    /// Members of types whose order differs.
    pub orders: Box<[(TypeSet, Box<[ResponseMember]>)]>,
    /// Types that the API hides; `None` if it hides none.
    pub hidden_types: Option<TypeSet>,
    /// Parts of deferred fragments on the objects, with their types.
    pub deferred: Box<[(PartId, TypeSet)]>,
}

/// A member of a response object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseMember {
    /// Text before its value, as `,"name":`.
    pub prefix: Prefix,
    pub item: ItemId,
    pub slot: u32,
    /// Parts of the response that contain it.
    pub parts: Parts,
    /// Types that have the member; `None` for all.
    pub types: Option<TypeSet>,
    pub nesting: Nesting,
    /// Nesting for types that declare a stricter type than the selected field.
    pub own: Box<[(TypeId, Nesting)]>,
    pub value: ResponseValue,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResponseValue {
    Introspection,
    Typename,
    /// The client is not authorized to read it.
    Denied,
    /// A leaf that is copied from the subgraph response.
    Leaf,
    /// An ID, which is written as a string.
    Id,
    /// An enum with these values, sorted.
    Enum(Box<[Arc<str>]>),
    Objects,
}

/// List and non-null wrappers of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nesting {
    pub lists: u8,
    /// Non-null flags: a bit for each list, the outermost first, then one for the value.
    non_null: u16,
}

impl Projection {
    /// Returns the members of an object of a type.
    #[must_use]
    pub fn members_of(&self, supergraph: &Supergraph, r#type: Option<TypeId>) -> &[ResponseMember] {
        let is_own = |types: &TypeSet| r#type.is_some_and(|own| supergraph.contains(types, own));
        let own = self.orders.iter().find(|(types, _)| is_own(types));
        own.map_or(&self.members, |(_, members)| members)
    }
}

impl Nesting {
    #[must_use]
    pub fn new(r#type: TypeRef) -> Self {
        let mut levels = vec![false];
        for wrapper in r#type.wrappers() {
            match (wrapper, levels.last_mut()) {
                (Wrapper::NonNull, Some(level)) => *level = true,
                (Wrapper::NonNull, None) => {}
                (Wrapper::List, _) => levels.push(false),
            }
        }
        let mut nesting = Self { lists: 0, non_null: 0 };
        for (level, is_non_null) in levels.iter().rev().enumerate() {
            nesting.non_null |= u16::from(*is_non_null).checked_shl(level as u32).unwrap_or(0);
        }
        nesting.lists = u8::try_from(levels.len() - 1).unwrap_or(u8::MAX);
        nesting
    }

    /// Whether the value within this many lists is non-null.
    #[must_use]
    pub fn is_non_null(self, level: u8) -> bool {
        self.non_null.checked_shr(u32::from(level)).unwrap_or(0) & 1 == 1
    }
}

/// Returns the projections of all positions.
pub(super) fn projections(supergraph: &Supergraph, tree: &Tree, slots: &[u32]) -> Vec<Projection> {
    let projecting = Projecting { supergraph, tree, slots };
    let positions = tree.positions.iter().enumerate();
    positions
        .map(|(place, position)| projecting.position(PositionId::new(place), position))
        .collect()
}

struct Projecting<'p> {
    supergraph: &'p Supergraph,
    tree: &'p Tree,
    slots: &'p [u32],
}

impl Projecting<'_> {
    fn position(&self, id: PositionId, position: &Position) -> Projection {
        let members = self.members(position, &position.items);
        let orders = position.orders.iter();
        let orders = orders.map(|(types, items)| (types.clone(), self.members(position, items)));
        let orders = orders.collect();
        let mut hidden_types: Option<TypeSet> = None;
        for object in self.supergraph.members(&position.possible) {
            if !self.supergraph.api.has(object) {
                hidden_types.get_or_insert_default().unite_or_begin(&self.supergraph.only(object));
            }
        }
        let deferred =
            self.tree.deferred_at(id).map(|(part, types)| (part, types.clone())).collect();
        Projection { members, orders, hidden_types, deferred }
    }

    fn members(&self, position: &Position, items: &[ItemId]) -> Box<[ResponseMember]> {
        let items = items.iter().map(|id| (*id, self.tree.item(*id)));
        let visible = items.filter(|(_, item)| item.is_visible);
        visible.map(|(id, item)| self.member(position, id, item)).collect()
    }

    fn member(&self, position: &Position, id: ItemId, item: &Item) -> ResponseMember {
        let is_of_all = position.possible.is_subset(&item.types);
        let (nesting, own, value) = match &item.kind {
            ItemKind::Introspection => {
                (Nesting { lists: 0, non_null: 0 }, Box::default(), ResponseValue::Introspection)
            }
            ItemKind::Typename => {
                (Nesting { lists: 0, non_null: 0 }, Box::default(), ResponseValue::Typename)
            }
            ItemKind::Field { name, field } => {
                let declared = self.supergraph.schema[*field].r#type;
                let nesting = Nesting::new(declared);
                let types = item.types.intersection(&position.possible);
                let own = self.supergraph.members(&types).filter_map(|object| {
                    let field = self.supergraph.find_field(object, name)?;
                    let own = Nesting::new(self.supergraph.schema[field].r#type);
                    (own != nesting).then_some((object, own))
                });
                (nesting, own.collect(), self.value(item, declared.base))
            }
        };
        ResponseMember {
            prefix: Prefix::new([b",\"", item.key.as_bytes(), b"\":"].concat().into()),
            item: id,
            slot: self.slots[id.index()],
            parts: item.parts,
            types: (!is_of_all).then(|| item.types.clone()),
            nesting,
            own,
            value,
        }
    }

    fn value(&self, item: &Item, base: TypeId) -> ResponseValue {
        if item.is_denied {
            return ResponseValue::Denied;
        }
        if item.child.is_some() {
            return ResponseValue::Objects;
        }
        match scalar(self.supergraph, base) {
            Scalar::Id => ResponseValue::Id,
            Scalar::Enum => ResponseValue::Enum(self.values(base)),
            Scalar::Int | Scalar::Float | Scalar::String | Scalar::Boolean | Scalar::Any => {
                ResponseValue::Leaf
            }
        }
    }

    /// Returns the values of an enum in the API, sorted.
    fn values(&self, base: TypeId) -> Box<[Arc<str>]> {
        let schema = &self.supergraph.api.schema;
        let known = schema.find_type(&self.supergraph.schema[base].name);
        let mut names: Vec<Arc<str>> = match known.map(|known| &schema[known].kind) {
            Some(TypeKind::Enum { values }) => {
                values.iter().map(|value| schema[*value].name.clone()).collect()
            }
            _ => Vec::new(),
        };
        names.sort_unstable();
        names.into()
    }
}
