//! Several sources of Hasura's metadata in one server, and relationships between them.

mod actions;
mod cached;
mod endpoints;
mod events;
mod explained;
mod numbers;

use std::collections::BTreeSet;
use std::fs;
use std::io::BufRead;

use serde_json::{Value, json};

use crate::databases::{Database, File, restartable};
use crate::program::{Folder, Server, outcome, run};
use crate::subscriptions::site::{Client, TRANSPORT, next, subscribe};

const SECRET: &str = "an admin secret";

const PEOPLE: &str = "
    CREATE TABLE person (id int PRIMARY KEY, name text NOT NULL, team text);
    INSERT INTO person VALUES (1, 'Ada', 'x'), (2, 'Bob', 'y'), (3, 'Cy', NULL);";

/// The time of the statement that reads a row tells how many statements there were.
const ORDERS: &str = "
    CREATE TABLE purchase (id int PRIMARY KEY, buyer int, total int NOT NULL, team text);
    INSERT INTO purchase SELECT i, 1 + i % 2, i * 10, CASE i % 2 WHEN 0 THEN 'x' ELSE 'y' END
        FROM generate_series(1, 6) i;
    CREATE VIEW orders AS
        SELECT id, buyer, total, team, clock_timestamp() > now() AS is_late,
            statement_timestamp()::text AS read_at
        FROM purchase;";

fn table(name: &str, members: &Value) -> Value {
    let mut table = json!({ "table": { "schema": "public", "name": name } });
    for (key, value) in members.as_object().unwrap() {
        table[key] = value.clone();
    }
    table
}

fn select(role: &str, columns: &[&str], filter: &Value, aggregates: bool) -> Value {
    json!({ "role": role, "permission": {
        "columns": columns, "filter": filter, "allow_aggregations": aggregates,
    } })
}

fn relationship(name: &str, kind: &str, (source, table): (&str, &str), mapping: &Value) -> Value {
    json!({ "name": name, "definition": { "to_source": {
        "source": source,
        "table": { "schema": "public", "name": table },
        "relationship_type": kind,
        "field_mapping": mapping,
    } } })
}

fn source(name: &str, tables: &[Value], customization: &Value) -> Value {
    json!({
        "name": name,
        "kind": "postgres",
        "tables": tables,
        "customization": customization,
        "configuration": { "connection_info": { "database_url": { "from_env": "NO_SUCH_URL" } } },
    })
}

/// People in the first source and their orders in the other one.
fn people_and_orders() -> Value {
    let orders = ("shop", "orders");
    let people = table(
        "person",
        &json!({
            "select_permissions": [
                select("user", &["id", "name", "team"], &json!({ "id": { "_lt": 3 } }), true),
                select("nameless", &["name"], &json!({}), false),
            ],
            "remote_relationships": [
                relationship("orders", "array", orders, &json!({ "id": "buyer" })),
                relationship("team_orders", "array", orders, &json!({ "id": "buyer", "team": "team" })),
                relationship("first_order", "object", orders, &json!({ "id": "id" })),
            ],
        }),
    );
    let orders = table(
        "orders",
        &json!({
            "configuration": { "column_config": { "buyer": { "custom_name": "buyer_id" } } },
            "select_permissions": [
                select("user", &["id", "buyer", "total"], &json!({ "id": { "_gt": 1 } }), true),
                select("shopper", &["id"], &json!({}), false),
                select("nameless", &["id", "buyer"], &json!({}), false),
            ],
            "remote_relationships": [
                relationship("person", "object", ("default", "person"), &json!({ "buyer": "id" })),
            ],
        }),
    );
    let purchases = table("purchase", &json!({}));
    json!({ "version": 3, "sources": [
        source("default", &[people], &json!({})),
        source("shop", &[orders, purchases], &json!({})),
    ] })
}

struct Site {
    server: Server,
    file: String,
    _folder: Folder,
}

impl Site {
    fn start(first: &str, further: &str, metadata: &Value, options: &[&str]) -> Self {
        let folder = Folder::new();
        let file = write(&folder, metadata);
        let words = words(first, further, &file);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let serve = ["serve", "--admin-secret", SECRET, "--listen", "127.0.0.1:0"];
        let server = Server::start(&[&serve, &words[..], options].concat());
        Self { server, file, _folder: folder }
    }

