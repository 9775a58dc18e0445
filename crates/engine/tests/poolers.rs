//! PostgreSQL through PgBouncer, in both of its modes: no answer is that of another request, no
//! statement that of another client, and what the pooler lacks is said.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

#[allow(dead_code, reason = "the tests of sharing use the rest of it")]
#[path = "sharing/shop.rs"]
mod shop;

use std::time::Duration;

use engine::{Engine, Most, OpenOptions, Options, SourceAddress};
use serde_json::{Value, json};
use testkit::postgres::{PgBouncer, PoolMode};
use tokio::task::{JoinHandle, spawn_local, yield_now};

use crate::shop::{Answering, Shop, block_on};

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

/// Numbers that look like chance, the same each time.
fn chance(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
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
            let alone = shop.answering(&shop.url(), Most::apart(1)).await;
            // Everything is long: what could be shared would be asked again elsewhere.
            let most = Most { patience: Duration::ZERO, ..Most::sharing(4, 2) };
            let both =
                [shop.answering(&url, most).await, shop.answering(&url, Most::sharing(4, 2)).await];
            let mut state = 3;
            let mut left = 0;
            for _ in 0..40 {
                let mut asked = Vec::new();
                for _ in 0..25 {
                    let query = QUERIES[chance(&mut state) % QUERIES.len()];
                    let id = chance(&mut state) % 60;
                    let answering = &both[chance(&mut state) % both.len()];
                    asked.push((query, id, spawn(answering, query, id)));
                }
                for _ in 0..chance(&mut state) % 40 {
                    yield_now().await;
                }
                for (query, id, answer) in asked {
                    if chance(&mut state).is_multiple_of(4) {
                        answer.abort();
                        left += 1;
                        continue;
                    }
                    let expected = alone.ask(query, &json!({ "id": id })).await;
                    assert_eq!(answer.await.unwrap(), expected, "{mode}: {query} {id}");
                }
            }
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
        let answering = shop.answering(&url, Most::apart(8)).await;
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
        let options = Options {
            dialect: dialects::Dialect::PostGraphile(dialects::postgraphile::Options::default()),
            source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
            connections: Most::apart(1),
            limits: engine::Limits::default(),
            errors: engine::ErrorOptions::default(),
            policies: None,
            federation: None,
        };
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
