//! PostgreSQL through PgBouncer, in both of its modes: no answer is that of another request, no
//! statement that of another client, and what the pooler lacks is said.

mod changes;
mod pgpool;
mod relay;

use std::time::Duration;

use engine::{Engine, OpenOptions, Options, PoolLimits, SourceAddress};
use serde_json::{Value, json};
use testkit::postgres::{KEEPING, PINNED, PgBouncer, PoolMode};
use testkit::random::Random;
use tokio::task::{JoinHandle, spawn_local, yield_now};

use self::changes::Changes;
use self::relay::Relay;
use crate::shop::{Answering, Shop, block_on, happens};

const QUERIES: [&str; 4] = [
    "query ($id: Int!) { artistById(id: $id) { id name } }",
    "query ($id: Int!) { artistById(id: $id) { name albumsByArtistIdList { id title } } }",
    "query ($id: Int!) { allAlbumsList(first: $id, orderBy: ID_DESC) { id artistId } }",
    "query ($id: Int!) {
        allFaultsList(condition: {id: $id}) { id share }
        artistById(id: $id) { albumsByArtistIdList { id } }
    }",
];

fn spawn(answering: &Answering, query: &'static str, id: usize) -> JoinHandle<Value> {
    let answering = answering.clone();
    spawn_local(async move { answering.ask(query, &json!({ "id": id })).await })
}

/// Options of an engine that is only opened.
fn options() -> Options {
    let dialect = dialects::Dialect::PostGraphile(dialects::postgraphile::Options::default());
    Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        ..Options::new(dialect, PoolLimits::unshared(1))
    }
}

/// Compares answers with those of a connection that nobody shares. Returns how many clients left.
async fn compare(shop: &Shop, answering: &[Answering], rounds: usize, place: &str) -> usize {
    let alone = shop.answering(&shop.url(), PoolLimits::unshared(1)).await;
    let (mut random, mut left) = (Random::new(3), 0);
    for _ in 0..rounds {
        let mut asked = Vec::new();
        for _ in 0..25 {
            let query = *random.one_of(&QUERIES);
            let id = random.below(60);
            let answering = random.one_of(answering);
            asked.push((query, id, spawn(answering, query, id)));
        }
        for _ in 0..random.below(40) {
            yield_now().await;
        }
        for (query, id, answer) in asked {
            if random.below(4) == 0 {
                answer.abort();
                left += 1;
                continue;
            }
            let expected = alone.ask(query, &json!({ "id": id })).await;
            assert_eq!(answer.await.unwrap(), expected, "{place}: {query} {id}");
        }
    }
    left
}

/// Two programs share the sessions of a pooler, and many of their clients do not wait.
#[test]
fn each_request_through_a_pooler_has_the_answer_that_it_has_without() {
    let Some(shop) = Shop::on_one() else { return };
    for mode in [PoolMode::Session, PoolMode::Transaction] {
        let Some(pooler) = shop.pooler(mode, 10) else { return };
        let (_, database) = shop.database();
        let url = pooler.url(database);
        block_on(async {
            // Everything is long: what could be shared would be asked again elsewhere.
            let most = PoolLimits { patience: Duration::ZERO, ..PoolLimits::sharing(4, 2) };
            let both = [
                shop.answering(&url, most).await,
                shop.answering(&url, PoolLimits::sharing(4, 2)).await,
            ];
            let left = compare(&shop, &both, 40, &format!("{mode}")).await;
            assert!(left > 100, "{left}");
        });
    }
}

#[test]
fn a_pooler_with_fewer_sessions_than_connections_serves_all_requests() {
    let Some(shop) = Shop::on_one() else { return };
    let Some(pooler) = shop.pooler(PoolMode::Session, 2) else { return };
    let (_, database) = shop.database();
    let url = pooler.url(database);
    block_on(async {
        let answering = shop.answering(&url, PoolLimits::unshared(8)).await;
        let asked: Vec<_> = (1..=60).map(|id| spawn(&answering, QUERIES[0], id % 50)).collect();
        for answer in asked {
            assert_eq!(answer.await.unwrap()["errors"], Value::Null);
        }
        assert_eq!(answering.totals().refused, 0);
    });
}

