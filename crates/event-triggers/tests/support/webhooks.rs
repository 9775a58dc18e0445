//! Webhooks that answer by their paths, and deliveries to them.

use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use event_triggers::{Definitions, Delivery, Settings, Statistics};
use serde_json::Value;
use testkit::http::{HttpServer, Received, Reply};

use crate::databases::{Database, PATIENCE};

const SETTINGS: Settings = Settings {
    concurrency: 16,
    interval: Duration::from_millis(200),
    drain: Duration::from_secs(5),
};

/// A server whose webhooks answer by their paths.
pub(crate) fn webhooks() -> HttpServer {
    HttpServer::start(|received: &Received| {
        if received.method == "GET" || received.body.is_empty() {
            return Reply::Json(serde_json::json!({ "ok": true }));
        }
        let retry = body(received)["delivery_info"]["current_retry"].as_u64().unwrap_or_default();
        match received.target.as_str() {
            "/ok" | "/ok?op=INSERT" => Reply::Json(serde_json::json!({ "ok": true })),
            "/fails" => Reply::Status(500, "x-why: broken\r\n", "no".into()),
            "/third-time" if retry < 2 => Reply::Status(503, "", String::new()),
            "/third-time" => Reply::Status(204, "", String::new()),
            "/asks" if retry < 4 => Reply::Status(429, "retry-after: 1\r\n", String::new()),
            "/asks" => Reply::Status(200, "", String::new()),
            "/slow" => Reply::Sleep(Duration::from_secs(3)),
            "/drips" => Reply::Drip(Duration::from_millis(100)),
            "/closes" if retry < 1 => Reply::Close,
            "/closes" => Reply::Status(200, "", String::new()),
            "/redirects" => Reply::Status(302, "location: /ok\r\n", String::new()),
            other => panic!("no webhook {other}"),
        }
    })
}

pub(crate) fn body(received: &Received) -> Value {
    serde_json::from_str(&received.body).unwrap_or_default()
}

/// Starts to deliver the events of a database.
pub(crate) fn deliver(
    database: &Database,
    definitions: &Definitions,
) -> (Delivery, Arc<Statistics>) {
    deliver_with(database, definitions, SETTINGS)
}

pub(crate) fn deliver_with(
    database: &Database,
    definitions: &Definitions,
    settings: Settings,
) -> (Delivery, Arc<Statistics>) {
    let statistics = Arc::new(Statistics::default());
    let shared = Arc::clone(&statistics);
    let started = Delivery::start("default", database.log(), definitions.clone(), settings, shared);
    (started.unwrap(), statistics)
}

/// Waits until something holds.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what} takes longer than {PATIENCE:?}");
        sleep(Duration::from_millis(20));
    }
}

/// Waits until no event of rows is pending.
pub(crate) fn wait_until_done(database: &Database) {
    wait_until("the delivery", || {
        let sql = "select count(*) from log.event_log where not delivered and not error";
        database.value(sql) == "0"
    });
}
