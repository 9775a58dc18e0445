//! API limits of Hasura's metadata.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use rusqlite::Connection;
use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};

use crate::program::{Folder, Server};

/// A file, and metadata with these limits.
fn prepared(limits: &Value) -> (Folder, String, String) {
    let folder = Folder::new();
    let file = folder.file("music.db");
    Connection::open(&file)
        .unwrap()
        .execute_batch(
            "CREATE TABLE artist (id integer NOT NULL PRIMARY KEY, name text);
             CREATE TABLE album (id integer NOT NULL PRIMARY KEY, artist_id integer REFERENCES artist);
             INSERT INTO artist VALUES (1, 'Ella'); INSERT INTO album VALUES (1, 1);
             CREATE VIEW slow AS WITH RECURSIVE counted (n) AS (
                 SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 100000000
             ) SELECT count(*) AS n FROM counted;",
        )
        .unwrap();
    let permissions = json!([
        { "role": "editor", "permission": { "columns": "*", "filter": {} } },
        { "role": "guest", "permission": { "columns": "*", "filter": {} } },
    ]);
    let table = |name: &str| json!({ "schema": "public", "name": name });
    let metadata = json!({
        "version": 3,
        "sources": [{
            "name": "default",
            "kind": "postgres",
            "configuration": { "connection_info": { "database_url": "postgres://localhost/a" } },
            "tables": [
                {
                    "table": table("artist"), "select_permissions": permissions,
                    "array_relationships": [{ "name": "albums", "using": {
                        "foreign_key_constraint_on": { "column": "artist_id", "table": table("album") },
                    } }],
                },
                { "table": table("album"), "select_permissions": permissions },
                { "table": table("slow"), "select_permissions": permissions },
            ],
        }],
        "api_limits": limits,
    });
    let path = folder.file("metadata.json");
    fs::write(&path, metadata.to_string()).unwrap();
    let (file, path) = (file.to_str().unwrap().to_owned(), path.to_str().unwrap().to_owned());
    (folder, file, path)
}

fn serve(limits: &Value) -> (Folder, Server) {
    let (folder, file, metadata) = prepared(limits);
    let words = ["serve", &file, "--dialect", "hasura", "--metadata", &metadata];
    (folder, Server::start(&[&words[..], &["--listen", "127.0.0.1:0"]].concat()))
}

/// The code of the error of a request, or its answer.
fn ask(server: &Server, role: &str, query: &str) -> String {
    let answer = server.query(&format!("X-Hasura-Role: {role}\r\n"), query);
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    match body["errors"][0]["extensions"]["code"].as_str() {
        Some(code) => {
            assert_eq!(answer.status, 200, "{body}");
            assert_eq!(body["errors"][0]["extensions"]["path"], "$", "{body}");
            code.to_owned()
        }
        None => body["data"].to_string(),
    }
}

const SHALLOW: &str = "{ artist { id } }";
const DEEP: &str = "{ artist { albums { id } } }";

