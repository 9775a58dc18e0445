//! Numbers of variables with more digits than a double has: they reach the database as they are written.

use serde_json::{Value, json};

use crate::databases::{Database, File};
use crate::program::{PATIENCE, Server};
use crate::served::happens_within;
use crate::subscriptions::site::{Client, TRANSPORT};

/// A double is equal to both amounts.
const ITEMS: &str = "
    CREATE TABLE item (id int PRIMARY KEY, amount numeric, data jsonb);
    INSERT INTO item VALUES (1, 12345678901234567890.10), (2, 12345678901234567891.10);";

const FIRST: &str = "12345678901234567890.10";
const SECOND: &str = "12345678901234567891.1";

/// Members of an object that look like numbers, and numbers in all places.
const DATA: &str =
    r#"{"a": [1, 0.1000000000000000000001, {"b\n": -123456789012345678901234567890}], "c": 2.5}"#;

fn serve(source: &str, options: &[&str]) -> Server {
    Server::start(&[&["serve", source, "--listen", "127.0.0.1:0"], options].concat())
}

fn body(query: &str, variables: &str) -> String {
    format!(r#"{{"query": {}, "variables": {variables}}}"#, json!(query))
}

fn data(server: &Server, query: &str, variables: &str) -> Value {
    let answer = server.post("", &body(query, variables)).body;
    let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{answer}"));
    assert_eq!(answer.get("errors"), None, "{answer}");
    answer["data"].clone()
}

#[test]
fn variables_of_hasura_keep_their_digits() {
    for database in Database::on_each(ITEMS) {
        let server = serve(&database.url(), &["--dialect", "hasura"]);
        let one = |id: u64| json!({ "item": [{ "id": id }] });
        let equal = "query ($n: numeric!) { item(where: {amount: {_eq: $n}}) { id } }";
        assert_eq!(data(&server, equal, &format!("{{\"n\": {FIRST}}}")), one(1));
        assert_eq!(data(&server, equal, &format!("{{\"n\": {SECOND}}}")), one(2));
        // A single value is coerced to a list.
        let listed = "query ($n: [numeric!]!) { item(where: {amount: {_in: $n}}) { id } }";
        assert_eq!(data(&server, listed, &format!("{{\"n\": [1.5, {SECOND}]}}")), one(2));
        assert_eq!(data(&server, listed, &format!("{{\"n\": {SECOND}}}")), one(2));
        let condition = "query ($w: item_bool_exp!) { item(where: $w) { id } }";
        let given = format!("{{\"w\": {{\"_and\": [{{\"amount\": {{\"_gt\": {FIRST}}}}}]}}}}");
        assert_eq!(data(&server, condition, &given), one(2));

        let insert = "mutation ($items: [item_insert_input!]!) { insert_item(objects: $items) { affected_rows } }";
        let items = format!(
            "{{\"items\": [{{\"id\": 3, \"amount\": 0.12345678901234567890, \"data\": {DATA}}}, \
             {{\"id\": 4, \"amount\": 1.50}}]}}"
        );
        data(&server, insert, &items);
        let stored = database.texts("SELECT amount || ' ' || data::text FROM item WHERE id = 3");
        let expected = r#"0.12345678901234567890 {"a": [1, 0.1000000000000000000001, {"b\n": -123456789012345678901234567890}], "c": 2.5}"#;
        assert_eq!(stored, [expected]);
        // A number that a double has is written as before.
        assert_eq!(database.texts("SELECT amount::text FROM item WHERE id = 4"), ["1.5"]);

        // In the address, and in a batch.
        let target = format!(
            "/v1/graphql?query={}&variables=%7B%22n%22%3A{SECOND}%7D",
            equal.replace(' ', "%20").replace('{', "%7B").replace('}', "%7D").replace('$', "%24")
        );
        let answer: Value = serde_json::from_str(&server.get(&target, "").body).unwrap();
        assert_eq!(answer["data"], one(2), "{answer}");
        let [first, second] = [FIRST, SECOND].map(|n| body(equal, &format!("{{\"n\": {n}}}")));
        let answer = server.post("", &format!("[{first}, {second}]")).body;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!((&answer[0]["data"], &answer[1]["data"]), (&one(1), &one(2)), "{answer}");
    }
}

/// Live queries and cached answers are shared by requests with equal variables. Numbers that are one
/// double are not equal.
#[test]
fn requests_whose_numbers_are_one_double_share_nothing() {
    for database in Database::on_each(ITEMS) {
        let server = serve(&database.url(), &["--dialect", "hasura", "--cache", "*=1h"]);
        let one = |id: u64| json!({ "item": [{ "id": id }] });
        let cached =
            "query ($n: numeric!) @cached(ttl: 600) { item(where: {amount: {_eq: $n}}) { id } }";
        let ask = |number: &str| server.post("", &body(cached, &format!("{{\"n\": {number}}}")));
        let is_cached = || ask(FIRST).header("x-hasura-query-cache-key").is_some();
        assert!(happens_within(PATIENCE, is_cached), "nothing is cached");
        for (number, id) in [(FIRST, 1), (SECOND, 2), (FIRST, 1)] {
            let answer = ask(number);
            let data: Value = serde_json::from_str(&answer.body).unwrap();
            assert_eq!(data["data"], one(id));
        }

        let live = "subscription ($n: numeric!) { item(where: {amount: {_eq: $n}}) { id } }";
        let mut clients = [(FIRST, 1), (SECOND, 2)].map(|(number, id)| {
            let mut client = Client::connect(&server, TRANSPORT, &json!({}));
            let payload = body(live, &format!("{{\"n\": {number}}}"));
            client
                .send_text(&format!(r#"{{"type": "subscribe", "id": "1", "payload": {payload}}}"#));
            assert_eq!(client.receive()["payload"]["data"], one(id));
            client
        });
        // A change of the rows that the second one has, which depends on the exact value.
        database.execute("INSERT INTO item VALUES (9, 12345678901234567891.1)");
        let changed = clients[1].receive();
        assert_eq!(changed["payload"]["data"]["item"].as_array().unwrap().len(), 2, "{changed}");
        clients[0].assert_silent();
    }
}

#[test]
fn variables_of_postgraphile_keep_their_digits() {
    for database in Database::on_each(ITEMS) {
        let server = serve(&database.url(), &["--dialect", "postgraphile"]);
        let equal = "query ($n: BigFloat!) { allItems(condition: {amount: $n}) { nodes { id } } }";
        let found = data(&server, equal, &format!("{{\"n\": {SECOND}}}"));
        assert_eq!(found, json!({ "allItems": { "nodes": [{ "id": 2 }] } }));
        let create =
            "mutation ($item: ItemInput!) { createItem(input: {item: $item}) { item { id } } }";
        data(&server, create, &format!("{{\"item\": {{\"id\": 3, \"amount\": {FIRST}1}}}}"));
        let stored = database.texts("SELECT amount::text FROM item WHERE id = 3");
        assert_eq!(stored, [format!("{FIRST}1")]);
    }
}

#[test]
fn json_of_variables_keeps_its_digits_in_a_file() {
    let file = File::new("CREATE TABLE item (id INTEGER PRIMARY KEY, data JSON)");
    let server = serve(file.source(), &["--dialect", "hasura"]);
    let insert = "mutation ($item: item_insert_input!) { insert_item_one(object: $item) { id } }";
    data(&server, insert, &format!("{{\"item\": {{\"id\": 1, \"data\": {DATA}}}}}"));
    let stored: String =
        file.connect().query_row("SELECT data FROM item", [], |row| row.get(0)).unwrap();
    assert_eq!(stored, DATA.replace(": ", ":").replace(", ", ","));
}

/// A number that is smaller than each double is zero for a column of doubles, and itself for others.
#[test]
fn numbers_that_doubles_make_zero_are_zero_in_columns_of_doubles() {
    for database in Database::on_each(
        "CREATE TABLE item (id int PRIMARY KEY, x double precision, y real, n numeric, \
         list double precision[]);",
    ) {
        let server = serve(&database.url(), &["--dialect", "hasura"]);
        let insert = "mutation ($items: [item_insert_input!]!) { insert_item(objects: $items) { affected_rows } }";
        let items = "{\"items\": [{\"id\": 1, \"x\": 1e-400, \"y\": -1e-400, \"n\": 1e-30, \
             \"list\": [1e-400, 0.5]}, {\"id\": 2, \"x\": 0e99999999999999999999, \
             \"n\": 0e99999999999999999999, \"list\": null}]}";
        data(&server, insert, items);
        let stored = database
            .texts("SELECT concat_ws(' ', x, abs(y), trim_scale(n), list) FROM item ORDER BY id");
        assert_eq!(stored, ["0 0 0.000000000000000000000000000001 {0,0.5}", "0 0"]);
        let found = json!({ "item": [{ "id": 1 }, { "id": 2 }] });
        for condition in ["{_eq: $n}", "{_in: [$n]}"] {
            let query = format!(
                "query ($n: float8!) {{ item(where: {{x: {condition}}}, order_by: {{id: asc}}) {{ id }} }}"
            );
            assert_eq!(data(&server, &query, "{\"n\": 1e-400}"), found, "{condition}");
        }
        let least = "query { item(where: {x: {_lte: 1e-400}}, order_by: {id: asc}) { id } }";
        assert_eq!(data(&server, least, "{}"), found);
    }
}
