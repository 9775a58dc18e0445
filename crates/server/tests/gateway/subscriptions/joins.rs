//! Events with the fields of other subgraphs.

use serde_json::json;

use super::site::{Site, changed};

const JOINED: &str = "subscription { p: changed(upc: \"1\") { id: upc inStock shipping } }";

#[test]
fn fields_of_other_subgraphs_are_joined_to_each_event() {
    let site = Site::start("", &[]);
    let mut events = site.subscribe(JOINED, 1);
    for (upc, weight, in_stock) in [("1", 10, true), ("2", 20, false), ("1", 30, true)] {
        site.feed.emit(&changed(upc, weight));
        let expected = json!({ "id": upc, "inStock": in_stock, "shipping": weight * 2 });
        assert_eq!(events.next(), Some(json!({ "data": { "p": expected } })));
    }
    let queries = site.feed.log().queries;
    assert_eq!(queries.len(), 3);
    let representations = &queries[0]["variables"]["representations0"];
    let expected = json!([{ "__typename": "Product", "upc": "1", "weight": 10 }]);
    assert_eq!(*representations, expected);
    // An event without an object needs no other subgraph.
    site.feed.emit(&json!({ "data": { "changed": null } }));
    assert_eq!(events.next(), Some(json!({ "data": { "p": null } })));
    assert_eq!(site.feed.log().queries.len(), 3);
}

#[test]
fn a_subscription_goes_on_after_an_event_with_errors() {
    let site = Site::start("", &[]);
    let mut events = site.subscribe(JOINED, 1);
    // An error of another subgraph at a field that is not null.
    site.feed.emit(&changed("failed", 1));
    let response = events.next().unwrap();
    assert_eq!(response["data"], json!({ "p": null }), "{response}");
    let error = &response["errors"][0];
    assert_eq!(error["extensions"]["code"], "SUBGRAPH_ERROR", "{response}");
    assert_eq!(error["path"], json!(["p", "inStock"]), "{response}");
    // An error of the event itself.
    site.feed.emit(&json!({
        "data": { "changed": null }, "errors": [{ "message": "no", "path": ["changed"] }]
    }));
    let response = events.next().unwrap();
    assert_eq!(response["errors"][0]["path"], json!(["p"]), "{response}");
    // An event that is none.
    site.feed.emit(&json!({ "data": { "changed": 7 } }));
    assert_eq!(events.error(), ("INVALID_VALUE".into(), json!({ "p": null })));
    site.feed.emit(&changed("1", 1));
    let expected = json!({ "id": "1", "inStock": true, "shipping": 2 });
    assert_eq!(events.next(), Some(json!({ "data": { "p": expected } })));
}

#[test]
fn a_missing_value_of_a_non_null_root_field_nulls_the_data() {
    let site = Site::start("", &[]);
    let mut events = site.subscribe("subscription { tick }", 1);
    site.feed.emit(&json!({ "data": { "tick": null } }));
    assert_eq!(events.error(), ("INVALID_VALUE".into(), json!(null)));
    site.feed.emit(&json!({ "data": { "tick": 1 } }));
    assert_eq!(events.next(), Some(json!({ "data": { "tick": 1 } })));
}

#[test]
fn a_plain_request_needs_a_stream_and_explain_shows_the_plan() {
    let site = Site::start("", &[]);
    let answer = site.server.query("", JOINED);
    assert!(answer.body.contains("Accept: text/event-stream"), "{}", answer.body);
    let file = site.folder.file("query.graphql");
    std::fs::write(&file, JOINED).unwrap();
    let supergraph = site.folder.file("supergraph.graphql");
    let words = ["explain", supergraph.to_str().unwrap(), file.to_str().unwrap()];
    let (code, text, error) = crate::program::outcome(&crate::program::run(&words));
    assert_eq!(code, Some(0), "{error}");
    assert!(text.contains("1. feed: subscription{changed(upc:\"1\"){"), "{text}");
    assert!(text.contains("2. stock after 1: query("), "{text}");
}
