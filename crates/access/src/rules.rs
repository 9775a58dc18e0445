//! Access rules of a source, and the access sets that sessions have by them.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use catalog::Catalog;
use ir::Claims;

use crate::claim::{self, ClaimUse, Comparison};
use crate::claim_condition::ClaimCondition;
use crate::condition::{ClaimFacts, TypedFacts, collect, typed_filter};
use crate::grant::{GrantIndex, Role, Roles};
use crate::grant_set::GrantSet;
use crate::named_claims::{DecidedClaims, NamedClaims};
use crate::restriction::{Authentication, Restriction, RootType, RowRule, Target};
use crate::session_refusal::SessionRefusal;
use crate::set::{AccessSet, AccessSetId, Demand, Demands, Member, RestrictionSet};

/// Limit of cached access sets, beside one for each role. Tokens of one issuer differ in few ways.
pub const MOST_SETS: usize = 4_096;

/// The access rules of a source: grants of roles, restrictions, or both.
#[derive(Debug)]
pub struct AccessRules {
    roles: Option<Arc<Roles>>,
    /// By role, the first one with the same grants.
    same: Vec<usize>,
    restrictions: Vec<Restriction>,
    claims: Arc<NamedClaims>,
    /// By role, the indices of its claims in [`NamedClaims::uses`], sorted.
    uses_of_roles: Vec<Vec<usize>>,
    /// Claims that name labels of nodes.
    labels: Vec<Box<str>>,
    sets: RwLock<Sets>,
    /// The number of sets that were made, including those dropped from the cache.
    count: AtomicU32,
}

#[derive(Debug, Default)]
struct Sets {
    known: HashMap<Facts, Arc<AccessSet>>,
    /// By the facts of the first role with the same grants: such roles share a set.
    built: HashMap<Facts, Arc<AccessSet>>,
}

/// The facts that decide the access set of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Facts {
    role: Option<usize>,
    is_authenticated: bool,
    /// For each of [`NamedClaims::tests`], true if it passes.
    tests: Vec<bool>,
    /// For each of [`NamedClaims::uses`], true if the claim can be compared. True for claims that
    /// the role's grants do not name.
    uses: Vec<bool>,
    /// By [`AccessRules::labels`], the label.
    labels: Vec<Option<Box<str>>>,
}

impl AccessRules {
    /// Access rules of roles and restrictions; `None` if there are none.
    #[must_use]
    pub fn new(
        catalog: &Catalog,
        roles: Option<Roles>,
        restrictions: Vec<Restriction>,
    ) -> Option<Self> {
        if roles.is_none() && !Self::are_needed(catalog, &restrictions) {
            return None;
        }
        let mut labels: Vec<Box<str>> = Vec::new();
        for claim in catalog.entities().flat_map(|entity| &entity.claimed_labels) {
            if !labels.contains(claim) {
                labels.push(claim.clone());
            }
        }
        let (mut tests, mut uses) = (Vec::new(), Vec::new());
        for restriction in &restrictions {
            let authentication = restriction.authentication.iter();
            tests.extend(authentication.filter_map(|one| one.claims.clone()));
            for rule in restriction.filters.iter().chain(&restriction.validations) {
                collect(catalog, &rule.condition, &mut tests, &mut uses);
            }
        }
        let mut uses_of_roles = Vec::new();
        let mut places_of_claims: HashMap<&str, usize> = HashMap::new();
        for role in roles.iter().flat_map(|roles| &roles.roles) {
            let mut places = BTreeSet::new();
            let grants = roles.iter().flat_map(|roles| roles.grants_of(role));
            for (_, permission) in grants.flat_map(|grant| grant.all_permissions()) {
                permission.claims(&mut |claim| {
                    let known = places_of_claims.entry(claim);
                    places.insert(*known.or_insert_with(|| place(&mut uses, claim)));
                });
            }
            uses_of_roles.push(places.into_iter().collect());
        }
        let same = roles.as_ref().map(|roles| first_of_same(&roles.roles)).unwrap_or_default();
        let (roles, claims) = (roles.map(Arc::new), Arc::new(NamedClaims { tests, uses }));
        let (sets, count) = (RwLock::default(), AtomicU32::new(0));
        Some(Self { roles, same, restrictions, claims, uses_of_roles, labels, sets, count })
    }

