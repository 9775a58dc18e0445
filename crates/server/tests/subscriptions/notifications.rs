//! Subscriptions to notifications of PostgreSQL.

use std::fs;
use std::io::BufRead;
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use testkit::postgres::{PgBouncer, PoolMode};

use super::stream::Stream;
use crate::databases::Database;
use crate::program::{Folder, PATIENCE, Server, outcome, post, run};
use crate::served::happens_within;

const LISTEN: &str = "subscription { listen(topic: \"a\", initialEvent: true) { relatedNodeId } }";
const EVENT: &str = "event: next\ndata: {\"data\":{\"listen\":{\"relatedNodeId\":null}}}\n\n";
const COMPLETE: &str = "event: complete\ndata:\n\n";

fn open(server: &Server) -> Stream {
    let body = json!({ "query": LISTEN }).to_string();
    let accept = "Accept: text/event-stream\r\n";
    let mut stream = Stream::open(server, &post("application/json", accept, &body));
    assert_eq!(stream.chunk(), ":\n\n");
    stream
}

fn start(database: &Database, options: &[&str]) -> Server {
    let url = database.url();
    let fixed = ["serve", &url, "--listen", "127.0.0.1:0", "--simple-subscriptions"];
    Server::start(&[&fixed, options].concat())
}

fn reload(server: &mut Server) {
    server.signal("HUP");
    let mut line = String::new();
    while !line.contains("reloaded; ") {
        line.clear();
        assert!(server.log.read_line(&mut line).unwrap() > 0);
    }
}

#[test]
fn subscriptions_go_on_after_reloads_and_miss_and_repeat_nothing() {
    const COUNT: usize = 300;
    let Some(database) = Database::on_one("CREATE TABLE song (id INT PRIMARY KEY)") else { return };
    let mut server = start(&database, &["--threads", "2"]);
    let mut streams: Vec<Stream> = (0..4).map(|_| open(&server)).collect();
    for stream in &mut streams {
        assert_eq!(stream.chunk(), EVENT);
    }
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..COUNT {
                let payload = format!("{{\"__node__\": [\"songs\", {number}]}}");
                database.execute(&format!("NOTIFY \"postgraphile:a\", '{payload}'"));
            }
        });
        for _ in 0..5 {
            reload(&mut server);
        }
        for number in 0..COUNT {
            let id = STANDARD.encode(format!("[\"songs\",{number}]"));
            let data = json!({ "data": { "listen": { "relatedNodeId": id } } });
            for stream in &mut streams {
                assert_eq!(stream.chunk(), format!("event: next\ndata: {data}\n\n"));
            }
        }
    });
    // A lost session ends the subscriptions of all generations.
    database.end_sessions();
    for stream in &mut streams {
        let end = stream.chunk();
        assert!(end.contains("\"UNAVAILABLE\""), "{end}");
    }
    let mut stream = open(&server);
    assert_eq!(stream.chunk(), EVENT);
    database.execute("NOTIFY \"postgraphile:a\"");
    assert_eq!(stream.chunk(), EVENT);
}

#[test]
fn a_direct_address_leads_around_a_pooler_that_shares_sessions() {
    if !PgBouncer::is_installed() {
        return;
    }
    let Some(database) = Database::on_one("CREATE TABLE song (id INT PRIMARY KEY)") else { return };
    let pooler = PgBouncer::start(database.server(), PoolMode::Transaction, 4).unwrap();
    let (pooled, direct) = (database.url_by(pooler.port()), database.url());
    let words = ["serve", &pooled, "--listen", "127.0.0.1:0", "--simple-subscriptions", "--live"];
    let server = Server::start(&words);
    let end = open(&server).chunk();
    assert!(end.contains("\"UNAVAILABLE\""), "{end}");
    drop(server);

    let server = Server::start(&[&words[..], &["--direct-url", &direct]].concat());
    let mut stream = open(&server);
    assert_eq!(stream.chunk(), EVENT);
    database.execute("NOTIFY \"postgraphile:a\"");
    assert_eq!(stream.chunk(), EVENT);
    // The stream of changes has a slot of the server, and finds rows that others insert.
    let body = json!({ "query": "subscription { allSongs { nodes { id } } }" }).to_string();
    let accept = "Accept: text/event-stream\r\n";
    let mut songs = Stream::open(&server, &post("application/json", accept, &body));
    assert_eq!(songs.chunk(), ":\n\n");
    assert!(songs.chunk().contains("\"nodes\":[]"));
    let slots =
        "SELECT count(*) FROM pg_replication_slots WHERE active AND database = current_database()";
    assert!(happens_within(PATIENCE, || database.count(slots) == 1));
    database.execute("INSERT INTO song VALUES (7)");
    let changed = songs.chunk();
    assert!(changed.contains("\"nodes\":[{\"id\":7}]"), "{changed}");
}

