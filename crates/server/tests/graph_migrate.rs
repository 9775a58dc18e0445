//! The constraints and indexes that type definitions want of a graph.

use std::fs;

use expect_test::{Expect, expect};
use testkit::neo4j::{self, Graph, Value};

use crate::program::{Folder, outcome, run};

const DEFINITIONS: &str = "
    type Movie @node(labels: [\"Film\", \"The `thing`\"]) {
      id: ID! @id @alias(property: \"film id\")
      title: String
    }
    type Person @node { key: ID! @id }
    type Genre @node
      @fulltext(indexes: [{ indexName: \"genre texts\", queryName: \"find\", fields: [\"name\"] }])
      @vector(indexes: [{ indexName: \"near\", queryName: \"near\", embeddingProperty: \"e\" }]) {
      id: ID! @id
      name: String
      e: [Float!]
    }
    type Actor @node(labels: [\"Actor\", \"Person\"]) { key: ID! @id }
";

const GRAPH: &str = "
    CREATE INDEX genres FOR (g:Genre) ON (g.id);
    CREATE CONSTRAINT kept FOR (m:Film) REQUIRE m.title IS UNIQUE;
    CREATE (:Person {key: 'x', name: 'A'}), (:Person {key: 'x', name: 'B'}), (:Person), (:Person),
      (:Film {`film id`: 1}), (:Film {`film id`: 2});
";

/// The names of all constraints and of the indexes that a user made.
fn names(graph: &Graph) -> Vec<String> {
    let statement =
        "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name ORDER BY name";
    let records = graph.run(statement).unwrap();
    let name = |record: Vec<Value>| match record.into_iter().next() {
        Some(Value::Text(name)) => name,
        other => panic!("{other:?}"),
    };
    records.into_iter().map(name).collect()
}

fn check(arguments: &[&str], expected_code: i32, output: &Expect, error: &Expect) {
    let (code, found, told) = outcome(&run(arguments));
    output.assert_eq(&found);
    error.assert_eq(&without_ids(&told));
    assert_eq!(code, Some(expected_code));
}

/// The server names nodes by ids that depend on what was in the graph before.
fn without_ids(text: &str) -> String {
    let mut parts = text.split("Node(");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        [&text, "Node(", part.trim_start_matches(|one: char| one.is_ascii_digit())].concat()
    })
}

#[test]
fn what_is_wanted_is_made_and_nothing_else_is_touched() {
    let folder = Folder::new();
    let types = folder.file("types.graphql");
    fs::write(&types, DEFINITIONS).unwrap();
    let types = types.to_str().unwrap();
    check_refusals(&folder, types);
    let Some(graph) = neo4j::take().unwrap() else { return };
    graph.run(GRAPH).unwrap();
    let address = graph.address("bolt");
    let migrate = ["migrate", &address, "--types", types];

    let dry = [&migrate[..], &["--dry-run"]].concat();
    check(
        &dry,
        1,
        &expect![[r#"
            CYPHER 5 CREATE CONSTRAINT `Movie_id` IF NOT EXISTS FOR (t0:`Film`) REQUIRE t0.`film id` IS UNIQUE;
            CYPHER 5 CREATE CONSTRAINT `Person_key` IF NOT EXISTS FOR (t0:`Person`) REQUIRE t0.`key` IS UNIQUE;
            CYPHER 5 CREATE FULLTEXT INDEX `genre texts` IF NOT EXISTS FOR (t0:`Genre`) ON EACH [t0.`name`];
            CYPHER 5 CREATE VECTOR INDEX `near` IF NOT EXISTS FOR (t0:`Genre`) ON (t0.`e`);
        "#]],
        &expect![[r#"
        error: Genre.id: it is to be unique, but the index "genres" over it does not let a constraint be made.
          Remedy: drop the index; the constraint has one of its own.
    "#]],
    );
    assert_eq!(names(&graph), ["genres", "kept"]);

    // What cannot be made keeps nothing else from being made.
    check(
        &migrate,
        1,
        &expect![[r#"
            Movie.id: the constraint "Movie_id" was made.
            Genre.genre texts: the full-text index "genre texts" was made.
            Genre.near: the vector index "near" was made.
            Made: 3. There already: 0. Not made: 2.
        "#]],
        &expect![[r#"
        error: Person.key: the constraint "Person_key" was not made: Unable to create Constraint( name='Person_key', type='UNIQUENESS', schema=(:Person {key}) ): Both Node() and Node() have the label `Person` and property `key` = 'x'. Note that only the first found violation is shown. (Neo.DatabaseError.Schema.ConstraintCreationFailed)
          Remedy: give each node a value of its own, or none, and migrate again. This finds the values that several have:
            CYPHER 5 MATCH (t0:`Person`) WHERE t0.`key` IS NOT NULL WITH t0.`key` AS c0, count(*) AS c1 WHERE c1 > 1 RETURN c0, c1;
        error: Genre.id: it is to be unique, but the index "genres" over it does not let a constraint be made.
          Remedy: drop the index; the constraint has one of its own.
    "#]],
    );
    assert_eq!(names(&graph), ["Movie_id", "genre texts", "genres", "kept", "near"]);

    graph.run("MATCH (p:Person {name: 'B'}) SET p.key = 'y'; DROP INDEX genres;").unwrap();
    check(
        &migrate,
        0,
        &expect![[r#"
            Movie.id: the constraint "Movie_id" is there.
            Genre.genre texts: the full-text index "genre texts" is there.
            Genre.near: the vector index "near" is there.
            Person.key: the constraint "Person_key" was made.
            Genre.id: the constraint "Genre_id" was made.
            Made: 2. There already: 3. Not made: 0.
        "#]],
        &expect![""],
    );
    let all = ["Genre_id", "Movie_id", "Person_key", "genre texts", "kept", "near"];
    assert_eq!(names(&graph), all);

    // Again, and for definitions that want nothing.
    check(
        &migrate,
        0,
        &expect![[r#"
            Movie.id: the constraint "Movie_id" is there.
            Person.key: the constraint "Person_key" is there.
            Genre.id: the constraint "Genre_id" is there.
            Genre.genre texts: the full-text index "genre texts" is there.
            Genre.near: the vector index "near" is there.
            Actor.key: the constraint "Person_key" is there.
            Made: 0. There already: 6. Not made: 0.
        "#]],
        &expect![""],
    );
    check(
        &dry,
        0,
        &expect![[r#"
            // Movie.id: the constraint "Movie_id" is there.
            // Person.key: the constraint "Person_key" is there.
            // Genre.id: the constraint "Genre_id" is there.
            // Genre.genre texts: the full-text index "genre texts" is there.
            // Genre.near: the vector index "near" is there.
            // Actor.key: the constraint "Person_key" is there.
        "#]],
        &expect![""],
    );
    let nothing = folder.file("nothing.graphql");
    fs::write(&nothing, "type Person @node { name: String }").unwrap();
    let wants_nothing = ["migrate", &address, "--types", nothing.to_str().unwrap()];
    check(
        &wants_nothing,
        0,
        &expect![[r#"
        The type definitions want no constraint and no index.
    "#]],
        &expect![""],
    );
    assert_eq!(names(&graph), all);
    let nodes = graph.run("MATCH (n) RETURN count(n)").unwrap();
    assert_eq!(nodes, [[Value::Integer(6)]]);
}

#[test]
fn searches_work_when_it_has_ended() {
    let Some(graph) = neo4j::take().unwrap() else { return };
    let folder = Folder::new();
    let types = folder.file("types.graphql");
    let definitions = "
        type Genre @node
          @fulltext(indexes: [{ indexName: \"texts\", queryName: \"find\", fields: [\"name\"] }])
          @vector(indexes: [{ indexName: \"near\", queryName: \"near\", embeddingProperty: \"e\" }]) {
          name: String
          e: [Float!]
        }";
    fs::write(&types, definitions).unwrap();
    // Enough that they are still filled when they have just been made.
    let fill =
        "UNWIND range(1, 30000) AS n CREATE (:Genre {name: 'word' + n, e: [1.0, toFloat(n)]})";
    graph.run(fill).unwrap();
    let address = graph.address("bolt");
    let migrate = ["migrate", &address, "--types", types.to_str().unwrap()];
    let (code, found, told) = outcome(&run(&migrate));
    let states = "SHOW INDEXES YIELD type, state WHERE type IN ['FULLTEXT', 'VECTOR'] \
                  RETURN state ORDER BY state";
    let online = || vec![Value::Text("ONLINE".into())];
    assert_eq!(graph.run(states).unwrap(), [online(), online()], "{told}");
    assert_eq!(
        (code, found.ends_with("Made: 2. There already: 0. Not made: 0.\n")),
        (Some(0), true)
    );

    // The same by other names: the server would make nothing, and say nothing.
    graph.run("DROP INDEX texts; DROP INDEX near;").unwrap();
    graph.run("CREATE FULLTEXT INDEX words FOR (g:Genre) ON EACH [g.name]").unwrap();
    graph.run("CREATE VECTOR INDEX vectors FOR (g:Genre) ON (g.e)").unwrap();
    check(
        &migrate,
        1,
        &expect![[r#"
            Made: 0. There already: 0. Not made: 2.
        "#]],
        &expect![[r#"
            error: Genre.texts: the full-text index "words" is over the same fields, and a graph has no second one.
              Remedy: call it "words" in the definitions, or drop it and migrate again.
            error: Genre.near: the vector index "vectors" is over the same fields, and a graph has no second one.
              Remedy: call it "vectors" in the definitions, or drop it and migrate again.
        "#]],
    );
    assert_eq!(names(&graph), ["vectors", "words"]);
}

fn check_refusals(folder: &Folder, types: &str) {
    let (code, _, error) = outcome(&run(&["migrate", "neo4j://127.0.0.1:1"]));
    assert_eq!(code, Some(2));
    assert!(error.contains("--types <FILE>"), "{error}");
    check(
        &["migrate", "shop.db", "--types", types],
        1,
        &expect![""],
        &expect![[r#"
        error: constraints and indexes are made in graphs; give an address such as neo4j://localhost:7687
    "#]],
    );
    let wrong = folder.file("wrong.graphql");
    fs::write(&wrong, "type Movie @node { tags: [String] }").unwrap();
    let (code, _, error) =
        outcome(&run(&["migrate", "neo4j://127.0.0.1:1", "--types", wrong.to_str().unwrap()]));
    assert_eq!(code, Some(2));
    assert!(error.contains("line 1: Movie.tags:"), "{error}");
}