#[test]
fn depth_and_nodes_are_limited_by_role() {
    let limits = json!({
        "depth_limit": { "global": 1, "per_role": { "editor": 2 } },
        "node_limit": { "global": 9, "per_role": { "editor": 2 } },
    });
    let (_folder, server) = serve(&limits);
    assert_eq!(ask(&server, "guest", SHALLOW), r#"{"artist":[{"id":1}]}"#);
    assert_eq!(ask(&server, "guest", DEEP), "depth-limit-exceeded");
    let fragment = "{ ...F } fragment F on query_root { artist { ...G } } fragment G on artist { albums { id } }";
    assert_eq!(ask(&server, "guest", fragment), "depth-limit-exceeded");
    assert_eq!(ask(&server, "editor", DEEP), r#"{"artist":[{"albums":[{"id":1}]}]}"#);
    let nodes = "{ artist { albums { id } } album { id } }";
    assert_eq!(ask(&server, "editor", nodes), "node-limit-exceeded");
    // Neither introspection nor the administrator has a limit.
    let schema = "{ __schema { types { name fields { type { ofType { name } } } } } }";
    assert!(ask(&server, "guest", schema).contains("artist"));
    assert!(ask(&server, "admin", nodes).contains("albums"));
}

#[test]
fn rate_limits_count_by_session_variables() {
    let (_folder, file, metadata) = prepared(&json!({}));
    let words = ["serve", &file, "--dialect", "hasura", "--metadata", &metadata];
    let rules = ["--listen", "127.0.0.1:0", "--rate-limit", "claim:x-hasura-user-id=1/1h"];
    let server = Server::start(&[&words[..], &rules].concat());
    let of = |user: &str| server.query(&format!("X-Hasura-Role: guest\r\n{user}"), SHALLOW);
    let user = |id: &str| of(&format!("X-Hasura-User-Id: {id}\r\n"));
    assert_eq!(user("1").status, 200);
    let refused = user("1");
    assert_eq!(refused.status, 429);
    assert!(refused.body.contains("\"code\":\"rate-limit-exceeded\""), "{}", refused.body);
    assert_eq!(user("2").status, 200);
    // Sessions without the variable count by their address.
    assert_eq!(of("").status, 200);
    assert_eq!(of("").status, 429);
}

#[test]
fn requests_are_limited_by_role_and_variables() {
    let rule = |most: u64, parameters: Value| json!({ "max_reqs_per_min": most, "unique_params": parameters });
    let limits = json!({ "rate_limit": {
        "global": rule(2, Value::Null),
        "per_role": { "editor": rule(1, json!(["x-hasura-user-id"])) },
    } });
    let (_folder, server) = serve(&limits);
    let answer = r#"{"artist":[{"id":1}]}"#;
    for expected in [answer, answer, "rate-limit-exceeded"] {
        assert_eq!(ask(&server, "guest", SHALLOW), expected);
    }
    let of_user =
        |user: &str| ask(&server, &format!("editor\r\nX-Hasura-User-Id: {user}"), SHALLOW);
    assert_eq!(of_user("1"), answer);
    assert_eq!(of_user("2"), answer);
    assert_eq!(of_user("1"), "rate-limit-exceeded");
    for _ in 0..5 {
        assert_eq!(ask(&server, "admin", SHALLOW), answer);
    }
}

#[test]
fn batches_and_times_are_limited() {
    let limits = json!({
        "batch_limit": { "global": 1, "per_role": { "editor": 2 } },
        "time_limit": { "global": 60, "per_role": { "guest": 0.05 } },
    });
    let (_folder, server) = serve(&limits);
    assert_eq!(ask(&server, "guest", "{ slow { n } }"), "time-limit-exceeded");
    assert_eq!(ask(&server, "editor", SHALLOW), r#"{"artist":[{"id":1}]}"#);
    let batch = |role: &str, count: usize| {
        let body = json!(vec![json!({ "query": SHALLOW }); count]).to_string();
        server.post(&format!("X-Hasura-Role: {role}\r\n"), &body).body
    };
    assert!(batch("guest", 2).contains("batch-limit-exceeded"));
    assert_eq!(
        batch("editor", 2),
        r#"[{"data":{"artist":[{"id":1}]}},{"data":{"artist":[{"id":1}]}}]"#
    );
    assert!(batch("editor", 3).contains("batch-limit-exceeded"));
    assert!(!batch("admin", 3).contains("batch-limit-exceeded"));
}

#[test]
fn disabled_limits_do_not_apply() {
    let rule = json!({ "max_reqs_per_min": 1, "unique_params": "IP" });
    let disabled = json!({ "disabled": true, "depth_limit": { "global": 0 }, "rate_limit": { "global": rule } });
    let (_folder, server) = serve(&disabled);
    for _ in 0..2 {
        assert_eq!(ask(&server, "guest", SHALLOW), r#"{"artist":[{"id":1}]}"#);
    }
}

#[test]
fn requests_are_limited_by_role_and_address() {
    let rule = json!({ "max_reqs_per_min": 2, "unique_params": "IP" });
    let (_folder, server) = serve(&json!({ "rate_limit": { "global": rule } }));
    // Each connection has a port of its own, and each address of this machine is a client.
    let from = |address: &str, role: &str, more: &str| {
        let local: SocketAddr = format!("{address}:0").parse().unwrap();
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&local.into()).unwrap();
        let to: SocketAddr = server.address;
        socket.connect(&to.into()).unwrap();
        let body = json!({ "query": SHALLOW }).to_string();
        let request = format!(
            "POST /v1/graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Connection: close\r\nX-Hasura-Role: {role}\r\n{more}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::from(socket);
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        match answer.contains("rate-limit-exceeded") {
            true => "exceeded",
            false if answer.contains(r#"{"artist":[{"id":1}]}"#) => "answered",
            false => panic!("{answer}"),
        }
    };
    assert_eq!(from("127.0.0.1", "guest", ""), "answered");
    assert_eq!(from("127.0.0.1", "guest", ""), "answered");
    assert_eq!(from("127.0.0.1", "guest", ""), "exceeded");
    // Clients could write any address into a header.
    assert_eq!(from("127.0.0.1", "guest", "X-Forwarded-For: 10.1.2.3\r\n"), "exceeded");
    assert_eq!(from("127.0.0.2", "guest", ""), "answered");
    assert_eq!(from("127.0.0.1", "editor", ""), "answered");
    assert_eq!(from("127.0.0.1", "admin", ""), "answered");
}
