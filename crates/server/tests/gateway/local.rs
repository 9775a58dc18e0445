//! Sources in the gateway's process: subgraphs that nobody is asked for over HTTP.

use std::fs;

use rusqlite::Connection;

use crate::program::{Folder, Server, outcome, run};
use crate::site::refused;

const HEAD: &str = include_str!("shop.graphql");

/// People of one file, and what they said of films in another one.
const TYPES: &str = r#"
enum join__Graph {
  PEOPLE @join__graph(name: "people", url: "")
  OPINIONS @join__graph(name: "opinions", url: "")
}

type Query @join__type(graph: PEOPLE) @join__type(graph: OPINIONS) {
  allPeopleList: [Person!] @join__field(graph: PEOPLE)
  opinionById(id: Int!): Opinion @join__field(graph: OPINIONS)
}

type Mutation @join__type(graph: PEOPLE) {
  deletePersonById(input: DeletePersonByIdInput!): DeletePersonPayload
}

input DeletePersonByIdInput @join__type(graph: PEOPLE) {
  id: Int!
}

type DeletePersonPayload @join__type(graph: PEOPLE) {
  person: Person
}

type Person @join__type(graph: PEOPLE, key: "id") @join__type(graph: OPINIONS, key: "id") {
  id: Int!
  name: String! @join__field(graph: PEOPLE)
  opinionsByPersonIdList: [Opinion!]! @join__field(graph: OPINIONS)
}

type Opinion @join__type(graph: OPINIONS, key: "id") {
  id: Int!
  text: String!
  personByPersonId: Person
}
"#;

/// The files of a gateway over two databases.
fn prepare() -> Folder {
    let folder = Folder::new();
    let (head, _) = HEAD.split_once("enum join__Graph").unwrap();
    fs::write(folder.file("supergraph.graphql"), [head, TYPES].concat()).unwrap();
    let databases = [
        (
            "people",
            "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
             INSERT INTO person VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cas');",
        ),
        (
            "opinions",
            "CREATE TABLE person (id INTEGER PRIMARY KEY);
             CREATE TABLE opinion (id INTEGER PRIMARY KEY,
                 person_id INTEGER NOT NULL REFERENCES person, text TEXT NOT NULL);
             CREATE INDEX opinion_person ON opinion (person_id);
             INSERT INTO person VALUES (1), (2);
             INSERT INTO opinion VALUES (1, 1, 'Good'), (2, 2, 'Long'), (3, 1, 'Bad');",
        ),
    ];
    let mut subgraphs = String::new();
    for (name, sql) in databases {
        let file = folder.file(&format!("{name}.db"));
        Connection::open(&file).unwrap().execute_batch(sql).unwrap();
        let file = file.to_str().unwrap();
        subgraphs.push_str(&format!("[subgraphs.{name}]\nsource = 'sqlite:{file}'\n"));
    }
    fs::write(folder.file("subgraphs.toml"), subgraphs).unwrap();
    folder
}

fn arguments<'a>(command: &'a str, supergraph: &'a str, subgraphs: &'a str) -> [&'a str; 4] {
    [command, supergraph, "--subgraphs", subgraphs]
}

#[test]
fn sources_in_the_process_are_subgraphs() {
    let folder = prepare();
    let (supergraph, subgraphs) =
        (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    let usual = arguments("gateway", supergraph.to_str().unwrap(), subgraphs.to_str().unwrap());
    let server = Server::start(&[&usual[..], &["--listen", "127.0.0.1:0"]].concat());
    let answer = server.query("", "{ allPeopleList { name opinionsByPersonIdList { text } } }");
    // Of Cas nobody knows there, so that his list, which has to be one, is missing.
    let expected = r#"{"data":{"allPeopleList":null},"errors":[{"message""#;
    assert!(answer.body.starts_with(expected), "{}", answer.body);
    let answer =
        server.query("", "mutation { deletePersonById(input: { id: 3 }) { person { name } } }");
    assert_eq!(answer.body, r#"{"data":{"deletePersonById":{"person":{"name":"Cas"}}}}"#);
    let answer = server.query("", "{ allPeopleList { name opinionsByPersonIdList { text } } }");
    let expected = r#"{"data":{"allPeopleList":[{"name":"Ann","opinionsByPersonIdList":[{"text":"Good"},{"text":"Bad"}]},{"name":"Bob","opinionsByPersonIdList":[{"text":"Long"}]}]}}"#;
    assert_eq!(answer.body, expected);
    let answer = server.query("", "{ opinionById(id: 2) { text personByPersonId { id name } } }");
    let expected =
        r#"{"data":{"opinionById":{"text":"Long","personByPersonId":{"id":2,"name":"Bob"}}}}"#;
    assert_eq!(answer.body, expected);
}

#[test]
fn requests_to_sources_in_the_process_are_explained() {
    let folder = prepare();
    let (supergraph, subgraphs) =
        (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    let query = folder.file("query.graphql");
    fs::write(&query, "{ opinionById(id: 2) { personByPersonId { name } } }").unwrap();
    let usual = arguments("explain", supergraph.to_str().unwrap(), subgraphs.to_str().unwrap());
    let further = [query.to_str().unwrap(), "--analyze"];
    let (code, told, error) = outcome(&run(&[&usual[..], &further].concat()));
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let (_, requests) = told.split_once("\n-- requests\n").unwrap();
    let lines: Vec<&str> = requests.lines().collect();
    assert!(lines[0].starts_with("1. opinions: sent after "), "{told}");
    assert!(lines[1].starts_with("2. people: sent after "), "{told}");
}

#[test]
fn a_source_that_cannot_be_opened_is_named_with_its_subgraph() {
    let folder = prepare();
    let (supergraph, subgraphs) =
        (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    fs::remove_file(folder.file("people.db")).unwrap();
    let usual = arguments("gateway", supergraph.to_str().unwrap(), subgraphs.to_str().unwrap());
    let error = refused(&[&usual[..], &["--listen", "127.0.0.1:0"]].concat());
    assert!(error.contains("the subgraph `people`: "), "{error}");
}
