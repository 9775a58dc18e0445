//! Calls of the metadata API for events.

use super::*;

/// The status and the answer of a call.
fn call(server: &Server, path: &str, headers: &str, body: &Value) -> (u16, Value) {
    let body = body.to_string();
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n{headers}\r\n{body}"
    );
    let answer = server.send(request.as_bytes());
    (answer.status, serde_json::from_str(&answer.body).unwrap())
}

const SECRET: &str = "X-Hasura-Admin-Secret: s3cret\r\n";

#[test]
fn events_are_listed_redelivered_and_invoked() {
    for notes in Notes::each() {
        let is_postgres = matches!(notes, Notes::Postgres(_));
        let webhooks = HttpServer::start(|_| Reply::Json(json!({})));
        let folder = Folder::new();
        let mut silent = trigger(&webhooks, "/b");
        silent["name"] = json!("silent");
        silent["definition"] = json!({ "insert": null, "delete": { "columns": "*" } });
        let metadata = metadata(&folder, &json!([trigger(&webhooks, "/a"), silent]), &json!([]));
        let server = serve(&notes, &metadata, &["--events", "install", "--admin-secret", "s3cret"]);
        let call = |kind: &str, args: Value| {
            let body = json!({ "type": kind, "args": args });
            call(&server, "/v1/metadata", SECRET, &body)
        };
        let invoke = json!({ "name": "notify", "source": "default", "payload": { "a": 1 } });
        let (status, answer) = call("pg_invoke_event_trigger", invoke);
        assert_eq!(status, 200, "{answer}");
        let id = answer["event_id"].as_str().unwrap().to_owned();
        notes.wait_until_done();
        let received = webhooks.received();
        let data = json!({ "old": null, "new": { "a": 1 } });
        assert_eq!(body(&received[0])["event"]["data"], data);
        assert_eq!(body(&received[0])["event"]["op"], "MANUAL");
        let told = call("pg_redeliver_event", json!({ "event_id": id }));
        assert_eq!(told, (200, json!({ "message": "success" })));
        let mut again = Vec::new();
        wait_until("the second delivery", || {
            again.extend(webhooks.received());
            !again.is_empty()
        });
        assert_eq!(body(&again[0])["id"], json!(id));
        notes.wait_until_done();
        let failed = |kind: &str, args: Value| {
            let (status, answer) = call(kind, args);
            assert_eq!(status, 400, "{answer}");
            assert_eq!(answer["path"], "$.args");
            format!("{}: {}", answer["code"].as_str().unwrap(), answer["error"].as_str().unwrap())
        };
        let unknown = json!({ "event_id": "8f530cd7-e9d1-4a5e-8ab4-405913d3a1c9" });
        assert_eq!(failed("redeliver_event", unknown), "not-exists: event not found");
        let told = "not-supported: manual mode is not enabled for event trigger";
        assert_eq!(failed("invoke_event_trigger", json!({ "name": "silent" })), told);
        let told = "not-exists: event trigger \"x\" does not exist";
        assert_eq!(failed("pg_invoke_event_trigger", json!({ "name": "x" })), told);
        let told = "not-exists: source with name \"x\" does not exist";
        assert_eq!(failed("pg_get_event_logs", json!({ "name": "notify", "source": "x" })), told);
        let told = "parse-failed: key \"event_id\" not found";
        assert_eq!(failed("redeliver_event", json!({})), told);
        let logs = json!({ "name": "notify", "status": "processed", "limit": 1 });
        if !is_postgres {
            let told = "not-supported: reports of events are served on PostgreSQL only; `thalweg \
                        events list` lists them";
            assert_eq!(failed("pg_get_event_logs", logs), told);
            stop(server);
            continue;
        }
        let (_, events) = call("pg_get_event_logs", logs);
        assert_eq!((&events[0]["id"], &events[0]["delivered"]), (&json!(id), &json!(true)));
        let pending = json!({ "name": "notify", "status": "pending" });
        assert_eq!(call("pg_get_event_logs", pending), (200, json!([])));
        let (_, attempts) = call("pg_get_event_invocation_logs", json!({ "name": "notify" }));
        assert_eq!(attempts.as_array().unwrap().len(), 2);
        assert_eq!((&attempts[1]["event_id"], &attempts[1]["status"]), (&json!(id), &json!(200)));
        let (_, event) = call("pg_get_event_by_id", json!({ "event_id": id }));
        assert_eq!(event["event"]["trigger_name"], "notify");
        assert_eq!(event["invocations"].as_array().unwrap().len(), 2);
        stop(server);
    }
}

