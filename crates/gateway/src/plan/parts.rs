//! Parts of the response that each fetch is needed for.
//!
//! A visit that begins a request is one fetch for each set of parts that need some of its items, so
//! that the initial part does not wait for items of others. Items below those of the request itself
//! are not separated: their objects would be read twice.

use std::collections::BTreeMap;

use super::{Fetch, FetchId};
use crate::outline::{ItemId, ItemKind, PartId, Parts, Tree};
use crate::planner::{Choice, ChosenVisit, VisitId, VisitOrigin};

/// Parts of the response that need the items of visits that begin a request; empty without deferred
/// fragments.
#[derive(Debug, Default)]
pub(super) struct ItemParts(BTreeMap<(VisitId, ItemId), Parts>);

impl ItemParts {
    /// Collects the parts of the items themselves, and of the visits that need their values.
    pub(super) fn new(tree: &Tree, choice: &Choice) -> Self {
        let mut parts: BTreeMap<(VisitId, ItemId), Parts> = BTreeMap::new();
        if tree.deferred.is_empty() {
            return Self(parts);
        }
        let mut collecting = Collecting::new(tree, choice);
        for (id, chosen) in &choice.visits {
            if !matches!(chosen.origin, VisitOrigin::Descend { .. }) {
                for item in &chosen.reads {
                    parts.insert((*id, *item), collecting.item(*id, *item));
                }
            }
        }
        // A visit comes after those that read its inputs, so each pass completes one more level.
        for _ in 0..=choice.chain {
            for (id, chosen) in &choice.visits {
                let own = chosen.reads.iter().filter_map(|item| parts.get(&(*id, *item)));
                let own = own.fold(Parts::NONE, |all, parts| all.with(*parts));
                for (visit, item) in &chosen.inputs {
                    let input = parts.entry(begun(choice, *visit, *item)).or_default();
                    *input = input.with(own);
                }
            }
        }
        Self(parts)
    }

    /// Splits what a visit reads by the parts that need it first.
    pub(super) fn split(&self, tree: &Tree, id: VisitId, reads: &[ItemId]) -> Vec<Vec<ItemId>> {
        let mut all: Vec<(Parts, Vec<ItemId>)> = Vec::new();
        // Items that no part needs: they decide about null.
        let mut unneeded = Vec::new();
        for item in reads {
            match tree.outermost(self.of(id, *item)) {
                Parts::NONE => unneeded.push(*item),
                parts => match all.iter_mut().find(|(known, _)| *known == parts) {
                    Some((_, items)) => items.push(*item),
                    None => all.push((parts, vec![*item])),
                },
            }
        }
        all.sort_unstable();
        let mut split: Vec<Vec<ItemId>> = all.into_iter().map(|(_, items)| items).collect();
        match split.first_mut() {
            Some(items) => {
                items.extend(unneeded);
                items.sort_unstable();
            }
            None => split.push(unneeded),
        }
        split
    }

    /// Returns the parts that need some items of a visit.
    pub(super) fn of_all(&self, id: VisitId, reads: &[ItemId]) -> Parts {
        let parts = reads.iter().map(|item| self.of(id, *item));
        match parts.fold(Parts::NONE, Parts::with) {
            Parts::NONE => Parts::only(PartId::INITIAL),
            parts => parts,
        }
    }

    fn of(&self, id: VisitId, item: ItemId) -> Parts {
        match self.0.is_empty() {
            true => Parts::only(PartId::INITIAL),
            false => self.0.get(&(id, item)).copied().unwrap_or_default(),
        }
    }
}

/// Returns the visit that begins the request in which a visit reads an item, with the item of that
/// visit.
pub(super) fn begun(choice: &Choice, mut id: VisitId, mut item: ItemId) -> (VisitId, ItemId) {
    while let Some(VisitOrigin::Descend { from, item: above }) =
        choice.visits.get(&id).map(|chosen| &chosen.origin)
    {
        (id, item) = (*from, *above);
    }
    (id, item)
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
    /// The visits that read an item with objects.
    readers: BTreeMap<ItemId, Vec<VisitId>>,
    /// Parts below an item in the request of a visit.
    below: BTreeMap<(VisitId, ItemId), Parts>,
}

impl<'c> Collecting<'c> {
    fn new(tree: &'c Tree, choice: &'c Choice) -> Self {
        let mut readers: BTreeMap<ItemId, Vec<VisitId>> = BTreeMap::new();
        for (id, chosen) in &choice.visits {
            for item in chosen.reads.iter().filter(|item| tree.item(**item).child.is_some()) {
                readers.entry(*item).or_default().push(*id);
            }
        }
        Self { tree, choice, readers, below: BTreeMap::new() }
    }

    /// Returns the parts of an item that a visit reads, with those below. Recursion is bounded by the
    /// depth of the operation.
    fn item(&mut self, id: VisitId, item: ItemId) -> Parts {
        self.below(id, item).with(self.own(item))
    }

    fn below(&mut self, id: VisitId, item: ItemId) -> Parts {
        if let Some(known) = self.below.get(&(id, item)) {
            return *known;
        }
        let mut parts = Parts::NONE;
        for visit in self.choice.below(item) {
            if let Some(ChosenVisit { origin: VisitOrigin::Descend { from, .. }, reads, .. }) =
                self.choice.visits.get(visit)
                && *from == id
            {
                parts = reads.iter().fold(parts, |all, item| all.with(self.item(*visit, *item)));
            }
        }
        self.below.insert((id, item), parts);
        parts
    }

    /// Returns the parts of an item itself: of objects only those for which no value of them is read
    /// together with them.
    fn own(&mut self, item: ItemId) -> Parts {
        let definition = self.tree.item(item);
        if definition.kind == ItemKind::Typename && !definition.is_visible {
            // It decides which items apply to an object.
            let items = self.tree.position(definition.position).items.iter();
            return items.fold(Parts::NONE, |all, item| all.with(self.tree.item(*item).parts));
        }
        let readers = self.readers.get(&item).cloned().unwrap_or_default();
        let read = readers.iter().fold(Parts::NONE, |all, id| all.with(self.below(*id, item)));
        definition.parts.without(read)
    }
}
