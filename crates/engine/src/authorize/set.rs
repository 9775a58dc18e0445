//! What one combination of rules lets.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use catalog::{Catalog, EntityId, FieldId, FunctionId};
use ir::{Filter, Operand};

use super::condition::any;

/// The number of a combination of rules, from 1; roles with the same rules have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicySetId(pub u32);

/// What one combination of rules lets. Claims that its rules name and a session does not have are
/// a part of the combination, so that no statement depends on them.
#[derive(Debug)]
pub struct PolicySet {
    pub(super) id: PolicySetId,
    /// Everything is let.
    pub(super) all: bool,
    pub(super) functions: Callable,
    pub(super) entities: HashMap<EntityId, EntityPolicy>,
}

/// The functions that may be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Callable {
    All,
    These(HashSet<FunctionId>),
}

/// What may be done with the rows of one entity, by the rules that let it.
#[derive(Debug, Default)]
pub(super) struct EntityPolicy {
    pub(super) read: Vec<Grant>,
    pub(super) insert: Vec<Grant>,
    pub(super) update: Vec<Grant>,
    pub(super) delete: Vec<Grant>,
}

/// What one rule lets: these fields of these rows. Rules are never merged into one filter and one
/// set of fields, which would let more than each of them.
#[derive(Clone, Debug)]
pub(super) struct Grant {
    pub(super) rule: Arc<str>,
    pub(super) rows: Filter,
    pub(super) fields: HashSet<FieldId>,
    /// What is written beside what the request says.
    pub(super) presets: Vec<(FieldId, Operand)>,
    /// What a row has to pass once it is written.
    pub(super) check: Filter,
    /// A row that may be written passes its check for sure if none of these fields is written.
    pub(super) stays_without: Option<Arc<[FieldId]>>,
}

/// What somebody wants to do with rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    Read,
    Insert,
    Update,
    Delete,
}

/// What may be seen of a field of rows that may be seen.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    /// Its value, always.
    Plain,
    /// Its value in rows that pass, null in others.
    Masked(Filter),
    Denied,
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
        })
    }
}

impl PolicySet {
    #[must_use]
    pub fn id(&self) -> PolicySetId {
        self.id
    }

    /// Whether everything is let.
    #[must_use]
    pub fn lets_all(&self) -> bool {
        self.all
    }

    pub(super) fn grants(&self, entity: EntityId, verb: Verb) -> &[Grant] {
        let Some(policy) = self.entities.get(&entity) else { return &[] };
        match verb {
            Verb::Read => &policy.read,
            Verb::Insert => &policy.insert,
            Verb::Update => &policy.update,
            Verb::Delete => &policy.delete,
        }
    }

    /// The rows of an entity that may be seen; `None`: none may ever. What only a function gives
    /// is let with the function.
    pub(super) fn visible(&self, catalog: &Catalog, entity: EntityId) -> Option<Filter> {
        if !catalog[entity].kind.is_stored() {
            return Some(Filter::all());
        }
        let grants = self.grants(entity, Verb::Read);
        (!grants.is_empty()).then(|| any(grants.iter().map(|grant| grant.rows.clone()).collect()))
    }

    /// Whether all rows of an entity may be seen, so that their number is no secret.
    pub(crate) fn shows_all(&self, catalog: &Catalog, entity: EntityId) -> bool {
        self.all || self.visible(catalog, entity).is_some_and(|rows| rows.is_all())
    }

    /// What may be seen of a field in rows that may be seen.
    pub(super) fn cell(&self, catalog: &Catalog, field: FieldId) -> Cell {
        let entity = catalog[field].entity;
        if !catalog[entity].kind.is_stored() {
            return Cell::Plain;
        }
        let grants = self.grants(entity, Verb::Read);
        let with: Vec<&Grant> = grants.iter().filter(|one| one.fields.contains(&field)).collect();
        if with.is_empty() {
            return Cell::Denied;
        }
        let mask = any(with.iter().map(|grant| grant.rows.clone()).collect());
        let all = any(grants.iter().map(|grant| grant.rows.clone()).collect());
        match with.len() == grants.len() || mask.is_all() || mask == all {
            true => Cell::Plain,
            false => Cell::Masked(mask),
        }
    }

    pub(super) fn may_call(&self, function: FunctionId) -> bool {
        match &self.functions {
            Callable::All => true,
            Callable::These(functions) => functions.contains(&function),
        }
    }
}
