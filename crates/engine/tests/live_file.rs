//! Live queries on a SQLite file: changes of this process execute those that read the rows.

use std::rc::Rc;
use std::time::Duration;

use engine::live::FeedKind;
use engine::{Caller, SourceAddress, Worker};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::dgraph::{on_each, run_sql};
use crate::live::{execute, next, open, subscribe};

/// Waits until no execution begins for a while.
async fn settle(worker: &Worker) -> u64 {
    loop {
        let before = worker.engine().live_counts().executions;
        sleep(Duration::from_millis(400)).await;
        if worker.engine().live_counts().executions == before {
            return before;
        }
    }
}

/// The number of executions of a mutation, once it is certain that there are no more.
async fn executions(worker: &Worker, mutation: &str) -> u64 {
    let before = settle(worker).await;
    let response = execute(worker, &format!("mutation {{ {mutation} {{ numUids }} }}")).await;
    assert_eq!(response.get("errors"), None, "{mutation}: {response}");
    settle(worker).await - before
}

#[test]
fn own_changes_execute_their_readers_and_those_of_other_programs_all() {
    on_each(|address| async move {
        if matches!(address, SourceAddress::Sqlite(_)) {
            check(&address).await;
        }
    });
}

async fn check(address: &SourceAddress) {
    let worker: Rc<Worker> = open(address, FeedKind::Stream).await;
    let caller = Caller::default();
    for player in ["ann", "bob"] {
        let add = format!(
            "mutation {{ addPlayer(input: [{{name: \"{player}\", age: 1, games: [{{score: 1}}]}}]) {{ numUids }} }}"
        );
        execute(&worker, &add).await;
    }
    let ids = execute(&worker, "{ queryPlayer(order: {asc: name}) { id } }").await;
    let id = |place: usize| ids["data"]["queryPlayer"][place]["id"].as_str().unwrap();
    let (ann, bob) = (id(0), id(1));
    let games = format!(
        "subscription {{ getPlayer(id: \"{ann}\") {{ name games(order: {{asc: score}}) {{ score }} }} }}"
    );
    let mut of_ann = subscribe(&worker, &games, &caller);
    let by_name = "subscription { queryPlayer(filter: {name: {eq: \"bob\"}}) { name } }";
    let mut by_name = subscribe(&worker, by_name, &caller);
    let player = |name: &str, games: &[i32]| {
        let games: Vec<Value> = games.iter().map(|score| json!({ "score": score })).collect();
        json!({ "data": { "getPlayer": { "name": name, "games": games } } })
    };
    assert_eq!(next(&mut of_ann).await, player("ann", &[1]));
    assert_eq!(next(&mut by_name).await, json!({ "data": { "queryPlayer": [{ "name": "bob" }] } }));
    // Other tables, other rows, and fields that are not read.
    for mutation in [
        "addLabel(input: [{name: \"l\"}])".to_owned(),
        format!("addGame(input: [{{score: 2, player: {{id: \"{bob}\"}}}}])"),
        "updateGame(input: {filter: {not: {has: player}}, set: {score: 3}})".to_owned(),
        format!("updatePlayer(input: {{filter: {{id: [\"{ann}\", \"{bob}\"]}}, set: {{age: 2}}}})"),
    ] {
        assert_eq!(executions(&worker, &mutation).await, 0, "{mutation}");
    }
    let add = format!("addGame(input: [{{score: 7, player: {{id: \"{ann}\"}}}}])");
    assert_eq!(executions(&worker, &add).await, 1);
    assert_eq!(next(&mut of_ann).await, player("ann", &[1, 7]));
    // The former value of a changed field counts, too.
    let rename =
        format!("updatePlayer(input: {{filter: {{id: [\"{bob}\"]}}, set: {{name: \"bo\"}}}})");
    assert_eq!(executions(&worker, &rename).await, 1);
    assert_eq!(next(&mut by_name).await, json!({ "data": { "queryPlayer": [] } }));
    // Another program.
    let before = settle(&worker).await;
    run_sql(address, "DELETE FROM \"Label\"").await;
    assert_eq!(settle(&worker).await - before, 2);
    run_sql(address, "DELETE FROM \"Game\" WHERE score = 7").await;
    assert_eq!(next(&mut of_ann).await, player("ann", &[1]));
    // A change of a definition ends the recording, and another one begins: nothing is lost.
    run_sql(address, "CREATE INDEX by_score ON \"Game\" (score)").await;
    settle(&worker).await;
    let add = format!("addGame(input: [{{score: 9, player: {{id: \"{ann}\"}}}}])");
    assert_eq!(executions(&worker, &add).await, 1);
    assert_eq!(next(&mut of_ann).await, player("ann", &[1, 9]));
}