#[test]
fn events_of_schedules_are_created_listed_and_deleted() {
    for notes in Notes::each() {
        if !matches!(notes, Notes::Postgres(_)) {
            continue;
        }
        let webhooks = HttpServer::start(|_| Reply::Json(json!({ "ok": true })));
        let folder = Folder::new();
        let cron = json!([{
            "name": "tick", "webhook": format!("http://{}/tick", webhooks.address),
            "schedule": "0 0 1 1 *", "include_in_metadata": true,
        }]);
        let metadata = metadata(&folder, &json!([]), &cron);
        let server = serve(&notes, &metadata, &["--events", "install", "--admin-secret", "s3cret"]);
        let at = |path: &str, kind: &str, args: Value| {
            let body = json!({ "type": kind, "args": args });
            call(&server, path, SECRET, &body)
        };
        let call = |kind: &str, args: Value| at("/v1/metadata", kind, args);
        let (_, triggers) = call("get_cron_triggers", json!({}));
        assert_eq!(triggers["cron_triggers"][0]["name"], "tick");
        let new = |at: &str| {
            json!({
                "webhook": format!("http://{}/once", webhooks.address), "schedule_at": at,
                "payload": { "k": 1 }, "headers": [{ "name": "x-a", "value": "b" }],
                "retry_conf": { "num_retries": 1 }, "comment": "c",
            })
        };
        let (status, created) =
            at("/v1/query", "create_scheduled_event", new("2020-01-01T00:00:00Z"));
        assert_eq!((status, &created["message"]), (200, &json!("success")), "{created}");
        let (_, future) = call("create_scheduled_event", new("2099-01-01T00:00:00Z"));
        let late = created["event_id"].as_str().unwrap().to_owned();
        let sql = "select count(*) from log.hdb_scheduled_events where status <> 'scheduled'";
        wait_until("the late event", || notes.count(sql) == 1);
        // It was too late, which its attempt tells.
        let args = json!({ "type": "one_off", "event_id": late, "get_rows_count": true });
        let (_, attempts) = call("get_scheduled_event_invocations", args);
        assert_eq!(attempts["count"], 1, "{attempts}");
        let args = json!({ "type": "one_off", "status": ["scheduled"], "limit": 5 });
        let (_, events) = call("get_scheduled_events", args.clone());
        assert_eq!(events["events"][0]["id"], future["event_id"]);
        assert_eq!(events["events"][0]["header_conf"], json!([{ "name": "x-a", "value": "b" }]));
        assert!(events.get("count").is_none(), "{events}");
        let delete = json!({ "type": "one_off", "event_id": future["event_id"] });
        let deleted = call("delete_scheduled_event", delete);
        assert_eq!(deleted, (200, json!({ "message": "success" })));
        assert_eq!(call("get_scheduled_events", args).1["events"], json!([]));
        let args =
            json!({ "type": "cron", "trigger_name": "tick", "limit": 2, "get_rows_count": true });
        let (_, ticks) = call("get_scheduled_events", args);
        assert_eq!(ticks["events"].as_array().unwrap().len(), 2);
        assert_eq!(ticks["events"][0]["trigger_name"], "tick");
        assert!(ticks["count"].as_u64().unwrap() > 2, "{ticks}");
        let args = json!({ "type": "cron", "trigger_name": "x" });
        let (_, told) = call("get_scheduled_events", args);
        assert_eq!(told["error"], "cron trigger with name: x does not exist");
        let (_, told) = call("create_scheduled_event", json!({ "webhook": "http://a" }));
        assert_eq!(told["error"], "key \"schedule_at\" not found");
        stop(server);
        // Without a secret everybody is the administrator.
        let server = serve(&notes, &metadata, &[]);
        let create =
            json!({ "type": "create_scheduled_event", "args": new("2099-01-01T00:00:00Z") });
        let (status, told) = super::metadata_api::call(&server, "/v1/metadata", "", &create);
        assert_eq!((status, &told["code"]), (400, &json!("access-denied")), "{told}");
        stop(server);
    }
}
