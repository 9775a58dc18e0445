//! Remote schemas: fields of another GraphQL server, which is an engine of this program.

use std::sync::{LazyLock, Mutex};

use dialects::hasura;
use engine::Worker;
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use testkit::http::{HttpServer, Received, Reply};

use super::{Client, Database, ask, block_on, dialect, local, open, shown};

/// The database of the other server.
static OTHER: LazyLock<Mutex<Database>> = LazyLock::new(|| Mutex::new(Database::new()));

/// Answers like a GraphQL server, over the same tables.
pub(super) fn reply(received: &Received) -> Reply {
    if received.target == "/broken" {
        return Reply::Json(
            json!({"data": {"__schema": {"queryType": {"name": "Q"}, "types": []}}}),
        );
    }
    let body: Value = serde_json::from_str(&received.body).unwrap();
    let database = OTHER.lock().unwrap();
    let answer = block_on(async {
        let engine = open(&database, hasura::Options::default(), local()).await.unwrap();
        let text = body["query"].as_str().unwrap();
        ask(&Worker::new(engine), text, &body["variables"], &Client::default()).await
    });
    Reply::Json(serde_json::from_str(&answer).unwrap())
}

fn metadata(path: &str, customization: &str) -> String {
    format!(
        "
remote_schemas:
  - name: shop
    definition:
      url: http://SERVER/{path}
      timeout_seconds: 30
      forward_client_headers: true
      headers: [{{name: x-key, value_from_env: KEY}}]
      customization: {{{customization}}}
"
    )
}

const RENAMED: &str = "type_names: {prefix: shop_, mapping: {author: Writer}}, \
     field_names: [{parent_type: query_root, prefix: shop_}, \
     {parent_type: mutation_root, prefix: shop_, mapping: {insert_author_one: add}}]";

fn check(metadata: &str, requests: &[(&str, Value)], expect: &Expect) {
    let server = HttpServer::start(reply);
    let metadata = metadata.replace("SERVER", &server.address.to_string());
    let database = Database::new();
    let text = block_on(async {
        let engine = match open(&database, dialect(&metadata).unwrap(), local()).await {
            Ok(engine) => engine,
            Err(error) => {
                return format!("{error}\n").replace(&server.address.to_string(), "SERVER");
            }
        };
        let worker = Worker::new(engine);
        drop(server.received());
        let client = Client {
            session: Some(json!({"x-hasura-role": "admin", "x-hasura-user-id": "7"})),
            headers: &[("authorization", "Bearer x"), ("x-hasura-user-id", "8")],
        };
        let mut text = String::new();
        for (request, variables) in requests {
            text.push_str(&ask(&worker, request, variables, &client).await);
            text.push('\n');
            for received in server.received() {
                text.push_str(&shown(&received));
            }
        }
        text
    });
    expect.assert_eq(&text);
}

