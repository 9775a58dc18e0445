//! Subscriptions to sources: in the process of the gateway, and served as subgraphs.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::site::Events;
use crate::program::{Folder, Server, outcome, post, run};

const HEAD: &str = include_str!("supergraph.graphql");

/// People of one database, and their opinions in another one.
const TYPES: &str = r#"
enum join__Graph {
  PEOPLE @join__graph(name: "people", url: "http://PEOPLE/graphql")
  OPINIONS @join__graph(name: "opinions", url: "")
}

type Query @join__type(graph: PEOPLE) @join__type(graph: OPINIONS) {
  allPeopleList: [Person!] @join__field(graph: PEOPLE)
}

type Subscription @join__type(graph: PEOPLE) {
  allPeopleList: [Person!]
}

type Person @join__type(graph: PEOPLE, key: "id") @join__type(graph: OPINIONS, key: "id") {
  id: Int!
  name: String! @join__field(graph: PEOPLE)
  opinionsByPersonIdList: [Opinion!]! @join__field(graph: OPINIONS)
}

type Opinion @join__type(graph: OPINIONS, key: "id") {
  id: Int!
  text: String!
}
"#;

const QUERY: &str = "subscription { allPeopleList { name opinionsByPersonIdList { text } } }";

/// A folder with the databases and a supergraph, whose remote subgraph has this address.
fn prepare(people: &str) -> Folder {
    let folder = Folder::new();
    let (head, _) = HEAD.split_once("enum join__Graph").unwrap();
    let text = [head, &TYPES.replace("PEOPLE/", &format!("{people}/"))].concat();
    fs::write(folder.file("supergraph.graphql"), text).unwrap();
    execute(
        &folder.file("people.db"),
        "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
         INSERT INTO person VALUES (1, 'Ann');",
    );
    execute(
        &folder.file("opinions.db"),
        "CREATE TABLE person (id INTEGER PRIMARY KEY);
         CREATE TABLE opinion (id INTEGER PRIMARY KEY,
             person_id INTEGER NOT NULL REFERENCES person, text TEXT NOT NULL);
         CREATE INDEX opinion_person ON opinion (person_id);
         INSERT INTO person VALUES (1), (2);
         INSERT INTO opinion VALUES (1, 1, 'Good'), (2, 2, 'Long');",
    );
    folder
}

fn execute(file: &Path, sql: &str) {
    Connection::open(file).unwrap().execute_batch(sql).unwrap();
}

