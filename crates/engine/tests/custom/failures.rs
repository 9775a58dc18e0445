//! Failures of other servers: errors at their fields, and everything else in the answer.

use std::time::Duration;

use engine::ResolverOptions;
use expect_test::expect;
use serde_json::{Value, json};
use testkit::http::{Received, Reply};

use super::{Database, ask, block_on, check, check_with, local, open};

const TYPES: &str = r#"
    type Thing @remote { name: String! size: Int when: DateTime }
    type Row {
        id: ID!
        name: String! @id
        rows: [Row]
        one: String @custom(http: {url: "http://SERVER/one/$name", method: GET})
        required: String! @custom(http: {url: "http://SERVER/required/$name", method: GET})
        all: String @custom(http: {url: "http://SERVER/all", method: POST, mode: BATCH, body: "{id: $id}"})
    }
    type Query {
        status(of: String!): String @custom(http: {url: "http://SERVER/status/$of", method: GET})
        things(of: String!): [Thing] @custom(http: {url: "http://SERVER/things/$of", method: GET})
        thing(of: String!): Thing @custom(http: {url: "http://SERVER/thing/$of", method: GET})
    }
"#;

const ROWS: &str =
    r#"mutation { addRow(input: [{name: "a", rows: [{name: "b"}, {name: "bad"}]}]) { numUids } }"#;

fn reply(received: &Received) -> Reply {
    let status = |status, body: &str| Reply::Status(status, "", body.to_owned());
    match received.target.as_str() {
        "/status/500" => status(500, "oops <html>"),
        "/status/404" => status(404, r#"{"message":"no"}"#),
        "/status/422" => {
            status(422, r#"{"errors":[{"message":"too small"},{"message":"too old"}]}"#)
        }
        "/status/302" => {
            Reply::Status(302, "location: http://169.254.169.254/latest\r\n", String::new())
        }
        "/status/hang" => Reply::Sleep(Duration::from_secs(3)),
        "/status/drip" => Reply::Drip(Duration::from_millis(50)),
        "/status/closed" => Reply::Close,
        "/status/cut" => Reply::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n\"cut".to_vec()),
        "/status/noise" => Reply::Raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n".to_vec()),
        "/status/html" => Reply::Status(200, "content-type: text/html\r\n", "<html>".to_owned()),
        "/status/empty" => status(200, ""),
        "/status/text" => Reply::Status(200, "content-type: text/plain\r\n", "\"text\"".to_owned()),
        "/status/large" => status(200, &format!("\"{}\"", "x".repeat(10 << 20))),
        "/status/endless" => {
            let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, "x".repeat(1 << 20));
            let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
            Reply::Raw([head, &chunk, &chunk, &chunk].concat().into_bytes())
        }
        "/status/object" => Reply::Json(json!({ "a": 1 })),
        "/status/list" => Reply::Json(json!(["only"])),
        "/status/deep" => status(200, &"[".repeat(100_000)),
        "/things/mixed" => Reply::Json(
            json!([{ "name": "a", "size": 2.5 }, { "size": 1 }, 5, null, { "name": "b", "when": "never" }]),
        ),
        "/things/object" => Reply::Json(json!({ "name": "a" })),
        "/things/500" => status(500, ""),
        "/thing/two" => Reply::Json(json!([{ "name": "a" }, { "name": "b" }])),
        "/thing/one" => Reply::Json(json!([{ "name": "a" }])),
        "/thing/null" => Reply::Json(Value::Null),
        "/all" => Reply::Json(json!(["only one"])),
        target if target.ends_with("/bad") => status(500, ""),
        target => Reply::Json(json!(target)),
    }
}

