//! Endpoints, limits and subscriptions of a server with several sources.

use serde_json::{Value, json};

use super::{SECRET, Site, people_and_orders, select, table};
use crate::databases::Database;
use crate::program::{outcome, run};
use crate::subscriptions::site::{Client, TRANSPORT, next, subscribe};

fn databases() -> Option<(Database, Database)> {
    Some((Database::on_one(super::PEOPLE)?, Database::on_one(super::ORDERS)?))
}

fn call(site: &Site, request: &str) -> (u16, Value) {
    let answer = site.server.send(request.as_bytes());
    let body = serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{}", answer.body));
    (answer.status, body)
}

fn rest(site: &Site, method: &str, target: &str, role: &str, body: &str) -> (u16, Value) {
    call(
        site,
        &format!(
            "{method} /api/rest/{target} HTTP/1.1\r\nHost: test\r\nx-hasura-admin-secret: {SECRET}\r\n\
             x-hasura-role: {role}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{body}",
            body.len()
        ),
    )
}

#[test]
fn rest_endpoints_have_fields_of_any_source() {
    let Some((people, orders)) = databases() else { return };
    let mut metadata = people_and_orders();
    let queries = json!([
        { "name": "own", "query": "query ($id: Int!) { orders(where: {id: {_eq: $id}}) { id total } }" },
        { "name": "both", "query": "query ($id: Int!) { person(where: {id: {_eq: $id}}) { name \
          orders(order_by: {id: asc}, limit: 1) { id } } orders_aggregate { aggregate { count } } }" },
        { "name": "new", "query": "mutation ($id: Int!) { insert_purchase_one(object: {id: $id, \
          total: 1}) { id } }" },
    ]);
    metadata["query_collections"] =
        json!([{ "name": "all", "definition": { "queries": queries } }]);
    let endpoint = |name: &str, method: &str| {
        json!({ "name": name, "url": format!("{name}/:id"), "methods": [method],
            "definition": { "query": { "collection_name": "all", "query_name": name } } })
    };
    metadata["rest_endpoints"] =
        json!([endpoint("own", "GET"), endpoint("both", "GET"), endpoint("new", "POST")]);
    let site = Site::start(&people.url(), &orders.url(), &metadata, &[]);
    let expected = json!({ "orders": [{ "id": 3, "total": 30 }] });
    assert_eq!(rest(&site, "GET", "own/3", "user", ""), (200, expected));
    let expected = json!({
        "person": [{ "name": "Ada", "orders": [{ "id": 2 }] }],
        "orders_aggregate": { "aggregate": { "count": 5 } },
    });
    assert_eq!(rest(&site, "GET", "both/1", "user", ""), (200, expected));
    let expected = json!({ "insert_purchase_one": { "id": 70 } });
    assert_eq!(rest(&site, "POST", "new/70", "admin", ""), (200, expected));
    assert_eq!(orders.count("SELECT count(*) FROM purchase WHERE id = 70"), 1);
    // A role of one source only.
    let (status, answer) = rest(&site, "GET", "both/1", "shopper", "");
    assert_eq!(status, 400, "{answer}");
    let head = format!("Host: test\r\nx-hasura-admin-secret: {SECRET}\r\nconnection: close\r\n");
    let (status, openapi) = call(&site, &format!("GET /api/swagger/json HTTP/1.1\r\n{head}\r\n"));
    assert_eq!(status, 200);
    assert!(openapi["paths"]["/api/rest/both/{id}"]["get"].is_object(), "{openapi}");
}

