//! Several servers of one PostgreSQL database, of which one reads the changes: whatever ends while
//! rows change, each live query ends at the true state, and nothing is left in the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::postgres::query;
use testkit::random::Random;

use super::site::{Client, Site, TRANSPORT, subscribe};
use crate::databases::{Database, restartable};
use crate::program::{Folder, PATIENCE, Server};
use testkit::postgres::Stop;

const TABLES: &str = "
    CREATE TABLE note (id int PRIMARY KEY, owner text, size int);
    CREATE TABLE other (id int PRIMARY KEY);
    INSERT INTO note SELECT n, (ARRAY['ann', 'bob'])[1 + n % 2], n FROM generate_series(1, 20) AS n;";

const QUERIES: [&str; 3] = [
    "allNotes(orderBy: ID_ASC) { nodes { id owner size } }",
    "allNotes(orderBy: ID_ASC, condition: {owner: \"ann\"}) { totalCount nodes { id } }",
    "noteById(id: 7) { owner size }",
];

const SERVERS: usize = 3;

/// The server whose session has the lock of the leader.
const LEADER: &str = "
    SELECT act.application_name FROM pg_locks AS lck JOIN pg_stat_activity AS act USING (pid)
    WHERE lck.locktype = 'advisory' AND lck.classid::int8 = 1953265511 AND lck.objid::int8 = 1
      AND lck.granted AND act.datname = current_database()";

const LOCKS: &str = "
    SELECT count(*) FROM pg_locks AS lck JOIN pg_database AS dat ON dat.oid = lck.database
    WHERE lck.locktype = 'advisory' AND dat.datname = current_database()";

const SLOTS: &str = "SELECT count(*) FROM pg_replication_slots WHERE database = current_database()";

/// A server with its clients.
struct Group {
    name: String,
    site: Site,
    subscribers: Vec<Subscriber>,
}

struct Subscriber {
    query: &'static str,
    client: Client,
    last: Option<Value>,
}

/// Changes rows until it is dropped.
struct Writer {
    stops: Arc<AtomicBool>,
    task: Option<JoinHandle<()>>,
}

impl Group {
    /// Its sessions have the name.
    fn start(url: &str, name: String) -> Self {
        let url =
            format!("{url}{}application_name={name}", if url.contains('?') { '&' } else { '?' });
        let words = ["serve", &url, "--live", "--threads", "1", "--listen", "127.0.0.1:0"];
        // A server that was stopped does not miss the answers to its pings.
        let words = [&words[..], &["--ping-interval", "2m"]].concat();
        let site = Site { server: Server::start(&words), folder: Folder::new() };
        let mut group = Self { name, site, subscribers: Vec::new() };
        group.subscribers = QUERIES.map(|query| group.subscriber(query)).into();
        group
    }

    fn subscriber(&self, query: &'static str) -> Subscriber {
        let mut client = self.site.connect(TRANSPORT);
        client.send(&subscribe("1", &format!("subscription {{ {query} }}")));
        Subscriber { query, client, last: None }
    }

    fn truth(&self, query: &str) -> Value {
        serde_json::from_str(&self.site.server.query("", &format!("{{ {query} }}")).body).unwrap()
    }

