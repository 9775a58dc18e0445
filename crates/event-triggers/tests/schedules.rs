//! Cron triggers and single events.

use std::time::Duration;

use event_triggers::schedule::now;
use event_triggers::{Definitions, NewEvent};
use serde_json::json;

use crate::databases::{Database, block_on, definitions, each};
use crate::webhooks::{body, deliver, wait_until, webhooks};

fn cron(webhook: &str, schedule: &str, keys: &str) -> Definitions {
    let cron = format!(
        "[{{ name: c, webhook: '{webhook}', schedule: '{schedule}', include_in_metadata: true{keys} }}]"
    );
    definitions("[]", &cron)
}

fn count(database: &Database, condition: &str) -> u32 {
    let sql = format!("select count(*) from log.cron_events where {condition}");
    database.value(&sql).parse().unwrap()
}

/// A moment, some seconds from now.
fn moment(database: &Database, seconds: i64) -> String {
    match database.is_postgres() {
        true => format!("(date_trunc('second', now()) + interval '{seconds} s')"),
        false => format!("strftime('%Y-%m-%dT%H:%M:%S.000Z', 'now', '{seconds} seconds')"),
    }
}

fn add(database: &Database, seconds: i64) {
    let moment = moment(database, seconds);
    database.execute(&format!(
        "insert into log.cron_events (trigger_name, scheduled_time) values ('c', {moment})"
    ));
}

#[test]
fn times_to_come_have_events_once() {
    for database in each("") {
        let webhooks = webhooks();
        let hourly = cron(&format!("http://{}/ok", webhooks.address), "0 * * * *", "");
        block_on(database.install(&hourly));
        let servers: Vec<_> = (0..3).map(|_| deliver(&database, &hourly).0).collect();
        wait_until("the schedule", || count(&database, "true") == 100);
        for server in servers {
            server.stop();
        }
        assert_eq!(count(&database, "status = 'scheduled'"), 100);
        let distinct = database.value("select count(distinct scheduled_time) from log.cron_events");
        assert_eq!(distinct, "100");
        // Of another schedule some are kept.
        let daily = cron(&format!("http://{}/ok", webhooks.address), "0 0 * * *", "");
        let (delivery, _) = deliver(&database, &daily);
        let last = moment(&database, 90 * 24 * 3600);
        let sql = format!("scheduled_time > {last}");
        wait_until("the other schedule", || count(&database, &sql) > 0);
        delivery.stop();
        assert_eq!(count(&database, "status = 'scheduled'"), 100);
        assert!(webhooks.received().is_empty());
    }
}

#[test]
fn times_are_delivered_with_the_payload() {
    for database in each("") {
        let webhooks = webhooks();
        let keys = ", payload: { a: [1, x] }, comment: why";
        let yearly = cron(&format!("http://{}/ok", webhooks.address), "0 0 1 1 *", keys);
        block_on(database.install(&yearly));
        add(&database, -5);
        let (delivery, _) = deliver(&database, &yearly);
        wait_until("the event", || count(&database, "status = 'delivered'") >= 1);
        delivery.stop();
        let received = webhooks.received();
        let mut bodies = received.iter().map(body);
        let mut found = bodies.next().unwrap();
        assert!(bodies.next().is_none());
        let time = found["scheduled_time"].take();
        assert_eq!(time.as_str().unwrap().len(), "2024-01-01T00:00:00Z".len(), "{time}");
        let id = database.value("select id from log.cron_events where status = 'delivered'");
        let expected = json!({ "comment": "why", "id": id, "name": "c", "payload": { "a": [1, "x"] },
            "scheduled_time": null });
        assert_eq!(found, expected);
        let sql = "select count(*) from log.cron_event_invocation_logs where status = 200";
        assert_eq!(database.value(sql), "1");
    }
}

