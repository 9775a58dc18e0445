//! Conditions on events: on the change itself, and on the row after it.

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;
use std::time::Duration;

use engine::Caller;
use expect_test::expect;
use graphql::Request;
use serde_json::Value;
use serde_json_bytes::json;
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep};

use super::{Served, serve};
use crate::dgraph::on_each;

/// The changes, one event each.
const CHANGES: [&str; 7] = [
    r#"createTodo(data: { id: "t1", text: "a", owner: { connect: { name: "ann" } } }) { id }"#,
    r#"updateTodo(where: { id: "t1" }, data: { text: "b" }) { id }"#,
    r#"updateTodo(where: { id: "t1" }, data: { important: true, weight: 2 }) { id }"#,
    r#"updateTodo(where: { id: "t1" }, data: { tags: { set: ["x"] } }) { id }"#,
    r#"updateTodo(where: { id: "t1" }, data: { owner: { disconnect: true } }) { id }"#,
    r#"createTodo(data: { id: "t2", text: "c" }) { id }"#,
    r#"deleteTodo(where: { id: "t1" }) { id }"#,
];

const CONDITIONS: &[&str] = &[
    "{}",
    "{ mutation_in: [CREATED] }",
    "{ mutation_in: DELETED }",
    "{ mutation_in: [UPDATED, DELETED] }",
    "{ mutation_in: [] }",
    "{ mutation_in: null }",
    r#"{ updatedFields_contains: "text" }"#,
    r#"{ updatedFields_contains: "tags" }"#,
    r#"{ updatedFields_contains: "nothing" }"#,
    r#"{ updatedFields_contains_every: ["important", "weight"] }"#,
    r#"{ updatedFields_contains_every: ["important", "text"] }"#,
    r#"{ updatedFields_contains_some: ["important", "text"] }"#,
    r#"{ updatedFields_contains_some: [] }"#,
    r#"{ node: { text: "b" } }"#,
    r#"{ node: { text_in: ["a", "c"] } }"#,
    r#"{ node: { owner: { name: "ann" } } }"#,
    "{ node: { owner: null } }",
    "{ node: { important_not: null } }",
    r#"{ node: { text: "b" }, mutation_in: [UPDATED] }"#,
    r#"{ AND: [{ mutation_in: [UPDATED] }, { updatedFields_contains: "text" }] }"#,
    "{ AND: [] }",
    r#"{ OR: [{ mutation_in: [DELETED] }, { node: { text: "c" } }] }"#,
    r#"{ OR: [{ mutation_in: [CREATED], node: { text: "a" } }, { updatedFields_contains: "tags" }] }"#,
    "{ OR: [] }",
    "{ NOT: [{ mutation_in: [UPDATED] }] }",
    r#"{ NOT: [{ mutation_in: [CREATED] }, { node: { text: "b" } }] }"#,
    r#"{ NOT: { node: { text: "b" } } }"#,
];

impl Served {
    fn listen_where(&self, conditions: &Value) -> Received {
        let query = "subscription ($where: TodoSubscriptionWhereInput) { todo(where: $where) { \
            mutation node { text } } }";
        let variables = serde_json::json!({ "where": conditions }).to_string();
        let variables = serde_json::from_str(&variables).unwrap();
        self.begin(&Request { query: query.to_owned(), variables, ..Request::default() })
    }

    fn begin(&self, request: &Request) -> Received {
        let mut begun = self.worker.subscribe(request, &Caller::default()).unwrap();
        let worker = Rc::clone(&self.worker);
        let driver = begun.driver.unwrap();
        spawn_local(async move { worker.drive(driver).await });
        let received = Received::default();
        let all = Rc::clone(&received);
        // The next event is executed when the last response is taken.
        spawn_local(async move {
            while let Some(response) = begun.responses.next().await {
                all.borrow_mut().push(short(&serde_json::from_slice(&response).unwrap()));
            }
        });
        received
    }

    /// Waits until so many executions of subscriptions have begun.
    async fn wait_for_executions(&self, number: u64) {
        let begun = Instant::now();
        while self.worker.engine().listener_counts().executions < number {
            assert!(begun.elapsed() < Duration::from_secs(20), "all events in time");
            sleep(Duration::from_millis(5)).await;
        }
        // The last of them end.
        sleep(Duration::from_millis(200)).await;
    }
}

/// The events that have come.
type Received = Rc<RefCell<Vec<String>>>;

/// The first letter of the change, and the text of the row.
fn short(response: &Value) -> String {
    let todo = &response["data"]["todo"];
    match (response.get("errors"), todo["mutation"].as_str().and_then(|kind| kind.get(..1))) {
        (None, Some(kind)) => format!("{kind}:{}", todo["node"]["text"].as_str().unwrap_or("-")),
        _ => response.to_string(),
    }
}

fn received(all: &Received) -> String {
    let all = all.borrow();
    if all.is_empty() { "nothing".to_owned() } else { all.join(" ") }
}

