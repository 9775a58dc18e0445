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
fn reply(received: &Received) -> Reply {
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
    check(&metadata("graphql", RENAMED), &requests, &expect![[r#""#]]);
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
    expect![[r#""#]].assert_eq(&format!("{}\n", types.join("\n")));
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
    expect![[r#""#]].assert_eq(&text(""));
    expect![[r#""#]].assert_eq(&text("type_names: {prefix: shop_}"));
    expect![[r#""#]].assert_eq(&text("root_fields_namespace: shop"));
    expect![[r#""#]].assert_eq(&text("field_names: [{parent_type: author, prefix: x}]"));
}

#[test]
fn a_schema_that_cannot_be_read_is_told() {
    check(&metadata("broken", ""), &[], &expect![[r#""#]]);
    check(
        &metadata("graphql", "").replace("http://SERVER", "http://example.com"),
        &[],
        &expect![[r#""#]],
    );
    check(&metadata("graphql", "").replace("KEY", "NOTHING"), &[], &expect![[r#""#]]);
}