    /// Waits until each subscription has the true state.
    fn settle(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        for place in 0..self.subscribers.len() {
            loop {
                let truth = self.truth(self.subscribers[place].query);
                let Subscriber { last, query, .. } = self.subscribers[place].read();
                if truth.get("errors").is_none() && last.as_ref() == Some(&truth) {
                    break;
                }
                let state = json!({ "query": query, "last": last, "truth": truth });
                assert!(Instant::now() < deadline, "{}: {state}", self.name);
                thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

impl Subscriber {
    fn read(&mut self) -> &Self {
        while let Some(message) = self.client.receive_within(Duration::from_millis(1)) {
            assert_eq!(message["type"], "next", "{message}");
            self.last = Some(message["payload"].clone());
        }
        self
    }
}

impl Writer {
    fn start(url: &str) -> Self {
        let (url, stops) = (url.to_owned(), Arc::<AtomicBool>::default());
        let task = thread::spawn({
            let stops = Arc::clone(&stops);
            move || {
                let mut random = Random::new(11);
                while !stops.load(Ordering::Relaxed) {
                    // The database may be away.
                    drop(query(&url, &change(&mut random)));
                    thread::sleep(Duration::from_millis(10));
                }
            }
        });
        Self { stops, task: Some(task) }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::Relaxed);
        if let Some(task) = self.task.take() {
            drop(task.join());
        }
    }
}

fn change(random: &mut Random) -> String {
    let (id, owner) = (1 + random.below(40), *random.one_of(&["ann", "bob"]));
    match random.below(5) {
        0 => format!("INSERT INTO note VALUES ({id}, '{owner}', 0) ON CONFLICT DO NOTHING"),
        1 => format!("DELETE FROM note WHERE id = {id} AND id <> 7"),
        2 => format!("UPDATE note SET owner = '{owner}' WHERE id % 7 = {}", id % 7),
        3 => format!("INSERT INTO other VALUES ({id}) ON CONFLICT DO NOTHING"),
        _ => format!("UPDATE note SET size = size + 1 WHERE id = {id}"),
    }
}

fn number(url: &str, sql: &str) -> u64 {
    query(url, sql).unwrap()[0][0].as_deref().unwrap().parse().unwrap()
}

fn happens(mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "it does not happen");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The leader, once there is one.
fn leader(url: &str) -> String {
    let mut found = None;
    happens(|| {
        found = query(url, LEADER).unwrap().into_iter().flatten().next().flatten();
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn live_queries_end_at_the_true_state_whichever_server_is_killed() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let url = database.url();
    let mut started = 0;
    let mut start = || {
        started += 1;
        Group::start(&url, format!("server{started}"))
    };
    let mut groups: Vec<Group> = (0..SERVERS).map(|_| start()).collect();
    for kill in 0..24 {
        let writer = Writer::start(&url);
        let name = leader(&url);
        let place = groups.iter().position(|group| group.name == name).unwrap();
        // While it begins, works, and after the others have found their parts.
        thread::sleep(Duration::from_millis(40 * (kill % 12)));
        let killed = groups.remove(place);
        drop(killed);
        for group in &mut groups {
            let place = usize::try_from(kill).unwrap() % QUERIES.len();
            group.subscribers[place] = group.subscriber(QUERIES[place]);
            for subscriber in &mut group.subscribers {
                subscriber.read();
            }
        }
        groups.push(start());
        drop(writer);
        groups.iter_mut().for_each(Group::settle);
    }
    // One stream for all.
    happens(|| number(&url, SLOTS) == 1 && number(&url, LOCKS) == SERVERS as u64);
    drop(groups);
    happens(|| number(&url, SLOTS) == 0 && number(&url, LOCKS) == 0);
}

#[test]
fn live_queries_continue_while_the_leader_is_stopped() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let url = database.url();
    let mut groups = [1, 2].map(|number| Group::start(&url, format!("server{number}")));
    groups.iter_mut().for_each(Group::settle);
    happens(|| number(&url, SLOTS) == 1 && number(&url, LOCKS) == 2);
    let name = leader(&url);
    groups.sort_by_key(|group| group.name != name);
    let [first, second] = &mut groups;
    first.site.server.signal("STOP");
    let writer = Writer::start(&url);
    happens(|| leader(&url) == second.name);
    drop(writer);
    second.settle();
    first.site.server.signal("CONT");
    first.settle();
    happens(|| number(&url, SLOTS) == 1 && number(&url, LOCKS) == 2);
    database.execute("UPDATE note SET size = -1");
    groups.iter_mut().for_each(Group::settle);
}

#[test]
fn live_queries_end_at_the_true_state_after_restarts_of_the_database() {
    let Some(mut postgres) = restartable() else { return };
    postgres.server.execute("postgres", TABLES).unwrap();
    // Test servers do not wait for the disk: without this the tables might not outlive a kill.
    postgres.server.execute("postgres", "CHECKPOINT").unwrap();
    let url = postgres.server.url("postgres");
    let mut groups = [1, 2].map(|number| Group::start(&url, format!("server{number}")));
    groups.iter_mut().for_each(Group::settle);
    let writer = Writer::start(&url);
    for stop in 0..10 {
        thread::sleep(Duration::from_millis(100 * (stop % 4)));
        postgres.stop_by(Stop::Immediate).unwrap();
        let place = usize::try_from(stop).unwrap() % QUERIES.len();
        for group in &mut groups {
            group.subscribers[place] = group.subscriber(QUERIES[place]);
        }
        postgres.start_again().unwrap();
    }
    drop(writer);
    groups.iter_mut().for_each(Group::settle);
}
