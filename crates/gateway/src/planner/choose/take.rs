//! Greedy derivation of all goals, one after the other, each with the fewest new requests beside
//! those of the goals before.

use std::cmp::Reverse;

use super::derive::HOP;
use super::least::Least;
use super::pairs::{Pairs, Universe, insert};
use super::rules::{Fact, RuleId, Rules};

/// Maximum number of derivations that are tried for a fact.
const MOST_TRIED: usize = 6;

/// By fact: its rule and level.
pub(super) type Taken = Vec<Option<(RuleId, u16)>>;

/// Derives all goals within `chain` levels; `None` if no derivation is found within `steps`, which
/// are counted down.
pub(super) fn take(
    rules: &Rules,
    universe: Universe,
    least: &Least,
    closed: &Pairs,
    goals: &[Fact],
    chain: u16,
    steps: &mut usize,
) -> Option<Taken> {
    let mut taking = Taking {
        rules,
        universe,
        least,
        closed,
        opened: universe.none(),
        taken: vec![None; rules.facts()],
        on_the_way: vec![false; rules.facts()],
        failed: vec![None; rules.facts()],
        steps,
        is_cut: false,
        new: vec![0; universe.words()],
    };
    for goal in goals {
        taking.take(*goal, chain)?;
    }
    Some(taking.taken)
}

struct Taking<'t> {
    rules: &'t Rules,
    universe: Universe,
    least: &'t Least,
    closed: &'t Pairs,
    /// Pairs used so far.
    opened: Pairs,
    taken: Taken,
    on_the_way: Vec<bool>,
    /// By fact: the highest level limit at which the search failed.
    failed: Vec<Option<u16>>,
    steps: &'t mut usize,
    /// Whether a search failed only because of a cycle.
    is_cut: bool,
    /// New pairs of the current rule.
    new: Vec<u64>,
}

impl Taking<'_> {
    /// Derives a fact within `most` levels and returns its level. Recursion is bounded: levels
    /// decrease along a derivation, and within a level facts are as deep as the operation.
    fn take(&mut self, fact: Fact, most: u16) -> Option<u16> {
        if let Some((_, level)) = self.taken[fact] {
            return (level <= most).then_some(level);
        }
        if self.on_the_way[fact] {
            self.is_cut = true;
            return None;
        }
        if self.failed[fact].is_some_and(|failed| most <= failed) {
            return None;
        }
        *self.steps = self.steps.checked_sub(1)?;
        self.on_the_way[fact] = true;
        let was_cut = std::mem::take(&mut self.is_cut);
        let taken = self.try_ways(fact, most);
        self.on_the_way[fact] = false;
        if taken.is_none() && !self.is_cut {
            self.failed[fact] = Some(most);
        }
        self.is_cut |= was_cut;
        taken
    }

    fn try_ways(&mut self, fact: Fact, most: u16) -> Option<u16> {
        let rules = self.rules;
        let mut ways: Vec<((usize, u16, u32), RuleId)> = Vec::new();
        for rule in rules.of(fact) {
            ways.extend(self.estimate(rule, most).map(|estimate| (estimate, rule)));
        }
        ways.sort_unstable();
        for (_, rule) in ways.into_iter().take(MOST_TRIED) {
            let Some(level) = self.take_tails(rule, most) else { continue };
            if let Some(subgraph) = rules.rule(rule).opens {
                let pair = self.universe.pair(subgraph, level);
                let Some(pair) = pair.filter(|pair| !self.closed.contains(*pair)) else { continue };
                self.opened.insert(pair);
            }
            self.taken[fact] = Some((rule, level));
            return Some(level);
        }
        None
    }

    /// Derives the premises of a rule and returns the resulting level.
    fn take_tails(&mut self, rule: RuleId, most: u16) -> Option<u16> {
        let costs = u16::from(self.rules.rule(rule).opens.is_some());
        let most = most.checked_sub(costs)?;
        let mut level = 0;
        match self.rules.tails(rule) {
            [] => {}
            [only] => level = self.take(*only, most)?,
            tails => {
                // The latest premise first: it leaves the others the least slack.
                let mut tails = tails.to_vec();
                tails.sort_by_key(|tail| Reverse(self.least.level(*tail)));
                for tail in tails {
                    level = level.max(self.take(tail, most)?);
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
        for tail in self.rules.tails(rule) {
            let way = self.least.way(*tail)?;
            match self.taken[*tail] {
                Some((_, taken)) => level = level.max(taken),
                None => {
                    level = level.max(way.level);
                    weight = weight.saturating_add(way.weight);
                    super::pairs::unite(&mut self.new, self.least.pairs(*tail));
                }
            }
        }
        if let Some(subgraph) = self.rules.rule(rule).opens {
            level += 1;
            weight = weight.saturating_add(if level > 1 { HOP } else { 0 });
            let pair = self.universe.pair(subgraph, level)?;
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
