//! Random changes of tables with row level security, and of those that policies and views read:
//! whatever happens, each subscription ends at the true state, and none has received a row that its
//! session may not read.

use std::rc::Rc;
use std::time::Duration;

use engine::live::{FeedKind, Responses};
use engine::{Allowed, Caller, Delivery, Report, SourceAddress, Worker};
use serde_json::{Value, json};
use testkit::random::Random;
use tokio::time::{Instant, sleep, timeout};

use crate::dgraph::{on_each, run_sql};
use crate::live::{executions, request, subscribe};
use crate::live_batches::{begin, with_number};
use crate::live_exact::install_triggers;
use crate::live_postgraphile::{is_postgres, live, open_tables, singer};

/// Policies read columns that no subscription reads, and a table that the API does not have.
const TABLES: &str = "
    DO $$ BEGIN CREATE ROLE live_singer; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
    CREATE SCHEMA hidden;
    CREATE TABLE hidden.pass (name TEXT PRIMARY KEY, level INT NOT NULL, remark TEXT);
    CREATE TABLE folder (id INT PRIMARY KEY, title TEXT);
    CREATE TABLE note (
        id INT PRIMARY KEY, owner TEXT, size INT, locked BOOLEAN NOT NULL DEFAULT false,
        secret INT NOT NULL DEFAULT 0, folder INT REFERENCES folder, remark TEXT
    );
    CREATE TABLE part (id INT, year INT, size INT, remark TEXT, PRIMARY KEY (id, year))
        PARTITION BY LIST (year);
    CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
    CREATE TABLE part_2 PARTITION OF part FOR VALUES IN (2);
    CREATE VIEW hidden.open AS SELECT id, folder, size, owner FROM note WHERE NOT locked;
    CREATE VIEW total AS
        SELECT folder.id AS folder, title, count(open.id)::int AS notes, sum(size)::int AS size
        FROM folder LEFT JOIN hidden.open ON open.folder = folder.id
            AND EXISTS (SELECT FROM hidden.pass WHERE name = open.owner)
        GROUP BY folder.id;
    ALTER TABLE note REPLICA IDENTITY FULL;
    ALTER TABLE folder REPLICA IDENTITY FULL;
    ALTER TABLE hidden.pass REPLICA IDENTITY FULL;
    ALTER TABLE part_1 REPLICA IDENTITY FULL;
    INSERT INTO folder SELECT n, 'f' || n FROM generate_series(1, 4) AS n;
    INSERT INTO hidden.pass SELECT name, 2 FROM unnest('{ann,bob,eve}'::text[]) AS name;
    GRANT USAGE ON SCHEMA hidden TO live_singer;
    GRANT SELECT ON folder, note, part, total, hidden.pass TO live_singer;
    ALTER TABLE note ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON note TO live_singer
        USING (owner = current_setting('jwt.claims.name', true) AND NOT locked
            AND EXISTS (SELECT FROM hidden.pass WHERE name = owner AND level > secret));
";

const USERS: [&str; 3] = ["ann", "bob", "eve"];
const ROUNDS: usize = 160;
const SUBSCRIBERS: usize = 32;

/// Longer than any change takes to arrive, also after changed definitions.
const LONG: Duration = Duration::from_secs(60);

/// The subscriptions; `%` is a random number.
const QUERIES: [&str; 6] = [
    "allNotes(orderBy: ID_ASC) { nodes { owner size } }",
    "allNotes(condition: {size: %}) { totalCount nodes { owner } }",
    "noteById(id: %) { owner size }",
    "folderById(id: %) { title notesByFolder(orderBy: ID_ASC) { totalCount nodes { owner size } } }",
    "allTotals(orderBy: FOLDER_ASC) { nodes { folder title notes size } }",
    "allParts(condition: {size: %}, orderBy: ID_ASC) { nodes { id size } }",
];

struct Subscriber {
    user: &'static str,
    query: String,
    live: Responses,
    last: Option<Value>,
}

