//! Failures of the servers of actions.

use expect_test::expect;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::http::{Received, Reply};

use super::{Client, check_answers};

const ACTIONS: &str = r#"
actions:
  - name: thing
    definition:
      handler: http://SERVER/
      type: query
      output_type: Thing
      timeout: 1
      arguments: [{name: of, type: String!}]
      request_transform: {version: 2, url: "{{$base_url}}{{$body.input.of}}"}
    permissions: [{role: editor}]
  - name: things
    definition:
      handler: http://SERVER/
      type: query
      output_type: "[Thing!]!"
      arguments: [{name: of, type: String!}]
      request_transform: {version: 2, url: "{{$base_url}}{{$body.input.of}}"}
    permissions: [{role: editor}]
custom_types:
  objects:
    - name: Thing
      fields:
        - {name: id, type: ID!}
        - {name: size, type: Int}
        - {name: is_new, type: Boolean}
        - {name: kind, type: Kind}
  enums:
    - {name: Kind, values: [{value: A}]}
"#;

fn reply(received: &Received) -> Reply {
    let status = |status, body: Value| Reply::Status(status, "", body.to_string());
    match received.target.as_str() {
        "/message" => status(400, json!({"message": "too small"})),
        "/code" => status(422, json!({"message": "too small", "code": "small"})),
        "/extensions" => {
            status(400, json!({"message": "no", "extensions": {"code": "x", "more": [1]}}))
        }
        "/form" => status(400, json!({"error": "no"})),
        "/500" => status(500, json!({"message": "secret"})),
        "/redirect" => Reply::Status(302, "location: http://169.254.169.254/\r\n", String::new()),
        "/html" => Reply::Status(200, "", "<html>".to_owned()),
        "/closed" => Reply::Close,
        "/hang" => Reply::Sleep(Duration::from_secs(3)),
        "/slow" => Reply::Sleep(Duration::from_millis(700)),
        "/list" => Reply::Json(json!([{"id": 1}])),
        "/object" => Reply::Json(json!({"id": 1, "size": 2.0, "is_new": false, "kind": "A"})),
        "/missing" => Reply::Json(json!({"size": 1})),
        "/null" => Reply::Json(json!(null)),
        "/null-id" => Reply::Json(json!({"id": null})),
        "/kinds" => Reply::Json(json!({"id": "1", "size": "x", "is_new": "false", "kind": "B"})),
        "/text" => Reply::Json(json!("text")),
        _ => Reply::Status(404, "", String::new()),
    }
}

fn errors(field: &str, of: &[&str], expect: &expect_test::Expect) {
    let requests: Vec<_> = of
        .iter()
        .map(|of| {
            let text: &'static str =
                format!("{{ {field}(of: \"{of}\") {{ id size is_new kind }} }}").leak();
            (text, json!({}))
        })
        .collect();
    // What the server received is in other tests.
    let server = |received: &Received| reply(received);
    check_answers(server, ACTIONS, &requests, &editor(), expect);
}

/// A client who does not see what is sent to handlers.
fn editor() -> Client<'static> {
    Client { session: Some(json!({"x-hasura-role": "editor"})), ..Client::default() }
}

#[test]
fn errors_of_the_server_keep_their_extensions() {
    errors(
        "thing",
        &["message", "code", "extensions", "form", "500"],
        &expect![[r#"
            {"errors":[{"message":"too small","extensions":{"code":"unexpected","path":"$"}}]}
            {"errors":[{"message":"too small","extensions":{"code":"small","path":"$"}}]}
            {"errors":[{"message":"no","extensions":{"code":"x","more":[1]}}]}
            {"errors":[{"message":"the webhook reports an error without the key \"message\", which is a text","extensions":{"code":"parse-failed","path":"$"}}]}
            {"errors":[{"message":"internal error","extensions":{"code":"unexpected","path":"$"}}]}
        "#]],
    );
}

#[test]
fn connections_fail() {
    errors(
        "thing",
        &["redirect", "html", "closed", "hang"],
        &expect![[r#"
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"unexpected","path":"$"}}]}
            {"errors":[{"message":"not a valid json response from webhook","extensions":{"code":"unexpected","path":"$"}}]}
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"unexpected","path":"$"}}]}
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"unexpected","path":"$"}}]}
        "#]],
    );
}

