//! Roles with their grants.

use std::collections::BTreeMap;
use std::sync::Arc;

use access::{
    Callable, ChangedRows, Conventions, Elevation, FollowedKeys, Grant, GrantIndex, MissingClaims,
    Permission, Privilege, Role, Roles,
};
use catalog::{Catalog, EntityId, FunctionId, FunctionResult, Volatility};
use hasura_metadata::types::function::{ExposedAs, Function};
use hasura_metadata::types::name::Name;
use hasura_metadata::types::permission::{SelectPermissionEntry, TablePermissions};
use hasura_metadata::types::remote_schema::RemoteSchema as Definition;
use hasura_metadata::{Metadata, Problem};
use rustc_hash::{FxHashMap, FxHashSet};

use super::table::{Change, Select, TableCompiler};
use super::tables::{Tables, find_function, problem};
use super::{ADMIN, BACKEND, FAILED_CHECK, ROLE, UNKNOWN};
use crate::Options;
use crate::actions::{ActionRoles, QUERY};
use crate::remote::access::RemotePermissions;
use crate::remote_permission::RemotePermission;
use crate::tracking::TrackedModel;

/// The permissions of a role.
#[derive(Debug, Default)]
pub(super) struct RolePermissions {
    pub(super) name: Box<str>,
    pub(super) tables: FxHashMap<EntityId, RoleTable>,
    /// The functions that it may call.
    pub(super) functions: FxHashSet<FunctionId>,
    /// The root types and names of the actions that it may use.
    pub(super) actions: FxHashSet<(&'static str, Box<str>)>,
    /// By the names of remote schemas.
    pub(super) remote: RemotePermissions,
    /// True if one of them has a field of queries.
    pub(super) has_remote_queries: bool,
    /// True for the further permissions of backends: of a session that names the role of the name.
    pub(super) is_of_backends: bool,
}

/// The permissions of a role on a table, each with the index of its grant.
#[derive(Clone, Debug, Default)]
pub(super) struct RoleTable {
    /// Several of an inherited role.
    pub(super) select: Vec<(usize, Arc<Select>)>,
    pub(super) insert: Option<(usize, Arc<Change>)>,
    pub(super) update: Option<(usize, Arc<Change>)>,
    pub(super) delete: Option<(usize, Arc<Change>)>,
}

impl RoleTable {
    /// True if the role may set a column of rows that are there.
    pub(super) fn updates_columns(&self) -> bool {
        self.update.as_ref().is_some_and(|(_, update)| update.assigned().next().is_some())
    }
}

impl RolePermissions {
    /// True if the role has a root field of queries.
    pub(super) fn has_queries(&self) -> bool {
        let is_read = |table: &RoleTable| {
            let has_field = |select: &Select| {
                let fields = select.query;
                fields.select || fields.by_key || (fields.aggregate && select.allows_aggregates)
            };
            table.select.iter().any(|(_, select)| has_field(select))
        };
        let has_action = self.actions.iter().any(|(parent, _)| *parent == QUERY);
        self.has_remote_queries
            || has_action
            || !self.functions.is_empty()
            || self.tables.values().any(is_read)
    }
}

/// The grants of all tables. Roles with equal permissions share them.
#[derive(Debug, Default)]
pub(super) struct Grants(Vec<Grant>);

/// A privilege, as it names grants.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Select,
    Insert,
    Update,
    Delete,
}

impl Grants {
    fn add(
        &mut self,
        kind: Kind,
        table: &str,
        entity: EntityId,
        permission: &Arc<Permission>,
    ) -> usize {
        let (privilege, verb) = match kind {
            Kind::Select => (Privilege::Read, "select"),
            Kind::Insert => (Privilege::Insert, "insert"),
            Kind::Update => (Privilege::Update, "update"),
            Kind::Delete => (Privilege::Delete, "delete"),
        };
        let name = format!("{verb} {table}");
        // The grants of a table are added one after the other.
        let name = match self.0.last() {
            Some(last) if **last.name == *name => Arc::clone(&last.name),
            _ => Arc::new(name.into()),
        };
        self.0.push(Grant::new(name, entity, vec![(privilege, Arc::clone(permission))]));
        self.0.len() - 1
    }

