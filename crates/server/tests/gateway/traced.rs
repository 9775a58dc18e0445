//! What a subgraph tells routers of the fields that they asked for.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use expect_test::expect;
use prost::encoding::{WireType, decode_key, decode_varint};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::program::{Folder, Server};

const TRACED: &str = "apollo-federation-include-trace: ftv1\r\n";

const TABLES: &str = "
    CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT, box INTEGER REFERENCES box);
    CREATE TABLE box (id INTEGER PRIMARY KEY, size REAL);
    CREATE INDEX thing_box ON thing (box);
    INSERT INTO box VALUES (1, 2.5);
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 50000)
        INSERT INTO thing SELECT id, 'a thing of a box, number ' || id, 1 FROM ids;";

/// A database with things in boxes.
fn start(folder: &Folder, options: &[&str]) -> Server {
    let file = folder.file("things.db");
    if fs::metadata(&file).is_err() {
        Connection::open(&file).unwrap().execute_batch(TABLES).unwrap();
    }
    let usual = ["serve", file.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let api = ["--dialect", "postgraphile", "--simple-collections", "only"];
    Server::start(&[&usual[..], &api, options].concat())
}

/// The fields of a message by another's reading of the encoding, each with its number, or the text
/// or message that it is.
fn decode(mut message: &[u8]) -> Vec<(u32, u64, &[u8])> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let (field, wire_type) = decode_key(&mut message).unwrap();
        let (number, length) = match wire_type {
            WireType::Varint => (decode_varint(&mut message).unwrap(), 0),
            WireType::SixtyFourBit => (0, 8),
            WireType::LengthDelimited => (0, decode_varint(&mut message).unwrap()),
            _ => panic!("{wire_type:?} in no field of a trace"),
        };
        let (bytes, rest) = message.split_at(usize::try_from(length).unwrap());
        fields.push((field, number, bytes));
        message = rest;
    }
    fields
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A `Trace.Node` and what is below it, by the depth of fields; its times are between those of the trace.
fn print_node(node: &[u8], depth: usize, duration: u64, printed: &mut String) {
    let fields = decode(node);
    let find = |wanted| fields.iter().find(|(field, ..)| *field == wanted);
    let text_of = |wanted| find(wanted).map_or("", |(.., bytes)| text(bytes));
    let number = |wanted| find(wanted).map_or(0, |(_, number, _)| *number);
    let indent = "  ".repeat(depth);
    if find(1).is_some() {
        let (name, parent, original) = (text_of(1), text_of(13), text_of(14));
        *printed += &format!("{indent}{name}: {} of {parent} {original}", text_of(3));
        *printed = format!("{}\n", printed.trim_end());
        assert!(0 < number(8) && number(8) < number(9) && number(9) <= duration, "{printed}");
    }
    // The root has no line.
    let below = depth + usize::from(find(1).is_some());
    for (field, _, bytes) in &fields {
        match field {
            11 => print_error(bytes, &"  ".repeat(below), printed),
            12 => print_node(bytes, below, duration, printed),
            1 | 3 | 8 | 9 | 13 | 14 => {}
            other => panic!("{other} is no field of a node"),
        }
    }
}

fn print_error(error: &[u8], indent: &str, printed: &mut String) {
    for (field, _, bytes) in decode(error) {
        let told = match field {
            1 | 4 => text(bytes).to_owned(),
            2 => {
                let numbers: Vec<u64> =
                    decode(bytes).iter().map(|(_, number, _)| *number).collect();
                format!("at {numbers:?}")
            }
            other => panic!("{other} is no field of an error"),
        };
        *printed += &format!("{indent}! {told}\n");
    }
}

/// The trace of an answer as text.
fn trace(answer: &Value) -> String {
    let extensions = answer["extensions"].as_object().unwrap();
    assert_eq!(extensions.keys().collect::<Vec<_>>(), ["ftv1"]);
    let trace = STANDARD.decode(extensions["ftv1"].as_str().unwrap()).unwrap();
    let fields = decode(&trace);
    let [(3, _, end), (4, _, start), (11, duration, _), (14, _, root), (31, _, weight)] =
        fields[..]
    else {
        panic!("{fields:?}")
    };
    assert_eq!(weight, 1.0_f64.to_le_bytes());
    let nanoseconds = |timestamp: &[u8]| {
        let parts = decode(timestamp);
        let part = |wanted| {
            parts.iter().find(|(field, ..)| *field == wanted).map_or(0, |(_, number, _)| *number)
        };
        part(1) * 1_000_000_000 + part(2)
    };
    assert_eq!(nanoseconds(end) - nanoseconds(start), duration);
    let mut printed = String::new();
    print_node(root, 0, duration, &mut printed);
    printed
}

fn ask(server: &Server, query: &str, variables: &Value) -> Value {
    let body = json!({ "query": query, "variables": variables }).to_string();
    serde_json::from_str(&server.post(TRACED, &body).body).unwrap()
}

