//! Failures of the servers of actions.

use expect_test::expect;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::http::{Received, Reply};

use super::{Client, check};

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
  - name: things
    definition:
      handler: http://SERVER/
      type: query
      output_type: "[Thing!]!"
      arguments: [{name: of, type: String!}]
      request_transform: {version: 2, url: "{{$base_url}}{{$body.input.of}}"}
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
    super::check_answers(server, ACTIONS, &requests, &Client::default(), expect);
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
            {"errors":[{"message":"the webhook reports an error without the key \"message\", which is a text","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
            {"errors":[{"message":"internal error","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
        "#]],
    );
}

#[test]
fn connections_fail() {
    errors(
        "thing",
        &["redirect", "html", "closed", "hang"],
        &expect![[r#"
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
            {"errors":[{"message":"not a valid json response from webhook","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"http-exception","path":"$.selectionSet.thing"}}]}
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
            {"data":{"thing":{"id":"1","size":2,"is_new":false,"kind":"A"}}}
            {"errors":[{"message":"got array for the action webhook response, expecting Thing","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
            {"errors":[{"message":"field \"id\" expected in webhook response, but not found","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
            {"data":{"thing":null}}
            {"errors":[{"message":"expecting not null value for field \"id\"","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
            {"errors":[{"message":"got scalar String for the action webhook response, expecting Int","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
            {"errors":[{"message":"got scalar String for the action webhook response, expecting Thing","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
        "#]],
    );
    errors(
        "things",
        &["list", "object", "null"],
        &expect![[r#"
            {"data":{"things":[{"id":"1","size":null,"is_new":null,"kind":null}]}}
            {"errors":[{"message":"expecting array for the action webhook response","extensions":{"code":"remote-schema-error","path":"$.selectionSet.things"}}]}
            {"errors":[{"message":"got null for the action webhook response","extensions":{"code":"remote-schema-error","path":"$.selectionSet.things"}}]}
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
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
        "#]],
    );
}

#[test]
fn a_template_cannot_lead_to_other_hosts() {
    errors(
        "thing",
        &["@example.com/"],
        &expect![[r#"
            {"errors":[{"message":"not a valid json response from webhook","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
        "#]],
    );
    let actions = ACTIONS.replace("{{$base_url}}{{$body.input.of}}", "http://{{$body.input.of}}/");
    let requests = [
        ("{ thing(of: \"169.254.169.254\") { id } }", json!({})),
        ("{ thing(of: \"example.com\") { id } }", json!({})),
        ("{ thing(of: \"a b\") { id } }", json!({})),
    ];
    check(
        reply,
        &actions,
        &requests,
        &Client::default(),
        &expect![[r#"
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"http-exception","path":"$.selectionSet.thing"}}]}
            {"errors":[{"message":"http exception when calling webhook","extensions":{"code":"http-exception","path":"$.selectionSet.thing"}}]}
            {"errors":[{"message":"Request Transformation Failed","extensions":{"code":"remote-schema-error","path":"$.selectionSet.thing"}}]}
        "#]],
    );
}
