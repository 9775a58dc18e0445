//! Derivations of values from the root, as numbers: facts, and rules between them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::super::facts::{Facts, How, KnownId, VisitId};
use super::{Choice, Chosen, Contexts};

/// A value that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Known(KnownId),
}

/// What a request by representations costs beside the fields in it, which cost one each.
const HOP: u32 = 8;

/// How many ways to a value are tried before it counts as closed.
const MOST_TRIED: usize = 6;

/// The place of a visit, or behind all visits that of a value.
type Fact = usize;

/// A subgraph, and how many requests lead to it, as one number.
type Pair = u32;

#[derive(Debug)]
struct Rule {
    tails: Vec<Fact>,
    /// The subgraph that a request begins at.
    opens: Option<u16>,
}

#[derive(Debug)]
pub(super) struct Derivations<'f> {
    facts: &'f Facts,
    subgraphs: u32,
    rules: Vec<Vec<Rule>>,
    /// By fact: the rules that it is a tail of.
    heads: Vec<Vec<(Fact, usize)>>,
}

/// A derivation of all goals.
#[derive(Debug)]
pub(super) struct Made {
    cost: Cost,
    pairs: Vec<Pair>,
    /// By fact: the rule, and the level.
    taken: Vec<Option<(usize, u16)>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    chain: u16,
    requests: usize,
    weight: u32,
}

/// The least that facts take.
type Least = Vec<Option<Way>>;

/// About what it takes to come to a fact.
#[derive(Clone, Debug)]
struct Way {
    level: u16,
    pairs: Rc<[Pair]>,
    weight: u32,
}

impl<'f> Derivations<'f> {
    pub(super) fn new(facts: &'f Facts, subgraphs: usize) -> Self {
        let visits = facts.visits.len();
        let known = |id: KnownId| visits + id.index();
        let mut rules: Vec<Vec<Rule>> = Vec::with_capacity(visits + facts.known.len());
        for reached in &facts.visits {
            let opens = Some(reached.visit.subgraph.0);
            let ways = reached.ways.iter().map(|way| match way {
                How::Enter => Rule { tails: Vec::new(), opens },
                How::Descend { from, .. } => Rule { tails: vec![from.index()], opens: None },
                How::Hop { needs, .. } => {
                    Rule { tails: needs.iter().map(|need| known(*need)).collect(), opens }
                }
            });
            rules.push(ways.collect());
        }
        for value in &facts.known {
            let ways = value.ways.iter().filter_map(|way| {
                let mut tails = vec![way.visit.index()];
                if let Some(typename) = way.typename {
                    tails.push(known(facts.find_known(value.position, value.object, typename)?));
                }
                Some(Rule { tails, opens: None })
            });
            rules.push(ways.collect());
        }
        let mut heads = vec![Vec::new(); rules.len()];
        for (fact, ways) in rules.iter().enumerate() {
            for (place, rule) in ways.iter().enumerate() {
                for tail in &rule.tails {
                    heads[*tail].push((fact, place));
                }
            }
        }
        let subgraphs = u32::try_from(subgraphs).unwrap_or(u32::MAX).max(1);
        Self { facts, subgraphs, rules, heads }
    }

    fn fact(&self, goal: Goal) -> Fact {
        match goal {
            Goal::Known(known) => self.facts.visits.len() + known.index(),
        }
    }

    fn pair(&self, subgraph: u16, level: u16) -> Pair {
        u32::from(level) * self.subgraphs + u32::from(subgraph)
    }

