//! Live queries as streams.

use std::time::Duration;

use futures_util::StreamExt;
use thalweg::{Outcome, Responses, Thalweg};
use tokio::time::timeout;

use crate::databases::{Database, answer, request};

/// Longer than any change takes to arrive.
const LONG: Duration = Duration::from_secs(20);

const TITLE: &str = "query @live { taskById(id: 1) { title } }";

async fn open(database: &Database) -> Thalweg {
    let mut options = database.options();
    options.engine.live.has_directive = true;
    Thalweg::open(options).await.unwrap()
}

async fn subscribe(thalweg: &Thalweg, query: &str) -> Responses {
    thalweg.subscribe(request(query), &thalweg.anonymous()).await.unwrap()
}

async fn next(responses: &mut Responses) -> Option<String> {
    let response = timeout(LONG, StreamExt::next(responses)).await.unwrap();
    response.map(|response| String::from_utf8(response.into()).unwrap())
}

fn rename(title: &str) -> String {
    format!(
        "mutation {{ updateTaskById(input: {{ id: 1, taskPatch: {{ title: \"{title}\" }} }}) {{ task {{ id }} }} }}"
    )
}

fn titled(title: &str) -> Option<String> {
    Some(format!("{{\"data\":{{\"taskById\":{{\"title\":\"{title}\"}}}},\"isLive\":true}}"))
}

#[tokio::test]
async fn changes_arrive_and_a_reload_repeats_nothing() {
    for database in Database::each() {
        let thalweg = open(&database).await;
        let mut responses = subscribe(&thalweg, TITLE).await;
        assert_eq!(next(&mut responses).await, titled("Write"));
        answer(&thalweg, &rename("Read")).await;
        assert_eq!(next(&mut responses).await, titled("Read"));
        thalweg.reload().await.unwrap();
        answer(&thalweg, &rename("Sing")).await;
        assert_eq!(next(&mut responses).await, titled("Sing"));
        thalweg.close(LONG).await;
        assert_eq!(next(&mut responses).await, None);
    }
}

#[tokio::test]
async fn what_is_no_subscription_is_refused() {
    let database = Database::sqlite();
    let thalweg = open(&database).await;
    let refused = async |query: &str| {
        thalweg.subscribe(request(query), &thalweg.anonymous()).await.unwrap_err()
    };
    let query = refused("{ taskById(id: 1) { title } }").await;
    assert_eq!(query.outcome(), Outcome::RequestError);
    assert!(
        query.body().starts_with(br#"{"errors":[{"message":"The operation is no subscription: "#)
    );
    assert_eq!(refused("query @live { nothing }").await.outcome(), Outcome::RequestError);
}
