//! A policy file in a catalog: the rules of each role.

mod described;
mod resolve;
mod roles;
mod rows;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use catalog::{Catalog, EntityId, FieldId, FunctionId};
use ir::{Filter, Operand};
use serde_json_bytes::Value as Json;
use sources::Claims;

use super::condition::Condition;
use super::denial::Refusal;
use super::file::PolicyFile;
use super::problem::{PolicyProblem, PolicyProblems};
use super::set::{Callable, EntityPolicy, Grant, PolicySet, PolicySetId};
pub(super) use described::RoleRules;
use resolve::Resolver;

/// The most combinations of roles and missing claims that are kept beside those where none is
/// missing. Tokens of one issuer have few.
const MOST_SETS: usize = 4_096;

/// The rules of each role, in a catalog.
#[derive(Debug)]
pub struct Policies {
    claim_role: Box<str>,
    default_role: Option<Box<str>>,
    rules: Vec<Rule>,
    roles: Vec<Role>,
    /// The places of the roles.
    named: HashMap<Box<str>, usize>,
    /// The claims that rules name.
    claims: Vec<Box<str>>,
    sets: RwLock<Sets>,
}

#[derive(Debug, Default)]
struct Sets {
    /// By the role, and by which of all claims are missing.
    known: HashMap<(usize, Vec<usize>), Arc<PolicySet>>,
    /// By what makes them differ.
    built: HashMap<Content, Arc<PolicySet>>,
}

/// The rules of a combination, and which of their claims are missing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Content {
    all: bool,
    rules: Vec<usize>,
    functions: Option<Vec<FunctionId>>,
    missing: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: Arc<str>,
    pub(super) entity: EntityId,
    pub(super) read: Option<Resolved>,
    insert: Option<Resolved>,
    pub(super) update: Option<Resolved>,
    pub(super) delete: Option<Resolved>,
}

/// What a rule lets in one way.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) rows: Condition,
    pub(super) fields: HashSet<FieldId>,
    /// With the claim that a value is, by its place.
    pub(super) presets: Vec<(FieldId, Operand, Option<usize>)>,
    check: Check,
}

/// What rows have to be once they are written.
#[derive(Debug)]
enum Check {
    /// Nothing is written, or anything may be.
    Nothing,
    /// Those that may be changed: with all fields that decide on it.
    Rows(Arc<[FieldId]>),
    Said(Condition),
}

#[derive(Debug)]
struct Role {
    name: Box<str>,
    all: bool,
    /// Sorted, with those that it inherits.
    rules: Vec<usize>,
    functions: Callable,
    /// The claims that its rules name, sorted.
    claims: Vec<usize>,
}

impl Policies {
    /// Resolves the names of a file.
    pub fn new(file: &PolicyFile, catalog: &Catalog) -> Result<Self, PolicyProblems> {
        let mut resolver = Resolver { catalog, claims: Vec::new(), line: 0 };
        let mut problems = PolicyProblems::default();
        let rules = PolicyProblems::all(file.rules.iter().map(|rule| resolver.rule(rule)));
        let rules = problems.keep(rules).unwrap_or_default();
        let roles = file.roles.iter().map(|role| resolver.role(role, file, &rules));
        let roles = problems.keep(PolicyProblems::all(roles)).unwrap_or_default();
        if let Some(default) = &file.default_role
            && !file.roles.iter().any(|role| role.name == *default)
        {
            let message = format!("`default_role`: there is no role `{default}`").into();
            problems.keep(Err::<(), _>(PolicyProblem { line: 1, message }.into()));
        }
        problems.none()?;
        let named = roles.iter().enumerate().map(|(place, role)| (role.name.clone(), place));
        let named = named.collect();
        Ok(Self {
            named,
            claim_role: file.claim_role.clone(),
            default_role: file.default_role.clone(),
            rules,
            roles,
            claims: resolver.claims,
            sets: RwLock::default(),
        })
    }

    /// The claim that is the role.
    #[must_use]
    pub fn claim_role(&self) -> &str {
        &self.claim_role
    }

    /// The fields that rules fill in for new rows: who has such a rule cannot say them.
    pub(crate) fn preset_in_new_rows(&self) -> impl Iterator<Item = FieldId> {
        let presets = self.rules.iter().filter_map(|rule| rule.insert.as_ref());
        presets.flat_map(|insert| insert.presets.iter().map(|(field, _, _)| *field))
    }

