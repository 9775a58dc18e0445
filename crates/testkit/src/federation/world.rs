//! The data: a few objects of each type, whose values are computed from their identity.
//!
//! A value that several subgraphs resolve is one that all of them may return: it is null only if it
//! is nullable in all of them, and an object of a type that all of them have. Values of keys are
//! unique among the objects of a type, so that a representation identifies one.

use std::collections::HashSet;
use std::sync::Arc;

use graphql::schema::{FieldId, TypeId, TypeKind, TypeRef};
use serde_json::Value as Json;
use supergraph::Supergraph;
use supergraph::{FieldSetId, SetSelection, SubgraphId};

use super::data::Data;
use super::failing::Failing;

/// Default number of a type's objects.
pub const OBJECTS: u8 = 4;

/// An object: the number of one of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    pub r#type: TypeId,
    pub number: u8,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Leaf(Json),
    Object(Identity),
    List(Vec<Value>),
}

/// The data of a supergraph's types.
#[derive(Debug)]
pub struct World<'s> {
    pub supergraph: &'s Supergraph,
    /// Other seeds are other worlds.
    seed: u64,
    /// Percentage of nulls among nullable values.
    nulls: u64,
    /// For readers: lists of two, and texts that name their objects.
    is_simple: bool,
    /// The fields that objects of a type are found by.
    keys: HashSet<(TypeId, Arc<str>)>,
    /// The defined values.
    data: Data,
    /// The failures, if there are any.
    pub(super) failing: Option<Failing>,
}

/// A type in one subgraph, or in the supergraph.
type DeclaredType = (Option<SubgraphId>, TypeRef);

impl<'s> World<'s> {
    #[must_use]
    pub fn new(supergraph: &'s Supergraph, seed: u64, nulls: u64) -> Self {
        let (keys, data, failing) = (HashSet::new(), Data::default(), None);
        let mut world = Self { supergraph, seed, nulls, is_simple: false, keys, data, failing };
        for (id, _) in supergraph.schema.types() {
            for owner in &supergraph.type_owners(id).subgraphs {
                owner.keys.iter().for_each(|key| world.add_key(key.fields));
            }
        }
        world
    }

    /// A world for readers: without nulls, with lists of two, and plain texts.
    #[must_use]
    pub fn simple(supergraph: &'s Supergraph) -> Self {
        Self { is_simple: true, ..Self::new(supergraph, 1, 0) }
    }

    /// The world with defined values.
    #[must_use]
    pub fn with_data(self, data: Data) -> Self {
        Self { data, ..self }
    }

    /// The world in which something fails.
    #[must_use]
    pub fn with_failing(self, failing: Failing) -> Self {
        Self { failing: Some(failing), ..self }
    }

