//! The parts of an API's schema that roles see.

use graphql::Visibility;
use http_resolvers::preset::Presets;
use rustc_hash::FxHashMap;

/// The number of a view in [`RoleViews`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RoleViewId(u32);

impl RoleViewId {
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The visible part of the schema for each role, by its name. All roles share the schema. A superuser
/// without an entry sees everything; another role without one sees nothing.
#[derive(Clone, Debug, Default)]
pub struct RoleViews {
    views: Vec<Visibility>,
    by_role: FxHashMap<Box<str>, RoleViewId>,
    /// Values of hidden inputs of remote schemas, of the roles that have some.
    presets: FxHashMap<RoleViewId, Presets>,
}

impl RoleViews {
    /// Sets the visible part for a role.
    pub fn insert(&mut self, role: &str, visibility: Visibility) {
        // As many views as roles: a file of permissions cannot name four billion of them.
        let id = RoleViewId(u32::try_from(self.views.len()).unwrap_or(u32::MAX));
        self.views.push(visibility);
        self.by_role.insert(role.into(), id);
    }

    /// Sets the values of inputs that a role with a view cannot give.
    pub fn insert_presets(&mut self, role: &str, presets: Presets) {
        if let Some(id) = self.find(role).filter(|_| !presets.is_empty()) {
            self.presets.insert(id, presets);
        }
    }

    /// The values of inputs that the role of a view cannot give, if there are some.
    #[must_use]
    pub fn presets(&self, id: RoleViewId) -> Option<&Presets> {
        self.presets.get(&id)
    }

    /// The view of a role, if it has one.
    #[must_use]
    pub fn find(&self, role: &str) -> Option<RoleViewId> {
        self.by_role.get(role).copied()
    }

    /// The names of the roles that have one, sorted, without that of unknown roles: it has no name.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.by_role.keys().map(|name| &**name).filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names
    }

    /// The visible part of a view.
    #[must_use]
    pub fn get(&self, id: RoleViewId) -> Option<&Visibility> {
        self.views.get(id.0 as usize)
    }

    /// True if no role has a view: then every role sees the whole schema.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }
}
