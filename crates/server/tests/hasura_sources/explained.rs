//! Explanations of documents with fields of several sources.

use serde_json::{Value, json};

use super::{SECRET, Site, people_and_orders};
use crate::databases::Database;
use crate::program::{Folder, outcome, run};

fn explained(site: &Site, user: &Value, query: &str) -> Value {
    let body = json!({ "query": { "query": query }, "user": user }).to_string();
    let request = format!(
        "POST /v1/graphql/explain HTTP/1.1\r\nHost: test\r\nx-hasura-admin-secret: {SECRET}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let answer = site.server.send(request.as_bytes());
    serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{}", answer.body))
}

fn fields(explained: &Value) -> Vec<&str> {
    let all = explained.as_array().unwrap_or_else(|| panic!("{explained}")).iter();
    all.map(|one| one["field"].as_str().unwrap()).collect()
}

#[test]
fn statements_of_all_sources_are_explained_with_their_plans() {
    super::on_each(|site, _, _| {
        // Of one further source.
        let own = explained(site, &Value::Null, "{ all: orders { id } }");
        assert_eq!(fields(&own), ["all"]);
        assert!(own[0]["sql"].as_str().unwrap().contains("orders"), "{own}");
        let plan = own[0]["plan"].as_array().unwrap_or_else(|| panic!("{own}"));
        assert!(!plan.is_empty(), "{own}");
        // Of several, with relationships in both directions.
        let query = "{ person { id orders { id person { name } } } all: orders(limit: 3) { id } }";
        let both = explained(site, &Value::Null, query);
        assert_eq!(fields(&both)[0], "person");
        for field in ["person.orders", "orders.person", "all"] {
            assert!(fields(&both).contains(&field), "{field}: {both}");
        }
        for statement in both.as_array().unwrap() {
            let plan = statement["plan"].as_array().unwrap_or_else(|| panic!("{both}"));
            let plan = plan.iter().map(|line| line.as_str().unwrap()).collect::<String>();
            let table = match statement["field"].as_str().unwrap() {
                "person" | "orders.person" => "person",
                _ => "purchase",
            };
            assert!(plan.contains(table) || plan.contains("json_"), "{statement}");
        }
        // The rows of the permission of the other source.
        let role = json!({ "X-Hasura-Role": "user" });
        let of_role = explained(site, &role, "{ person { id } orders { id } }");
        let last = of_role.as_array().unwrap().last().unwrap();
        assert_eq!(last["field"], "orders");
        assert!(last["sql"].as_str().unwrap().contains("> "), "{last}");
    });
}

#[test]
fn the_command_explains_all_sources() {
    let (Some(people), Some(orders)) =
        (Database::on_one(super::PEOPLE), Database::on_one(super::ORDERS))
    else {
        return;
    };
    let folder = Folder::new();
    let metadata = super::write(&folder, &people_and_orders());
    let words = super::words(&people.url(), &orders.url(), &metadata);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let document = folder.file("both.graphql");
    std::fs::write(&document, "query @cached { person { id orders { id } } all: orders { id } }")
        .unwrap();
    let place = document.to_str().unwrap();
    let (code, text, error) =
        outcome(&run(&[&["explain", words[0], place, "--role", "admin"], &words[1..]].concat()));
    assert_eq!(code, Some(0), "{error}");
    for expected in ["the source shop, for person.orders:", "the source shop, for all:"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert_eq!(text.matches("-- plan").count(), text.matches("-- statement").count(), "{text}");
}

#[test]
fn related_rows_of_other_sources_count_for_the_cost() {
    let (Some(people), Some(orders)) =
        (Database::on_one(super::PEOPLE), Database::on_one(super::ORDERS))
    else {
        return;
    };
    let site =
        Site::start(&people.url(), &orders.url(), &people_and_orders(), &["--max-cost", "120"]);
    let is_refused = |query: &str| site.ask("", query).to_string().contains("is estimated to cost");
    assert!(!is_refused("{ person(limit: 1) { a: orders(limit: 5) { id } } }"));
    // Each of them alone is allowed.
    let several = "{ person(limit: 1) { a: orders(limit: 5) { id } b: orders(limit: 5) { id } } }";
    assert!(is_refused(several));
    let on_and_on =
        "{ person(limit: 1) { a: orders(limit: 5) { id person { orders(limit: 5) { id } } } } }";
    assert!(is_refused(on_and_on));
}