    /// Returns true if a catalog with these restrictions needs access rules without any roles:
    /// labels that claims name are restrictions, too.
    #[must_use]
    pub fn are_needed(catalog: &Catalog, restrictions: &[Restriction]) -> bool {
        let mut entities = catalog.entities();
        !restrictions.is_empty() || entities.any(|entity| !entity.claimed_labels.is_empty())
    }

    /// Returns true if there are restrictions.
    #[must_use]
    pub fn has_restrictions(&self) -> bool {
        !self.restrictions.is_empty()
    }

    /// The roles, where access is granted to roles.
    #[must_use]
    pub fn roles(&self) -> Option<&Roles> {
        self.roles.as_deref()
    }

    /// The access set of a session with these claims.
    pub fn set(
        &self,
        catalog: &Catalog,
        claims: Option<&Claims>,
    ) -> Result<Arc<AccessSet>, SessionRefusal> {
        let facts = self.facts(claims)?;
        let sets = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = sets.known.get(&facts) {
            return Ok(Arc::clone(known));
        }
        drop(sets);
        let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = sets.known.get(&facts) {
            return Ok(Arc::clone(known));
        }
        if sets.known.len() >= MOST_SETS + self.uses_of_roles.len() {
            // There may be any number of labels: such sets are made again for each use.
            if self.labels.is_empty() {
                return Err(SessionRefusal::TooManySets);
            }
            *sets = Sets::default();
        }
        let same = facts.role.and_then(|role| self.same.get(role).copied());
        let content = Facts { role: same, ..facts.clone() };
        let set = match sets.built.get(&content) {
            Some(built) => Arc::clone(built),
            None => {
                let number = self.count.fetch_add(1, Ordering::Relaxed).checked_add(1);
                let number = number.ok_or(SessionRefusal::TooManySets)?;
                Arc::new(self.decide(catalog, AccessSetId(number), &facts))
            }
        };
        sets.built.insert(content, Arc::clone(&set));
        sets.known.insert(facts, Arc::clone(&set));
        Ok(set)
    }

    fn facts(&self, claims: Option<&Claims>) -> Result<Facts, SessionRefusal> {
        let role = self.roles.as_ref().map(|roles| roles.index(claims)).transpose()?;
        let of_role = role.and_then(|role| self.uses_of_roles.get(role));
        let uses = self.claims.uses.iter().enumerate().map(|(place, one)| {
            let is_named = of_role.is_none_or(|uses| uses.binary_search(&place).is_ok());
            !is_named || one.fits(claims)
        });
        Ok(Facts {
            role,
            is_authenticated: !self.restrictions.is_empty() && claims.is_some(),
            tests: self.claims.tests.iter().map(|test| claim::passes(test, claims)).collect(),
            uses: uses.collect(),
            labels: self.labels.iter().map(|claim| claim::label(claim, claims)).collect(),
        })
    }

    /// The grants of a session; `None` if everything is granted.
    fn grants(&self, facts: &Facts) -> Option<GrantSet> {
        let (roles, role) = (self.roles.as_ref()?, facts.role?);
        let is_superuser = roles.roles.get(role)?.is_superuser;
        (!is_superuser).then(|| GrantSet::new(Arc::clone(roles), role, self.decided(facts)))
    }

    fn decided(&self, facts: &Facts) -> DecidedClaims {
        let Facts { tests, uses, .. } = facts;
        DecidedClaims { named: Arc::clone(&self.claims), tests: tests.clone(), uses: uses.clone() }
    }