#[test]
fn root_fields_are_sent_with_their_arguments() {
    let requests = [
        (
            "query ($name: String) { shop_author(where: {name: {_eq: $name}}, limit: 1) { __typename id \
               books(order_by: {title: desc}) { t: title } } author(limit: 1) { name } }",
            json!({"name": "Ada"}),
        ),
        ("{ shop_book_by_pk(id: 12) { title author { name __typename } } }", json!({})),
        ("mutation { add(object: {id: 9, name: \"New\"}) { name } }", json!({})),
        ("mutation { add(object: {id: 9, name: \"New\"}) { name } }", json!({})),
    ];
    check(
        &metadata("graphql", RENAMED),
        &requests,
        &expect![[r#"
            {"data":{"shop_author":[{"__typename":"Writer","id":1,"books":[{"t":"Two"},{"t":"One"}]}],"author":[{"name":"Ada"}]}}
              POST /graphql
                authorization: Bearer x
                content-type: application/json
                x-hasura-role: admin
                x-hasura-user-id: 7
                x-key: secret
                {"query":"query { author(limit: 1, where: {name: {_eq: \"Ada\"}}){\n__typename\nid\nbooks(order_by: [{title: desc}]){\ntitle\n}\n} }"}
            {"data":{"shop_book_by_pk":{"title":"Three","author":{"name":"Bob","__typename":"Writer"}}}}
              POST /graphql
                authorization: Bearer x
                content-type: application/json
                x-hasura-role: admin
                x-hasura-user-id: 7
                x-key: secret
                {"query":"query { book_by_pk(id: 12){\ntitle\nauthor{\nname\n__typename\n}\n} }"}
            {"data":{"add":{"name":"New"}}}
              POST /graphql
                authorization: Bearer x
                content-type: application/json
                x-hasura-role: admin
                x-hasura-user-id: 7
                x-key: secret
                {"query":"mutation { insert_author_one(object: {id: 9, name: \"New\"}){\nname\n} }"}
            {"errors":[{"message":"Uniqueness violation. duplicate key value violates unique constraint \"author_pkey\"","extensions":{"code":"constraint-violation","path":"$.selectionSet.insert_author_one.args.object"}}]}
              POST /graphql
                authorization: Bearer x
                content-type: application/json
                x-hasura-role: admin
                x-hasura-user-id: 7
                x-key: secret
                {"query":"mutation { insert_author_one(object: {id: 9, name: \"New\"}){\nname\n} }"}
        "#]],
    );
}

#[test]
fn the_schema_has_the_types_by_their_new_names() {
    let server = HttpServer::start(reply);
    let metadata = metadata("graphql", RENAMED).replace("SERVER", &server.address.to_string());
    let database = Database::new();
    let schema = block_on(async {
        open(&database, dialect(&metadata).unwrap(), local()).await.unwrap().sdl()
    });
    let types: Vec<&str> = schema
        .lines()
        .filter(|line| !line.starts_with(' ') && line.contains("hop_") || line.contains("Writer"))
        .filter(|line| !line.contains("aggregate"))
        .take(40)
        .collect();
    expect![[r#"
        type Writer {
          ): Writer
          shop_delete_author_by_pk(id: Int!): Writer
          ): Writer
          ): [Writer!]!
          shop_author_by_pk(id: Int!): Writer
        input shop_Int_comparison_exp {
        input shop_String_comparison_exp {
          nodes: [Writer!]!
        type shop_author_avg_fields {
        input shop_author_bool_exp {
        enum shop_author_constraint {
        input shop_author_inc_input {
        input shop_author_insert_input {
        type shop_author_max_fields {
        type shop_author_min_fields {
        type shop_author_mutation_response {
          returning: [Writer!]!
        input shop_author_obj_rel_insert_input {
        input shop_author_on_conflict {
        input shop_author_order_by {
        input shop_author_pk_columns_input {
        enum shop_author_select_column {
        input shop_author_set_input {
        input shop_author_stream_cursor_input {
        input shop_author_stream_cursor_value_input {
        type shop_author_sum_fields {
        enum shop_author_update_column {
        input shop_author_updates {
        type shop_book {
          author: Writer
        input shop_book_arr_rel_insert_input {
        type shop_book_avg_fields {
        input shop_book_avg_order_by {
        input shop_book_bool_exp {
        enum shop_book_constraint {
        input shop_book_inc_input {
        input shop_book_insert_input {
        type shop_book_max_fields {
        input shop_book_max_order_by {
    "#]]
    .assert_eq(&format!("{}\n", types.join("\n")));
}

#[test]
fn names_of_tables_are_taken() {
    let text = |customization: &str| {
        let server = HttpServer::start(reply);
        let metadata = metadata("graphql", customization);
        let metadata = metadata.replace("SERVER", &server.address.to_string());
        let database = Database::new();
        let error = block_on(async {
            open(&database, dialect(&metadata).unwrap(), local()).await.unwrap_err().to_string()
        });
        error.lines().take(3).collect::<Vec<_>>().join("\n")
    };
    expect![[r#"
        the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
          metadata.yaml:15:11 (remote_schemas[0].name): The remote schema shop: another type of the API has the name Int_comparison_exp; rename this one by customization.type_names, such as `prefix: other_`.
          metadata.yaml:15:11 (remote_schemas[0].name): The remote schema shop: another type of the API has the name String_comparison_exp; rename this one by customization.type_names, such as `prefix: other_`."#]].assert_eq(&text(""));
    expect![[r#"
        the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
          metadata.yaml:15:11 (remote_schemas[0].name): The remote schema shop: query_root has another field author; rename it by customization.field_names, or all of them by customization.root_fields_namespace.
          metadata.yaml:15:11 (remote_schemas[0].name): The remote schema shop: query_root has another field author_aggregate; rename it by customization.field_names, or all of them by customization.root_fields_namespace."#]].assert_eq(&text("type_names: {prefix: shop_}"));
    expect![[r#"
        the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
          metadata.yaml:15:11 (remote_schemas[0].name): The remote schema shop: query_root has another field author; choose another customization.root_fields_namespace."#]].assert_eq(&text("type_names: {prefix: shop_}, root_fields_namespace: author"));
    expect![[r#"
        the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
          metadata.yaml:15:11 (remote_schemas[0].name): The remote schema shop: Type name mappings are not distinct; the following types appear more than once: "shop_author""#]].assert_eq(&text("type_names: {prefix: shop_, mapping: {book: shop_author}}"));
    expect![[r#"
        the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
          metadata.yaml:15:11 (remote_schemas[0].name): The remote schema shop: Field name mappings for object type "book" are not distinct; the following fields appear more than once: "title""#]].assert_eq(&text(
        "root_fields_namespace: shop, type_names: {prefix: shop_}, field_names: [{parent_type: book, \
         mapping: {id: title}}]",
    ));
}

#[test]
fn a_schema_that_cannot_be_read_is_told() {
    check(
        &metadata("broken", ""),
        &[],
        &expect![[r#"
        the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
          metadata.yaml:15:11 (remote_schemas[0].name): The schema of the remote schema shop cannot be read: it has no type `Q`, which it refers to.
    "#]],
    );
    check(
        &metadata("graphql", "").replace("http://SERVER", "http://example.com"),
        &[],
        &expect![[r#"
            the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
              metadata.yaml:15:11 (remote_schemas[0].name): The schema of the remote schema shop cannot be read: its host is not allowed; `--custom-hosts` allows it.
        "#]],
    );
    check(
        &metadata("graphql", "").replace("KEY", "NOTHING"),
        &[],
        &expect![[r#"
        the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
          metadata.yaml:20:17 (remote_schemas[0].definition.headers[0]): The environment variable NOTHING is not set.
    "#]],
    );
}

/// Metadata with a relationship from books to the other server.
fn related(relationship: &str) -> String {
    let tracked = super::TRACKED.replace(
        "      - table: {schema: public, name: book}\n",
        &format!(
            "      - table: {{schema: public, name: book}}\n        remote_relationships: [{{name: writer, \
             definition: {relationship}}}]\n"
        ),
    );
    [tracked, metadata("graphql", RENAMED)].concat()
}

async fn opened(
    database: &Database,
    metadata: &str,
) -> Result<std::sync::Arc<engine::Engine>, String> {
    let dialect = super::dialect_of(metadata)?;
    open(database, dialect, local()).await.map_err(|error| error.to_string())
}

#[test]
fn rows_have_values_of_remote_schemas() {
    let server = HttpServer::start(reply);
    let metadata = related(
        "{to_remote_schema: {remote_schema: shop, lhs_fields: [author_id], remote_field: {author_by_pk: \
         {arguments: {id: $author_id}}}}}",
    );
    let metadata = metadata.replace("SERVER", &server.address.to_string());
    let database = Database::new();
    let text = block_on(async {
        let worker = Worker::new(opened(&database, &metadata).await.unwrap());
        drop(server.received());
        let insert = "mutation { insert_book_one(object: {id: 13, title: \"Nobody's\"}) { writer { name } } }";
        let query = "{ book(order_by: {id: asc}) { t: title writer { name __typename } } }";
        let mut text = String::new();
        for request in [insert, query] {
            text.push_str(&ask(&worker, request, &json!({}), &Client::default()).await);
            text.push('\n');
            let mut bodies: Vec<_> =
                server.received().into_iter().map(|received| received.body).collect();
            bodies.sort();
            bodies.iter().for_each(|body| text.push_str(&format!("  {body}\n")));
        }
        text
    });
    expect![[r#"
        {"data":{"insert_book_one":{"writer":null}}}
        {"data":{"book":[{"t":"One","writer":{"name":"Ada","__typename":"Writer"}},{"t":"Two","writer":{"name":"Ada","__typename":"Writer"}},{"t":"Three","writer":{"name":"Bob","__typename":"Writer"}},{"t":"Nobody's","writer":null}]}}
          {"query":"query { f0: author_by_pk(id: 1){\nname\n__typename\n} f1: author_by_pk(id: 2){\nname\n__typename\n} }"}
    "#]].assert_eq(&text);
}

#[test]
fn remote_relationships_are_checked() {
    let server = HttpServer::start(reply);
    let mut lines = String::new();
    let to = |schema: &str, lhs: &str, field: &str| {
        format!(
            "{{to_remote_schema: {{remote_schema: {schema}, lhs_fields: {lhs}, remote_field: {field}}}}}"
        )
    };
    for relationship in [
        to("shop", "[author_id]", "{nothing: {arguments: {id: $author_id}}}"),
        to(
            "shop",
            "[author_id]",
            "{author_by_pk: {arguments: {}, field: {books: {arguments: {}}}}}",
        ),
        to("shop", "[author_id]", "{author_by_pk: {arguments: {id: true}}}"),
        to("shop", "[id]", "{author_by_pk: {arguments: {id: $author_id}}}"),
        to("shop", "[nothing]", "{author_by_pk: {arguments: {id: $nothing}}}"),
        to("shop", "[id]", "{author_by_pk: {arguments: {id: $id, x: 1}}}"),
        to("shop", "[id]", "{author: {arguments: {where: {id: {_eq: $id, _gt: [1]}}}}}"),
        to("shop", "[id]", "{author: {arguments: {limit: $id}, field: {books: {arguments: {}}}}}"),
    ] {
        let metadata = related(&relationship).replace("SERVER", &server.address.to_string());
        let database = Database::new();
        let error = block_on(opened(&database, &metadata)).map(|_| ()).unwrap_err();
        lines.push_str(error.lines().last().unwrap().split("): ").last().unwrap());
        lines.push('\n');
    }
    expect![[r#"
        The remote relationship writer: the remote schema has no query nothing.
        The remote relationship writer: author_by_pk needs id.
        The remote relationship writer: true is no value of Int!.
        The remote relationship writer: `$author_id` is not among its lhs_fields.
        The remote relationship writer: `$nothing` is no column and no computed scalar of the table.
        The remote relationship writer: author_by_pk has no x.
        The remote relationship writer: Int is no list.
        The remote relationship writer: author is no single object, which a field below it needs.
    "#]]
    .assert_eq(&lines);
}
