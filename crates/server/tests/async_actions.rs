//! Asynchronous actions of Hasura's metadata: calls that are recorded, delivered and read, and servers
//! that are killed meanwhile.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::http::{HttpServer, Received, Reply};

use crate::databases::{Database, File};
use crate::program::{Folder, PATIENCE, Server, post};
use crate::subscriptions::stream::Stream;

const TABLES: &str = "create table author (id integer primary key, name text);
    insert into author values (1, 'Ada');";

const EDITOR: &str = "X-Hasura-Role: editor\r\nX-Hasura-User-Id: 7\r\nX-Key: k\r\n";
const OTHER: &str = "X-Hasura-Role: editor\r\nX-Hasura-User-Id: 8\r\n";

fn metadata(folder: &Folder, webhooks: &HttpServer) -> PathBuf {
    let handler = |path: &str| format!("http://{}{path}", webhooks.address);
    let action = |name: &str, path: &str, output: &str| {
        json!({
            "name": name,
            "definition": {
                "kind": "asynchronous",
                "handler": handler(path),
                "output_type": output,
                "forward_client_headers": true,
                "timeout": 5,
                "arguments": [{ "name": "id", "type": "Int!" }],
            },
            "permissions": [{ "role": "editor" }],
        })
    };
    let metadata = json!({
        "version": 3,
        "sources": [{
            "name": "default",
            "kind": "postgres",
            "configuration": { "connection_info": { "database_url": { "from_env": "URL" } } },
            "tables": [{
                "table": { "schema": "public", "name": "author" },
                "select_permissions": [
                    { "role": "editor", "permission": { "columns": "*", "filter": {} } },
                ],
            }],
        }],
        "actions": [
            action("make", "/make", "Made"),
            action("fail", "/fail", "Made!"),
            action("wait", "/wait", "Made"),
        ],
        "custom_types": {
            "objects": [{
                "name": "Made",
                "fields": [{ "name": "id", "type": "Int!" }],
                "relationships": [{
                    "name": "author", "type": "object", "source": "default",
                    "remote_table": { "schema": "public", "name": "author" },
                    "field_mapping": { "id": "id" },
                }],
            }],
        },
    });
    let path = folder.file("metadata.json");
    std::fs::write(&path, metadata.to_string()).unwrap();
    path
}