#[test]
fn a_reload_with_another_address_ends_subscriptions_that_may_miss_notifications() {
    let Some(database) = Database::on_one("CREATE TABLE song (id INT PRIMARY KEY)") else { return };
    let folder = Folder::new();
    let file = folder.file("thalweg.toml");
    let write = |name: &str| {
        let url = format!("{}&application_name={name}", database.url());
        fs::write(&file, format!("source = \"{url}\"\nsimple-subscriptions = true\n")).unwrap();
    };
    write("one");
    let words = ["serve", "--config", file.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let mut server = Server::start(&words);
    let mut stream = open(&server);
    assert_eq!(stream.chunk(), EVENT);
    write("another");
    reload(&mut server);
    let end = stream.chunk();
    assert!(end.contains("\"UNAVAILABLE\"") && end.ends_with(COMPLETE), "{end}");
    assert_eq!(stream.chunk(), "");
    // The new generation listens anew.
    let mut stream = open(&server);
    assert_eq!(stream.chunk(), EVENT);
    database.execute("NOTIFY \"postgraphile:a\"");
    assert_eq!(stream.chunk(), EVENT);
}

#[test]
fn a_function_of_the_option_authorizes_subscriptions() {
    let function = "CREATE SCHEMA app; CREATE TABLE song (id INT PRIMARY KEY);
        CREATE FUNCTION app.permits(topic text) RETURNS text LANGUAGE sql AS
            'SELECT CASE topic WHEN ''postgraphile:a'' THEN ''end'' END'";
    let Some(database) = Database::on_one(function) else { return };
    let server = start(&database, &["--subscription-authorization-function", "app.permits"]);
    let mut stream = open(&server);
    assert_eq!(stream.chunk(), EVENT);
    database.execute("NOTIFY \"end\"");
    assert_eq!(stream.chunk(), COMPLETE);
    let body = json!({ "query": LISTEN.replace("\"a\"", "\"b\"") }).to_string();
    let accept = "Accept: text/event-stream\r\n";
    let answer = server.send(post("application/json", accept, &body).as_bytes());
    assert!(answer.body.contains("You may not subscribe to this topic"), "{}", answer.body);
    assert!(answer.body.ends_with(COMPLETE), "{}", answer.body);
}

#[test]
fn a_file_declares_fields_with_topics() {
    let folder = Folder::new();
    let file = folder.file("subscriptions.graphql");
    let path = file.to_str().unwrap();
    let fields = "type E { event: String song: Song }
        extend type Subscription { changed(id: Int!): E @pgSubscription(topic: \"s:{id}\") }";
    fs::write(&file, fields).unwrap();
    let tables = "CREATE TABLE song (id INT PRIMARY KEY, title TEXT);
        INSERT INTO song VALUES (7, 'a')";
    let Some(database) = Database::on_one(tables) else { return };
    let url = database.url();
    let fixed = ["serve", &url, "--listen", "127.0.0.1:0", "--subscriptions-file", path];
    let server = Server::start(&fixed);
    let query = "subscription { changed(id: 7) { event song { title } } }";
    let body = json!({ "query": query }).to_string();
    let accept = "Accept: text/event-stream\r\n";
    let mut stream = Stream::open(&server, &post("application/json", accept, &body));
    assert_eq!(stream.chunk(), ":\n\n");
    let listening = "SELECT count(*) FROM pg_stat_activity WHERE query ILIKE 'listen%s:7%'";
    assert!((0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        database.count(listening) > 0
    }));
    database.execute("NOTIFY \"s:7\", '{\"event\": \"new\", \"__node__\": [\"songs\", 7]}'");
    let changed = json!({ "event": "new", "song": { "title": "a" } });
    let event = json!({ "data": { "changed": changed } });
    assert_eq!(stream.chunk(), format!("event: next\ndata: {event}\n\n"));
    fs::write(&file, "type E { event: String }").unwrap();
    let (code, _, error) = outcome(&run(&fixed));
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("no subscription has the type E"), "{error}");
}
