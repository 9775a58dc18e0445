//! Optimum of each fact by itself: a shortest path search.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::pairs::{PairSpace, Pairs, count, insert, unite};
use super::rules::{Fact, JUMP_WEIGHT, RuleId, Rules};

/// Minimum level of each fact, and among derivations of that level approximately the fewest pairs.
#[derive(Debug)]
pub(super) struct Optima {
    by_fact: Vec<Option<Optimum>>,
    /// By fact: the pairs it depends on.
    pairs: Vec<u64>,
    words: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Optimum {
    pub(super) rule: RuleId,
    pub(super) level: u16,
    pub(super) weight: u32,
}

/// Returns the minimum levels only.
pub(super) fn levels(rules: &Rules, most: u16) -> Vec<Option<u16>> {
    let space = PairSpace::new(0, most);
    let optima = Optima::new(rules, space, &space.none());
    optima.by_fact.iter().map(|optimum| optimum.map(|optimum| optimum.level)).collect()
}

impl Optima {
    /// Computes the optima without the closed pairs.
    pub(super) fn new(rules: &Rules, space: PairSpace, closed: &Pairs) -> Self {
        let words = space.words();
        let optima = Self {
            by_fact: vec![None; rules.facts()],
            pairs: vec![0; rules.facts() * words],
            words,
        };
        let missing = (0..rules.len()).map(|rule| rules.premises(rule).len()).collect();
        let (heap, pairs) = (BinaryHeap::new(), vec![0; words]);
        let mut search = Search { rules, space, closed, optima, missing, heap, pairs };
        search.run();
        search.optima
    }

    pub(super) fn optimum(&self, fact: Fact) -> Option<Optimum> {
        self.by_fact[fact]
    }

    pub(super) fn level(&self, fact: Fact) -> Option<u16> {
        self.by_fact[fact].map(|optimum| optimum.level)
    }

    pub(super) fn pairs(&self, fact: Fact) -> &[u64] {
        &self.pairs[fact * self.words..(fact + 1) * self.words]
    }
}

/// A rule with its priority: level, number of pairs, weight, sequence number.
type Candidate = (u16, usize, u32, usize, RuleId);

/// Dijkstra's algorithm, generalized to rules with several premises.
struct Search<'s> {
    rules: &'s Rules,
    space: PairSpace,
    closed: &'s Pairs,
    optima: Optima,
    /// By rule: number of premises that are not derived yet.
    missing: Vec<usize>,
    /// Priority queue of rules whose premises are all derived.
    heap: BinaryHeap<Reverse<Candidate>>,
    /// Pairs of the current rule.
    pairs: Vec<u64>,
}

impl Search<'_> {
    fn run(&mut self) {
        let mut sequence = 0;
        for rule in 0..self.rules.len() {
            if self.missing[rule] == 0 {
                self.offer(rule, sequence);
                sequence += 1;
            }
        }
        while let Some(Reverse((level, _, weight, _, rule))) = self.heap.pop() {
            let fact = self.rules.rule(rule).fact;
            if self.optima.by_fact[fact].is_some() {
                continue;
            }
            self.gather(rule, level);
            let words = self.optima.words;
            self.optima.pairs[fact * words..(fact + 1) * words].copy_from_slice(&self.pairs);
            self.optima.by_fact[fact] = Some(Optimum { rule, level, weight });
            for head in self.rules.consequences(fact) {
                self.missing[*head] -= 1;
                if self.missing[*head] == 0
                    && self.optima.by_fact[self.rules.rule(*head).fact].is_none()
                {
                    self.offer(*head, sequence);
                    sequence += 1;
                }
            }
        }
    }

    /// Adds a rule whose premises are all derived to the queue.
    fn offer(&mut self, rule: RuleId, sequence: usize) {
        let (mut level, mut weight) = (0, 1_u32);
        for premise in self.rules.premises(rule) {
            let Some(optimum) = self.optima.optimum(*premise) else { return };
            level = level.max(optimum.level);
            weight = weight.saturating_add(optimum.weight);
        }
        if let Some(subgraph) = self.rules.rule(rule).opens {
            level += 1;
            weight = weight.saturating_add(if level > 1 { JUMP_WEIGHT } else { 0 });
            let pair = self.space.pair(subgraph, level);
            if pair.is_none_or(|pair| self.closed.contains(pair)) {
                return;
            }
        }
        self.gather(rule, level);
        self.heap.push(Reverse((level, count(&self.pairs), weight, sequence, rule)));
    }

    /// Computes the pairs that a rule depends on.
    fn gather(&mut self, rule: RuleId, level: u16) {
        self.pairs.fill(0);
        for premise in self.rules.premises(rule) {
            unite(&mut self.pairs, self.optima.pairs(*premise));
        }
        let opens = self.rules.rule(rule).opens;
        if let Some(pair) = opens.and_then(|subgraph| self.space.pair(subgraph, level)) {
            insert(&mut self.pairs, pair);
        }
    }
}