    /// The best derivation that is found in so many attempts; `None` if there is none.
    pub(super) fn best(&self, goals: &[Goal], attempts: usize) -> Option<Made> {
        let goals: Vec<Fact> = goals.iter().map(|goal| self.fact(*goal)).collect();
        let nothing = FxHashSet::default();
        let least = self.least(&nothing);
        let level = |goal: &Fact| least[*goal].as_ref().map(|way| way.level);
        let levels: Option<Vec<u16>> = goals.iter().map(level).collect();
        let chain = levels?.into_iter().max().unwrap_or(0);
        // What can be read in one subgraph only comes first, for it decides most.
        let mut forced = goals.clone();
        forced.sort_by_key(|goal| (self.subgraphs_of(*goal), Reverse(level(goal))));
        let backwards: Vec<Fact> = goals.iter().rev().copied().collect();
        let mut best: Option<Made> = None;
        for order in [&forced, &goals, &backwards] {
            let made = self.derive(order, &least, &nothing, chain);
            best = better(best, made);
        }
        let mut closed = nothing;
        let mut left = attempts;
        loop {
            let current = best.as_ref()?;
            let mut improved = None;
            for pair in current.pairs.iter().rev() {
                let Some(rest) = left.checked_sub(1) else { return best };
                left = rest;
                let mut trial = closed.clone();
                trial.insert(*pair);
                let least = self.least(&trial);
                let made = self.derive(&forced, &least, &trial, chain);
                if let Some(made) = made.filter(|made| made.cost < current.cost) {
                    improved = Some((made, trial));
                    break;
                }
            }
            let Some((made, trial)) = improved else { return best };
            best = Some(made);
            closed = trial;
        }
    }

    /// In how many subgraphs a value can be read.
    fn subgraphs_of(&self, goal: Fact) -> usize {
        let Some(value) = self.facts.known.get(goal - self.facts.visits.len()) else { return 0 };
        let subgraphs = value.ways.iter().map(|way| self.facts.visit(way.visit).subgraph);
        subgraphs.collect::<FxHashSet<_>>().len()
    }

    /// For each fact the least level, and among those of that level about the fewest pairs.
    fn least(&self, closed: &FxHashSet<Pair>) -> Least {
        let mut least: Least = vec![None; self.rules.len()];
        let mut missing: Vec<Vec<usize>> = Vec::with_capacity(self.rules.len());
        let mut heap = BinaryHeap::new();
        let mut sequence = 0_u32;
        for (fact, rules) in self.rules.iter().enumerate() {
            missing.push(rules.iter().map(|rule| rule.tails.len()).collect());
            for rule in rules.iter().filter(|rule| rule.tails.is_empty()) {
                let level = u16::from(rule.opens.is_some());
                let pairs: Vec<Pair> =
                    rule.opens.iter().map(|subgraph| self.pair(*subgraph, level)).collect();
                if pairs.iter().all(|pair| !closed.contains(pair)) {
                    heap.push(Reverse((level, pairs.len(), 1, sequence, fact, pairs)));
                    sequence += 1;
                }
            }
        }
        while let Some(Reverse((level, _, weight, _, fact, pairs))) = heap.pop() {
            if least[fact].is_some() {
                continue;
            }
            least[fact] = Some(Way { level, pairs: pairs.into(), weight });
            for (head, place) in &self.heads[fact] {
                let left = &mut missing[*head][*place];
                *left = left.saturating_sub(1);
                if *left > 0 || least[*head].is_some() {
                    continue;
                }
                let rule = &self.rules[*head][*place];
                let Some((level, pairs, weight)) = self.after(rule, &least, closed) else {
                    continue;
                };
                heap.push(Reverse((level, pairs.len(), weight, sequence, *head, pairs)));
                sequence += 1;
            }
        }
        least
    }

    /// The level, the pairs and the weight of a rule whose tails are all known.
    fn after(
        &self,
        rule: &Rule,
        least: &Least,
        closed: &FxHashSet<Pair>,
    ) -> Option<(u16, Vec<Pair>, u32)> {
        let mut pairs = Vec::new();
        let (mut level, mut weight) = (0, 1_u32);
        for tail in &rule.tails {
            let way = least[*tail].as_ref()?;
            level = level.max(way.level);
            pairs.extend_from_slice(&way.pairs);
            weight = weight.saturating_add(way.weight);
        }
        if let Some(subgraph) = rule.opens {
            level += 1;
            weight = weight.saturating_add(if level > 1 { HOP } else { 0 });
            let pair = self.pair(subgraph, level);
            if closed.contains(&pair) {
                return None;
            }
            pairs.push(pair);
        }
        pairs.sort_unstable();
        pairs.dedup();
        Some((level, pairs, weight))
    }

