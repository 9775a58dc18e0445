//! Several servers of one PostgreSQL database: one reads the changes, and relays them to the others.

use std::rc::Rc;
use std::time::Duration;

use engine::live::{FeedKind, Relay, Responses, RunningFeed};
use engine::{Caller, Engine, SourceAddress, Worker};
use futures_util::future::poll_fn;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};
use tokio_postgres::{AsyncMessage, Client, NoTls};

use crate::dgraph::{migrate, on_each, options, run_sql};
use crate::live::{assert_silent, execute, next, subscribe};
use crate::live_exact::{SONGS, rows};
use crate::live_postgraphile::{live, open_tables, singer};

const TYPES: &str = r#"
    type Player @withSubscription { id: ID!  name: String! }
    type Team @withSubscription { id: ID!  name: String! }
"#;

pub(crate) const PLAYERS: &str = "subscription { queryPlayer(order: {asc: name}) { name } }";

/// The lock of the leader, and those of followers.
const LEADERS: i32 = 1;
const FOLLOWERS: i32 = 2;
const LOCK: i32 = 1_953_265_511;

/// Longer than servers need to find their parts, also after several lost streams: the pauses before
/// the next one grow, and it waits for the transactions that run in all databases of the server.
const PATIENCE: Duration = Duration::from_secs(180);

async fn open(address: &SourceAddress) -> Rc<Worker> {
    open_relaying(address, Relay::Notify).await
}

/// Opens an engine that shares the stream of changes by these means.
pub(crate) async fn open_relaying(address: &SourceAddress, relay: Relay) -> Rc<Worker> {
    let mut options = options(migrate(address, TYPES).await, false);
    options.live.kind = FeedKind::Stream;
    options.live.relay = relay;
    let engine = Engine::open(address, &options).await.unwrap();
    Rc::new(Worker::new(engine).within(PATIENCE))
}

/// Connects, as another role if one is named, and receives notifications.
pub(crate) async fn connect(url: &str, role: Option<&str>) -> (Client, UnboundedReceiver<String>) {
    let mut config: tokio_postgres::Config = url.parse().unwrap();
    if let Some(role) = role {
        config.user(role);
    }
    let (client, mut connection) = config.connect(NoTls).await.unwrap();
    let (sender, received) = unbounded_channel();
    spawn_local(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(notification) = message {
                let _ = sender.send(notification.payload().to_owned());
            }
        }
    });
    (client, received)
}

/// Creates a role that only this database has.
async fn create_role(client: &Client) -> String {
    let name = client.query_one("SELECT current_database() || '_other'", &[]).await.unwrap();
    let name: String = name.get(0);
    client.batch_execute(&format!("CREATE ROLE {name} LOGIN")).await.unwrap();
    name
}

