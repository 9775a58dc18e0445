//! Event triggers of several sources, which one server delivers.

use serde_json::{Value, json};
use testkit::http::{HttpServer, Reply};

use super::{SECRET, Site, source, table};
use crate::databases::{Database, restartable};
use crate::program::PATIENCE;
use crate::served::happens_within;

fn trigger(webhooks: &HttpServer, name: &str) -> Value {
    json!({
        "name": name,
        "webhook": format!("http://{}/{name}", webhooks.address),
        "definition": { "enable_manual": false, "insert": { "columns": "*" } },
        "retry_conf": { "num_retries": 3, "interval_sec": 1, "timeout_sec": 5 },
    })
}

#[test]
fn events_of_all_sources_are_delivered() {
    let (Some(people), Some(orders)) =
        (Database::on_one(super::PEOPLE), Database::on_one(super::ORDERS))
    else {
        return;
    };
    let webhooks = HttpServer::start(|_| Reply::Json(json!({})));
    let with = |name: &str, trigger: Value| table(name, &json!({ "event_triggers": [trigger] }));
    let mut metadata = json!({ "version": 3, "sources": [
        source("default", &[with("person", trigger(&webhooks, "born"))], &json!({})),
        source("shop", &[with("purchase", trigger(&webhooks, "bought"))], &json!({})),
        source("archive", &[], &json!({})),
    ] });
    metadata["cron_triggers"] = json!([{
        "name": "tick",
        "webhook": format!("http://{}/tick", webhooks.address),
        "schedule": "* * * * *",
        "include_in_metadata": true,
        "payload": {},
    }]);
    let install = ["--events", "install", "--metadata-source", "default"];
    let mut site = Site::start(&people.url(), &orders.url(), &metadata, &install);
    let both = "mutation { insert_person_one(object: {id: 7, name: \"Gil\"}) { id } \
                insert_purchase_one(object: {id: 70, total: 1}) { id } }";
    site.data("", both);
    let mut received = Vec::new();
    let mut await_targets = |expected: &[&str]| {
        let have_come = || {
            received.extend(webhooks.received().into_iter().map(|one| one.target));
            expected.iter().all(|target| received.iter().any(|one| one == target))
        };
        assert!(happens_within(PATIENCE, have_come), "{expected:?}");
        received.clear();
    };
    await_targets(&["/born", "/bought"]);
    // The events of a table are in its own database, and those of cron in that of the first source.
    let of_rows = "SELECT count(*) FROM hdb_catalog.event_log";
    assert_eq!((people.count(of_rows), orders.count(of_rows)), (1, 1));
    let of_cron = "SELECT count(*) FROM hdb_catalog.hdb_cron_events";
    assert!(happens_within(PATIENCE, || people.count(of_cron) > 0));
    assert_eq!(orders.count(of_cron), 0);
    // The session of the mutation comes with the event.
    let session = "SELECT count(*) FROM hdb_catalog.event_log \
                   WHERE payload -> 'event' -> 'session_variables' ->> 'x-hasura-role' = 'admin' \
                   OR payload -> 'session_variables' ->> 'x-hasura-role' = 'admin'";
    assert_eq!(orders.count(session), people.count(session));
    calls_name_the_source(&site);
    // A reload changes the triggers of both.
    let renamed = trigger(&webhooks, "sold");
    metadata["sources"][1]["tables"] = json!([with("purchase", renamed)]);
    std::fs::write(&site.file, metadata.to_string()).unwrap();
    super::reload(&mut site);
    let insert = "mutation { insert_purchase_one(object: {id: 71, total: 1}) { id } }";
    let is_renamed = happens_within(PATIENCE, || {
        let id = orders.count("SELECT max(id) + 1 FROM purchase");
        site.data("", &insert.replace("71", &id.to_string()));
        std::thread::sleep(std::time::Duration::from_millis(100));
        webhooks.received().iter().any(|one| one.target == "/sold")
    });
    assert!(is_renamed);
}

