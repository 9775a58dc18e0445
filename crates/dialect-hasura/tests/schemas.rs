//! The schemas, names and notes that the dialect makes of catalogs.

#![allow(clippy::unwrap_used, reason = "all of this crate is tests, which may panic")]

#[path = "schemas/made.rs"]
mod made;

use std::fmt::Write;

use api::check::misbound;
use catalog::{Catalog, EntityKind};
use dialect_hasura::{Options, api};
use expect_test::{Expect, expect};
use graphql::schema::TypeKind;
use graphql::{print_schema, validate_schema};
use made::{Tables, bigint, int, text, uuid};

/// The types of these names, and all notes.
fn check(catalog: &Catalog, types: &[&str], expect: &Expect) {
    let api = api(catalog, &Options::default());
    validate_schema(&api.schema).unwrap();
    assert_eq!(misbound(&api), []);
    let schema = print_schema(&api.schema);
    let mut output = String::new();
    for definition in schema.split("\n\n") {
        let header = definition.lines().find(|line| line.ends_with('{')).unwrap_or(definition);
        if types.iter().any(|name| header.split_whitespace().nth(1) == Some(*name)) {
            writeln!(output, "{definition}\n").unwrap();
        }
    }
    for note in &api.notes {
        writeln!(output, "# {note}").unwrap();
    }
    expect.assert_eq(&output);
}

#[test]
fn types_fields_and_values_are_sorted_by_name() {
    let mut tables = Tables::new();
    tables.table("zebra", 1, &[("id", int()), ("Name", text()), ("age", int())]);
    tables.table("Ant", 1, &[("id", int())]);
    let api = api(&tables.finish(), &Options::default());
    let is_sorted = |names: Vec<&str>| assert!(names.is_sorted(), "{names:?}");
    let schema = &api.schema;
    is_sorted(schema.types().map(|(_, definition)| &*definition.name).collect());
    for (_, definition) in schema.types() {
        is_sorted(match &definition.kind {
            TypeKind::Object { fields, .. } => {
                fields.iter().map(|field| &*schema[*field].name).collect()
            }
            TypeKind::InputObject { fields } => {
                fields.iter().map(|field| &*schema[*field].name).collect()
            }
            TypeKind::Enum { values } => values.iter().map(|value| &*schema[*value].name).collect(),
            TypeKind::Scalar | TypeKind::Interface { .. } | TypeKind::Union { .. } => Vec::new(),
        });
    }
}

#[test]
fn relationships_have_the_names_that_the_console_suggests() {
    let mut tables = Tables::new();
    let user = tables.table("users", 1, &[("id", int()), ("name", text())]);
    let message = tables.table(
        "messages",
        1,
        &[("id", int()), ("sender_id", int()), ("receiver", int()), ("users", text())],
    );
    let profile = tables.table("profile", 1, &[("user_id", int()), ("about", text())]);
    let order = tables.table("sales.order", 1, &[("id", uuid()), ("buyer_id", int())]);
    tables.foreign_key((message, &["sender_id"]), (user, &["id"]));
    tables.foreign_key((message, &["receiver"]), (user, &["id"]));
    tables.foreign_key((profile, &["user_id"]), (user, &["id"]));
    tables.foreign_key((order, &["buyer_id"]), (user, &["id"]));
    check(
        &tables.finish(),
        &["users", "messages", "profile", "sales_order", "users_order_by"],
        &expect![[""]],
    );
}

#[test]
fn a_table_whose_types_another_one_has_is_left_out() {
    let mut tables = Tables::new();
    tables.table("album", 1, &[("id", int())]);
    tables.table("album_bool_exp", 1, &[("id", int())]);
    tables.table("album_by_pk", 1, &[("id", int())]);
    tables.table("bigint", 1, &[("id", bigint())]);
    tables.table("order_by", 1, &[("id", int())]);
    tables.table("2nd", 1, &[("id", int())]);
    tables.table("odd", 1, &[("id", int()), ("a b", int()), ("__c", int())]);
    tables.entity("no_column", EntityKind::View, &[("a b", int())]);
    check(&tables.finish(), &["odd"], &expect![[""]]);
}

#[test]
fn an_empty_catalog_has_a_note() {
    check(&Tables::new().finish(), &["query_root"], &expect![[""]]);
}
