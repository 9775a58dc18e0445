//! What subgraphs are told.

use std::collections::BTreeMap;

use testkit::tokens::Issuer;

use crate::gateway::site::{PRODUCTS, QUERY, Site, prepare, refused};
use crate::gateway::stubs::Asked;

const SUBGRAPHS: &str = r#"
[[all.headers]]
forward = "x-*"

[[all.headers]]
insert = "x-from"
value = "gateway ${SHOP_KEY:-none}"

[[subgraphs.stock.headers]]
forward = "authorization"

[[subgraphs.stock.headers]]
remove = "x-secret"

[[subgraphs.stock.headers]]
rename = "x-tenant"
to = "tenant"
"#;

/// What is sent besides what every request has.
fn told(asked: &Asked) -> BTreeMap<&str, &str> {
    const USUAL: [&str; 7] = [
        "host",
        "accept",
        "content-type",
        "content-length",
        "connection",
        "user-agent",
        "x-request-id",
    ];
    let headers = asked.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    headers.filter(|(name, _)| !USUAL.contains(name)).collect()
}

#[test]
fn rules_say_what_subgraphs_are_told() {
    let site = Site::start_with(SUBGRAPHS, &[]);
    let head = "Authorization: Bearer a\r\nX-Tenant: 7\r\nX-Secret: s\r\nX-From: me\r\n\
                Cookie: a=b\r\nY: 1\r\n";
    assert_eq!(site.server.query(head, QUERY).body, PRODUCTS);
    let asked = site.stubs.asked();
    let of = |path: &str| asked.iter().find(|asked| asked.path == path).unwrap();
    let shop = [("x-from", "gateway none"), ("x-secret", "s"), ("x-tenant", "7")];
    assert_eq!(told(of("/shop")), BTreeMap::from(shop));
    let stock = [("authorization", "Bearer a"), ("tenant", "7"), ("x-from", "gateway none")];
    assert_eq!(told(of("/stock")), BTreeMap::from(stock));
}

#[test]
fn without_rules_they_are_told_the_id_and_the_trace_alone() {
    let site = Site::start(&[]);
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let head = format!(
        "Authorization: Bearer a\r\nX-Tenant: 7\r\nX-Request-Id: seven\r\nTraceparent: {trace}\r\n"
    );
    assert_eq!(site.server.query(&head, QUERY).body, PRODUCTS);
    for asked in site.stubs.asked() {
        assert_eq!(told(&asked), BTreeMap::from([("traceparent", trace)]));
        assert_eq!(asked.headers["x-request-id"], "seven");
    }
    let answer = site.server.query("", "{ stores }");
    let asked = site.stubs.asked_once("stock");
    assert_eq!(Some(&*asked.headers["x-request-id"]), answer.header("x-request-id"));
}

#[test]
fn a_claim_is_told_and_nobody_says_it_instead() {
    let subgraphs = r#"
        all.headers = [{ forward = "x-*" }, { insert = "x-user", claim = "sub" }]
    "#;
    let secret = "a secret of at least thirty-two bytes";
    let site = Site::start_with(subgraphs, &["--jwt-secret", secret]);
    site.server.query("X-User: admin\r\nX-A: 1\r\n", "{ stores }");
    assert_eq!(told(&site.stubs.asked_once("stock")), BTreeMap::from([("x-a", "1")]));
    let token = Issuer::secret(secret).token(r#"{"aud":"postgraphile","sub":"ada"}"#);
    let head = format!("Authorization: Bearer {token}\r\nX-User: admin\r\n");
    site.server.query(&head, "{ stores }");
    assert_eq!(told(&site.stubs.asked_once("stock")), BTreeMap::from([("x-user", "ada")]));
}

#[test]
fn a_wrong_file_is_refused_with_all_that_is_wrong() {
    let (folder, _stubs) = prepare("[all]\ntimeout = 'soon'\n[subgraphs.stok]\nurl = 'stock'\n");
    let (supergraph, subgraphs) =
        (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    let (supergraph, subgraphs) = (supergraph.to_str().unwrap(), subgraphs.to_str().unwrap());
    let error = refused(&["gateway", supergraph, "--subgraphs", subgraphs]);
    assert!(error.contains("subgraphs.toml:2:11: `timeout`"), "{error}");
    assert!(error.contains("subgraphs.toml:4:7: `url`"), "{error}");
    std::fs::write(subgraphs, "[subgraphs.stok]\n").unwrap();
    let error =
        refused(&["gateway", supergraph, "--subgraphs", subgraphs, "--listen", "127.0.0.1:0"]);
    assert!(error.contains("has no subgraph `stok`; `stock` is one"), "{error}");
}
