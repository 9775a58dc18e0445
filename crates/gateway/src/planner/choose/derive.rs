//! Search for the best derivation of all goals from the root.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::super::Limits;
use super::super::facts::{Facts, How, KnownId, VisitId};
use super::least::{Least, levels};
use super::pairs::{Pairs, Universe};
use super::rules::{Fact, Kind, RuleId, Rules};
use super::take::{Taken, take};
use super::{Choice, Chosen, Contexts};
use crate::outline::ItemId;

/// Weight of an entity jump; each field has weight 1.
pub(super) const HOP: u32 = 8;

/// Maximum number of dependent requests.
const MOST_LEVELS: u16 = 64;

#[derive(Debug)]
pub(super) struct Derivations<'f> {
    facts: &'f Facts,
    subgraphs: usize,
    rules: Rules,
    limits: Limits,
    /// Remaining steps.
    steps: usize,
    attempts: usize,
}

/// A derivation of all goals.
#[derive(Debug)]
pub(super) struct Made {
    cost: Cost,
    pairs: Pairs,
    taken: Taken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    chain: u16,
    requests: usize,
    weight: u32,
}

impl<'f> Derivations<'f> {
    pub(super) fn new(facts: &'f Facts, subgraphs: usize, limits: Limits) -> Self {
        let rules = Rules::new(facts);
        Self { facts, subgraphs, rules, limits, steps: limits.steps, attempts: 0 }
    }

    /// Returns the best derivation found within the limits; `None` if there is none.
    pub(super) fn best(&mut self, goals: &[KnownId]) -> Option<Made> {
        let goals: Vec<Fact> = goals.iter().map(|goal| self.rules.known(*goal)).collect();
        let levels = levels(&self.rules, MOST_LEVELS);
        let level = |goal: &Fact| levels[*goal];
        let chain = goals.iter().map(level).collect::<Option<Vec<u16>>>()?;
        let chain = chain.into_iter().max().unwrap_or(0);
        let universe = Universe::new(self.subgraphs, chain);
        let nothing = universe.none();
        let least = Least::new(&self.rules, universe, &nothing);
        // Values that only one subgraph has come first: they restrict the others most.
        let mut forced = goals.clone();
        forced.sort_by_cached_key(|goal| (self.subgraphs_of(*goal), Reverse(level(goal))));
        let backwards: Vec<Fact> = goals.iter().rev().copied().collect();
        let mut best: Option<Made> = None;
        for order in [&forced, &goals, &backwards] {
            best = better(best, self.derive(universe, order, &least, &nothing, chain));
        }
        let by_themselves = self.made(universe, &goals, self.all_by_themselves(&least));
        let mut best = better(best, Some(by_themselves))?;
        let mut closed = nothing;
        while let Some((made, trial)) = self.without_one(universe, &forced, &closed, &best) {
            best = made;
            closed = trial;
        }
        Some(best)
    }

    /// Returns a better derivation without one of the pairs, and all pairs that are forbidden then.
    fn without_one(
        &mut self,
        universe: Universe,
        goals: &[Fact],
        closed: &Pairs,
        current: &Made,
    ) -> Option<(Made, Pairs)> {
        for pair in current.pairs.iter().rev() {
            if self.attempts >= self.limits.attempts {
                return None;
            }
            self.attempts += 1;
            self.steps = self.steps.checked_sub(self.rules.len())?;
            let mut trial = closed.clone();
            trial.insert(pair);
            let least = Least::new(&self.rules, universe, &trial);
            if goals.iter().any(|goal| least.level(*goal).is_none()) {
                continue;
            }
            let made = self.derive(universe, goals, &least, &trial, current.cost.chain);
            if let Some(made) = made.filter(|made| made.cost < current.cost) {
                return Some((made, trial));
            }
        }
        None
    }

    /// Number of subgraphs that can resolve a value.
    fn subgraphs_of(&self, goal: Fact) -> usize {
        let Kind::Known(known) = self.rules.kind(goal) else { return 0 };
        let ways = self.facts.known(known).ways.iter();
        let mut subgraphs: Vec<_> = ways.map(|way| self.facts.visit(way.visit).subgraph).collect();
        subgraphs.sort_unstable();
        subgraphs.dedup();
        subgraphs.len()
    }

    /// Derives each fact by its own optimum: not the best overall, but always possible.
    fn all_by_themselves(&self, least: &Least) -> Taken {
        let facts = 0..self.rules.facts();
        facts.map(|fact| least.way(fact).map(|way| (way.rule, way.level))).collect()
    }