#[test]
fn api_limits_count_the_fields_of_all_sources() {
    let Some((people, orders)) = databases() else { return };
    let mut metadata = people_and_orders();
    metadata["api_limits"] = json!({
        "depth_limit": { "global": 2, "per_role": {} },
        "node_limit": { "global": 3, "per_role": {} },
        "time_limit": { "global": 8, "per_role": {} },
    });
    // A slow row of the other source.
    let slow = table(
        "slow",
        &json!({ "select_permissions": [select("user", &["id"], &json!({}), false)] }),
    );
    metadata["sources"][1]["tables"].as_array_mut().unwrap().push(slow);
    let to_slow = super::relationship("slow", "array", ("shop", "slow"), &json!({ "id": "id" }));
    metadata["sources"][0]["tables"][0]["remote_relationships"]
        .as_array_mut()
        .unwrap()
        .push(to_slow);
    orders.execute(
        "CREATE VIEW slow AS SELECT p.id, s.slept FROM purchase p, \
         LATERAL (SELECT pg_sleep(p.id * 0 + 60)::text AS slept OFFSET 0) s WHERE s.slept = ''",
    );
    let site = Site::start(&people.url(), &orders.url(), &metadata, &[]);
    let code = |query: &str| {
        let answer = site.ask("user", query);
        answer["errors"][0]["extensions"]["code"].as_str().unwrap_or("none").to_owned()
    };
    assert_eq!(code("{ person { orders { id } } }"), "none");
    assert_eq!(code("{ person { orders { person { name } } } }"), "depth-limit-exceeded");
    assert_eq!(code("{ orders { person { orders { id } } } }"), "depth-limit-exceeded");
    assert_eq!(
        code("{ a: person { orders { id } } orders { person { id } } }"),
        "node-limit-exceeded"
    );
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' \
                    AND query LIKE '%slow%' AND pid <> pg_backend_pid()";
    assert_eq!(code("{ person { slow { id } } }"), "time-limit-exceeded");
    assert_eq!(code("{ slow { id } }"), "time-limit-exceeded");
    // The statements are cancelled.
    let is_over = || orders.count(sessions) == 0;
    assert!(crate::served::happens_within(crate::program::PATIENCE, is_over));
}

/// Rows of the first source may have related rows of others in a live query.
#[test]
fn live_queries_and_streams_of_each_source_have_its_permissions() {
    let Some((people, orders)) = databases() else { return };
    let mut metadata = people_and_orders();
    let all = select("user", &["id", "total"], &json!({ "total": { "_lt": 100 } }), false);
    metadata["sources"][1]["tables"][1]["select_permissions"] = json!([all]);
    let site = Site::start(&people.url(), &orders.url(), &metadata, &[]);
    let payload =
        json!({ "headers": { "x-hasura-admin-secret": SECRET, "x-hasura-role": "user" } });
    let mut client = Client::connect(&site.server, TRANSPORT, &payload);
    let stream = "subscription { purchase_stream(batch_size: 10, \
                  cursor: {initial_value: {id: 5}}) { id total } }";
    client.send(&subscribe("1", stream));
    let rows = |rows: Value| next("1", &json!({ "data": { "purchase_stream": rows } }));
    assert_eq!(client.receive(), rows(json!([{ "id": 6, "total": 60 }])));
    orders.execute("INSERT INTO purchase VALUES (8, 1, 500), (9, 1, 50)");
    assert_eq!(client.receive(), rows(json!([{ "id": 9, "total": 50 }])));
    let mut client = Client::connect(&site.server, TRANSPORT, &payload);
    let live = "subscription { person(where: {id: {_eq: 1}}) { orders_aggregate { aggregate { count } } } }";
    client.send(&subscribe("2", live));
    let count = |count: u64| {
        let aggregate = json!({ "aggregate": { "count": count } });
        next("2", &json!({ "data": { "person": [{ "orders_aggregate": aggregate }] } }))
    };
    assert_eq!(client.receive(), count(5));
    orders.execute("INSERT INTO purchase VALUES (12, 1, 10)");
    assert_eq!(client.receive(), count(6));
}

