//! Streams of rows of the dialect hasura, `T_stream`.

use std::io::BufRead;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::site::{Client, LEGACY, TRANSPORT, next, subscribe};
use crate::program::{Folder, Server};

const STREAM: &str = "subscription {
    event_stream(batch_size: 2, cursor: {initial_value: {id: 0}}) { id }
}";

fn rows(ids: &[i64]) -> Value {
    let rows: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    json!({ "data": { "event_stream": rows } })
}

#[test]
fn a_stream_goes_on_after_a_reload_without_a_row_twice() {
    let folder = Folder::new();
    let file = folder.file("events.db");
    let database = Connection::open(&file).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE event (id INTEGER PRIMARY KEY NOT NULL);
             INSERT INTO event VALUES (1), (2), (3);",
        )
        .unwrap();
    let words = ["serve", file.to_str().unwrap(), "--dialect", "hasura", "--listen", "127.0.0.1:0"];
    let mut server = Server::start(&words);
    let mut client = Client::connect(&server, TRANSPORT, &json!({}));
    client.send(&subscribe("1", STREAM));
    assert_eq!(client.receive(), next("1", &rows(&[1, 2])));
    assert_eq!(client.receive(), next("1", &rows(&[3])));
    let mut legacy = Client::connect(&server, LEGACY, &json!({}));
    let from = STREAM.replace("id: 0", "id: 2");
    legacy.send(&json!({ "type": "start", "id": "1", "payload": { "query": from } }));
    let data = json!({ "type": "data", "id": "1", "payload": rows(&[3]) });
    let mut answer = legacy.receive();
    while answer["type"] == "ka" {
        answer = legacy.receive();
    }
    assert_eq!(answer, data);
    database.execute_batch("INSERT INTO event VALUES (4)").unwrap();
    assert_eq!(client.receive(), next("1", &rows(&[4])));
    server.signal("HUP");
    let mut line = String::new();
    while !line.contains("reloaded; ") {
        line.clear();
        assert!(server.log.read_line(&mut line).unwrap() > 0, "no reload in the log");
    }
    database.execute_batch("INSERT INTO event VALUES (5), (6), (7)").unwrap();
    assert_eq!(client.receive(), next("1", &rows(&[5, 6])));
    assert_eq!(client.receive(), next("1", &rows(&[7])));
    client.assert_silent();
}
