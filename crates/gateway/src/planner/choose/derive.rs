//! Search for the best derivation of all goals from the root.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::super::Limits;
use super::super::facts::{Facts, ValueId, VisitId, VisitOrigin};
use super::greedy::{Assignment, derive_all};
use super::optima::{Optima, levels};
use super::pairs::{PairSpace, Pairs};
use super::rules::{Fact, JUMP_WEIGHT, Kind, RuleId, Rules};
use super::{Choice, ChosenVisit, Contexts};
use crate::outline::ItemId;

/// Maximum number of dependent requests.
const MAX_LEVELS: u16 = 64;

#[derive(Debug)]
pub(super) struct DerivationSearch<'f> {
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
pub(super) struct Solution {
    cost: Cost,
    pairs: Pairs,
    taken: Assignment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    chain: u16,
    requests: usize,
    weight: u32,
}

impl<'f> DerivationSearch<'f> {
    pub(super) fn new(facts: &'f Facts, subgraphs: usize, limits: Limits) -> Self {
        let rules = Rules::new(facts);
        Self { facts, subgraphs, rules, limits, steps: limits.steps, attempts: 0 }
    }

    /// Returns the best derivation found within the limits; `None` if there is none.
    pub(super) fn best(&mut self, goals: &[ValueId]) -> Option<Solution> {
        let goals: Vec<Fact> = goals.iter().map(|goal| self.rules.known(*goal)).collect();
        let levels = levels(&self.rules, MAX_LEVELS);
        let level = |goal: &Fact| levels[*goal];
        let chain = goals.iter().map(level).collect::<Option<Vec<u16>>>()?;
        let chain = chain.into_iter().max().unwrap_or(0);
        let space = PairSpace::new(self.subgraphs, chain);
        let nothing = space.none();
        let optima = Optima::new(&self.rules, space, &nothing);
        // Values that only one subgraph has come first: they restrict the others most.
        let mut forced = goals.clone();
        forced.sort_by_cached_key(|goal| (self.subgraphs_of(*goal), Reverse(level(goal))));
        let backwards: Vec<Fact> = goals.iter().rev().copied().collect();
        let mut best: Option<Solution> = None;
        for order in [&forced, &goals, &backwards] {
            best = better(best, self.derive(space, order, &optima, &nothing, chain));
        }
        let by_themselves = self.solution(space, &goals, self.all_by_themselves(&optima));
        let mut best = better(best, Some(by_themselves))?;
        let mut closed = nothing;
        while let Some((solution, trial)) = self.without_one(space, &forced, &closed, &best) {
            best = solution;
            closed = trial;
        }
        Some(best)
    }

    /// Returns a better derivation without one of the pairs, and all pairs that are forbidden then.
    fn without_one(
        &mut self,
        space: PairSpace,
        goals: &[Fact],
        closed: &Pairs,
        current: &Solution,
    ) -> Option<(Solution, Pairs)> {
        for pair in current.pairs.iter().rev() {
            if self.attempts >= self.limits.attempts {
                return None;
            }
            self.attempts += 1;
            self.steps = self.steps.checked_sub(self.rules.len())?;
            let mut trial = closed.clone();
            trial.insert(pair);
            let optima = Optima::new(&self.rules, space, &trial);
            if goals.iter().any(|goal| optima.level(*goal).is_none()) {
                continue;
            }
            let solution = self.derive(space, goals, &optima, &trial, current.cost.chain);
            if let Some(solution) = solution.filter(|solution| solution.cost < current.cost) {
                return Some((solution, trial));
            }
        }
        None
    }

    /// Number of subgraphs that can resolve a value.
    fn subgraphs_of(&self, goal: Fact) -> usize {
        let Kind::ValueFact(known) = self.rules.kind(goal) else { return 0 };
        let derivations = self.facts.known(known).derivations.iter();
        let mut subgraphs: Vec<_> =
            derivations.map(|derivation| self.facts.visit(derivation.visit).subgraph).collect();
        subgraphs.sort_unstable();
        subgraphs.dedup();
        subgraphs.len()
    }

    /// Derives each fact by its own optimum: not the best overall, but always possible.
    fn all_by_themselves(&self, optima: &Optima) -> Assignment {
        let facts = 0..self.rules.facts();
        facts
            .map(|fact| optima.optimum(fact).map(|derivation| (derivation.rule, derivation.level)))
            .collect()
    }

    fn derive(
        &mut self,
        space: PairSpace,
        order: &[Fact],
        optima: &Optima,
        closed: &Pairs,
        chain: u16,
    ) -> Option<Solution> {
        let taken = derive_all(&self.rules, space, optima, closed, order, chain, &mut self.steps)?;
        Some(self.solution(space, order, taken))
    }