fn reply(received: &Received) -> Reply {
    let body: Value = serde_json::from_str(&received.body).unwrap();
    let id = &body["input"]["id"];
    match received.target.as_str() {
        "/make" => Reply::Json(json!({ "id": id })),
        "/fail" if id == 1 => {
            Reply::Status(400, "", json!({ "message": "no", "code": "refused" }).to_string())
        }
        "/fail" if id == 2 => Reply::Json(json!({ "other": 1 })),
        // A text that PostgreSQL does not store.
        "/fail" => Reply::Status(200, "", r#"{"id": "\u0000"}"#.to_owned()),
        _ => {
            sleep(Duration::from_millis(20));
            Reply::Json(json!({ "id": id }))
        }
    }
}

fn serve(source: &str, metadata: &Path) -> Server {
    Server::start(&[
        "serve",
        source,
        "--dialect",
        "hasura",
        "--metadata",
        metadata.to_str().unwrap(),
        "--listen",
        "127.0.0.1:0",
        "--custom-hosts",
        "127.0.0.1",
        "--custom-networks",
        "127.0.0.0/8",
    ])
}

fn ask(server: &Server, headers: &str, query: &str) -> Value {
    serde_json::from_str(&server.query(headers, query).body).unwrap()
}

/// Records a call, and returns its id.
fn call(server: &Server, headers: &str, action: &str, id: u64) -> String {
    let answer = ask(server, headers, &format!("mutation {{ {action}(id: {id}) }}"));
    answer["data"][action].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The call as soon as it has ended.
fn ended(server: &Server, headers: &str, action: &str, id: &str, fields: &str) -> Value {
    let query = format!("{{ {action}(id: \"{id}\") {{ id errors output {{ {fields} }} }} }}");
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = ask(server, headers, &query);
        let call = &answer["data"][action];
        if !call["errors"].is_null() || !call["output"].is_null() {
            return call.clone();
        }
        assert!(Instant::now() < deadline, "{answer}");
        sleep(Duration::from_millis(20));
    }
}

/// Runs a test on a file, and on PostgreSQL if there is one.
fn on_each(test: impl Fn(&str)) {
    test(File::new(TABLES).source());
    if let Some(database) = Database::on_one(TABLES) {
        test(&database.url());
    }
}

#[test]
fn calls_are_recorded_delivered_and_read() {
    on_each(check_calls);
}

fn check_calls(source: &str) {
    let webhooks = HttpServer::start(reply);
    let folder = Folder::new();
    let server = serve(source, &metadata(&folder, &webhooks));
    let id = call(&server, EDITOR, "make", 1);
    let made = ended(&server, EDITOR, "make", &id, "id author { name }");
    let output = json!({ "id": 1, "author": { "name": "Ada" } });
    assert_eq!(made, json!({ "id": id, "errors": null, "output": output }));
    let received = webhooks.received().remove(0);
    assert_eq!(received.headers.get("x-key").map(String::as_str), Some("k"));
    let session = json!({ "x-hasura-role": "editor", "x-hasura-user-id": "7" });
    let payload = json!({
        "action": { "name": "make" }, "input": { "id": 1 }, "request_query": null,
        "session_variables": session,
    });
    assert_eq!(serde_json::from_str::<Value>(&received.body).unwrap(), payload);
    // Other sessions do not see it; the administrator does.
    let query = format!("{{ make(id: \"{id}\") {{ id created_at __typename }} }}");
    assert_eq!(ask(&server, OTHER, &query), json!({ "data": { "make": null } }));
    let seen = ask(&server, "", &query)["data"]["make"].clone();
    assert_eq!((&seen["id"], &seen["__typename"]), (&json!(id), &json!("make")));
    assert!(seen["created_at"].as_str().unwrap().contains('T'), "{seen}");
    let unknown = ask(&server, "", "{ make(id: \"8f530cd7-e9d1-4a5e-8ab4-405913d3a1c9\") { id } }");
    assert_eq!(unknown, json!({ "data": { "make": null } }));
    let wrong = ask(&server, "", "{ make(id: \"x\") { id } }");
    let message = "invalid input syntax for type uuid: \"x\"";
    assert_eq!(wrong["errors"][0]["message"], message);
    assert_eq!(wrong["errors"][0]["extensions"]["code"], "data-exception");
}

#[test]
fn failed_calls_have_errors() {
    on_each(check_failed_calls);
}

fn check_failed_calls(source: &str) {
    let webhooks = HttpServer::start(reply);
    let folder = Folder::new();
    let server = serve(source, &metadata(&folder, &webhooks));
    let errors = |headers: &str, id: u64| {
        let call = call(&server, headers, "fail", id);
        let ended = ended(&server, headers, "fail", &call, "id");
        assert_eq!(ended["output"], Value::Null);
        ended["errors"].clone()
    };
    assert_eq!(errors(EDITOR, 1), json!({ "path": "$", "error": "no", "code": "refused" }));
    let missing = "field \"id\" expected in webhook response, but not found";
    let told = json!({ "path": "$", "error": missing, "code": "unexpected" });
    assert_eq!(errors(EDITOR, 2), told);
    let of_admin = errors("", 2);
    assert_eq!(of_admin["internal"]["response"]["body"], json!({ "other": 1 }));
    // SQLite stores every text.
    if source.starts_with("postgres") {
        let told = "the answer of the webhook cannot be stored";
        assert_eq!(errors(EDITOR, 3)["error"], told);
    }
}

#[test]
fn subscriptions_send_the_end_of_a_call() {
    on_each(check_subscriptions);
}

fn check_subscriptions(source: &str) {
    let webhooks = HttpServer::start(|received| {
        sleep(Duration::from_millis(300));
        reply(received)
    });
    let folder = Folder::new();
    let server = serve(source, &metadata(&folder, &webhooks));
    let id = call(&server, EDITOR, "make", 1);
    let query = format!("subscription {{ make(id: \"{id}\") {{ output {{ id }} }} }}");
    let headers = format!("{EDITOR}Accept: text/event-stream\r\n");
    let body = json!({ "query": query }).to_string();
    let mut stream = Stream::open(&server, &post("application/json", &headers, &body));
    let mut text = String::new();
    while !text.contains(r#"{"id":1}"#) {
        text.push_str(&stream.chunk());
    }
    assert!(text.contains(r#"{"make":{"output":null}}"#), "{text}");
}

#[test]
fn fifty_kills_lose_no_call() {
    let Some(database) = Database::on_one(TABLES) else { return };
    check_kills(
        &database.url(),
        &|| {
            // A statement that was sent before the kill may still claim calls.
            let sessions = "select count(*) from pg_stat_activity
                where datname = current_database() and application_name = 'thalweg'";
            let deadline = Instant::now() + PATIENCE;
            while database.count(sessions) > 0 {
                assert!(Instant::now() < deadline, "a session does not end");
                sleep(Duration::from_millis(2));
            }
            database.execute(
                "update hdb_catalog.hdb_action_log
                 set thalweg_claimed_at = now() - interval '1 hour' where status = 'processing'",
            );
        },
        &|| {
            let sql = "select count(*) from hdb_catalog.hdb_action_log where status = 'completed'";
            database.count(sql)
        },
    );
}

#[test]
fn fifty_kills_lose_no_call_of_a_file() {
    let file = File::new(TABLES);
    let open = || {
        let connection = rusqlite::Connection::open(file.source()).unwrap();
        connection.busy_timeout(PATIENCE).unwrap();
        connection
    };
    check_kills(
        file.source(),
        &|| {
            let sql = "UPDATE thalweg_action_log SET claimed_at = '2000-01-01T00:00:00.000Z'
                       WHERE status = 'processing'";
            open().execute_batch(sql).unwrap();
        },
        &|| {
            let sql = "SELECT count(*) FROM thalweg_action_log WHERE status = 'completed'";
            let count: u32 = open().query_row(sql, [], |row| row.get(0)).unwrap();
            count.into()
        },
    );
}

/// Kills servers while they deliver calls. `end_claims` ends the claims of a server, whose leases would
/// take longer; `count_completed` counts the calls that were delivered.
fn check_kills(source: &str, end_claims: &dyn Fn(), count_completed: &dyn Fn() -> u64) {
    let webhooks = HttpServer::start(reply);
    let folder = Folder::new();
    let metadata = metadata(&folder, &webhooks);
    let mut received = BTreeSet::new();
    let mut take = || {
        for one in webhooks.received() {
            let body: Value = serde_json::from_str(&one.body).unwrap();
            received.insert(body["input"]["id"].as_u64().unwrap());
        }
        received.len() as u64
    };
    let mut recorded = 0;
    for kill in 0..50 {
        let mut server = serve(source, &metadata);
        for _ in 0..3 {
            recorded += 1;
            call(&server, "", "wait", recorded);
        }
        sleep(Duration::from_millis(kill % 23));
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        end_claims();
    }
    let server = serve(source, &metadata);
    let deadline = Instant::now() + PATIENCE;
    while count_completed() < recorded {
        assert!(Instant::now() < deadline, "{} of {recorded} calls", count_completed());
        sleep(Duration::from_millis(20));
    }
    assert_eq!(take(), recorded);
    drop(server);
}
