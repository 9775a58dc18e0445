//! Random changes, lost connections and subscribers that come and go: whatever happens, each
//! subscription ends at the true state, and none has received a row that its session may not read.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use engine::live::{FeedKind, Responses};
use engine::{Allowed, Caller, Delivery, Engine, Report, Session, SourceAddress, Worker};
use serde_json::{Value, json};
use source::Claims;
use testkit::random::Random;
use tokio::time::{Instant, sleep, timeout};

use crate::dgraph::{migrate, on_each, options, run_sql};
use crate::live::{execute, request, subscribe};
use crate::live_batches::{begin, with_number};

const TYPES: &str = r#"
    type Note @withSubscription
        @auth(query: { rule: "query($USER: String!) { queryNote(filter: {owner: {eq: $USER}}) { id } }" }) {
        id: ID!
        owner: String! @search(by: [hash])
        size: Int @search
        inside: Folder
    }
    type Folder @withSubscription { id: ID!  title: String!  notes: [Note] @hasInverse(field: inside) }
"#;

const USERS: [&str; 3] = ["ann", "bob", "eve"];
const FOLDERS: usize = 4;
const ROUNDS: usize = 60;
const SUBSCRIBERS: usize = 40;

/// Longer than any change takes to arrive, also after lost connections.
const LONG: Duration = Duration::from_secs(60);

/// The subscriptions; `%` is a random number.
const QUERIES: [&str; 5] = [
    "queryNote(order: {asc: size, then: {asc: owner}}) { owner size inside { title } }",
    "queryNote(filter: {size: {gt: %}}) { owner size }",
    "getFolder(id: \"0x%\") { title notes(order: {asc: size}) { owner size } }",
    "aggregateNote(filter: {size: {le: %}}) { count sizeMax }",
    "queryFolder(order: {asc: title}) { title notesAggregate { count sizeMin } }",
];

struct Subscriber {
    user: &'static str,
    query: String,
    live: Responses,
    last: Option<Value>,
}

fn caller(user: &str) -> Caller {
    let claims = Claims::new(serde_json_bytes::json!({ "USER": user }));
    Caller {
        session: Session { claims: Some(Arc::new(claims)), settings: None },
        ..Caller::default()
    }
}

impl Subscriber {
    fn new(workers: &[Rc<Worker>], random: &mut Random) -> Self {
        let worker = random.one_of(workers);
        let user = *random.one_of(&USERS);
        let (form, number) = (random.one_of(&QUERIES), 1 + random.below(FOLDERS));
        let query = form.replace('%', &number.to_string());
        let live = match random.below(2) {
            0 => subscribe(worker, &format!("subscription {{ {query} }}"), &caller(user)),
            // Of one plan with others.
            _ => begin(worker, &with_number(form, number), &caller(user)),
        };
        Self { user, query, live, last: None }
    }

    /// Reads what has come, and checks that the rows are those of the session.
    async fn read(&mut self, patience: Duration) {
        while let Ok(response) = timeout(patience, self.live.next()).await {
            let response: Value = serde_json::from_slice(&response.unwrap()).unwrap();
            check_owners(&response, self.user);
            self.last = Some(response);
        }
    }
}

fn check_owners(value: &Value, user: &str) {
    match value {
        Value::Object(members) => {
            if let Some(owner) = members.get("owner") {
                assert_eq!(owner, user, "{value}");
            }
            members.values().for_each(|value| check_owners(value, user));
        }
        Value::Array(values) => values.iter().for_each(|value| check_owners(value, user)),
        _ => {}
    }
}

/// A random change as SQL; `next` is the next free id.
fn change(random: &mut Random, next: &mut usize) -> String {
    let owner = *random.one_of(&USERS);
    let (size, folder) = (random.below(8), 1 + random.below(FOLDERS));
    let some = format!("id % 5 = {}", random.below(5));
    match random.below(6) {
        0 | 1 => {
            // Mutations take ids after the last one.
            *next += 1_000;
            format!(
                "INSERT INTO \"Note\" (id, owner, size, inside) VALUES ({next}, '{owner}', {size}, {folder})"
            )
        }
        2 => format!("UPDATE \"Note\" SET size = {size} WHERE {some}"),
        3 => format!("UPDATE \"Note\" SET owner = '{owner}' WHERE {some}"),
        4 => format!("UPDATE \"Note\" SET inside = {folder} WHERE {some}"),
        _ => format!("DELETE FROM \"Note\" WHERE {some} AND size = {size}"),
    }
}

