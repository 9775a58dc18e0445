//! Sources in the gateway's process: subgraphs that nobody is asked for over HTTP.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};
use testkit::tokens::Issuer;

use crate::gateway::site::refused;
use crate::program::{Folder, Server, outcome, post, run};

const SECRET: &str = "a secret of more than thirty-two bytes";

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

/// A gateway over the files, with further options.
fn start(folder: &Folder, options: &[&str]) -> Server {
    let (supergraph, subgraphs) =
        (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    let usual = arguments("gateway", supergraph.to_str().unwrap(), subgraphs.to_str().unwrap());
    Server::start(&[&usual[..], &["--listen", "127.0.0.1:0"], options].concat())
}

/// Replaces a text in a file.
fn replace(folder: &Folder, name: &str, from: &str, to: &str) {
    let file = folder.file(name);
    let before = fs::read_to_string(&file).unwrap();
    assert!(before.contains(from), "{from}");
    fs::write(file, before.replace(from, to)).unwrap();
}

fn arguments<'a>(command: &'a str, supergraph: &'a str, subgraphs: &'a str) -> [&'a str; 4] {
    [command, supergraph, "--subgraphs", subgraphs]
}

#[test]
fn sources_in_the_process_are_subgraphs() {
    let folder = prepare();
    let server = start(&folder, &[]);
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
    let (_, told) = told.split_once("\n-- statements of 1. ").unwrap();
    let (statements, requests) = told.split_once("\n-- requests\n").unwrap();
    let statements: Vec<&str> = statements.lines().collect();
    assert_eq!(statements[0], "opinions, in this process");
    assert_eq!(statements[3], "-- statements of 2. people, in this process");
    // All representations by one statement.
    assert_eq!(statements.len(), 5, "{told}");
    assert!(statements[4].contains("FROM json_each(?1)"), "{told}");
    let lines: Vec<&str> = requests.lines().collect();
    assert!(lines[0].starts_with("1. opinions: sent after "), "{told}");
    assert!(lines[1].starts_with("2. people: sent after "), "{told}");
}

#[test]
fn statements_of_sources_in_the_process_stand_in_the_page_that_explains() {
    let folder = prepare();
    let server = start(&folder, &[]);
    let body = r#"{"query":"{ opinionById(id: 2) { personByPersonId { name } } }"}"#;
    let request = post("application/json", "", body).replacen("POST /graphql", "POST /explain", 1);
    let explained: Value = serde_json::from_str(&server.send(request.as_bytes()).body).unwrap();
    let statements = explained["statements"].as_array().unwrap();
    let names: Vec<_> = statements.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names[0].ends_with(", by request 1 to opinions"), "{names:?}");
    assert!(names[1].ends_with(", by request 2 to people"), "{names:?}");
    assert_eq!((&statements[0]["fetch"], &statements[1]["fetch"]), (&json!(1), &json!(2)));
    // Requests to subgraphs are counted apart.
    let fetches = explained["fetches"].as_array().unwrap();
    let subgraphs: Vec<_> = fetches.iter().map(|one| &one["subgraph"]).collect();
    assert_eq!(subgraphs, ["opinions", "people"]);
    assert_eq!((names.len(), &statements[1]["round"]), (2, &fetches[1]["round"]));
    let text = statements[1]["text"].as_str().unwrap();
    assert!(text.contains("FROM json_each(?1)"), "{text}");
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