    /// What is let to who has these claims.
    pub fn of(&self, claims: Option<&Claims>) -> Result<Arc<PolicySet>, Refusal> {
        let place = self.place(claims)?;
        let role = self.roles.get(place).ok_or(Refusal::UnknownRole)?;
        let missing = self.missing(role, claims);
        let key = (place, missing);
        let sets = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = sets.known.get(&key) {
            return Ok(Arc::clone(known));
        }
        drop(sets);
        let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
        if sets.known.len() >= MOST_SETS + self.roles.len() {
            return Err(Refusal::TooManySets);
        }
        let content = role.content(key.1.clone());
        let number = u32::try_from(sets.built.len()).unwrap_or(u32::MAX - 1) + 1;
        let set = match sets.built.get(&content) {
            Some(built) => Arc::clone(built),
            None => Arc::new(self.build(PolicySetId(number), &content, &role.functions)),
        };
        sets.built.insert(content, Arc::clone(&set));
        sets.known.insert(key, Arc::clone(&set));
        Ok(set)
    }

    /// Which of the claims that the role's rules name are missing.
    fn missing(&self, role: &Role, claims: Option<&Claims>) -> Vec<usize> {
        let is_missing = |claim: &&usize| {
            let name = self.claims.get(**claim);
            let value = name.and_then(|name| claims.and_then(|claims| claims.get(name)));
            matches!(value, None | Some(Json::Null))
        };
        role.claims.iter().filter(is_missing).copied().collect()
    }

    fn place(&self, claims: Option<&Claims>) -> Result<usize, Refusal> {
        let claim = claims.and_then(|claims| claims.get(&self.claim_role));
        let name = match claim {
            Some(Json::String(name)) => name.as_str(),
            None | Some(Json::Null) => self.default_role.as_deref().ok_or(Refusal::NoRole)?,
            Some(_) => return Err(Refusal::UnknownRole),
        };
        self.named.get(name).copied().ok_or(Refusal::UnknownRole)
    }

    fn build(&self, id: PolicySetId, content: &Content, functions: &Callable) -> PolicySet {
        let is_missing = |claim| content.missing.contains(&claim);
        let mut entities: HashMap<EntityId, EntityPolicy> = HashMap::new();
        for rule in content.rules.iter().filter_map(|rule| self.rules.get(*rule)) {
            let policy = entities.entry(rule.entity).or_default();
            let grant = |resolved: &Resolved| {
                let claims = resolved.presets.iter().filter_map(|(_, _, claim)| *claim);
                // What has to be written has no value: the rule lets nothing be written.
                let lacks = claims.into_iter().any(is_missing);
                let preset = |(field, operand, _): &(FieldId, Operand, Option<usize>)| {
                    (*field, operand.clone())
                };
                (!lacks).then(|| Grant {
                    rule: Arc::clone(&rule.name),
                    rows: resolved.rows.filter(&is_missing),
                    fields: resolved.fields.clone(),
                    presets: resolved.presets.iter().map(preset).collect(),
                    check: match &resolved.check {
                        Check::Nothing => Filter::all(),
                        Check::Rows(_) => resolved.rows.filter(&is_missing),
                        Check::Said(condition) => condition.filter(&is_missing),
                    },
                    stays_without: match &resolved.check {
                        Check::Rows(fields) => Some(Arc::clone(fields)),
                        Check::Nothing | Check::Said(_) => None,
                    },
                })
            };
            policy.read.extend(rule.read.as_ref().and_then(grant));
            policy.insert.extend(rule.insert.as_ref().and_then(grant));
            policy.update.extend(rule.update.as_ref().and_then(grant));
            policy.delete.extend(rule.delete.as_ref().and_then(grant));
        }
        PolicySet { id, all: content.all, functions: functions.clone(), entities }
    }
}

impl Role {
    fn content(&self, missing: Vec<usize>) -> Content {
        let functions = match &self.functions {
            Callable::All => None,
            Callable::These(functions) => {
                let mut functions: Vec<FunctionId> = functions.iter().copied().collect();
                functions.sort_unstable();
                Some(functions)
            }
        };
        Content { all: self.all, rules: self.rules.clone(), functions, missing }
    }
}
