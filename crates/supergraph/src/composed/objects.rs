//! Sets of object types, and the possible types of all types.

use graphql::schema::{Schema, TypeId, TypeKind};
use rustc_hash::FxHashSet;

use super::{SubgraphId, TypeOwners};

const BITS: usize = u64::BITS as usize;

/// A set of object types of one supergraph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeSet(Box<[u64]>);

graphql::heap_size!(struct TypeSet(_));

impl TypeSet {
    fn empty(objects: usize) -> Self {
        Self(vec![0; objects.div_ceil(BITS)].into())
    }

    fn insert(&mut self, place: usize) {
        self.0[place / BITS] |= 1 << (place % BITS);
    }

    fn has(&self, place: usize) -> bool {
        self.0.get(place / BITS).is_some_and(|word| word >> (place % BITS) & 1 == 1)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Adds the members of another set.
    pub fn unite(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// Adds the members of another set; this set may be the default value.
    pub fn unite_or_begin(&mut self, other: &Self) {
        if self.0.is_empty() {
            *self = other.clone();
        } else {
            self.unite(other);
        }
    }

    /// Returns the difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let others = other.0.iter().copied().chain(std::iter::repeat(0));
        Self(self.0.iter().zip(others).map(|(word, other)| word & !other).collect())
    }

    /// Whether the sets have a common member.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(word, other)| word & other != 0)
    }

    /// Returns the intersection.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(word, other)| word & other).collect())
    }

    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(word, other)| word & !other == 0)
    }
}

/// Returns the concrete types: object types, and interfaces without implementations, whose objects
/// need no distinction.
fn concrete(schema: &Schema) -> Vec<TypeId> {
    let mut implemented = FxHashSet::default();
    for (_, definition) in schema.types() {
        if let TypeKind::Object { interfaces, .. } = &definition.kind {
            implemented.extend(interfaces.iter().copied());
        }
    }
    let concrete = schema.types().filter(|(id, definition)| match definition.kind {
        TypeKind::Object { .. } => true,
        TypeKind::Interface { .. } => !implemented.contains(id),
        TypeKind::Scalar
        | TypeKind::Union { .. }
        | TypeKind::Enum { .. }
        | TypeKind::InputObject { .. } => false,
    });
    concrete.map(|(id, _)| id).collect()
}

/// Object types of a supergraph, and the possible types of each composite type.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// Object types, in the order of the schema.
    ids: Vec<TypeId>,
    /// By type: its index in `ids`.
    places: Vec<Option<u32>>,
    /// By type.
    possible: Vec<TypeSet>,
    /// By type, then by subgraph.
    possible_in: Vec<TypeSet>,
    /// By index: the unions that have the object type as a member, by subgraph.
    unions: Vec<Vec<(TypeId, SubgraphId)>>,
    subgraphs: usize,
}

impl Objects {
    pub(super) fn new(schema: &Schema, types: &[TypeOwners], subgraphs: usize) -> Self {
        let ids = concrete(schema);
        let mut places = vec![None; types.len()];
        for (place, id) in ids.iter().enumerate() {
            places[id.index()] = u32::try_from(place).ok();
        }
        let empty = TypeSet::empty(ids.len());
        let mut this = Self {
            possible: vec![empty.clone(); types.len()],
            possible_in: vec![empty; types.len() * subgraphs],
            unions: vec![Vec::new(); ids.len()],
            ids,
            places,
            subgraphs,
        };
        for (place, id) in this.ids.clone().into_iter().enumerate() {
            let owners = &types[id.index()];
            for owner in &owners.subgraphs {
                this.add(id, owner.subgraph, place);
            }
            // A subgraph may declare an implementation without having the type.
            for (subgraph, interface) in &owners.implements {
                this.add(*interface, *subgraph, place);
            }
            if let TypeKind::Object { interfaces, .. } = &schema[id].kind {
                for interface in interfaces {
                    this.possible[interface.index()].insert(place);
                }
            }
            this.possible[id.index()].insert(place);
        }
        for (id, definition) in schema.types() {
            if let TypeKind::Union { members } = &definition.kind {
                for member in members {
                    if let Some(place) = this.place(*member) {
                        this.possible[id.index()].insert(place);
                    }
                }
                for (subgraph, member) in &types[id.index()].members {
                    if let Some(place) = this.place(*member) {
                        this.add(id, *subgraph, place);
                        this.unions[place].push((id, *subgraph));
                    }
                }
            }
        }
        this
    }

    fn place(&self, object: TypeId) -> Option<usize> {
        self.places[object.index()].map(|place| place as usize)
    }

    fn add(&mut self, r#type: TypeId, subgraph: SubgraphId, object: usize) {
        self.possible_in[r#type.index() * self.subgraphs + usize::from(subgraph.0)].insert(object);
    }

    pub(super) fn unions_of(&self, object: TypeId) -> &[(TypeId, SubgraphId)] {
        self.place(object).map_or(&[], |place| &self.unions[place])
    }

    pub(super) fn possible(&self, id: TypeId) -> &TypeSet {
        &self.possible[id.index()]
    }

    pub(super) fn possible_in(&self, id: TypeId, subgraph: SubgraphId) -> &TypeSet {
        &self.possible_in[id.index() * self.subgraphs + usize::from(subgraph.0)]
    }

    pub(super) fn members<'s>(&'s self, set: &'s TypeSet) -> impl Iterator<Item = TypeId> + 's {
        self.ids.iter().enumerate().filter(|(place, _)| set.has(*place)).map(|(_, id)| *id)
    }

    pub(super) fn only(&self, object: TypeId) -> TypeSet {
        let mut set = TypeSet::empty(self.ids.len());
        if let Some(place) = self.place(object) {
            set.insert(place);
        }
        set
    }

    pub(super) fn contains(&self, set: &TypeSet, object: TypeId) -> bool {
        self.place(object).is_some_and(|place| set.has(place))
    }
}
