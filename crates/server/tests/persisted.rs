//! Documents that clients name instead of sending them, against the built program.

use std::fs;
use std::io::BufRead;

use sha2::Digest;

use crate::program::{Answer, Folder, Server, outcome, run};

const TEXT: &str = "query One($id: Int!) { artistById(id: $id) { id } }";
const ANSWER: &str = r#"{"data":{"artistById":{"id":127}}}"#;
const NOT_FOUND: &str = r#"{"errors":[{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}"#;
const NOT_TRUSTED: &str = r#"{"errors":[{"message":"Only documents that the server was given are executed (--only-trusted).","extensions":{"code":"OPERATION_NOT_TRUSTED"}}]}"#;
const NEWER: &str = "Accept: application/graphql-response+json\r\n";

fn start(folder: &Folder, options: &[&str]) -> Server {
    let file = folder.file("shop.db");
    let demo = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
    Server::start(&[demo.as_slice(), options].concat())
}

fn hash(text: &str) -> String {
    sha2::Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What Apollo's clients send first.
fn by_hash(hash: &str) -> String {
    format!(
        r#"{{"operationName":"One","variables":{{"id":127}},"extensions":{{"persistedQuery":{{"version":1,"sha256Hash":"{hash}"}}}}}}"#
    )
}

/// What they send when that was not known.
fn with_text(text: &str, hash: &str) -> String {
    by_hash(hash).replacen('{', &format!(r#"{{"query":"{text}","#), 1)
}

fn by_id(name: &str, id: &str) -> String {
    format!(r#"{{"{name}":"{id}","variables":{{"id":127}}}}"#)
}

fn check(answer: &Answer, status: u16, body: &str) {
    assert_eq!((answer.status, answer.body.as_str()), (status, body));
}

#[test]
fn a_document_that_was_sent_once_is_known_by_its_hash() {
    let server = Server::sample();
    let hash = hash(TEXT);
    for accept in ["", NEWER] {
        check(&server.post(accept, &by_hash(&hash)), 200, NOT_FOUND);
    }
    check(&server.post("", &with_text(TEXT, &hash)), 200, ANSWER);
    check(&server.post("", &by_hash(&hash)), 200, ANSWER);
    check(&server.post("", &by_id("documentId", &format!("sha256:{hash}"))), 200, ANSWER);
    let target = format!(
        "/graphql?variables=%7B%22id%22:127%7D&extensions=%7B%22persistedQuery%22:\
         %7B%22version%22:1,%22sha256Hash%22:%22{hash}%22%7D%7D"
    );
    check(&server.get(&target, ""), 200, ANSWER);
}

#[test]
fn a_get_makes_a_document_known_too() {
    let server = Server::sample();
    let text = "{artistById(id:127){id}}";
    let hash = hash(text);
    let extensions = format!(
        "extensions=%7B%22persistedQuery%22:%7B%22version%22:1,%22sha256Hash%22:%22{hash}%22%7D%7D"
    );
    check(&server.get(&format!("/graphql?{extensions}"), ""), 200, NOT_FOUND);
    check(&server.get(&format!("/graphql?query={text}&{extensions}"), ""), 200, ANSWER);
    check(&server.get(&format!("/graphql?{extensions}"), ""), 200, ANSWER);
}

#[test]
fn a_wrong_hash_is_400_and_what_is_not_valid_is_not_kept() {
    let server = Server::sample();
    let other = hash("{ __typename }");
    let answer = server.post("", &with_text(TEXT, &other));
    let refused = r#"{"errors":[{"message":"The id of the document is that of another: provided sha does not match query.","extensions":{"code":"BAD_USER_INPUT"}}]}"#;
    check(&answer, 400, refused);
    check(&server.post("", &by_hash(&other)), 200, NOT_FOUND);
    for text in ["{", "{ noSuchField }"] {
        let hash = hash(text);
        assert!(server.post("", &with_text(text, &hash)).body.contains("errors"));
        check(&server.post("", &by_hash(&hash)), 200, NOT_FOUND);
    }
    for (persisted, message) in [
        (r#""x""#, "must be an object"),
        (r#"{"version":2,"sha256Hash":"ab"}"#, "Unsupported persisted query version"),
        (r#"{"version":1}"#, "must be a string"),
    ] {
        let body = format!(r#"{{"extensions":{{"persistedQuery":{persisted}}}}}"#);
        let answer = server.post("", &body);
        assert!(answer.status == 400 && answer.body.contains(message), "{}", answer.body);
    }
}

#[test]
fn without_apq_a_client_is_told_so_and_its_documents_are_executed() {
    let folder = Folder::new();
    let server = start(&folder, &["--apq", "false"]);
    let hash = hash(TEXT);
    let unsupported = r#"{"errors":[{"message":"PersistedQueryNotSupported","extensions":{"code":"PERSISTED_QUERY_NOT_SUPPORTED"}}]}"#;
    check(&server.post("", &by_hash(&hash)), 200, unsupported);
    check(&server.post("", &with_text(TEXT, &hash)), 200, ANSWER);
    check(&server.post("", &by_hash(&hash)), 200, unsupported);
}

#[test]
fn the_documents_take_no_more_memory_than_they_may() {
    let folder = Folder::new();
    let server = start(&folder, &["--apq-cache-size", "100"]);
    let hash = hash(TEXT);
    check(&server.post("", &with_text(TEXT, &hash)), 200, ANSWER);
    check(&server.post("", &by_hash(&hash)), 200, NOT_FOUND);
}

fn relay(documents: &[(&str, &str)]) -> String {
    let documents = documents.iter().map(|(id, text)| format!(r#""{id}":"{text}""#));
    format!("{{{}}}", documents.collect::<Vec<_>>().join(","))
}

#[test]
fn trusted_documents_are_known_by_the_ids_of_relays_file() {
    let folder = Folder::new();
    let manifest = folder.file("queries.json");
    fs::write(&manifest, relay(&[("5f4d", TEXT)])).unwrap();
    let server = start(&folder, &["--trusted-documents", manifest.to_str().unwrap()]);
    for name in ["documentId", "doc_id", "id"] {
        check(&server.post("", &by_id(name, "5f4d")), 200, ANSWER);
        check(&server.post("", &by_id(name, "5f4e")), 200, NOT_FOUND);
        let target = format!("/graphql?{name}=5f4d&variables=%7B%22id%22:127%7D");
        check(&server.get(&target, ""), 200, ANSWER);
    }
    check(&server.post("", &by_hash("5f4d")), 200, ANSWER);
    check(&server.post("", &by_hash(&hash(TEXT))), 200, ANSWER);
    // An id with a document that is not its own.
    let both = by_id("documentId", "5f4d").replacen('{', r#"{"query":"{ __typename }","#, 1);
    assert_eq!(server.post("", &both).status, 400);
    let both = by_id("documentId", "5f4d").replacen('{', &format!(r#"{{"query":"{TEXT}","#), 1);
    check(&server.post("", &both), 200, ANSWER);
    // Others are executed all the same.
    let other = r#"{"query":"{ artistById(id: 127) { id } }"}"#;
    check(&server.post("", other), 200, ANSWER);
}

#[test]
fn only_trusted_documents_are_executed_where_that_was_said() {
    let folder = Folder::new();
    let manifest = folder.file("manifest.json");
    let operation =
        format!(r#"{{"id":"{}","name":"One","type":"query","body":"{TEXT}"}}"#, hash(TEXT));
    let apollo = format!(
        r#"{{"format":"apollo-persisted-query-manifest","version":1,"operations":[{operation}]}}"#
    );
    fs::write(&manifest, apollo).unwrap();
    let manifest = manifest.to_str().unwrap();
    let server = start(&folder, &["--trusted-documents", manifest, "--only-trusted"]);
    check(&server.post("", &by_hash(&hash(TEXT))), 200, ANSWER);
    check(&server.post("", &with_text(TEXT, &hash(TEXT))), 200, ANSWER);
    let text = format!(r#"{{"query":"{TEXT}","variables":{{"id":127}}}}"#);
    check(&server.post("", &text), 200, ANSWER);
    for text in ["{ __typename }", "{ __schema { queryType { name } } }", "{"] {
        let hash = hash(text);
        check(&server.post("", &format!(r#"{{"query":"{text}"}}"#)), 403, NOT_TRUSTED);
        check(&server.post(NEWER, &with_text(text, &hash)), 403, NOT_TRUSTED);
        check(&server.post("", &by_hash(&hash)), 200, NOT_FOUND);
    }
    let target = "/graphql?query=%7B__typename%7D";
    check(&server.get(target, ""), 403, NOT_TRUSTED);
    // What explains requests explains trusted ones only.
    let explain = "POST /explain HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
        Content-Length: 26\r\n\r\n{\"query\":\"{ __typename }\"}";
    assert_eq!(server.send(explain.as_bytes()).status, 403);
}

#[test]
fn a_file_that_cannot_be_used_ends_the_start_and_documents_of_older_clients_do_not() {
    let folder = Folder::new();
    let manifest = folder.file("queries.json");
    let file = folder.file("shop.db");
    let demo = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
    let manifest_option = ["--trusted-documents", manifest.to_str().unwrap()];
    let fails = |options: &[&str], expected_code: i32, message: &str| {
        let (code, _, error) = outcome(&run(&[demo.as_slice(), options].concat()));
        assert_eq!(code, Some(expected_code), "{error}");
        assert!(error.contains(message), "{error}");
    };
    fails(&manifest_option, 1, "queries.json: it cannot be read");
    fs::write(&manifest, "[]").unwrap();
    fails(&manifest_option, 1, "an object of ids with their documents is wanted");
    fails(&["--only-trusted"], 2, "`--only-trusted` needs `--trusted-documents`");

    fs::write(&manifest, relay(&[("old", "{ noSuchField }"), ("new", TEXT)])).unwrap();
    let server = start(&folder, &manifest_option);
    check(&server.post("", &by_id("documentId", "new")), 200, ANSWER);
    let answer = server.post("", &by_id("documentId", "old"));
    assert!(answer.body.contains("GRAPHQL_VALIDATION_FAILED"), "{}", answer.body);
    assert!(
        server.said.contains("a trusted document does not fit the schema id=\"old\""),
        "{}",
        server.said
    );
}

#[test]
fn a_reload_reads_the_file_again_and_keeps_what_was_learnt() {
    let folder = Folder::new();
    let manifest = folder.file("queries.json");
    fs::write(&manifest, relay(&[("first", TEXT)])).unwrap();
    let file = folder.file("shop.db");
    drop(Server::demo(&file));
    let mut server = Server::start(&[
        "serve",
        file.to_str().unwrap(),
        "--listen",
        "127.0.0.1:0",
        "--trusted-documents",
        manifest.to_str().unwrap(),
    ]);
    let learnt = "{ artistById(id: 127) { id name } }";
    assert_eq!(
        server.post("", &with_text(learnt, &hash(learnt)).replace("\"One\"", "null")).status,
        200
    );
    fs::write(&manifest, relay(&[("second", TEXT)])).unwrap();
    server.signal("HUP");
    let mut line = String::new();
    while !line.contains("reloaded; new requests") {
        line.clear();
        assert!(server.log.read_line(&mut line).unwrap() > 0, "the log has ended");
    }
    // The thread takes the new generation with its next step.
    let mut answer = server.post("", &by_id("documentId", "second"));
    for _ in 0..100 {
        if answer.body == ANSWER {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        answer = server.post("", &by_id("documentId", "second"));
    }
    check(&answer, 200, ANSWER);
    check(&server.post("", &by_id("documentId", "first")), 200, NOT_FOUND);
    let known = server.post("", &by_hash(&hash(learnt)).replace("\"One\"", "null"));
    assert!(known.body.contains("\"data\""), "{}", known.body);
}
