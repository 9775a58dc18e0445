//! Type definitions for what is in a graph, and its API without others.

use expect_test::expect;
use testkit::neo4j;

use crate::program::{outcome, run};

const MOVIES: &str = "
    CREATE CONSTRAINT movie_id FOR (m:Movie) REQUIRE m.movieId IS UNIQUE;
    CREATE (m:Movie {movieId: 'm1', title: 'The Matrix', released: 1999, `box office`: 463517383}),
      (n:Movie {movieId: 'm2', title: 'Speed', released: 1994}),
      (k:Person:Actor {name: 'Keanu', born: date('1964-09-02')})
        -[:ACTED_IN {roles: ['Neo']}]->(m),
      (k)-[:ACTED_IN {roles: ['Jack']}]->(n),
      (:Person {name: 'Jan', mixed: 1})-[:DIRECTED]->(n),
      (:Person {name: 'Lana', mixed: 'x'})-[:DIRECTED]->(m);
";

#[test]
fn a_graph_is_described_and_served_as_it_is() {
    check_refusal();
    let Some(graph) = neo4j::take().unwrap() else { return };
    let address = graph.address("bolt");
    let (code, output, error) = outcome(&run(&["schema", &address]));
    assert_eq!((code, &*output), (Some(1), ""));
    assert!(error.contains("there is nothing in the graph that an API could show"), "{error}");

    graph.run(MOVIES).unwrap();
    let (code, types, error) = outcome(&run(&["types", &address]));
    assert_eq!((code, &*error), (Some(0), ""));
    expect![[r##"
        type Actor @node(labels: ["Actor", "Person"]) {
          born: Date!
          name: String!
          actedInMovies: [Movie!]! @relationship(type: "ACTED_IN", direction: OUT, properties: "ActedInProperties")
        }

        type Movie @node {
          # Unique.
          movieId: ID!
          boxOffice: Int @alias(property: "box office")
          released: Int!
          title: String!
          actorsActedIn: [Actor!]! @relationship(type: "ACTED_IN", direction: IN, properties: "ActedInProperties")
          peopleDirected: [Person!]! @relationship(type: "DIRECTED", direction: IN)
        }

        # Left out: "mixed", as its values are of several types: Integer, String.
        type Person @node {
          born: Date
          name: String!
          directedMovies: [Movie!]! @relationship(type: "DIRECTED", direction: OUT)
        }

        type ActedInProperties @relationshipProperties {
          roles: [String!]!
        }
    "##]]
    .assert_eq(&types);

    let (code, schema, error) = outcome(&run(&["schema", &address]));
    assert_eq!((code, &*error), (Some(0), ""));
    assert!(schema.contains("\n  actorsActedIn("), "{schema}");
    assert!(schema.contains("\n  boxOffice: Int\n"), "{schema}");
    let (code, found, error) = outcome(&run(&["check", &address]));
    assert_eq!((code, &*error), (Some(0), ""));
    assert!(found.contains("  Person.mixed: it is no field"), "{found}");
}

fn check_refusal() {
    let expected = "error: `--dialect neo4j` reads a graph: give an address such as \
                    neo4j://localhost:7687; `--help-all` lists the options\n";
    let refused = outcome(&run(&["types", "shop.db", "--dialect", "neo4j"]));
    assert_eq!(refused, (Some(2), String::new(), expected.into()));
}