    /// Computes the cost of a derivation: only facts that goals depend on count.
    fn solution(&self, space: PairSpace, goals: &[Fact], taken: Assignment) -> Solution {
        let mut pairs = space.none();
        let mut weight = 0;
        let mut chain = 0;
        self.walk(goals, &taken, |_, rule, level| {
            chain = chain.max(level);
            weight += 1;
            if let Some(subgraph) = self.rules.rule(rule).opens {
                if let Some(pair) = space.pair(subgraph, level) {
                    pairs.insert(pair);
                }
                weight += if level > 1 { JUMP_WEIGHT } else { 0 };
            }
        });
        Solution { cost: Cost { chain, requests: pairs.len(), weight }, pairs, taken }
    }

    /// Visits each fact that goals depend on, once.
    fn walk(&self, goals: &[Fact], taken: &Assignment, mut each: impl FnMut(Fact, RuleId, u16)) {
        let mut seen = vec![false; self.rules.facts()];
        let mut open = goals.to_vec();
        while let Some(fact) = open.pop() {
            if std::mem::replace(&mut seen[fact], true) {
                continue;
            }
            let Some((rule, level)) = taken[fact] else { continue };
            each(fact, rule, level);
            open.extend(self.rules.premises(rule));
        }
    }

    /// Converts a derivation to visits with what each reads.
    pub(super) fn choice(&self, goals: &[ValueId], solution: &Solution) -> Choice {
        let goals: Vec<Fact> = goals.iter().map(|goal| self.rules.known(*goal)).collect();
        let mut visits: BTreeMap<VisitId, ChosenVisit> = BTreeMap::new();
        self.walk(&goals, &solution.taken, |fact, rule, level| {
            let derivation = self.rules.rule(rule).derivation;
            match self.rules.kind(fact) {
                Kind::Visit(id) => {
                    let origin = self.facts.reached(id).derivations[derivation].clone();
                    if let VisitOrigin::Descend { from, item } = &origin {
                        self.enter(&mut visits, *from, solution).reads.push(*item);
                    }
                    let inputs: Vec<(VisitId, ItemId)> = match &origin {
                        VisitOrigin::Jump { needs, .. } => {
                            let read = needs.iter().filter_map(|need| {
                                let visit = self.read_by(*need, solution)?;
                                Some((visit, self.facts.known(*need).item))
                            });
                            read.collect()
                        }
                        VisitOrigin::Enter | VisitOrigin::Descend { .. } => Vec::new(),
                    };
                    let chosen = self.enter(&mut visits, id, solution);
                    chosen.level = level;
                    chosen.after = inputs.iter().map(|(visit, _)| *visit).collect();
                    chosen.inputs = inputs;
                }
                Kind::ValueFact(id) => {
                    let value = self.facts.known(id);
                    let visit = value.derivations[derivation].visit;
                    self.enter(&mut visits, visit, solution).reads.push(value.item);
                }
            }
        });
        for chosen in visits.values_mut() {
            chosen.reads.sort_unstable();
            chosen.reads.dedup();
            chosen.after.sort_unstable();
            chosen.after.dedup();
            chosen.inputs.sort_unstable();
            chosen.inputs.dedup();
        }
        let mut below: FxHashMap<ItemId, Vec<VisitId>> = FxHashMap::default();
        for (id, chosen) in &visits {
            if let VisitOrigin::Descend { item, .. } = &chosen.origin {
                below.entry(*item).or_default().push(*id);
            }
        }
        let Cost { chain, requests, .. } = solution.cost;
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

    fn read_by(&self, known: ValueId, solution: &Solution) -> Option<VisitId> {
        let (rule, _) = solution.taken[self.rules.known(known)]?;
        Some(self.facts.known(known).derivations.get(self.rules.rule(rule).derivation)?.visit)
    }

    fn enter<'c>(
        &self,
        visits: &'c mut BTreeMap<VisitId, ChosenVisit>,
        id: VisitId,
        solution: &Solution,
    ) -> &'c mut ChosenVisit {
        visits.entry(id).or_insert_with(|| {
            let reached = self.facts.reached(id);
            let taken = solution.taken[id.index()];
            let (derivation, level) = match taken {
                Some((rule, level)) => (self.rules.rule(rule).derivation, level),
                None => (0, reached.level),
            };
            ChosenVisit {
                visit: reached.visit,
                level,
                origin: reached.derivations[derivation].clone(),
                reads: Vec::new(),
                after: Vec::new(),
                inputs: Vec::new(),
            }
        })
    }
}

/// Returns the first, unless the second costs less.
fn better(best: Option<Solution>, solution: Option<Solution>) -> Option<Solution> {
    match (best, solution) {
        (Some(best), Some(solution)) if solution.cost < best.cost => Some(solution),
        (Some(best), _) => Some(best),
        (None, solution) => solution,
    }
}
