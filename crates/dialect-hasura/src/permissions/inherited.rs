//! Inherited roles, which have the permissions of other roles.
//!
//! Of reading, the permissions of all parents add up, cell by cell. A change is inherited if the
//! parents that have a permission for it all have the same; otherwise it would not be known which
//! check and which presets count, and the role has none. A permission that names the role itself is
//! in place of those of its parents.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{CheckedChange, Uninherited, UninheritedSubject};
use catalog::{Catalog, EntityId, Note, NoteKind};
use hasura_metadata::types::settings::InheritedRole;
use hasura_metadata::{Location, Problem};

use super::ADMIN;
use super::roles::{RolePermissions, RoleTable};
use super::table::Change;
use super::tables::{DEFAULT_SCHEMA, meant, problem};
use crate::remote::access::RemotePermissions;

/// A permission that a role does not inherit, with the place of the role.
#[derive(Debug)]
pub(super) struct Conflict {
    place: Location,
    uninherited: Uninherited,
}

impl Conflict {
    pub(super) fn told(&self) -> (Note, Uninherited) {
        let note = Note {
            kind: NoteKind::Uninherited,
            subject: self.place.to_string().into(),
            message: format!("{}.", self.uninherited).into(),
            remedy: "give the role a permission of its own, or its parents equal ones.".into(),
        };
        (note, self.uninherited.clone())
    }
}

/// The names of a source and of its tables in messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceNames<'n> {
    pub(super) catalog: &'n Catalog,
    pub(super) source: &'n str,
}

impl SourceNames<'_> {
    /// The table's name, with its schema if that is not the default one.
    fn table(self, entity: EntityId) -> Box<str> {
        match self.catalog[entity].namespace.as_deref() {
            None | Some(DEFAULT_SCHEMA) => self.catalog[entity].name.clone(),
            Some(_) => self.catalog.qualified_name(entity).into(),
        }
    }
}

/// Adds the inherited roles, and for each role with permissions of backends one that has them. Returns
/// what roles do not inherit, too.
pub(super) fn add(
    roles: Vec<RolePermissions>,
    inherited: &[InheritedRole],
    names: SourceNames<'_>,
    problems: &mut Vec<Problem>,
) -> (Vec<RolePermissions>, Vec<Conflict>) {
    let roles = roles.into_iter().map(|role| (role.name.clone(), role)).collect();
    let (above, done, conflicts) = (Vec::new(), Vec::new(), Vec::new());
    let mut adding = Adding { roles, inherited, names, above, done, conflicts, problems };
    for role in inherited {
        adding.inherit(role);
    }
    let conflicts = adding.conflicts;
    let mut roles: Vec<RolePermissions> = adding.roles.into_values().collect();
    let of_backends: Vec<RolePermissions> = roles
        .iter()
        .filter(|role| role.tables.values().any(RoleTable::is_for_backends))
        .map(|role| RolePermissions {
            name: role.name.clone(),
            tables: role.tables.clone(),
            functions: role.functions.clone(),
            actions: role.actions.clone(),
            remote: role.remote.clone(),
            has_remote_queries: role.has_remote_queries,
            is_of_backends: true,
        })
        .collect();
    roles.extend(of_backends);
    (roles, conflicts)
}

struct Adding<'r> {
    roles: BTreeMap<Box<str>, RolePermissions>,
    inherited: &'r [InheritedRole],
    names: SourceNames<'r>,
    /// The roles that are being inherited from, outermost first.
    above: Vec<&'r str>,
    done: Vec<&'r str>,
    conflicts: Vec<Conflict>,
    problems: &'r mut Vec<Problem>,
}

impl<'r> Adding<'r> {
    fn inherit(&mut self, role: &'r InheritedRole) {
        let name = &*role.role_name.text;
        if self.done.contains(&name) {
            return;
        }
        if self.above.contains(&name) {
            let cycle: Vec<&str> = self.above.iter().copied().chain([name]).collect();
            let message = format!("The role `{name}` inherits from itself: {}.", cycle.join(" → "));
            return self.problems.push(problem(&role.role_name.place, message));
        }
        if name == ADMIN {
            let message = "The role `admin` has every permission, and inherits none.";
            return self.problems.push(problem(&role.role_name.place, message));
        }
        self.above.push(name);
        let mut parents = Vec::new();
        for parent in &role.role_set {
            let inherited = self.inherited.iter().find(|one| *one.role_name == **parent);
            if let Some(inherited) = inherited {
                self.inherit(inherited);
            }
            match (self.roles.contains_key(&**parent), inherited) {
                (true, _) => parents.push(&**parent),
                (false, Some(_)) => {}
                (false, None) => {
                    let known = self.roles.keys().map(|known| &**known);
                    let meant = meant(parent, known);
                    let message = format!(
                        "There is no role `{}` with permissions to inherit from{meant}.",
                        parent.text
                    );
                    self.problems.push(problem(&parent.place, message));
                }
            }
        }
        self.above.pop();
        self.done.push(name);
        let merged = self.merged(name, &parents, &role.role_name.place);
        self.roles.insert(name.into(), merged);
    }