    /// The equal permission that another role has, or this one with a grant of its own.
    fn share<P: PartialEq>(
        &mut self,
        known: &mut Vec<(usize, Arc<P>)>,
        permission: P,
        add: impl FnOnce(&mut Self, &P) -> usize,
    ) -> (usize, Arc<P>) {
        if let Some((grant, same)) = known.iter().find(|(_, known)| **known == permission) {
            return (*grant, Arc::clone(same));
        }
        let grant = add(self, &permission);
        let shared = (grant, Arc::new(permission));
        known.push(shared.clone());
        shared
    }
}

/// The functions of the metadata.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions<'m> {
    pub(super) all: &'m [Function],
    /// True if those of queries need no permission of their own.
    pub(super) infers: bool,
}

/// Compiles the permissions of the tables, which are in their order, by role, sorted by name.
pub(super) fn of_tables(
    catalog: &Catalog,
    (tables, permissions): (&Tables<'_>, Vec<TablePermissions>),
    models: &[TrackedModel<'_>],
    functions: Functions<'_>,
    actions: &[ActionRoles],
    options: &Options,
) -> (Vec<RolePermissions>, Grants, Vec<Problem>) {
    let mut compiling = Compiling::default();
    // They are dropped together in the end: what is compiled would fill gaps between them otherwise.
    for (table, permissions) in tables.iter().zip(&permissions) {
        let compiler = TableCompiler::new(catalog, tables, table.entity, options);
        compiling.table(&compiler, permissions);
    }
    drop(permissions);
    for model in models {
        let compiler = TableCompiler::new(catalog, tables, model.entity, options);
        compiling.select(&compiler, model.permissions);
    }
    let Compiling { mut roles, grants, mut problems } = compiling;
    if let Some(served) = options.metadata.served() {
        add_remote(&mut roles, served.metadata(), options, &mut problems);
    }
    for action in actions {
        for role in action.roles.iter().filter(|role| ***role != *ADMIN) {
            let named = || RolePermissions { name: role.clone(), ..RolePermissions::default() };
            let permissions = roles.entry(role.clone()).or_insert_with(named);
            permissions.actions.insert((action.parent, action.field.clone()));
        }
    }
    for role in roles.values_mut() {
        role.functions = callable(catalog, tables, functions, role);
    }
    (roles.into_values().collect(), grants, problems)
}

/// Adds the permissions of remote schemas, which have no effect if every role may use all of them, and
/// what roles see of further sources.
fn add_remote(
    roles: &mut BTreeMap<Box<str>, RolePermissions>,
    metadata: &Metadata,
    options: &Options,
    problems: &mut Vec<Problem>,
) {
    let is_decided = |_: &&Definition| options.remote_schema_permissions;
    let definitions = metadata.remote_schemas.iter().filter(is_decided).filter_map(|definition| {
        // A schema that cannot be read is told elsewhere.
        Some((definition, options.remote_schemas.find(&definition.name.text)?))
    });
    for source in options.further_sources.served() {
        for (role, permission) in &source.roles {
            let named = || RolePermissions { name: role.clone(), ..Default::default() };
            let permissions = roles.entry(role.clone()).or_insert_with(named);
            permissions.has_remote_queries |= permission.has_queries(&source.schema);
            let name = source.definition.name.text.as_str().into();
            permissions.remote.insert(name, Arc::clone(permission));
        }
    }
    for (definition, schema) in definitions {
        let mut known: Vec<Arc<RemotePermission>> = Vec::new();
        for entry in definition.permissions.iter() {
            let role = &entry.role;
            if **role == *ADMIN {
                let message = "The role `admin` has every permission: remove this one.";
                problems.push(problem(&role.place, message));
                continue;
            }
            let named =
                || RolePermissions { name: role.text.as_str().into(), ..Default::default() };
            let permissions = roles.entry(role.text.as_str().into()).or_insert_with(named);
            let permission = match RemotePermission::read(&entry.definition.schema, schema) {
                Ok(permission) => permission,
                Err(message) => {
                    let message = format!(
                        "In the permission of the role `{}` on the remote schema `{}`: {message}",
                        role.text, definition.name.text
                    );
                    problems.push(problem(&entry.definition.place, message));
                    continue;
                }
            };
            // Roles with equal permissions share them.
            let shared = known.iter().find(|known| ***known == permission).map(Arc::clone);
            let permission = shared.unwrap_or_else(|| Arc::new(permission));
            known.push(Arc::clone(&permission));
            permissions.has_remote_queries |= permission.has_queries(schema);
            permissions.remote.insert(definition.name.text.as_str().into(), permission);
        }
    }
}

/// The compiled permissions so far.
#[derive(Default)]
struct Compiling {
    roles: BTreeMap<Box<str>, RolePermissions>,
    grants: Grants,
    problems: Vec<Problem>,
}

impl Compiling {
    fn select(&mut self, compiler: &TableCompiler<'_>, entries: &[SelectPermissionEntry]) {
        let entity = compiler.entity();
        let name = compiler.catalog().qualified_name(entity);
        let mut known = Vec::new();
        for entry in entries {
            let compiled = compiler.select(&entry.permission);
            let Some(select) = self.keep(&entry.role, compiled) else { continue };
            let select = self.grants.share(&mut known, select, |grants, select| {
                grants.add(Kind::Select, &name, entity, &select.permission)
            });
            self.of(&entry.role, entity).select = vec![select];
        }
    }

    fn table(&mut self, compiler: &TableCompiler<'_>, permissions: &TablePermissions) {
        self.select(compiler, &permissions.select);
        let entity = compiler.entity();
        let name = compiler.catalog().qualified_name(entity);
        let mut known = Vec::new();
        for entry in &permissions.insert {
            let compiled = compiler.insert(&entry.permission);
            let change =
                self.change((Kind::Insert, &name), entity, &entry.role, compiled, &mut known);
            if let Some(change) = change {
                self.of(&entry.role, entity).insert = Some(change);
            }
        }
        let mut known = Vec::new();
        for entry in &permissions.update {
            let compiled = compiler.update(&entry.permission);
            let change =
                self.change((Kind::Update, &name), entity, &entry.role, compiled, &mut known);
            if let Some(change) = change {
                self.of(&entry.role, entity).update = Some(change);
            }
        }
        let mut known = Vec::new();
        for entry in &permissions.delete {
            let compiled = compiler.delete(&entry.permission);
            let change =
                self.change((Kind::Delete, &name), entity, &entry.role, compiled, &mut known);
            if let Some(change) = change {
                self.of(&entry.role, entity).delete = Some(change);
            }
        }
    }

    fn change(
        &mut self,
        (kind, table): (Kind, &str),
        entity: EntityId,
        role: &Name,
        compiled: Result<Change, Vec<Problem>>,
        known: &mut Vec<(usize, Arc<Change>)>,
    ) -> Option<(usize, Arc<Change>)> {
        let change = self.keep(role, compiled)?;
        Some(self.grants.share(known, change, |grants, change| {
            grants.add(kind, table, entity, &change.permission)
        }))
    }

    /// The permission of a role. The role exists in any case, so that a session of it is none of an
    /// unknown role.
    fn keep<P>(&mut self, role: &Name, compiled: Result<P, Vec<Problem>>) -> Option<P> {
        if **role == *ADMIN {
            let message = "The role `admin` has every permission: remove this one.";
            self.problems.push(problem(&role.place, message));
            return None;
        }
        self.roles.entry(role.text.as_str().into()).or_insert_with(|| RolePermissions {
            name: role.text.as_str().into(),
            ..RolePermissions::default()
        });
        match compiled {
            Ok(permission) => Some(permission),
            Err(mut problems) => {
                self.problems.append(&mut problems);
                None
            }
        }
    }

    fn of(&mut self, role: &Name, entity: EntityId) -> &mut RoleTable {
        let role = self.roles.entry(role.text.as_str().into()).or_default();
        role.tables.entry(entity).or_default()
    }
}

/// The functions that a role may call: those of its computed fields, those of native queries whose
/// rows it may read, and root fields whose rows it may read, if they name the role, or are those of queries and their permissions are inferred.
fn callable(
    catalog: &Catalog,
    tables: &Tables<'_>,
    functions: Functions<'_>,
    role: &RolePermissions,
) -> FxHashSet<FunctionId> {
    let reads = |function: FunctionId| reads_rows(catalog, role, function);
    let mut callable = FxHashSet::default();
    for (entity, table) in &role.tables {
        for (_, select) in &table.select {
            callable.extend(select.computed.iter().copied());
        }
        if table.select.is_empty() {
            continue;
        }
        let computed = tables.find(*entity).map(|table| &*table.table.computed_fields);
        let computed = computed.unwrap_or_default().iter();
        let computed = computed.filter_map(|own| find_function(catalog, &own.definition.function));
        callable.extend(computed.filter(|function| reads(*function)));
    }
    let is_query =
        |function: &&catalog::Function| function.statement.is_some() || function.related.is_some();
    let queries = catalog.functions().filter(is_query).map(|function| function.id);
    callable.extend(queries.filter(|function| reads(*function)));
    for function in functions.all {
        let Some(id) = find_function(catalog, &function.function) else { continue };
        let is_query = match function.configuration.exposed_as {
            Some(ExposedAs::Query) => true,
            Some(ExposedAs::Mutation) => false,
            None => catalog[id].volatility != Volatility::Volatile,
        };
        let is_named = function.permissions.iter().any(|own| *own.role == *role.name);
        if reads(id) && (is_query && functions.infers || is_named) {
            callable.insert(id);
        }
    }
    callable
}

/// Adds the functions that name a role, which may be an inherited one.
pub(super) fn add_named_functions(
    catalog: &Catalog,
    functions: Functions<'_>,
    roles: &mut [RolePermissions],
) {
    for role in roles {
        for function in functions.all {
            let is_named = function.permissions.iter().any(|own| *own.role == *role.name);
            if let Some(id) = find_function(catalog, &function.function).filter(|_| is_named)
                && reads_rows(catalog, role, id)
            {
                role.functions.insert(id);
            }
        }
    }
}

/// True if a role may read rows that a function returns.
fn reads_rows(catalog: &Catalog, role: &RolePermissions, function: FunctionId) -> bool {
    match catalog[function].result {
        FunctionResult::Row(entity)
        | FunctionResult::Rows(entity)
        | FunctionResult::RowArray(entity) => {
            role.tables.get(&entity).is_some_and(|table| !table.select.is_empty())
        }
        FunctionResult::Value(_) | FunctionResult::Values(_) | FunctionResult::Nothing => false,
    }
}

/// The roles as access rules.
pub(super) fn compile(permissions: &[RolePermissions], grants: Grants) -> Roles {
    let admin = Role {
        name: ADMIN.into(),
        is_superuser: true,
        grants: Vec::new(),
        functions: Callable::All,
    };
    let of_sessions = permissions.iter().filter(|role| !role.is_of_backends);
    let roles = std::iter::once(admin).chain(of_sessions.map(|role| compiled(role, false)));
    let of_backends = permissions.iter().filter(|role| role.is_of_backends);
    let elevations = of_backends.map(|role| {
        let (of, mut role) = (role.name.clone(), compiled(role, true));
        role.name = view_name(&role.name, true);
        Elevation { of, role }
    });
    let elevations = elevations.collect();
    let conventions = Conventions {
        missing_claims: MissingClaims::Refused,
        changed_rows: ChangedRows::Granted,
        followed_keys: FollowedKeys::Any,
        failed_check: Some(FAILED_CHECK.into()),
        elevating_claim: Some(BACKEND.into()),
    };
    Roles::new(ROLE.into(), None, grants.0, roles.collect())
        .with_unknown(UNKNOWN.into())
        .with_elevations(elevations)
        .with_conventions(conventions)
}

/// The name of a role and of its view.
pub(super) fn view_name(role: &str, is_of_backends: bool) -> Box<str> {
    match is_of_backends {
        true => format!("{role} (backend)").into(),
        false => role.into(),
    }
}

fn compiled(permissions: &RolePermissions, is_of_backends: bool) -> Role {
    let mut grants: Vec<GrantIndex> = Vec::new();
    for table in permissions.tables.values() {
        grants.extend(table.select.iter().map(|(grant, _)| GrantIndex::new(*grant)));
        let changes = [&table.insert, &table.update, &table.delete];
        let changes = changes.into_iter().flatten();
        let changes = changes.filter(|(_, change)| is_of_backends || !change.is_for_backends);
        grants.extend(changes.map(|(grant, _)| GrantIndex::new(*grant)));
    }
    grants.sort_unstable();
    grants.dedup();
    let functions = Callable::These(permissions.functions.iter().copied().collect());
    Role { name: permissions.name.clone(), is_superuser: false, grants, functions }
}
