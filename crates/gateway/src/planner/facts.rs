//! What can be read where, and how one comes there.

use graphql::schema::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::contexts::ToldId;
use crate::outline::{ItemId, PositionId, ids};
use crate::supergraph::{FieldSetId, SubgraphId};

ids! {
    /// Objects that are read in a subgraph.
    VisitId "visit";
    /// A value that is known.
    KnownId "known";
    /// What a subgraph gives beyond what it gives everywhere.
    GivenId "given";
}

/// Objects of one type at one position, as one subgraph reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Visit {
    pub position: PositionId,
    pub object: TypeId,
    pub subgraph: SubgraphId,
    /// The interface that the subgraph knows the objects as, where it does not know their types.
    pub interface: Option<TypeId>,
    /// What is provided here.
    pub(super) given: GivenId,
    /// What the subgraph was told of the objects, beside their key.
    pub inputs: Option<FieldSetId>,
    /// What the subgraph was told of the objects above.
    pub told: Option<ToldId>,
}

/// How one comes to a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// A root type, with which a request begins.
    Enter,
    /// From the objects above, in the same request.
    Descend { from: VisitId, item: ItemId },
    /// By representations.
    Hop {
        /// The type that has the key; it is that of the visit, or an interface.
        on: TypeId,
        /// The type's key; none where a root type is entered again.
        key: Option<FieldSetId>,
        /// What has to be known.
        needs: Vec<KnownId>,
    },
}

#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) visits: Vec<Reached>,
    pub(super) known: Vec<Known>,
    visits_by: FxHashMap<Visit, VisitId>,
    known_by: FxHashMap<(PositionId, TypeId, ItemId), KnownId>,
    /// The visits of a type at a position.
    at: FxHashMap<(PositionId, TypeId), Vec<VisitId>>,
    /// The places that have visits, in the order in which they were found.
    pub(super) places: Vec<(PositionId, TypeId)>,
    /// Those of which some visit does not tell the types.
    opaque: FxHashSet<(PositionId, TypeId)>,
    /// How many ways were looked at.
    pub(super) work: usize,
    pub(super) given: Vec<Vec<FieldSetId>>,
    given_by: FxHashMap<Vec<FieldSetId>, GivenId>,
}

/// A visit that is possible.
#[derive(Debug)]
pub(super) struct Reached {
    pub(super) visit: Visit,
    /// How many requests lead to it at least, its own among them.
    pub(super) level: u16,
    pub(super) ways: Vec<How>,
}

/// A value that can be known.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) position: PositionId,
    pub(super) object: TypeId,
    pub(super) item: ItemId,
    /// After how many requests, at least.
    pub(super) level: u16,
    pub(super) ways: Vec<Reading>,
}

/// How a value gets known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) visit: VisitId,
    /// The item that says the types of the objects, if the visit does not and only some are asked.
    pub(super) typename: Option<ItemId>,
}

impl Facts {
    pub(super) fn reached(&self, id: VisitId) -> &Reached {
        &self.visits[id.index()]
    }

    pub(super) fn visit(&self, id: VisitId) -> &Visit {
        &self.reached(id).visit
    }

    pub(super) fn known(&self, id: KnownId) -> &Known {
        &self.known[id.index()]
    }

    /// The visits of a type at a position.
    pub(super) fn at(&self, position: PositionId, object: TypeId) -> &[VisitId] {
        self.at.get(&(position, object)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn find_known(
        &self,
        position: PositionId,
        object: TypeId,
        item: ItemId,
    ) -> Option<KnownId> {
        self.known_by.get(&(position, object, item)).copied()
    }

    /// A way to a visit. The visit, if it is a new one.
    pub(super) fn add_visit(&mut self, visit: Visit, level: u16, how: How) -> Option<VisitId> {
        if let Some(id) = self.visits_by.get(&visit).copied() {
            let ways = &mut self.visits[id.index()].ways;
            if !ways.contains(&how) {
                ways.push(how);
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
        self.visits.push(Reached { visit, level, ways: vec![how] });
        Some(id)
    }

    /// Says that a visit reads a value.
    pub(super) fn add_known(&mut self, visit: VisitId, item: ItemId, typename: Option<ItemId>) {
        let Reached { visit: Visit { position, object, .. }, level, .. } = *self.reached(visit);
        let next = KnownId::new(self.known.len());
        let id = *self.known_by.entry((position, object, item)).or_insert(next);
        if id == next {
            self.known.push(Known { position, object, item, level, ways: Vec::new() });
        }
        let known = &mut self.known[id.index()];
        known.level = known.level.min(level);
        known.ways.push(Reading { visit, typename });
        self.work += 1;
    }

    /// What is given, by the sets that say it.
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

    /// Whether some visit of a type at a position does not tell the types of its objects.
    pub(super) fn is_opaque(&self, position: PositionId, object: TypeId) -> bool {
        self.opaque.contains(&(position, object))
    }
}
