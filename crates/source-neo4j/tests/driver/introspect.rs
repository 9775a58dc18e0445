//! What is read of a graph in a real Neo4j, as a whole and by a sample.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "all of this crate is tests, which may panic"
)]

use std::fmt::Write as _;
use std::time::Duration;

use catalog::{
    GraphChange, GraphConstraintKind, GraphPart, GraphProperty, GraphSummary, GraphType,
};
use expect_test::{Expect, expect};
use source::Timeouts;
use source_neo4j::Neo4jSource;
use source_neo4j::introspect::Bounds;
use testkit::neo4j::Graph;

const GRAPH: &str = "
    CREATE CONSTRAINT movie_id FOR (m:Movie) REQUIRE m.id IS UNIQUE;
    CREATE FULLTEXT INDEX titles FOR (m:Movie|`a``b`) ON EACH [m.title, m.`x y`];
    CREATE VECTOR INDEX near FOR (m:Movie) ON (m.embedding)
      OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}};
    CREATE INDEX released FOR (m:Movie) ON (m.released);
    CREATE (m:Movie {
        id: '1', title: 'A', released: 1999, gross: 5000000000, rating: 1, embedding: [1.0, 0.0],
        tags: ['x'], scores: [1, 2], at: point({longitude: 1, latitude: 2}),
        on: point({x: 1, y: 2}), seen: datetime(), day: date(), took: duration('PT1H')
      }),
      (:Movie {id: '2', title: 'B', released: 2001, rating: 2.5, tags: [], scores: []}),
      (k:Person:Actor {name: 'K'})-[:ACTED_IN {roles: ['a'], pay: 5000000000}]->(m),
      (p:Person {name: 'P', `x y`: true})-[:`rated ``it`` \\\\u0060` {stars: 3}]->(m),
      (p)-[:FOLLOWS]->(k),
      (:`a``b` {`back\\\\slash`: 1})<-[:NEAR {at: point({x: 0, y: 0})}]-(:Bare),
      ({lonely: true})-[:LOOSE]->(m);
";

/// The graph and its source; none where there is no Neo4j, which has been told then.
async fn opened() -> Option<(Graph, Neo4jSource)> {
    let graph = testkit::neo4j::take().unwrap()?;
    // On a busy machine the last transaction of the test before became visible only after the graph was
    // found to be empty.
    tokio::time::sleep(Duration::from_millis(300)).await;
    graph.clear().unwrap();
    graph.run(GRAPH).unwrap();
    let url = graph.address("bolt");
    let (source, _) = Neo4jSource::open(&url, Timeouts::default()).await.unwrap();
    Some((graph, source))
}

