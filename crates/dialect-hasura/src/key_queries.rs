//! Fields of a source for the relationships that lead to it from other sources: the argument is a
//! list of keys, and the value a row for each of them, which has the related rows as a field.
//!
//! They are native queries whose rows are the keys, with a relationship to the table. So the rows of
//! all keys are read by the statements of one request, with pages, conditions and permissions as
//! those of any relationship. The fields never reach the API that clients see.
//!
//! The alternative was a condition `_in` on the table, whose rows are assigned to their keys here. It
//! has no pages and no aggregates for each key.

use hasura_metadata::types::name::NameParts;
use hasura_metadata::types::permission::SelectPermissionEntry;
use hasura_metadata::types::remote_relationship::{
    RelationshipType, RemoteRelationshipDefinition, ToSource,
};
use hasura_metadata::{Metadata, read_text};
use http_resolvers::remote_path::KEYS;
use serde_json::{Value, json};

use crate::naming::NO_QUERIES_FIELDS;

/// The beginning of the names of the fields and types.
const PREFIX: &str = "_related_";

/// The field with the related rows.
pub(crate) const ROWS: &str = "rows";

/// The field by which the keys are sorted.
pub(crate) const NUMBER: &str = "_number";

/// A relationship that leads to a source from another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incoming<'m> {
    pub(crate) from: &'m str,
    /// Schema and name of the table that has it.
    pub(crate) table: &'m NameParts,
    pub(crate) name: &'m str,
    pub(crate) to: &'m ToSource,
}

/// The relationships that lead to a source, in the order of the metadata.
pub(crate) fn incoming<'m>(
    metadata: &'m Metadata,
    target: &'m str,
) -> impl Iterator<Item = Incoming<'m>> {
    let others = metadata.sources.iter().filter(move |source| source.name.text != target);
    others.flat_map(move |source| {
        source.tables.iter().flat_map(move |table| {
            table.remote_relationships.iter().filter_map(move |relationship| {
                let RemoteRelationshipDefinition::ToSource(to) = &relationship.definition else {
                    return None;
                };
                (to.source.text == target).then_some(Incoming {
                    from: &source.name.text,
                    table: &table.table.parts,
                    name: &relationship.name.text,
                    to,
                })
            })
        })
    })
}

/// The root field of the relationship with this number.
pub(crate) fn root_field(number: usize) -> String {
    format!("{PREFIX}{number}")
}

/// True for a root field that the API of the first source does not have: the one of a relationship,
/// and the one of roles without queries.
pub(crate) fn is_hidden(name: &str) -> bool {
    NO_QUERIES_FIELDS.contains(&name) || is_root_field(name)
}

/// True for the root field of a relationship.
pub(crate) fn is_root_field(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|number| number.parse::<usize>().is_ok())
}

/// Adds the fields to the source of an index.
pub(crate) fn add(metadata: &mut Metadata, index: usize) {
    let Some(source) = metadata.sources.get(index) else { return };
    let target = source.name.text.clone();
    let (mut queries, mut models) = (Vec::new(), Vec::new());
    for (number, Incoming { to, .. }) in incoming(metadata, &target).enumerate() {
        let NameParts::InSchema { schema, name } = &to.table.0.parts else { continue };
        let table = source.tables.iter().find(|table| table.table.parts == to.table.0.parts);
        // A table that is not tracked is told with the relationship.
        let Some(table) = table else { continue };
        // The statement of a native query has its arguments in double braces.
        let columns = to.field_mapping.values().map(|column| &*column.text);
        if [&**schema, &**name].into_iter().chain(columns).any(|name| name.contains("{{")) {
            continue;
        }
        let roles = table.select_permissions.iter();
        models.push(model(number, (schema, name), to, roles));
        queries.push(query(number, (schema, name), to));
    }
    if queries.is_empty() {
        return;
    }
    let made = json!({ "version": 3, "sources": [{
        "name": target,
        "tables": [],
        "configuration": { "connection_info": { "database_url": "" } },
        "native_queries": queries,
        "logical_models": models,
    }] });
    let read = read_text("relationships to the source", &made.to_string());
    debug_assert!(read.errors().next().is_none(), "{:?}", read.errors().collect::<Vec<_>>());
    let made = read.metadata.and_then(|mut made| made.sources.pop());
    if let (Some(made), Some(source)) = (made, metadata.sources.get_mut(index)) {
        source.0.native_queries.extend(made.0.native_queries);
        source.0.logical_models.extend(made.0.logical_models);
    }
}

/// An identifier of the database.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn key(number: usize) -> String {
    format!("_key_{number}")
}

/// The statement of the keys, with these parts. A part is not searched for others: names of tables and
/// columns may be anything.
fn fill(parts: &[(&str, &str)]) -> String {
    let mut code = String::new();
    let mut rest = include_str!("key_queries/keys.sql");
    for (name, part) in parts {
        let Some((before, after)) = rest.split_once(name) else { continue };
        code.push_str(before);
        code.push_str(part);
        rest = after;
    }
    code + rest
}

/// The logical model of the keys. Every role that may read the table sees it.
fn model<'m>(
    number: usize,
    (schema, table): (&str, &str),
    to: &ToSource,
    roles: impl Iterator<Item = &'m SelectPermissionEntry>,
) -> Value {
    let mut fields = vec![json!({ "name": NUMBER, "type": { "scalar": "int" } })];
    for (place, column) in to.field_mapping.values().enumerate() {
        let name = [schema, table, &column.text].map(quoted).join(".");
        let r#type = json!({ "scalar": format!("{name}%TYPE"), "nullable": true });
        fields.push(json!({ "name": key(place), "type": r#type }));
    }
    let permission = json!({ "columns": "*", "filter": {} });
    let roles = roles.map(|entry| json!({ "role": entry.role.text, "permission": permission }));
    let name = format!("{}_keys", root_field(number));
    json!({ "name": name, "fields": fields, "select_permissions": roles.collect::<Vec<_>>() })
}

/// The query that gives the keys the types of the columns.
fn query(number: usize, (schema, table): (&str, &str), to: &ToSource) -> Value {
    let mut mapping = serde_json::Map::new();
    let mut columns = Vec::new();
    for (place, column) in to.field_mapping.values().enumerate() {
        columns.push(["r.", &quoted(&column.text), " AS ", &key(place)].concat());
        mapping.insert(key(place), Value::from(column.text.as_str()));
    }
    let row = [schema, table].map(quoted).join(".");
    let text = format!("'{}'", row.replace('\'', "''"));
    let columns = columns.join(", ");
    let (named, typed) = ((":table", &*text), (":row", &*row));
    let parts = [(":columns", &*columns), (":keys", KEYS), named, named, typed, typed];
    let code = fill(&parts);
    let relationship = json!([{
        "name": ROWS,
        "using": {
            "remote_table": { "schema": schema, "name": table },
            "insertion_order": null,
            "column_mapping": mapping,
        },
    }]);
    let kind = match to.relationship_type {
        RelationshipType::Object => "object_relationships",
        RelationshipType::Array => "array_relationships",
    };
    let mut query = json!({
        "root_field_name": root_field(number),
        "code": code,
        "arguments": { KEYS: { "type": "json" } },
        "returns": format!("{}_keys", root_field(number)),
    });
    query[kind] = relationship;
    query
}
