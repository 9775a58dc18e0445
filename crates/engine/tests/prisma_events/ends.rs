//! Subscriptions to events of rows: statements that they cost, errors, and ends.

use std::time::Duration;

use engine::{Allowed, Caller, Delivery, Report, Session, SourceAddress};
use futures_util::future::join;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{Served, serve};
use crate::dgraph::{on_each, run_sql};
use crate::live::{execute, request};

/// The number of statements of a mutation.
async fn statements(served: &Served, mutation: &str) -> usize {
    let query = format!("mutation {{ {mutation} }}");
    let (session, mut report) = (Session::default(), Report::default());
    report.observed.wants_rounds = true;
    let (allowed, delivery) = (Allowed::All, Delivery::Whole);
    let response = served
        .worker
        .deliver_reported(&request(&query), &session, allowed, delivery, &mut report)
        .await;
    let body = String::from_utf8(response.body.into()).unwrap();
    assert!(!body.contains("errors"), "{body}");
    report.observed.rounds.iter().map(|round| round.levels.len()).sum()
}

#[test]
fn mutations_without_listeners_to_their_rows_execute_nothing_more() {
    on_each(|address| async move {
        let served = serve(&address).await;
        let create =
            |id: u32| format!("createTodo(data: {{ id: \"t{id}\", text: \"t{id}\" }}) {{ id }}");
        let update = "updateTodo(where: { id: \"t1\" }, data: { weight: 1 }) { id }";
        let alone = [statements(&served, &create(1)).await, statements(&served, update).await];
        let of_users = served.listen("user { mutation }");
        assert_eq!(statements(&served, &create(2)).await, alone[0]);
        let of_todos = served.listen("todo { mutation }");
        // The values of a new row come with it.
        assert!(statements(&served, &create(3)).await >= alone[0]);
        // The former values and their list are read before.
        let with_events = statements(&served, update).await;
        assert!(with_events > alone[1] && with_events <= alone[1] + 2, "{with_events}");
        drop((of_users, of_todos));
        // A subscriber that has left is noticed by its task.
        sleep(Duration::from_millis(50)).await;
        assert_eq!(served.worker.engine().listener_counts().listeners, 0);
        assert_eq!(statements(&served, &create(4)).await, alone[0]);
        assert_eq!(statements(&served, update).await, alone[1]);
    });
}