#[test]
fn answers_have_to_fit_their_type() {
    let of = ["object", "list", "missing", "null", "null-id", "kinds", "text"];
    errors(
        "thing",
        &of,
        &expect![[r#"
            {"data":{"thing":{"id":1,"size":2.0,"is_new":false,"kind":"A"}}}
            {"errors":[{"message":"got array for the action webhook response, expecting Thing","extensions":{"code":"unexpected","path":"$"}}]}
            {"errors":[{"message":"field \"id\" expected in webhook response, but not found","extensions":{"code":"unexpected","path":"$"}}]}
            {"data":{"thing":null}}
            {"errors":[{"message":"expecting not null value for field \"id\"","extensions":{"code":"unexpected","path":"$"}}]}
            {"data":{"thing":{"id":"1","size":"x","is_new":"false","kind":"B"}}}
            {"errors":[{"message":"got scalar String for the action webhook response, expecting Thing","extensions":{"code":"unexpected","path":"$"}}]}
        "#]],
    );
    errors(
        "things",
        &["list", "object", "null"],
        &expect![[r#"
            {"data":{"things":[{"id":1,"size":null,"is_new":null,"kind":null}]}}
            {"errors":[{"message":"expecting array for the action webhook response","extensions":{"code":"unexpected","path":"$"}}]}
            {"errors":[{"message":"got null for the action webhook response","extensions":{"code":"unexpected","path":"$"}}]}
        "#]],
    );
}

#[test]
fn administrators_see_what_was_sent_and_received() {
    check_answers(
        reply,
        r#"
actions:
  - name: thing
    definition:
      handler: http://SERVER/{{SHOP}}
      type: query
      output_type: Thing
      headers: [{name: x-key, value_from_env: KEY}, {name: x-b, value: b}]
      request_transform: {version: 2, url: "http://SERVER/missing", body: {action: remove}}
    permissions: [{role: editor}]
custom_types:
  objects:
    - name: Thing
      fields: [{name: id, type: ID!}, {name: size, type: Int}]
"#,
        &[("{ thing { size } }", json!({}))],
        &Client::default(),
        &expect![[r#"
            {"errors":[{"message":"field \"id\" expected in webhook response, but not found","extensions":{"code":"unexpected","path":"$","internal":{"error":"unexpected response","request":{"url":"http://SERVER/{{SHOP}}","headers":[{"name":"x-key","value_from_env":"KEY"},{"name":"x-b","value":"b"}],"body":{"action":{"name":"thing"},"input":{},"request_query":"{ thing { size } }","session_variables":{"x-hasura-role":"admin"}},"transformed_request":{"method":"POST","body":""}},"response":{"status":200,"body":{"size":1},"headers":[{"name":"Content-Type","value":"application/json"}]}}}}]}
        "#]],
    );
}

/// The timeout of an action replaces that of all requests, which is shorter here.
#[test]
fn an_action_has_a_timeout_of_its_own() {
    errors(
        "thing",
        &["slow"],
        &expect![[r#"
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"unexpected","path":"$"}}]}
        "#]],
    );
}

#[test]
fn a_template_cannot_lead_to_other_hosts() {
    errors(
        "thing",
        &["@example.com/"],
        &expect![[r#"
            {"errors":[{"message":"not a valid json response from webhook","extensions":{"code":"unexpected","path":"$"}}]}
        "#]],
    );
    let actions = ACTIONS.replace("{{$base_url}}{{$body.input.of}}", "http://{{$body.input.of}}/");
    let requests = [
        ("{ thing(of: \"169.254.169.254\") { id } }", json!({})),
        ("{ thing(of: \"example.com\") { id } }", json!({})),
        ("{ thing(of: \"a b\") { id } }", json!({})),
    ];
    check_answers(
        reply,
        &actions,
        &requests,
        &editor(),
        &expect![[r#"
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"unexpected","path":"$"}}]}
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"unexpected","path":"$"}}]}
            {"errors":[{"message":"Request Transformation Failed","extensions":{"code":"unexpected","path":"$"}}]}
        "#]],
    );
}