/// A random change as a mutation.
fn mutation(random: &mut Random) -> String {
    let owner = *random.one_of(&USERS);
    let (size, other) = (random.below(8), random.below(8));
    let folder = 1 + random.below(FOLDERS);
    match random.below(5) {
        0 | 1 => format!(
            "addNote(input: [{{owner: \"{owner}\", size: {size}, inside: {{id: \"0x{folder}\"}}}}]) {{ numUids }}"
        ),
        2 => format!(
            "updateNote(input: {{filter: {{size: {{eq: {size}}}}}, set: {{size: {other}}}}}) {{ numUids }}"
        ),
        3 => format!(
            "updateNote(input: {{filter: {{size: {{eq: {size}}}}}, set: {{owner: \"{owner}\"}}}}) {{ numUids }}"
        ),
        _ => format!("deleteNote(filter: {{size: {{eq: {size}}}}}) {{ numUids }}"),
    }
}

/// Changes the database by a mutation of a random user.
async fn mutate(worker: &Worker, random: &mut Random) {
    let mutation = request(&format!("mutation {{ {} }}", mutation(random)));
    let user = *random.one_of(&USERS);
    let (caller, whole) = (caller(user), Delivery::Whole);
    let mut report = Report::default();
    // It may have lost its connection.
    worker.deliver_for(&mutation, &caller, Allowed::All, whole, &mut report).await;
}

/// The truth: the same as a query.
async fn truth(worker: &Worker, subscriber: &Subscriber) -> Value {
    let query = request(&format!("{{ {} }}", subscriber.query));
    let (caller, whole) = (caller(subscriber.user), Delivery::Whole);
    let mut report = Report::default();
    let answered = worker.deliver_for(&query, &caller, Allowed::All, whole, &mut report).await;
    serde_json::from_slice(&answered.body).unwrap()
}

/// Checks with this number of servers, each of which has some of the subscribers.
async fn check(address: SourceAddress, kind: FeedKind, servers: usize) {
    let mut options = options(migrate(&address, TYPES).await, false);
    options.live.kind = kind;
    options.live.interval = Duration::from_millis(200);
    let engine = Engine::open(&address, &options).await.unwrap();
    let mut workers = vec![Rc::new(Worker::new(Arc::clone(&engine)))];
    while workers.len() < servers {
        let other = Engine::open(&address, &options).await.unwrap();
        workers.push(Rc::new(Worker::new(other)));
    }
    // It is not hit by the lost connections of the subscriptions.
    let asking = Worker::new(engine);
    let folders: Vec<String> = (1..=FOLDERS).map(|id| format!("{{title: \"f{id}\"}}")).collect();
    let add =
        format!("mutation {{ addFolder(input: [{}]) {{ folder {{ id }} }} }}", folders.join(", "));
    let added = execute(&asking, &add).await;
    assert_eq!(added["data"]["addFolder"]["folder"][FOLDERS - 1]["id"], "0x4");
    let mut random = Random::new(7);
    let mut next = 0;
    let mut subscribers: Vec<Subscriber> =
        (0..SUBSCRIBERS).map(|_| Subscriber::new(&workers, &mut random)).collect();
    for round in 0..ROUNDS {
        for _ in 0..1 + random.below(4) {
            match random.below(2) {
                0 => run_sql(&address, &change(&mut random, &mut next)).await,
                _ => mutate(&asking, &mut random).await,
            }
        }
        let place = random.below(SUBSCRIBERS);
        match random.below(4) {
            0 => subscribers[place] = Subscriber::new(&workers, &mut random),
            1 if matches!(address, SourceAddress::Postgres(_)) => {
                let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()";
                run_sql(&address, kill).await;
            }
            2 if servers > 1 => {
                let kill = "SELECT pg_terminate_backend(pid) FROM pg_locks
                    WHERE locktype = 'advisory' AND objid::int8 = 1 AND database =
                        (SELECT oid FROM pg_database WHERE datname = current_database())";
                run_sql(&address, kill).await;
            }
            _ => {}
        }
        for subscriber in &mut subscribers {
            subscriber.read(Duration::ZERO).await;
        }
        if round % 10 == 9 {
            settle(&asking, &mut subscribers).await;
        }
    }
}

/// Waits until each subscription has the true state.
async fn settle(asking: &Worker, subscribers: &mut [Subscriber]) {
    let deadline = Instant::now() + LONG;
    for subscriber in subscribers {
        loop {
            subscriber.read(Duration::from_millis(1)).await;
            let truth = truth(asking, subscriber).await;
            if truth.get("errors").is_none() && subscriber.last.as_ref() == Some(&truth) {
                break;
            }
            let Subscriber { user, query, last, .. } = subscriber;
            let state = json!({ "user": user, "query": query, "last": last, "truth": truth });
            assert!(Instant::now() < deadline, "{state}");
            sleep(Duration::from_millis(20)).await;
        }
    }
}

#[test]
fn each_subscription_ends_at_the_true_state() {
    for kind in [FeedKind::Stream, FeedKind::Probe] {
        on_each(|address| check(address, kind, 1));
    }
}

#[test]
fn each_subscription_of_several_servers_ends_at_the_true_state() {
    on_each(|address| async move {
        if matches!(address, SourceAddress::Postgres(_)) {
            check(address, FeedKind::Stream, 3).await;
        }
    });
}
