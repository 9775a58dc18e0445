//! Checks of the inputs of changes by other servers, before the changes are executed.

use std::sync::Arc;

use catalog::EntityId;
use http_resolvers::HttpResolver;
use rustc_hash::FxHashMap;

use crate::binding::Change;

/// A kind of change, as permissions distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckedChange {
    Insert,
    Update,
    Delete,
}

/// A role and the server that checks its inputs.
type RoleCheck = (Box<str>, Arc<HttpResolver>);

/// The servers that check inputs, by what they check.
#[derive(Clone, Debug, Default)]
pub struct InputChecks {
    checks: FxHashMap<(EntityId, CheckedChange), Vec<RoleCheck>>,
}

impl InputChecks {
    /// Adds the check of a role's changes of an entity.
    pub fn add(
        &mut self,
        role: &str,
        entity: EntityId,
        change: CheckedChange,
        check: Arc<HttpResolver>,
    ) {
        self.checks.entry((entity, change)).or_default().push((role.into(), check));
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.checks.is_empty()
    }

    /// The check of a role's changes of an entity.
    #[must_use]
    pub fn find(
        &self,
        role: &str,
        entity: EntityId,
        change: CheckedChange,
    ) -> Option<&Arc<HttpResolver>> {
        let checks = self.checks.get(&(entity, change))?;
        checks.iter().find(|(known, _)| **known == *role).map(|(_, check)| check)
    }

    /// All servers, in the order of their names.
    #[must_use]
    pub fn servers(&self) -> Vec<&Arc<HttpResolver>> {
        let mut servers: Vec<_> = self.checks.values().flatten().collect();
        servers.sort_by_key(|(role, check)| (check.name(), role));
        servers.into_iter().map(|(_, check)| check).collect()
    }
}

impl Change {
    /// The kind of change whose input checks apply, and the entity whose rows are changed; `None` for
    /// changes of dialects without input checks.
    #[must_use]
    pub fn checked(&self) -> Option<(CheckedChange, EntityId)> {
        match self {
            Self::InsertTree(entity) => Some((CheckedChange::Insert, *entity)),
            Self::UpdateAll(entity) | Self::UpdateEach(entity) => {
                Some((CheckedChange::Update, *entity))
            }
            Self::DeleteAll(entity) => Some((CheckedChange::Delete, *entity)),
            Self::Create(_)
            | Self::Update(_)
            | Self::Delete(_)
            | Self::Upsert { .. }
            | Self::CreateMany { .. }
            | Self::UpdateMany { .. }
            | Self::DeleteMany { .. }
            | Self::Call(_)
            | Self::Nested(_)
            | Self::CreateNodes(_)
            | Self::UpdateNodes(_)
            | Self::DeleteNodes(_)
            | Self::AddObjects(_)
            | Self::UpdateObjects(_)
            | Self::DeleteObjects(_)
            | Self::Related(_) => None,
        }
    }
}
