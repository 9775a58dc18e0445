//! Merging of successive requests to one subgraph for the same objects, if the longest chain stays
//! as short.
//!
//! Requests for other objects are not merged: reuse may make one of them unnecessary at run time,
//! and the other would have waited for nothing.

use std::collections::{BTreeMap, BTreeSet};

use graphql::schema::TypeId;
use rustc_hash::FxHashMap;

use super::super::facts::{VisitId, VisitOrigin};
use super::{Choice, ChosenVisit};
use crate::outline::PositionId;
use supergraph::SubgraphId;

/// Level of each visit.
type Levels = FxHashMap<VisitId, u16>;

/// Delays requests while that saves some, at most `attempts` times.
pub(super) fn delay(choice: &mut Choice, mut attempts: usize) {
    while let Some(levels) = save_request(choice, &mut attempts) {
        for (id, chosen) in &mut choice.visits {
            if let Some(level) = levels.get(id) {
                chosen.level = *level;
            }
        }
        choice.requests = requests(choice, &levels);
    }
}

/// Returns levels with one request less.
fn save_request(choice: &Choice, attempts: &mut usize) -> Option<Levels> {
    let now: Levels = choice.visits.iter().map(|(id, chosen)| (*id, chosen.level)).collect();
    let before = requests(choice, &now);
    let groups = groups(choice);
    for ((subgraph, level), group) in &groups {
        let later = groups.range((*subgraph, level + 1)..=(*subgraph, u16::MAX));
        for ((_, until), other) in later {
            if !group.objects.is_subset(&other.objects) {
                continue;
            }
            *attempts = attempts.checked_sub(1)?;
            let delayed = group.visits.iter().map(|id| (*id, *until)).collect();
            let mut delaying = Delaying { choice, delayed, levels: Levels::default() };
            for id in choice.visits.keys() {
                delaying.level(*id);
            }
            let levels = delaying.levels;
            let chain = levels.values().copied().max().unwrap_or_default();
            if chain <= choice.chain && requests(choice, &levels) < before {
                return Some(levels);
            }
        }
    }
    None
}

/// Visits by representations in one request.
#[derive(Default)]
struct Group {
    visits: Vec<VisitId>,
    objects: BTreeSet<(PositionId, TypeId)>,
}

fn groups(choice: &Choice) -> BTreeMap<(SubgraphId, u16), Group> {
    let mut groups: BTreeMap<(SubgraphId, u16), Group> = BTreeMap::new();
    for (id, ChosenVisit { visit, level, origin, .. }) in &choice.visits {
        if matches!(origin, VisitOrigin::Jump { key: Some(_), .. }) {
            let group = groups.entry((visit.subgraph, *level)).or_default();
            group.visits.push(*id);
            group.objects.insert((visit.position, visit.object));
        }
    }
    groups
}

/// Returns the number of requests.
fn requests(choice: &Choice, levels: &Levels) -> usize {
    let begun = choice.visits.iter().filter_map(|(id, chosen)| match chosen.origin {
        VisitOrigin::Enter | VisitOrigin::Jump { .. } => {
            Some((chosen.visit.subgraph, levels.get(id)))
        }
        VisitOrigin::Descend { .. } => None,
    });
    begun.collect::<BTreeSet<_>>().len()
}

struct Delaying<'d> {
    choice: &'d Choice,
    /// Visits with their new minimum levels.
    delayed: Levels,
    levels: Levels,
}

impl Delaying<'_> {
    /// Computes the level of a visit and of its predecessors. Recursion is bounded: predecessors
    /// have lower levels, and within a level visits are as deep as the operation.
    fn level(&mut self, id: VisitId) -> u16 {
        if let Some(level) = self.levels.get(&id) {
            return *level;
        }
        let Some(chosen) = self.choice.visits.get(&id) else { return 0 };
        let level = match &chosen.origin {
            VisitOrigin::Enter => chosen.level,
            VisitOrigin::Descend { from, .. } => self.level(*from),
            VisitOrigin::Jump { .. } => {
                let after = chosen.after.iter().map(|before| self.level(*before)).max();
                let own = after.unwrap_or_default() + 1;
                // A visit that was delayed before stays delayed.
                let least = self.delayed.get(&id).copied().unwrap_or(chosen.level);
                own.max(least)
            }
        };
        self.levels.insert(id, level);
        level
    }
}
