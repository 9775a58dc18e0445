//! What the rules of one place ask of each operation, as rules of version 7.
//!
//! Of the rules of an operation one has to pass in each of its parts: in what is there, in what is
//! asked before and in what is asked after. A rule that says nothing of a part is none of it, so
//! that it neither lets anything there nor takes it.

use super::rule::{Operation as Word, Parts, Rule as Read};
use crate::model::Constant;
use crate::model::rules::{ClaimNames, WrittenNode, WrittenPlace, WrittenRestriction};
use crate::model::wanted::Wanted;
use access::{Action, Authentication, ClaimCondition, ClaimTest, Condition, Restriction, RowRule};

/// The claim that has the roles of who asks, unless the type of claims says where they are.
const ROLES: &str = "roles";

/// A part of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Where,
    Allow,
    /// What is said of who asks counts, too.
    Bind,
    /// It has been asked before.
    BindAlone,
}

/// What is asked where an operation of version 3 is done.
struct Asked {
    word: Word,
    /// What version 7 calls it.
    operations: &'static [Action],
    filter: bool,
    before: bool,
    after: Option<Part>,
}

const OF_NODES: [Asked; 6] = [
    Asked {
        word: Word::Read,
        operations: &[Action::Read, Action::Aggregate],
        filter: true,
        before: true,
        after: None,
    },
    Asked {
        word: Word::Create,
        operations: &[Action::Create],
        filter: false,
        before: false,
        after: Some(Part::Bind),
    },
    Asked {
        word: Word::Update,
        operations: &[Action::Update, Action::UpdateRelationships],
        filter: true,
        before: true,
        after: Some(Part::BindAlone),
    },
    Asked {
        word: Word::Delete,
        operations: &[Action::Delete],
        filter: true,
        before: true,
        after: None,
    },
    Asked {
        word: Word::Connect,
        operations: &[Action::CreateRelationship, Action::CreateRelationshipFrom],
        filter: true,
        before: true,
        after: Some(Part::BindAlone),
    },
    Asked {
        word: Word::Disconnect,
        operations: &[Action::DeleteRelationship],
        filter: true,
        before: true,
        after: Some(Part::BindAlone),
    },
];

const OF_FIELDS: [Asked; 3] = [
    Asked {
        word: Word::Read,
        operations: &[Action::Read, Action::ReadChanged, Action::Order, Action::Aggregate],
        filter: true,
        before: true,
        after: None,
    },
    Asked {
        word: Word::Create,
        operations: &[Action::Create, Action::ConnectOrCreate],
        filter: false,
        before: false,
        after: Some(Part::Bind),
    },
    Asked {
        word: Word::Update,
        operations: &[Action::Update],
        filter: true,
        before: true,
        after: Some(Part::BindAlone),
    },
];

/// The rules of one place.
pub(super) struct Apart<'r> {
    place: WrittenPlace,
    names: &'r ClaimNames,
    rules: &'r [Read],
}

impl<'r> Apart<'r> {
    pub(super) fn new(place: WrittenPlace, names: &'r ClaimNames, rules: &'r [Read]) -> Self {
        Self { place, names, rules }
    }

    /// What they ask of a type of nodes.
    pub(super) fn of_node(&self) -> Vec<WrittenRestriction> {
        let mut guards: Vec<_> = OF_NODES.iter().flat_map(|asked| self.asked(asked)).collect();
        // The node may be new or not, so what is said of either has to pass.
        let both = self.of(&[Word::Create, Word::Connect]);
        let parts = [Part::Allow, Part::BindAlone];
        let conditions: Vec<_> = parts.iter().filter_map(|part| self.any(&both, *part)).collect();
        let operations = [Action::ConnectOrCreate];
        guards.extend(self.closed(&both, &parts, &operations));
        if !conditions.is_empty() {
            let mut guard = self.guard();
            let condition = Condition::All(conditions);
            guard.validations.push(rule(&operations, (false, true), condition));
            guards.push(guard);
        }
        guards
    }

