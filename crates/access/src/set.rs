//! Access sets: access rules with everything decided that depends on claims alone.

use std::collections::HashMap;
use std::sync::Arc;

use catalog::{Catalog, EntityId, FieldId, FunctionId};
use ir::Filter;

use crate::condition::{any, either};
use crate::conventions::{ChangedRows, FollowedKeys};
use crate::grant::{Callable, Privilege};
use crate::grant_set::GrantSet;
use crate::granted::Granted;
use crate::restriction::Action;

/// The number of an access set, from 1. Sessions with the same permissions share a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccessSetId(pub u32);

/// The permissions of one kind of session.
///
/// Missing claims, and conditions on claims alone, are part of the set, so that no statement
/// depends on them.
#[derive(Debug)]
pub struct AccessSet {
    pub(crate) id: AccessSetId,
    /// `None`: everything is granted.
    pub(crate) grants: Option<GrantSet>,
    pub(crate) restrictions: RestrictionSet,
    /// Labels that claims name, by the claim.
    pub(crate) labels: Vec<(Box<str>, Box<str>)>,
}

/// Read access to a field of readable rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Its value.
    Plain,
    /// Its value in rows that pass the filter, null in others.
    Masked(Filter),
    Denied,
}

/// Demands of restricted targets.
#[derive(Debug, Default)]
pub(crate) struct RestrictionSet {
    /// True if there are any restrictions.
    pub(crate) is_any: bool,
    pub(crate) everything: Demands,
    /// Demands on all fields of a root.
    pub(crate) queries: Demands,
    pub(crate) mutations: Demands,
    pub(crate) entities: HashMap<EntityId, Demands>,
    pub(crate) members: HashMap<Member, Demands>,
}

/// A member of an entity, or a function of a root field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Member {
    Field(FieldId),
    Function(FunctionId),
}

/// The demands of one target.
#[derive(Debug, Default)]
pub(crate) struct Demands {
    /// Denied actions.
    pub(crate) closed: Vec<Action>,
    pub(crate) filters: Vec<Demand>,
    pub(crate) validations: Vec<Demand>,
}

/// A condition on rows for some actions.
#[derive(Debug)]
pub(crate) struct Demand {
    pub(crate) actions: Vec<Action>,
    pub(crate) before: bool,
    pub(crate) after: bool,
    pub(crate) in_conditions: bool,
    pub(crate) filter: Filter,
}

/// The time of a check: before or after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Before,
    After,
}

impl AccessSet {
    #[must_use]
    pub fn id(&self) -> AccessSetId {
        self.id
    }

    /// Returns true if everything is permitted.
    #[must_use]
    pub fn permits_all(&self) -> bool {
        self.grants.is_none() && !self.restrictions.is_any
    }

    /// The granted privileges on an entity.
    #[must_use]
    pub fn grants(&self, entity: EntityId, privilege: Privilege) -> &[Granted] {
        self.grants.as_ref().map_or(&[], |grants| grants.granted(entity, privilege))
    }

    /// The claim that the session lacks and grants of a privilege need, where that is refused.
    pub(crate) fn missing_claim(
        &self,
        entity: EntityId,
        privilege: Privilege,
    ) -> Option<&Arc<str>> {
        self.grants.as_ref()?.missing_claim(entity, privilege)
    }

    /// Returns true if changes reach and return rows that cannot be read otherwise.
    pub(crate) fn changes_unreadable(&self) -> bool {
        let grants = self.grants.as_ref();
        grants.is_some_and(|grants| grants.conventions().changed_rows == ChangedRows::Granted)
    }

    /// Returns true if relationships are followed by fields that cannot be read.
    pub(crate) fn follows_any_key(&self) -> bool {
        let grants = self.grants.as_ref();
        grants.is_some_and(|grants| grants.conventions().followed_keys == FollowedKeys::Any)
    }

    /// The error of rows that pass no check, if it is always the same.
    pub(crate) fn failed_check(&self) -> Option<&str> {
        self.grants.as_ref()?.conventions().failed_check.as_deref()
    }

    /// The granted rows of an entity; `None` if no row ever is. Entities that only functions return
    /// are granted with the function.
    #[must_use]
    pub fn visible(&self, catalog: &Catalog, entity: EntityId) -> Option<Filter> {
        if self.grants.is_none() || !catalog[entity].kind.has_permissions() {
            return Some(Filter::all());
        }
        let grants = self.grants(entity, Privilege::Read);
        (!grants.is_empty()).then(|| any(grants.iter().map(|grant| grant.rows.clone()).collect()))
    }

    /// The most rows that a list of an entity has: the largest limit of the grants that permit rows.
    /// `None`: lists have all rows, since one of the grants has no limit.
    #[must_use]
    pub fn row_limit(&self, entity: EntityId) -> Option<u64> {
        let grants = self.grants(entity, Privilege::Read);
        let grants = grants.iter().filter(|grant| !grant.rows.is_none());
        grants.map(|grant| grant.limit).reduce(|one, other| Some(one?.max(other?))).flatten()
    }