    fn derive(
        &self,
        order: &[Fact],
        least: &Least,
        closed: &FxHashSet<Pair>,
        chain: u16,
    ) -> Option<Made> {
        let mut taking = Taking {
            derivations: self,
            least,
            closed,
            opened: FxHashSet::default(),
            taken: vec![None; self.rules.len()],
            on_the_way: vec![false; self.rules.len()],
        };
        for goal in order {
            taking.take(*goal, chain)?;
        }
        Some(self.made(order, taking.taken))
    }

    /// What a derivation costs: only what the goals come from counts.
    fn made(&self, goals: &[Fact], taken: Vec<Option<(usize, u16)>>) -> Made {
        let mut pairs = FxHashSet::default();
        let mut weight = 0;
        let mut chain = 0;
        let mut seen = vec![false; self.rules.len()];
        let mut open = goals.to_vec();
        while let Some(fact) = open.pop() {
            if std::mem::replace(&mut seen[fact], true) {
                continue;
            }
            let Some((place, level)) = taken[fact] else { continue };
            let rule = &self.rules[fact][place];
            chain = chain.max(level);
            weight += 1;
            if let Some(subgraph) = rule.opens {
                pairs.insert(self.pair(subgraph, level));
                weight += if level > 1 { HOP } else { 0 };
            }
            open.extend(&rule.tails);
        }
        let mut pairs: Vec<Pair> = pairs.into_iter().collect();
        pairs.sort_unstable();
        Made { cost: Cost { chain, requests: pairs.len(), weight }, pairs, taken }
    }

    /// What is read where, by a derivation.
    pub(super) fn choice(&self, goals: &[Goal], made: &Made) -> Choice {
        let mut visits: BTreeMap<VisitId, Chosen> = BTreeMap::new();
        let mut seen = vec![false; self.rules.len()];
        let mut open: Vec<Fact> = goals.iter().map(|goal| self.fact(*goal)).collect();
        while let Some(fact) = open.pop() {
            if std::mem::replace(&mut seen[fact], true) {
                continue;
            }
            let Some((place, level)) = made.taken[fact] else { continue };
            let rule = &self.rules[fact][place];
            open.extend(&rule.tails);
            match self.facts.visits.get(fact) {
                Some(reached) => {
                    let how = reached.ways[place].clone();
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
                    let chosen = self.enter(&mut visits, VisitId::new(fact), made);
                    chosen.level = level;
                    chosen.after = after;
                }
                None => {
                    let value = &self.facts.known[fact - self.facts.visits.len()];
                    let visit = value.ways[place].visit;
                    self.enter(&mut visits, visit, made).reads.push(value.item);
                }
            }
        }
        for chosen in visits.values_mut() {
            chosen.reads.sort_unstable();
            chosen.reads.dedup();
            chosen.after.sort_unstable();
            chosen.after.dedup();
        }
        let contexts = Contexts::default();
        Choice { chain: made.cost.chain, requests: made.cost.requests, visits, contexts }
    }

    fn read_by(&self, known: KnownId, made: &Made) -> Option<VisitId> {
        let (place, _) = made.taken[self.facts.visits.len() + known.index()]?;
        Some(self.facts.known(known).ways.get(place)?.visit)
    }