/// A condition as JSON: names of enums as texts.
fn as_json(condition: &str) -> Value {
    let mut text = String::new();
    let words = condition.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
    let mut within = false;
    for piece in words {
        let end = piece.chars().last().filter(|c| !c.is_alphanumeric() && *c != '_');
        let word = &piece[..piece.len() - end.map_or(0, char::len_utf8)];
        let is_name = !word.is_empty()
            && !within
            && !matches!(word, "null" | "true" | "false")
            && word.parse::<f64>().is_err();
        match is_name {
            true => {
                let _ = write!(text, "\"{word}\"");
            }
            false => text.push_str(word),
        }
        if let Some(end) = end {
            within ^= end == '"';
            text.push(end);
        }
    }
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn events_have_to_pass_the_conditions() {
    let all: RefCell<Vec<String>> = RefCell::default();
    on_each(|address| {
        let all = &all;
        async move {
            let served = serve(&address).await;
            served.change(r#"createUser(data: { name: "ann" }) { id }"#).await;
            let literal = |condition: &&str| {
                let query = format!(
                    "subscription {{ todo(where: {condition}) {{ mutation node {{ text }} }} }}"
                );
                served.begin(&Request { query, ..Request::default() })
            };
            let literal: Vec<Received> = CONDITIONS.iter().map(literal).collect();
            let variable = |condition: &&str| served.listen_where(&as_json(condition));
            let variable: Vec<Received> = CONDITIONS.iter().map(variable).collect();
            let listeners = 2 * u64::try_from(CONDITIONS.len()).unwrap();
            for (number, change) in (1..).zip(CHANGES) {
                served.change(change).await;
                served.wait_for_executions(number * listeners).await;
            }
            let mut text = String::new();
            for (place, condition) in CONDITIONS.iter().enumerate() {
                let events = received(&literal[place]);
                let _ = writeln!(text, "{condition}\n  {events}");
                assert_eq!(received(&variable[place]), events, "{condition}");
            }
            all.borrow_mut().push(text);
        }
    });
    let all = all.into_inner();
    expect![[r#"
        {}
          C:a U:b U:b U:b U:b C:c D:-
        { mutation_in: [CREATED] }
          C:a C:c
        { mutation_in: DELETED }
          D:-
        { mutation_in: [UPDATED, DELETED] }
          U:b U:b U:b U:b D:-
        { mutation_in: [] }
          nothing
        { mutation_in: null }
          C:a U:b U:b U:b U:b C:c D:-
        { updatedFields_contains: "text" }
          U:b
        { updatedFields_contains: "tags" }
          U:b
        { updatedFields_contains: "nothing" }
          nothing
        { updatedFields_contains_every: ["important", "weight"] }
          U:b
        { updatedFields_contains_every: ["important", "text"] }
          nothing
        { updatedFields_contains_some: ["important", "text"] }
          U:b U:b
        { updatedFields_contains_some: [] }
          nothing
        { node: { text: "b" } }
          U:b U:b U:b U:b D:-
        { node: { text_in: ["a", "c"] } }
          C:a C:c D:-
        { node: { owner: { name: "ann" } } }
          C:a U:b U:b U:b D:-
        { node: { owner: null } }
          U:b C:c D:-
        { node: { important_not: null } }
          U:b U:b U:b D:-
        { node: { text: "b" }, mutation_in: [UPDATED] }
          U:b U:b U:b U:b
        { AND: [{ mutation_in: [UPDATED] }, { updatedFields_contains: "text" }] }
          U:b
        { AND: [] }
          C:a U:b U:b U:b U:b C:c D:-
        { OR: [{ mutation_in: [DELETED] }, { node: { text: "c" } }] }
          C:c D:-
        { OR: [{ mutation_in: [CREATED], node: { text: "a" } }, { updatedFields_contains: "tags" }] }
          C:a U:b
        { OR: [] }
          nothing
        { NOT: [{ mutation_in: [UPDATED] }] }
          C:a C:c D:-
        { NOT: [{ mutation_in: [CREATED] }, { node: { text: "b" } }] }
          D:-
        { NOT: { node: { text: "b" } } }
          C:a C:c D:-
    "#]].assert_eq(&all[0]);
    assert_eq!(all.last(), all.first());
}

#[test]
fn parts_of_conditions_may_be_variables() {
    on_each(|address| async move {
        let served = serve(&address).await;
        let query = "subscription ($kinds: [MutationType!], $kind: MutationType!, $text: String, \
             $set: String) { todo(where: { OR: [{ mutation_in: $kinds }, { mutation_in: [$kind], \
             updatedFields_contains: $set, node: { text: $text } }] }) { mutation node { text } } }";
        let listen = |variables| {
            let request = Request { query: query.to_owned(), variables, ..Request::default() };
            served.begin(&request)
        };
        let object = |value| match value {
            serde_json_bytes::Value::Object(members) => members,
            _ => panic!("no object"),
        };
        let set = json!({ "kinds": ["DELETED"], "kind": "UPDATED", "set": "text", "text": "b" });
        let updated = listen(object(set));
        let new = json!({ "kinds": [], "kind": "CREATED" });
        let created = listen(object(new));
        served.change(r#"createUser(data: { name: "ann" }) { id }"#).await;
        for (number, change) in (1..).zip(CHANGES) {
            served.change(change).await;
            served.wait_for_executions(number * 2).await;
        }
        assert_eq!(received(&updated), "U:b D:-");
        // A variable that is not given is no condition, but null is one on the row.
        assert_eq!(received(&created), "C:a C:c");
    });
}