#[test]
fn times_that_are_too_late_are_dropped_and_failures_repeated() {
    for database in each("") {
        let webhooks = webhooks();
        let keys = ", retry_conf: { num_retries: 1, retry_interval_seconds: 0.5, \
                    timeout_seconds: 1, tolerance_seconds: 60 }";
        let yearly = cron(&format!("http://{}/fails", webhooks.address), "0 0 1 1 *", keys);
        block_on(database.install(&yearly));
        add(&database, -120);
        add(&database, -30);
        let (delivery, _) = deliver(&database, &yearly);
        wait_until("the failure", || count(&database, "status = 'error' and tries = 2") == 1);
        delivery.stop();
        assert_eq!(count(&database, "status = 'dead' and tries = 0"), 1);
        assert_eq!(webhooks.received().len(), 2);
    }
}

#[test]
fn times_that_were_missed_are_made_up_for() {
    for database in each("") {
        let webhooks = webhooks();
        let keys = ", retry_conf: { tolerance_seconds: 600 }";
        let each_minute = cron(&format!("http://{}/ok", webhooks.address), "* * * * *", keys);
        block_on(database.install(&each_minute));
        // The last one that a server knew was an hour ago.
        let start = moment(&database, -3600);
        database.execute(&format!(
            "insert into log.cron_events (trigger_name, scheduled_time, status)
             values ('c', {start}, 'delivered')"
        ));
        let (delivery, _) = deliver(&database, &each_minute);
        wait_until("the missed times", || count(&database, "status = 'delivered'") >= 10);
        delivery.stop();
        let received = webhooks.received();
        let times: std::collections::BTreeSet<_> =
            received.iter().map(|received| body(received)["scheduled_time"].to_string()).collect();
        assert_eq!(times.len(), received.len());
        // Another minute may have begun.
        assert!((9..=11).contains(&times.len()), "{times:?}");
    }
}

#[test]
fn single_events_are_delivered_at_their_time() {
    for database in each("") {
        let webhooks = webhooks();
        block_on(database.install(&definitions("[]", "[]")));
        let address = format!("http://{}/ok", webhooks.address);
        let at = |seconds: i64| {
            let time = std::time::UNIX_EPOCH
                + Duration::from_micros(u64::try_from(now()).unwrap())
                + Duration::from_secs(u64::try_from(seconds).unwrap());
            let seconds = time.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
            let sql = match database.is_postgres() {
                true => format!(
                    "select to_char(to_timestamp({seconds}) at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
                ),
                false => format!("select strftime('%Y-%m-%dT%H:%M:%SZ', {seconds}, 'unixepoch')"),
            };
            database.value(&sql)
        };
        let event = |time: &str, webhook: &str| {
            let headers = ["X-A: b".to_owned()];
            NewEvent::new(webhook, time, Some(r#"{"n":1.0}"#), &headers, 0, Some("once"))
        };
        let log = database.log();
        let soon = event(&at(1), &address).unwrap();
        let id = block_on(log.add_one_off(&soon.as_new())).unwrap();
        block_on(log.add_one_off(&event(&at(3600), &address).unwrap().as_new())).unwrap();
        // The environment is not told.
        database.execute(
            "insert into log.scheduled_events (webhook_conf, scheduled_time, header_conf)
            select '\"http://127.0.0.1:9/x\"', scheduled_time,
                '[{\"name\":\"a\",\"value_from_env\":\"SECRET\"}]'
            from log.scheduled_events order by scheduled_time limit 1",
        );
        let (delivery, _) = deliver(&database, &definitions("[]", "[]"));
        let state = |status: &str| {
            let sql =
                format!("select count(*) from log.scheduled_events where status = '{status}'");
            database.value(&sql)
        };
        wait_until("the event", || state("delivered") == "1" && state("error") == "1");
        delivery.stop();
        assert_eq!(state("scheduled"), "1");
        let received = webhooks.received();
        assert_eq!(received.len(), 1);
        assert_eq!(received[0].headers["x-a"], "b");
        assert!(received[0].body.contains(r#""payload":{"n":1.0}"#), "{}", received[0].body);
        let body = body(&received[0]);
        assert_eq!((&body["id"], &body["comment"]), (&json!(id), &json!("once")));
        for (time, webhook) in [("tomorrow", &*address), ("2030-01-01T00:00:00Z", "nowhere")] {
            event(time, webhook).unwrap_err();
        }
    }
}
