//! Rules of type definitions are a barrier: nothing that a client says is evaluated on nodes that its
//! filters leave out.
//!
//! Two graphs differ in such nodes alone. In one of them conditions of clients fail on these: regular
//! expressions that are none, divisions by zero, values of other types. Both give the same answers.

use std::sync::Arc;

use engine::{
    Allowed, Claims, Delivery, Engine, Options, PoolLimits, Report, Session, SourceAddress, Worker,
};
use graphql::Request;
use serde_json_bytes::json;
use testkit::neo4j::{self, Graph};

const DIALECT: &str =
    "neo4j types=guarded/types.graphql filters=String.MATCHES,String.CASE_INSENSITIVE";

/// What may be seen, and nodes that may not be: of these `LOUD` stands for what differs.
const GRAPH: &str = "
    CREATE (t1:Tag {id: 1, word: 'one', rating: 5}), (t2:Tag {id: 2, word: 'LOUD', rating: 0})
    CREATE (a:Author {id: 1, name: 'Ann', team: 'red', rating: 5, lasting: duration('P1D'), home: point({x: 1, y: 2})}),
        (b:Author {id: 2, name: 'Bob', team: 'red', rating: 7}),
        (c:Author {id: 3, name: $word, team: 'blue', rating: $rating, lasting: $lasting, home: $home}),
        (d:Author {id: 4, name: $word + '2', team: 'blue', rating: $rating})
    CREATE (a)-[:WROTE]->(:Post {id: 1, name: 'First', rating: 1})-[:HAS]->(t1),
        (b)-[:WROTE]->(:Post {id: 2, name: 'Second', rating: 2}),
        (c)-[:WROTE]->(p:Post {id: 3, name: $word, rating: $rating})-[:HAS]->(t1),
        (d)-[:WROTE]->(:Post {id: 4, name: $word + '4', rating: $rating})
    CREATE (a)-[:LIKES]->(t1), (c)-[:LIKES]->(t1)
    FOREACH (_ IN CASE WHEN $rating = 0 THEN [1] ELSE [] END | CREATE (c)-[:LIKES]->(t2), (p)-[:HAS]->(t2))";

/// Conditions that fail on loud nodes, or would tell them by failing after another one has passed.
const CONDITIONS: [&str; 9] = [
    r#"name: { matches: "LOUD(" }"#,
    r#"name: { startsWith: "LOUD", matches: "(" }"#,
    r#"AND: [{ name: { contains: "OUD" } }, { name: { matches: "(" } }]"#,
    r#"OR: [{ id: { eq: 1 } }, { name: { caseInsensitive: { eq: "ann" } } }]"#,
    "ratio: { gt: 1 }",
    "NOT: { ratio: { gt: 15 } }",
    "tags: { some: { ratio: { gt: 1 } } }",
    r#"NOT: { tags: { some: { word: { matches: "L.*", startsWith: "L" } } } }"#,
    "tagsAggregate: { node: { rating: { sum: { gt: 1 } } } }",
];

