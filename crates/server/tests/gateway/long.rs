//! Long answers of subgraphs are read on threads apart, where nobody waits for them but who asked.

use std::fs;

use serde_json::{Value, json};

use crate::gateway::site::{PRODUCTS, QUERY, Site};
use crate::gateway::stubs::Fault;

/// So many that their list is no answer for a serving thread.
const MANY: usize = 9_000;

/// The threads of the gateway for long requests.
fn threads(site: &Site) -> usize {
    let tasks = fs::read_dir(format!("/proc/{}/task", site.server.child.id())).unwrap();
    let names = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("comm")));
    names.filter(|name| name.as_ref().is_ok_and(|name| name.starts_with("long-"))).count()
}

/// How often both subgraphs were asked since this was called last.
fn asked(site: &Site) -> (usize, usize) {
    let asked = site.stubs.asked();
    let of = |path: &str| asked.iter().filter(|asked| asked.path == path).count();
    (of("/shop"), of("/stock"))
}

fn says_many(site: &Site) {
    let product = |number: usize| json!({ "__typename": "Product", "upc": number.to_string(), "name": "a product" });
    let products: Vec<Value> = (0..MANY).map(product).collect();
    site.stubs.fail("shop", Fault::Says(json!({ "data": { "products": products } })));
    let nothing = vec![Value::Null; MANY];
    site.stubs.fail("stock", Fault::Says(json!({ "data": { "_entities": nothing } })));
}

#[test]
#[cfg(target_os = "linux")]
fn a_query_that_proves_long_begins_again_apart_and_the_next_ones_begin_there() {
    let site = Site::start(&[]);
    assert_eq!((site.query(QUERY).as_str(), asked(&site)), (PRODUCTS, (1, 1)));
    assert_eq!(threads(&site), 0);
    says_many(&site);
    let first = site.query(QUERY);
    // The first answer was not read here; what it leads to is asked once.
    assert_eq!(asked(&site), (2, 1));
    assert!(threads(&site) > 0);
    let answer: Value = serde_json::from_str(&first).unwrap();
    let products = answer["data"]["products"].as_array().unwrap();
    assert_eq!(products.len(), MANY);
    assert_eq!(products[7], json!({ "upc": "7", "name": "a product", "inStock": null }));
    assert!(answer.get("errors").is_none(), "{}", answer["errors"]);
    for _ in 0..3 {
        assert!(site.query(QUERY) == first);
        assert_eq!(asked(&site), (1, 1));
    }
    // A short answer is short wherever it is read, and the next one is read here again.
    site.stubs.heal();
    for _ in 0..3 {
        assert_eq!((site.query(QUERY).as_str(), asked(&site)), (PRODUCTS, (1, 1)));
    }
    says_many(&site);
    assert!(site.query(QUERY) == first);
    assert_eq!(asked(&site), (2, 1));
}

#[test]
fn a_change_is_asked_for_once_however_long_its_answer_is() {
    let site = Site::start(&[]);
    let name = "x".repeat(1 << 20);
    let renamed =
        json!({ "data": { "rename": { "__typename": "Product", "upc": "1", "name": name } } });
    site.stubs.fail("shop", Fault::Says(renamed));
    let answer = site.query(r#"mutation { rename(upc: "1", name: "x") { upc name } }"#);
    assert!(answer == format!(r#"{{"data":{{"rename":{{"upc":"1","name":"{name}"}}}}}}"#));
    assert_eq!(asked(&site), (1, 0));
}