#[test]
fn only_a_subgraph_that_is_asked_for_a_trace_tells_one() {
    let folder = Folder::new();
    let subgraph = start(&folder, &["--federation"]);
    let plain = start(&folder, &[]);
    let without = r#"{"data":{"__typename":"Query"}}"#;
    let query = "{ __typename }";
    let target = "/graphql?query=%7B__typename%7D";
    let other = "apollo-federation-include-trace: ftv2\r\n";
    for answer in [
        plain.query(TRACED, query),
        plain.get(target, TRACED),
        subgraph.query("", query),
        subgraph.query(other, query),
        subgraph.get(target, ""),
    ] {
        assert_eq!(answer.body, without);
    }
    for answer in [subgraph.query(TRACED, query), subgraph.get(target, TRACED)] {
        let answer: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(answer["data"], json!({ "__typename": "Query" }));
        assert_eq!(answer.as_object().unwrap().len(), 2, "{answer}");
        assert_eq!(trace(&answer), "", "it is no field of the graph");
    }
}

#[test]
fn a_trace_has_the_fields_that_were_asked_for() {
    let folder = Folder::new();
    let subgraph = start(&folder, &["--federation"]);
    let query = "query ($left: Boolean!) {
        of: thingById(id: 1) { __typename id ...Named id }
        thingById(id: 2) @skip(if: $left) { id }
        allBoxesList(first: 1) { size thingsByBoxList(first: 2) { id } thingsByBoxList(first: 2) { name } }
        _entities(representations: [{ __typename: \"Box\", id: 1 }]) {
            ... on Box { id @include(if: $left) }
            ... on Thing @skip(if: $left) { id }
            ... on Thing { name }
        }
    }
    fragment Named on Thing { called: name boxByBox { size } }";
    let answer = ask(&subgraph, query, &json!({ "left": true }));
    assert_eq!(answer["errors"], Value::Null, "{answer}");
    assert_eq!(answer["data"]["_entities"], json!([{ "id": 1 }]));
    expect![[r#"
          of: Thing of Query thingById
            id: Int! of Thing
            called: String of Thing name
            boxByBox: Box of Thing
              size: Float of Box
          allBoxesList: [Box!] of Query
            size: Float of Box
            thingsByBoxList: [Thing!]! of Box
              id: Int! of Thing
              name: String of Thing
          _entities: [_Entity]! of Query
            id: Int! of Box
            name: String of Thing
    "#]]
    .assert_eq(&trace(&answer));
}

#[test]
fn a_trace_has_the_errors_of_the_answer() {
    let folder = Folder::new();
    let subgraph = start(&folder, &["--federation"]);
    let query = "query { things: _entities(representations: [
        { __typename: \"Thing\", id: 1 }, { __typename: \"Nothing\" }
    ]) { ... on Thing { id } } }";
    let answer = ask(&subgraph, query, &json!({}));
    assert_eq!(answer["data"]["things"], json!([{ "id": 1 }, null]));
    expect![[r#"
        things: [_Entity]! of Query _entities
          ! Nothing is found by representations of `Nothing` here.
          ! at [1, 9]
          ! {"message":"Nothing is found by representations of `Nothing` here.","locations":[{"line":1,"column":9}],"path":["things",1],"extensions":{"code":"BAD_USER_INPUT"}}
          id: Int! of Thing
    "#]].assert_eq(&trace(&answer));
    let answer = ask(&subgraph, "{ nothing }", &json!({}));
    assert_eq!(answer.get("data"), None);
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1);
    expect![[r#"
        ! Cannot query field "nothing" on type "Query". Did you mean "thing"?
        ! at [1, 3]
        ! {"message":"Cannot query field \"nothing\" on type \"Query\". Did you mean \"thing\"?","locations":[{"line":1,"column":3}],"extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}
    "#]].assert_eq(&trace(&answer));
}

#[test]
fn long_answers_and_those_of_batches_have_traces_too() {
    let folder = Folder::new();
    let subgraph = start(&folder, &["--federation", "--batching"]);
    let query = "{ allThingsList { id name } }";
    let streamed = subgraph.query("", query);
    assert_eq!(streamed.header("content-length"), None, "it is sent while it is made");
    let whole = subgraph.query(TRACED, query);
    assert_eq!(whole.header("content-length"), Some(&*whole.body.len().to_string()));
    let answer: Value = serde_json::from_str(&whole.body).unwrap();
    let without: Value = serde_json::from_str(&streamed.body).unwrap();
    assert_eq!(answer["data"], without["data"]);
    let told = "allThingsList: [Thing!] of Query\n  id: Int! of Thing\n  name: String of Thing\n";
    assert_eq!(trace(&answer), told);
    let batch = r#"[{"query":"{ __typename }"},{"query":"{ thingById(id: 1) { id } }"}]"#;
    let answers: Value = serde_json::from_str(&subgraph.post(TRACED, batch).body).unwrap();
    assert_eq!(trace(&answers[0]), "");
    assert_eq!(trace(&answers[1]), "thingById: Thing of Query\n  id: Int! of Thing\n");
}
