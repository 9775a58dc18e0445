//! Who may read what, by tokens, and what operations may cost.

use std::fs;

use testkit::tokens::Issuer;

use crate::gateway::site::{Site, prepare};
use crate::program::{Answer, Server, outcome, run};

const SECRET: &str = "a secret of more than thirty-two bytes";

const ERROR: &str = r#""extensions":{"code":"UNAUTHORIZED_FIELD_OR_TYPE"}"#;

/// The shop, guarded: `stores` by a token, stock by scopes, changes by a policy.
fn start(options: &[&str]) -> Site {
    let (folder, stubs) = prepare("");
    let guarded = [
        (
            "@link(url: \"https://specs.apollo.dev/join/v0.3\", for: EXECUTION)",
            "@link(url: \"https://specs.apollo.dev/join/v0.3\", for: EXECUTION)
             @link(url: \"https://specs.apollo.dev/authenticated/v0.1\", for: SECURITY)
             @link(url: \"https://specs.apollo.dev/requiresScopes/v0.1\", for: SECURITY)
             @link(url: \"https://specs.apollo.dev/policy/v0.1\", for: SECURITY)
             @link(url: \"https://specs.apollo.dev/cost/v0.1\", import: [\"@listSize\"])",
        ),
        ("stores: Int", "stores: Int @authenticated"),
        (
            "inStock: Boolean",
            "inStock: Boolean @requiresScopes(scopes: [[\"stock\", \"read\"], [\"admin\"]])",
        ),
        (
            "rename(upc: ID!, name: String!): Product",
            "rename(upc: ID!, name: String!): Product @policy(policies: [[\"may rename\"]])",
        ),
        (
            "products: [Product!]!",
            "products(first: Int): [Product!]! @listSize(slicingArguments: [\"first\"])",
        ),
    ];
    let text = guarded.iter().fold(stubs.supergraph(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    let supergraph = folder.file("supergraph.graphql");
    fs::write(&supergraph, text).unwrap();
    let file = supergraph.to_str().unwrap();
    let usual = ["gateway", file, "--listen", "127.0.0.1:0", "--jwt-secret", SECRET];
    let server = Server::start(&[&usual[..], &["--jwt-verify-audience", "*"], options].concat());
    Site { server, stubs, folder }
}

fn ask(site: &Site, claims: Option<&str>, query: &str) -> Answer {
    let head = claims.map(|claims| {
        let token = Issuer::secret(SECRET).token(claims);
        format!("Authorization: Bearer {token}\r\n")
    });
    site.server.query(&head.unwrap_or_default(), query)
}

fn paths(site: &Site) -> Vec<String> {
    site.stubs.asked().into_iter().map(|asked| asked.path).collect()
}

#[test]
fn what_a_caller_may_not_read_is_not_asked_for() {
    let site = start(&[]);
    let query = "{ stores product(upc: 1) { name inStock } }";
    let nobody = ask(&site, None, query);
    let at = |path: &str, column: u32, field: &str| {
        format!(
            r#"{{"message":"Not authorized for `{field}`.","locations":[{{"line":1,"column":{column}}}],"path":{path},{ERROR}}}"#
        )
    };
    let stores = at(r#"["stores"]"#, 3, "Query.stores");
    let stock = at(r#"["product","inStock"]"#, 33, "Product.inStock");
    assert_eq!(
        (nobody.status, nobody.body),
        (
            200,
            format!(
                r#"{{"data":{{"stores":null,"product":{{"name":"Product 1","inStock":null}}}},"errors":[{stores},{stock}]}}"#
            )
        )
    );
    assert_eq!(paths(&site), ["/shop"]);
    // Half of one list is not enough; a text and a list of scopes are the same.
    for (claims, is_let) in [
        (r#"{"scope":"read"}"#, false),
        (r#"{"scope":"write stock read"}"#, true),
        (r#"{"scope":["read","stock"]}"#, true),
        (r#"{"scope":["read stock"]}"#, false),
        (r#"{"scope":["admin"]}"#, true),
        (r#"{"roles":["admin"]}"#, false),
    ] {
        let body = ask(&site, Some(claims), query).body;
        let (in_stock, errors) = match is_let {
            true => ("true", String::new()),
            false => ("null", format!(r#","errors":[{stock}]"#)),
        };
        let expected = format!(
            r#"{{"data":{{"stores":3,"product":{{"name":"Product 1","inStock":{in_stock}}}}}{errors}}}"#
        );
        assert_eq!(body, expected, "{claims}");
    }
}

#[test]
fn a_change_that_is_not_allowed_is_not_made() {
    let site = start(&["--policy-claim", "app.policies"]);
    let change = r#"mutation { rename(upc: 1, name: "a") { name } }"#;
    for (claims, is_let) in [
        (None, false),
        (Some(r#"{"policies":["may rename"]}"#), false),
        (Some(r#"{"app":{"policies":["may","rename"]}}"#), false),
        (Some(r#"{"app":{"policies":["may rename"]}}"#), true),
        (Some(r#"{"app":{"policies":"may rename"}}"#), true),
    ] {
        let body = ask(&site, claims, change).body;
        assert_eq!(body.contains(ERROR), !is_let, "{claims:?} {body}");
        assert_eq!(paths(&site).len(), usize::from(is_let), "{claims:?}");
    }
}

#[test]
fn an_operation_can_be_refused_as_a_whole() {
    let site = start(&["--unauthorized", "refuse"]);
    let answer = ask(&site, None, "{ stores product(upc: 1) { name } }");
    assert_eq!(
        answer.body,
        format!(
            r#"{{"errors":[{{"message":"Not authorized for `Query.stores`.","locations":[{{"line":1,"column":3}}],{ERROR}}}]}}"#
        )
    );
    assert!(paths(&site).is_empty());
    let answer = ask(&site, Some("{}"), "{ stores product(upc: 1) { name } }");
    assert_eq!(answer.body, r#"{"data":{"stores":3,"product":{"name":"Product 1"}}}"#);
}

#[test]
fn the_scopes_may_be_anywhere_among_the_claims() {
    let site = start(&["--scope-claim", "access.scopes"]);
    let query = "{ product(upc: 1) { inStock } }";
    let is_let = r#"{"data":{"product":{"inStock":true}}}"#;
    assert_eq!(ask(&site, Some(r#"{"access":{"scopes":"admin"}}"#), query).body, is_let);
    assert!(ask(&site, Some(r#"{"scope":"admin"}"#), query).body.contains(ERROR));
}

#[test]
fn an_operation_that_costs_too_much_asks_nobody() {
    let site = start(&["--max-cost", "20"]);
    let answer = ask(&site, None, "{ products(first: 21) { name } }");
    assert!(answer.body.contains("is estimated to cost 21; 20 is allowed"), "{}", answer.body);
    assert!(answer.body.contains("COST_TOO_HIGH"), "{}", answer.body);
    let answer = ask(&site, None, "{ products { name } }");
    assert_eq!(
        answer.body,
        r#"{"errors":[{"message":"Exactly one of these arguments must set the length of the list: `first`.","locations":[{"line":1,"column":3}],"extensions":{"code":"BAD_USER_INPUT"}}]}"#
    );
    assert!(paths(&site).is_empty());
    assert!(ask(&site, None, "{ products(first: 20) { name } }").body.contains("Product 1"));
}

#[test]
fn explain_tells_what_is_not_allowed_and_what_it_costs() {
    let site = start(&[]);
    let (supergraph, query) = (site.supergraph(), site.folder.file("query.graphql"));
    fs::write(&query, "{ stores products(first: 3) { name inStock } }").unwrap();
    let explain = |options: &[&str]| {
        let usual = ["explain", supergraph.to_str().unwrap(), query.to_str().unwrap()];
        outcome(&run(&[&usual[..], options].concat())).1
    };
    let nobody = explain(&[]);
    assert!(
        nobody.contains("-- not allowed\nQuery.stores at 1:3\nProduct.inStock at 1:36"),
        "{nobody}"
    );
    assert!(nobody.contains("-- cost\n3, of 1000000 that are allowed"), "{nobody}");
    assert!(!nobody.contains("inStock}"), "{nobody}");
    let admin = explain(&["--claims", r#"{"scope":"admin"}"#]);
    assert!(!admin.contains("-- not allowed"), "{admin}");
}
