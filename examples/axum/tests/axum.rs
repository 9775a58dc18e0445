//! The example as a user runs it, on SQLite and PostgreSQL.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::postgres::{required_installations, shared};

const TASKS: &str = include_str!("../tasks.sql");

/// The service, killed in the end.
struct Service {
    child: Child,
    address: String,
}

/// A status and a body.
type Answer = (u16, String);

impl Service {
    fn start(database: &str) -> Self {
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies.toml");
        let mut command = Command::new(env!("CARGO_BIN_EXE_axum-example"));
        command.args([database, policies.to_str().unwrap(), "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("serving at http://").unwrap().to_owned();
        Self { child, address }
    }

    /// Sends a request, and reads no further than the caller does.
    fn open(
        &self,
        method: &str,
        target: &str,
        key: Option<&str>,
        body: &str,
    ) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let key = key.map(|key| format!("authorization: Bearer {key}\r\n")).unwrap_or_default();
        let length = body.len();
        write!(
            stream,
            "{method} {target} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n{key}content-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        BufReader::new(stream)
    }

    fn send(&self, method: &str, target: &str, key: Option<&str>, body: &str) -> Answer {
        let mut text = String::new();
        self.open(method, target, key, body).read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let is_json = head.contains("content-type: application/graphql-response+json");
        assert_eq!(is_json, body.starts_with('{'), "{head}");
        (status, body.to_owned())
    }

    fn graphql(&self, key: Option<&str>, query: &str) -> (u16, Value) {
        let body = json!({ "query": query }).to_string();
        let (status, body) = self.send("POST", "/graphql", key, &body);
        (status, serde_json::from_str(&body).unwrap())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn check(database: &str, execute: &dyn Fn(&str)) {
    let mut service = Service::start(database);
    let tasks = "{ allTasks { nodes { title personByPersonId { name } } } }";
    let (status, answer) = service.graphql(None, tasks);
    let expected = json!({ "data": { "allTasks": { "nodes": [
        { "title": "Write the schema", "personByPersonId": { "name": "Ada" } },
        { "title": "Choose a colour", "personByPersonId": { "name": "Ben" } },
    ] } } });
    assert_eq!((status, answer), (200, expected));

    // Each may do what their role may, and see no more.
    let mail = "{ personById(id: 1) { email } }";
    let (status, answer) = service.graphql(Some("ben-key"), mail);
    assert_eq!(status, 200);
    assert_eq!(answer["errors"][0]["extensions"]["code"], "PERMISSION_DENIED");
    let (_, answer) = service.graphql(Some("root-key"), mail);
    assert_eq!(answer, json!({ "data": { "personById": { "email": "ada@example.org" } } }));
    let add = "mutation { createTask(input: { task: { id: 3, title: \"Sing\" } }) { task { personId } } }";
    let (_, answer) = service.graphql(Some("ben-key"), add);
    assert_eq!(answer, json!({ "data": { "createTask": { "task": { "personId": 2 } } } }));
    let change = "mutation { updateTaskById(input: { id: 1, taskPatch: { title: \"Done\" } }) { task { title } } }";
    let (_, answer) = service.graphql(Some("ben-key"), change);
    assert_eq!(answer["data"], json!({ "updateTaskById": null }));

    // Errors before the API.
    let status = |(status, _): Answer| status;
    assert_eq!(status(service.send("POST", "/graphql", Some("none"), "{}")), 401);
    assert_eq!(status(service.send("GET", "/schema.graphql", Some("none"), "")), 401);
    assert_eq!(status(service.send("POST", "/graphql", None, "{")), 400);
    assert_eq!(status(service.send("GET", "/graphql", None, "")), 400);
    let target = "/graphql?query=%7B__typename%7D";
    assert_eq!(
        service.send("GET", target, None, ""),
        (200, r#"{"data":{"__typename":"Query"}}"#.to_owned())
    );
    let target = "/graphql?query=mutation%20%7B__typename%7D";
    assert_eq!(status(service.send("GET", target, Some("ada-key"), "")), 405);

    // A live query, before and after a change.
    let live = json!({ "query": "query @live { taskById(id: 1) { title } }" }).to_string();
    let events = service.open("POST", "/graphql/stream", None, &live);
    let mut events = events.lines().map(Result::unwrap).filter(|line| line.starts_with("data: "));
    assert_eq!(
        events.next().unwrap(),
        r#"data: {"data":{"taskById":{"title":"Write the schema"}},"isLive":true}"#
    );
    let (_, answer) = service.graphql(Some("ada-key"), change);
    assert_eq!(answer, json!({ "data": { "updateTaskById": { "task": { "title": "Done" } } } }));
    assert_eq!(
        events.next().unwrap(),
        r#"data: {"data":{"taskById":{"title":"Done"}},"isLive":true}"#
    );
    let refused = service.send("POST", "/graphql/stream", None, r#"{"query": "{ __typename }"}"#);
    assert_eq!(status(refused), 400);

    // Each role has a schema, and policies hide no names: it is what introspection shows.
    for key in [None, Some("ben-key"), Some("root-key")] {
        let (status, schema) = service.send("GET", "/schema.graphql", key, "");
        assert_eq!(status, 200);
        assert!(schema.contains("type Task implements Node {"), "{schema}");
    }

    // A migration.
    execute("ALTER TABLE task ADD COLUMN is_done integer");
    assert!(!service.send("GET", "/schema.graphql", None, "").1.contains("isDone"));
    assert_eq!(status(service.send("POST", "/reload", Some("ada-key"), "")), 403);
    assert_eq!(status(service.send("POST", "/reload", Some("root-key"), "")), 200);
    assert!(service.send("GET", "/schema.graphql", None, "").1.contains("isDone"));

    // The end, with a subscription that is open.
    let id = service.child.id().to_string();
    Command::new("kill").args(["-s", "TERM", &id]).status().unwrap();
    assert_eq!(events.next(), None);
    assert!(service.child.wait().unwrap().success());
}

#[test]
fn users_of_a_service_ask_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    let execute = |sql: &str| {
        rusqlite::Connection::open(&file).unwrap().execute_batch(sql).unwrap();
    };
    execute(TASKS);
    check(file.to_str().unwrap(), &execute);
}

#[test]
fn users_of_a_service_ask_postgresql() {
    let Some(installation) = required_installations().unwrap().pop() else { return };
    let server = shared(&installation).unwrap();
    server.create_database("axum").unwrap();
    let execute = |sql: &str| server.execute("axum", sql).unwrap();
    execute(TASKS);
    check(&server.url("axum"), &execute);
}