    /// What they ask of who asks for a statement of a root, whatever the operations are.
    pub(super) fn of_root(&self) -> Vec<WrittenRestriction> {
        let rules: Vec<&Read> = self.rules.iter().collect();
        let mut guard = self.guard();
        let condition = self.any(&rules, Part::Allow);
        let asked = condition.map(|one| rule(&Action::ALL, (true, false), one));
        guard.validations.extend(asked);
        let closed = self.closed(&rules, &[Part::Allow], &Action::ALL);
        [guard].into_iter().chain(closed).collect()
    }

    /// What they ask of a field.
    pub(super) fn of_field(&self) -> Vec<WrittenRestriction> {
        OF_FIELDS.iter().flat_map(|asked| self.asked(asked)).collect()
    }

    fn asked(&self, asked: &Asked) -> Vec<WrittenRestriction> {
        let rules = self.of(&[asked.word]);
        let mut guard = self.guard();
        let mut parts = Vec::new();
        if asked.filter && rules.iter().any(|rule| rule.parts.has_where()) {
            parts.push(Part::Where);
            let condition = self.any(&rules, Part::Where);
            let filter = condition.map(|one| rule(asked.operations, (true, false), one));
            guard.filters.extend(filter);
        }
        if asked.before {
            parts.push(Part::Allow);
            let condition = self.any(&rules, Part::Allow);
            let before = condition.map(|one| rule(asked.operations, (true, false), one));
            guard.validations.extend(before);
        }
        if let Some(part) = asked.after {
            parts.push(part);
            let condition = self.any(&rules, part);
            let after = condition.map(|one| rule(asked.operations, (false, true), one));
            guard.validations.extend(after);
        }
        let closed = self.closed(&rules, &parts, asked.operations);
        let own = !guard.filters.is_empty() || !guard.validations.is_empty();
        own.then_some(guard).into_iter().chain(closed).collect()
    }

    /// The rules of one of these operations.
    fn of(&self, words: &[Word]) -> Vec<&'r Read> {
        let is_of = |rule: &&Read| rule.operations.iter().any(|word| words.contains(word));
        self.rules.iter().filter(is_of).collect()
    }

    fn guard(&self) -> WrittenRestriction {
        Restriction {
            place: self.place,
            authentication: None,
            filters: Vec::new(),
            validations: Vec::new(),
        }
    }

    /// What lets nobody do these operations at all: who has to be known and is not, or lacks a
    /// claim that something is compared with.
    fn closed(
        &self,
        rules: &[&Read],
        parts: &[Part],
        operations: &[Action],
    ) -> Option<WrittenRestriction> {
        let mut all = Vec::new();
        for part in parts {
            let condition = self.any(rules, *part);
            all.extend(condition.as_ref().filter(|one| asks_who(one)).map(who));
            let mut claims = Vec::new();
            rules.iter().for_each(|rule| rule.parts.claims(*part, &mut claims));
            for claim in claims {
                let has = ClaimCondition::Present { claim: claim.into() };
                if !all.contains(&has) {
                    all.push(has);
                }
            }
        }
        if all.is_empty() {
            return None;
        }
        let operations = operations.to_vec();
        let claims = Some(ClaimCondition::All(all));
        let authentication = Authentication { actions: operations, is_required: false, claims };
        Some(Restriction { authentication: Some(authentication), ..self.guard() })
    }

    /// What one of these rules asks in a part; none if none asks anything.
    fn any(&self, rules: &[&Read], part: Part) -> Option<Condition<WrittenNode>> {
        let all = rules.iter().filter_map(|rule| self.condition(&rule.parts, part));
        several(all.collect(), Condition::Any)
    }

    /// Recursion is bounded by the parser of the definitions.
    fn condition(&self, parts: &Parts, part: Part) -> Option<Condition<WrittenNode>> {
        let mut all = Vec::new();
        if part != Part::BindAlone {
            all.extend(parts.roles.as_ref().map(|roles| Condition::Claims(self.roles(roles))));
            all.extend(parts.is_authenticated.map(|is_known| {
                Condition::Claims(match is_known {
                    true => ClaimCondition::Authenticated,
                    false => ClaimCondition::Not(Box::new(ClaimCondition::Authenticated)),
                })
            }));
        }
        let within = |all: &[Parts]| -> Vec<_> {
            all.iter().filter_map(|one| self.condition(one, part)).collect()
        };
        all.extend(several(within(&parts.all), Condition::All));
        all.extend(several(within(&parts.any), Condition::Any));
        let own = parts.wanted(part).cloned();
        all.extend(own.map(|own| Condition::Row(WrittenNode::Wanted(own))));
        several(all, Condition::All)
    }

    /// Who asks has one of these roles.
    fn roles(&self, roles: &[std::sync::Arc<str>]) -> ClaimCondition {
        let has = |role: &std::sync::Arc<str>| ClaimCondition::Test {
            claim: self.names.path(ROLES),
            test: ClaimTest::Includes,
            value: Constant::Text(role.clone()),
        };
        ClaimCondition::Any(roles.iter().map(has).collect())
    }
}

