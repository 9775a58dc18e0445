//! What holds of every server holds of this one.

use std::time::Duration;

use serde_json::json;
use sha2::Digest;

use crate::gateway::site::{PRODUCTS, QUERY, Site};
use crate::gateway::stubs::Fault;

#[test]
fn a_query_is_answered_by_all_who_know_a_part() {
    let site = Site::start(&[]);
    assert_eq!(site.query(QUERY), PRODUCTS);
    let asked = site.stubs.asked();
    let paths: Vec<_> = asked.iter().map(|asked| asked.path.as_str()).collect();
    assert_eq!(paths, ["/shop", "/stock"]);
    let representations = &asked[1].body["variables"]["representations0"];
    let expected = json!([
        { "__typename": "Product", "upc": "1" },
        { "__typename": "Product", "upc": "2" }
    ]);
    assert_eq!(*representations, expected);
}

#[test]
fn a_query_may_come_by_get_and_a_mutation_may_not() {
    let site = Site::start(&[]);
    let answer = site.server.get("/graphql?query=%7Bstores%7D", "");
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"data":{"stores":3}}"#));
    let mutation = "mutation%7Brename(upc:1,name:%22a%22)%7Bupc%7D%7D";
    let answer = site.server.get(&format!("/graphql?query={mutation}"), "");
    assert_eq!(answer.status, 405, "{}", answer.body);
    assert!(answer.body.contains("METHOD_NOT_ALLOWED"), "{}", answer.body);
    assert_eq!(site.stubs.asked().len(), 1);
    let answer = site.query(r#"mutation { rename(upc: 1, name: "a") { upc inStock } }"#);
    assert_eq!(answer, r#"{"data":{"rename":{"upc":"1","inStock":true}}}"#);
}

#[test]
fn variables_reach_the_subgraph_that_needs_them() {
    let site = Site::start(&[]);
    let body = json!({
        "query": "query ($upc: ID!, $with: Boolean!) {
            product(upc: $upc) { name inStock @include(if: $with) } stores @skip(if: $with) }",
        "variables": { "upc": 1, "with": true },
    });
    let answer = site.server.post("", &body.to_string()).body;
    assert_eq!(answer, r#"{"data":{"product":{"name":"Product 1","inStock":true}}}"#);
    let asked = site.stubs.asked();
    assert_eq!(asked[0].body["variables"], json!({ "upc": "1" }));
    assert_eq!(asked[1].body["variables"].as_object().unwrap().len(), 1);
}

#[test]
fn documents_are_known_by_their_hashes() {
    let site = Site::start(&[]);
    let hash = "9b2ee1b3e7fdb7f31b8e1fc3e26fc4df1ca92f0aeb9d3b6a1b1c3b0d4ec36a1e";
    let extension = json!({ "persistedQuery": { "version": 1, "sha256Hash": hash } });
    let answer = site.server.post("", &json!({ "extensions": extension }).to_string());
    assert!(answer.body.contains("PERSISTED_QUERY_NOT_FOUND"), "{}", answer.body);
    let hash = sha2::Sha256::digest("{stores}");
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let extension = json!({ "persistedQuery": { "version": 1, "sha256Hash": hash } });
    let first = json!({ "query": "{stores}", "extensions": extension }).to_string();
    assert_eq!(site.server.post("", &first).body, r#"{"data":{"stores":3}}"#);
    let second = json!({ "extensions": extension }).to_string();
    assert_eq!(site.server.post("", &second).body, r#"{"data":{"stores":3}}"#);
}

#[test]
fn several_requests_may_come_in_one_body() {
    let site = Site::start(&["--batching"]);
    let body = r#"[{"query":"{stores}"},{"query":"{nothing}"},{"query":"{products{upc}}"}]"#;
    let answer = site.server.post("", body).body;
    assert!(answer.starts_with(r#"[{"data":{"stores":3}},{"errors":"#), "{answer}");
    let last = r#"{"data":{"products":[{"upc":"1"},{"upc":"2"}]}}]"#;
    assert!(answer.ends_with(last), "{answer}");
}

#[test]
fn limits_hold() {
    let site = Site::start(&["--max-depth", "2", "--max-aliases", "3", "--max-tokens", "40"]);
    let check = |query: &str, code: &str| {
        let answer = site.query(query);
        assert!(answer.contains(code), "{query}: {answer}");
    };
    check("{ products { upc { a { b } } } }", "QUERY_TOO_DEEP");
    check("{ a: stores b: stores c: stores d: stores }", "TOO_MANY_ALIASES");
    check(&["{ ", &"stores ".repeat(50), "}"].concat(), "QUERY_TOO_LARGE");
    assert_eq!(site.stubs.asked().len(), 0);
    assert_eq!(site.query("{ stores }"), r#"{"data":{"stores":3}}"#);
}

#[test]
fn the_schema_is_told_or_not() {
    let question = "{ __schema { queryType { name } } }";
    let site = Site::start(&[]);
    assert_eq!(site.query(question), r#"{"data":{"__schema":{"queryType":{"name":"Query"}}}}"#);
    let with_data = site.query("{ stores __type(name: \"join__Graph\") { name } }");
    assert_eq!(with_data, r#"{"data":{"stores":3,"__type":null}}"#);
    assert_eq!(site.server.get("/", "Accept: text/html\r\n").status, 200);
    let site = Site::start(&["--introspection", "off", "--graphiql", "off"]);
    assert!(site.query(question).contains("INTROSPECTION_DISABLED"));
    assert_eq!(
        site.query("{ __typename stores }"),
        r#"{"data":{"__typename":"Query","stores":3}}"#
    );
    assert_eq!(site.server.get("/", "Accept: text/html\r\n").status, 404);
}

#[test]
fn it_is_ready_whatever_its_subgraphs_do() {
    let site = Site::start(&[]);
    site.stubs.fail("stock", Fault::Status(500));
    assert_eq!(site.server.get("/health/ready", "").status, 200);
    assert_eq!(site.server.get("/health/live", "").status, 200);
}

#[test]
fn the_words_of_subgraphs_are_for_the_log() {
    let says = || {
        Fault::Says(json!({
            "data": { "stores": null },
            "errors": [{
                "message": "the password is hunter2",
                "path": ["stores"],
                "extensions": { "code": "LATE", "more": 1 }
            }]
        }))
    };
    let ask = |options: &[&str]| {
        let site = Site::start(options);
        site.stubs.fail("stock", says());
        let answer = site.server.query("", "{ stores products { upc } }");
        assert_eq!(answer.status, 200);
        answer.body
    };
    let hidden = ask(&[]);
    assert!(hidden.contains(r#""code":"SUBGRAPH_ERROR""#), "{hidden}");
    assert!(hidden.contains(r#""path":["stores"]"#), "{hidden}");
    assert!(hidden.contains(r#""errorId""#), "{hidden}");
    assert!(!hidden.contains("hunter2") && !hidden.contains("LATE"), "{hidden}");
    assert!(!hidden.contains("stock"), "{hidden}");
    assert!(hidden.contains(r#""products":[{"upc":"1"},{"upc":"2"}]"#), "{hidden}");
    let codes = ask(&["--subgraph-errors", "codes"]);
    assert!(codes.contains("LATE") && !codes.contains("hunter2"), "{codes}");
    let shown = ask(&["--subgraph-errors", "shown"]);
    assert!(shown.contains("the password is hunter2") && shown.contains("stock"), "{shown}");
}

#[test]
fn a_subgraph_that_does_not_answer_leaves_a_hole() {
    let site = Site::start(&["--subgraph-timeout", "200ms"]);
    let check = |fault: Fault, code: &str| {
        site.stubs.fail("stock", fault);
        let answer = site.query(QUERY);
        let products = r#""products":[{"upc":"1","name":"Product 1","inStock":null},{"upc":"2","name":"Product 2","inStock":null}]"#;
        assert!(answer.contains(products), "{answer}");
        assert!(answer.contains(code), "{code}: {answer}");
        assert_eq!(answer.matches("\"message\"").count(), 1, "{answer}");
        site.stubs.heal();
        assert_eq!(site.query(QUERY), PRODUCTS);
    };
    check(Fault::Status(503), "SUBGRAPH_UNAVAILABLE");
    check(Fault::Sleeps(Duration::from_secs(2)), "SUBGRAPH_TIMEOUT");
    check(Fault::Says(json!("nothing")), "SUBGRAPH_RESPONSE_INVALID");
    check(Fault::Says(json!({ "data": { "_entities": [] } })), "SUBGRAPH_RESPONSE_INVALID");
}
