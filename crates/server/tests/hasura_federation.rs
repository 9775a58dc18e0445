//! The dialect hasura as a subgraph of Apollo Federation: the tables that the metadata makes entities.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::program::{Folder, Server, outcome, run};

/// A file, and metadata whose tables `artist` and `stage` are entities.
fn prepared() -> (Folder, String, String) {
    let folder = Folder::new();
    let file = folder.file("music.db");
    Connection::open(&file)
        .unwrap()
        .execute_batch(
            "CREATE TABLE artist (id integer NOT NULL PRIMARY KEY, name text NOT NULL UNIQUE);
             CREATE TABLE album (id integer NOT NULL PRIMARY KEY, title text NOT NULL);
             CREATE TABLE stage (hall text NOT NULL, number integer NOT NULL, seats integer,
                 PRIMARY KEY (hall, number));
             INSERT INTO artist VALUES (1, 'Ella'), (2, 'Nina');
             INSERT INTO album VALUES (1, 'Blue');
             INSERT INTO stage VALUES ('east', 1, 90), ('east', 2, 40);",
        )
        .unwrap();
    let table = |name: &str, own: Value| {
        let mut table = own;
        table["table"] = json!({ "schema": "public", "name": name });
        table
    };
    let enabled = json!({ "enable": "v1" });
    let select = |role: &str, columns: Value, filter: Value| json!({ "role": role, "permission": { "columns": columns, "filter": filter } });
    let metadata = json!({
        "version": 3,
        "sources": [{
            "name": "default",
            "kind": "postgres",
            "configuration": { "connection_info": { "database_url": "postgres://localhost/a" } },
            "tables": [
                table("artist", json!({
                    "apollo_federation_config": enabled,
                    "select_permissions": [
                        select("reader", json!("*"), json!({ "name": { "_neq": "Nina" } })),
                        select("nameless", json!(["name"]), json!({})),
                    ],
                })),
                table("album", json!({
                    "select_permissions": [select("listener", json!("*"), json!({}))],
                })),
                table("stage", json!({ "apollo_federation_config": enabled })),
            ],
        }],
    });
    let path = folder.file("metadata.json");
    fs::write(&path, metadata.to_string()).unwrap();
    let (file, path) = (file.to_str().unwrap().to_owned(), path.to_str().unwrap().to_owned());
    (folder, file, path)
}

fn serve(options: &[&str]) -> (Folder, Server) {
    let (folder, file, metadata) = prepared();
    let words = ["serve", &file, "--dialect", "hasura", "--metadata", &metadata];
    (folder, Server::start(&[&words[..], &["--listen", "127.0.0.1:0"], options].concat()))
}

fn ask(server: &Server, role: &str, query: &str, representations: &Value) -> Value {
    let body = json!({ "query": query, "variables": { "of": representations } }).to_string();
    let answer = server.post(&format!("X-Hasura-Role: {role}\r\n"), &body);
    serde_json::from_str(&answer.body).unwrap()
}

const ENTITIES: &str = "query ($of: [_Any!]!) { _entities(representations: $of) {
    __typename ... on artist { id name } } }";

#[test]
fn tables_of_the_metadata_are_entities() {
    let (_folder, server) = serve(&["--federation"]);
    let sdl = ask(&server, "admin", "{ _service { sdl } }", &json!(null));
    let sdl = sdl["data"]["_service"]["sdl"].as_str().unwrap();
    let keys: Vec<&str> = sdl.lines().filter(|line| line.contains("@key(")).collect();
    assert_eq!(
        keys,
        [r#"type artist @key(fields: "id") {"#, r#"type stage @key(fields: "hall number") {"#]
    );
    let query = "query ($of: [_Any!]!) { _entities(representations: $of) {
        ... on artist { name } ... on stage { seats } } }";
    let given = json!([
        { "__typename": "stage", "hall": "east", "number": 2 },
        { "__typename": "artist", "id": 2 },
        { "__typename": "artist", "id": 9 },
    ]);
    let expected = json!({ "data": { "_entities": [{ "seats": 40 }, { "name": "Nina" }, null] } });
    assert_eq!(ask(&server, "admin", query, &given), expected);
    // A table without the key of the metadata is none, and neither is one by another key.
    for given in [
        json!([{ "__typename": "album", "id": 1 }]),
        json!([{ "__typename": "artist", "name": "Ella" }]),
    ] {
        let refused = ask(&server, "admin", ENTITIES, &given);
        assert!(refused["errors"][0]["message"].is_string(), "{refused}");
    }
}

#[test]
fn roles_find_the_entities_that_they_may_read() {
    let (_folder, server) = serve(&["--federation"]);
    let given = json!([{ "__typename": "artist", "id": 1 }, { "__typename": "artist", "id": 2 }]);
    let expected = json!({ "data": { "_entities": [
        { "__typename": "artist", "id": 1, "name": "Ella" }, null,
    ] } });
    assert_eq!(ask(&server, "reader", ENTITIES, &given), expected);
    // Rows would be found by a column that the role may not read.
    for role in ["nameless", "listener", "nobody"] {
        let refused = ask(
            &server,
            role,
            "query ($of: [_Any!]!) { _entities(representations: $of) { __typename } }",
            &given,
        );
        let message = refused["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains("_Any") || message.contains("_entities"), "{role}: {refused}");
    }
    // The definitions have all tables.
    for role in ["reader", "nobody"] {
        let refused = ask(&server, role, "{ _service { sdl } }", &json!(null));
        let expected = "field '_service' not found in type: 'query_root'";
        assert_eq!(refused["errors"][0]["message"], expected, "{role}");
    }
}

#[test]
fn entities_without_a_subgraph_are_told() {
    let (_folder, file, metadata) = prepared();
    let words = ["check", &file, "--dialect", "hasura", "--metadata", &metadata];
    let (_, printed, _) = outcome(&run(&words));
    assert!(printed.contains("Table.apollo_federation_config"), "{printed}");
    assert!(printed.contains("serve it with `--federation`."), "{printed}");
    let (_, printed, _) = outcome(&run(&[&words[..], &["--federation"]].concat()));
    assert!(!printed.contains("apollo_federation_config"), "{printed}");
}
