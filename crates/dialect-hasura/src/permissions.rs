//! Permissions of metadata: access rules of roles, and the part of the schema that each role sees.
//!
//! A role has the permissions that the tables of the metadata name for it; an inherited role has
//! those of other roles. Everything else does not exist for it. The role `admin` has everything.
//!
//! * `tables`: tables, columns and relationships by their names in metadata
//! * `expression`, `comparison`, `aggregate`, `operand`: boolean expressions as filters
//! * `table`: the permissions of one role on one table
//! * `roles`: roles with their grants, `inherited`: those of inherited roles
//! * `validation`: servers that check inputs
//! * `view`: the visible positions of the schema of a role

mod aggregate;
mod comparison;
mod expression;
mod inherited;
mod operand;
mod roles;
mod table;
mod tables;
mod validation;
mod view;

use access::Roles;
use api::{Api, InputChecks, RoleViews, Uninherited};
use catalog::{Catalog, EntityId, Note};
use hasura_metadata::Problem;
use hasura_metadata::types::permission::TablePermissions;

pub use crate::ADMIN;
use crate::Options;
use crate::metadata::ServedSource;
use crate::remote::access::RemoteAccess;
use crate::tracking::Tracking;
use inherited::{Conflict, SourceNames};
use roles::{Functions, RolePermissions, RoleTable};
pub(crate) use tables::find_entity;
use tables::{NamedRelationship, NamedTable, Tables};

/// The session variable that names the role.
pub const ROLE: &str = "x-hasura-role";

/// The session variable of requests by a server that knows the admin secret and acts for a role: it
/// has the permissions that are for backends only.
pub const BACKEND: &str = "x-hasura-use-backend-only-permissions";

/// The error of written rows that do not pass the check of a permission.
const FAILED_CHECK: &str = "check constraint of an insert/update permission has failed";

/// The role of sessions whose role has no permissions. No header can name it.
const UNKNOWN: &str = "";

/// The permissions of all roles.
#[derive(Debug)]
pub(super) struct Permissions {
    roles: Roles,
    permissions: Vec<RolePermissions>,
    uninherited: Vec<Conflict>,
}

impl Permissions {
    /// Compiles the permissions of metadata. A permission with a problem is left out. If permissions
    /// of functions are inferred, functions of queries need none of their own.
    pub(super) fn new(
        catalog: &Catalog,
        tracking: &Tracking<'_>,
        served: &ServedSource,
        options: &Options,
    ) -> (Self, Vec<Problem>) {
        let tracked = served.source().tables.iter().zip(served.take_permissions());
        let tracked = tracked.filter_map(|(table, permissions)| {
            let entity = Tables::require_entity(catalog, &table.table).ok()?;
            let relationships = tracking.find(entity)?.relationships.iter();
            let relationships = relationships.map(|relationship| NamedRelationship {
                name: &relationship.name.text,
                hop: relationship.hop,
                target: relationship.target,
            });
            let relationships = relationships.collect();
            Some((NamedTable { entity, table, relationships }, permissions))
        });
        let (tables, permissions): (Vec<NamedTable<'_>>, Vec<TablePermissions>) = tracked.unzip();
        let tables = Tables::new(tables);
        let functions = Functions {
            all: &served.source().functions,
            infers: options.infer_function_permissions,
        };
        let models = &tracking.native.models;
        let actions = crate::actions::roles(served.metadata());
        let (permissions, grants, mut problems) =
            roles::of_tables(catalog, (&tables, permissions), models, functions, &actions, options);
        let inherited = &served.metadata().inherited_roles;
        let names = SourceNames { catalog, source: &served.source().name.text };
        let (mut permissions, uninherited) =
            inherited::add(permissions, inherited, names, &mut problems);
        roles::add_named_functions(catalog, functions, &mut permissions);
        // Roles that nothing names see nothing, or open remote schemas.
        let has_remote_schemas = !served.metadata().remote_schemas.is_empty();
        let has_sources = options.further_sources.served().next().is_some();
        if has_remote_schemas || has_sources || !permissions.is_empty() {
            permissions.push(RolePermissions::default());
        }
        let is_open = has_remote_schemas && !options.remote_schema_permissions;
        for role in permissions.iter_mut().filter(|_| is_open) {
            role.has_remote_queries = true;
        }
        let roles = roles::compile(&permissions, grants);
        (Self { roles, permissions, uninherited }, problems)
    }

    /// True if there is no role but the administrator.
    pub(super) fn is_empty(&self) -> bool {
        self.permissions.is_empty()
    }

    /// True if a role may read nothing.
    pub(super) fn has_role_without_queries(&self) -> bool {
        self.permissions.iter().any(|role| !role.has_queries())
    }

    /// The tables into which a role inserts rows without a permission to update a column.
    pub(super) fn inserted_without_update(&self) -> impl Iterator<Item = EntityId> {
        let tables = self.permissions.iter().flat_map(|role| &role.tables);
        let is_hidden = |table: &RoleTable| {
            table.update.as_ref().is_some_and(|(_, update)| update.is_for_backends)
        };
        let is_without = move |table: &RoleTable| {
            table.insert.is_some() && (!table.updates_columns() || is_hidden(table))
        };
        tables.filter(move |(_, table)| is_without(table)).map(|(entity, _)| *entity)
    }

    /// The view of each role; the administrator needs one only if others see what is not for it.
    pub(super) fn views(
        &self,
        api: &Api,
        catalog: &Catalog,
        remote: &RemoteAccess<'_>,
    ) -> RoleViews {
        view::views(api, catalog, &self.permissions, remote)
    }

    /// The servers that check the inputs of changes.
    pub(super) fn input_checks(&self) -> InputChecks {
        validation::checks(&self.permissions)
    }

    /// Notes on the permissions that roles do not inherit, and these.
    pub(super) fn uninherited(&self) -> impl Iterator<Item = (Note, Uninherited)> {
        self.uninherited.iter().map(Conflict::told)
    }

    /// The access rules.
    pub(super) fn into_roles(self) -> Roles {
        self.roles
    }
}
