//! A policy file in a catalog: the rules of each role.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use catalog::{Catalog, Entity, EntityId, FieldId, FunctionId, Generated};
use ir::{Case, Filter, Hop, HopDirection, Operand, Place};
use serde_json_bytes::Value as Json;
use sources::Claims;

use super::condition::Condition;
use super::denial::Refusal;
use super::file::{self, Columns, Functions, PolicyFile, Said, Test};
use super::set::{Callable, EntityPolicy, Grant, PolicySet, PolicySetId};

/// The most combinations of roles and missing claims that are kept beside those where none is
/// missing. Tokens of one issuer have few.
const MOST_SETS: usize = 4_096;

/// A policy file that does not fit the source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Unresolved {
    /// Of the file, from 1.
    pub line: usize,
    pub message: Box<str>,
}

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
struct Rule {
    name: Arc<str>,
    entity: EntityId,
    read: Option<Resolved>,
    insert: Option<Resolved>,
    update: Option<Resolved>,
    delete: Option<Resolved>,
}

/// What a rule lets in one way.
#[derive(Debug)]
struct Resolved {
    rows: Condition,
    fields: HashSet<FieldId>,
    /// With the claim that a value is, by its place.
    presets: Vec<(FieldId, Operand, Option<usize>)>,
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
    pub fn new(file: &PolicyFile, catalog: &Catalog) -> Result<Self, Unresolved> {
        let mut resolver = Resolver { catalog, claims: Vec::new(), line: 0 };
        let rules: Vec<Rule> =
            file.rules.iter().map(|rule| resolver.rule(rule)).collect::<Result<_, _>>()?;
        let roles = file.roles.iter().map(|role| resolver.role(role, file, &rules));
        let roles: Vec<Role> = roles.collect::<Result<_, _>>()?;
        if let Some(default) = &file.default_role
            && !roles.iter().any(|role| role.name == *default)
        {
            let message = format!("`default_role`: there is no role `{default}`").into();
            return Err(Unresolved { line: 1, message });
        }
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

    /// What is let to who has these claims.
    pub fn of(&self, claims: Option<&Claims>) -> Result<Arc<PolicySet>, Refusal> {
        let place = self.place(claims)?;
        let role = self.roles.get(place).ok_or(Refusal::UnknownRole)?;
        let is_missing = |claim: &&usize| {
            let name = self.claims.get(**claim);
            let value = name.and_then(|name| claims.and_then(|claims| claims.get(name)));
            matches!(value, None | Some(Json::Null))
        };
        let missing: Vec<usize> = role.claims.iter().filter(is_missing).copied().collect();
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

    /// The names of the role's rules, for whoever asks why something is let or not.
    pub(super) fn described(&self, claims: Option<&Claims>) -> Result<(&str, Vec<&str>), Refusal> {
        let role = self.roles.get(self.place(claims)?).ok_or(Refusal::UnknownRole)?;
        let rules = role.rules.iter().filter_map(|rule| self.rules.get(*rule));
        Ok((&role.name, rules.map(|rule| &*rule.name).collect()))
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

/// Finds what the names of a file mean.
struct Resolver<'c> {
    catalog: &'c Catalog,
    claims: Vec<Box<str>>,
    /// Of what is being resolved.
    line: usize,
}

impl Resolver<'_> {
    fn wrong<T>(&self, message: impl Into<Box<str>>) -> Result<T, Unresolved> {
        Err(Unresolved { line: self.line, message: message.into() })
    }

    fn claim(&mut self, name: &str) -> usize {
        let known = self.claims.iter().position(|known| **known == *name);
        known.unwrap_or_else(|| {
            self.claims.push(name.into());
            self.claims.len() - 1
        })
    }

    fn rule(&mut self, rule: &file::Rule) -> Result<Rule, Unresolved> {
        self.line = rule.line;
        let entity = self.entity(&rule.entity)?;
        let nothing = HashSet::new;
        let read = match &rule.read {
            Some(file::Read { line, rows, columns }) => {
                self.line = *line;
                let (rows, fields) =
                    (self.condition(entity, rows)?, self.columns(entity, columns)?);
                Some(Resolved { rows, fields, presets: Vec::new() })
            }
            None => None,
        };
        let insert = match &rule.insert {
            Some(file::Insert { line, columns, presets }) => {
                self.line = *line;
                let fields = self.columns(entity, columns)?;
                let presets = self.presets(entity, presets)?;
                let rows = Condition::All(Vec::new());
                Some(Resolved { rows, fields, presets })
            }
            None => None,
        };
        let update = match &rule.update {
            Some(file::Update { line, rows, columns, presets }) => {
                self.line = *line;
                let (rows, fields) =
                    (self.condition(entity, rows)?, self.columns(entity, columns)?);
                let presets = self.presets(entity, presets)?;
                self.stay(&rows, &fields, &presets)?;
                Some(Resolved { rows, fields, presets })
            }
            None => None,
        };
        let delete = match &rule.delete {
            Some(file::Delete { line, rows }) => {
                self.line = *line;
                let rows = self.condition(entity, rows)?;
                Some(Resolved { rows, fields: nothing(), presets: Vec::new() })
            }
            None => None,
        };
        Ok(Rule { name: Arc::from(&*rule.name), entity, read, insert, update, delete })
    }

    /// The entity of a name: `namespace.name`, or the name alone where one entity has it.
    fn entity(&self, name: &str) -> Result<EntityId, Unresolved> {
        let full = |entity: &&Entity| self.catalog.qualified_name(entity.id) == name;
        let named: Vec<&Entity> =
            self.catalog.entities().filter(|entity| *entity.name == *name).collect();
        match (self.catalog.entities().find(full), named.as_slice()) {
            (Some(entity), _) => Ok(entity.id),
            (None, [entity]) => Ok(entity.id),
            (None, []) => self.wrong(format!("the source has no table or view `{name}`")),
            (None, [one, ..]) => {
                let one = self.catalog.qualified_name(one.id);
                let message = format!("several tables are called `{name}`: write `{one}`, say");
                self.wrong(message)
            }
        }
    }

    fn field(&self, entity: EntityId, name: &str) -> Result<FieldId, Unresolved> {
        match self.catalog.find_field(entity, name) {
            Some(field) => Ok(field.id),
            None => {
                let entity = self.catalog.qualified_name(entity);
                self.wrong(format!("`{entity}` has no column `{name}`"))
            }
        }
    }

    fn columns(&self, entity: EntityId, columns: &Columns) -> Result<HashSet<FieldId>, Unresolved> {
        match columns {
            Columns::All => Ok(self.catalog[entity].fields.iter().copied().collect()),
            Columns::These(names) => names.iter().map(|name| self.field(entity, name)).collect(),
        }
    }

    fn presets(
        &mut self,
        entity: EntityId,
        presets: &[(Box<str>, Said)],
    ) -> Result<Vec<(FieldId, Operand, Option<usize>)>, Unresolved> {
        let mut resolved = Vec::with_capacity(presets.len());
        for (name, said) in presets {
            let field = self.field(entity, name)?;
            if let Some(Generated::Stored | Generated::IdentityAlways) =
                self.catalog[field].generated
            {
                return self.wrong(format!("`{name}` cannot be written: the source makes it"));
            }
            let (operand, claim) = self.said(said);
            resolved.push((field, operand, claim));
        }
        Ok(resolved)
    }

    /// Rows that may be updated are still such after it: what decides which they are cannot itself
    /// be updated.
    fn stay(
        &self,
        rows: &Condition,
        fields: &HashSet<FieldId>,
        presets: &[(FieldId, Operand, Option<usize>)],
    ) -> Result<(), Unresolved> {
        let mut looked_at = Vec::new();
        rows.fields(&mut looked_at);
        let mut hops = Vec::new();
        rows.hops(&mut hops);
        for hop in hops {
            let relationship = &self.catalog[hop.relationship];
            looked_at.extend(relationship.from_fields.iter().chain(&relationship.to_fields));
        }
        let written = |field: &&FieldId| {
            fields.contains(field) || presets.iter().any(|(preset, _, _)| preset == *field)
        };
        match looked_at.iter().find(written) {
            None => Ok(()),
            Some(field) => {
                let name = &self.catalog[*field].name;
                let message = format!(
                    "`{name}` decides which rows may be updated, and so cannot be updated itself: \
                     name the other columns"
                );
                self.wrong(message)
            }
        }
    }

    fn said(&mut self, said: &Said) -> (Operand, Option<usize>) {
        match said {
            Said::Value(value) => (Operand::Constant(value.clone()), None),
            Said::Claim(name) => (Operand::Claim(name.clone()), Some(self.claim(name))),
        }
    }

    fn condition(
        &mut self,
        entity: EntityId,
        condition: &file::Condition,
    ) -> Result<Condition, Unresolved> {
        Ok(match condition {
            file::Condition::All(all) => Condition::All(self.conditions(entity, all)?),
            file::Condition::Any(any) => Condition::Any(self.conditions(entity, any)?),
            file::Condition::Not(not) => Condition::Not(Box::new(self.condition(entity, not)?)),
            file::Condition::Column { name, test } => {
                let place = Place::field(self.field(entity, name)?);
                let (filter, claim) = match test {
                    Test::Compare(comparison, said) => {
                        let (operand, claim) = self.said(said);
                        (Filter::Compare { place, comparison: *comparison, operand }, claim)
                    }
                    Test::Text(r#match, said) => {
                        let (operand, claim) = self.said(said);
                        let (r#match, case) = (*r#match, Case::Exact);
                        (Filter::Text { place, r#match, case, operand }, claim)
                    }
                    Test::IsNull(true) => (Filter::IsNull(place), None),
                    Test::IsNull(false) => (Filter::Not(Box::new(Filter::IsNull(place))), None),
                };
                Condition::Test { filter, claim }
            }
            file::Condition::Related { relationship, quantifier, condition } => {
                let (hop, far) = self.hop(entity, relationship)?;
                let condition = Box::new(self.condition(far, condition)?);
                Condition::Related { hop, quantifier: *quantifier, condition }
            }
        })
    }

    fn conditions(
        &mut self,
        entity: EntityId,
        conditions: &[file::Condition],
    ) -> Result<Vec<Condition>, Unresolved> {
        conditions.iter().map(|condition| self.condition(entity, condition)).collect()
    }

    /// The relationship to a table of a name: `post`, or `post(author_id)` by the columns that
    /// refer, where there are several; `->` and `<-` before it say which way, from a table to itself.
    fn hop(&self, entity: EntityId, said: &str) -> Result<(Hop, EntityId), Unresolved> {
        let (wanted, name) = match (said.strip_prefix("->"), said.strip_prefix("<-")) {
            (Some(name), _) => (Some(HopDirection::Forward), name.trim()),
            (None, Some(name)) => (Some(HopDirection::Backward), name.trim()),
            (None, None) => (None, said),
        };
        let mut found = Vec::new();
        for relationship in self.catalog.relationships() {
            let columns: Vec<&str> =
                relationship.from_fields.iter().map(|field| &*self.catalog[*field].name).collect();
            let columns = columns.join(",");
            let ways = [
                (HopDirection::Forward, relationship.from, relationship.to),
                (HopDirection::Backward, relationship.to, relationship.from),
            ];
            for (direction, near, far) in ways {
                let is_wanted = wanted.is_none_or(|wanted| wanted == direction);
                if near != entity || !is_wanted || relationship.edge.is_some() {
                    continue;
                }
                let names =
                    [self.catalog.qualified_name(far), self.catalog[far].name.clone().into()];
                let is_named = names.iter().any(|far| {
                    name == far || name.replace(", ", ",") == format!("{far}({columns})")
                });
                if is_named {
                    let hop = Hop { relationship: relationship.id, direction };
                    let arrow = match direction {
                        _ if relationship.from != relationship.to => "",
                        HopDirection::Forward => "->",
                        HopDirection::Backward => "<-",
                    };
                    found.push((hop, far, format!("{arrow}{}({columns})", names[1])));
                }
            }
        }
        let from = self.catalog.qualified_name(entity);
        match found.as_slice() {
            [(hop, far, _)] => Ok((*hop, *far)),
            [] => self.wrong(format!("no relationship leads from `{from}` to `{said}`")),
            [(_, _, one), ..] => {
                let message = format!(
                    "several relationships lead from `{from}` to `{said}`: say which, such as `\"{one}\"`"
                );
                self.wrong(message)
            }
        }
    }

    fn role(
        &mut self,
        role: &file::Role,
        file: &PolicyFile,
        resolved: &[Rule],
    ) -> Result<Role, Unresolved> {
        let mut inherited = Inherited::default();
        self.inherit(role, file, &mut Vec::new(), &mut inherited)?;
        let Inherited { all, mut rules, functions, .. } = inherited;
        rules.sort_unstable();
        rules.dedup();
        let mut claims = Vec::new();
        for rule in rules.iter().filter_map(|rule| resolved.get(*rule)) {
            let ways = [&rule.read, &rule.insert, &rule.update, &rule.delete];
            for way in ways.into_iter().flatten() {
                claims_of(&way.rows, &mut claims);
                claims.extend(way.presets.iter().filter_map(|(_, _, claim)| *claim));
            }
        }
        claims.sort_unstable();
        claims.dedup();
        let functions = functions.unwrap_or(Callable::All);
        Ok(Role { name: role.name.clone(), all, rules, functions, claims })
    }

    /// Adds what a role has itself, and what it inherits.
    fn inherit(
        &mut self,
        role: &file::Role,
        file: &PolicyFile,
        above: &mut Vec<Box<str>>,
        inherited: &mut Inherited,
    ) -> Result<(), Unresolved> {
        self.line = role.line;
        if above.contains(&role.name) {
            return self.wrong(format!("the role `{}` inherits from itself", role.name));
        }
        if !inherited.seen.insert(role.name.clone()) {
            return Ok(());
        }
        inherited.all |= role.all;
        for name in &role.rules {
            let place = file.rules.iter().position(|rule| rule.name == *name);
            match place {
                Some(place) => inherited.rules.push(place),
                None => return self.wrong(format!("there is no rule `{name}`")),
            }
        }
        match &role.functions {
            Functions::All => inherited.functions = None,
            Functions::These(names) => {
                for name in names {
                    let functions = self.functions(name)?;
                    if let Some(Callable::These(known)) = &mut inherited.functions {
                        known.extend(functions);
                    }
                }
            }
        }
        above.push(role.name.clone());
        for name in &role.inherits {
            let Some(other) = file.roles.iter().find(|other| other.name == *name) else {
                return self.wrong(format!("there is no role `{name}` to inherit from"));
            };
            self.inherit(other, file, above, inherited)?;
            self.line = role.line;
        }
        above.pop();
        Ok(())
    }

    /// All functions of a name, with or without its namespace.
    fn functions(&self, name: &str) -> Result<Vec<FunctionId>, Unresolved> {
        let named = self.catalog.functions().filter(|function| {
            *function.name == *name || self.catalog.function_name(function.id) == name
        });
        let found: Vec<FunctionId> = named.map(|function| function.id).collect();
        match found.is_empty() {
            true => self.wrong(format!("the source has no function `{name}`")),
            false => Ok(found),
        }
    }
}

/// What a role and those that it inherits from have.
#[derive(Debug)]
struct Inherited {
    seen: HashSet<Box<str>>,
    all: bool,
    rules: Vec<usize>,
    /// `None`: all.
    functions: Option<Callable>,
}

impl Default for Inherited {
    fn default() -> Self {
        let functions = Some(Callable::These(HashSet::new()));
        Self { seen: HashSet::new(), all: false, rules: Vec::new(), functions }
    }
}

fn claims_of(condition: &Condition, claims: &mut Vec<usize>) {
    match condition {
        Condition::All(conditions) | Condition::Any(conditions) => {
            conditions.iter().for_each(|condition| claims_of(condition, claims));
        }
        Condition::Not(condition) | Condition::Related { condition, .. } => {
            claims_of(condition, claims);
        }
        Condition::Test { claim, .. } => claims.extend(*claim),
    }
}