    fn decide(&self, catalog: &Catalog, id: AccessSetId, facts: &Facts) -> AccessSet {
        let labels = self.labels.iter().zip(&facts.labels);
        let labels = labels.filter_map(|(claim, label)| Some((claim.clone(), label.clone()?)));
        let deciding = Deciding { catalog, rules: self, facts, claims: self.decided(facts) };
        AccessSet {
            id,
            grants: self.grants(facts),
            restrictions: deciding.restrictions(),
            labels: labels.collect(),
        }
    }
}

/// The index of a claim of any type.
fn place(uses: &mut Vec<ClaimUse>, claim: &str) -> usize {
    let wanted = ClaimUse::of_any_type(claim);
    let known = uses.iter().position(|known| *known == wanted);
    known.unwrap_or_else(|| {
        uses.push(wanted);
        uses.len() - 1
    })
}

/// By role, the index of the first one with the same grants.
fn first_of_same(roles: &[Role]) -> Vec<usize> {
    let mut known: HashMap<&[GrantIndex], Vec<usize>> = HashMap::new();
    let mut same = Vec::with_capacity(roles.len());
    for (place, role) in roles.iter().enumerate() {
        let others = known.entry(&role.grants).or_default();
        let is_same = |other: &&usize| {
            roles.get(**other).is_some_and(|other| {
                other.is_superuser == role.is_superuser && other.functions == role.functions
            })
        };
        let first = others.iter().find(is_same).copied();
        same.push(first.unwrap_or_else(|| {
            others.push(place);
            place
        }));
    }
    same
}

/// Rules and facts for making an access set.
struct Deciding<'d> {
    catalog: &'d Catalog,
    rules: &'d AccessRules,
    facts: &'d Facts,
    claims: DecidedClaims,
}

impl Deciding<'_> {
    fn restrictions(&self) -> RestrictionSet {
        let is_any = !self.rules.restrictions.is_empty() || !self.rules.labels.is_empty();
        let mut set = RestrictionSet { is_any, ..RestrictionSet::default() };
        for restriction in &self.rules.restrictions {
            let demands = match restriction.place {
                Target::Everything => &mut set.everything,
                Target::Entity(entity) => set.entities.entry(entity).or_default(),
                Target::Root(RootType::Query) => &mut set.queries,
                Target::Root(RootType::Mutation) => &mut set.mutations,
                Target::Field(field) => set.members.entry(Member::Field(field)).or_default(),
                Target::Function(function) => {
                    set.members.entry(Member::Function(function)).or_default()
                }
            };
            self.add(restriction, demands);
        }
        set
    }

    fn add(&self, restriction: &Restriction, demands: &mut Demands) {
        if let Some(authentication) = &restriction.authentication {
            let Authentication { actions, is_required, claims } = authentication;
            let is_authenticated = self.facts.is_authenticated || !is_required;
            let passes = claims.as_ref().is_none_or(|claims| self.passes(claims));
            if !is_authenticated || !passes {
                demands.closed.extend(actions);
            }
        }
        let decided = |rules: &[RowRule]| -> Vec<Demand> {
            rules.iter().map(|rule| self.demand(rule)).collect()
        };
        demands.filters.extend(decided(&restriction.filters));
        demands.validations.extend(decided(&restriction.validations));
    }

    fn demand(&self, rule: &RowRule) -> Demand {
        let filter = match rule.requires_authentication && !self.facts.is_authenticated {
            true => ir::Filter::none(),
            false => typed_filter(&rule.condition, self),
        };
        let RowRule { before, after, in_conditions, .. } = *rule;
        Demand { actions: rule.actions.clone(), before, after, in_conditions, filter }
    }
}

impl ClaimFacts for Deciding<'_> {
    fn passes(&self, condition: &ClaimCondition) -> bool {
        self.claims.passes(condition)
    }

    fn is_present(&self, claim: &str) -> bool {
        self.claims.is_present(claim)
    }
}

impl TypedFacts for Deciding<'_> {
    fn fits(&self, comparison: &Comparison<'_>) -> bool {
        comparison.claim_use(self.catalog).is_some_and(|wanted| self.claims.fits(&wanted))
    }
}