    fn merged(&mut self, name: &str, parents: &[&str], place: &Location) -> RolePermissions {
        let mut role = self.roles.remove(name).unwrap_or_default();
        role.name = name.into();
        let mut gathered: BTreeMap<_, Vec<&RoleTable>> = BTreeMap::new();
        self.inherit_remote(&mut role, parents, place);
        for parent in parents.iter().filter_map(|parent| self.roles.get(*parent)) {
            role.functions.extend(parent.functions.iter().copied());
            role.actions.extend(parent.actions.iter().cloned());
            for (entity, table) in &parent.tables {
                gathered.entry(*entity).or_default().push(table);
            }
        }
        let mut conflicts = Vec::new();
        for (entity, tables) in gathered {
            let own = role.tables.entry(entity).or_default();
            if own.select.is_empty() {
                for select in tables.iter().flat_map(|table| &table.select) {
                    if own.select.iter().all(|(grant, _)| *grant != select.0) {
                        own.select.push(select.clone());
                    }
                }
            }
            let insert = inherit_change(&mut own.insert, tables.iter().map(|table| &table.insert));
            let update = inherit_change(&mut own.update, tables.iter().map(|table| &table.update));
            let delete = inherit_change(&mut own.delete, tables.iter().map(|table| &table.delete));
            let changes = [
                (CheckedChange::Insert, insert),
                (CheckedChange::Update, update),
                (CheckedChange::Delete, delete),
            ];
            let differ = changes.into_iter().filter(|(_, is_clear)| !is_clear);
            conflicts.extend(differ.map(|(change, _)| UninheritedSubject::Change {
                change,
                table: self.names.table(entity),
                source: self.names.source.into(),
            }));
        }
        for subject in conflicts {
            self.add_conflict(name, subject, place);
        }
        role
    }

    fn add_conflict(&mut self, role: &str, subject: UninheritedSubject, place: &Location) {
        let uninherited = Uninherited { role: role.into(), subject };
        self.conflicts.push(Conflict { place: place.clone(), uninherited });
    }
}

impl Adding<'_> {
    /// Inherits the permissions of remote schemas for which the role has none of its own: all parents
    /// that have one have to have the same.
    fn inherit_remote(&mut self, role: &mut RolePermissions, parents: &[&str], place: &Location) {
        let mut inherited = RemotePermissions::new();
        let mut conflicts = Vec::new();
        for parent in parents.iter().filter_map(|parent| self.roles.get(*parent)) {
            let missing = parent.remote.iter().filter(|(name, _)| !role.remote.contains_key(*name));
            for (schema, permission) in missing {
                match inherited.get(schema) {
                    Some(known) if known != permission => conflicts.push(schema.clone()),
                    Some(_) => {}
                    None => {
                        inherited.insert(schema.clone(), Arc::clone(permission));
                        role.has_remote_queries |= parent.has_remote_queries;
                    }
                }
            }
        }
        for schema in conflicts {
            if inherited.remove(&schema).is_some() {
                let subject = UninheritedSubject::RemoteSchema(schema);
                self.add_conflict(&role.name, subject, place);
            }
        }
        if role.remote.is_empty() && inherited.is_empty() {
            role.has_remote_queries = false;
        }
        role.remote.extend(inherited);
    }
}

/// A permission to change a table, with the index of its grant.
type GrantedChange = (usize, Arc<Change>);

/// Inherits a change that a role has no own permission for, if all parents that have one have the
/// same: equal permissions share a grant. Returns false if they differ.
fn inherit_change<'t>(
    own: &mut Option<GrantedChange>,
    parents: impl Iterator<Item = &'t Option<GrantedChange>>,
) -> bool {
    if own.is_some() {
        return true;
    }
    let mut changes = parents.flatten();
    let Some(first) = changes.next() else { return true };
    let are_equal = changes.all(|change| change.0 == first.0);
    if are_equal {
        *own = Some(first.clone());
    }
    are_equal
}

impl RoleTable {
    fn is_for_backends(&self) -> bool {
        let changes = [&self.insert, &self.update, &self.delete];
        changes.into_iter().flatten().any(|(_, change)| change.is_for_backends)
    }
}
