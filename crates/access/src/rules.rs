//! Access rules of a source, and the access sets that sessions have by them.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use catalog::{Catalog, FunctionId};
use ir::Claims;

use crate::claim::{self, ClaimUse, Comparison};
use crate::claim_condition::ClaimCondition;
use crate::condition::{
    Condition, ConditionFacts, collect, nullable_filter, operand_claims, typed_filter,
};
use crate::conventions::MissingClaims;
use crate::grant::{Callable, Check, Permission, Privilege, Role, Roles};
use crate::restriction::{Authentication, Restriction, RootType, RowRule, Target};
use crate::session_refusal::SessionRefusal;
use crate::set::{
    AccessSet, AccessSetId, Demand, Demands, EntityGrants, GrantSet, Granted, Member,
    RestrictionSet,
};

/// Limit of cached access sets, beside one for each role. Tokens of one issuer differ in few ways.
pub const MOST_SETS: usize = 4_096;

/// The access rules of a source: grants of roles, restrictions, or both.
#[derive(Debug)]
pub struct AccessRules {
    roles: Option<Roles>,
    restrictions: Vec<Restriction>,
    /// Conditions on claims.
    tests: Vec<ClaimCondition>,
    /// Claims that values of rows are compared with or written from.
    uses: Vec<ClaimUse>,
    /// By role, the indices of its claims in `uses`, sorted.
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
    /// The key is all that distinguishes sets: roles with the same grants share one.
    built: HashMap<(Option<RoleContent>, Facts), Arc<AccessSet>>,
}

/// The facts that decide the access set of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Facts {
    role: Option<usize>,
    is_authenticated: bool,
    /// For each of [`AccessRules::tests`], true if it passes.
    tests: Vec<bool>,
    /// For each of [`AccessRules::uses`], true if the claim can be compared. True for claims that
    /// the role's grants do not name.
    uses: Vec<bool>,
    /// By [`AccessRules::labels`], the label.
    labels: Vec<Option<Box<str>>>,
}