    /// The answer to the administrator, with the text of variables.
    fn ask_with(&self, query: &str, variables: &str) -> Value {
        let body = format!("{{\"query\": {}, \"variables\": {variables}}}", json!(query));
        let headers = format!("x-hasura-admin-secret: {SECRET}\r\n");
        let answer = self.server.post(&headers, &body).body;
        serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{answer}"))
    }

    /// The answer to a role; to the administrator without one.
    fn ask(&self, role: &str, query: &str) -> Value {
        let mut headers = format!("x-hasura-admin-secret: {SECRET}\r\n");
        if !role.is_empty() {
            headers.push_str(&format!("x-hasura-role: {role}\r\n"));
        }
        let answer = self.server.query(&headers, query);
        serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{}", answer.body))
    }

    fn data(&self, role: &str, query: &str) -> Value {
        let answer = self.ask(role, query);
        assert_eq!(answer.get("errors"), None, "{answer}");
        answer["data"].clone()
    }

    fn refused(&self, role: &str, query: &str, expected: &str) {
        let answer = self.ask(role, query);
        let message = answer["errors"][0]["message"].as_str().unwrap_or_default();
        assert_eq!(message, expected, "{answer}");
    }
}

fn write(folder: &Folder, metadata: &Value) -> String {
    let file = folder.file("metadata.json");
    fs::write(&file, metadata.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

fn words(first: &str, further: &str, file: &str) -> Vec<String> {
    let further = format!("shop={further}");
    let words = [first, "--dialect", "hasura", "--metadata", file, "--further-source", &further];
    words.map(str::to_owned).into()
}

/// The site on each PostgreSQL, with its databases.
fn on_each(mut test: impl FnMut(&Site, &Database, &Database)) {
    let people = Database::on_each(PEOPLE);
    for (people, orders) in people.into_iter().zip(Database::on_each(ORDERS)) {
        let site = Site::start(&people.url(), &orders.url(), &people_and_orders(), &[]);
        test(&site, &people, &orders);
    }
}

#[test]
fn one_document_selects_fields_of_several_sources() {
    on_each(|site, people, orders| {
        let query = "{ orders(limit: 1, order_by: {id: desc}) { id buyer_id } __typename \
                     person_aggregate { aggregate { count } } o: orders(where: {id: {_eq: 1}}) { total } }";
        let expected = r#"{"orders":[{"id":6,"buyer_id":1}],"__typename":"query_root","person_aggregate":{"aggregate":{"count":3}},"o":[{"total":10}]}"#;
        assert_eq!(site.data("", query).to_string(), expected);
        let variables = "query ($where: orders_bool_exp = {id: {_lt: 3}}) { person(limit: 1) { id } \
                         orders(where: $where, order_by: [{total: desc}]) { id } }";
        let expected = json!({ "person": [{ "id": 1 }], "orders": [{ "id": 2 }, { "id": 1 }] });
        assert_eq!(site.data("", variables), expected);
        let types =
            site.data("", "{ __type(name: \"query_root\") { fields { name } } }").to_string();
        for name in ["orders", "orders_aggregate", "person", "person_by_pk", "purchase_by_pk"] {
            assert!(types.contains(&format!("{{\"name\":\"{name}\"}}")), "{name}: {types}");
        }
        assert!(!types.contains("_related"), "{types}");

        // Fields of one source are one transaction of it.
        let failing = "mutation { insert_purchase_one(object: {id: 50, total: 1}) { id } \
                       update_purchase(where: {}, _set: {id: 7}) { affected_rows } }";
        assert!(site.ask("", failing)["errors"].is_array());
        assert_eq!(orders.count("SELECT count(*) FROM purchase"), 6);
        // Those of several are executed in their order.
        let both = "mutation { insert_purchase_one(object: {id: 51, total: 1}) { id } \
                    update_person(where: {id: {_eq: 3}}, _set: {name: \"Di\"}) { affected_rows } \
                    delete_purchase_by_pk(id: 51) { id } }";
        let expected = json!({
            "insert_purchase_one": { "id": 51 },
            "update_person": { "affected_rows": 1 },
            "delete_purchase_by_pk": { "id": 51 },
        });
        assert_eq!(site.data("", both), expected);
        assert_eq!(orders.count("SELECT count(*) FROM purchase WHERE id = 51"), 0);
        assert_eq!(people.count("SELECT count(*) FROM person WHERE name = 'Di'"), 1);
        // After an error nothing more is executed.
        let failing = "mutation { update_person(where: {id: {_eq: 3}}, _set: {name: \"Ed\"}) { affected_rows } \
                       insert_purchase_one(object: {id: 1, total: 1}) { id } \
                       delete_purchase_by_pk(id: 2) { id } \
                       last: update_person(where: {id: {_eq: 3}}, _set: {name: \"Al\"}) { affected_rows } }";
        assert!(site.ask("", failing)["errors"].is_array());
        assert_eq!(orders.count("SELECT count(*) FROM purchase WHERE id = 2"), 1);
        assert_eq!(people.count("SELECT count(*) FROM person WHERE name = 'Ed'"), 1);
    });
}

#[test]
fn fields_of_all_sources_count_for_the_cost() {
    let (Some(people), Some(orders)) = (Database::on_one(PEOPLE), Database::on_one(ORDERS)) else {
        return;
    };
    let limits = ["--max-cost", "50"];
    let site = Site::start(&people.url(), &orders.url(), &people_and_orders(), &limits);
    let refused = |query: &str| site.ask("", query).to_string().contains("is estimated to cost");
    assert!(refused("{ a: orders(limit: 45) { id } b: orders(limit: 45) { id } }"));
    assert!(refused(
        "{ person(limit: 1) { id } a: orders(limit: 45) { id } b: orders(limit: 45) { id } }"
    ));
    assert!(!refused("{ person(limit: 1) { id } a: orders(limit: 5) { id } }"));
}

#[test]
fn relationships_between_sources_are_read_by_one_request_for_all_rows() {
    on_each(|site, people, _| {
        people.execute("INSERT INTO person SELECT i, 'p' || i FROM generate_series(4, 200) i");
        let query = "{ person(order_by: {id: asc}) { id orders(limit: 2, order_by: {id: desc}) { id \
                     read_at } orders_aggregate(where: {id: {_gt: 1}}) { aggregate { count } } \
                     team_orders { id } first_order { id } } }";
        let data = site.data("", query);
        let rows = data["person"].as_array().unwrap();
        assert_eq!(rows.len(), 200);
        let ids = |of: &Value| {
            let rows = of.as_array().unwrap().iter();
            rows.map(|row| row["id"].as_u64().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(ids(&rows[0]["orders"]), [6, 4]);
        assert_eq!(ids(&rows[1]["orders"]), [5, 3]);
        assert_eq!(rows[1]["orders_aggregate"]["aggregate"]["count"], 2);
        assert_eq!(ids(&rows[0]["team_orders"]).len(), 3);
        assert_eq!(rows[2]["team_orders"], json!([]));
        assert_eq!(rows[2]["orders"], json!([]));
        assert_eq!(rows[199]["orders_aggregate"]["aggregate"]["count"], 0);
        assert_eq!(
            (&rows[5]["first_order"]["id"], &rows[6]["first_order"]),
            (&json!(6), &Value::Null)
        );
        let orders = rows.iter().flat_map(|row| row["orders"].as_array().unwrap());
        let statements: BTreeSet<_> = orders.map(|one| one["read_at"].as_str().unwrap()).collect();
        assert_eq!(statements.len(), 1);

        // In the other direction, and back again.
        let query = "{ orders(order_by: {id: asc}, limit: 2) { id person { name orders(limit: 1, \
                     order_by: {id: asc}) { id person { id } } orders_aggregate { aggregate { count } } } } }";
        let row = |id: u64, name: &str, first: u64, person: u64| {
            json!({ "id": id, "person": {
                "name": name,
                "orders": [{ "id": first, "person": { "id": person } }],
                "orders_aggregate": { "aggregate": { "count": 3 } },
            } })
        };
        let expected = json!({ "orders": [row(1, "Bob", 1, 2), row(2, "Ada", 2, 1)] });
        assert_eq!(site.data("", query), expected);
        people.execute("DELETE FROM person WHERE id = 1");
        let missing = site.data("", "{ orders(where: {id: {_eq: 2}}) { person { name } } }");
        assert_eq!(missing, json!({ "orders": [{ "person": null }] }));
    });
}

#[test]
fn roles_see_in_each_source_what_its_permissions_have() {
    on_each(|site, _, _| {
        let query = "{ person(order_by: {id: asc}) { id orders(order_by: {id: asc}) { id } } }";
        let rows = |first: &[u64], second: &[u64]| {
            let of = |ids: &[u64]| ids.iter().map(|id| json!({ "id": id })).collect::<Vec<_>>();
            json!([{ "id": 1, "orders": of(first) }, { "id": 2, "orders": of(second) }])
        };
        assert_eq!(site.data("user", query)["person"], rows(&[2, 4, 6], &[3, 5]));
        let sum = "{ person(where: {id: {_eq: 2}}) { orders_aggregate { aggregate { count sum { total } } } } }";
        let expected = json!({ "aggregate": { "count": 2, "sum": { "total": 80 } } });
        assert_eq!(site.data("user", sum)["person"][0]["orders_aggregate"], expected);
        let back = "{ orders(order_by: {id: asc}) { id person { name } } }";
        assert_eq!(
            site.data("user", back)["orders"][0],
            json!({ "id": 2, "person": { "name": "Ada" } })
        );

        // A column that is no part of the permission, in each place.
        let no_field = |name: &str, of: &str| format!("field '{name}' not found in type: '{of}'");
        site.refused("user", "{ orders { team } }", &no_field("team", "orders"));
        site.refused("user", "{ person { orders { team } } }", &no_field("team", "orders"));
        let condition = "{ person { orders(where: {team: {_eq: \"x\"}}) { id } } }";
        let found = site.ask("user", condition).to_string();
        assert!(found.contains("field 'team' not found in type: 'orders_bool_exp'"), "{found}");
        // A role of one source only.
        assert_eq!(
            site.data("shopper", "{ orders_by_pk: orders(limit: 1) { id } }")["orders_by_pk"][0]["id"],
            1
        );
        site.refused("shopper", "{ person { id } }", &no_field("person", "query_root"));
        site.refused("shopper", "{ orders { person { name } } }", &no_field("person", "orders"));
        site.refused("shopper", "{ purchase { id } }", &no_field("purchase", "query_root"));
        // The key of the relationship is hidden.
        site.refused("nameless", "{ person { orders { id } } }", &no_field("orders", "person"));
        assert_eq!(
            site.data("nameless", "{ orders(where: {id: {_eq: 1}}) { person { name } } }"),
            json!({ "orders": [{ "person": { "name": "Bob" } }] })
        );
        // The fields by which relationships are followed are none of the API.
        for role in ["", "user", "nobody"] {
            let hidden = "{ _related_0(args: {keys: []}) { rows { id } } }";
            site.refused(role, hidden, &no_field("_related_0", "query_root"));
        }
        site.refused("nobody", "{ orders { id } }", &no_field("orders", "query_root"));
        site.refused(
            "user",
            "mutation { delete_purchase_by_pk(id: 1) { id } }",
            "no mutations exist",
        );
    });
}

#[test]
fn rows_that_a_role_does_not_see_are_null_in_each_source() {
    let (Some(people), Some(orders)) = (
        Database::on_one(PEOPLE),
        Database::on_one(
            "CREATE TABLE buyer (id int PRIMARY KEY);
             CREATE TABLE purchase (id int PRIMARY KEY, buyer int NOT NULL REFERENCES buyer);
             INSERT INTO buyer VALUES (1), (2);
             INSERT INTO purchase VALUES (1, 1), (2, 2);",
        ),
    ) else {
        return;
    };
    let all = [select("user", &["id"], &json!({}), false)];
    let first = [select("user", &["id"], &json!({ "id": { "_eq": 1 } }), false)];
    let owner = json!([{ "name": "owner", "using": { "foreign_key_constraint_on": "buyer" } }]);
    let purchases = json!({ "select_permissions": all, "object_relationships": owner });
    let metadata = json!({ "version": 3, "sources": [
        source("default", &[table("person", &json!({ "select_permissions": first }))], &json!({})),
        source(
            "shop",
            &[
                table("buyer", &json!({ "select_permissions": first })),
                table("purchase", &purchases),
            ],
            &json!({}),
        ),
    ] });
    let site = Site::start(&people.url(), &orders.url(), &metadata, &[]);
    let query = "{ person { id } purchase(order_by: {id: asc}) { id owner { id } } }";
    let expected = json!({
        "person": [{ "id": 1 }],
        "purchase": [{ "id": 1, "owner": { "id": 1 } }, { "id": 2, "owner": null }],
    });
    assert_eq!(site.data("user", query), expected);
}

/// Databases read the keys as they are written, and round none of them.
#[test]
fn keys_are_compared_exactly() {
    let Some(first) = Database::on_one(
        "CREATE TABLE person (id int PRIMARY KEY, code numeric, word text);
         INSERT INTO person VALUES (1, 12345678901234567890123.1, 'abcd'),
             (2, 12345678901234567890124.1, 'abc'), (3, 1.104, NULL), (4, 1.1, NULL);",
    ) else {
        return;
    };
    let Some(other) = Database::on_one(
        "CREATE TABLE orders (id int PRIMARY KEY, code numeric, price numeric(10, 2), word varchar(3));
         INSERT INTO orders VALUES (1, 12345678901234567890124.1, NULL, 'abc'), (2, NULL, 1.10, NULL);",
    ) else {
        return;
    };
    let orders = ("shop", "orders");
    let relationships = [
        relationship("by_code", "array", orders, &json!({ "code": "code" })),
        relationship("by_price", "array", orders, &json!({ "code": "price" })),
        relationship("by_word", "array", orders, &json!({ "word": "word" })),
    ];
    let people = table("person", &json!({ "remote_relationships": relationships }));
    let metadata = json!({ "version": 3, "sources": [
        source("default", &[people], &json!({})),
        source("shop", &[table("orders", &json!({}))], &json!({})),
    ] });
    let site = Site::start(&first.url(), &other.url(), &metadata, &[]);
    let query = "{ person(order_by: {id: asc}) { by_code { id } by_price { id } by_word { id } } }";
    let row = |code: &[u64], price: &[u64], word: &[u64]| {
        let [code, price, word] = [code, price, word]
            .map(|ids| ids.iter().map(|id| json!({ "id": id })).collect::<Vec<_>>());
        json!({ "by_code": code, "by_price": price, "by_word": word })
    };
    let expected =
        json!([row(&[], &[], &[]), row(&[1], &[], &[1]), row(&[], &[], &[]), row(&[], &[2], &[]),]);
    assert_eq!(site.data("", query)["person"], expected);
}

/// The fields by which relationships are followed are those of the namespace, or have the names of
/// the convention.
#[test]
fn relationships_lead_to_sources_with_namespaces_and_conventions() {
    let (Some(people), Some(orders)) = (Database::on_one(PEOPLE), Database::on_one(ORDERS)) else {
        return;
    };
    let convention = json!({ "naming_convention": "graphql-default" });
    for (first, other) in [
        (json!({}), json!({ "root_fields": { "namespace": "shop" } })),
        (convention.clone(), convention),
    ] {
        let mut metadata = people_and_orders();
        metadata["sources"][0]["customization"] = first;
        metadata["sources"][1]["customization"] = other;
        let site = Site::start(&people.url(), &orders.url(), &metadata, &[]);
        for role in ["", "user"] {
            let query = "{ person(where: {id: {_eq: 2}}) { first_order { id } } }";
            let expected = json!({ "person": [{ "first_order": { "id": 2 } }] });
            assert_eq!(site.data(role, query), expected);
        }
    }
}

#[test]
fn subscriptions_read_any_source() {
    on_each(|site, _, orders| {
        let payload = json!({ "headers": { "x-hasura-admin-secret": SECRET } });
        let mut client = Client::connect(&site.server, TRANSPORT, &payload);
        client.send(&subscribe("1", "subscription { purchase_aggregate { aggregate { count } } }"));
        let count = |count: u64| json!({ "data": { "purchase_aggregate": { "aggregate": { "count": count } } } });
        assert_eq!(client.receive(), next("1", &count(6)));
        orders.execute("INSERT INTO purchase VALUES (7, 1, 70)");
        assert_eq!(client.receive(), next("1", &count(7)));
        let mut client = Client::connect(&site.server, TRANSPORT, &payload);
        let stream = "subscription { purchase_stream(batch_size: 4, cursor: {initial_value: {id: 3}}) { id } }";
        client.send(&subscribe("2", stream));
        let rows = |ids: &[u64]| {
            let rows: Vec<_> = ids.iter().map(|id| json!({ "id": id })).collect();
            json!({ "data": { "purchase_stream": rows } })
        };
        assert_eq!(client.receive(), next("2", &rows(&[4, 5, 6, 7])));
        // Nothing tells of changes of the other source.
        for (query, expected) in [
            ("subscription { person { id } purchase { id } }", "must select one top level field"),
            ("subscription { orders { id person { name } } }", "A subscription reads one source"),
        ] {
            let mut client = Client::connect(&site.server, TRANSPORT, &payload);
            client.send(&subscribe("3", query));
            let refused = client.receive().to_string();
            assert!(refused.contains(expected), "{refused}");
        }
    });
}

#[test]
fn equal_names_of_two_sources_are_told_with_the_remedy() {
    let (one, other) = (
        File::new("CREATE TABLE note (id INTEGER PRIMARY KEY)"),
        File::new(
            "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO note VALUES (1, 'a')",
        ),
    );
    let folder = Folder::new();
    let metadata = |customization: &Value| {
        json!({ "version": 3, "sources": [
            source("default", &[table("note", &json!({}))], &json!({})),
            source("shop", &[table("note", &json!({}))], customization),
        ] })
    };
    let file = write(&folder, &metadata(&json!({})));
    let schema = |further: &[&str]| {
        let words = words(one.source(), other.source(), &file);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        outcome(&run(&[&["schema"], &words[..], further].concat()))
    };
    let (code, _, error) = schema(&[]);
    assert_eq!(code, Some(1), "{error}");
    for expected in [
        "metadata.json (sources[1].name): The source shop: another type of the API has the name \
         note; rename this one by customization.type_names of the source",
        "query_root has another field note; rename it by customization.root_fields of the source",
    ] {
        assert!(error.contains(expected) || expected.starts_with("query_root"), "{error}");
    }
    let (code, sdl, _) = schema(&["--inconsistent-metadata", "leave-out"]);
    assert_eq!(code, Some(0));
    assert!(!sdl.contains("text: String"), "{sdl}");

    let prefixes =
        json!({ "type_names": { "prefix": "shop_" }, "root_fields": { "prefix": "shop_" } });
    let site = Site::start(one.source(), other.source(), &metadata(&prefixes), &[]);
    let expected = json!({ "note": [], "shop_note": [{ "text": "a", "__typename": "shop_note" }] });
    assert_eq!(site.data("", "{ note { id } shop_note { text __typename } }"), expected);
    drop(site);
    let namespace =
        json!({ "type_names": { "prefix": "shop_" }, "root_fields": { "namespace": "shop" } });
    let site = Site::start(one.source(), other.source(), &metadata(&namespace), &[]);
    let expected = json!({ "note": [], "shop": { "note": [{ "text": "a" }] } });
    assert_eq!(site.data("", "{ note { id } shop { note { text } } }"), expected);
    assert_eq!(
        site.data("", "{ shop { note { id } } }"),
        json!({ "shop": { "note": [{ "id": 1 }] } })
    );
    let insert = "mutation { shop { insert_note_one(object: {text: \"b\"}) { id } } }";
    assert_eq!(site.data("", insert), json!({ "shop": { "insert_note_one": { "id": 2 } } }));
}

#[test]
fn a_source_that_is_down_does_not_stop_the_others() {
    let Some(people) = Database::on_one(PEOPLE) else { return };
    let Some(mut orders) = restartable() else { return };
    orders.server.execute("postgres", ORDERS).unwrap();
    let url = orders.server.socket_url("postgres");
    let metadata = people_and_orders();
    let leave_out = ["--inconsistent-metadata", "leave-out"];
    let mut site = Site::start(&people.url(), &url, &metadata, &leave_out);
    assert!(!site.server.said.contains("inconsistent"), "{}", site.server.said);
    let (own, both) = ("{ person(limit: 1) { id } }", "{ person(limit: 1) { id orders { id } } }");
    let purchases = "{ purchase(limit: 1) { id } }";
    assert_eq!(site.data("", purchases)["purchase"][0]["id"], 1);
    orders.stop().unwrap();
    assert_eq!(site.data("", own)["person"][0]["id"], 1);
    for query in [both, purchases] {
        assert!(site.ask("", query)["errors"].is_array(), "{query}");
    }
    reload(&mut site);
    assert_eq!(site.data("", own)["person"][0]["id"], 1);
    site.refused("", purchases, "field 'purchase' not found in type: 'query_root'");
    let words = words(&people.url(), &url, &site.file);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (_, report, _) = outcome(&run(&[&["check"], &words[..], &leave_out].concat()));
    assert!(report.contains("The source shop cannot be served: "), "{report}");
    orders.start_again().unwrap();
    reload(&mut site);
    assert_eq!(site.data("", both)["person"][0]["orders"].as_array().unwrap().len(), 3);
}

fn reload(site: &mut Site) {
    site.server.signal("HUP");
    let mut line = String::new();
    while !line.contains("reloaded; ") {
        line.clear();
        assert!(site.server.log.read_line(&mut line).unwrap() > 0, "no reload in the log");
        assert!(!line.contains("not reloaded"), "{line}");
    }
}

#[test]
fn a_column_that_is_mapped_twice_is_refused() {
    let (Some(people), Some(orders)) = (Database::on_one(PEOPLE), Database::on_one(ORDERS)) else {
        return;
    };
    let mut metadata = people_and_orders();
    let mapping = json!({ "id": "buyer", "team": "buyer" });
    let twice = relationship("orders", "array", ("shop", "orders"), &mapping);
    metadata["sources"][0]["tables"][0]["remote_relationships"] = json!([twice]);
    let folder = Folder::new();
    let file = write(&folder, &metadata);
    let words = words(&people.url(), &orders.url(), &file);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (code, _, error) = outcome(&run(&[&["schema"], &words[..]].concat()));
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("its field_mapping leads to the column buyer twice"), "{error}");
}

#[test]
fn wrong_names_of_sources_are_errors() {
    let database = File::new("CREATE TABLE person (id INTEGER PRIMARY KEY)");
    let folder = Folder::new();
    let file = write(
        &folder,
        &json!({ "version": 3, "sources": [
        source("default", &[table("person", &json!({}))], &json!({})),
        source("shop", &[], &json!({})),
    ] }),
    );
    let schema = |further: &[&str]| {
        let words = ["schema", database.source(), "--dialect", "hasura", "--metadata", &file];
        outcome(&run(&[&words, further].concat()))
    };
    for (options, code, expected) in [
        (&[][..], 2, "give the addresses of others with `--further-source NAME=URL`"),
        (&["--further-source", "shops=x"], 2, "the metadata has no source `shops`"),
        (&["--further-source", "=x"], 2, "a source has a name"),
        (&["--further-source", "shop=bolt://x"], 2, "give the address of PostgreSQL"),
        (&["--further-source", "shop=x", "--further-source", "shop=y"], 2, "twice"),
        (&["--further-source", "shop=x", "--metadata-source", "shop"], 2, "twice"),
        (&["--further-source", "shop"], 1, "the environment variable NO_SUCH_URL is not set"),
    ] {
        let (found, _, error) = schema(options);
        assert_eq!(found, Some(code), "{error}");
        assert!(error.contains(expected), "{expected}: {error}");
    }
}
