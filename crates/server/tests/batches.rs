//! Several requests in one body, against the built program.

use crate::program::{Answer, Folder, Server};

const QUERY: &str = r#"{"query":"{ artistById(id: 127) { id } }"}"#;
const ANSWER: &str = r#"{"data":{"artistById":{"id":127}}}"#;

fn start(folder: &Folder, options: &[&str]) -> Server {
    let file = folder.file("shop.db");
    let demo = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
    Server::start(&[demo.as_slice(), options].concat())
}

fn batch(members: &[&str]) -> String {
    format!("[{}]", members.join(","))
}

fn check(answer: &Answer, status: u16, body: &str) {
    assert_eq!((answer.status, answer.body.as_str()), (status, body));
}

#[test]
fn without_the_option_a_batch_is_refused() {
    let server = Server::sample();
    let refused = r#"{"errors":[{"message":"Batches of requests are not supported (--batching).","extensions":{"code":"BATCHING_DISABLED"}}]}"#;
    check(&server.post("", &batch(&[QUERY])), 400, refused);
    check(&server.post("", "[]"), 400, refused);
}

#[test]
fn a_batch_is_answered_in_its_order_each_request_for_itself() {
    let folder = Folder::new();
    let server = start(&folder, &["--batching"]);
    let members = [
        QUERY,
        r#"{"query":"{ noSuchField }"}"#,
        r#"{"query":"query a($id: Int!) { artistById(id: $id) { id } }","variables":{"id":1}}"#,
        "7",
        r#"{"variables":{}}"#,
        r#"{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"ab"}}}"#,
        QUERY,
    ];
    let expected = [
        ANSWER,
        r#"{"errors":[{"message":"Cannot query field \"noSuchField\" on type \"Query\".","locations":[{"line":1,"column":3}],"extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}"#,
        r#"{"data":{"artistById":{"id":1}}}"#,
        r#"{"errors":[{"message":"A request must be a JSON object.","extensions":{"code":"BAD_USER_INPUT"}}]}"#,
        r#"{"errors":[{"message":"Must provide \"query\".","extensions":{"code":"BAD_USER_INPUT"}}]}"#,
        r#"{"errors":[{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}"#,
        ANSWER,
    ];
    check(&server.post("", &batch(&members)), 200, &batch(&expected));
    let newer = "Accept: application/graphql-response+json\r\n";
    let answer = server.post(newer, &batch(&members));
    check(&answer, 200, &batch(&expected));
    let media_type = "application/graphql-response+json; charset=utf-8";
    assert_eq!(answer.header("content-type"), Some(media_type));
    // One request is answered as before, and so is a batch of one.
    check(&server.post("", QUERY), 200, ANSWER);
    check(&server.post("", &batch(&[QUERY])), 200, &batch(&[ANSWER]));
}

#[test]
fn a_batch_of_ten_is_answered_and_one_of_eleven_or_of_none_is_not() {
    let folder = Folder::new();
    let server = start(&folder, &["--batching"]);
    check(&server.post("", &batch(&[QUERY; 10])), 200, &batch(&[ANSWER; 10]));
    let refused = r#"{"errors":[{"message":"The batch has 11 requests; 10 are allowed (--max-batch).","extensions":{"code":"BATCH_TOO_LARGE"}}]}"#;
    check(&server.post("", &batch(&[QUERY; 11])), 413, refused);
    let refused = r#"{"errors":[{"message":"The batch holds no request.","extensions":{"code":"BAD_USER_INPUT"}}]}"#;
    check(&server.post("", "[]"), 400, refused);
    drop(server);
    let server = start(&folder, &["--batching", "--max-batch", "2"]);
    check(&server.post("", &batch(&[QUERY; 2])), 200, &batch(&[ANSWER; 2]));
    assert_eq!(server.post("", &batch(&[QUERY; 3])).status, 413);
}

#[test]
fn what_limits_one_request_limits_those_of_a_batch_together() {
    let folder = Folder::new();
    let server = start(&folder, &["--batching", "--max-root-fields", "4"]);
    let two = r#"{"query":"{ a: artistById(id: 127) { id } ...f } fragment f on Query { b: artistById(id: 127) { id } }"}"#;
    let answer = r#"{"data":{"a":{"id":127},"b":{"id":127}}}"#;
    check(&server.post("", &batch(&[two; 2])), 200, &batch(&[answer; 2]));
    let refused = r#"{"errors":[{"message":"The requests of the batch have 5 root fields together; 4 are allowed (--max-root-fields).","extensions":{"code":"TOO_MANY_ROOT_FIELDS"}}]}"#;
    check(&server.post("", &batch(&[two, two, QUERY])), 400, refused);
    drop(server);
    // A comma and two brackets are part of the answer too.
    let size = (2 * ANSWER.len() + 2).to_string();
    let server = start(&folder, &["--batching", "--max-response-size", &size]);
    check(&server.post("", &batch(&[QUERY; 2])), 200, &batch(&[ANSWER; 2]));
    let answer = server.post("", &batch(&[QUERY; 3]));
    assert!(
        answer.body.starts_with(&format!("[{ANSWER},{ANSWER},{{\"errors\":")),
        "{}",
        answer.body
    );
    assert!(answer.body.contains("RESPONSE_TOO_LARGE"));
}