/// The sessions with a lock.
async fn holders(client: &Client, object: i32) -> Vec<i32> {
    let query = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid::int8 = $1 AND objid::int8 = $2
        AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let rows = client.query(query, &[&i64::from(LOCK), &i64::from(object)]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

async fn slots(client: &Client) -> i64 {
    let query =
        "SELECT count(*) FROM pg_replication_slots WHERE database = current_database() AND active";
    client.query_one(query, &[]).await.unwrap().get(0)
}

/// Waits until there are a leader and followers, and all executions have ended.
pub(crate) async fn settle(client: &Client, workers: &[&Rc<Worker>], followers: usize) {
    let settled = async {
        while holders(client, FOLLOWERS).await.len() != followers || slots(client).await != 1 {
            sleep(Duration::from_millis(20)).await;
        }
        loop {
            let before = executions(workers);
            // Longer than an engine waits for the end of another one of its process.
            sleep(Duration::from_millis(1_500)).await;
            if executions(workers) == before {
                break;
            }
        }
    };
    timeout(PATIENCE, settled).await.expect("the servers have no parts");
}

pub(crate) fn executions(workers: &[&Rc<Worker>]) -> Vec<u64> {
    workers.iter().map(|worker| worker.engine().live_counts().executions).collect()
}

pub(crate) fn players(names: &[&str]) -> Value {
    let players: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    json!({ "data": { "queryPlayer": players } })
}

/// Reads until the response is this one.
pub(crate) async fn read_until(responses: &mut Responses, expected: &Value) {
    while next(responses).await != *expected {}
}

pub(crate) fn on_postgres<F: Future<Output = ()>>(test: impl Fn(SourceAddress, String) -> F) {
    on_each(|address| {
        let run = match &address {
            SourceAddress::Postgres(url) => Some(test(address.clone(), url.clone())),
            SourceAddress::Sqlite(_) | SourceAddress::Neo4j(_) => None,
        };
        async move {
            if let Some(run) = run {
                run.await;
            }
        }
    });
}

#[test]
fn one_server_reads_the_changes_for_all() {
    on_postgres(|address, url| async move {
        let (client, _) = connect(&url, None).await;
        let [first, second, third] =
            [open(&address).await, open(&address).await, open(&address).await];
        let workers = [&first, &second, &third];
        let add = "mutation { addPlayer(input: [{name: \"a\"}, {name: \"b\"}]) { numUids } }";
        execute(&first, add).await;
        let row =
            client.query_one("SELECT id FROM \"Player\" WHERE name = 'a'", &[]).await.unwrap();
        let id: i64 = row.get(0);
        let one = format!("subscription {{ getPlayer(id: \"0x{id:x}\") {{ name }} }}");
        let mut all: Vec<Responses> =
            workers.iter().map(|worker| subscribe(worker, PLAYERS, &Caller::default())).collect();
        let mut ones: Vec<Responses> =
            workers.iter().map(|worker| subscribe(worker, &one, &Caller::default())).collect();
        for (all, one) in all.iter_mut().zip(&mut ones) {
            assert_eq!(next(all).await, players(&["a", "b"]));
            assert_eq!(next(one).await, json!({ "data": { "getPlayer": { "name": "a" } } }));
        }
        settle(&client, &workers, 2).await;
        assert_eq!(holders(&client, LEADERS).await.len(), 1);
        let has_feed =
            |feed| workers.map(|worker| worker.engine().live_counts().feed == Some(feed));
        let count = |feed| has_feed(feed).into_iter().filter(|has_feed| *has_feed).count();
        assert_eq!((count(RunningFeed::Stream), count(RunningFeed::Relayed)), (1, 2));
        // Each server executes what reads the row.
        let before = executions(&workers);
        run_sql(&address, "UPDATE \"Player\" SET name = 'c' WHERE name = 'b'").await;
        for all in &mut all {
            assert_eq!(next(all).await, players(&["a", "c"]));
        }
        run_sql(&address, "INSERT INTO \"Team\" (id, name) VALUES (900, 't')").await;
        for one in &mut ones {
            assert_silent(one).await;
        }
        let after: Vec<u64> = before.iter().map(|before| before + 1).collect();
        assert_eq!(executions(&workers), after);
        // Many rows at a time have several messages.
        run_sql(
            &address,
            "UPDATE \"Player\" SET name = 'x' WHERE name = 'a';
             INSERT INTO \"Player\" (id, name) SELECT 1000 + n, repeat('y', 100) FROM generate_series(1, 500) AS n;
             DELETE FROM \"Player\" WHERE id > 1000",
        )
        .await;
        for (all, one) in all.iter_mut().zip(&mut ones) {
            read_until(all, &players(&["c", "x"])).await;
            assert_eq!(next(one).await, json!({ "data": { "getPlayer": { "name": "x" } } }));
        }
        // The other two have a leader when the first one is gone.
        drop((all, ones));
        while holders(&client, LEADERS).await.len() + holders(&client, FOLLOWERS).await.len() > 0 {
            sleep(Duration::from_millis(20)).await;
        }
    });
}

/// The tables of the second server are not those of the first one.
#[test]
fn a_follower_knows_row_security_and_tables_of_its_own() {
    const LATER: &str = "
        CREATE TABLE later (id INT PRIMARY KEY, title TEXT, more TEXT);
        ALTER TABLE later REPLICA IDENTITY FULL;
        CREATE VIEW loud AS SELECT id, upper(title) AS title FROM later;
    ";
    on_postgres(|address, url| async move {
        let (client, _) = connect(&url, None).await;
        let songs = "subscription { allSongs(orderBy: ID_ASC) { nodes { title } } }";
        let first = open_tables(&address, live(), FeedKind::Stream, SONGS).await;
        let mut of_leader = subscribe(&first, songs, &singer("ann"));
        assert_eq!(rows(&mut of_leader, "allSongs", "title").await, ["a"]);
        settle(&client, &[&first], 0).await;
        let second = open_tables(&address, live(), FeedKind::Stream, LATER).await;
        let mut of_follower = subscribe(&second, songs, &singer("ann"));
        let loud = "subscription { allLouds { nodes { title } } }";
        let mut louds = subscribe(&second, loud, &Caller::default());
        assert_eq!(rows(&mut of_follower, "allSongs", "title").await, ["a"]);
        assert_eq!(rows(&mut louds, "allLouds", "title").await, [] as [Value; 0]);
        let workers = [&first, &second];
        settle(&client, &workers, 1).await;
        let executes = async |change: &str, expected: [u64; 2]| {
            let before = executions(&workers);
            run_sql(&address, change).await;
            sleep(Duration::from_millis(700)).await;
            let after = executions(&workers);
            assert_eq!([after[0] - before[0], after[1] - before[1]], expected, "{change}");
        };
        executes("INSERT INTO note VALUES (1)", [0, 0]).await;
        executes("UPDATE song SET plays = 9", [0, 0]).await;
        executes("UPDATE hidden.pass SET price = 9", [0, 0]).await;
        executes("INSERT INTO later VALUES (1, 'x', repeat('y', 1000))", [0, 1]).await;
        assert_eq!(rows(&mut louds, "allLouds", "title").await, ["X"]);
        executes("UPDATE later SET more = repeat('z', 1000)", [0, 0]).await;
        executes("UPDATE later SET title = repeat('y', 200)", [0, 1]).await;
        assert_eq!(rows(&mut louds, "allLouds", "title").await, ["Y".repeat(200)]);
        // The owner is no field of the response.
        executes("UPDATE song SET owner = 'eve' WHERE id = 1", [1, 1]).await;
        for songs in [&mut of_leader, &mut of_follower] {
            assert_eq!(rows(songs, "allSongs", "title").await, [] as [Value; 0]);
        }
        // Permissions are not in the log; each server compares them.
        run_sql(&address, "CREATE POLICY all_songs ON song TO live_singer USING (true)").await;
        for songs in [&mut of_leader, &mut of_follower] {
            assert_eq!(rows(songs, "allSongs", "title").await, ["a", "b"]);
        }
        settle(&client, &workers, 1).await;
        executes("UPDATE song SET plays = 10", [0, 0]).await;
        executes("UPDATE song SET title = 'c' WHERE id = 2", [1, 1]).await;
        for songs in [&mut of_leader, &mut of_follower] {
            assert_eq!(rows(songs, "allSongs", "title").await, ["a", "c"]);
        }
    });
}

#[test]
fn a_follower_continues_after_the_end_of_the_leader() {
    on_postgres(|address, url| async move {
        let (client, _) = connect(&url, None).await;
        let [first, second] = [open(&address).await, open(&address).await];
        let mut responses =
            [&first, &second].map(|worker| subscribe(worker, PLAYERS, &Caller::default()));
        settle(&client, &[&first, &second], 1).await;
        for (number, name) in (1..).zip(["a", "b", "c"]) {
            let leader = loop {
                match holders(&client, LEADERS).await.first() {
                    Some(leader) => break *leader,
                    None => sleep(Duration::from_millis(20)).await,
                }
            };
            client.execute("SELECT pg_terminate_backend($1)", &[&leader]).await.unwrap();
            run_sql(
                &address,
                &format!("INSERT INTO \"Player\" (id, name) VALUES ({}, '{name}')", 900 + number),
            )
            .await;
            for responses in &mut responses {
                read_until(responses, &players(&["a", "b", "c"][..number])).await;
            }
        }
        // The new leader relays changes as the first one did.
        settle(&client, &[&first, &second], 1).await;
        let before = executions(&[&first, &second]);
        run_sql(&address, "DELETE FROM \"Player\" WHERE name = 'b'").await;
        for responses in &mut responses {
            assert_eq!(next(responses).await, players(&["a", "c"]));
        }
        assert_eq!(executions(&[&first, &second]), [before[0] + 1, before[1] + 1]);
    });
}

/// Its session answers nobody, as that of a server that was stopped.
#[test]
fn the_session_of_a_leader_that_hangs_is_ended() {
    on_postgres(|address, url| async move {
        let (client, _) = connect(&url, None).await;
        let (hanging, _) = connect(&url, None).await;
        hanging.execute("SELECT pg_advisory_lock($1, $2)", &[&LOCK, &LEADERS]).await.unwrap();
        let worker = open(&address).await;
        let mut responses = subscribe(&worker, PLAYERS, &Caller::default());
        assert_eq!(next(&mut responses).await, players(&[]));
        settle(&client, &[&worker], 0).await;
        assert!(hanging.execute("SELECT 1", &[]).await.is_err());
        let before = executions(&[&worker]);
        run_sql(&address, "INSERT INTO \"Player\" (id, name) VALUES (900, 'a')").await;
        assert_eq!(next(&mut responses).await, players(&["a"]));
        assert_eq!(executions(&[&worker]), [before[0] + 1]);
    });
}

#[test]
fn other_roles_of_the_database_receive_no_rows() {
    on_postgres(|address, url| async move {
        let (client, _) = connect(&url, None).await;
        let role = create_role(&client).await;
        let [first, second] = [open(&address).await, open(&address).await];
        let mut responses =
            [&first, &second].map(|worker| subscribe(worker, PLAYERS, &Caller::default()));
        settle(&client, &[&first, &second], 1).await;
        let (other, mut received) = connect(&url, Some(&role)).await;
        other.batch_execute("LISTEN thalweg_live_1").await.unwrap();
        let hello =
            "NOTIFY thalweg_live_1_hello, 'hello AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'";
        other.batch_execute(hello).await.unwrap();
        let own = format!(
            "refusal {}",
            other.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get::<_, i32>(0)
        );
        assert_eq!(received.recv().await.unwrap(), own);
        // Messages of other sessions are not those of the leader.
        other.batch_execute("NOTIFY thalweg_live_1, 'changes 1 AAAA'").await.unwrap();
        assert_eq!(received.recv().await.unwrap(), "changes 1 AAAA");
        run_sql(&address, "INSERT INTO \"Player\" (id, name) VALUES (900, 'confidential')").await;
        for responses in &mut responses {
            read_until(responses, &players(&["confidential"])).await;
        }
        let message = received.recv().await.unwrap();
        assert!(message.starts_with("changes 1 ") && message.len() > 40, "{message}");
        drop((responses, first, second));
        client.batch_execute(&format!("DROP ROLE {role}")).await.unwrap();
    });
}

/// It could send false changes, or none.
#[test]
fn a_leader_of_another_role_is_not_followed() {
    on_postgres(|address, url| async move {
        let (client, _) = connect(&url, None).await;
        let role = create_role(&client).await;
        let (other, _) = connect(&url, Some(&role)).await;
        other.execute("SELECT pg_advisory_lock($1, $2)", &[&LOCK, &LEADERS]).await.unwrap();
        let worker = open(&address).await;
        let mut responses = subscribe(&worker, PLAYERS, &Caller::default());
        assert_eq!(next(&mut responses).await, players(&[]));
        settle(&client, &[&worker], 0).await;
        run_sql(&address, "INSERT INTO \"Player\" (id, name) VALUES (900, 'a')").await;
        assert_eq!(next(&mut responses).await, players(&["a"]));
        drop(other);
        client.batch_execute(&format!("DROP ROLE {role}")).await.unwrap();
    });
}