#[test]
fn a_pooler_that_refuses_what_sessions_are_pinned_to_is_told_at_the_start() {
    let Some(shop) = Shop::on_one() else { return };
    if !PgBouncer::is_installed() {
        return;
    }
    let (server, database) = shop.database();
    let pooler = PgBouncer::start_with(server, PoolMode::Session, 4, &[]).unwrap();
    let url = pooler.url(database);
    block_on(async {
        let options = options();
        let opened = Engine::open(&SourceAddress::Postgres(url.clone()), &options).await;
        let error = opened.unwrap_err().to_string();
        let remedy = "ignore_startup_parameters = extra_float_digits,bytea_output,IntervalStyle";
        assert!(error.contains(remedy), "{error}");

        // Where it ignores them, and the database has other forms, values would be read wrongly.
        let pooler = shop.pooler(PoolMode::Session, 4).unwrap();
        shop.execute(&format!("ALTER DATABASE \"{database}\" SET bytea_output = 'escape'"));
        let address = SourceAddress::Postgres(pooler.url(database));
        let error = Engine::open(&address, &options).await.unwrap_err().to_string();
        assert!(error.contains("bytea_output"), "{error}");
    });
}

/// Rows of two programs whose clients share the sessions of a pooler, a quarter of which do not wait:
/// a statement of one never runs for the other.
#[test]
fn each_row_that_is_inserted_through_a_pooler_is_in_its_table_once() {
    for mode in [PoolMode::Session, PoolMode::Transaction] {
        let Some(shop) = Shop::on_one() else { return };
        // Fewer sessions than connections where transactions share them.
        let sessions = if mode == PoolMode::Session { 8 } else { 3 };
        let Some(pooler) = shop.pooler(mode, sessions) else { return };
        Changes::prepare(&shop);
        let url = pooler.url(shop.database().1);
        block_on(async {
            let most = PoolLimits::sharing(4, 2);
            let both = [shop.answering(&url, most).await, shop.answering(&url, most).await];
            let mut changes = Changes::default();
            changes.run(&both, 40, &mut Random::new(5)).await;
            assert_eq!(changes.codes, [""; 0], "{mode}");
            changes.check(&shop).await;
        });
    }
}

/// Debian 12 has PgBouncer 1.18, which keeps none: there this test says that it was not run.
#[test]
fn a_pooler_that_keeps_prepared_statements_gives_the_same_answers() {
    let Some(shop) = Shop::on_one() else { return };
    if !PgBouncer::keeps_statements() {
        return;
    }
    let (server, database) = shop.database();
    let lines = [PINNED, KEEPING];
    let pooler = PgBouncer::start_with(server, PoolMode::Transaction, 3, &lines).unwrap();
    Changes::prepare(&shop);
    let url = pooler.url(database);
    block_on(async {
        let most = PoolLimits { patience: Duration::ZERO, ..PoolLimits::sharing(4, 2) };
        let both = [shop.answering(&url, most).await, shop.answering(&url, most).await];
        compare(&shop, &both, 20, "kept statements").await;
        let mut changes = Changes::default();
        changes.run(&both, 20, &mut Random::new(5)).await;
        assert_eq!(changes.codes, [""; 0]);
        changes.check(&shop).await;
    });
}

/// The end of an address.
#[derive(Clone, Copy, Debug)]
enum Target {
    Server,
    Pooler(PoolMode),
}

