//! Numbers of documents: each source reads them as they are written.

use serde_json::{Value, json};
use testkit::http::{HttpServer, Reply};

use super::{Site, relationship, source, table};
use crate::databases::Database;

const PARTS: &str = "
    CREATE TABLE price (id int PRIMARY KEY, amount numeric, details jsonb);
    CREATE TABLE part (id int PRIMARY KEY, price_id int REFERENCES price, amount numeric);
    INSERT INTO price VALUES (1, 12345678901234567890.10, '{\"a\": 0.1000000000000000000001}'),
        (2, 12345678901234567891.10, '{}');
    INSERT INTO part VALUES (1, 1, 98765432109876543210.5), (2, 1, 98765432109876543211.5);";

fn start(first: &Database, other: &Database) -> Site {
    let prices = relationship("prices", "array", ("shop", "price"), &json!({ "id": "id" }));
    let people = table("person", &json!({ "remote_relationships": [prices] }));
    let parts = json!([{ "name": "parts", "using": { "foreign_key_constraint_on": {
        "column": "price_id", "table": { "schema": "public", "name": "part" },
    } } }]);
    let metadata = json!({ "version": 3, "sources": [
        source("default", &[people], &json!({})),
        source(
            "shop",
            &[table("price", &json!({ "array_relationships": parts })), table("part", &json!({}))],
            &json!({}),
        ),
    ] });
    Site::start(&first.url(), &other.url(), &metadata, &[])
}

#[test]
fn numbers_of_documents_reach_each_source_as_they_are_written() {
    let (Some(first), Some(other)) = (
        Database::on_one("CREATE TABLE person (id int PRIMARY KEY); INSERT INTO person VALUES (1)"),
        Database::on_one(PARTS),
    ) else {
        return;
    };
    let site = start(&first, &other);
    let one = json!([{ "id": 1 }]);
    // A double is equal to both amounts.
    let query = "{ person { id } price(where: {amount: {_eq: 12345678901234567890.10}}) { id } \
                 list: price(where: {amount: {_in: [12345678901234567890.1, 1e2]}}) { id } \
                 json: price(where: {details: {_contains: {a: 0.1000000000000000000001}}}) { id } \
                 none: price(where: {details: {_contains: {a: 0.1}}}) { id } }";
    let data = site.data("", query);
    for (name, expected) in [("price", &one), ("list", &one), ("json", &one), ("none", &json!([]))]
    {
        assert_eq!(data[name], *expected, "{name}: {data}");
    }
    // Arguments of relationships to the source, and of relationships within it.
    let query = "{ person { prices(where: {amount: {_eq: 12345678901234567890.1}}) { id } \
                 prices_aggregate(where: {amount: {_gt: 12345678901234567890.1}}) { aggregate { count } } \
                 none: prices(where: {amount: {_eq: 12345678901234567891.1}}) { id } } \
                 price(where: {id: {_eq: 1}}) { \
                 parts(where: {amount: {_gte: 98765432109876543211.5}}) { id } } }";
    let expected = json!({
        "person": [{
            "prices": [{ "id": 1 }],
            "prices_aggregate": { "aggregate": { "count": 0 } },
            "none": [],
        }],
        "price": [{ "parts": [{ "id": 2 }] }],
    });
    assert_eq!(site.data("", query), expected);
    // A literal with a variable within it, and values of changes.
    let change = "mutation { update_person(where: {}, _set: {id: 2}) { affected_rows } \
                  insert_price_one(object: {id: 3, amount: 0.12345678901234567890, \
                  details: {a: [1.00000000000000000001, {b: 2.50}]}}) { id } }";
    site.data("", change);
    let stored = "SELECT amount || ' ' || details::text FROM price WHERE id = 3";
    let expected = "0.12345678901234567890 {\"a\": [1.00000000000000000001, {\"b\": 2.50}]}";
    assert_eq!(other.texts(stored), [expected]);
}

