//! Policies over HTTP: a token says who asks, and what of the sample is let follows from that.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod program;

use std::fs;

use testkit::tokens::Issuer;

use crate::program::{Folder, Server};

const SECRET: &str = "a secret of more than thirty-two bytes";

const POLICIES: &str = r#"
claim_role = "app.role"
default_role = "anonymous"
[rules.artists]
entity = "artist"
read = { columns = ["id", "name"] }
[rules.own_data]
entity = "customer"
read = { rows = { customer_id = { eq = { claim = "app.customer" } } }, columns = "*" }
[rules.own_invoices]
entity = "invoice"
read = { rows = { some = { customer = { customer_id = { eq = { claim = "app.customer" } } } } }, columns = "*" }
[roles.anonymous]
rules = ["artists"]
[roles.customer]
inherits = ["anonymous"]
rules = ["own_data", "own_invoices"]
"#;

const OWN: &str = "{ allCustomers { totalCount nodes { customerId } } allInvoices { totalCount } }";

fn token(claims: &str) -> String {
    let claims = format!(r#"{{"aud":"postgraphile","app":{claims}}}"#);
    format!("Authorization: Bearer {}\r\n", Issuer::secret(SECRET).token(&claims))
}

#[test]
fn a_token_decides_which_rows_are_seen() {
    let folder = Folder::new();
    let file = folder.file("policies.toml");
    fs::write(&file, POLICIES).unwrap();
    let shop = folder.file("shop.db");
    drop(Server::demo(&shop));
    let source = ["serve", shop.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let access = ["--policies", file.to_str().unwrap(), "--jwt-secret", SECRET];
    let server = Server::start(&[source, access].concat());
    let of = |customer: u32| token(&format!(r#"{{"role":"customer","customer":{customer}}}"#));
    // One document by turns: what is kept of one is of no use to another.
    for customer in (1..=20).chain(1..=20) {
        let answer = server.query(&of(customer), OWN);
        let expected = format!(r#"{{"totalCount":1,"nodes":[{{"customerId":{customer}}}]}}"#);
        assert!(answer.body.contains(&expected), "{}", answer.body);
        let nobody = server.query("", OWN);
        assert!(nobody.body.contains("PERMISSION_DENIED"), "{}", nobody.body);
        let nothing = r#"{"data":{"allCustomers":null,"allInvoices":null},"errors":"#;
        assert!(nobody.body.starts_with(nothing), "{}", nobody.body);
    }
    let artists = "{ allArtists(first: 1) { nodes { name albumsByArtistId { totalCount } } } }";
    let names = "{ allArtists(first: 1) { nodes { name } } }";
    for who in [String::new(), of(1)] {
        assert!(server.query(&who, names).body.contains("\"name\":"));
        let refused = server.query(&who, artists).body;
        assert!(refused.contains("You may not read rows of `album`."), "{refused}");
    }
    for claims in ["{}", r#"{"role":"admin"}"#, r#"{"role":7}"#, r#"{"role":["customer"]}"#, "7"] {
        let refused = server.query(&token(claims), OWN).body;
        assert!(refused.contains("PERMISSION_DENIED"), "{refused}");
        assert!(!refused.contains("totalCount") && !refused.contains("customerId"), "{refused}");
    }
    let none = r#""allCustomers":{"totalCount":0,"nodes":[]},"allInvoices":{"totalCount":0}"#;
    for claims in [r#"{"role":"customer"}"#, r#"{"role":"customer","customer":null}"#] {
        let answer = server.query(&token(claims), OWN);
        assert!(answer.body.contains(none), "{}", answer.body);
    }
    // Nobody is told the schema less than others.
    assert!(server.query("", "{ __type(name: \"Customer\") { name } }").body.contains("Customer"));
}
