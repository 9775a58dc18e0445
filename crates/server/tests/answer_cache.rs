//! Cached answers over HTTP, of tables that other programs change.

use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::thread;

use serde_json::{Value, json};

use crate::databases::{Database, File};
use crate::observability::openmetrics::{Series, read};
use crate::program::{Answer, PATIENCE, post, read_answer, run};
use crate::served::{Served, happens_within};
use crate::subscriptions::site::{Client, next, subscribe};

mod hasura;
mod shared;

const SONGS: &str = "{ allSongs { nodes { title } } }";
const NOTES: &str = "{ allNotes { nodes { id } } }";

const TABLES: &str = "
    CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, plays INTEGER);
    CREATE TABLE note (id INTEGER PRIMARY KEY);
    INSERT INTO song (id, title, plays) VALUES (1, 'a', 1), (2, 'b', 2);";

/// Old values of rows tell which columns have changed.
const WHOLE_ROWS: &str = "ALTER TABLE song REPLICA IDENTITY FULL;
    CREATE FUNCTION slow() RETURNS TEXT LANGUAGE sql STABLE AS
        $$ SELECT pg_sleep(0.5)::text || count(*) FROM song $$;
    CREATE FUNCTION now_there() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';";

/// A server with metrics.
struct Site {
    served: Served,
    metrics: SocketAddr,
}

impl Site {
    fn start(source: &str, options: &[&str]) -> Self {
        let usual = ["--metrics-listen", "127.0.0.1:0", "--threads", "2"];
        let served = Served::start(source, &[&usual, options].concat());
        let log = served.log();
        let metrics = log.split("metrics at http://").nth(1).unwrap().split('/').next().unwrap();
        let metrics = metrics.parse().unwrap();
        Self { served, metrics }
    }

    fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.served.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        read_answer(&mut BufReader::new(stream), !request.starts_with("HEAD"))
    }

    fn post(&self, headers: &str, body: &Value) -> Answer {
        self.send(&post("application/json", headers, &body.to_string()))
    }

    fn query(&self, headers: &str, query: &str) -> Answer {
        self.post(headers, &json!({ "query": query }))
    }

    fn get(&self, headers: &str, query: &str) -> Answer {
        let query = query.replace(' ', "%20").replace('{', "%7B").replace('}', "%7D");
        self.send(&format!("GET /graphql?query={query} HTTP/1.1\r\nHost: test\r\n{headers}\r\n"))
    }

    fn metrics(&self) -> Series {
        let mut stream = TcpStream::connect(self.metrics).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
        read(&read_answer(&mut BufReader::new(stream), true).body)
    }

    fn metric(&self, name: &str) -> u64 {
        self.metrics()[name] as u64
    }

    /// The number of queries that the database has been sent.
    fn executions(&self) -> u64 {
        self.metric("thalweg_database_acquired_total")
    }

    /// Asks until the cache answers, whose answers have an age. Changes are followed then.
    fn warm(&self, query: &str) -> Answer {
        let mut last = None;
        let is_hit = || {
            let answer = self.query("", query);
            let is_hit = answer.header("age").is_some();
            last = Some(answer);
            is_hit
        };
        assert!(happens_within(PATIENCE, is_hit), "{last:?} {}", self.served.log());
        last.unwrap()
    }

    /// Waits until the stream of changes has begun, which invalidates everything once.
    fn warm_streamed(&self, query: &str) -> Answer {
        let streams = || self.served.log().contains("changes of rows are streamed");
        self.warm(query);
        assert!(happens_within(PATIENCE, streams), "{}", self.served.log());
        self.warm(query)
    }

    /// Waits until a query has this text in its answer.
    fn await_text(&self, query: &str, text: &str) {
        let has_text = || self.query("", query).body.contains(text);
        assert!(happens_within(PATIENCE, has_text), "{text}: {}", self.query("", query).body);
    }
}

/// Servers of a database on PostgreSQL, and the way to change it.
fn on_postgres(options: &[&str], check: impl Fn(&Site, &Database)) {
    for database in Database::on_each(&[TABLES, WHOLE_ROWS].concat()) {
        check(&Site::start(&database.url(), options), &database);
    }
}

