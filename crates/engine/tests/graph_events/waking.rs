//! Live queries on Neo4j: a mutation executes those that read its types.

use std::time::Duration;

use engine::live::FeedOptions;
use serde_json::json;
use testkit::neo4j;
use tokio::task::LocalSet;
use tokio::time::sleep;

use super::{next_event, served_with};
use crate::live::next;

const TYPES: &str = r#"
    type Movie @node @subscription { title: String!  actors: [Person!]! @relationship(type: "A", direction: IN) }
    type Person @node { name: String! }
    type Album @node { name: String! }
"#;

#[tokio::test]
async fn a_mutation_executes_the_live_queries_that_read_its_types() {
    let Some(graph) = neo4j::take().unwrap() else { return };
    LocalSet::new()
        .run_until(async {
            // Nothing is polled in the time of the test.
            let interval = Duration::from_secs(3600);
            let feed = FeedOptions { interval, ..FeedOptions::default() };
            let served = served_with(graph, TYPES, true, feed).await;
            let mut movies = served.subscribe("subscription { movies { title actors { name } } }");
            let mut albums = served.subscribe("subscription { albums { name } }");
            let mut events =
                served.subscribe("subscription { movieCreated { createdMovie { title } } }");
            assert_eq!(next(&mut movies).await, json!({ "data": { "movies": [] } }));
            assert_eq!(next(&mut albums).await, json!({ "data": { "albums": [] } }));
            sleep(Duration::from_millis(200)).await;
            let executions = || served.worker.engine().live_counts().executions;
            let before = executions();
            served.change("mutation { createMovies(input: [{ title: \"A\", actors: { create: [{ node: { name: \"Ann\" } }] } }]) { info { nodesCreated } } }").await;
            let expected = json!({ "movies": [{ "title": "A", "actors": [{ "name": "Ann" }] }] });
            assert_eq!(next(&mut movies).await, json!({ "data": expected }));
            assert_eq!(next_event(&mut events).await["createdMovie"]["title"], "A");
            served.change("mutation { updatePeople(update: { name: { set: \"Bob\" } }) { info { nodesCreated } } }").await;
            let expected = json!({ "movies": [{ "title": "A", "actors": [{ "name": "Bob" }] }] });
            assert_eq!(next(&mut movies).await, json!({ "data": expected }));
            sleep(Duration::from_millis(200)).await;
            assert_eq!(executions() - before, 2);
            served.change("mutation { createAlbums(input: [{ name: \"x\" }]) { info { nodesCreated } } }").await;
            assert_eq!(next(&mut albums).await, json!({ "data": { "albums": [{ "name": "x" }] } }));
            sleep(Duration::from_millis(200)).await;
            assert_eq!(executions() - before, 3);
        })
        .await;
}
