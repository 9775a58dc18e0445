//! Facts: what can be read from which subgraph, and how.

use graphql::schema::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::contexts::ContextSetId;
use crate::outline::{ItemId, PositionId, ids};
use supergraph::{FieldSetId, SubgraphId};

ids! {
    /// Objects that are read from a subgraph.
    VisitId "visit";
    /// A value that is known.
    ValueId "known";
    /// A set of `@provides` field sets.
    GivenId "given";
}

/// A visit: the objects of one type at one position, as one subgraph returns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Visit {
    pub position: PositionId,
    pub object: TypeId,
    pub subgraph: SubgraphId,
    /// The interface object type, if the subgraph does not know the object types.
    pub interface: Option<TypeId>,
    /// Fields that the subgraph provides here only (`@provides`).
    pub(super) given: GivenId,
    /// Required fields that were sent with the representations.
    pub inputs: Option<FieldSetId>,
    /// Contexts that were sent.
    pub context_set: Option<ContextSetId>,
}

/// How a visit is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisitOrigin {
    /// A root type, at the start of a request.
    Enter,
    /// From the parent objects, in the same request.
    Descend { from: VisitId, item: ItemId },
    /// By representations, in a new request (an entity jump).
    Jump {
        /// The type with the key: that of the visit, or an interface.
        on: TypeId,
        /// The key; `None` if a root type is entered again.
        key: Option<FieldSetId>,
        /// Values that must be known.
        needs: Vec<ValueId>,
    },
}

#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) visits: Vec<VisitFact>,
    pub(super) known: Vec<ValueFact>,
    visits_by: FxHashMap<Visit, VisitId>,
    known_by: FxHashMap<(PositionId, TypeId, ItemId), ValueId>,
    /// Visits by position and type.
    at: FxHashMap<(PositionId, TypeId), Vec<VisitId>>,
    /// Positions and types with visits, in the order of discovery.
    pub(super) places: Vec<(PositionId, TypeId)>,
    /// Positions and types with a visit that does not return the runtime type.
    opaque: FxHashSet<(PositionId, TypeId)>,
    /// Number of derivations so far.
    pub(super) work: usize,
    pub(super) given: Vec<Vec<FieldSetId>>,
    given_by: FxHashMap<Vec<FieldSetId>, GivenId>,
}

/// A possible visit with its derivations.
#[derive(Debug)]
pub(super) struct VisitFact {
    pub(super) visit: Visit,
    /// Minimum number of requests to it, including its own.
    pub(super) level: u16,
    pub(super) derivations: Vec<VisitOrigin>,
}

/// A possible value with its derivations.
#[derive(Debug)]
pub(super) struct ValueFact {
    pub(super) position: PositionId,
    pub(super) object: TypeId,
    pub(super) item: ItemId,
    /// Minimum number of requests until it is known.
    pub(super) level: u16,
    pub(super) derivations: Vec<ValueSource>,
}

/// A derivation of a value: the visit that reads it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueSource {
    pub(super) visit: VisitId,
    /// The `__typename` item that must be known, if the visit does not return the runtime type and
    /// the item applies to some types only.
    pub(super) typename: Option<ItemId>,
}

impl Facts {
    pub(super) fn reached(&self, id: VisitId) -> &VisitFact {
        &self.visits[id.index()]
    }

    pub(super) fn visit(&self, id: VisitId) -> &Visit {
        &self.reached(id).visit
    }

    pub(super) fn known(&self, id: ValueId) -> &ValueFact {
        &self.known[id.index()]
    }

    /// Returns the visits of a type at a position.
    pub(super) fn at(&self, position: PositionId, object: TypeId) -> &[VisitId] {
        self.at.get(&(position, object)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn find_value(
        &self,
        position: PositionId,
        object: TypeId,
        item: ItemId,
    ) -> Option<ValueId> {
        self.known_by.get(&(position, object, item)).copied()
    }

    /// Adds a derivation of a visit; returns the visit if it is new.
    pub(super) fn add_visit(
        &mut self,
        visit: Visit,
        level: u16,
        origin: VisitOrigin,
    ) -> Option<VisitId> {
        if let Some(id) = self.visits_by.get(&visit).copied() {
            let derivations = &mut self.visits[id.index()].derivations;
            if !derivations.contains(&origin) {
                derivations.push(origin);
                self.work += 1;
            }
            return None;
        }
        let id = VisitId::new(self.visits.len());
        self.visits_by.insert(visit, id);
        let place = (visit.position, visit.object);
        let visits = self.at.entry(place).or_default();
        if visits.is_empty() {
            self.places.push(place);
        }
        visits.push(id);
        if visit.interface.is_some() {
            self.opaque.insert(place);
        }
        self.work += 1;
        self.visits.push(VisitFact { visit, level, derivations: vec![origin] });
        Some(id)
    }

    /// Adds a derivation of a value.
    pub(super) fn add_value(&mut self, visit: VisitId, item: ItemId, typename: Option<ItemId>) {
        let VisitFact { visit: Visit { position, object, .. }, level, .. } = *self.reached(visit);
        let next = ValueId::new(self.known.len());
        let id = *self.known_by.entry((position, object, item)).or_insert(next);
        if id == next {
            self.known.push(ValueFact { position, object, item, level, derivations: Vec::new() });
        }
        let known = &mut self.known[id.index()];
        known.level = known.level.min(level);
        known.derivations.push(ValueSource { visit, typename });
        self.work += 1;
    }

    /// Returns the id of a set of provided field sets.
    pub(super) fn give(&mut self, mut sets: Vec<FieldSetId>) -> GivenId {
        sets.sort_unstable();
        sets.dedup();
        if let Some(id) = self.given_by.get(&sets) {
            return *id;
        }
        let id = GivenId::new(self.given.len());
        self.given_by.insert(sets.clone(), id);
        self.given.push(sets);
        id
    }

    /// Whether some visit of a type at a position does not return the runtime type.
    pub(super) fn is_opaque(&self, position: PositionId, object: TypeId) -> bool {
        self.opaque.contains(&(position, object))
    }
}
