//! Derivation rules between facts, with numbers for ids, in flat vectors.

use super::super::facts::{Facts, How, KnownId, VisitId};

/// Index of a visit, or the number of visits plus the index of a value.
pub(super) type Fact = usize;

/// Index of a rule.
pub(super) type RuleId = usize;

/// One derivation of a fact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) fact: Fact,
    /// Index among the derivations of the visit or value.
    pub(super) way: usize,
    /// The subgraph, if the rule begins a request.
    pub(super) opens: Option<u16>,
    first_tail: usize,
}

#[derive(Debug, Default)]
pub(super) struct Rules {
    visits: usize,
    rules: Vec<Rule>,
    /// By fact: its first rule; one more entry marks the end.
    first: Vec<RuleId>,
    tails: Vec<Fact>,
    /// By fact: the first of the rules that it is a premise of; one more entry marks the end.
    first_head: Vec<usize>,
    heads: Vec<RuleId>,
}

impl Rules {
    pub(super) fn new(facts: &Facts) -> Self {
        let mut all = Self { visits: facts.visits.len(), ..Self::default() };
        for (place, reached) in facts.visits.iter().enumerate() {
            all.first.push(all.rules.len());
            let opens = Some(reached.visit.subgraph.0);
            for (way, how) in reached.ways.iter().enumerate() {
                match how {
                    How::Enter => all.add(place, way, opens, []),
                    How::Descend { from, .. } => all.add(place, way, None, [from.index()]),
                    How::Hop { needs, .. } => {
                        let visits = all.visits;
                        let needs = needs.iter().map(|need| visits + need.index());
                        all.add(place, way, opens, needs);
                    }
                }
            }
        }
        for (place, value) in facts.known.iter().enumerate() {
            all.first.push(all.rules.len());
            let fact = all.visits + place;
            for (way, reading) in value.ways.iter().enumerate() {
                let visit = reading.visit.index();
                match reading.typename {
                    None => all.add(fact, way, None, [visit]),
                    Some(typename) => {
                        let known = facts.find_known(value.position, value.object, typename);
                        // No subgraph returns the runtime type, so this is no derivation.
                        let Some(known) = known else { continue };
                        all.add(fact, way, None, [visit, all.visits + known.index()]);
                    }
                }
            }
        }
        all.first.push(all.rules.len());
        all.turn();
        all
    }

    fn add(
        &mut self,
        fact: Fact,
        way: usize,
        opens: Option<u16>,
        tails: impl IntoIterator<Item = Fact>,
    ) {
        self.rules.push(Rule { fact, way, opens, first_tail: self.tails.len() });
        self.tails.extend(tails);
    }

    /// Indexes the rules by their premises.
    fn turn(&mut self) {
        let facts = self.first.len() - 1;
        let mut counts = vec![0_usize; facts + 1];
        for tail in &self.tails {
            counts[*tail] += 1;
        }
        let mut next = Vec::with_capacity(facts + 1);
        let mut sum = 0;
        for count in &counts {
            next.push(sum);
            sum += count;
        }
        self.first_head.clone_from(&next);
        self.heads = vec![0; self.tails.len()];
        for id in 0..self.rules.len() {
            for place in self.tails_range(id) {
                let tail = self.tails[place];
                self.heads[next[tail]] = id;
                next[tail] += 1;
            }
        }
    }

    fn tails_range(&self, id: RuleId) -> std::ops::Range<usize> {
        let end = self.rules.get(id + 1).map_or(self.tails.len(), |next| next.first_tail);
        self.rules[id].first_tail..end
    }

    /// Number of facts.
    pub(super) fn facts(&self) -> usize {
        self.first.len() - 1
    }

    /// Number of rules.
    pub(super) fn len(&self) -> usize {
        self.rules.len()
    }

    pub(super) fn rule(&self, id: RuleId) -> Rule {
        self.rules[id]
    }

    /// Returns the derivations of a fact.
    pub(super) fn of(&self, fact: Fact) -> std::ops::Range<RuleId> {
        self.first[fact]..self.first[fact + 1]
    }

    pub(super) fn tails(&self, id: RuleId) -> &[Fact] {
        &self.tails[self.tails_range(id)]
    }

    /// Returns the rules that a fact is a premise of.
    pub(super) fn heads(&self, fact: Fact) -> &[RuleId] {
        &self.heads[self.first_head[fact]..self.first_head[fact + 1]]
    }

    pub(super) fn known(&self, known: KnownId) -> Fact {
        self.visits + known.index()
    }

    /// Returns the visit or value of a fact.
    pub(super) fn kind(&self, fact: Fact) -> Kind {
        match fact.checked_sub(self.visits) {
            None => Kind::Visit(VisitId::new(fact)),
            Some(place) => Kind::Known(KnownId::new(place)),
        }
    }
}

/// A fact with its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Visit(VisitId),
    Known(KnownId),
}