/// Each source names its fields by its own convention.
#[test]
fn sources_have_naming_conventions_of_their_own() {
    let Some((people, orders)) = databases() else { return };
    for (first, other, query) in [
        (
            json!({ "naming_convention": "graphql-default" }),
            json!({ "naming_convention": "hasura-default" }),
            "{ person(orderBy: {id: ASC}, limit: 1) { ordersAggregate: orders_aggregate { aggregate { count } } \
             orders(order_by: {id: asc}, limit: 1) { buyer_id } } \
             orders(order_by: {id: desc}, limit: 1) { person { name } } }",
        ),
        (
            json!({ "naming_convention": "hasura-default" }),
            json!({ "naming_convention": "graphql-default" }),
            "{ person(order_by: {id: asc}, limit: 1) { ordersAggregate: orders_aggregate { aggregate { count } } \
             orders(orderBy: {id: ASC}, limit: 1) { buyer_id: buyer_id } } \
             orders(orderBy: {id: DESC}, limit: 1) { person { name } } }",
        ),
    ] {
        let mut metadata = people_and_orders();
        metadata["sources"][0]["customization"] = first;
        metadata["sources"][1]["customization"] = other;
        let site = Site::start(&people.url(), &orders.url(), &metadata, &[]);
        let expected = json!({
            "person": [{
                "ordersAggregate": { "aggregate": { "count": 3 } },
                "orders": [{ "buyer_id": 1 }],
            }],
            "orders": [{ "person": { "name": "Ada" } }],
        });
        assert_eq!(site.data("", query), expected);
    }
}

/// The Relay API is that of the first source.
#[test]
fn the_relay_api_has_the_first_source() {
    let Some((people, orders)) = databases() else { return };
    let site = Site::start(&people.url(), &orders.url(), &people_and_orders(), &[]);
    let ask = |query: &str| {
        let body = json!({ "query": query }).to_string();
        let (_, answer) = call(
            &site,
            &format!(
                "POST /v1beta1/relay HTTP/1.1\r\nHost: test\r\nx-hasura-admin-secret: {SECRET}\r\n\
                 content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            ),
        );
        answer
    };
    let answer = ask("{ person_connection(first: 1) { edges { node { name } } } }");
    assert_eq!(answer["data"]["person_connection"]["edges"][0]["node"]["name"], "Ada", "{answer}");
    let answer = ask("{ purchase_connection(first: 1) { edges { node { id } } } }");
    let message = answer["errors"][0]["message"].as_str().unwrap();
    assert_eq!(message, "field 'purchase_connection' not found in type: 'query_root'");
}

#[test]
fn commands_know_all_sources() {
    let Some((people, orders)) = databases() else { return };
    let metadata = people_and_orders();
    let site = Site::start(&people.url(), &orders.url(), &metadata, &[]);
    let (code, report, _) = outcome(&run(&["import-metadata", &site.file]));
    assert_eq!(code, Some(0));
    let expected = "\nSources (2)\n  default: postgres, 1 table, with relationships to shop\n  \
                    shop: postgres, 2 tables, with relationships to default\n";
    assert!(report.contains(expected), "{report}");
    let next = format!("--metadata {} --metadata-source default --further-source shop`", site.file);
    assert!(report.contains(&next), "{report}");

    let words = super::words(&people.url(), &orders.url(), &site.file);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let against = format!("http://{}/v1/graphql", site.server.address);
    let header = format!("x-hasura-admin-secret={SECRET}");
    let options =
        ["--against", &against, "--against-header", &header, "--role", "admin,user,shopper"];
    let (code, report, error) = outcome(&run(&[&["diff"], &words[..], &options].concat()));
    assert_eq!(code, Some(0), "{report}{error}");
    assert_eq!(report.matches("No changes").count(), 3, "{report}");
    // Without the other source, its fields are missing.
    let alone =
        [words[0], "--dialect", "hasura", "--metadata", &site.file, "--metadata-source", "default"];
    let options = ["--against", &against, "--against-header", &header, "--role", "user"];
    let (code, report, error) = outcome(&run(&[&["diff"], &alone[..], &options].concat()));
    assert_eq!(code, Some(1), "{report}{error}");
    assert!(report.contains("orders"), "{report}");
}
