//! Mutations of Dgraph's API that add the same identifier at the same time.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use engine::{Allowed, Engine, SourceAddress, Worker};
use futures_util::future::join_all;
use graphql::Request;
use serde_json::Value;

use crate::dgraph::{migrate, on_each, options};

const TYPES: &str = r#"
    type Tag { name: String! @id  label: String }
    type Post { id: ID!  title: String!  tags: [Tag] }
"#;

const CLIENTS: usize = 16;
const ROUNDS: usize = 10;

/// A worker for each client, with connections of its own.
async fn clients(address: &SourceAddress, count: usize) -> Vec<Rc<Worker>> {
    let options = options(migrate(address, TYPES).await, false);
    let engine = Engine::open(address, &options).await.unwrap();
    (0..count).map(|_| Rc::new(Worker::new(Arc::clone(&engine)))).collect()
}

async fn send(worker: &Worker, text: String) -> Value {
    let request = Request { query: text, ..Request::default() };
    let answered = worker.execute(&request, Allowed::All).await;
    serde_json::from_slice(&answered.body).unwrap()
}

/// Sends a mutation of all clients at once, for each round; returns the answers of each round.
async fn race(clients: &[Rc<Worker>], text: impl Fn(usize, usize) -> String) -> Vec<Vec<Value>> {
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        let sent = clients.iter().enumerate();
        let sent = sent.map(|(client, worker)| send(worker, text(round, client)));
        rounds.push(join_all(sent).await);
    }
    rounds
}

fn errors(rounds: &[Vec<Value>]) -> Vec<&Value> {
    rounds.iter().flatten().filter(|answer| answer.get("errors").is_some()).collect()
}

#[test]
fn objects_that_are_linked_or_added_at_the_same_time_are_one_object() {
    on_each(|address| async move {
        let clients = clients(&address, CLIENTS).await;
        let linked = race(&clients, |round, client| {
            let tag = format!(r#"{{name: "l{round}", label: "l"}}"#);
            let post = format!(r#"{{title: "{client}", tags: [{tag}]}}"#);
            format!("mutation {{ addPost(input: [{post}]) {{ post {{ tags {{ name }} }} }} }}")
        })
        .await;
        assert_eq!(errors(&linked), [&Value::Null; 0]);
        for (round, answers) in linked.iter().enumerate() {
            for answer in answers {
                let tags = &answer["data"]["addPost"]["post"][0]["tags"];
                assert_eq!(tags.to_string(), format!(r#"[{{"name":"l{round}"}}]"#));
            }
        }
        let upserted = race(&clients, |round, client| {
            let tag = format!(r#"{{name: "u{round}", label: "{client}"}}"#);
            format!("mutation {{ addTag(input: [{tag}], upsert: true) {{ numUids }} }}")
        })
        .await;
        assert_eq!(errors(&upserted), [&Value::Null; 0]);
        let added = race(&clients, |round, _| {
            format!(r#"mutation {{ addTag(input: [{{name: "a{round}"}}]) {{ numUids }} }}"#)
        })
        .await;
        for round in &added {
            let done = round.iter().filter(|answer| answer.get("errors").is_none());
            assert_eq!(done.count(), 1, "{round:?}");
        }
        let counts = "{ aggregateTag { count } aggregatePost { count } }".to_owned();
        let counted = send(&clients[0], counts).await;
        assert_eq!(counted["data"]["aggregateTag"]["count"], 3 * ROUNDS);
        assert_eq!(counted["data"]["aggregatePost"]["count"], CLIENTS * ROUNDS);
    });
}

#[test]
fn objects_that_are_added_in_opposite_orders_are_no_deadlock() {
    on_each(|address| async move {
        let clients = clients(&address, 2).await;
        let mut names = Vec::new();
        for number in 0..200 {
            names.push(format!(r#"{{name: "{number}"}}"#));
        }
        let names = [names.join(" "), names.iter().rev().cloned().collect::<Vec<_>>().join(" ")];
        let sent = clients.iter().zip(&names).map(|(worker, names)| {
            let post = format!(r#"{{title: "a", tags: [{names}]}}"#);
            send(worker, format!("mutation {{ addPost(input: [{post}]) {{ numUids }} }}"))
        });
        let answers = join_all(sent).await;
        assert!(answers.iter().all(|answer| answer.get("errors").is_none()), "{answers:?}");
    });
}

/// Sends a mutation, while a transaction that has inserted the tag `x` is open, and commits it as soon
/// as the mutation waits for it.
async fn answer_beside(url: &str, worker: &Worker, text: &str) -> Value {
    let (other, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let running = tokio::task::spawn_local(connection);
    other.batch_execute(r#"BEGIN; INSERT INTO "Tag" (name) VALUES ('x')"#).await.unwrap();
    let committed = async {
        let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted
            AND locktype = 'transactionid' AND transactionid = pg_current_xact_id()::xid";
        loop {
            let rows = other.query(waiting, &[]).await.unwrap();
            if rows[0].get::<_, i64>(0) > 0 {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        other.batch_execute("COMMIT").await.unwrap();
    };
    let (answer, ()) = tokio::join!(send(worker, text.to_owned()), committed);
    drop(other);
    running.await.unwrap().unwrap();
    answer
}

#[test]
fn a_change_that_waited_for_the_same_identifier_finds_it() {
    let answers: RefCell<Vec<String>> = RefCell::default();
    on_each(|address| {
        let answers = &answers;
        async move {
            let SourceAddress::Postgres(url) = &address else { return };
            let workers = clients(&address, 1).await;
            let mut text = String::new();
            for mutation in [
                r#"addPost(input: [{title: "a", tags: [{name: "x", label: "l"}]}]) { numUids }"#,
                r#"addTag(input: [{name: "x", label: "u"}], upsert: true) { tag { label } }"#,
                r#"addTag(input: [{name: "x"}]) { numUids }"#,
            ] {
                let sent = format!("mutation {{ {mutation} }}");
                let answer = answer_beside(url, &workers[0], &sent).await;
                text.push_str(&answer["data"].to_string());
                text.push_str(&answer["errors"][0]["extensions"]["code"].to_string());
                text.push('\n');
                let delete = r#"mutation { deleteTag(filter: {}) { numUids } }"#;
                send(&workers[0], delete.to_owned()).await;
            }
            answers.borrow_mut().push(text);
        }
    });
    for answer in answers.into_inner() {
        expect_test::expect![[r#"
            {"addPost":{"numUids":1}}null
            {"addTag":{"tag":[{"label":"u"}]}}null
            {"addTag":null}"UNIQUE_VIOLATION"
        "#]]
        .assert_eq(&answer);
    }
}