/// A gateway with these settings of `people`.
fn start(folder: &Folder, people: &str) -> Server {
    let opinions = folder.file("opinions.db");
    let text = format!(
        "[subgraphs.people]\n{people}\n[subgraphs.opinions]\nsource = 'sqlite:{}'\n",
        opinions.to_str().unwrap()
    );
    let (supergraph, subgraphs) =
        (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    fs::write(&subgraphs, text).unwrap();
    let (supergraph, subgraphs) = (supergraph.to_str().unwrap(), subgraphs.to_str().unwrap());
    let words = ["gateway", supergraph, "--subgraphs", subgraphs, "--listen", "127.0.0.1:0"];
    Server::start(&[&words[..], &["--live-interval", "100ms"]].concat())
}

fn subscribe(server: &Server) -> Events {
    let body = json!({ "query": QUERY }).to_string();
    let request = post("application/json", "Accept: text/event-stream\r\n", &body);
    Events::of(server, &request)
}

fn people(all: &[(&str, &str)]) -> Value {
    let all = all
        .iter()
        .map(|(name, text)| json!({ "name": name, "opinionsByPersonIdList": [{ "text": text }] }));
    json!({ "data": { "allPeopleList": all.collect::<Vec<_>>() } })
}

#[track_caller]
fn check(folder: &Folder, server: &Server) {
    let mut events = subscribe(server);
    assert_eq!(events.next(), Some(people(&[("Ann", "Good")])));
    execute(&folder.file("people.db"), "INSERT INTO person VALUES (2, 'Bob')");
    let both = people(&[("Ann", "Good"), ("Bob", "Long")]);
    assert_eq!(events.next(), Some(both.clone()));
    // Another client begins with the newest response.
    assert_eq!(subscribe(server).next(), Some(both));
}

#[test]
fn live_queries_of_a_source_in_the_process_need_no_socket() {
    let folder = prepare("unused");
    let file = folder.file("people.db");
    let source = format!("source = 'sqlite:{}'\nlive = true", file.to_str().unwrap());
    let mut server = start(&folder, &source);
    check(&folder, &server);
    // They go on after a reload.
    let mut events = subscribe(&server);
    assert!(events.next().is_some());
    server.signal("HUP");
    let mut line = String::new();
    while !line.contains("reloaded") {
        line.clear();
        std::io::BufRead::read_line(&mut server.log, &mut line).unwrap();
    }
    execute(&file, "DELETE FROM person WHERE id = 2");
    assert_eq!(events.next(), Some(people(&[("Ann", "Good")])));
}

#[test]
fn a_source_without_subscriptions_is_refused_by_a_check() {
    let folder = prepare("unused");
    let (supergraph, subgraphs) =
        (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    let source = |name: &str| {
        let file = folder.file(&format!("{name}.db"));
        format!("[subgraphs.{name}]\nsource = 'sqlite:{}'\n", file.to_str().unwrap())
    };
    fs::write(&subgraphs, source("people") + &source("opinions")).unwrap();
    let (supergraph, subgraphs) = (supergraph.to_str().unwrap(), subgraphs.to_str().unwrap());
    let (code, _, error) = outcome(&run(&["check", supergraph, "--subgraphs", subgraphs]));
    assert_ne!(code, Some(0));
    assert!(error.contains("it has no type `Subscription`"), "{error}");
}

#[test]
fn a_served_database_is_a_subgraph_with_live_queries() {
    let source = prepare("unused");
    let file = source.file("people.db");
    let words = ["serve", file.to_str().unwrap(), "--federation", "--live"];
    let listen = ["--simple-collections", "both", "--listen", "127.0.0.1:0"];
    let subgraph = Server::start(&[&words[..], &listen].concat());
    let folder = prepare(&subgraph.address.to_string());
    for protocol in ["graphql-transport-ws", "graphql-ws", "sse", "multipart"] {
        let setting = format!("subscription = {{ protocol = '{protocol}', live = true }}");
        let server = start(&folder, &setting);
        check(&source, &server);
        execute(&file, "DELETE FROM person WHERE id = 2");
    }
}

#[test]
fn a_gateway_does_not_execute_the_directive_of_live_queries_as_a_plain_query() {
    let source = prepare("unused");
    let file = source.file("people.db");
    let words = ["serve", file.to_str().unwrap(), "--federation", "--live", "--live-directive"];
    let listen = ["--simple-collections", "both", "--listen", "127.0.0.1:0"];
    let subgraph = Server::start(&[&words[..], &listen].concat());
    let folder = prepare(&subgraph.address.to_string());
    let query = "query @live { allPeopleList { name } }";
    let setting = "subscription = { protocol = 'sse', live = true }";
    let code = |server: &Server| {
        let answer = server.query("", query);
        let response: Value = serde_json::from_str(&answer.body).unwrap();
        response["errors"][0]["extensions"]["code"].clone()
    };
    assert_eq!(code(&start(&folder, setting)), "GRAPHQL_VALIDATION_FAILED");
    // Composition keeps a directive of operations that all subgraphs have; the subgraph refuses it.
    let supergraph = folder.file("supergraph.graphql");
    let directive = "directive @live(if: Boolean = true, throttle: Int) on QUERY\n";
    let text = [directive, &fs::read_to_string(&supergraph).unwrap()].concat();
    fs::write(&supergraph, text).unwrap();
    assert_eq!(code(&start(&folder, setting)), "SUBGRAPH_ERROR");
}
