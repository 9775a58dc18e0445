//! The schemas, names and notes that the dialect makes of catalogs.

#![allow(clippy::unwrap_used, reason = "all of this crate is tests, which may panic")]

#[path = "schemas/made.rs"]
mod made;

use std::fmt::Write;

use api::Api;
use api::check::misbound;
use catalog::{Catalog, EntityKind};
use dialect_hasura::{Options, declare};
use expect_test::{Expect, expect};
use graphql::schema::TypeKind;
use graphql::{print_schema, validate_schema};
use made::{Tables, bigint, int, text, uuid};

/// The API of all tables of a catalog.
fn api(catalog: &Catalog) -> Api {
    let (mut catalog, options) = (catalog.clone(), Options::default());
    declare(&mut catalog, &options).api(&catalog).unwrap().0
}

/// The types of these names, and all notes.
fn check(catalog: &Catalog, types: &[&str], expect: &Expect) {
    let api = api(catalog);
    validate_schema(&api.schema).unwrap();
    assert_eq!(misbound(&api), []);
    let schema = print_schema(&api.schema);
    let mut output = String::new();
    for name in types {
        let begins = |kind: &str| schema.find(&format!("\n{kind} {name} {{"));
        let start = begins("type").or_else(|| begins("input")).unwrap() + 1;
        let end = start + schema[start..].find("\n}").unwrap() + 2;
        writeln!(output, "{}\n", &schema[start..end]).unwrap();
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
    let api = api(&tables.finish());
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
        &expect![[r#"
            type users {
              id: Int!

              """An array relationship"""
              messages(
                """distinct select on columns"""
                distinct_on: [messages_select_column!]

                """limit the number of rows returned"""
                limit: Int

                """skip the first n rows. Use only with order_by"""
                offset: Int

                """sort the rows by one or more columns"""
                order_by: [messages_order_by!]

                """filter the rows returned"""
                where: messages_bool_exp
              ): [messages!]!

              """An array relationship"""
              messagesByReceiver(
                """distinct select on columns"""
                distinct_on: [messages_select_column!]

                """limit the number of rows returned"""
                limit: Int

                """skip the first n rows. Use only with order_by"""
                offset: Int

                """sort the rows by one or more columns"""
                order_by: [messages_order_by!]

                """filter the rows returned"""
                where: messages_bool_exp
              ): [messages!]!

              """An aggregate relationship"""
              messagesByReceiver_aggregate(
                """distinct select on columns"""
                distinct_on: [messages_select_column!]

                """limit the number of rows returned"""
                limit: Int

                """skip the first n rows. Use only with order_by"""
                offset: Int

                """sort the rows by one or more columns"""
                order_by: [messages_order_by!]

                """filter the rows returned"""
                where: messages_bool_exp
              ): messages_aggregate!

              """An aggregate relationship"""
              messages_aggregate(
                """distinct select on columns"""
                distinct_on: [messages_select_column!]

                """limit the number of rows returned"""
                limit: Int

                """skip the first n rows. Use only with order_by"""
                offset: Int

                """sort the rows by one or more columns"""
                order_by: [messages_order_by!]

                """filter the rows returned"""
                where: messages_bool_exp
              ): messages_aggregate!
              name: String

              """An object relationship"""
              profile: profile

              """An array relationship"""
              sales_orders(
                """distinct select on columns"""
                distinct_on: [sales_order_select_column!]

                """limit the number of rows returned"""
                limit: Int

                """skip the first n rows. Use only with order_by"""
                offset: Int

                """sort the rows by one or more columns"""
                order_by: [sales_order_order_by!]

                """filter the rows returned"""
                where: sales_order_bool_exp
              ): [sales_order!]!

              """An aggregate relationship"""
              sales_orders_aggregate(
                """distinct select on columns"""
                distinct_on: [sales_order_select_column!]

                """limit the number of rows returned"""
                limit: Int

                """skip the first n rows. Use only with order_by"""
                offset: Int

                """sort the rows by one or more columns"""
                order_by: [sales_order_order_by!]

                """filter the rows returned"""
                where: sales_order_bool_exp
              ): sales_order_aggregate!
            }

            type messages {
              id: Int!
              receiver: Int
              sender_id: Int!

              """An object relationship"""
              user: users!

              """An object relationship"""
              userByReceiver: users
              users: String
            }

            type profile {
              about: String

              """An object relationship"""
              user: users!
              user_id: Int!
            }

            type sales_order {
              buyer_id: Int!
              id: uuid!

              """An object relationship"""
              user: users!
            }

            input users_order_by {
              id: order_by
              messagesByReceiver_aggregate: messages_aggregate_order_by
              messages_aggregate: messages_aggregate_order_by
              name: order_by
              profile: profile_order_by
              sales_orders_aggregate: sales_order_aggregate_order_by
            }

        "#]],
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
    check(
        &tables.finish(),
        &["odd"],
        &expect![[r#"
            type odd {
              id: Int!
            }

            # collision: public.album_bool_exp: the type album_bool_exp belongs to public.album, so this is left out. Remedy: rename it, or show its rows under another name by a view.
            # collision: public.album_by_pk: the field album_by_pk belongs to public.album, so this is left out. Remedy: rename it, or show its rows under another name by a view.
            # collision: public.bigint: the type bigint belongs to a type of values, so this is left out. Remedy: rename it, or show its rows under another name by a view.
            # collision: public.order_by: the type order_by belongs to the API's own order_by, so this is left out. Remedy: rename it, or show its rows under another name by a view.
            # left out: public.2nd: "2nd" is no name of GraphQL. Remedy: rename it, or show its rows under another name by a view.
            # left out: public.odd.a b: "a b" is no name of GraphQL. Remedy: rename the column, or show it under another name by a view.
            # left out: public.odd.__c: "__c" is no name of GraphQL. Remedy: rename the column, or show it under another name by a view.
            # left out: public.no_column.a b: "a b" is no name of GraphQL. Remedy: rename the column, or show it under another name by a view.
            # left out: public.no_column: it has no column that can be shown. Remedy: give it a column with a name of GraphQL.
        "#]],
    );
}

#[test]
fn an_empty_catalog_has_a_note() {
    check(
        &Tables::new().finish(),
        &["query_root"],
        &expect![[r#"
        type query_root {
          """There are no queries available to the current role."""
          no_queries_available: String!
        }

        # left out: the source: it has no table and no view. Remedy: create one, or choose another namespace.
    "#]],
    );
}
