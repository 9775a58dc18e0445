//! Grants: rules that open what is closed.
//!
//! Access without a grant is denied. Grants only ever add, so that their order is irrelevant.
//! Policy files define them.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use catalog::{EntityId, FieldId, FunctionId};
use ir::{Claims, Operand};
use serde_json_bytes::Value as Json;

use crate::condition::{Condition, operand_claims};
use crate::conventions::Conventions;
use crate::field_set::FieldSet;
use crate::session_refusal::SessionRefusal;

/// A privilege on the rows of an entity, as SQL's GRANT names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Privilege {
    Read,
    Insert,
    Update,
    Delete,
}

/// The roles of a source, with their grants.
#[derive(Debug)]
pub struct Roles {
    /// The claim that names the role.
    pub(crate) claim: Box<str>,
    /// The role of sessions without that claim.
    pub(crate) default: Option<Box<str>>,
    /// The role of sessions whose role is unknown; `None`: they are refused.
    unknown: Option<Box<str>>,
    pub(crate) grants: Vec<Grant>,
    /// The indices of all grants, sorted by their entities.
    by_entity: Vec<GrantIndex>,
    pub(crate) roles: Vec<Role>,
    pub(crate) conventions: Conventions,
    /// The index of each role.
    named: HashMap<Box<str>, usize>,
    /// By the index of a role, that of its [`Elevation`].
    elevated: HashMap<usize, usize>,
}

/// The index of a grant among those of a source. Half the size of `usize`: roles have hundreds of
/// thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GrantIndex(u32);

impl GrantIndex {
    /// Four billion grants cannot be held in memory.
    #[must_use]
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Further grants of a role, for sessions with the
/// [elevating claim](Conventions::elevating_claim).
#[derive(Debug)]
pub struct Elevation {
    /// The name of the role.
    pub of: Box<str>,
    /// The role with all its grants. No session can name it.
    pub role: Role,
}

/// A role.
#[derive(Debug)]
pub struct Role {
    pub name: Box<str>,
    /// True if it has every privilege on everything.
    pub is_superuser: bool,
    /// Indices of its grants, inherited ones included, sorted.
    pub grants: Vec<GrantIndex>,
    pub functions: Callable,
}

/// The functions that a role may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callable {
    All,
    These(HashSet<FunctionId>),
}

/// The privileges of one entity that are granted together.
///
/// A source of thousands of tables may have hundreds of thousands of grants and permissions, so their
/// texts and lists are behind thin pointers.
#[derive(Debug)]
pub struct Grant {
    pub name: Arc<Box<str>>,
    pub entity: EntityId,
    permissions: Permissions,
}

/// The permissions of a grant.
#[derive(Debug)]
enum Permissions {
    One(Privilege, Arc<Permission>),
    Several(Arc<Vec<(Privilege, Arc<Permission>)>>),
}

/// Presets: values that are written beside those of the request. Shared: permissions of many roles
/// often have the same.
pub type Presets = Arc<Box<[(FieldId, Operand)]>>;

/// The rows and fields of one privilege.
#[derive(Debug, PartialEq)]
pub struct Permission {
    /// Shared: permissions of several roles, and several of one role, often have one condition.
    pub rows: Arc<Condition>,
    /// The most rows of a list that is read. Boxed, since few have one.
    pub limit: Option<Box<u64>>,
    pub fields: FieldSet,
    pub presets: Presets,
    pub check: Check,
}

/// The condition on rows after they are written.
#[derive(Debug, PartialEq)]
pub enum Check {
    None,
    /// The condition of the rows that may be changed, which reads these fields.
    Rows(Arc<Box<[FieldId]>>),
    Condition(Arc<Condition>),
}

impl fmt::Display for Privilege {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
        })
    }
}

impl Roles {
    #[must_use]
    pub fn new(
        claim: Box<str>,
        default: Option<Box<str>>,
        grants: Vec<Grant>,
        roles: Vec<Role>,
    ) -> Self {
        let (mut grants, mut roles) = (grants, roles);
        grants.shrink_to_fit();
        roles.iter_mut().for_each(|role| role.grants.shrink_to_fit());
        let named = roles.iter().enumerate().map(|(place, role)| (role.name.clone(), place));
        let named = named.collect();
        let (conventions, elevated) = (Conventions::default(), HashMap::new());
        let mut by_entity: Vec<GrantIndex> = (0..grants.len()).map(GrantIndex::new).collect();
        by_entity.sort_by_key(|place| grants.get(place.index()).map(|grant| grant.entity));
        Self {
            claim,
            default,
            unknown: None,
            grants,
            by_entity,
            roles,
            conventions,
            named,
            elevated,
        }
    }

    /// Gives sessions whose role is unknown the role of this name.
    #[must_use]
    pub fn with_unknown(self, name: Box<str>) -> Self {
        Self { unknown: Some(name), ..self }
    }

    /// Replaces the conventions by which grants are applied: those of policy files, or of Hasura.
    #[must_use]
    pub fn with_conventions(self, conventions: Conventions) -> Self {
        Self { conventions, ..self }
    }

