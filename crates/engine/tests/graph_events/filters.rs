//! Conditions on events: each operator.

use serde_json::json;

use super::{next_event, on_graph};
use crate::live::assert_silent;

const TYPES: &str = r#"
    extend schema @subscription
    enum Genre { DRAMA COMEDY }
    type Movie @node {
        title: String!
        code: ID
        released: Int
        big: BigInt
        rating: Float
        seen: Boolean
        tags: [String!]
        genre: Genre
        born: DateTime
        day: Date
        lasting: Duration
        place: Point
        other: Int @coalesce(value: 5)
    }
"#;

/// The properties of a new node.
const INPUT: &str = r#"title: "The Matrix", code: "m1", released: 1999, big: "9007199254740993",
    rating: 8.7, seen: true, tags: ["a", "b"], genre: DRAMA, born: "2020-01-02T03:04:05Z",
    day: "2020-01-02", lasting: "PT2H", place: { longitude: 1, latitude: 1 }"#;

/// Conditions that the node passes, and some that it fails.
const PASSED: [&str; 32] = [
    r#"title: { eq: "The Matrix" }"#,
    r#"title: { in: ["x", "The Matrix"] }"#,
    r#"title: { contains: "Mat" }"#,
    r#"title: { startsWith: "The" }"#,
    r#"title: { endsWith: "rix" }"#,
    r#"title: { matches: "The .*" }"#,
    r#"title: { caseInsensitive: { eq: "the matrix" } }"#,
    r#"title_EQ: "The Matrix""#,
    r#"title_IN: ["The Matrix"]"#,
    r#"title_CONTAINS: "Mat""#,
    r#"code: { startsWith: "m" }"#,
    "released: { gt: 1998 }",
    "released: { gte: 1999, lte: 1999 }",
    "released: { in: [1999] }",
    "released_LT: 2000",
    r#"big: { eq: "9007199254740993" }"#,
    r#"big: { gt: "9007199254740992" }"#,
    "rating: { lt: 8.8, gt: 8.6 }",
    "seen: { eq: true }",
    r#"tags: { includes: "a" }"#,
    r#"tags: { eq: ["a", "b"] }"#,
    "genre: { in: [DRAMA] }",
    r#"born: { gt: "2020-01-02T04:00:00+02:00" }"#,
    r#"day: { lt: "2020-01-03" }"#,
    r#"lasting: { lt: "PT150M" }"#,
    "place: { distance: { from: { longitude: 1, latitude: 1 }, lt: 10 } }",
    "place: { eq: { longitude: 1, latitude: 1 } }",
    "other: { eq: 5 }",
    "NOT: { released: { lt: 1999 } }",
    r#"OR: [{ title: { eq: "x" } }, { released: { eq: 1999 } }]"#,
    r#"AND: [{ title: { contains: "The" } }, { OR: [{ seen: { eq: false } }, { seen: { eq: true } }] }]"#,
    "released: { gt: 1990 }, rating: { gt: 8 }",
];

const FAILED: [&str; 12] = [
    r#"title: { eq: "the matrix" }"#,
    r#"title: { in: [] }"#,
    r#"title: { matches: "Matrix" }"#,
    r#"title: { caseInsensitive: { eq: "matrix" } }"#,
    "released: { gt: 1999 }",
    r#"big: { gt: "9007199254740993" }"#,
    "seen: { eq: false }",
    r#"tags: { includes: "c" }"#,
    "genre: { eq: COMEDY }",
    r#"lasting: { gt: "PT2H" }"#,
    "NOT: { released: { eq: 1999 } }",
    r#"OR: [{ title: { eq: "x" } }, { released: { eq: 1 } }]"#,
];

#[tokio::test]
async fn every_operator_is_evaluated_on_the_node() {
    on_graph(TYPES, |served| async move {
        let subscribe = |condition: &str| {
            served.subscribe(&format!(
                "subscription {{ movieCreated(where: {{ {condition} }}) {{ createdMovie {{ title }} }} }}"
            ))
        };
        let mut passed: Vec<_> = PASSED.iter().map(|condition| subscribe(condition)).collect();
        let mut failed: Vec<_> = FAILED.iter().map(|condition| subscribe(condition)).collect();
        let create = format!("mutation {{ createMovies(input: [{{ {INPUT} }}]) {{ info {{ nodesCreated }} }} }}");
        served.change(&create).await;
        for (condition, responses) in PASSED.iter().zip(&mut passed) {
            let event = next_event(responses).await;
            assert_eq!(event, json!({ "createdMovie": { "title": "The Matrix" } }), "{condition}");
        }
        for (condition, responses) in FAILED.iter().zip(&mut failed) {
            let waited = tokio::time::timeout(std::time::Duration::from_millis(20), responses.next());
            assert!(waited.await.is_err(), "{condition}");
        }
    })
    .await;
}

#[tokio::test]
async fn conditions_on_updates_and_deletes_are_about_the_previous_values() {
    on_graph(TYPES, |served| async move {
        let query = |field: &str, title: &str, shown: &str| {
            format!("subscription {{ {field}(where: {{ title: {{ eq: \"{title}\" }} }}) {{ {shown} {{ title }} }} }}")
        };
        let mut before = served.subscribe(&query("movieUpdated", "A", "updatedMovie"));
        let mut after = served.subscribe(&query("movieUpdated", "B", "updatedMovie"));
        let mut deleted = served.subscribe(&query("movieDeleted", "B", "deletedMovie"));
        served.change("mutation { createMovies(input: [{ title: \"A\" }]) { info { nodesCreated } } }").await;
        served.change("mutation { updateMovies(update: { title: { set: \"B\" } }) { info { nodesCreated } } }").await;
        assert_eq!(next_event(&mut before).await, json!({ "updatedMovie": { "title": "B" } }));
        assert_silent(&mut after).await;
        served.change("mutation { deleteMovies { nodesDeleted } }").await;
        assert_eq!(next_event(&mut deleted).await, json!({ "deletedMovie": { "title": "B" } }));
    })
    .await;
}

#[tokio::test]
async fn a_value_that_cannot_be_shown_is_an_error_of_its_event() {
    on_graph(TYPES, |served| async move {
        let mut deleted =
            served.subscribe("subscription { movieDeleted { deletedMovie { title code } } }");
        served.graph.run("CREATE (:Movie {code: 'x'}), (:Movie {title: 'A', code: 'y'})").unwrap();
        served
            .change("mutation { deleteMovies(where: { code: { eq: \"x\" } }) { nodesDeleted } }")
            .await;
        let response = crate::live::next(&mut deleted).await;
        assert_eq!(response["data"], json!(null), "{response}");
        let path = json!(["movieDeleted", "deletedMovie", "title"]);
        assert_eq!(response["errors"][0]["path"], path, "{response}");
        served.change("mutation { deleteMovies { nodesDeleted } }").await;
        let event = json!({ "deletedMovie": { "title": "A", "code": "y" } });
        assert_eq!(next_event(&mut deleted).await, event);
    })
    .await;
}
