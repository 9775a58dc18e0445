//! Metadata of Hasura for the databases: relationships by their foreign keys, and for each of any
//! number of roles permissions on every table to read, insert, update and delete rows.

use serde_json::{Value as Json, json};

use super::synthetic::{Reference, Table, tables};

/// Different filters of permissions; some roles have the same.
const FILTERS: usize = 4;

/// How many columns a role lacks at most.
const LACKED: usize = 5;

/// A request that each role may send.
pub(super) const REQUEST: &str = "{ customer(limit: 1) { id } }";

/// The lines of a request's head for a session of a role, with the variables of all filters.
pub(super) fn session(role: usize) -> String {
    let role = role_name(role);
    format!(
        "x-hasura-role: {role}\r\nx-hasura-user-id: 1\r\nx-hasura-first-id: 1\r\n\
         x-hasura-allowed-ids: {{1,2}}\r\nx-hasura-new-id: 1\r\n"
    )
}

fn role_name(role: usize) -> String {
    format!("role_{role:02}")
}

/// The metadata of so many tables, base included, with permissions of so many roles.
pub(super) fn metadata(count: usize, roles: usize) -> Json {
    let all: Vec<Table> = tables(count).collect();
    let tables: Vec<Json> = all.iter().map(|table| tracked(table, &all, roles)).collect();
    let source = json!({
        "name": "default",
        "kind": "postgres",
        "tables": tables,
        "configuration": { "connection_info": { "database_url": { "from_env": "DATABASE_URL" } } },
    });
    json!({ "resource_version": 1, "metadata": { "version": 3, "sources": [source] } })
}

fn tracked(table: &Table, all: &[Table], roles: usize) -> Json {
    let objects = table.references.iter().map(|Reference { column, .. }| {
        let name = column.strip_suffix("_id").unwrap_or(column);
        json!({ "name": name, "using": { "foreign_key_constraint_on": column } })
    });
    let objects: Vec<Json> = objects.collect();
    // The first table that refers to it: hundreds of others may refer to a table of the base.
    let lead = |other: &&Table| other.references.iter().any(|one| one.table == table.name);
    let arrays = all.iter().find(lead).into_iter().flat_map(|other| {
        let own = other.references.iter().filter(|one| one.table == table.name);
        own.map(|Reference { column, .. }| {
            let holder = &other.name;
            let on = json!({ "column": column, "table": { "schema": "public", "name": holder } });
            json!({ "name": format!("{holder}s"), "using": { "foreign_key_constraint_on": on } })
        })
    });
    let arrays: Vec<Json> = arrays.take(1).collect();
    let of_roles = |permission: &dyn Fn(usize) -> Json| -> Vec<Json> {
        let role = |number| json!({ "role": role_name(number), "permission": permission(number) });
        (0..roles).map(role).collect()
    };
    json!({
        "table": { "schema": "public", "name": table.name },
        "object_relationships": objects,
        "array_relationships": arrays,
        "insert_permissions": of_roles(&|role| json!({
            "check": filter(table, role),
            "set": { "id": "x-hasura-New-Id" },
            "columns": table.columns_of(role, 1),
        })),
        "select_permissions": of_roles(&|role| json!({
            "columns": table.columns_of(role, 0),
            "filter": filter(table, role),
            "allow_aggregations": role % 2 == 0,
            "limit": 100,
        })),
        "update_permissions": of_roles(&|role| json!({
            "columns": table.columns_of(role, 1),
            "filter": filter(table, role),
            "check": filter(table, role),
        })),
        "delete_permissions": of_roles(&|role| json!({ "filter": filter(table, role) })),
    })
}

/// The rows of a role.
fn filter(table: &Table, role: usize) -> Json {
    let own = json!({ "id": { "_eq": "X-Hasura-User-Id" } });
    match role % FILTERS {
        0 => own,
        1 => json!({ "id": { "_in": "X-Hasura-Allowed-Ids" } }),
        2 => {
            json!({ "_and": [{ "id": { "_gte": "X-Hasura-First-Id" } }, { "id": { "_is_null": false } }] })
        }
        _ => match table.references.first() {
            Some(Reference { column, .. }) => {
                json!({ column.strip_suffix("_id").unwrap_or(column): own })
            }
            None => json!({ "_not": own }),
        },
    }
}

impl Table {
    /// The columns of a role without the first ones.
    fn columns_of(&self, role: usize, skipped: usize) -> &[String] {
        let last = self.columns.len().saturating_sub(role % LACKED).max(skipped + 1);
        self.columns.get(skipped..last.min(self.columns.len())).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_permissions_of_all_roles() {
        let metadata = metadata(12, 3);
        let tables = metadata["metadata"]["sources"][0]["tables"].as_array().unwrap();
        assert_eq!(tables.len(), 12);
        for table in tables {
            for kind in ["insert", "select", "update", "delete"] {
                let permissions = table[format!("{kind}_permissions")].as_array().unwrap();
                assert_eq!(permissions.len(), 3, "{table}");
            }
            let columns = &table["select_permissions"][0]["permission"]["columns"];
            assert_eq!(columns[0], "id", "{table}");
        }
        let related = tables.iter().filter(|table| table["array_relationships"] != json!([]));
        assert!(related.count() > 3);
    }
}
