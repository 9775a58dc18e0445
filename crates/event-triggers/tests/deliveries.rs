//! Webhooks that fail, are slow or disconnect; several servers; repeated deliveries.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use event_triggers::Settings;
use sources::event_log::{EventState, ManualEvent, Queue, Redelivery};
use testkit::http::HttpServer;

use crate::databases::{ALL, Database, block_on, definitions, each, postgres, sqlite, trigger};
use crate::webhooks::{body, deliver, deliver_with, wait_until, wait_until_done, webhooks};

/// Delivers one event to a webhook; the log then has `delivered`, `error`, `tries`, and the statuses of
/// the attempts.
fn check(database: &Database, webhooks: &HttpServer, path: &str, expected: [&str; 4]) {
    let address = format!("http://{}{path}", webhooks.address);
    let definitions = definitions(&format!("[{}]", trigger("a", &address, ALL, "")), "[]");
    block_on(database.install(&definitions));
    database.execute("delete from log.event_log; delete from log.event_invocation_logs");
    database
        .execute("delete from album; delete from log.event_log; insert into album (id) values (1)");
    let (delivery, statistics) = deliver(database, &definitions);
    wait_until_done(database);
    delivery.stop();
    let flag = |name: &str| format!("case when {name} then 'true' else 'false' end");
    let sql = format!("select {}, {}, tries from log.event_log", flag("delivered"), flag("error"));
    let row = database.query(&sql).remove(0);
    let row: Vec<String> = row.into_iter().map(Option::unwrap).collect();
    let sql = "select coalesce(cast(status as text), '-') from log.event_invocation_logs order by created_at";
    let statuses: Vec<String> =
        database.query(sql).into_iter().map(|mut row| row.remove(0).unwrap()).collect();
    let found = [&*row[0], &*row[1], &*row[2], &*statuses.join(" ")];
    assert_eq!(found, expected, "{path}");
    let attempts: u64 = statistics.totals().attempts.iter().map(|(_, _, count)| count).sum();
    assert_eq!(attempts.to_string(), row[2]);
    assert_eq!(statistics.totals().running, 0);
}

#[test]
fn failed_attempts_are_repeated_as_metadata_says() {
    for database in each("") {
        let webhooks = webhooks();
        check(&database, &webhooks, "/ok", ["true", "false", "1", "200"]);
        check(&database, &webhooks, "/third-time", ["true", "false", "3", "503 503 204"]);
        check(&database, &webhooks, "/fails", ["false", "true", "3", "500 500 500"]);
        // More often than metadata says: the webhook asks for it.
        check(&database, &webhooks, "/asks", ["true", "false", "5", "429 429 429 429 200"]);
        check(&database, &webhooks, "/closes", ["true", "false", "2", "- 200"]);
        check(&database, &webhooks, "/redirects", ["false", "true", "3", "302 302 302"]);
    }
}

#[test]
fn slow_webhooks_have_a_timeout() {
    for database in each("") {
        let webhooks = webhooks();
        check(&database, &webhooks, "/slow", ["false", "true", "3", "- - -"]);
        check(&database, &webhooks, "/drips", ["false", "true", "3", "- - -"]);
        let response = database.value("select min(response) from (select cast(response as text) as response from log.event_invocation_logs) as one");
        let expected = r#"{"data":{"message":"it did not respond in time"},"type":"client_error","version":"2"}"#;
        assert_eq!(response, expected);
    }
}

