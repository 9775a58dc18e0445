//! Relationships from objects of actions, and of types of remote schemas, to tables of a further source.

use serde_json::{Value, json};
use testkit::http::{HttpServer, Reply};

use super::{Site, outcome, run, source, table, write};
use crate::databases::Database;
use crate::program::{Folder, PATIENCE};
use crate::served::happens_within;

pub(super) const HOSTS: [&str; 6] = [
    "--custom-hosts",
    "127.0.0.1",
    "--custom-networks",
    "127.0.0.0/8",
    "--metadata-source",
    "default",
];

/// A remote schema with one field, whose object has a key.
const REMOTE: &str = r#"{"data": {"__schema": {
    "queryType": {"name": "Query"}, "mutationType": null, "subscriptionType": null,
    "types": [
        {"kind": "SCALAR", "name": "Int"},
        {"kind": "OBJECT", "name": "Query", "interfaces": [], "fields": [
            {"name": "visitor", "args": [], "type": {"kind": "OBJECT", "name": "Visitor"}}]},
        {"kind": "OBJECT", "name": "Visitor", "interfaces": [], "fields": [
            {"name": "number", "args": [], "type": {"kind": "SCALAR", "name": "Int"}}]}
    ]}}}"#;

fn webhooks() -> HttpServer {
    HttpServer::start(|received| match received.target.as_str() {
        "/graphql" if received.body.contains("__schema") => {
            Reply::Json(serde_json::from_str(REMOTE).unwrap())
        }
        "/graphql" => {
            let key = match received.body.contains("_join_key_number") {
                true => "_join_key_number",
                false => "number",
            };
            Reply::Json(json!({ "data": { "visitor": { key: 2 } } }))
        }
        _ => Reply::Json(json!([{ "number": 1 }, { "number": 2 }, { "number": null }])),
    })
}

fn metadata(webhooks: &HttpServer, customization: &Value) -> Value {
    let select = |role: &str, columns: &[&str], aggregates: bool| {
        super::select(role, columns, &json!({ "total": { "_gt": 10 } }), aggregates)
    };
    let purchase = table(
        "purchase",
        &json!({
            "configuration": { "column_config": { "buyer": { "custom_name": "buyer_id" } } },
            "select_permissions": [
                select("user", &["id", "buyer", "total"], true),
                select("plain", &["id"], false),
            ],
        }),
    );
    let action = |name: &str, kind: &str| {
        json!({
            "name": name,
            "definition": {
                "kind": kind,
                "handler": format!("http://{}/visitors", webhooks.address),
                "output_type": "[Visit!]!",
                "arguments": [],
                "type": "mutation",
            },
            "permissions": [{ "role": "user" }, { "role": "plain" }, { "role": "stranger" }],
        })
    };
    let relationship = |name: &str, kind: &str, mapping: Value| {
        json!({
            "name": name, "type": kind, "source": "shop",
            "remote_table": { "schema": "public", "name": "purchase" },
            "field_mapping": mapping,
        })
    };
    json!({
        "version": 3,
        "sources": [
            source("default", &[table("person", &json!({}))], &json!({})),
            source("shop", &[purchase], customization),
            source("archive", &[], &json!({})),
        ],
        "actions": [action("visit", "synchronous"), action("visit_later", "asynchronous")],
        "custom_types": { "objects": [{
            "name": "Visit",
            "fields": [{ "name": "number", "type": "Int" }],
            "relationships": [
                relationship("purchases", "array", json!({ "number": "buyer" })),
                relationship("purchase", "object", json!({ "number": "id" })),
            ],
        }] },
        "remote_schemas": [{
            "name": "visitors",
            "definition": { "url": format!("http://{}/graphql", webhooks.address) },
            "remote_relationships": [{ "type_name": "Visitor", "relationships": [{
                "name": "purchases",
                "definition": { "to_source": {
                    "source": "shop",
                    "table": { "schema": "public", "name": "purchase" },
                    "relationship_type": "array",
                    "field_mapping": { "number": "buyer" },
                } },
            }] }],
        }],
    })
}

#[test]
fn objects_of_other_servers_have_rows_of_a_further_source() {
    let people = Database::on_each(super::PEOPLE);
    for (people, orders) in people.into_iter().zip(Database::on_each(super::ORDERS)) {
        let webhooks = webhooks();
        for (customization, namespace) in
            [(json!({}), ""), (json!({ "root_fields": { "namespace": "shop" } }), "shop")]
        {
            let metadata = metadata(&webhooks, &customization);
            let site = Site::start(&people.url(), &orders.url(), &metadata, &HOSTS);
            check(&site, namespace);
        }
    }
}