#[test]
fn a_failure_is_an_error_of_its_field() {
    let requests: Vec<String> = [
        "500", "404", "422", "302", "hang", "drip", "closed", "cut", "noise", "html", "empty",
        "text", "large", "endless", "object", "list", "deep", "..",
    ]
    .iter()
    .map(|of| format!("{{ status(of: \"{of}\") queryRow {{ name }} }}"))
    .collect();
    let requests: Vec<&str> = requests.iter().map(String::as_str).collect();
    check(
        reply,
        TYPES,
        "",
        &requests,
        &expect![[r#"
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: unexpected error with: 500 for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_ERROR"}}]}
          GET /status/500 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: unexpected error with: 404 for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_ERROR"}}]}
          GET /status/404 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"too small","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_ERROR"}},{"message":"too old","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_ERROR"}}]}
          GET /status/422 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: unexpected error with: 302 for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_ERROR"}}]}
          GET /status/302 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: it did not respond in time for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_TIMEOUT"}}]}
          GET /status/hang 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: it did not respond in time for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_TIMEOUT"}}]}
          GET /status/drip 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: its response was truncated for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
          GET /status/closed 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: its response was truncated for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
          GET /status/cut 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: its response was truncated for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
          GET /status/noise 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because json unmarshalling result of external request failed (with error: expected value at line 1 column 1) for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
          GET /status/html 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because json unmarshalling result of external request failed (with error: EOF while parsing a value at line 1 column 0) for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
          GET /status/empty 
        {"data":{"status":"text","queryRow":[]}}
          GET /status/text 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: its response has more than 1048576 bytes for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_RESPONSE_TOO_LARGE"}}]}
          GET /status/large 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: its response has more than 1048576 bytes for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_RESPONSE_TOO_LARGE"}}]}
          GET /status/endless 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"An object type was returned, but GraphQL was expecting a scalar. This indicates a mismatch between the GraphQL and remote schemas. The value was resolved as null (which may trigger GraphQL error propagation) and as much other data as possible returned.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
          GET /status/object 
        {"data":{"status":"only","queryRow":[]}}
          GET /status/list 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because json unmarshalling result of external request failed (with error: EOF while parsing a list at line 1 column 100000) for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
          GET /status/deep 
        {"data":{"status":null,"queryRow":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: its URL: `..` would lead to another path for field: status within type: Query.","locations":[{"line":1,"column":3}],"path":["status"],"extensions":{"code":"BAD_USER_INPUT"}}]}
    "#]],
    );
}