#[test]
fn a_mutation_with_an_unknown_outcome_ends_the_subscriptions_to_its_rows() {
    on_each(|address| async move {
        let served = serve(&address).await;
        let mut todos = served.listen("todo { mutation node { id } }");
        let mut users = served.listen("user { mutation node { name } }");
        let blocked = Blocked::begin(&address).await;
        let create = served.try_change(r#"createTodo(data: { id: "t", text: "t" }) { id }"#);
        assert!(timeout(Duration::from_millis(300), create).await.is_err());
        blocked.end().await;
        let response = todos.next().await;
        assert_eq!(response["errors"][0]["extensions"]["code"], "UNAVAILABLE", "{response}");
        let message = "The outcome of a mutation is not known: events may be missing.";
        assert_eq!(response["errors"][0]["message"], message, "{response}");
        assert!(response["errors"][0]["requestId"].is_string(), "{response}");
        assert!(todos.has_ended().await);
        // Other rows are not concerned.
        served.change(r#"createUser(data: { name: "ann" }) { id }"#).await;
        let user = json!({ "mutation": "CREATED", "node": { "name": "ann" } });
        assert_eq!(users.next().await, json!({ "data": { "user": user } }));
    });
}

/// While mutations change a text, the sessions of the server are ended again and again. A model checks
/// that a subscription has one event for each change that was made, until it says that it may miss some.
#[test]
fn each_change_has_one_event_while_sessions_are_lost() {
    const LOSSES: u64 = 10;
    const CUT: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";
    const TODOS: &str = "todo { mutation previousValues { text } }";
    const MISSING: &str = "The outcome of a mutation is not known: events may be missing.";
    on_each(|address| async move {
        if !matches!(address, SourceAddress::Postgres(_)) {
            return;
        }
        let served = serve(&address).await;
        served.change(r#"createTodo(data: { id: "t", text: "0" }) { id }"#).await;
        let mut todos = served.listen(TODOS);
        let (mut text, mut received, mut may_end) = ("0".to_owned(), 0, false);
        for number in 1..=5 * LOSSES {
            let new = number.to_string();
            let update = format!(
                r#"updateTodo(where: {{ id: "t" }}, data: {{ text: "{new}" }}) {{ text }}"#
            );
            let loss = async {
                if number % 5 == 0 {
                    sleep(Duration::from_micros(number * 137 % 3_000)).await;
                    run_sql(&address, CUT).await;
                }
            };
            let (changed, ()) = join(served.try_change(&update), loss).await;
            if changed.get("errors").is_none() {
                let response = todos.next().await;
                match response.get("errors") {
                    Some(errors) if may_end && errors[0]["message"] == MISSING => {
                        assert!(todos.has_ended().await);
                        todos = served.listen(TODOS);
                    }
                    // The session that reads the event is lost, too.
                    Some(errors) => assert_ne!(errors[0]["message"], MISSING, "{response}"),
                    None => assert_eq!(response["data"]["todo"]["previousValues"]["text"], text),
                }
                (text, received, may_end) = (new, received + 1, false);
                continue;
            }
            // Whether the change was made is not known, or it was not made.
            let now = loop {
                let now = execute(&served.worker, r#"{ todo(where: { id: "t" }) { text } }"#).await;
                match now["data"]["todo"]["text"].as_str() {
                    Some(now) => break now.to_owned(),
                    None => sleep(Duration::from_millis(20)).await,
                }
            };
            if now != text || changed["errors"][0]["extensions"]["code"] == "OUTCOME_UNKNOWN" {
                let response = todos.next().await;
                assert_eq!(response["errors"][0]["message"], MISSING, "{response}");
                assert!(todos.has_ended().await);
                todos = served.listen(TODOS);
            } else {
                // It may have ended to be certain.
                may_end = true;
            }
            text = now;
        }
        assert!(received > 4 * LOSSES - 4, "{received}");
    });
}

/// A transaction of somebody else, for which changes of todos wait.
enum Blocked {
    Sqlite(rusqlite::Connection),
    Postgres(tokio_postgres::Client),
}

impl Blocked {
    async fn begin(address: &SourceAddress) -> Self {
        match address {
            SourceAddress::Sqlite(file) => {
                let connection = rusqlite::Connection::open(file).unwrap();
                connection.execute_batch("BEGIN IMMEDIATE").unwrap();
                Self::Sqlite(connection)
            }
            SourceAddress::Postgres(url) => {
                let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
                let (client, connection) = connected.unwrap();
                tokio::task::spawn_local(connection);
                client.batch_execute("BEGIN; LOCK TABLE \"Todo\"").await.unwrap();
                Self::Postgres(client)
            }
            SourceAddress::Neo4j(_) => panic!("a graph has no tables"),
        }
    }

    async fn end(self) {
        match self {
            Self::Sqlite(connection) => connection.execute_batch("ROLLBACK").unwrap(),
            Self::Postgres(client) => client.batch_execute("ROLLBACK").await.unwrap(),
        }
    }
}

#[test]
fn subscriptions_that_cannot_begin_are_errors_of_the_request() {
    on_each(|address| async move {
        let served = serve(&address).await;
        let refused = |subscription: &str| -> Value {
            let query = format!("subscription {{ {subscription} }}");
            let begun = served.worker.subscribe(&request(&query), &Caller::default());
            serde_json::from_slice(&begun.unwrap_err().body).unwrap()
        };
        let check = |subscription: &str, message: &str| {
            let response = refused(subscription);
            let own = response["errors"][0]["message"].as_str().unwrap();
            assert!(own.contains(message), "{response}");
        };
        check("todo { mutation } user { mutation }", "only one top level field");
        check("todo { nothing }", "nothing");
        check("todo(where: { mutation_in: [NOTHING] }) { mutation }", "NOTHING");
        check(
            "todo(where: { node: { comments_some: null } }) { mutation }",
            "cannot be filtered by null",
        );
        let deep = format!(
            "todo(where: {}{{ mutation_in: CREATED }}{}) {{ mutation }}",
            "{ AND: ".repeat(40),
            " }".repeat(40)
        );
        check(&deep, "32 levels");
    });
}
