//! Optimum of each fact by itself: a shortest path search.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::derive::HOP;
use super::pairs::{Pairs, Universe, count, insert, unite};
use super::rules::{Fact, RuleId, Rules};

/// Minimum level of each fact, and among derivations of that level approximately the fewest pairs.
#[derive(Debug)]
pub(super) struct Least {
    ways: Vec<Option<Way>>,
    /// By fact: the pairs it depends on.
    pairs: Vec<u64>,
    words: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) rule: RuleId,
    pub(super) level: u16,
    pub(super) weight: u32,
}

/// Returns the minimum levels only.
pub(super) fn levels(rules: &Rules, most: u16) -> Vec<Option<u16>> {
    let universe = Universe::new(0, most);
    let least = Least::new(rules, universe, &universe.none());
    least.ways.iter().map(|way| way.map(|way| way.level)).collect()
}

impl Least {
    /// Computes the optima without the closed pairs.
    pub(super) fn new(rules: &Rules, universe: Universe, closed: &Pairs) -> Self {
        let words = universe.words();
        let least =
            Self { ways: vec![None; rules.facts()], pairs: vec![0; rules.facts() * words], words };
        let missing = (0..rules.len()).map(|rule| rules.tails(rule).len()).collect();
        let (heap, pairs) = (BinaryHeap::new(), vec![0; words]);
        let mut search = Search { rules, universe, closed, least, missing, heap, pairs };
        search.run();
        search.least
    }

    pub(super) fn way(&self, fact: Fact) -> Option<Way> {
        self.ways[fact]
    }

    pub(super) fn level(&self, fact: Fact) -> Option<u16> {
        self.ways[fact].map(|way| way.level)
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
    universe: Universe,
    closed: &'s Pairs,
    least: Least,
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
            if self.least.ways[fact].is_some() {
                continue;
            }
            self.gather(rule, level);
            let words = self.least.words;
            self.least.pairs[fact * words..(fact + 1) * words].copy_from_slice(&self.pairs);
            self.least.ways[fact] = Some(Way { rule, level, weight });
            for head in self.rules.heads(fact) {
                self.missing[*head] -= 1;
                if self.missing[*head] == 0
                    && self.least.ways[self.rules.rule(*head).fact].is_none()
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
        for tail in self.rules.tails(rule) {
            let Some(way) = self.least.way(*tail) else { return };
            level = level.max(way.level);
            weight = weight.saturating_add(way.weight);
        }
        if let Some(subgraph) = self.rules.rule(rule).opens {
            level += 1;
            weight = weight.saturating_add(if level > 1 { HOP } else { 0 });
            let pair = self.universe.pair(subgraph, level);
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
        for tail in self.rules.tails(rule) {
            unite(&mut self.pairs, self.least.pairs(*tail));
        }
        let opens = self.rules.rule(rule).opens;
        if let Some(pair) = opens.and_then(|subgraph| self.universe.pair(subgraph, level)) {
            insert(&mut self.pairs, pair);
        }
    }
}