/// Those of authors alone.
const OF_AUTHORS: [&str; 2] =
    [r#"lasting: { gt: "PT1H" }"#, "home: { distance: { from: { x: 1, y: 1 }, lt: 5 } }"];

fn queries() -> Vec<String> {
    let mut queries = Vec::new();
    for condition in CONDITIONS {
        queries.extend([
            format!("{{ authors(where: {{ {condition} }}, sort: [{{ id: ASC }}]) {{ id name }} }}"),
            format!("{{ posts(where: {{ {condition} }}, sort: [{{ id: ASC }}]) {{ id name ratio }} }}"),
            format!(
                "{{ postsConnection(where: {{ {condition} }}) {{ totalCount aggregate {{ count {{ nodes }} \
                 node {{ rating {{ sum }} }} }} }} }}"
            ),
            format!(
                "{{ authors(sort: [{{ id: ASC }}]) {{ id posts(where: {{ {condition} }}) {{ id }} \
                 postsConnection(where: {{ node: {{ {condition} }} }}) {{ totalCount }} }} }}"
            ),
        ]);
    }
    for condition in OF_AUTHORS {
        queries.push(format!("{{ authors(where: {{ {condition} }}) {{ id }} }}"));
    }
    queries.extend(
        [
            r#"{ nameds(where: { name: { matches: "(", startsWith: "LOUD" } }) { name } }"#,
            r#"{ founds(where: { Author: { ratio: { gt: 1 } }, Post: { ratio: { lt: 1 } } }) { __typename } }"#,
            "{ authors(sort: [{ ratio: ASC }]) { id ratio } }",
            r#"mutation { updateAuthors(where: { ratio: { gt: 1 } }, update: { rating: { set: 4 } }) { authors { id } } }"#,
            r#"mutation { updatePosts(where: { name: { matches: "(", startsWith: "LOUD" } }, update: { rating: { set: 4 } }) { posts { id } } }"#,
            r#"mutation { updateAuthors(where: { id: { eq: 1 } }, update: { posts: [{ update: { where: { node: { ratio: { gt: 1 } } }, node: { rating: { set: 9 } } } }] }) { authors { id } } }"#,
            r#"mutation { deletePosts(where: { name: { matches: "(", startsWith: "LOUD" } }) { nodesDeleted } }"#,
            r#"mutation { deleteAuthors(where: { ratio: { gt: 90 } }) { nodesDeleted } }"#,
        ]
        .map(str::to_owned),
    );
    queries
}

#[tokio::test]
async fn nothing_of_a_client_is_evaluated_on_nodes_that_filters_leave_out() {
    // A missing Neo4j is reported.
    let Some(graph) = neo4j::take().unwrap() else { return };
    let quiet = answers(
        &graph,
        &[("$word", "'quiet'"), ("$rating", "5"), ("$lasting", "null"), ("$home", "null")],
    )
    .await;
    let loud = answers(
        &graph,
        &[("$word", "'LOUD'"), ("$rating", "0"), ("$lasting", "'never'"), ("$home", "5")],
    )
    .await;
    for ((query, quiet), loud) in queries().iter().zip(&quiet).zip(&loud) {
        assert_eq!(quiet, loud, "{query}");
        assert!(!quiet.contains("VALIDATION_FAILED"), "{query}\n{quiet}");
    }
    // Otherwise little was tried.
    let failed = quiet.iter().filter(|answer| answer.contains("\"errors\"")).count();
    assert!(failed * 3 < quiet.len(), "{failed} of {}", quiet.len());
}

async fn answers(graph: &Graph, values: &[(&str, &str)]) -> Vec<String> {
    graph.clear().unwrap();
    let text =
        values.iter().fold(GRAPH.to_owned(), |text, (name, value)| text.replace(name, value));
    graph.run(&text).unwrap();
    let options = Options::new(crate::dialect::parse(DIALECT).unwrap(), PoolLimits::unshared(2));
    let address = SourceAddress::Neo4j(graph.address("bolt"));
    let local = tokio::task::LocalSet::new();
    local
        .run_until(async {
            let worker = Worker::new(Engine::open(&address, &options).await.unwrap());
            let claims = Some(Arc::new(Claims::new(json!({ "sub": "red" }))));
            let session = Session { claims, ..Session::default() };
            let mut answers = Vec::new();
            for query in queries() {
                answers.push(answer(&worker, &session, query).await);
            }
            answers
        })
        .await
}

async fn answer(worker: &Worker, session: &Session, query: String) -> String {
    let request = Request { query, ..Request::default() };
    let (allowed, delivery) = (Allowed::All, Delivery::Whole);
    let mut report = Report::default();
    let response = worker.deliver_reported(&request, session, allowed, delivery, &mut report).await;
    without_ids(&String::from_utf8(response.body.into()).unwrap())
}

/// An error of the source has an id of its own.
fn without_ids(answer: &str) -> String {
    let mut parts = answer.split("\"errorId\":\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('"').map_or(part, |(_, rest)| rest))
}