#[test]
fn a_source_that_is_not_what_the_supergraph_says_is_refused_with_what_it_lacks() {
    let folder = prepare();
    let changes = [
        (
            "  name: String! @join__field(graph: PEOPLE)",
            "  name: Int! @join__field(graph: PEOPLE)\n  age: Int @join__field(graph: PEOPLE)",
        ),
        ("opinionById(id: Int!)", "opinionById(id: Int!, at: Int)"),
        (
            "type Opinion @join__type(graph: OPINIONS, key: \"id\")",
            "type Opinion @join__type(graph: OPINIONS, key: \"text\")",
        ),
        (
            "  id: Int!\n}\n\ntype DeletePersonPayload",
            "  id: Int\n  why: String\n}\n\ntype DeletePersonPayload",
        ),
        (
            "  person: Person\n}",
            "  person: Person\n  reason: Reason\n}\nenum Reason @join__type(graph: PEOPLE) { NONE @join__enumValue(graph: PEOPLE) }",
        ),
    ];
    for (from, to) in changes {
        replace(&folder, "supergraph.graphql", from, to);
    }
    let (supergraph, subgraphs) =
        (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    let (supergraph, subgraphs) = (supergraph.to_str().unwrap(), subgraphs.to_str().unwrap());
    let error = refused(&arguments("check", supergraph, subgraphs));
    let begin = "the source of the subgraph ";
    let lacks: Vec<&str> = error.lines().map(|line| line.split_once(begin).unwrap().1).collect();
    let expected = [
        "its `DeletePersonByIdInput.id` is of the type `Int!`, and the supergraph says `Int`",
        "it takes no `DeletePersonByIdInput.why`",
        "it has no field `DeletePersonPayload.reason`",
        "it has no type `Reason`",
        "its `Person.name` is of the type `String!`, and the supergraph says `Int!`",
        "it has no field `Person.age`",
    ];
    let mut expected: Vec<_> = expected.iter().map(|lack| ("people", *lack)).collect();
    expected.push(("opinions", "it takes no `Query.opinionById(at:)`"));
    expected.push(("opinions", "it finds no `Opinion` by the key `text`"));
    let said = |(name, lack)| format!("`{name}` is not what the supergraph says: {lack}");
    let expected: Vec<_> = expected.into_iter().map(said).collect();
    assert_eq!(lacks, expected);
    let usual = arguments("gateway", supergraph, subgraphs);
    let same = refused(&[&usual[..], &["--listen", "127.0.0.1:0"]].concat());
    assert_eq!(same, error);
}

#[test]
fn errors_of_a_source_leave_what_others_say() {
    let folder = prepare();
    let server = start(&folder, &["--subgraph-errors", "shown"]);
    let opinions = Connection::open(folder.file("opinions.db")).unwrap();
    opinions.execute_batch("ALTER TABLE opinion RENAME TO opinions").unwrap();
    let answer = server.query("", "{ allPeopleList { name } opinionById(id: 1) { text } }");
    let data = r#"{"data":{"allPeopleList":[{"name":"Ann"},{"name":"Bob"},{"name":"Cas"}],"opinionById":null},"errors":[{"message""#;
    assert!(answer.body.starts_with(data), "{}", answer.body);
    let path = r#""path":["opinionById"]"#;
    assert!(answer.body.contains(path), "{}", answer.body);
    assert!(answer.body.contains(r#""subgraph":"opinions""#), "{}", answer.body);
}

#[test]
fn policies_of_a_source_see_the_token_that_the_gateway_was_sent() {
    let folder = prepare();
    let policies = "default_role = 'clerk'\n[rules.names]\nentity = 'person'\nread = { columns = '*' }\n\
                    [roles.clerk]\nrules = []\n[roles.boss]\nrules = ['names']\n";
    fs::write(folder.file("policies.toml"), policies).unwrap();
    let file = folder.file("policies.toml");
    let said = format!("policies = '{}'\n[subgraphs.opinions]", file.display());
    replace(&folder, "subgraphs.toml", "[subgraphs.opinions]", &said);
    let server = start(&folder, &["--jwt-secret", SECRET]);
    let ask = |claims: &str| {
        let token = Issuer::secret(SECRET).token(claims);
        let head = format!("Authorization: Bearer {token}\r\n");
        server.query(&head, "{ opinionById(id: 1) { text personByPersonId { name } } }").body
    };
    assert_eq!(
        ask(r#"{"role":"boss"}"#),
        r#"{"data":{"opinionById":{"text":"Good","personByPersonId":{"name":"Ann"}}}}"#
    );
    let hidden = ask(r#"{"role":"clerk"}"#);
    let data =
        r#"{"data":{"opinionById":{"text":"Good","personByPersonId":null}},"errors":[{"message""#;
    assert!(hidden.starts_with(data), "{hidden}");
    // An explanation is of the same role.
    let query = folder.file("query.graphql");
    fs::write(&query, "{ opinionById(id: 1) { text personByPersonId { name } } }").unwrap();
    let (supergraph, subgraphs) =
        (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    let usual = arguments("explain", supergraph.to_str().unwrap(), subgraphs.to_str().unwrap());
    let explain = |more: &[&str]| {
        let further = [query.to_str().unwrap(), "--analyze"];
        let (code, told, error) = outcome(&run(&[&usual[..], &further, more].concat()));
        assert_eq!(code, Some(0), "{error}");
        told.lines().last().unwrap().to_owned()
    };
    for (more, is_refused) in [
        (&[][..], true),
        (&["--role", "clerk"], true),
        (&["--role", "boss"], false),
        (&["--claims", r#"{"role":"boss"}"#], false),
    ] {
        let told = explain(more);
        assert!(told.starts_with("2. people: sent "), "{told}");
        assert_eq!(told.contains(", 1 error, 1 object, "), is_refused, "{more:?}: {told}");
    }
}