fn check(site: &Site, namespace: &str) {
    let ids = |ids: &[u64]| ids.iter().map(|id| json!({ "id": id })).collect::<Vec<_>>();
    let of = |all: &[u64], count: u64, one: Option<u64>| {
        json!({
            "purchases": ids(all),
            "purchases_aggregate": { "aggregate": { "count": count } },
            "purchase": one.map(|buyer| json!({ "buyer_id": buyer })),
        })
    };
    let fields = "purchases(order_by: {id: desc}, limit: 2) { id } \
                  purchases_aggregate { aggregate { count } } purchase { buyer_id }";
    // The role does not see the purchase 1.
    let absent = of(&[], 0, None);
    let expected = |is_admin: bool| match is_admin {
        true => json!([of(&[6, 4], 3, Some(2)), of(&[5, 3], 3, Some(1)), absent]),
        false => json!([of(&[6, 4], 3, None), of(&[5, 3], 2, Some(1)), absent]),
    };
    for role in ["", "user"] {
        let found = site.data(role, &format!("mutation {{ visit {{ {fields} }} }}"));
        assert_eq!(found["visit"], expected(role.is_empty()), "{namespace}");
    }
    // A condition of the client, by a variable within it.
    let query = "mutation { visit { purchases(where: {total: {_lt: 30}}) { total } } }";
    let found = site.data("user", query);
    assert_eq!(found["visit"][0]["purchases"], json!([{ "total": 20 }]));
    // A role without aggregates, and one without the table.
    let no_field = |name: &str| format!("field '{name}' not found in type: 'Visit'");
    let query = "mutation { visit { purchases_aggregate { aggregate { count } } } }";
    site.refused("plain", query, &no_field("purchases_aggregate"));
    // A role that does not read the column by which the rows are found.
    site.refused("plain", "mutation { visit { purchases { id } } }", &no_field("purchases"));
    let found = site.data("plain", "mutation { visit { purchase { id } } }");
    assert_eq!(found["visit"][1]["purchase"], json!({ "id": 2 }), "{found}");
    site.refused("stranger", "mutation { visit { purchase { id } } }", &no_field("purchase"));

    // The call is recorded in the first source, and its value has rows of the other one.
    let id = site.data("user", "mutation { visit_later }")["visit_later"].clone();
    let query = format!("{{ visit_later(id: {id}) {{ output {{ {fields} }} }} }}");
    let mut found = Value::Null;
    let is_answered = happens_within(PATIENCE, || {
        found = site.data("user", &query)["visit_later"]["output"].clone();
        !found.is_null()
    });
    assert!(is_answered);
    assert_eq!(found, expected(false));

    let query = "{ visitor { purchases(order_by: {id: asc}, limit: 1) { id } \
                 purchases_aggregate { aggregate { count } } } }";
    let expected = json!({
        "purchases": [{ "id": 1 }],
        "purchases_aggregate": { "aggregate": { "count": 3 } },
    });
    assert_eq!(site.data("", query)["visitor"], expected);
}

#[test]
fn relationships_that_lead_nowhere_are_refused() {
    let (Some(people), Some(orders)) =
        (Database::on_one(super::PEOPLE), Database::on_one(super::ORDERS))
    else {
        return;
    };
    let webhooks = webhooks();
    let folder = Folder::new();
    let schema = |change: &dyn Fn(&mut Value), further: &str| {
        let mut metadata = metadata(&webhooks, &json!({}));
        change(&mut metadata["custom_types"]["objects"][0]["relationships"][0]);
        let file = write(&folder, &metadata);
        let (first, other) = (people.url(), format!("{further}={}", orders.url()));
        let words = [
            "schema",
            &first,
            "--dialect",
            "hasura",
            "--metadata",
            &file,
            "--further-source",
            &other,
        ];
        outcome(&run(&[&words, &HOSTS[..]].concat()))
    };
    for (change, expected) in [
        (
            &(|own: &mut Value| own["source"] = json!("archive")) as &dyn Fn(&mut Value),
            "The relationship purchases: it leads to the source archive, which is not served: give \
             its address with `--further-source NAME=URL`.",
        ),
        (
            &|own| own["remote_table"]["name"] = json!("thing"),
            "The relationship purchases: the source shop does not track the table public.thing.",
        ),
        (
            &|own| own["field_mapping"] = json!({ "number": "nothing" }),
            "The relationship purchases: purchase has no column nothing whose values can be compared.",
        ),
        (
            &|own| own["field_mapping"] = json!({ "digit": "buyer" }),
            "The relationship purchases: Visit has no field digit.",
        ),
    ] {
        let (code, _, error) = schema(change, "shop");
        assert_eq!(code, Some(1), "{error}");
        assert!(error.contains(expected), "{expected}: {error}");
    }
    // The Relay API lacks the tables of the other source, which is told.
    let file = write(&folder, &metadata(&webhooks, &json!({})));
    let words = super::words(&people.url(), &orders.url(), &file);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (_, report, _) = outcome(&run(&[&["check"], &words[..], &HOSTS[..]].concat()));
    let expected = "the Relay API has the tables of the source default only.";
    assert!(report.contains(expected), "{report}");
}
