//! What type definitions say of who may see and change what.
//!
//! Where policies let what they name, these rules take from what is there: a place without a rule is
//! open to everybody. What depends on claims alone is decided when a session comes, and what is left
//! are conditions on nodes; so a plan is good for all sessions of which the same was decided.
//!
//! * [`claims`]: conditions on claims
//! * [`decided`]: conditions with what was decided of them
//! * [`read`]: a request as far as rules let it read
//! * [`write`](mod@write): the same for what it changes
//! * `restriction`: what both ask of nodes, beside what the request does

mod claims;
mod decided;
mod read;
mod restriction;
#[cfg(test)]
mod tests;
mod write;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use catalog::{Catalog, EntityId, FieldId, FunctionId};
use dialects::neo4j::rules::{
    Authentication, ClaimCondition, Condition, GuardPlace, Operation, PlacedGuard, Root,
};
use ir::{Filter, Request};
use source::Claims;

use self::claims::Named;
use self::decided::Decided;
use super::denial::Refusal;
use super::set::PolicySetId;
use super::withhold::Refused;

/// The most combinations of what is decided that are kept. Tokens of one issuer have few.
const MOST_SETS: usize = 4_096;

/// The rules of type definitions.
#[derive(Debug)]
pub(crate) struct Rules {
    guards: Vec<PlacedGuard>,
    /// The conditions on claims, in the order in which they stand.
    tests: Vec<ClaimCondition>,
    /// The claims that values of nodes are compared with.
    named: Vec<Named>,
    /// The claims that nodes are labelled with.
    labels: Vec<Box<str>>,
    sets: RwLock<HashMap<Facts, Arc<RuleSet>>>,
    /// How many sets there were so far, those among them that are not kept any more.
    count: AtomicU32,
}

/// What is known of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Facts {
    is_authenticated: bool,
    /// By [`Rules::tests`], whether they pass.
    tests: Vec<bool>,
    /// By [`Rules::named`], whether they can be compared with.
    named: Vec<bool>,
    /// By [`Rules::labels`], what they are.
    labels: Vec<Option<Box<str>>>,
}

/// What rules let to sessions of which the same is known.
#[derive(Debug)]
pub(crate) struct RuleSet {
    id: PolicySetId,
    labels: Vec<(Box<str>, Box<str>)>,
    everything: Own,
    /// What is said of all fields of a root.
    queries: Own,
    mutations: Own,
    entities: HashMap<EntityId, Own>,
    members: HashMap<Member, Own>,
}

/// What can be asked of a node: what it holds, or what a statement gives of it. A statement of a
/// root is asked of no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Member {
    Field(FieldId),
    Function(FunctionId),
}

/// What is decided at one place.
#[derive(Debug, Default)]
struct Own {
    /// What may not be done at all.
    closed: Vec<Operation>,
    filters: Vec<Decided>,
    validations: Vec<Decided>,
}

/// When a node has to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Before,
    After,
}

impl Rules {
    /// The rules of an API; none if there are none.
    pub(crate) fn new(catalog: &Catalog, guards: Vec<PlacedGuard>) -> Option<Self> {
        let mut labels: Vec<Box<str>> = Vec::new();
        for claim in catalog.entities().flat_map(|entity| &entity.claimed_labels) {
            if !labels.contains(claim) {
                labels.push(claim.clone());
            }
        }
        if guards.is_empty() && labels.is_empty() {
            return None;
        }
        let (mut tests, mut named) = (Vec::new(), Vec::new());
        for guard in &guards {
            let authentication = guard.authentication.iter();
            tests.extend(authentication.filter_map(|one| one.claims.clone()));
            for rule in guard.filters.iter().chain(&guard.validations) {
                collect(catalog, &rule.condition, &mut tests, &mut named);
            }
        }
        let (sets, count) = (RwLock::default(), AtomicU32::new(0));
        Some(Self { guards, tests, named, labels, sets, count })
    }

    /// What is let to who has these claims.
    pub(crate) fn of(
        &self,
        catalog: &Catalog,
        claims: Option<&Claims>,
    ) -> Result<Arc<RuleSet>, Refusal> {
        let facts = Facts {
            is_authenticated: claims.is_some(),
            tests: self.tests.iter().map(|test| claims::passes(test, claims)).collect(),
            named: self.named.iter().map(|named| named.fits(claims)).collect(),
            labels: self.labels.iter().map(|claim| claims::label(claim, claims)).collect(),
        };
        let sets = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = sets.get(&facts) {
            return Ok(Arc::clone(known));
        }
        drop(sets);
        let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = sets.get(&facts) {
            return Ok(Arc::clone(known));
        }
        if sets.len() >= MOST_SETS {
            // There may be any number of labels: those that are asked for again come again.
            if self.labels.is_empty() {
                return Err(Refusal::TooManySets);
            }
            sets.clear();
        }
        let number = self.count.fetch_add(1, Ordering::Relaxed).checked_add(1);
        let number = number.ok_or(Refusal::TooManySets)?;
        let set = Arc::new(self.decide(catalog, PolicySetId(number), &facts));
        sets.insert(facts, Arc::clone(&set));
        Ok(set)
    }

