//! Explanation of the access to each table: which rows and columns, and by which rules.

use access::{AccessRules, AccessSet, Cell, Privilege, Roles, SessionRefusal};
use catalog::{Catalog, EntityId};
use ir::Claims;

use super::{RoleGrants, rows};

/// The privileges, in the order in which they are shown.
const PRIVILEGES: [Privilege; 4] =
    [Privilege::Read, Privilege::Insert, Privilege::Update, Privilege::Delete];

/// The access of a session to a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableAccess {
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub privileges: Vec<PrivilegeAccess>,
}

/// One privilege on a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivilegeAccess {
    pub privilege: Privilege,
    /// A line for each rule that permits rows, or the reason why there are none.
    pub rules: Vec<String>,
    /// No rule permits a row.
    pub is_refused: bool,
    pub columns: Vec<ColumnAccess>,
}

/// A column that a privilege permits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnAccess {
    pub name: Box<str>,
    /// The rows in which the column is not null, if it is null in others.
    pub masked: Option<String>,
}

/// Explains the access to each table.
pub(crate) fn explain(
    catalog: &Catalog,
    rules: &AccessRules,
    roles: &Roles,
    claims: Option<&Claims>,
) -> Result<Vec<TableAccess>, SessionRefusal> {
    let set = rules.set(catalog, claims)?;
    let role = RoleGrants::new(roles, claims)?;
    let tables = catalog.entities().map(|entity| TableAccess {
        namespace: entity.namespace.clone(),
        name: entity.name.clone(),
        privileges: PRIVILEGES
            .into_iter()
            .map(|privilege| match role.is_superuser {
                true => all(catalog, entity.id, privilege),
                false => granted(catalog, &set, entity.id, privilege),
            })
            .collect(),
    });
    Ok(tables.collect())
}

/// The access of a superuser.
fn all(catalog: &Catalog, entity: EntityId, privilege: Privilege) -> PrivilegeAccess {
    let columns = catalog.fields_of(entity);
    let columns = columns.map(|field| ColumnAccess { name: field.name.clone(), masked: None });
    PrivilegeAccess {
        privilege,
        rules: vec!["all rows: the role is a superuser".to_owned()],
        is_refused: false,
        columns: columns.collect(),
    }
}

fn granted(
    catalog: &Catalog,
    set: &AccessSet,
    entity: EntityId,
    privilege: Privilege,
) -> PrivilegeAccess {
    let mut text = String::new();
    rows(catalog, set, entity, privilege, &mut text);
    let grants = set.grants(entity, privilege);
    let columns = catalog.fields_of(entity).filter_map(|field| {
        let is_granted = grants.iter().any(|grant| grant.fields.contains(&field.id));
        let masked = match (privilege, set.cell(catalog, field.id)) {
            (Privilege::Read, Cell::Masked(filter)) => Some(ir::print_filter(&filter, catalog)),
            (Privilege::Read | Privilege::Insert | Privilege::Update | Privilege::Delete, _) => {
                None
            }
        };
        is_granted.then(|| ColumnAccess { name: field.name.clone(), masked })
    });
    // Each line names the privilege and the table, which its reader knows.
    let lead = format!("{privilege} {}: ", catalog.qualified_name(entity));
    let lines = text.lines().map(|line| line.strip_prefix(&lead).unwrap_or(line).to_owned());
    PrivilegeAccess {
        privilege,
        rules: lines.collect(),
        is_refused: grants.iter().all(|grant| grant.rows.is_none()),
        columns: columns.collect(),
    }
}