#[test]
fn values_that_do_not_fit_the_schema_are_errors_at_their_paths() {
    check(
        reply,
        TYPES,
        "",
        &[
            r#"{ things(of: "mixed") { name size when } }"#,
            r#"{ things(of: "object") { name } }"#,
            r#"{ things(of: "500") { name } }"#,
            r#"{ thing(of: "two") { name } }"#,
            r#"{ thing(of: "one") { name } }"#,
            r#"{ thing(of: "null") { name } }"#,
        ],
        &expect![[r#"
            {"data":{"things":[{"name":"a","size":null,"when":null},null,null,null,{"name":"b","size":null,"when":null}]},"errors":[{"message":"Error coercing value '2.5' for field 'size' to type Int.","locations":[{"line":1,"column":3}],"path":["things",0,"size"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}},{"message":"Non-nullable field 'name' (type String!) was not present in result from Dgraph.  GraphQL error propagation triggered.","locations":[{"line":1,"column":3}],"path":["things",1,"name"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}},{"message":"Error coercing value '5' for field 'things' to type Thing.","locations":[{"line":1,"column":3}],"path":["things",2],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}},{"message":"Error coercing value 'never' for field 'when' to type DateTime.","locations":[{"line":1,"column":3}],"path":["things",4,"when"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
              GET /things/mixed 
            {"data":{"things":null},"errors":[{"message":"An item was returned, but GraphQL was expecting a list of items. This indicates a mismatch between the GraphQL and remote schemas. The value was resolved as null (which may trigger GraphQL error propagation) and as much other data as possible returned.","locations":[{"line":1,"column":3}],"path":["things"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
              GET /things/object 
            {"data":{"things":[]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: unexpected error with: 500 for field: things within type: Query.","locations":[{"line":1,"column":3}],"path":["things"],"extensions":{"code":"RESOLVER_ERROR"}}]}
              GET /things/500 
            {"data":{"thing":null},"errors":[{"message":"A list was returned, but GraphQL was expecting just one item. This indicates a mismatch between the GraphQL and remote schemas. The value was resolved as null (which may trigger GraphQL error propagation) and as much other data as possible returned.","locations":[{"line":1,"column":3}],"path":["thing"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
              GET /thing/two 
            {"data":{"thing":{"name":"a"}}}
              GET /thing/one 
            {"data":{"thing":null}}
              GET /thing/null 
        "#]],
    );
}

#[test]
fn fields_of_rows_fail_alone() {
    check(
        reply,
        TYPES,
        ROWS,
        &[
            "{ queryRow(order: {asc: name}) { name one } }",
            "{ getRow(name: \"a\") { name rows(order: {asc: name}) { name required } } }",
            "{ queryRow(order: {asc: name}) { name all } }",
        ],
        &expect![[r#"
            {"data":{"queryRow":[{"name":"a","one":"/one/a"},{"name":"b","one":"/one/b"},{"name":"bad","one":null}]},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: unexpected error with: 500 for field: one within type: Row.","locations":[{"line":1,"column":39}],"path":["queryRow",2,"one"],"extensions":{"code":"RESOLVER_ERROR"}}]}
              GET /one/a 
              GET /one/b 
              GET /one/bad 
            {"data":{"getRow":{"name":"a","rows":[{"name":"b","required":"/required/b"},null]}},"errors":[{"message":"Evaluation of custom field failed because external request returned an error: unexpected error with: 500 for field: required within type: Row.","locations":[{"line":1,"column":60}],"path":["getRow","rows",1,"required"],"extensions":{"code":"RESOLVER_ERROR"}}]}
              GET /required/b 
              GET /required/bad 
            {"data":{"queryRow":[{"name":"a","all":null},{"name":"b","all":null},{"name":"bad","all":null}]},"errors":[{"message":"Evaluation of custom field failed because expected result of external BATCH request to be of size 3, got: 1 for field: all within type: Row.","locations":[{"line":1,"column":39}],"path":["queryRow",0,"all"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
              POST /all [{"id":"0x1"},{"id":"0x2"},{"id":"0x3"}]
        "#]],
    );
}

#[test]
fn requests_of_one_operation_are_limited() {
    check_with(
        ResolverOptions { most_calls: 2, ..local() },
        reply,
        TYPES,
        ROWS,
        &["{ queryRow { name one } }", "{ queryRow(first: 2) { one } }"],
        &expect![[r#"
            {"data":{"queryRow":[{"name":"a","one":null},{"name":"b","one":null},{"name":"bad","one":null}]},"errors":[{"message":"The operation needs more than 2 requests to other servers: select fewer rows, or fewer custom fields.","locations":[{"line":1,"column":19}],"path":["queryRow",0,"one"],"extensions":{"code":"TOO_MANY_CALLS"}}]}
            {"data":{"queryRow":[{"one":"/one/a"},{"one":"/one/b"}]}}
              GET /one/a 
              GET /one/b 
        "#]],
    );
}

#[test]
fn errors_and_logs_have_no_secrets() {
    const TYPES: &str = r#"
        type A { id: ID! name: String }
        type Query { a: String @custom(http: {
            url: "http://127.0.0.1:1/a?key=PASSWORD", method: GET, secretHeaders: ["X-Key:key"]
        }) }
        # Dgraph.Secret key "PASSWORD"
    "#;
    let database = Database::new();
    let answer = block_on(async {
        let worker = open(&database, TYPES, local()).await.unwrap();
        let answer = ask(&worker, "{ a }", "{}", &[]).await;
        let request = graphql::Request { query: "{ a }".to_owned(), ..graphql::Request::default() };
        let explained = worker.explain(&request, &engine::Session::default(), false).await.unwrap();
        format!("{answer}\n{explained}\n{:?}", worker.engine())
    });
    assert!(answer.contains("RESOLVER_UNAVAILABLE"), "{answer}");
    assert!(answer.contains("Query.a: GET http://127.0.0.1:1/a?key=…"), "{answer}");
    assert!(!answer.contains("PASSWORD"), "{answer}");
}