#[test]
fn a_hit_executes_nothing_and_a_change_of_another_program_invalidates() {
    on_postgres(&["--cache", "*=1h"], |site, database| {
        let first = site.warm_streamed(SONGS);
        assert_eq!(first.body, r#"{"data":{"allSongs":{"nodes":[{"title":"a"},{"title":"b"}]}}}"#);
        let (executions, hits) =
            (site.executions(), site.metric("thalweg_answer_cache_hits_total"));
        for _ in 0..20 {
            assert_eq!(site.query("", SONGS).body, first.body);
        }
        assert_eq!(site.executions(), executions);
        assert_eq!(site.metric("thalweg_answer_cache_hits_total"), hits + 20);
        // Another document, and other variables, are other answers.
        assert!(site.query("", "{ allSongs { nodes { id title } } }").header("age").is_none());
        database.execute("UPDATE song SET title = 'c' WHERE id = 2");
        site.await_text(SONGS, r#"{"title":"c"}"#);
        assert!(site.metric("thalweg_answer_cache_invalidations_total") > 0);
    });
}

#[test]
fn a_change_of_a_column_that_is_not_read_invalidates_nothing() {
    on_postgres(&["--cache", "*=1h"], |site, database| {
        site.warm_streamed(SONGS);
        let notes = site.warm(NOTES);
        assert_eq!(notes.body, r#"{"data":{"allNotes":{"nodes":[]}}}"#);
        site.warm(SONGS);
        let misses = site.metric("thalweg_answer_cache_misses_total");
        // Both are in one transaction, so the stream has told of both.
        database.execute("UPDATE song SET plays = 9; INSERT INTO note VALUES (7)");
        site.await_text(NOTES, r#"{"id":7}"#);
        assert!(site.query("", SONGS).header("age").is_some());
        assert_eq!(site.metric("thalweg_answer_cache_misses_total"), misses + 1);
        database.execute("UPDATE song SET title = 'z' WHERE id = 1; INSERT INTO note VALUES (8)");
        site.await_text(NOTES, r#"{"id":8}"#);
        assert!(site.query("", SONGS).body.contains(r#"{"title":"z"}"#));
    });
}

#[test]
fn changes_of_a_file_invalidate_its_answers() {
    let file = File::new(TABLES);
    let site = Site::start(file.source(), &["--cache", "allSongs=1h"]);
    site.warm(SONGS);
    file.connect().execute_batch("UPDATE song SET title = 'c' WHERE id = 2").unwrap();
    site.await_text(SONGS, r#"{"title":"c"}"#);
    site.warm(SONGS);
    // Its own client sees a mutation at once.
    for number in 0..20 {
        site.query("", SONGS);
        let update = format!(
            "mutation {{ updateSongById(input: {{ id: 1, songPatch: {{ title: \"n{number}\" }} }}) \
             {{ song {{ title }} }} }}"
        );
        let changed = site.query("", &update);
        assert!(changed.body.contains("\"song\""), "{}", changed.body);
        assert_eq!(changed.header("etag"), None);
        let seen = site.query("", SONGS).body;
        assert!(seen.contains(&format!("\"n{number}\"")), "{seen}");
    }
}

#[test]
fn equal_requests_at_the_same_time_are_one_execution() {
    on_postgres(&["--cache", "*=1h", "--connections", "20"], |site, _| {
        site.warm_streamed(SONGS);
        let executions = site.executions();
        let query = "{ slow }";
        thread::scope(|scope| {
            let asked: Vec<_> =
                (0..8).map(|_| scope.spawn(|| site.query("", query).body)).collect();
            for answer in asked {
                assert_eq!(answer.join().unwrap(), r#"{"data":{"slow":"2"}}"#);
            }
        });
        assert_eq!(site.executions(), executions + 1);
        // A new answer is asked for.
        site.query("Cache-Control: no-cache\r\n", query);
        assert_eq!(site.executions(), executions + 2);
    });
}

#[test]
fn a_change_during_an_execution_leaves_no_old_answer() {
    on_postgres(&["--cache", "*=1h"], |site, database| {
        site.warm_streamed(SONGS);
        let misses = site.metric("thalweg_answer_cache_misses_total");
        thread::scope(|scope| {
            let asked = scope.spawn(|| site.query("", "{ slow }").body);
            let runs = || site.metric("thalweg_answer_cache_misses_total") > misses;
            assert!(happens_within(PATIENCE, runs));
            let reads = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' \
                         AND datname = current_database()";
            assert!(happens_within(PATIENCE, || database.count(reads) > 0));
            database.execute("INSERT INTO song VALUES (3, 'c', 3)");
            assert_eq!(asked.join().unwrap(), r#"{"data":{"slow":"2"}}"#);
        });
        assert_eq!(site.query("", "{ slow }").body, r#"{"data":{"slow":"3"}}"#);
    });
}

#[test]
fn clients_with_the_answer_get_304() {
    let file = File::new(TABLES);
    let site = Site::start(file.source(), &["--cache", "*=1h"]);
    site.warm(SONGS);
    let answer = site.get("", SONGS);
    let control = |answer: &Answer| answer.header("cache-control").map(ToOwned::to_owned);
    assert_eq!(control(&answer).as_deref(), Some("public, no-cache"));
    let tag = answer.header("etag").unwrap().to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    let known = format!("If-None-Match: \"x\", {tag}\r\n");
    let copied = site.get(&known, SONGS);
    assert_eq!((copied.status, copied.body.as_str()), (304, ""));
    assert_eq!(copied.header("etag"), Some(&*tag));
    assert_eq!(control(&copied), control(&answer));
    // A POST is no request for a copy.
    assert_eq!(site.query(&known, SONGS).status, 200);
    file.connect().execute_batch("DELETE FROM song").unwrap();
    let is_new = || site.get(&known, SONGS).status == 200;
    assert!(happens_within(PATIENCE, is_new));
    assert_ne!(site.get("", SONGS).header("etag"), Some(&*tag));
    // What is not cached has no tag.
    assert_eq!(site.get("Cache-Control: no-store\r\n", SONGS).header("etag"), None);
}

#[test]
fn requests_may_refuse_old_answers() {
    let file = File::new(TABLES);
    let site = Site::start(file.source(), &["--cache", "*=1h", "--cache-http", "max-age"]);
    let hit = site.warm(SONGS);
    assert_eq!(hit.header("cache-control"), Some("public, max-age=3600"));
    let [misses, stores] =
        ["thalweg_answer_cache_misses_total", "thalweg_answer_cache_stores_total"]
            .map(|name| site.metric(name));
    let fresh = site.query("Cache-Control: no-cache\r\n", SONGS);
    assert_eq!((fresh.header("age"), fresh.status), (None, 200));
    assert_eq!(site.metric("thalweg_answer_cache_stores_total"), stores + 1);
    let other = site.query("Cache-Control: no-store\r\n", SONGS);
    assert_eq!((other.header("age"), other.header("cache-control")), (None, Some("no-store")));
    assert_eq!(site.metric("thalweg_answer_cache_misses_total"), misses + 1);
    assert_eq!(site.metric("thalweg_answer_cache_stores_total"), stores + 1);
    assert!(site.query("Cache-Control: max-age=600\r\n", SONGS).header("age").is_some());
}

#[test]
fn only_complete_answers_of_cached_fields_are_kept() {
    on_postgres(&["--cache", "allSongs=1h,nowThere=1h", "--defer-directive"], |site, database| {
        site.warm_streamed(SONGS);
        let is_cached = |query: &str| {
            site.query("", query);
            site.query("", query).header("etag").is_some()
        };
        assert!(is_cached("{ __typename allSongs { nodes { id } } }"));
        assert!(!is_cached("{ allSongs { nodes { id } } allNotes { nodes { id } } }"));
        assert!(!is_cached("{ allSongs { nodes { id } } __schema { queryType { name } } }"));
        assert!(!is_cached("{ allSongs { ... @defer { nodes { plays } } } }"));
        // An error is not kept: the next request succeeds.
        database.execute("ALTER TABLE song RENAME TO lost");
        let failed = || site.query("", "{ allSongs { nodes { plays } } }").body.contains("errors");
        assert!(happens_within(PATIENCE, failed));
        database.execute("ALTER TABLE lost RENAME TO song");
        let answer = site.query("", "{ allSongs { nodes { plays } } }");
        assert!(!answer.body.contains("errors"), "{}", answer.body);
    });
}

#[test]
fn answers_have_a_bound_of_memory() {
    let file = File::new(TABLES);
    let rows = "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO song SELECT i, 'title of a song', i FROM n";
    file.connect().execute_batch(rows).unwrap();
    let options = ["--cache", "*=1h", "--cache-size", "256KiB"];
    let site = Site::start(file.source(), &options);
    site.warm("{ allSongs(first: 1) { nodes { title } } }");
    // It is larger than a sixteenth of the memory.
    for _ in 0..3 {
        assert_eq!(site.query("", SONGS).header("etag"), None);
    }
    for first in 2..400 {
        let query = format!("{{ allSongs(first: {first}) {{ nodes {{ id }} }} }}");
        assert_eq!(site.query("", &query).status, 200);
    }
    let (bytes, evictions) = (
        site.metric("thalweg_answer_cache_bytes"),
        site.metric("thalweg_answer_cache_evictions_total"),
    );
    assert!((1..=256 << 10).contains(&bytes) && evictions > 10, "{bytes} {evictions}");
    let answers = site.metric("thalweg_answer_cache_answers");
    assert!((10..398).contains(&answers), "{answers}");
}

/// A key has the whole document, however little the answer is.
#[test]
fn documents_of_keys_count_among_the_memory() {
    let file = File::new(TABLES);
    let site = Site::start(file.source(), &["--cache", "*=1h", "--cache-size", "1MiB"]);
    site.warm("{ allSongs { nodes { title } } }");
    for number in 0..150 {
        let query = format!("{{ songById(id: 1) {{ id }} }} #{number}{}", "x".repeat(20_000));
        assert_eq!(site.query("", &query).status, 200);
    }
    let answers = site.metric("thalweg_answer_cache_answers");
    assert!((10..=(1 << 20) / 20_000).contains(&answers), "{answers}");
}

#[test]
fn batches_sockets_and_persisted_documents_share_answers() {
    let file = File::new(TABLES);
    let trusted = file.path.with_extension("json");
    std::fs::write(&trusted, json!({ "songs": SONGS }).to_string()).unwrap();
    let options = ["--cache", "*=1h", "--batching", "--trusted-documents"];
    let site = Site::start(file.source(), &[&options[..], &[trusted.to_str().unwrap()]].concat());
    let hit = site.warm(SONGS);
    let count = || site.metric("thalweg_answer_cache_hits_total");
    let before = count();
    let batch = site.post("", &json!([{ "query": SONGS }, { "query": SONGS }]));
    assert_eq!(batch.body, format!("[{0},{0}]", hit.body));
    assert_eq!(count(), before + 2);
    let persisted = site.post("", &json!({ "documentId": "songs" }));
    assert_eq!(persisted.body, hit.body, "{}", persisted.body);
    assert_eq!(count(), before + 3);
    let mut client = Client::connect_at(site.served.address, "graphql-transport-ws", &json!({}));
    client.send(&subscribe("1", SONGS));
    let body: Value = serde_json::from_str(&hit.body).unwrap();
    assert_eq!(client.receive(), next("1", &body));
    assert_eq!(count(), before + 4);
    // A query of a batch reads what a mutation before it has written.
    let insert = "mutation { createNote(input: { note: { id: 5 } }) { note { id } } }";
    site.post("", &json!([{ "query": insert }, { "query": SONGS }]));
    assert_eq!(count(), before + 4);
}

#[test]
fn a_reload_drops_the_answers() {
    let file = File::new(TABLES);
    let site = Site::start(file.source(), &["--cache", "*=1h"]);
    site.warm(SONGS);
    let id = site.served.id().to_string();
    assert!(Command::new("kill").args(["-s", "HUP", &id]).status().unwrap().success());
    let is_new = || site.metric("thalweg_answer_cache_answers") == 0;
    assert!(happens_within(PATIENCE, is_new), "{}", site.served.log());
    file.connect().execute_batch("UPDATE song SET title = 'c' WHERE id = 2").unwrap();
    site.await_text(SONGS, r#"{"title":"c"}"#);
    site.warm(SONGS);
}

#[test]
fn wrong_options_are_refused() {
    let file = File::new(TABLES);
    let refused = |options: &[&str], wanted: &str| {
        let arguments = ["serve", file.source(), "--listen", "127.0.0.1:0"];
        let output = run(&[&arguments, options].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(wanted), "{options:?}: {text}");
    };
    refused(&["--cache", "allSong=1m"], "`allSong`, which is no root field of queries");
    refused(&["--cache", "allSongs=0s"], "a time is wanted");
    refused(&["--cache", "*=1m,*=2m"], "`--cache` names `*` twice");
    refused(&["--cache", "*=1m", "--cache-size", "0"], "`--cache-size 0` disables the cache");
}