#[test]
fn a_webhook_that_does_not_answer_leaves_others_alone() {
    let tables = "insert into album (id) values (0)";
    for database in each(tables) {
        let webhooks = webhooks();
        let address = |path: &str| format!("http://{}{path}", webhooks.address);
        let update = "{ update: { columns: '*' } }";
        let insert = "{ insert: { columns: '*' } }";
        let slow = trigger("slow", &address("/slow"), update, "");
        let ok = trigger("ok", &address("/ok"), insert, "");
        let definitions = definitions(&format!("[{slow}, {ok}]"), "[]");
        block_on(database.install(&definitions));
        for sales in 0..40 {
            database.execute(&format!("update album set sales = {sales} where id = 0"));
        }
        let settings = Settings {
            concurrency: 4,
            interval: Duration::from_millis(50),
            drain: Duration::from_millis(10),
        };
        let (delivery, _) = deliver_with(&database, &definitions, settings);
        wait_until("the first request", || !webhooks.received().is_empty());
        let started = Instant::now();
        database.execute("insert into album (id) values (1)");
        let sql = "select count(*) from log.event_log where trigger_name = 'ok' and delivered";
        wait_until("the other webhook", || database.value(sql) == "1");
        assert!(started.elapsed() < Duration::from_millis(900), "{:?}", started.elapsed());
        delivery.stop();
        // Requests that did not end in time are released, and repeated by the next server.
        let sql = "select count(*) from log.event_log where locked is not null";
        assert_eq!(database.value(sql), "0");
    }
}

#[test]
fn events_are_delivered_at_once() {
    for database in each("") {
        let webhooks = webhooks();
        let address = format!("http://{}/ok", webhooks.address);
        let definitions = definitions(&format!("[{}]", trigger("a", &address, ALL, "")), "[]");
        block_on(database.install(&definitions));
        let settings = Settings {
            concurrency: 4,
            // Polls do not find them.
            interval: Duration::from_secs(15),
            drain: Duration::from_secs(1),
        };
        let (delivery, _) = deliver_with(&database, &definitions, settings);
        // Until it waits.
        std::thread::sleep(Duration::from_millis(1_500));
        for id in 0..3 {
            let started = Instant::now();
            database.execute(&format!("insert into album (id) values ({id})"));
            wait_until("the event", || !webhooks.received().is_empty());
            assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
            std::thread::sleep(Duration::from_millis(300));
        }
        delivery.stop();
    }
}

#[test]
fn several_servers_deliver_each_event_once() {
    for database in each("") {
        let webhooks = webhooks();
        let address = format!("http://{}/ok", webhooks.address);
        let definitions = definitions(&format!("[{}]", trigger("a", &address, ALL, "")), "[]");
        block_on(database.install(&definitions));
        let servers: Vec<_> = (0..3).map(|_| deliver(&database, &definitions).0).collect();
        for id in 0..200 {
            database.execute(&format!("insert into album (id) values ({id})"));
        }
        wait_until_done(&database);
        for server in servers {
            server.stop();
        }
        let mut counts: BTreeMap<i64, u32> = BTreeMap::new();
        for received in webhooks.received() {
            let id = body(&received)["event"]["data"]["new"]["id"].as_i64().unwrap();
            *counts.entry(id).or_default() += 1;
        }
        assert_eq!(counts.len(), 200);
        assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    }
}

#[test]
fn claims_of_a_server_that_was_killed_are_released_by_the_next() {
    for database in each("") {
        let webhooks = webhooks();
        let address = format!("http://{}/ok", webhooks.address);
        let definitions = definitions(&format!("[{}]", trigger("a", &address, ALL, "")), "[]");
        block_on(database.install(&definitions));
        database.execute("insert into album (id) values (1)");
        let now = match database.is_postgres() {
            true => "now()",
            false => "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
        };
        database.execute(&format!("update log.event_log set locked = {now}"));
        let started = Instant::now();
        let (delivery, _) = deliver(&database, &definitions);
        wait_until_done(&database);
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        delivery.stop();
    }
}