    /// Adds further grants of roles.
    #[must_use]
    pub fn with_elevations(mut self, elevations: Vec<Elevation>) -> Self {
        for Elevation { of, role } in elevations {
            if let Some(place) = self.named.get(&of) {
                self.elevated.insert(*place, self.roles.len());
                self.roles.push(role);
            }
        }
        self
    }

    /// The claim that names the role.
    #[must_use]
    pub fn claim(&self) -> &str {
        &self.claim
    }

    /// The names of the roles, without that of unknown roles: it has no name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.roles.iter().map(|role| &*role.name).filter(|name| !name.is_empty())
    }

    /// Fields that grants preset in new rows: requests cannot set them.
    pub fn preset_in_new_rows(&self) -> impl Iterator<Item = FieldId> {
        let inserts = self.grants.iter().filter_map(|grant| grant.permission(Privilege::Insert));
        inserts.flat_map(|insert| insert.presets.iter().map(|(field, _)| *field))
    }

    /// The role of a session, or the reason why it has none.
    pub fn role(&self, claims: Option<&Claims>) -> Result<&Role, SessionRefusal> {
        self.roles.get(self.index(claims)?).ok_or(SessionRefusal::UnknownRole)
    }

    /// The role of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Role> {
        self.roles.get(*self.named.get(name)?)
    }

    /// The grants of a role.
    pub fn grants_of<'r>(&'r self, role: &'r Role) -> impl Iterator<Item = &'r Grant> {
        role.grants.iter().filter_map(|grant| self.grants.get(grant.index()))
    }

    /// The grants of a role on an entity.
    pub(crate) fn grants_on<'r>(
        &'r self,
        role: &'r Role,
        entity: EntityId,
    ) -> impl Iterator<Item = &'r Grant> {
        let entity_of =
            |place: &GrantIndex| self.grants.get(place.index()).map(|grant| grant.entity);
        let first = self.by_entity.partition_point(|place| entity_of(place) < Some(entity));
        let places = self.by_entity.iter().skip(first);
        let places = places.filter_map(|place| Some((place, self.grants.get(place.index())?)));
        let places = places.take_while(move |(_, grant)| grant.entity == entity);
        places.filter_map(|(place, grant)| role.grants.binary_search(place).ok().map(|_| grant))
    }

    /// One more than the largest index of an entity with grants.
    pub(crate) fn entity_bound(&self) -> usize {
        let last = self.by_entity.last().and_then(|place| self.grants.get(place.index()));
        last.map_or(0, |grant| grant.entity.index() + 1)
    }

    pub(crate) fn index(&self, claims: Option<&Claims>) -> Result<usize, SessionRefusal> {
        let claim = claims.and_then(|claims| claims.get(&self.claim));
        let name = match claim {
            Some(Json::String(name)) => name.as_str(),
            None | Some(Json::Null) => self.default.as_deref().ok_or(SessionRefusal::NoRole)?,
            Some(_) => return Err(SessionRefusal::UnknownRole),
        };
        let unknown = || self.named.get(self.unknown.as_deref()?).copied();
        let place = self.named.get(name).copied().or_else(unknown);
        let place = place.ok_or(SessionRefusal::UnknownRole)?;
        let elevating = self.conventions.elevating_claim.as_deref();
        let is_elevated = elevating.is_some_and(|claim| is_true(claims, claim));
        Ok(self.elevated.get(&place).copied().filter(|_| is_elevated).unwrap_or(place))
    }
}

impl Grant {
    #[must_use]
    pub fn new(
        name: Arc<Box<str>>,
        entity: EntityId,
        permissions: Vec<(Privilege, Arc<Permission>)>,
    ) -> Self {
        let permissions = match <[_; 1]>::try_from(permissions) {
            Ok([(privilege, permission)]) => Permissions::One(privilege, permission),
            Err(several) => Permissions::Several(Arc::new(several)),
        };
        Self { name, entity, permissions }
    }

    /// The permissions, each with its privilege.
    pub fn all_permissions(&self) -> impl Iterator<Item = (Privilege, &Permission)> {
        let (one, several) = match &self.permissions {
            Permissions::One(privilege, permission) => (Some((*privilege, permission)), &[][..]),
            Permissions::Several(several) => (None, &***several),
        };
        let several = several.iter().map(|(privilege, permission)| (*privilege, permission));
        one.into_iter().chain(several).map(|(privilege, permission)| (privilege, &**permission))
    }

    /// The permission of a privilege, if it is granted.
    #[must_use]
    pub fn permission(&self, privilege: Privilege) -> Option<&Permission> {
        self.all_permissions().find(|(own, _)| *own == privilege).map(|(_, permission)| permission)
    }
}

/// Returns true if a claim is true, or the text of it.
fn is_true(claims: Option<&Claims>, claim: &str) -> bool {
    match claims.and_then(|claims| claims.get(claim)) {
        Some(Json::Bool(value)) => *value,
        Some(Json::String(text)) => text.as_str().eq_ignore_ascii_case("true"),
        _ => false,
    }
}

impl Permission {
    /// Passes on the claims that conditions and presets name.
    pub fn claims<'p>(&'p self, each: &mut dyn FnMut(&'p str)) {
        self.rows.claims(each);
        if let Check::Condition(condition) = &self.check {
            condition.claims(each);
        }
        for (_, operand) in self.presets.iter() {
            operand_claims(operand, each);
        }
    }
}
