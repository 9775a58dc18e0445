//! Greedy derivation of all goals, one after the other, each with the fewest new requests beside
//! those of the goals before.

use std::cmp::Reverse;

use super::optima::Optima;
use super::pairs::{PairSpace, Pairs, insert};
use super::rules::{Fact, JUMP_WEIGHT, RuleId, Rules};

/// Maximum number of derivations that are tried for a fact.
const MAX_TRIED: usize = 6;

/// By fact: its rule and level.
pub(super) type Assignment = Vec<Option<(RuleId, u16)>>;

/// Derives all goals within `chain` levels; `None` if no derivation is found within `steps`, which
/// are counted down.
pub(super) fn derive_all(
    rules: &Rules,
    space: PairSpace,
    optima: &Optima,
    closed: &Pairs,
    goals: &[Fact],
    chain: u16,
    steps: &mut usize,
) -> Option<Assignment> {
    let mut search = GreedySearch {
        rules,
        space,
        optima,
        closed,
        opened: space.none(),
        taken: vec![None; rules.facts()],
        in_progress: vec![false; rules.facts()],
        failed: vec![None; rules.facts()],
        steps,
        is_cut: false,
        new: vec![0; space.words()],
    };
    for goal in goals {
        search.derive(*goal, chain)?;
    }
    Some(search.taken)
}

struct GreedySearch<'t> {
    rules: &'t Rules,
    space: PairSpace,
    optima: &'t Optima,
    closed: &'t Pairs,
    /// Pairs used so far.
    opened: Pairs,
    taken: Assignment,
    in_progress: Vec<bool>,
    /// By fact: the highest level limit at which the search failed.
    failed: Vec<Option<u16>>,
    steps: &'t mut usize,
    /// Whether a search failed only because of a cycle.
    is_cut: bool,
    /// New pairs of the current rule.
    new: Vec<u64>,
}

impl GreedySearch<'_> {
    /// Derives a fact within `most` levels and returns its level. Recursion is bounded: levels
    /// decrease along a derivation, and within a level facts are as deep as the operation.
    fn derive(&mut self, fact: Fact, most: u16) -> Option<u16> {
        if let Some((_, level)) = self.taken[fact] {
            return (level <= most).then_some(level);
        }
        if self.in_progress[fact] {
            self.is_cut = true;
            return None;
        }
        if self.failed[fact].is_some_and(|failed| most <= failed) {
            return None;
        }
        *self.steps = self.steps.checked_sub(1)?;
        self.in_progress[fact] = true;
        let was_cut = std::mem::take(&mut self.is_cut);
        let taken = self.try_derivations(fact, most);
        self.in_progress[fact] = false;
        if taken.is_none() && !self.is_cut {
            self.failed[fact] = Some(most);
        }
        self.is_cut |= was_cut;
        taken
    }

    fn try_derivations(&mut self, fact: Fact, most: u16) -> Option<u16> {
        let rules = self.rules;
        let mut candidates: Vec<((usize, u16, u32), RuleId)> = Vec::new();
        for rule in rules.of(fact) {
            candidates.extend(self.estimate(rule, most).map(|estimate| (estimate, rule)));
        }
        candidates.sort_unstable();
        for (_, rule) in candidates.into_iter().take(MAX_TRIED) {
            let Some(level) = self.derive_premises(rule, most) else { continue };
            if let Some(subgraph) = rules.rule(rule).opens {
                let pair = self.space.pair(subgraph, level);
                let Some(pair) = pair.filter(|pair| !self.closed.contains(*pair)) else { continue };
                self.opened.insert(pair);
            }
            self.taken[fact] = Some((rule, level));
            return Some(level);
        }
        None
    }

    /// Derives the premises of a rule and returns the resulting level.
    fn derive_premises(&mut self, rule: RuleId, most: u16) -> Option<u16> {
        let costs = u16::from(self.rules.rule(rule).opens.is_some());
        let most = most.checked_sub(costs)?;
        let mut level = 0;
        match self.rules.premises(rule) {
            [] => {}
            [only] => level = self.derive(*only, most)?,
            premises => {
                // The latest premise first: it leaves the others the least slack.
                let mut premises = premises.to_vec();
                premises.sort_by_key(|premise| Reverse(self.optima.level(*premise)));
                for premise in premises {
                    level = level.max(self.derive(premise, most)?);
                }
            }
        }
        Some(level + costs)
    }

    /// Estimates the number of new requests of a rule, its level and its weight.
    fn estimate(&mut self, rule: RuleId, most: u16) -> Option<(usize, u16, u32)> {
        let mut level = 0;
        let mut weight = 1_u32;
        self.new.fill(0);
        for premise in self.rules.premises(rule) {
            let derivation = self.optima.optimum(*premise)?;
            match self.taken[*premise] {
                Some((_, taken)) => level = level.max(taken),
                None => {
                    level = level.max(derivation.level);
                    weight = weight.saturating_add(derivation.weight);
                    super::pairs::unite(&mut self.new, self.optima.pairs(*premise));
                }
            }
        }
        if let Some(subgraph) = self.rules.rule(rule).opens {
            level += 1;
            weight = weight.saturating_add(if level > 1 { JUMP_WEIGHT } else { 0 });
            let pair = self.space.pair(subgraph, level)?;
            if self.closed.contains(pair) {
                return None;
            }
            insert(&mut self.new, pair);
        }
        let words = self.new.iter().zip(&self.opened.0);
        let new = words.map(|(new, opened)| (new & !opened).count_ones() as usize).sum();
        (level <= most).then_some((new, level, weight))
    }
}
