//! Cached answers of tables with row security, and what `explain` tells of them.

use std::time::Duration;

use dialects::{Dialect, postgraphile};
use engine::{
    Allowed, CacheField, CacheOptions, Caller, Delivery, Engine, Options, Report, Worker,
};
use graphql::Request;
use serde_json::Value;
use tokio::task::spawn_local;
use tokio::time::sleep;

use crate::dgraph::{on_each, options, run_sql};
use crate::live_exact::SONGS;
use crate::live_postgraphile::{TABLES, is_postgres, singer};

const TITLES: &str = "{ allSongs(orderBy: ID_ASC) { nodes { title } } }";

/// An answer, and whether it was kept.
async fn ask(worker: &Worker, query: &str, caller: &Caller) -> (String, bool) {
    let request = Request { query: query.to_owned(), ..Request::default() };
    let (mut report, allowed) = (Report::default(), Allowed::All);
    let response =
        worker.deliver_for(&request, caller, allowed, Delivery::Streamed, &mut report).await;
    if let Some(feed) = worker.engine().cache_feeds().next() {
        spawn_local(feed.run());
    }
    let is_hit = report.cache.is_some_and(|used| used.is_hit);
    (String::from_utf8(response.body.to_vec()).unwrap(), is_hit)
}

/// Asks until the answer is kept.
async fn await_hit(worker: &Worker, query: &str, caller: &Caller) -> String {
    loop {
        if let (answer, true) = ask(worker, query, caller).await {
            return answer;
        }
        sleep(Duration::from_millis(20)).await;
    }
}

async fn open(address: &engine::SourceAddress, tables: &str) -> Worker {
    run_sql(address, tables).await;
    let all = CacheField { name: "*".into(), ttl: Duration::from_secs(600) };
    let cache = CacheOptions {
        bytes: 1 << 20,
        fields: [all].into(),
        has_directive: true,
        ..CacheOptions::default()
    };
    let dialect = Dialect::PostGraphile(postgraphile::Options::default());
    let usual = options(Default::default(), false);
    let options = Options { dialect, cache, schema_first: None, ..usual };
    Worker::new(Engine::open(address, &options).await.unwrap())
}

#[test]
fn row_security_decides_who_shares_an_answer() {
    on_each(|address| async move {
        if !is_postgres(&address) {
            return;
        }
        let worker = open(&address, SONGS).await;
        let titles = |names: &[&str]| {
            let nodes: Vec<Value> =
                names.iter().map(|name| serde_json::json!({ "title": name })).collect();
            serde_json::json!({ "data": { "allSongs": { "nodes": nodes } } }).to_string()
        };
        let (ann, bob, eve) = (singer("ann"), singer("bob"), singer("eve"));
        for _ in 0..2 {
            assert_eq!(await_hit(&worker, TITLES, &ann).await, titles(&["a"]));
            assert_eq!(ask(&worker, TITLES, &bob).await.0, titles(&["b"]));
            assert_eq!(ask(&worker, TITLES, &eve).await.0, titles(&[]));
            assert_eq!(ask(&worker, TITLES, &Caller::default()).await.0, titles(&["a", "b"]));
            assert_eq!(await_hit(&worker, TITLES, &bob).await, titles(&["b"]));
        }
        // What decides about rows is no part of the answer, and in another table.
        run_sql(&address, "DELETE FROM hidden.pass WHERE name = 'ann'").await;
        while ask(&worker, TITLES, &ann).await.0 != titles(&[]) {
            sleep(Duration::from_millis(20)).await;
        }
    });
}

#[test]
fn explain_tells_how_an_operation_is_cached() {
    on_each(|address| async move {
        let worker = open(&address, TABLES).await;
        let request = |query: &str| Request { query: query.to_owned(), ..Request::default() };
        let explained = worker.prepare(&request("{ songById(id: 1) { title } }")).unwrap();
        let told = explained.request.split_once("cached for ").unwrap().1;
        assert_eq!(
            told,
            "600s\nsessions share the answer if the database gives them equal rights\n\
             invalidated by a change of\n  song (id, title): rows with one value of id\n"
        );
        let explained = worker.prepare(&request("{ __schema { __typename } }")).unwrap();
        assert!(!explained.request.contains("cached"), "{}", explained.request);
        let query = "query @cached(ttl: 5) { __schema { __typename } }";
        let explained = worker.prepare(&request(query)).unwrap();
        assert!(explained.request.contains("not cached: it selects the schema\n"));
        let query = "query @cached(ttl: 90000) { songById(id: 1) { title } }";
        let error = worker.prepare(&request(query)).unwrap_err();
        assert!(error[0].message.contains("from 0 to 86400 seconds"), "{error:?}");
    });
}