/// Others are alive, so that the claim may be theirs: it ends with its lease, here half a minute after
/// the timeout of a second.
#[test]
fn claims_end_with_their_leases() {
    for database in postgres("") {
        let webhooks = webhooks();
        let address = format!("http://{}/ok", webhooks.address);
        let definitions = definitions(&format!("[{}]", trigger("a", &address, ALL, "")), "[]");
        block_on(database.install(&definitions));
        let (first, _) = deliver(&database, &definitions);
        database.execute("insert into album (id) values (1)");
        wait_until_done(&database);
        database.execute(
            "update log.event_log set delivered = false, locked = now() - interval '25 s'",
        );
        let (second, _) = deliver(&database, &definitions);
        std::thread::sleep(Duration::from_secs(3));
        assert_eq!(database.value("select count(*) from log.event_log where delivered"), "0");
        database.execute("update log.event_log set locked = now() - interval '32 s'");
        wait_until_done(&database);
        first.stop();
        second.stop();
    }
}

#[test]
fn events_can_be_listed_delivered_again_and_made() {
    for database in each("") {
        let webhooks = webhooks();
        let address = format!("http://{}/fails", webhooks.address);
        let keys = ", headers: []";
        let text = trigger("a", &address, ALL, keys).replace("num_retries: 2", "num_retries: 0");
        let definitions = definitions(&format!("[{text}]"), "[]");
        block_on(database.install(&definitions));
        let manual = ManualEvent {
            trigger: "a",
            schema: Some("public"),
            table: "album",
            data: r#"{"old":null,"new":{"id":7}}"#,
        };
        let log = database.log();
        let id = block_on(log.invoke(&manual)).unwrap();
        let (delivery, _) = deliver(&database, &definitions);
        wait_until_done(&database);
        let body = body(&webhooks.received()[0]);
        assert_eq!(body["event"]["op"], "MANUAL");
        assert_eq!(body["event"]["data"]["new"]["id"], 7);
        let list = |state| block_on(log.list(Queue::Rows, Some("a"), state, 10)).unwrap();
        let listed = list(EventState::Failed);
        assert_eq!(listed.len(), 1);
        assert_eq!((&listed[0].id, &*listed[0].state), (&id, "failed"));
        assert_eq!((listed[0].tries, listed[0].last_status), (1, Some(500)));
        assert_eq!(list(EventState::Delivered), []);
        assert_eq!(block_on(log.list(Queue::Rows, Some("b"), EventState::All, 10)).unwrap(), []);
        let lease = definitions.lease("a");
        assert_eq!(block_on(log.redeliver(&id, lease)).unwrap(), Redelivery::Scheduled);
        wait_until("the second attempt", || !webhooks.received().is_empty());
        wait_until_done(&database);
        delivery.stop();
        assert_eq!(block_on(log.redeliver("none", lease)).unwrap(), Redelivery::Missing);
        let now = match database.is_postgres() {
            true => "now()",
            false => "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
        };
        database.execute(&format!("update log.event_log set locked = {now}"));
        assert_eq!(block_on(log.redeliver(&id, lease)).unwrap(), Redelivery::InProgress);
    }
}

#[test]
fn definitions_can_be_replaced_while_events_are_delivered() {
    let database = sqlite("");
    let webhooks = webhooks();
    let with = |path: &str| {
        let address = format!("http://{}{path}", webhooks.address);
        definitions(&format!("[{}]", trigger("a", &address, ALL, "")), "[]")
    };
    let (fails, ok) = (with("/fails"), with("/ok"));
    block_on(database.install(&fails));
    let (delivery, _) = deliver(&database, &fails);
    database.execute("insert into album (id) values (1)");
    wait_until("the first attempt", || !webhooks.received().is_empty());
    delivery.replace(ok);
    wait_until_done(&database);
    delivery.stop();
    assert_eq!(database.value("select count(*) from log.event_log where delivered"), "1");
}

#[test]
fn a_log_that_is_missing_is_waited_for() {
    for database in each("") {
        let webhooks = webhooks();
        let address = format!("http://{}/ok", webhooks.address);
        let definitions = definitions(&format!("[{}]", trigger("a", &address, ALL, "")), "[]");
        let (delivery, _) = deliver(&database, &definitions);
        std::thread::sleep(Duration::from_millis(500));
        block_on(database.install(&definitions));
        database.execute("insert into album (id) values (1)");
        wait_until_done(&database);
        delivery.stop();
    }
}