/// As those of documents do: in a document of one source, of several, and of relationships.
#[test]
fn numbers_of_variables_reach_each_source_as_they_are_written() {
    let (Some(first), Some(other)) = (
        Database::on_one("CREATE TABLE person (id int PRIMARY KEY); INSERT INTO person VALUES (1)"),
        Database::on_one(PARTS),
    ) else {
        return;
    };
    let site = start(&first, &other);
    let one = json!([{ "id": 1 }]);
    let price = "price(where: {amount: {_eq: $n}, details: {_contains: $d}}) { id }";
    let related = "person { prices(where: {amount: {_eq: $n}}) { id } } ";
    for fields in ["", related] {
        let query = format!("query ($n: numeric!, $d: jsonb!) {{ {fields}{price} }}");
        let body = format!(
            "{{\"query\": {}, \"variables\": {{\"n\": 12345678901234567890.1, \
             \"d\": {{\"a\": 0.1000000000000000000001}}}}}}",
            json!(query)
        );
        let headers = format!("x-hasura-admin-secret: {}\r\n", super::SECRET);
        let answer: Value = serde_json::from_str(&site.server.post(&headers, &body).body).unwrap();
        assert_eq!(answer["data"]["price"], one, "{answer}");
        if !fields.is_empty() {
            assert_eq!(answer["data"]["person"][0]["prices"], one, "{answer}");
        }
    }
}

/// A key that is no name of GraphQL has no literal.
#[test]
fn json_with_any_keys_keeps_its_digits() {
    let (Some(first), Some(other)) = (
        Database::on_one("CREATE TABLE person (id int PRIMARY KEY); INSERT INTO person VALUES (1)"),
        Database::on_one(&format!(
            "{PARTS} UPDATE price SET details = '{{\"unit price\": 0.1000000000000000000001}}'"
        )),
    ) else {
        return;
    };
    let site = start(&first, &other);
    let one = json!([{ "id": 1 }]);
    let query = "query ($d: jsonb!) { person { prices(where: {id: {_eq: 1}, details: {_contains: $d}}) \
                 { id } } price(where: {id: {_eq: 1}, details: {_contains: $d}}) { id } }";
    let ask = |number: &str| {
        let variables = format!("{{\"d\": {{\"unit price\": {number}}}}}");
        site.ask_with(query, &variables)["data"].clone()
    };
    let found = ask("0.1000000000000000000001");
    assert_eq!((&found["price"], &found["person"][0]["prices"]), (&one, &one), "{found}");
    let found = ask("0.1");
    assert_eq!((&found["price"], &found["person"][0]["prices"]), (&json!([]), &json!([])));
}

/// Other servers see the number that is stored, and their numbers find the rows that have them.
#[test]
fn other_servers_send_and_receive_numbers_as_they_are_written() {
    let (Some(first), Some(other)) = (
        Database::on_one("CREATE TABLE person (id int PRIMARY KEY); INSERT INTO person VALUES (1)"),
        Database::on_one(PARTS),
    ) else {
        return;
    };
    let webhooks = HttpServer::start(|received| {
        let offers = "[{\"amount\": 12345678901234567890.10}]";
        let body = if received.target == "/check" { "" } else { offers };
        Reply::Status(200, "", body.to_owned())
    });
    let url = |path: &str| format!("http://{}/{path}", webhooks.address);
    let price = table(
        "price",
        &json!({
            "select_permissions": [super::select("user", &["id", "amount"], &json!({}), false)],
            "insert_permissions": [{ "role": "user", "permission": {
                "columns": ["id", "amount", "details"], "check": {},
                "validate_input": { "type": "http", "definition": { "url": url("check") } },
            } }],
        }),
    );
    let metadata = json!({
        "version": 3,
        "sources": [
            source("default", &[table("person", &json!({}))], &json!({})),
            source("shop", &[price], &json!({})),
        ],
        "actions": [{
            "name": "offers",
            "definition": {
                "kind": "synchronous", "handler": url("offers"), "output_type": "[Offer!]!",
                "arguments": [], "type": "query",
            },
            "permissions": [{ "role": "user" }],
        }],
        "custom_types": { "scalars": [{ "name": "Amount" }], "objects": [{
            "name": "Offer",
            "fields": [{ "name": "amount", "type": "Amount" }],
            "relationships": [{
                "name": "prices", "type": "array", "source": "shop",
                "remote_table": { "schema": "public", "name": "price" },
                "field_mapping": { "amount": "amount" },
            }],
        }] },
    });
    let site = Site::start(&first.url(), &other.url(), &metadata, &super::actions::HOSTS);
    let found = site.data("user", "{ offers { prices { id } } }");
    assert_eq!(found, json!({ "offers": [{ "prices": [{ "id": 1 }] }] }));
    let insert = "mutation { insert_price_one(object: {id: 3, amount: 0.12345678901234567890, \
                  details: {a: 1.00000000000000000001}}) { id } }";
    site.data("user", insert);
    let received = webhooks.received();
    let checked = &received.iter().find(|one| one.target == "/check").unwrap().body;
    let expected =
        r#"[{"id":3,"amount":0.12345678901234567890,"details":{"a":1.00000000000000000001}}]"#;
    assert!(checked.contains(expected), "{checked}");
}