/// Calls of the metadata API read the log of the source that they name.
fn calls_name_the_source(site: &Site) {
    let call = |kind: &str, args: &Value| {
        let body = json!({ "type": kind, "args": args }).to_string();
        let request = format!(
            "POST /v1/metadata HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nx-hasura-admin-secret: {SECRET}\r\n\r\n{body}",
            body.len()
        );
        let answer = site.server.send(request.as_bytes());
        serde_json::from_str::<Value>(&answer.body).unwrap()
    };
    let events = |source: &str, name: &str| {
        call("pg_get_event_logs", &json!({ "source": source, "name": name }))
    };
    let found = events("shop", "bought");
    assert_eq!(found[0]["trigger_name"], "bought", "{found}");
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let id = &found[0]["id"];
    let one = |source: &str| {
        let args = json!({ "source": source, "event_id": id });
        call("pg_redeliver_event", &args)
    };
    assert_eq!(one("shop"), json!({ "message": "success" }));
    assert_eq!(one("default")["error"], "event not found");
    // A trigger of another source, and a source that is not served.
    for (source, expected) in [
        ("default", "event trigger \"bought\" does not exist"),
        (
            "archive",
            "the source \"archive\" is not served: give its address with `--further-source NAME=URL`",
        ),
        ("nowhere", "source with name \"nowhere\" does not exist"),
    ] {
        assert_eq!(events(source, "bought")["error"], expected);
    }
    // Hasura's `default` without one; a source that is no text is refused.
    let unnamed = call("pg_get_event_logs", &json!({ "name": "bought" }));
    assert_eq!(unnamed["error"], "event trigger \"bought\" does not exist");
    let wrong = call("pg_get_event_logs", &json!({ "source": 1, "name": "bought" }));
    assert_eq!(wrong["error"], "the key \"source\" is no text");
    // Schedules belong to no source.
    let at = json!({ "webhook": "http://127.0.0.1:9/", "schedule_at": "2100-01-01T00:00:00Z",
        "payload": {}, "source": "shop" });
    let made = call("create_scheduled_event", &at);
    assert_eq!(made["message"], "success", "{made}");
}

#[test]
fn a_reload_keeps_the_delivery_of_a_source_that_is_down() {
    let Some(people) = Database::on_one(super::PEOPLE) else { return };
    let Some(mut orders) = restartable() else { return };
    orders.server.execute("postgres", super::ORDERS).unwrap();
    let webhooks = HttpServer::start(|_| Reply::Json(json!({})));
    let metadata = |trigger: &Value| {
        let person = table("person", &json!({}));
        let purchase = table("purchase", &json!({ "event_triggers": [trigger] }));
        json!({ "version": 3, "sources": [
            source("default", &[person], &json!({})),
            source("shop", &[purchase], &json!({})),
        ] })
    };
    let mut trigger = trigger(&webhooks, "bought");
    let url = orders.server.socket_url("postgres");
    let options = ["--events", "install", "--inconsistent-metadata", "leave-out"];
    let mut site = Site::start(&people.url(), &url, &metadata(&trigger), &options);
    let is_sent = |id: u32, target: &str, orders: &testkit::postgres::Restartable| {
        let insert = format!("INSERT INTO purchase (id, total) VALUES ({id}, 1)");
        orders.server.execute("postgres", &insert).unwrap();
        happens_within(PATIENCE, || webhooks.received().iter().any(|one| one.target == target))
    };
    assert!(is_sent(80, "/bought", &orders));
    orders.stop().unwrap();
    trigger["webhook"] = format!("http://{}/sold", webhooks.address).into();
    std::fs::write(&site.file, metadata(&trigger).to_string()).unwrap();
    super::reload(&mut site);
    orders.start_again().unwrap();
    // Nothing is reloaded again: the delivery goes on, by the metadata of that time.
    assert!(is_sent(81, "/sold", &orders));
}