fn print(summary: &GraphSummary) -> String {
    let mut text = format!("{:?}\n", summary.coverage);
    for group in &summary.nodes {
        let (labels, count) = (group.labels.join(":"), group.count);
        writeln!(text, "({labels}) {count}: {}", properties(&group.properties)).unwrap();
    }
    for group in &summary.relationships {
        writeln!(text, "[{}]: {}", group.r#type, properties(&group.properties)).unwrap();
    }
    for triple in &summary.triples {
        let (from, to) = (triple.from.join(":"), triple.to.join(":"));
        writeln!(text, "({from})-[{}]->({to})", triple.r#type).unwrap();
    }
    for degree in &summary.degrees {
        let (labels, r#type) = (degree.labels.join(":"), &degree.r#type);
        let (end, nodes, most) = (degree.end, degree.nodes, degree.most);
        writeln!(text, "{end:?} ({labels}) {type}: {nodes} with at most {most}").unwrap();
    }
    for constraint in &summary.constraints {
        let (of, kind) = (part(&constraint.of), &constraint.kind);
        let properties = constraint.properties.join(", ");
        writeln!(text, "{} {of} ({properties}) {kind:?}", constraint.name).unwrap();
    }
    for index in &summary.indexes {
        // The server's own have names that nobody chose.
        if !index.properties.is_empty() {
            let (of, kind) = (part(&index.of), &index.kind);
            writeln!(text, "{} {of} ({}) {kind:?}", index.name, index.properties.join(", "))
                .unwrap();
        }
    }
    text
}

fn part(part: &GraphPart) -> String {
    match part {
        GraphPart::Nodes(names) => format!("({})", names.join("|")),
        GraphPart::Relationships(names) => format!("[{}]", names.join("|")),
    }
}

fn properties(properties: &[GraphProperty]) -> String {
    let shown = |r#type: &GraphType| {
        format!("{:?}{}", r#type.value, if r#type.is_list { "[]" } else { "" })
    };
    let properties = properties.iter().map(|property| {
        let types: Vec<String> = property.types.iter().map(shown).collect();
        let mark = if property.always { "!" } else { "" };
        format!("{} {}{mark}", property.name, types.join("|"))
    });
    properties.collect::<Vec<_>>().join(", ")
}

async fn check(source: &Neo4jSource, bounds: Bounds, expected: &Expect) {
    expected.assert_eq(&print(&source.summary(bounds).await.unwrap()));
}

#[tokio::test(flavor = "current_thread")]
async fn a_graph_is_read_as_a_whole_and_by_a_sample_and_changed() {
    let Some((graph, source)) = opened().await else { return };
    check(&source, Bounds::default(), &expect![[r#"
        Whole
        () 1: lonely Boolean!
        (Actor:Person) 1: name Text!
        (Bare) 1: 
        (Movie) 2: at GeographicPoint, day Date, embedding Float[], gross WideInteger, id Text!, on CartesianPoint, rating Integer|Float!, released Integer!, scores Integer[]!, seen DateTime, tags Text[]!, title Text!, took Duration
        (Person) 1: name Text!, x y Boolean!
        (a`b) 1: back\\slash Integer!
        [ACTED_IN]: pay WideInteger!, roles Text[]!
        [FOLLOWS]: 
        [LOOSE]: 
        [NEAR]: at CartesianPoint!
        [rated `it` \\u0060]: stars Integer!
        ()-[LOOSE]->(Movie)
        (Actor:Person)-[ACTED_IN]->(Movie)
        (Bare)-[NEAR]->(a`b)
        (Person)-[FOLLOWS]->(Actor:Person)
        (Person)-[rated `it` \\u0060]->(Movie)
        From () LOOSE: 1 with at most 1
        From (Actor:Person) ACTED_IN: 1 with at most 1
        To (Actor:Person) FOLLOWS: 1 with at most 1
        From (Bare) NEAR: 1 with at most 1
        To (Movie) ACTED_IN: 1 with at most 1
        To (Movie) LOOSE: 1 with at most 1
        To (Movie) rated `it` \\u0060: 1 with at most 1
        From (Person) FOLLOWS: 1 with at most 1
        From (Person) rated `it` \\u0060: 1 with at most 1
        To (a`b) NEAR: 1 with at most 1
        movie_id (Movie) (id) Unique
        movie_id (Movie) (id) Range
        near (Movie) (embedding) Vector { dimensions: Some(2), similarity: Some("COSINE") }
        released (Movie) (released) Range
        titles (Movie|a`b) (title, x y) Fulltext
    "#]]).await;
    check(&source, Bounds { whole: 0, sample: 100 }, &expect![[r#"
        Sample { most: 100 }
        (Actor:Person) 1: name Text
        (Bare) 1: 
        (Movie) 2: at GeographicPoint, day Date, embedding Float[], gross WideInteger, id Text, on CartesianPoint, rating Integer|Float, released Integer, scores Integer[]|Nothing[], seen DateTime, tags Text[]|Nothing[], title Text, took Duration
        (Person) 1: name Text, x y Boolean
        (a`b) 1: back\\slash Integer
        [ACTED_IN]: pay WideInteger, roles Text[]
        [FOLLOWS]: 
        [NEAR]: at CartesianPoint
        [rated `it` \\u0060]: stars Integer
        (Actor:Person)-[ACTED_IN]->(Movie)
        (Bare)-[NEAR]->(a`b)
        (Person)-[FOLLOWS]->(Actor:Person)
        (Person)-[rated `it` \\u0060]->(Movie)
        movie_id (Movie) (id) Unique
        movie_id (Movie) (id) Range
        near (Movie) (embedding) Vector { dimensions: Some(2), similarity: Some("COSINE") }
        released (Movie) (released) Range
        titles (Movie|a`b) (title, x y) Fulltext
    "#]]).await;
    // Of so few no triple of a type is missed all the same.
    graph.run("MATCH (m:Movie) CREATE (:Play)<-[:ACTED_IN]-(:Dog)-[:ACTED_IN]->(m)").unwrap();
    let neo4j = &source;
    let few = print(&neo4j.summary(Bounds { whole: 0, sample: 1 }).await.unwrap());
    // Which nodes are among the few is the server's affair, and so is what they have.
    let triples: Vec<&str> = few.lines().filter(|line| line.contains(")-[")).collect();
    expect![[r#"
        (Actor:Person)-[ACTED_IN]->(Movie)
        (Bare)-[NEAR]->(a`b)
        (Dog)-[ACTED_IN]->(Movie)
        (Dog)-[ACTED_IN]->(Play)
        (Person)-[FOLLOWS]->(Actor:Person)
        (Person)-[rated `it` \\u0060]->(Movie)"#]]
    .assert_eq(&triples.join("\n"));

    let changes = [
        GraphChange::CreateUnique {
            name: "odd `name`".into(),
            label: "a`b".into(),
            property: "back\\slash".into(),
        },
        GraphChange::CreateFulltext {
            name: "people".into(),
            label: "Person".into(),
            properties: vec!["name".into(), "x y".into()],
        },
    ];
    for change in &changes {
        neo4j.change(&neo4j.statement(change)).await.unwrap();
    }
    let (constraints, indexes) = neo4j.constraints_and_indexes().await.unwrap();
    let made = constraints.iter().find(|constraint| &*constraint.name == "odd `name`").unwrap();
    assert_eq!(made.of, GraphPart::Nodes(vec!["a`b".into()]));
    assert_eq!(
        (&*made.properties, &made.kind),
        (&["back\\slash".into()][..], &GraphConstraintKind::Unique)
    );
    let made = indexes.iter().find(|index| &*index.name == "people").unwrap();
    assert_eq!(*made.properties, ["name".into(), "x y".into()]);
    // What is there already is left as it is.
    for change in &changes {
        neo4j.change(&neo4j.statement(change)).await.unwrap();
    }
}
