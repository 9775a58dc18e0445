//! A graph in the gateway's process, beside a database of tables.

use std::fs;

use rusqlite::Connection;
use testkit::neo4j::{self, Graph};
use testkit::tokens::Issuer;

use crate::gateway::site::refused;
use crate::program::{Folder, Server, outcome, run};

const SECRET: &str = "a secret of more than thirty-two bytes";

const HEAD: &str = include_str!("shop.graphql");

const GRAPH: &str = "
    CREATE (ann:Person {id: 'p1', fee: 7}), (bob:Person {id: 'p2', fee: 9}), (:Person {id: 'p9'}),
      (dawn:Movie {title: 'Dawn'}), (dusk:Movie {title: 'Dusk', year: 2004}),
      (ann)-[:ACTED_IN]->(dawn), (bob)-[:ACTED_IN]->(dusk)";

const DEFINITIONS: &str = "
    type Person @node {
      id: ID!
      fee: Int @authentication
      movies: [Movie!]! @relationship(type: \"ACTED_IN\", direction: OUT)
    }
    type Movie @node {
      title: String!
      year: Int
      actors: [Person!]! @relationship(type: \"ACTED_IN\", direction: IN)
    }";

/// People of a file, and what the graph knows of them.
const TYPES: &str = r#"
enum join__Graph {
  PEOPLE @join__graph(name: "people", url: "")
  FILMS @join__graph(name: "films", url: "")
}

type Query @join__type(graph: PEOPLE) @join__type(graph: FILMS) {
  allPeopleList: [Person!] @join__field(graph: PEOPLE)
  movies: [Movie!]! @join__field(graph: FILMS)
}

type Mutation @join__type(graph: FILMS) {
  deleteMovies: DeleteInfo!
}

type DeleteInfo @join__type(graph: FILMS) {
  nodesDeleted: Int!
}

type Person @join__type(graph: PEOPLE, key: "id") @join__type(graph: FILMS, key: "id") {
  id: ID!
  name: String @join__field(graph: PEOPLE)
  fee: Int @join__field(graph: FILMS)
  movies: [Movie!]! @join__field(graph: FILMS)
}

type Movie @join__type(graph: FILMS, key: "title") {
  title: String!
  year: Int
  actors: [Person!]!
}
"#;

/// The files of a gateway over the graph.
fn prepare(graph: &Graph) -> Folder {
    graph.run(GRAPH).unwrap();
    let folder = Folder::new();
    let (head, _) = HEAD.split_once("enum join__Graph").unwrap();
    let write = |name: &str, text: &str| fs::write(folder.file(name), text).unwrap();
    write("supergraph.graphql", &[head, TYPES].concat());
    write("types.graphql", DEFINITIONS);
    write(
        "films.graphql",
        "extend type Person @key(fields: \"id\") extend type Movie @key(fields: \"title\")",
    );
    write("people.graphql", "extend type Person { id: ID! }");
    let people = "CREATE TABLE person (id TEXT PRIMARY KEY NOT NULL, name TEXT);
        INSERT INTO person VALUES ('p1', 'Ann'), ('p2', 'Bob');";
    Connection::open(folder.file("people.db")).unwrap().execute_batch(people).unwrap();
    let file = |name: &str| folder.file(name).to_str().unwrap().to_owned();
    let subgraphs = format!(
        "[subgraphs.people]\nsource = 'sqlite:{}'\nfederation-extend = '{}'\n\
         [subgraphs.films]\nsource = '{}'\ntypes = '{}'\nfederation-extend = '{}'\n",
        file("people.db"),
        file("people.graphql"),
        graph.address("bolt"),
        file("types.graphql"),
        file("films.graphql"),
    );
    write("subgraphs.toml", &subgraphs);
    folder
}

#[test]
fn a_graph_in_the_process_is_a_subgraph() {
    let Some(graph) = neo4j::take().unwrap() else { return };
    let folder = prepare(&graph);
    let (supergraph, subgraphs) =
        (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    let files = [supergraph.to_str().unwrap(), "--subgraphs", subgraphs.to_str().unwrap()];
    let usual = ["--listen", "127.0.0.1:0", "--jwt-secret", SECRET, "--subgraph-errors", "shown"];
    let server = Server::start(&[&["gateway"][..], &files, &usual].concat());
    let ask = |query: &str| server.query("", query).body;
    assert_eq!(
        ask("{ movies { title year actors { name } } }"),
        r#"{"data":{"movies":[{"title":"Dawn","year":null,"actors":[{"name":"Ann"}]},{"title":"Dusk","year":2004,"actors":[{"name":"Bob"}]}]}}"#
    );
    assert_eq!(
        ask("{ allPeopleList { name movies { title year } } }"),
        r#"{"data":{"allPeopleList":[{"name":"Ann","movies":[{"title":"Dawn","year":null}]},{"name":"Bob","movies":[{"title":"Dusk","year":2004}]}]}}"#
    );
    let fees = "{ allPeopleList { name fee } }";
    let closed = ask(fees);
    let expected = r#"{"data":{"allPeopleList":[{"name":"Ann","fee":null},{"name":"Bob","fee":null}]},"errors":[{"message":"Unauthenticated""#;
    assert!(closed.starts_with(expected), "{closed}");
    let token = Issuer::secret(SECRET).token(r#"{"sub":"ann"}"#);
    let answer = server.query(&format!("Authorization: Bearer {token}\r\n"), fees).body;
    assert_eq!(
        answer,
        r#"{"data":{"allPeopleList":[{"name":"Ann","fee":7},{"name":"Bob","fee":9}]}}"#
    );
    let query = folder.file("fees.graphql");
    fs::write(&query, fees).unwrap();
    let command = ["explain", files[0], query.to_str().unwrap(), files[1], files[2]];
    let explain = |more: &[&str]| outcome(&run(&[&command[..], &["--analyze"], more].concat()));
    let is_refused = |more: &[&str]| {
        let (code, told, error) = explain(more);
        assert_eq!(code, Some(0), "{error}");
        let (_, requests) = told.split_once("\n-- requests\n").unwrap();
        requests.lines().any(|line| line.starts_with("2. films: ") && line.contains(" error"))
    };
    assert!(is_refused(&[]));
    assert!(!is_refused(&["--claims", r#"{"sub":"ann"}"#]));
    let (code, _, error) = explain(&["--role", "a"]);
    assert!(code == Some(2) && error.contains("`--role` needs a `source`"), "{error}");
    assert_eq!(
        ask("mutation { deleteMovies { nodesDeleted } }"),
        r#"{"data":{"deleteMovies":{"nodesDeleted":2}}}"#
    );
    assert_eq!(ask("{ movies { title } }"), r#"{"data":{"movies":[]}}"#);
    drop(server);

    let extension = folder.file("films.graphql");
    fs::write(&extension, "extend type Person @key(fields: \"id\")").unwrap();
    let error = refused(&[&["gateway"][..], &files].concat());
    assert!(error.contains("finds no `Movie` by the key `title`"), "{error}");
}

#[test]
fn a_graph_that_is_served_is_a_subgraph() {
    let Some(graph) = neo4j::take().unwrap() else { return };
    let folder = prepare(&graph);
    let (types, extension) = (folder.file("types.graphql"), folder.file("films.graphql"));
    let (types, extension) = (types.to_str().unwrap(), extension.to_str().unwrap());
    let address = graph.address("bolt");
    let options = [&address, "--types", types, "--federation", "--federation-extend", extension];
    let server = Server::start(&[&["serve"][..], &options, &["--listen", "127.0.0.1:0"]].concat());
    let query = r#"{ _entities(representations: [{ __typename: "Movie", title: "Dusk" }]) { ... on Movie { year } } }"#;
    assert_eq!(server.query("", query).body, r#"{"data":{"_entities":[{"year":2004}]}}"#);
    let (code, sdl, error) = outcome(&run(&[&["schema"][..], &options].concat()));
    assert_eq!((code, &*error), (Some(0), ""));
    for line in [
        "type Person @key(fields: \"id\") {",
        "type PageInfo @shareable {",
        "type DeleteInfo @shareable {",
        "type IntAggregateSelection @shareable {",
    ] {
        assert!(sdl.contains(line), "{line}\n{sdl}");
    }
    // Each key is looked up, and the label's nodes are not walked.
    let document = folder.file("movie.graphql");
    fs::write(&document, query).unwrap();
    let document = document.to_str().unwrap();
    let explained =
        || outcome(&run(&[&["explain", options[0], document][..], &options[1..]].concat()));
    assert!(explained().1.contains("NodeByLabelScan"), "{:?}", explained());
    graph.run("CREATE CONSTRAINT FOR (m:Movie) REQUIRE m.title IS UNIQUE").unwrap();
    assert!(explained().1.contains("NodeUniqueIndexSeek"), "{:?}", explained());
    fs::write(extension, "extend type Person @key(fields: \"movies\")").unwrap();
    let (code, _, error) = outcome(&run(&[&["schema"][..], &options].concat()));
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("No rows of `Person` are found by this key"), "{error}");
    let wrong = DEFINITIONS.replace("Movie @node", "Movie @node @key(fields: \"name\")");
    fs::write(types, wrong).unwrap();
    let (code, _, error) = outcome(&run(&[&["schema"][..], &options].concat()));
    assert_eq!(code, Some(1), "{error}");
    let expected = "what the type definitions say of federation is wrong: line 7: The API has no \
                    field `name` of `Movie`.";
    assert!(error.contains(expected), "{error}");
}