/// The plan of the database is that of the exact number.
#[test]
fn numbers_of_explanations_are_as_they_are_written() {
    let (Some(first), Some(other)) =
        (Database::on_one("CREATE TABLE person (id int PRIMARY KEY)"), Database::on_one(PARTS))
    else {
        return;
    };
    let site = start(&first, &other);
    let query = "query ($n: numeric!) { price(where: {amount: {_eq: $n}}) { id } }";
    let body = format!(
        "{{\"query\": {{\"query\": {}, \"variables\": {{\"n\": 12345678901234567890.1}}}}}}",
        json!(query)
    );
    let request = format!(
        "POST /v1/graphql/explain HTTP/1.1\r\nHost: test\r\nx-hasura-admin-secret: {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        super::SECRET,
        body.len()
    );
    let answer = site.server.send(request.as_bytes()).body;
    assert!(answer.contains("12345678901234567890.1"), "{answer}");
}

/// An object of a client is a value, whatever the names of its members are.
#[test]
fn objects_of_variables_are_no_numbers() {
    let (Some(first), Some(other)) =
        (Database::on_one("CREATE TABLE person (id int PRIMARY KEY)"), Database::on_one(PARTS))
    else {
        return;
    };
    let site = start(&first, &other);
    let query = "query ($value: jsonb) { person { id } price(where: {details: {_contains: $value}}) \
                 { id } }";
    for name in ["\0number", "number"] {
        let body = json!({ "query": query, "variables": { "value": {
            name: "1}}) { id } leak: price(where: {id: {_eq: 2",
        } } });
        let headers = format!("x-hasura-admin-secret: {}\r\n", super::SECRET);
        let answer = site.server.post(&headers, &body.to_string());
        assert!(!answer.body.contains("leak"), "{}", answer.body);
    }
}

/// A domain that is `NOT NULL` refuses rows with some of their columns, and `integer` large numbers.
#[test]
fn keys_lead_to_tables_with_domains_and_smaller_types() {
    let firsts = Database::on_each(
        "CREATE TABLE person (id bigint PRIMARY KEY, word text, price numeric);
         INSERT INTO person VALUES (1, 'a', 1.1), (2, NULL, 1.104), (3000000000, 'b', NULL);",
    );
    let others = Database::on_each(
        "CREATE DOMAIN word AS text NOT NULL; CREATE DOMAIN price AS numeric(10, 2);
         CREATE TABLE tag (id int PRIMARY KEY, name word, kind word, price price);
         CREATE TABLE nothing (id int PRIMARY KEY, name word);
         INSERT INTO tag VALUES (1, 'b', 'x', 1.1), (2, 'a', 'y', 1.10);",
    );
    for (first, other) in firsts.into_iter().zip(others) {
        let (tag, nothing) = (("shop", "tag"), ("shop", "nothing"));
        let relationships = [
            relationship("by_id", "object", tag, &json!({ "id": "id" })),
            relationship("by_word", "array", tag, &json!({ "word": "name" })),
            relationship("by_price", "array", tag, &json!({ "price": "price" })),
            relationship("none", "array", nothing, &json!({ "word": "name" })),
        ];
        let people = table("person", &json!({ "remote_relationships": relationships }));
        let tables = ["tag", "nothing"].map(|name| table(name, &json!({})));
        let metadata = json!({ "version": 3, "sources": [
            source("default", &[people], &json!({})),
            source("shop", &tables, &json!({})),
        ] });
        let site = Site::start(&first.url(), &other.url(), &metadata, &[]);
        let query = "{ person(order_by: {id: asc}) { by_id { id } by_word { id } none { id } \
                     by_price(order_by: {id: asc}) { id } by_word_aggregate { aggregate { count } } } }";
        let row = |by_id: Value, by_word: &[u64], by_price: &[u64]| {
            let list = |ids: &[u64]| ids.iter().map(|id| json!({ "id": id })).collect::<Vec<_>>();
            json!({ "by_id": by_id, "by_word": list(by_word), "none": [], "by_price": list(by_price),
                "by_word_aggregate": { "aggregate": { "count": by_word.len() } } })
        };
        let expected = json!([
            row(json!({ "id": 1 }), &[2], &[1, 2]),
            row(json!({ "id": 2 }), &[], &[]),
            row(Value::Null, &[1], &[]),
        ]);
        assert_eq!(site.data("", query)["person"], expected);
    }
}