    fn derive(
        &mut self,
        universe: Universe,
        order: &[Fact],
        least: &Least,
        closed: &Pairs,
        chain: u16,
    ) -> Option<Made> {
        let taken = take(&self.rules, universe, least, closed, order, chain, &mut self.steps)?;
        Some(self.made(universe, order, taken))
    }

    /// Computes the cost of a derivation: only facts that goals depend on count.
    fn made(&self, universe: Universe, goals: &[Fact], taken: Taken) -> Made {
        let mut pairs = universe.none();
        let mut weight = 0;
        let mut chain = 0;
        self.walk(goals, &taken, |_, rule, level| {
            chain = chain.max(level);
            weight += 1;
            if let Some(subgraph) = self.rules.rule(rule).opens {
                if let Some(pair) = universe.pair(subgraph, level) {
                    pairs.insert(pair);
                }
                weight += if level > 1 { HOP } else { 0 };
            }
        });
        Made { cost: Cost { chain, requests: pairs.len(), weight }, pairs, taken }
    }

    /// Visits each fact that goals depend on, once.
    fn walk(&self, goals: &[Fact], taken: &Taken, mut each: impl FnMut(Fact, RuleId, u16)) {
        let mut seen = vec![false; self.rules.facts()];
        let mut open = goals.to_vec();
        while let Some(fact) = open.pop() {
            if std::mem::replace(&mut seen[fact], true) {
                continue;
            }
            let Some((rule, level)) = taken[fact] else { continue };
            each(fact, rule, level);
            open.extend(self.rules.tails(rule));
        }
    }

    /// Converts a derivation to visits with what each reads.
    pub(super) fn choice(&self, goals: &[KnownId], made: &Made) -> Choice {
        let goals: Vec<Fact> = goals.iter().map(|goal| self.rules.known(*goal)).collect();
        let mut visits: BTreeMap<VisitId, Chosen> = BTreeMap::new();
        self.walk(&goals, &made.taken, |fact, rule, level| {
            let way = self.rules.rule(rule).way;
            match self.rules.kind(fact) {
                Kind::Visit(id) => {
                    let how = self.facts.reached(id).ways[way].clone();
                    if let How::Descend { from, item } = &how {
                        self.enter(&mut visits, *from, made).reads.push(*item);
                    }
                    let after = match &how {
                        How::Hop { needs, .. } => {
                            let read = needs.iter().filter_map(|need| self.read_by(*need, made));
                            read.collect()
                        }
                        How::Enter | How::Descend { .. } => Vec::new(),
                    };
                    let chosen = self.enter(&mut visits, id, made);
                    chosen.level = level;
                    chosen.after = after;
                }
                Kind::Known(id) => {
                    let value = self.facts.known(id);
                    let visit = value.ways[way].visit;
                    self.enter(&mut visits, visit, made).reads.push(value.item);
                }
            }
        });
        for chosen in visits.values_mut() {
            chosen.reads.sort_unstable();
            chosen.reads.dedup();
            chosen.after.sort_unstable();
            chosen.after.dedup();
        }
        let mut below: FxHashMap<ItemId, Vec<VisitId>> = FxHashMap::default();
        for (id, chosen) in &visits {
            if let How::Descend { item, .. } = &chosen.how {
                below.entry(*item).or_default().push(*id);
            }
        }
        let Cost { chain, requests, .. } = made.cost;
        Choice {
            chain,
            requests,
            visits,
            below,
            facts: self.rules.facts(),
            attempts: self.attempts,
            contexts: Contexts::default(),
        }
    }

    fn read_by(&self, known: KnownId, made: &Made) -> Option<VisitId> {
        let (rule, _) = made.taken[self.rules.known(known)]?;
        Some(self.facts.known(known).ways.get(self.rules.rule(rule).way)?.visit)
    }

    fn enter<'c>(
        &self,
        visits: &'c mut BTreeMap<VisitId, Chosen>,
        id: VisitId,
        made: &Made,
    ) -> &'c mut Chosen {
        visits.entry(id).or_insert_with(|| {
            let reached = self.facts.reached(id);
            let taken = made.taken[id.index()];
            let (way, level) = match taken {
                Some((rule, level)) => (self.rules.rule(rule).way, level),
                None => (0, reached.level),
            };
            Chosen {
                visit: reached.visit,
                level,
                how: reached.ways[way].clone(),
                reads: Vec::new(),
                after: Vec::new(),
            }
        })
    }
}

/// Returns the first, unless the second costs less.
fn better(best: Option<Made>, made: Option<Made>) -> Option<Made> {
    match (best, made) {
        (Some(best), Some(made)) if made.cost < best.cost => Some(made),
        (Some(best), _) => Some(best),
        (None, made) => made,
    }
}
