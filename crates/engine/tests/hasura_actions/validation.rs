//! Servers that check the inputs of changes: `validate_input` of permissions.

use expect_test::expect;
use serde_json::json;
use testkit::http::{Received, Reply};

use super::{Client, check_metadata, shown};

const METADATA: &str = r#"
version: 3
sources:
  - name: default
    kind: postgres
    configuration: {connection_info: {database_url: postgres://localhost/a}}
    tables:
      - table: {schema: public, name: author}
        configuration: {column_config: {name: {custom_name: title}}}
        array_relationships:
          - name: books
            using: {foreign_key_constraint_on: {column: author_id, table: {schema: public, name: book}}}
        select_permissions:
          - {role: editor, permission: {columns: "*", filter: {}}}
        insert_permissions:
          - role: editor
            permission:
              columns: "*"
              check: {}
              validate_input:
                type: http
                definition:
                  url: http://SERVER/{{SHOP}}/author
                  forward_client_headers: true
                  headers: [{name: x-key, value_from_env: KEY}]
        update_permissions:
          - role: editor
            permission:
              columns: "*"
              filter: {}
              validate_input: {type: http, definition: {url: "http://SERVER/update"}}
        delete_permissions:
          - role: editor
            permission:
              filter: {}
              validate_input: {type: http, definition: {url: "http://SERVER/delete", timeout: 1}}
      - table: {schema: public, name: book}
        select_permissions:
          - {role: editor, permission: {columns: "*", filter: {}}}
        insert_permissions:
          - role: editor
            permission:
              columns: "*"
              check: {}
              validate_input: {type: http, definition: {url: "http://SERVER/book"}}
"#;

fn reply(received: &Received) -> Reply {
    let has = |text: &str| received.body.contains(text);
    let status = |status, body: &str| Reply::Status(status, "", body.to_owned());
    match () {
        () if has("bad") => status(400, r#"{"message": "no bad words"}"#),
        () if has("odd") => status(400, "odd"),
        () if has("broken") => status(500, r#"{"message": "secret"}"#),
        () if has("gone") => Reply::Close,
        () => status(200, ""),
    }
}

fn editor() -> Client<'static> {
    Client {
        session: Some(json!({"x-hasura-role": "editor", "x-hasura-user-id": "7"})),
        headers: &[("authorization", "Bearer x")],
    }
}

#[test]
fn servers_receive_the_inputs_before_anything_is_executed() {
    let requests = [
        (
            r#"mutation ($books: [book_insert_input!]!) { insert_author(objects: [
                {id: 8, title: "H", books: {data: $books}}, {id: 9, title: "I"}
            ]) { affected_rows } }"#,
            json!({"books": [{"id": 80, "title": "x"}, {"id": 81, "title": "y"}]}),
        ),
        (
            r#"mutation { a: update_author(where: {id: {_eq: 8}}, _set: {title: "J"}) { affected_rows }
               update_author_by_pk(pk_columns: {id: 9}, _set: {title: "K"}) { title }
               update_author_many(updates: [{where: {id: {_eq: 9}}, _inc: {id: 1}}]) { affected_rows } }"#,
            json!({}),
        ),
        (
            "mutation { delete_author(where: {id: {_eq: 7}}) { affected_rows } delete_author_by_pk(id: 10) { id } }",
            json!({}),
        ),
    ];
    check_metadata(
        reply,
        METADATA,
        &requests,
        &editor(),
        shown,
        &expect![[r#"
        {"data":{"insert_author":{"affected_rows":4}}}
          POST /shop/author
            authorization: Bearer x
            content-type: application/json
            x-key: secret
            {"version":1,"role":"editor","session_variables":{"x-hasura-role":"editor","x-hasura-user-id":"7"},"data":{"input":[{"id":8,"name":"H","books":{"data":[{"id":80,"title":"x"},{"id":81,"title":"y"}]}},{"id":9,"name":"I"}]}}
          POST /book
            content-type: application/json
            {"version":1,"role":"editor","session_variables":{"x-hasura-role":"editor","x-hasura-user-id":"7"},"data":{"input":[{"id":80,"title":"x"},{"id":81,"title":"y"}]}}
        {"data":{"a":{"affected_rows":1},"update_author_by_pk":{"title":"K"},"update_author_many":[{"affected_rows":1}]}}
          POST /update
            content-type: application/json
            {"version":1,"role":"editor","session_variables":{"x-hasura-role":"editor","x-hasura-user-id":"7"},"data":{"input":[{"_set":{"title":"J"},"where":{"id":{"_eq":8}}}]}}
          POST /update
            content-type: application/json
            {"version":1,"role":"editor","session_variables":{"x-hasura-role":"editor","x-hasura-user-id":"7"},"data":{"input":[{"_set":{"title":"K"},"pk_columns":{"id":9}}]}}
          POST /update
            content-type: application/json
            {"version":1,"role":"editor","session_variables":{"x-hasura-role":"editor","x-hasura-user-id":"7"},"data":{"input":[{"where":{"id":{"_eq":9}},"_inc":{"id":1}}]}}
        {"data":{"delete_author":{"affected_rows":0},"delete_author_by_pk":{"id":10}}}
          POST /delete
            content-type: application/json
            {"version":1,"role":"editor","session_variables":{"x-hasura-role":"editor","x-hasura-user-id":"7"},"data":{"input":[{"where":{"id":{"_eq":7}}}]}}
          POST /delete
            content-type: application/json
            {"version":1,"role":"editor","session_variables":{"x-hasura-role":"editor","x-hasura-user-id":"7"},"data":{"input":[{"pk_columns":{"id":10}}]}}
    "#]],
    );
}

#[test]
fn refused_inputs_change_nothing() {
    let one = |title: &str| -> (&'static str, serde_json::Value) {
        let text = format!(
            "mutation {{ first: insert_author_one(object: {{id: 50, title: \"x\"}}) {{ id }} \
             insert_author_one(object: {{id: 51, title: \"{title}\"}}) {{ id }} }}"
        );
        (text.leak(), json!({}))
    };
    let requests = [
        one("bad"),
        one("odd"),
        one("broken"),
        one("gone"),
        ("{ author(where: {id: {_gte: 50}}) { id } }", json!({})),
    ];
    check_metadata(
        reply,
        METADATA,
        &requests,
        &editor(),
        |_| String::new(),
        &expect![[r#"
        {"errors":[{"message":"no bad words","extensions":{"code":"validation-failed","path":"$"}}]}
        {"errors":[{"message":"received invalid response from input validation webhook","extensions":{"code":"unexpected","path":"$"}}]}
        {"errors":[{"message":"internal error when validating input data","extensions":{"code":"unexpected","path":"$"}}]}
        {"errors":[{"message":"http exception when validating input data","extensions":{"code":"unexpected","path":"$"}}]}
        {"data":{"author":[]}}
    "#]],
    );
}

/// The administrator has no permission with a check.
#[test]
fn administrators_are_not_checked() {
    let mutation = "mutation { insert_author_one(object: {id: 60, title: \"bad\"}) { id } }";
    let requests = [(mutation, json!({}))];
    check_metadata(
        reply,
        METADATA,
        &requests,
        &Client::default(),
        shown,
        &expect![[r#"
        {"data":{"insert_author_one":{"id":60}}}
    "#]],
    );
}