    fn decide(&self, catalog: &Catalog, id: PolicySetId, facts: &Facts) -> RuleSet {
        let mut labels = Vec::new();
        for (claim, label) in self.labels.iter().zip(&facts.labels) {
            labels.extend(label.clone().map(|label| (claim.clone(), label)));
        }
        let mut set = RuleSet {
            id,
            labels,
            everything: Own::default(),
            queries: Own::default(),
            mutations: Own::default(),
            entities: HashMap::new(),
            members: HashMap::new(),
        };
        for guard in &self.guards {
            let own = match guard.place {
                GuardPlace::Everything => &mut set.everything,
                GuardPlace::Entity(entity) => set.entities.entry(entity).or_default(),
                GuardPlace::Root(Root::Query) => &mut set.queries,
                GuardPlace::Root(Root::Mutation) => &mut set.mutations,
                GuardPlace::Field(field) => set.members.entry(Member::Field(field)).or_default(),
                GuardPlace::Function(function) => {
                    set.members.entry(Member::Function(function)).or_default()
                }
            };
            if let Some(authentication) = &guard.authentication {
                let Authentication { operations, is_authenticated, claims } = authentication;
                let is_known = facts.is_authenticated || !is_authenticated;
                let passes = match claims {
                    Some(claims) => self.holds(claims, facts),
                    None => true,
                };
                if !is_known || !passes {
                    own.closed.extend(operations);
                }
            }
            let decided = |rules: &[_]| {
                let decide = |rule| Decided::of(catalog, rule, self, facts);
                rules.iter().map(decide).collect::<Vec<_>>()
            };
            own.filters.extend(decided(&guard.filters));
            own.validations.extend(decided(&guard.validations));
        }
        set
    }

    /// What was found of a condition on claims.
    fn holds(&self, condition: &ClaimCondition, facts: &Facts) -> bool {
        let place = self.tests.iter().position(|known| known == condition);
        place.and_then(|place| facts.tests.get(place).copied()).unwrap_or(false)
    }
}

/// Adds the conditions on claims, and the claims that values are compared with.
fn collect(
    catalog: &Catalog,
    condition: &Condition<Filter>,
    tests: &mut Vec<ClaimCondition>,
    named: &mut Vec<Named>,
) {
    match condition {
        Condition::All(all) | Condition::Any(all) => {
            all.iter().for_each(|one| collect(catalog, one, tests, named));
        }
        Condition::Not(one) => collect(catalog, one, tests, named),
        Condition::Claims(claims) => tests.push(claims.clone()),
        Condition::Node(filter) => claims::named(catalog, filter, named),
    }
}

impl RuleSet {
    pub(crate) fn id(&self) -> PolicySetId {
        self.id
    }

    /// Changes a request to what it is let to do, and gives what it is not.
    pub(crate) fn authorize(&self, catalog: &Catalog, request: &mut Request) -> Refused {
        request.claimed_names.clone_from(&self.labels);
        let mut refused = read::walk(self, catalog, request);
        refused.take_roots(request);
        refused
    }

    /// Whether something may be done with an entity, or a member of it, at all.
    fn is_open(&self, entity: EntityId, member: Option<Member>, operation: Operation) -> bool {
        let member = member.and_then(|member| self.members.get(&member));
        let own = [Some(&self.everything), self.entities.get(&entity), member];
        own.into_iter().flatten().all(|own| !own.closed.contains(&operation))
    }

    /// Whether a statement may be asked to do one of these at all.
    fn is_asked(&self, function: FunctionId, operations: &[Operation]) -> bool {
        let own = self.members.get(&Member::Function(function));
        own.is_none_or(|own| !own.is_closed(operations))
    }

    /// Whether the rules of a statement of a root, which are of claims alone, let these be done.
    fn is_let(&self, function: FunctionId, operations: &[Operation]) -> bool {
        let own = self.members.get(&Member::Function(function));
        own.is_none_or(|own| {
            let asked = operations.iter().filter_map(|one| own.validation(*one, Stage::Before));
            asked.into_iter().all(|filter| filter.is_all())
        })
    }

    /// The nodes that are there for who does something with them and these of their members.
    fn filter(&self, entity: EntityId, members: &[Member], operation: Operation) -> Filter {
        Filter::and(self.rules(entity, members).filter_map(|own| own.filter(operation)).collect())
    }

    /// What they have to pass then.
    fn validation(
        &self,
        entity: EntityId,
        members: &[Member],
        operation: Operation,
        stage: Stage,
    ) -> Filter {
        let rules = self.rules(entity, members);
        Filter::and(rules.filter_map(|own| own.validation(operation, stage)).collect())
    }

    /// What nodes have to pass because of a member alone.
    fn validation_of(&self, member: Member, operation: Operation, stage: Stage) -> Filter {
        let own = self.members.get(&member).and_then(|own| own.validation(operation, stage));
        own.unwrap_or_else(Filter::all)
    }

    fn rules(&self, entity: EntityId, members: &[Member]) -> impl Iterator<Item = &Own> {
        let members = members.iter().filter_map(|member| self.members.get(member));
        self.entities.get(&entity).into_iter().chain(members)
    }
}

impl Own {
    /// Whether one of these may not be done.
    fn is_closed(&self, operations: &[Operation]) -> bool {
        operations.iter().any(|operation| self.closed.contains(operation))
    }

    fn filter(&self, operation: Operation) -> Option<Filter> {
        decided::any(self.filters.iter().filter(|one| one.is_of(operation)))
    }

    fn validation(&self, operation: Operation, stage: Stage) -> Option<Filter> {
        let own = self.validations.iter();
        decided::any(own.filter(|one| one.is_of(operation) && one.is_at(stage)))
    }
}
