//! Subscriptions to notifications of PostgreSQL.

use std::io::BufRead;

use serde_json::json;

use super::stream::Stream;
use crate::databases::Database;
use crate::program::{Server, post};

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

#[test]
fn a_reload_ends_subscriptions_that_may_miss_notifications() {
    let Some(database) = Database::on_one("CREATE TABLE song (id INT PRIMARY KEY)") else { return };
    let mut server = start(&database, &[]);
    let mut stream = open(&server);
    assert_eq!(stream.chunk(), EVENT);
    database.execute("NOTIFY \"postgraphile:a\"");
    assert_eq!(stream.chunk(), EVENT);
    server.signal("HUP");
    let mut line = String::new();
    while !line.contains("reloaded; ") {
        line.clear();
        assert!(server.log.read_line(&mut line).unwrap() > 0);
    }
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
