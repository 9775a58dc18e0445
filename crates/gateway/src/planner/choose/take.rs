//! One derivation of all goals, taken one after the other: each by the way that begins the fewest new
//! requests beside those of the goals before.

use std::cmp::Reverse;

use super::derive::HOP;
use super::least::Least;
use super::pairs::{Pairs, Universe, insert};
use super::rules::{Fact, RuleId, Rules};

/// How many ways to a fact are tried before it counts as closed.
const MOST_TRIED: usize = 6;

/// By fact: the rule, and the level.
pub(super) type Taken = Vec<Option<(RuleId, u16)>>;

/// Takes a way to each goal, none of which comes later than `chain`; `None` if that is not found in
/// so many `steps`, which count down.
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
    /// The pairs of what was taken.
    opened: Pairs,
    taken: Taken,
    on_the_way: Vec<bool>,
    /// By fact: the highest level by which it was not found.
    failed: Vec<Option<u16>>,
    steps: &'t mut usize,
    /// Whether something failed only because it was on the way to itself.
    is_cut: bool,
    /// Those of the rule that is looked at.
    new: Vec<u64>,
}

impl Taking<'_> {
    /// Takes the way to a fact; its level, which is `most` at most. Recursion is bounded: facts on one
    /// way have levels that go down, and between two levels they are as deep as the operation.
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

    /// Takes all that a rule needs; the level that it comes to.
    fn take_tails(&mut self, rule: RuleId, most: u16) -> Option<u16> {
        let costs = u16::from(self.rules.rule(rule).opens.is_some());
        let most = most.checked_sub(costs)?;
        let mut level = 0;
        match self.rules.tails(rule) {
            [] => {}
            [only] => level = self.take(*only, most)?,
            tails => {
                // What comes last decides how much time the others have.
                let mut tails = tails.to_vec();
                tails.sort_by_key(|tail| Reverse(self.least.level(*tail)));
                for tail in tails {
                    level = level.max(self.take(tail, most)?);
                }
            }
        }
        Some(level + costs)
    }

    /// How many new requests a way begins, its level and its weight, about.
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