    pub(super) fn name(&self, of: Identity) -> &str {
        &self.supergraph.schema[of.r#type].name
    }

    pub(super) fn is_key(&self, r#type: TypeId, name: &str) -> bool {
        self.keys.contains(&(r#type, name.into()))
    }

    /// Whether a field, or the elements of its list, is nullable everywhere.
    pub(super) fn is_nullable(&self, object: TypeId, name: &str, is_of_elements: bool) -> bool {
        self.declared_types(object, name).iter().all(|(_, r#type)| match is_of_elements {
            true => r#type.item().is_none_or(|item| !item.is_non_null()),
            false => !r#type.is_non_null(),
        })
    }

    /// Whether a field is non-null in the supergraph.
    pub(super) fn is_promised(&self, object: TypeId, name: &str) -> bool {
        self.declared_types(object, name).first().is_some_and(|(_, r#type)| r#type.is_non_null())
    }

    /// The subgraphs that name a field of an object, or of the interface that they know it as.
    pub(super) fn owners(&self, of: Identity, name: &str) -> Vec<SubgraphId> {
        self.declared_types(of.r#type, name)
            .into_iter()
            .filter_map(|(subgraph, _)| subgraph)
            .collect()
    }

    /// The field sets that a field of an object requires.
    pub(super) fn requires(&self, of: Identity, name: &str) -> Vec<FieldSetId> {
        let supergraph = self.supergraph;
        let interfaces = supergraph.interfaces(of.r#type).iter().copied();
        let types = std::iter::once(of.r#type).chain(interfaces);
        let fields = types.filter_map(|r#type| supergraph.schema.find_field(r#type, name));
        let owners = fields.flat_map(|field| &supergraph.field_owners(field).subgraphs);
        owners.filter_map(|owner| owner.requires).collect()
    }

    /// The objects that the types of a set have.
    pub fn objects<'w>(
        &'w self,
        types: impl Iterator<Item = TypeId> + 'w,
    ) -> impl Iterator<Item = Identity> + 'w {
        types.flat_map(|r#type| {
            (0..self.count(r#type)).map(move |number| Identity { r#type, number })
        })
    }

    /// The field that an object has under a name; one that only its interfaces name, too.
    #[must_use]
    pub fn field(&self, object: TypeId, name: &str) -> Option<FieldId> {
        let schema = &self.supergraph.schema;
        let interfaces = self.supergraph.interfaces(object).iter().copied();
        std::iter::once(object).chain(interfaces).find_map(|id| schema.find_field(id, name))
    }

    fn count(&self, r#type: TypeId) -> u8 {
        self.data.count(r#type).unwrap_or(OBJECTS)
    }

    /// The value of an object's field.
    #[must_use]
    pub fn value(&self, of: Identity, name: &str, arguments: &str) -> Value {
        let types = self.declared_types(of.r#type, name);
        let Some((_, declared)) = types.first().copied() else { return Value::Null };
        let is_composite = self.supergraph.is_composite(declared.base);
        if let Some(types) = self.data.value(of, name, is_composite) {
            return types;
        }
        let possible = self.possible(declared, &types);
        let r#type = &*self.supergraph.schema[of.r#type].name;
        let number = [of.number];
        let parts = [r#type.as_bytes(), &number, name.as_bytes(), arguments.as_bytes()];
        let hash = parts.iter().fold(self.seed, |hash, part| mix(hash, part));
        let is_key = self.keys.contains(&(of.r#type, name.into()));
        let making = Making { world: self, of, name, arguments, is_key, possible: &possible };
        making.value(&types, hash, of.number)
    }

    /// Registers the fields of a key.
    fn add_key(&mut self, set: FieldSetId) {
        let supergraph = self.supergraph;
        let set = supergraph.field_set(set);
        for selection in &set.selections {
            match selection {
                SetSelection::Typename => {}
                SetSelection::Field { field, set: below, .. } => {
                    let name = &supergraph.schema[*field].name;
                    self.keys.insert((set.parent, name.clone()));
                    for object in supergraph.members(supergraph.possible(set.parent)) {
                        self.keys.insert((object, name.clone()));
                    }
                    below.iter().for_each(|below| self.add_key(*below));
                }
                SetSelection::On(below) => self.add_key(*below),
            }
        }
    }

    /// The types of a field of an object type, the supergraph's first.
    fn declared_types(&self, object: TypeId, name: &str) -> Vec<DeclaredType> {
        let supergraph = self.supergraph;
        let mut types: Vec<DeclaredType> = Vec::new();
        let Some(field) = self.field(object, name) else { return types };
        types.push((None, supergraph.schema[field].r#type));
        let mut add = |field: FieldId, is_meant: &dyn Fn(SubgraphId) -> bool| {
            let owners = supergraph.field_owners(field).subgraphs.iter();
            let owners = owners.filter(|owner| is_meant(owner.subgraph));
            types.extend(owners.map(|owner| (Some(owner.subgraph), owner.r#type)));
        };
        add(field, &|_| true);
        for interface in supergraph.interfaces(object) {
            let is_object = |subgraph| {
                let known = supergraph.type_in(*interface, subgraph);
                known.is_some_and(|known| known.is_interface_object)
            };
            if let Some(field) = supergraph.schema.find_field(*interface, name) {
                add(field, &is_object);
            }
        }
        types
    }

    /// The object types that all declarations have; those that some have, if there is none.
    fn possible(&self, declared: TypeRef, types: &[DeclaredType]) -> Vec<TypeId> {
        let supergraph = self.supergraph;
        if !supergraph.is_composite(declared.base) {
            return Vec::new();
        }
        let all = supergraph.possible(declared.base);
        let mut common = all.clone();
        for (subgraph, r#type) in types {
            let Some(subgraph) = subgraph else { continue };
            // One may name a field of a type that it does not have, to require something of it.
            let Some(known) = supergraph.type_in(r#type.base, *subgraph) else { continue };
            let possible = match known.is_interface_object {
                true => supergraph.possible(r#type.base),
                false => supergraph.possible_in(r#type.base, *subgraph),
            };
            common = common.intersection(possible);
        }
        supergraph.members(&common).collect()
    }

    fn is_root(&self, r#type: TypeId) -> bool {
        let schema = &self.supergraph.schema;
        [schema.query, schema.mutation, schema.subscription].contains(&Some(r#type))
    }
}

/// A value that is being computed.
struct Making<'m> {
    world: &'m World<'m>,
    of: Identity,
    name: &'m str,
    arguments: &'m str,
    is_key: bool,
    possible: &'m [TypeId],
}

impl Making<'_> {
    /// `number` makes the values of keys unique.
    fn value(&self, types: &[DeclaredType], hash: u64, number: u8) -> Value {
        let may_be_null = types.iter().all(|(_, r#type)| !r#type.is_non_null());
        if !self.is_key && may_be_null && mix(hash, b"null") % 100 < self.world.nulls {
            return Value::Null;
        }
        let items = types.iter().map(|(of, r#type)| Some((*of, r#type.item()?)));
        if let Some(items) = items.collect::<Option<Vec<DeclaredType>>>() {
            let length = mix(hash, b"length") % 4;
            let length = match (self.world.is_simple, self.is_key) {
                (true, _) => 2,
                (false, true) => 1 + length % 2,
                (false, false) => length,
            };
            let values = (0..length).map(|place| {
                let place = u8::try_from(place).unwrap_or_default();
                self.value(&items, mix(hash, &[place]), (number + place) % OBJECTS)
            });
            return Value::List(values.collect());
        }
        let Some((_, declared)) = types.first() else { return Value::Null };
        if self.world.supergraph.is_composite(declared.base) {
            return self.object(hash, number);
        }
        Value::Leaf(self.leaf(declared.base, hash, number))
    }

    fn object(&self, hash: u64, number: u8) -> Value {
        let count = u64::try_from(self.possible.len()).unwrap_or(u64::MAX);
        let Some(place) = mix(hash, b"type").checked_rem(count) else { return Value::Null };
        let r#type = self.possible[usize::try_from(place).unwrap_or_default()];
        let of_type = self.world.count(r#type).max(1);
        let other = u8::try_from(mix(hash, b"number") % u64::from(of_type)).unwrap_or_default();
        let number = match (self.world.is_root(r#type), self.is_key) {
            // There is one of it.
            (true, _) => 0,
            (false, true) => number % of_type,
            (false, false) => other,
        };
        Value::Object(Identity { r#type, number })
    }

    fn leaf(&self, base: TypeId, hash: u64, number: u8) -> Json {
        let supergraph = self.world.supergraph;
        let definition = &supergraph.schema[base];
        // Of one key the values are different by their numbers.
        let small = |most: u64| {
            let few = mix(hash, b"leaf") % most;
            let of_field = mix(0, self.name.as_bytes()) % 100 * 10;
            i64::try_from(if self.is_key { of_field + u64::from(number) } else { few })
                .unwrap_or_default()
        };
        match (&definition.kind, &*definition.name) {
            (TypeKind::Enum { values }, _) => {
                let names = values.iter().map(|value| &*supergraph.schema[*value].name);
                let known =
                    |name: &&str| supergraph.api.has_value(&definition.name, name.as_bytes());
                let names: Vec<&str> = names.filter(known).collect();
                let place = usize::try_from(small(1_000)).unwrap_or_default();
                place.checked_rem(names.len()).map_or(Json::Null, |place| names[place].into())
            }
            (_, "Int") => (small(1_000) - 300 * i64::from(!self.is_key)).into(),
            (_, "Float") => {
                let whole = i32::try_from(small(1_000)).unwrap_or_default();
                (f64::from(whole) + 0.25).into()
            }
            (_, "Boolean") => (small(2) == 1).into(),
            (_, _) if self.is_key => {
                let r#type = &supergraph.schema[self.of.r#type].name;
                format!("{type}.{} {number}", self.name).into()
            }
            (_, _) if self.world.is_simple => {
                let Self { of, name, arguments, .. } = self;
                let r#type = &supergraph.schema[of.r#type].name;
                format!("{name}{arguments} of {type} {}", of.number).into()
            }
            // Texts with all that has to be escaped.
            (_, _) if hash.is_multiple_of(5) => {
                format!("{} \"ä\\\n\u{1}{hash:x}", self.name).into()
            }
            (_, _) => format!("{} {hash:x}", self.name).into(),
        }
    }
}

/// FNV-1a, with the bits spread in the end so that a remainder is by chance.
pub(super) fn mix(seed: u64, bytes: &[u8]) -> u64 {
    let mut hash = bytes.iter().chain(&[0xff]).fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 29
}