impl Parts {
    fn wanted(&self, part: Part) -> Option<&Wanted> {
        match part {
            Part::Where => self.r#where.as_ref(),
            Part::Allow => self.allow.as_ref(),
            Part::Bind | Part::BindAlone => self.bind.as_ref(),
        }
    }

    fn has_where(&self) -> bool {
        self.r#where.is_some() || self.all.iter().chain(&self.any).any(Self::has_where)
    }

    /// The claims without which a part cannot be asked.
    fn claims<'p>(&'p self, part: Part, all: &mut Vec<&'p str>) {
        if let (Some(wanted), false) = (self.wanted(part), self.allows_unauthenticated) {
            wanted.claims(all);
        }
        self.all.iter().chain(&self.any).for_each(|one| one.claims(part, all));
    }
}

fn rule(
    operations: &[Action],
    (before, after): (bool, bool),
    condition: Condition<WrittenNode>,
) -> RowRule<WrittenNode> {
    let operations = operations.to_vec();
    RowRule {
        actions: operations,
        before,
        after,
        requires_authentication: false,
        in_conditions: false,
        condition,
    }
}

/// Several conditions as one; none of none.
fn several(
    mut all: Vec<Condition<WrittenNode>>,
    make: fn(Vec<Condition<WrittenNode>>) -> Condition<WrittenNode>,
) -> Option<Condition<WrittenNode>> {
    match all.len() {
        0 | 1 => all.pop(),
        _ => Some(make(all)),
    }
}

fn asks_who(condition: &Condition<WrittenNode>) -> bool {
    match condition {
        Condition::All(all) | Condition::Any(all) => all.iter().any(asks_who),
        Condition::Not(one) => asks_who(one),
        Condition::Claims(claims) => is_of_who(claims),
        Condition::Row(_) | Condition::Related { .. } => false,
    }
}

fn is_of_who(claims: &ClaimCondition) -> bool {
    match claims {
        ClaimCondition::Authenticated => true,
        ClaimCondition::Not(one) => is_of_who(one),
        ClaimCondition::All(_)
        | ClaimCondition::Any(_)
        | ClaimCondition::Present { .. }
        | ClaimCondition::Test { .. }
        | ClaimCondition::OfType { .. }
        | ClaimCondition::Is { .. }
        | ClaimCondition::Matches { .. } => false,
    }
}

/// What is asked of whether who asks is known, as if all else passed.
fn who(condition: &Condition<WrittenNode>) -> ClaimCondition {
    match condition {
        Condition::All(all) => ClaimCondition::All(all.iter().map(who).collect()),
        Condition::Any(all) => ClaimCondition::Any(all.iter().map(who).collect()),
        Condition::Claims(claims) if is_of_who(claims) => claims.clone(),
        // Rules of version 3 have no opposites.
        Condition::Not(_)
        | Condition::Claims(_)
        | Condition::Row(_)
        | Condition::Related { .. } => ClaimCondition::All(Vec::new()),
    }
}
