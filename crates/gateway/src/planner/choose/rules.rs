//! Derivation rules between facts, with numbers for ids, in flat vectors.

use super::super::facts::{Facts, ValueId, VisitId, VisitOrigin};

/// Weight of an entity jump; each field has weight 1.
pub(super) const JUMP_WEIGHT: u32 = 8;

/// Index of a visit, or the number of visits plus the index of a value.
pub(super) type Fact = usize;

/// Index of a rule.
pub(super) type RuleId = usize;

/// One derivation of a fact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) fact: Fact,
    /// Index among the derivations of the visit or value.
    pub(super) derivation: usize,
    /// The subgraph, if the rule begins a request.
    pub(super) opens: Option<u16>,
    first_premise: usize,
}

#[derive(Debug, Default)]
pub(super) struct Rules {
    visits: usize,
    rules: Vec<Rule>,
    /// By fact: its first rule; one more entry marks the end.
    first: Vec<RuleId>,
    premises: Vec<Fact>,
    /// By fact: the first of the rules that it is a premise of; one more entry marks the end.
    first_consequence: Vec<usize>,
    consequences: Vec<RuleId>,
}

impl Rules {
    pub(super) fn new(facts: &Facts) -> Self {
        let mut all = Self { visits: facts.visits.len(), ..Self::default() };
        for (place, reached) in facts.visits.iter().enumerate() {
            all.first.push(all.rules.len());
            let opens = Some(reached.visit.subgraph.0);
            for (derivation, origin) in reached.derivations.iter().enumerate() {
                match origin {
                    VisitOrigin::Enter => all.add(place, derivation, opens, []),
                    VisitOrigin::Descend { from, .. } => {
                        all.add(place, derivation, None, [from.index()])
                    }
                    VisitOrigin::Jump { needs, .. } => {
                        let visits = all.visits;
                        let needs = needs.iter().map(|need| visits + need.index());
                        all.add(place, derivation, opens, needs);
                    }
                }
            }
        }
        for (place, value) in facts.known.iter().enumerate() {
            all.first.push(all.rules.len());
            let fact = all.visits + place;
            for (derivation, reading) in value.derivations.iter().enumerate() {
                let visit = reading.visit.index();
                match reading.typename {
                    None => all.add(fact, derivation, None, [visit]),
                    Some(typename) => {
                        let known = facts.find_value(value.position, value.object, typename);
                        // No subgraph returns the runtime type, so this is no derivation.
                        let Some(known) = known else { continue };
                        all.add(fact, derivation, None, [visit, all.visits + known.index()]);
                    }
                }
            }
        }
        all.first.push(all.rules.len());
        all.index_premises();
        all
    }

    fn add(
        &mut self,
        fact: Fact,
        derivation: usize,
        opens: Option<u16>,
        premises: impl IntoIterator<Item = Fact>,
    ) {
        self.rules.push(Rule { fact, derivation, opens, first_premise: self.premises.len() });
        self.premises.extend(premises);
    }

    /// Indexes the rules by their premises.
    fn index_premises(&mut self) {
        let facts = self.first.len() - 1;
        let mut counts = vec![0_usize; facts + 1];
        for premise in &self.premises {
            counts[*premise] += 1;
        }
        let mut next = Vec::with_capacity(facts + 1);
        let mut sum = 0;
        for count in &counts {
            next.push(sum);
            sum += count;
        }
        self.first_consequence.clone_from(&next);
        self.consequences = vec![0; self.premises.len()];
        for id in 0..self.rules.len() {
            for place in self.premise_range(id) {
                let premise = self.premises[place];
                self.consequences[next[premise]] = id;
                next[premise] += 1;
            }
        }
    }

    fn premise_range(&self, id: RuleId) -> std::ops::Range<usize> {
        let end = self.rules.get(id + 1).map_or(self.premises.len(), |next| next.first_premise);
        self.rules[id].first_premise..end
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

    pub(super) fn premises(&self, id: RuleId) -> &[Fact] {
        &self.premises[self.premise_range(id)]
    }

    /// Returns the rules that a fact is a premise of.
    pub(super) fn consequences(&self, fact: Fact) -> &[RuleId] {
        &self.consequences[self.first_consequence[fact]..self.first_consequence[fact + 1]]
    }

    pub(super) fn known(&self, known: ValueId) -> Fact {
        self.visits + known.index()
    }

    /// Returns the visit or value of a fact.
    pub(super) fn kind(&self, fact: Fact) -> Kind {
        match fact.checked_sub(self.visits) {
            None => Kind::Visit(VisitId::new(fact)),
            Some(place) => Kind::ValueFact(ValueId::new(place)),
        }
    }
}

/// A fact with its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Visit(VisitId),
    ValueFact(ValueId),
}
