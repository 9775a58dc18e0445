//! The grants of a role with their conditions decided for one kind of session.
//!
//! The grants of an entity are decided when a request first needs them: sessions use few of the
//! entities of a large source.

use std::sync::{Arc, OnceLock};

use catalog::EntityId;

use crate::condition::{ClaimFacts, Condition, nullable_filter, operand_claims};
use crate::conventions::{Conventions, MissingClaims};
use crate::grant::{Callable, Check, Permission, Privilege, Role, Roles};
use crate::granted::Granted;
use crate::named_claims::DecidedClaims;

/// Everything that is granted; nothing else is.
#[derive(Debug)]
pub(crate) struct GrantSet {
    roles: Arc<Roles>,
    /// The index of the role.
    role: usize,
    claims: DecidedClaims,
    /// By the index of the entity.
    entities: Box<[OnceLock<Box<EntityGrants>>]>,
}

/// Granted privileges on the rows of one entity.
#[derive(Debug, Default)]
struct EntityGrants {
    read: Vec<Granted>,
    insert: Vec<Granted>,
    update: Vec<Granted>,
    delete: Vec<Granted>,
    /// Claims that the session lacks and the privilege needs, where that is refused.
    missing: Vec<(Privilege, Arc<str>)>,
}

impl GrantSet {
    pub(crate) fn new(roles: Arc<Roles>, role: usize, claims: DecidedClaims) -> Self {
        let entities = (0..roles.entity_bound()).map(|_| OnceLock::new()).collect();
        Self { roles, role, claims, entities }
    }

    pub(crate) fn conventions(&self) -> &Conventions {
        &self.roles.conventions
    }

    /// The granted privileges on an entity.
    pub(crate) fn granted(&self, entity: EntityId, privilege: Privilege) -> &[Granted] {
        let Some(grants) = self.of_entity(entity) else { return &[] };
        match privilege {
            Privilege::Read => &grants.read,
            Privilege::Insert => &grants.insert,
            Privilege::Update => &grants.update,
            Privilege::Delete => &grants.delete,
        }
    }

    /// A claim that the session lacks and grants of a privilege need, where that is refused.
    pub(crate) fn missing_claim(
        &self,
        entity: EntityId,
        privilege: Privilege,
    ) -> Option<&Arc<str>> {
        let mut missing = self.of_entity(entity)?.missing.iter();
        missing.find(|(of, _)| *of == privilege).map(|(_, claim)| claim)
    }

    /// The functions that may be called.
    pub(crate) fn functions(&self) -> Option<&Callable> {
        self.role().map(|role| &role.functions)
    }

    fn role(&self) -> Option<&Role> {
        self.roles.roles.get(self.role)
    }

    fn of_entity(&self, entity: EntityId) -> Option<&EntityGrants> {
        let decided = self.entities.get(entity.index())?;
        Some(decided.get_or_init(|| Box::new(self.decide(entity))))
    }

    fn decide(&self, entity: EntityId) -> EntityGrants {
        let mut of_entity = EntityGrants::default();
        let is_refused = self.roles.conventions.missing_claims == MissingClaims::Refused;
        let grants = self.role().map(|role| self.roles.grants_on(role, entity));
        for grant in grants.into_iter().flatten() {
            for (privilege, permission) in grant.all_permissions() {
                let granted_before = match privilege {
                    Privilege::Read => &mut of_entity.read,
                    Privilege::Insert => &mut of_entity.insert,
                    Privilege::Update => &mut of_entity.update,
                    Privilege::Delete => &mut of_entity.delete,
                };
                granted_before.extend(self.decided(&grant.name, permission));
                let missing = &mut of_entity.missing;
                if is_refused
                    && missing.iter().all(|(known, _)| *known != privilege)
                    && let Some(claim) = self.missing(permission)
                {
                    missing.push((privilege, claim));
                }
            }
        }
        of_entity
    }

    /// A claim that the session lacks and the permission needs.
    fn missing(&self, permission: &Permission) -> Option<Arc<str>> {
        let mut missing = None;
        permission.claims(&mut |claim| {
            if missing.is_none() && !self.claims.is_present(claim) {
                missing = Some(claim);
            }
        });
        missing.map(Into::into)
    }

    /// A privilege with its conditions decided; `None` if a claim is missing that has to be written.
    fn decided(&self, name: &Arc<Box<str>>, permission: &Permission) -> Option<Granted> {
        let mut has_presets = true;
        for (_, operand) in permission.presets.iter() {
            operand_claims(operand, &mut |claim| has_presets &= self.claims.is_present(claim));
        }
        if !has_presets {
            return None;
        }
        let filter = |condition: &Condition| nullable_filter(condition, true, &self.claims);
        Some(Granted {
            name: Arc::clone(name),
            rows: filter(&permission.rows),
            limit: permission.limit.as_deref().copied(),
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
}
