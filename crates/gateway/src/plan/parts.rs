//! Parts of the response that each fetch is needed for.

use std::collections::BTreeMap;

use super::{Fetch, FetchId};
use crate::outline::{Item, ItemId, ItemKind, PartId, Parts, PositionId, Tree};
use crate::planner::{Choice, ChosenVisit, VisitId, VisitOrigin};

/// Returns the parts of each visit that begins a request: those of the items that it reads, and of
/// the visits that need its values.
pub(super) fn visit_parts(tree: &Tree, choice: &Choice) -> BTreeMap<VisitId, Parts> {
    let mut parts: BTreeMap<VisitId, Parts> = BTreeMap::new();
    if tree.deferred.is_empty() {
        return parts;
    }
    let all: Parts = (0..=tree.deferred.len())
        .fold(Parts::NONE, |all, part| all.with(Parts::only(PartId::new(part))));
    let collecting = Collecting { tree, choice };
    for (id, chosen) in &choice.visits {
        if !matches!(chosen.origin, VisitOrigin::Descend { .. }) {
            parts.insert(*id, collecting.read(*id, chosen));
        }
    }
    // A visit comes after those that read its inputs, so each pass completes one more level.
    for _ in 0..=choice.chain {
        for (id, chosen) in &choice.visits {
            let own = parts.get(&collecting.begun(*id)).copied().unwrap_or_default();
            for before in &chosen.after {
                let before = parts.entry(collecting.begun(*before)).or_default();
                *before = before.with(own);
            }
        }
    }
    // A visit that reads nothing visible for anything visible decides about null.
    for own in parts.values_mut().filter(|own| **own == Parts::NONE) {
        *own = all;
    }
    parts
}

/// Returns the fetches that each part of the response needs, with their dependencies.
pub(super) fn fetches_by_part(tree: &Tree, fetches: &[Fetch]) -> Box<[Box<[FetchId]>]> {
    let parts = (0..=tree.deferred.len()).map(PartId::new);
    let needed = parts.map(|part| {
        let mut is_needed: Vec<bool> =
            fetches.iter().map(|fetch| fetch.parts.contains(part)).collect();
        let mut open: Vec<FetchId> = ids(&is_needed).collect();
        while let Some(fetch) = open.pop() {
            for before in &fetches[fetch.index()].needs {
                if !std::mem::replace(&mut is_needed[before.index()], true) {
                    open.push(*before);
                }
            }
        }
        ids(&is_needed).collect()
    });
    needed.collect()
}

fn ids(is_needed: &[bool]) -> impl Iterator<Item = FetchId> {
    let needed = is_needed.iter().enumerate().filter(|(_, is_needed)| **is_needed);
    needed.map(|(place, _)| FetchId::new(place))
}

struct Collecting<'c> {
    tree: &'c Tree,
    choice: &'c Choice,
}

impl Collecting<'_> {
    /// Returns the parts of the items that a visit reads, with those below. An item with objects
    /// counts where nothing below it does. Recursion is bounded by the depth of the operation.
    fn read(&self, id: VisitId, chosen: &ChosenVisit) -> Parts {
        let mut parts = Parts::NONE;
        for item in &chosen.reads {
            let mut below = Parts::NONE;
            for visit in self.choice.below(*item) {
                if let Some(chosen) = self.choice.visits.get(visit)
                    && matches!(chosen.origin, VisitOrigin::Descend { from, .. } if from == id)
                {
                    below = below.with(self.read(*visit, chosen));
                }
            }
            parts = parts.with(below).with(self.own(*item, below == Parts::NONE));
        }
        parts
    }

    /// Returns the parts of an item itself: of objects only those that need no value of them.
    fn own(&self, item: ItemId, is_leaf: bool) -> Parts {
        let item = self.tree.item(item);
        if is_leaf && item.kind == ItemKind::Typename && !item.is_visible {
            // It decides which items apply to an object.
            return self.at(item.position, |_| true);
        }
        match item.child {
            Some(child) if !is_leaf => item.parts.without(self.at(child, |item| !item.is_denied)),
            Some(_) | None => item.parts,
        }
    }

    /// Returns the parts of some items at a position.
    fn at(&self, position: PositionId, is_of: impl Fn(&Item) -> bool) -> Parts {
        let items = self.tree.position(position).items.iter().map(|item| self.tree.item(*item));
        items.filter(|item| is_of(item)).fold(Parts::NONE, |all, item| all.with(item.parts))
    }

    /// Returns the visit that begins the request of a visit.
    fn begun(&self, mut id: VisitId) -> VisitId {
        while let Some(VisitOrigin::Descend { from, .. }) =
            self.choice.visits.get(&id).map(|chosen| &chosen.origin)
        {
            id = *from;
        }
        id
    }
}