/// The grants of a role.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RoleContent {
    is_superuser: bool,
    grants: Vec<usize>,
    /// `None`: all.
    functions: Option<Vec<FunctionId>>,
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
            for permission in grants.flat_map(|grant| grant.permissions()) {
                permission.claims(&mut |claim| {
                    let known = places_of_claims.entry(claim);
                    places.insert(*known.or_insert_with(|| place(&mut uses, claim)));
                });
            }
            uses_of_roles.push(places.into_iter().collect());
        }
        let (sets, count) = (RwLock::default(), AtomicU32::new(0));
        Some(Self { roles, restrictions, tests, uses, uses_of_roles, labels, sets, count })
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
        self.roles.as_ref()
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
        let content = self.role(&facts).map(RoleContent::of);
        let content = (content, Facts { role: None, ..facts.clone() });
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
        let uses = self.uses.iter().enumerate().map(|(place, one)| {
            let is_named = of_role.is_none_or(|uses| uses.binary_search(&place).is_ok());
            !is_named || one.fits(claims)
        });
        Ok(Facts {
            role,
            is_authenticated: !self.restrictions.is_empty() && claims.is_some(),
            tests: self.tests.iter().map(|test| claim::passes(test, claims)).collect(),
            uses: uses.collect(),
            labels: self.labels.iter().map(|claim| claim::label(claim, claims)).collect(),
        })
    }

    fn role(&self, facts: &Facts) -> Option<&Role> {
        self.roles.as_ref()?.roles.get(facts.role?)
    }

    fn decide(&self, catalog: &Catalog, id: AccessSetId, facts: &Facts) -> AccessSet {
        let labels = self.labels.iter().zip(&facts.labels);
        let labels = labels.filter_map(|(claim, label)| Some((claim.clone(), label.clone()?)));
        let deciding = Deciding { catalog, rules: self, facts };
        let role = self.role(facts).filter(|role| !role.is_superuser);
        AccessSet {
            id,
            grants: role.map(|role| deciding.grants(role)),
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

impl RoleContent {
    fn of(role: &Role) -> Self {
        let functions = match &role.functions {
            Callable::All => None,
            Callable::These(functions) => {
                let mut functions: Vec<FunctionId> = functions.iter().copied().collect();
                functions.sort_unstable();
                Some(functions)
            }
        };
        Self { is_superuser: role.is_superuser, grants: role.grants.clone(), functions }
    }
}

/// Rules and facts for making an access set.
struct Deciding<'d> {
    catalog: &'d Catalog,
    rules: &'d AccessRules,
    facts: &'d Facts,
}

impl Deciding<'_> {
    fn grants(&self, role: &Role) -> GrantSet {
        let mut entities: HashMap<_, EntityGrants> = HashMap::new();
        let mut missing = HashMap::new();
        let roles = self.rules.roles.as_ref();
        let conventions = roles.map(|roles| roles.conventions.clone()).unwrap_or_default();
        let is_refused = conventions.missing_claims == MissingClaims::Refused;
        let grants = self.rules.roles.iter().flat_map(|roles| roles.grants_of(role));
        for grant in grants {
            let of_entity = entities.entry(grant.entity).or_default();
            let granted = |permission: &Permission| self.granted(&grant.name, permission);
            let parts = [
                (&grant.read, &mut of_entity.read, Privilege::Read),
                (&grant.insert, &mut of_entity.insert, Privilege::Insert),
                (&grant.update, &mut of_entity.update, Privilege::Update),
                (&grant.delete, &mut of_entity.delete, Privilege::Delete),
            ];
            for (permission, granted_before, privilege) in parts {
                let Some(permission) = permission else { continue };
                granted_before.extend(granted(permission));
                if is_refused && let Some(claim) = self.missing_claim(permission) {
                    missing.entry((grant.entity, privilege)).or_insert(claim);
                }
            }
        }
        GrantSet { functions: role.functions.clone(), entities, missing, conventions }
    }

    /// A claim that the session lacks and the permission needs.
    fn missing_claim(&self, permission: &Permission) -> Option<Arc<str>> {
        let mut missing = None;
        permission.claims(&mut |claim| {
            if missing.is_none() && !self.is_present(claim) {
                missing = Some(claim);
            }
        });
        missing.map(Into::into)
    }

    /// A privilege with its conditions decided; `None` if a claim is missing that has to be written.
    fn granted(&self, name: &Arc<str>, permission: &Permission) -> Option<Granted> {
        let mut has_presets = true;
        for (_, operand) in &permission.presets {
            operand_claims(operand, &mut |claim| has_presets &= self.is_present(claim));
        }
        if !has_presets {
            return None;
        }
        let filter = |condition: &Condition| nullable_filter(condition, true, self);
        Some(Granted {
            name: Arc::clone(name),
            rows: filter(&permission.rows),
            limit: permission.limit,
            fields: permission.fields.clone(),
            presets: permission.presets.clone(),
            check: match &permission.check {
                Check::None => ir::Filter::all(),
                Check::Rows(_) => filter(&permission.rows),
                Check::Condition(condition) => filter(condition),
            },
            unchecked_without: match &permission.check {
                Check::Rows(fields) => Some(Arc::clone(fields)),
                Check::None | Check::Condition(_) => None,
            },
        })
    }

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

    fn fact(&self, wanted: &ClaimUse) -> bool {
        let place = self.rules.uses.iter().position(|known| known == wanted);
        place.and_then(|place| self.facts.uses.get(place).copied()).unwrap_or(false)
    }
}

impl ConditionFacts for Deciding<'_> {
    fn passes(&self, condition: &ClaimCondition) -> bool {
        let place = self.rules.tests.iter().position(|known| known == condition);
        place.and_then(|place| self.facts.tests.get(place).copied()).unwrap_or(false)
    }

    fn is_present(&self, claim: &str) -> bool {
        self.fact(&ClaimUse::of_any_type(claim))
    }

    fn fits(&self, comparison: &Comparison<'_>) -> bool {
        comparison.claim_use(self.catalog).is_some_and(|wanted| self.fact(&wanted))
    }
}