impl Subscriber {
    fn new(workers: &[Rc<Worker>], random: &mut Random) -> Self {
        let worker = random.one_of(workers);
        let user = *random.one_of(&USERS);
        let (form, number) = (random.one_of(&QUERIES), 1 + random.below(4));
        let query = form.replace('%', &number.to_string());
        let live = match random.below(2) {
            0 => subscribe(worker, &format!("subscription {{ {query} }}"), &singer(user)),
            // Of one plan with others.
            _ => begin(worker, &with_number(form, number), &singer(user)),
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

/// A random change of rows; `next` is the next free id.
fn change(random: &mut Random, next: &mut usize) -> String {
    let owner = *random.one_of(&USERS);
    let (size, folder) = (random.below(6), 1 + random.below(4));
    let some = format!("id % 5 = {}", random.below(5));
    *next += 1;
    match random.below(16) {
        0..=2 => format!(
            "INSERT INTO note (id, owner, size, folder) VALUES ({next}, '{owner}', {size}, {folder})"
        ),
        3 => format!("UPDATE note SET size = {size} WHERE {some}"),
        4 => format!("UPDATE note SET owner = '{owner}' WHERE {some}"),
        5 => format!("UPDATE note SET locked = NOT locked WHERE {some}"),
        6 => format!("UPDATE note SET secret = {} WHERE {some}", random.below(4)),
        7 => format!("UPDATE note SET folder = {folder} WHERE {some}"),
        8 => format!("DELETE FROM note WHERE {some} AND size = {size}"),
        9 => format!("UPDATE hidden.pass SET level = {} WHERE name = '{owner}'", random.below(4)),
        10 => format!("DELETE FROM hidden.pass WHERE name = '{owner}'"),
        11 => format!("INSERT INTO hidden.pass VALUES ('{owner}', 2) ON CONFLICT DO NOTHING"),
        12 => format!("UPDATE folder SET title = 't{size}' WHERE id = {folder}"),
        13 => format!("INSERT INTO part VALUES ({next}, {}, {size})", 1 + random.below(2)),
        14 => format!("UPDATE part SET size = {size}, year = 3 - year WHERE {some}"),
        _ => match random.below(3) {
            0 => "TRUNCATE part_1".to_owned(),
            1 => format!("DELETE FROM part_2 WHERE {some}"),
            _ => "UPDATE note SET id = id + 1000 WHERE id < 3".to_owned(),
        },
    }
}

/// A random change of permissions and definitions.
fn definition(random: &mut Random) -> &'static str {
    const DEFINITIONS: [&str; 7] = [
        "ALTER POLICY own ON note USING (owner = current_setting('jwt.claims.name', true))",
        "ALTER POLICY own ON note USING (owner = current_setting('jwt.claims.name', true)
            AND remark IS NULL AND EXISTS (SELECT FROM hidden.pass WHERE name = owner))",
        "UPDATE note SET remark = 'r' WHERE id % 3 = 0",
        "REVOKE SELECT ON part FROM live_singer",
        "GRANT SELECT ON part TO live_singer",
        "CREATE OR REPLACE VIEW hidden.open AS SELECT id, folder, size, owner FROM note WHERE size > 2",
        "CREATE OR REPLACE VIEW hidden.open AS SELECT id, folder, size, owner FROM note",
    ];
    let definition: &&str = random.one_of(&DEFINITIONS);
    definition
}

/// The truth: the same as a query.
async fn truth(worker: &Worker, subscriber: &Subscriber) -> Value {
    let query = request(&format!("{{ {} }}", subscriber.query));
    let (caller, whole): (Caller, _) = (singer(subscriber.user), Delivery::Whole);
    let mut report = Report::default();
    let answered = worker.deliver_for(&query, &caller, Allowed::All, whole, &mut report).await;
    serde_json::from_slice(&answered.body).unwrap()
}

/// Checks with this number of servers, each of which has some of the subscribers.
async fn check(address: SourceAddress, kind: FeedKind, servers: usize) {
    if !is_postgres(&address) {
        return;
    }
    let mut workers = vec![open_tables(&address, live(), kind, TABLES).await];
    while workers.len() < servers {
        workers.push(open_tables(&address, live(), kind, "SELECT 1").await);
    }
    if kind == FeedKind::Triggers {
        install_triggers(&address).await;
    }
    let mut random = Random::new(11);
    let mut next = 0;
    let mut subscribers: Vec<Subscriber> =
        (0..SUBSCRIBERS).map(|_| Subscriber::new(&workers, &mut random)).collect();
    // Later than that the feed reports each change.
    for worker in &workers {
        while executions(worker, &address, "SELECT txid_current()").await > 0 {}
    }
    for round in 0..ROUNDS {
        run_sql(&address, &change(&mut random, &mut next)).await;
        if round > ROUNDS * 7 / 8 {
            run_sql(&address, definition(&mut random)).await;
        }
        if random.below(4) == 0 {
            let place = random.below(SUBSCRIBERS);
            subscribers[place] = Subscriber::new(&workers, &mut random);
        }
        // After each change: the next one may execute what this one should have.
        settle(&workers[0], &mut subscribers).await;
    }
}

/// Waits until each subscription has the true state.
async fn settle(asking: &Worker, subscribers: &mut [Subscriber]) {
    let deadline = Instant::now() + LONG;
    for subscriber in subscribers {
        loop {
            subscriber.read(Duration::from_millis(1)).await;
            let truth = truth(asking, subscriber).await;
            // Errors have an id each.
            let is_equal = |last: &Value| {
                last["data"] == truth["data"]
                    && last["errors"].is_null() == truth["errors"].is_null()
            };
            if subscriber.last.as_ref().is_some_and(is_equal) {
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
fn subscriptions_under_policies_end_at_the_true_state() {
    on_each(|address| check(address, FeedKind::Stream, 1));
}

#[test]
fn subscriptions_by_triggers_end_at_the_true_state() {
    on_each(|address| check(address, FeedKind::Triggers, 1));
}

#[test]
fn subscriptions_of_several_servers_end_at_the_true_state() {
    for kind in [FeedKind::Stream, FeedKind::Triggers] {
        on_each(|address| check(address, kind, 2));
    }
}