    fn enter<'c>(
        &self,
        visits: &'c mut BTreeMap<VisitId, Chosen>,
        id: VisitId,
        made: &Made,
    ) -> &'c mut Chosen {
        let reached = self.facts.reached(id);
        let (place, level) = made.taken[id.index()].unwrap_or((0, reached.level));
        visits.entry(id).or_insert_with(|| Chosen {
            visit: reached.visit,
            level,
            how: reached.ways[place].clone(),
            reads: Vec::new(),
            after: Vec::new(),
        })
    }
}

fn better(best: Option<Made>, made: Option<Made>) -> Option<Made> {
    match (best, made) {
        (Some(best), Some(made)) if made.cost < best.cost => Some(made),
        (Some(best), _) => Some(best),
        (None, made) => made,
    }
}

struct Taking<'t> {
    derivations: &'t Derivations<'t>,
    least: &'t Least,
    closed: &'t FxHashSet<Pair>,
    opened: FxHashSet<Pair>,
    taken: Vec<Option<(usize, u16)>>,
    on_the_way: Vec<bool>,
}

impl Taking<'_> {
    /// Takes the way to a fact that begins the fewest new requests; its level, which is `most` at
    /// most. Recursion is bounded by the facts on one way, of which each is there once.
    fn take(&mut self, fact: Fact, most: u16) -> Option<u16> {
        if let Some((_, level)) = self.taken[fact] {
            return (level <= most).then_some(level);
        }
        if self.on_the_way[fact] {
            return None;
        }
        self.on_the_way[fact] = true;
        let taken = self.try_ways(fact, most);
        self.on_the_way[fact] = false;
        taken
    }

    fn try_ways(&mut self, fact: Fact, most: u16) -> Option<u16> {
        let derivations = self.derivations;
        let rules = &derivations.rules[fact];
        let mut ways: Vec<_> = rules
            .iter()
            .enumerate()
            .filter_map(|(place, rule)| Some((self.estimate(rule, most)?, place)))
            .collect();
        ways.sort_unstable();
        for (_, place) in ways.into_iter().take(MOST_TRIED) {
            let rule = &rules[place];
            let costs = u16::from(rule.opens.is_some());
            let mut tails = rule.tails.clone();
            // What comes last decides how much time the others have.
            tails.sort_by_key(|tail| Reverse(self.least[*tail].as_ref().map(|way| way.level)));
            let mut level = 0;
            let mut complete = true;
            for tail in tails {
                match most.checked_sub(costs).and_then(|most| self.take(tail, most)) {
                    Some(own) => level = level.max(own),
                    None => {
                        complete = false;
                        break;
                    }
                }
            }
            if !complete {
                continue;
            }
            level += costs;
            if let Some(subgraph) = rule.opens {
                let pair = derivations.pair(subgraph, level);
                if self.closed.contains(&pair) {
                    continue;
                }
                self.opened.insert(pair);
            }
            self.taken[fact] = Some((place, level));
            return Some(level);
        }
        None
    }

    /// How many new requests a way begins, its level and its weight, about.
    fn estimate(&self, rule: &Rule, most: u16) -> Option<(usize, u16, u32)> {
        let mut level = 0;
        let mut new: Vec<Pair> = Vec::new();
        let mut weight = 1_u32;
        for tail in &rule.tails {
            let way = self.least[*tail].as_ref()?;
            match self.taken[*tail] {
                Some((_, taken)) => level = level.max(taken),
                None => {
                    level = level.max(way.level);
                    weight = weight.saturating_add(way.weight);
                    new.extend(way.pairs.iter().filter(|pair| !self.opened.contains(pair)));
                }
            }
        }
        if let Some(subgraph) = rule.opens {
            level += 1;
            weight = weight.saturating_add(if level > 1 { HOP } else { 0 });
            let pair = self.derivations.pair(subgraph, level);
            if self.closed.contains(&pair) {
                return None;
            }
            if !self.opened.contains(&pair) {
                new.push(pair);
            }
        }
        new.sort_unstable();
        new.dedup();
        (level <= most).then_some((new.len(), level, weight))
    }
}