/// An address that leads to a pooler from one moment to the next, or to one in another mode: what
/// was found out at the start does not hold any more.
#[test]
fn a_pooler_that_comes_while_requests_run_is_found_out() {
    let poolers = [PoolMode::Session, PoolMode::Transaction].map(Target::Pooler);
    let [session, transaction] = poolers;
    let server = Target::Server;
    for (before, after) in [(server, session), (server, transaction), (session, transaction)] {
        let Some(shop) = Shop::on_one() else { return };
        let (Some(by_session), Some(by_transaction)) =
            (shop.pooler(PoolMode::Session, 8), shop.pooler(PoolMode::Transaction, 3))
        else {
            return;
        };
        Changes::prepare(&shop);
        let (server, database) = shop.database();
        let port = |target| match target {
            Target::Server => server.port(),
            Target::Pooler(PoolMode::Session) => by_session.port(),
            Target::Pooler(PoolMode::Transaction) => by_transaction.port(),
        };
        block_on(async {
            let relay = Relay::to(port(before)).await;
            let url = format!("postgres://postgres@127.0.0.1:{}/{database}", relay.port);
            let most = PoolLimits { patience: Duration::ZERO, ..PoolLimits::sharing(4, 2) };
            let both = [
                shop.answering(&url, most).await,
                shop.answering(&url, PoolLimits::sharing(4, 2)).await,
            ];
            let (mut changes, mut random) = (Changes::default(), Random::new(11));
            compare(&shop, &both, 5, "before").await;
            changes.run(&both, 5, &mut random).await;
            assert_eq!(changes.codes, [""; 0], "{before:?} {after:?}");
            // Clients are in the middle of their requests.
            let under_way: Vec<_> =
                (0..20).map(|id| spawn(&both[id % 2], QUERIES[1], id)).collect();
            yield_now().await;
            relay.lead_to(port(after));
            changes.run(&both, 2, &mut random).await;
            let is_known = |code: &String| ["UNAVAILABLE", "OUTCOME_UNKNOWN"].contains(&&**code);
            assert!(changes.codes.iter().all(is_known), "{:?}", changes.codes);
            for answer in under_way {
                answer.await.unwrap();
            }
            for answering in &both {
                let query = QUERIES[0];
                while !answering.ask(query, &json!({ "id": 1 })).await["errors"].is_null() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
            // From now on every request has its own answer, and none fails.
            let known = changes.codes.len();
            changes.run(&both, 10, &mut random).await;
            let codes = &changes.codes[known..];
            assert_eq!(codes, [""; 0], "{before:?} {after:?}");
            compare(&shop, &both, 20, &format!("{before:?} {after:?}")).await;
            changes.run(&both, 10, &mut random).await;
            assert_eq!(changes.codes.len(), known, "{:?}", changes.codes);
            changes.check(&shop).await;
        });
    }
}

/// PostgreSQL does not look for a cancel request within one LIKE: whoever leaves many of them behind
/// has no more of its processes compute than there may be connections.
#[test]
fn abandoned_requests_leave_no_more_processes_than_there_may_be_connections() {
    const SLOW: &str = "query ($id: Int!) { allSlowsList(first: $id) { id found } }";
    const MOST: usize = 3;
    let Some(shop) = Shop::on_one() else { return };
    shop.execute(
        "CREATE VIEW slow AS SELECT id,
            repeat('a', 40000 + id) LIKE '%' || repeat('a', 8000) || 'b' AS found FROM artist;",
    );
    let (_, database) = shop.database();
    let modes = [PoolMode::Session, PoolMode::Transaction];
    let poolers = modes.map(|mode| shop.pooler(mode, 10));
    let urls = poolers.iter().flatten().map(|pooler| pooler.url(database));
    for url in urls.chain([shop.url()]) {
        block_on(async {
            let answering = shop.answering(&url, PoolLimits::sharing(MOST, 1)).await;
            let busy = || shop.sessions("state = 'active' AND query LIKE '%found%'");
            let mut most = 0;
            for _ in 0..3 {
                let asked: Vec<_> = (0..10).map(|_| spawn(&answering, SLOW, 50)).collect();
                happens(|| busy() == MOST).await;
                asked.iter().for_each(JoinHandle::abort);
                for _ in 0..10 {
                    yield_now().await;
                    most = most.max(busy());
                }
            }
            assert_eq!(most, MOST);
            // They end, and others have the connections.
            let asked: Vec<_> = (1..=20).map(|id| spawn(&answering, QUERIES[0], id)).collect();
            for answer in asked {
                assert_eq!(answer.await.unwrap()["errors"], Value::Null);
            }
            happens(|| busy() == 0).await;
        });
    }
}