    /// Returns true if all rows of an entity are readable, so that their number is public.
    #[must_use]
    pub fn shows_all(&self, catalog: &Catalog, entity: EntityId) -> bool {
        !self.restrictions.is_any && self.visible(catalog, entity).is_some_and(|rows| rows.is_all())
    }

    /// Read access to a field of readable rows.
    #[must_use]
    pub fn cell(&self, catalog: &Catalog, field: FieldId) -> Cell {
        let entity = catalog[field].entity;
        if self.grants.is_none() || !catalog[entity].kind.has_permissions() {
            return Cell::Plain;
        }
        let grants = self.grants(entity, Privilege::Read);
        let with: Vec<&Granted> = grants.iter().filter(|one| one.fields.contains(&field)).collect();
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

    /// Returns true if a function may be called.
    #[must_use]
    pub fn may_call(&self, function: FunctionId) -> bool {
        let Some(grants) = &self.grants else { return true };
        match grants.functions() {
            Some(Callable::All) => true,
            Some(Callable::These(functions)) => functions.contains(&function),
            None => false,
        }
    }
}

impl RestrictionSet {
    /// Returns true if an action on an entity, or on a member of it, is permitted at all.
    pub(crate) fn is_open(&self, entity: EntityId, member: Option<Member>, action: Action) -> bool {
        let member = member.and_then(|member| self.members.get(&member));
        let demands = [Some(&self.everything), self.entities.get(&entity), member];
        demands.into_iter().flatten().all(|demands| !demands.closed.contains(&action))
    }

    /// Returns true if a function may be called for one of these actions at all.
    pub(crate) fn is_function_open(&self, function: FunctionId, actions: &[Action]) -> bool {
        let demands = self.members.get(&Member::Function(function));
        demands.is_none_or(|demands| !demands.is_closed(actions))
    }

    /// Returns true if the demands on a function of a root field, which are on claims alone, are
    /// met.
    pub(crate) fn is_function_permitted(&self, function: FunctionId, actions: &[Action]) -> bool {
        let demands = self.members.get(&Member::Function(function));
        demands.is_none_or(|demands| {
            let validations =
                actions.iter().filter_map(|one| demands.validation(*one, Stage::Before));
            validations.into_iter().all(|filter| filter.is_all())
        })
    }

    /// The rows that exist for an action on an entity and these of its members.
    pub(crate) fn filter(&self, entity: EntityId, members: &[Member], action: Action) -> Filter {
        let demands = self.demands(entity, members);
        Filter::and(demands.filter_map(|demands| demands.filter(action)).collect())
    }

    /// The rows of an entity that exist in conditions of the request on related rows.
    pub(crate) fn in_conditions(&self, entity: EntityId) -> Filter {
        let filters = self.demands(entity, &[]).filter_map(|demands| {
            let filters = demands.filters.iter().filter(|demand| demand.in_conditions);
            one_of(filters.filter(|demand| demand.actions.contains(&Action::Read)))
        });
        Filter::and(filters.collect())
    }

    /// The condition on these rows.
    pub(crate) fn validation(
        &self,
        entity: EntityId,
        members: &[Member],
        action: Action,
        stage: Stage,
    ) -> Filter {
        let demands = self.demands(entity, members);
        Filter::and(demands.filter_map(|demands| demands.validation(action, stage)).collect())
    }

    /// The condition on rows because of one member.
    pub(crate) fn validation_of(&self, member: Member, action: Action, stage: Stage) -> Filter {
        let demands = self.members.get(&member);
        let filter = demands.and_then(|demands| demands.validation(action, stage));
        filter.unwrap_or_else(Filter::all)
    }

    fn demands(&self, entity: EntityId, members: &[Member]) -> impl Iterator<Item = &Demands> {
        let members = members.iter().filter_map(|member| self.members.get(member));
        self.entities.get(&entity).into_iter().chain(members)
    }
}

impl Demands {
    /// Returns true if one of these actions is denied.
    pub(crate) fn is_closed(&self, actions: &[Action]) -> bool {
        actions.iter().any(|action| self.closed.contains(action))
    }

    fn filter(&self, action: Action) -> Option<Filter> {
        one_of(self.filters.iter().filter(|demand| demand.actions.contains(&action)))
    }

    fn validation(&self, action: Action, stage: Stage) -> Option<Filter> {
        let demands = self.validations.iter().filter(|demand| demand.actions.contains(&action));
        one_of(demands.filter(|demand| match stage {
            Stage::Before => demand.before,
            Stage::After => demand.after,
        }))
    }
}

/// The condition that one of several demands is met; `None` if there are none.
fn one_of<'d>(demands: impl Iterator<Item = &'d Demand>) -> Option<Filter> {
    let filters: Vec<Filter> = demands.map(|demand| demand.filter.clone()).collect();
    (!filters.is_empty()).then(|| either(filters))
}
