//! Events of a graph over event streams and sockets, from all threads of a server.

use std::fs;
use std::io::BufRead;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::neo4j;

use super::credentials::token;
use super::site::{SECRET, Site, TRANSPORT, next, subscribe};
use super::stream::Stream;
use crate::program::{Folder, Server, post};

const TYPES: &str = r#"
    type Movie @node @subscription @authentication(operations: [SUBSCRIBE]) { title: String! }
    type Note @node @subscription(events: [CREATED]) { text: String! }
"#;

const CREATED: &str = "subscription { movieCreated { event createdMovie { title } } }";

/// The type and the response of an event of a stream.
fn event(chunk: &str) -> (String, Value) {
    let mut lines = chunk.lines();
    let kind = lines.next().unwrap().strip_prefix("event: ").unwrap().to_owned();
    let data = lines.next().unwrap().strip_prefix("data:").unwrap();
    (kind, serde_json::from_str(data).unwrap_or_default())
}

fn created(title: &str) -> Value {
    json!({ "data": { "movieCreated": { "event": "CREATE", "createdMovie": { "title": title } } } })
}

#[test]
fn events_of_a_graph_reach_the_clients_of_all_protocols() {
    let Some(graph) = neo4j::take().unwrap() else { return };
    let folder = Folder::new();
    let types = folder.file("types.graphql");
    fs::write(&types, TYPES).unwrap();
    let (address, types) = (graph.address("bolt"), types.to_str().unwrap().to_owned());
    let words =
        ["serve", &address, "--types", &types, "--listen", "127.0.0.1:0", "--jwt-secret", SECRET];
    let mut site = Site { server: Server::start(&words), folder };
    let token = token(Duration::from_secs(600));
    let open = |server: &Server, headers: &str| {
        let headers = ["Accept: text/event-stream\r\n", headers].concat();
        let body = json!({ "query": CREATED }).to_string();
        Stream::open(server, &post("application/json", &headers, &body))
    };
    let authorization = format!("Authorization: Bearer {token}\r\n");
    let mut streams: Vec<Stream> = (0..4).map(|_| open(&site.server, &authorization)).collect();
    for stream in &mut streams {
        assert_eq!(stream.chunk(), ":\n\n");
    }
    let mut client = site.connect_with(TRANSPORT, &json!({ "authorization": token }));
    client.send(&subscribe("1", CREATED));
    // The subscription has begun when a query after it is answered.
    client.send(&subscribe("2", "{ movies { title } }"));
    assert_eq!(client.receive(), next("2", &json!({ "data": { "movies": [] } })));
    assert_eq!(client.receive(), json!({ "id": "2", "type": "complete" }));
    let titles: Vec<String> = (0..20).map(|number| format!("movie {number}")).collect();
    for title in &titles {
        let query = format!(
            "mutation {{ createMovies(input: [{{ title: \"{title}\" }}]) {{ info {{ nodesCreated }} }} }}"
        );
        let answer = site.server.query("", &query);
        assert!(!answer.body.contains("errors"), "{}", answer.body);
    }
    for title in &titles {
        for stream in &mut streams {
            assert_eq!(event(&stream.chunk()), ("next".to_owned(), created(title)));
        }
        assert_eq!(client.receive(), next("1", &created(title)));
    }
    // Subscriptions go on after a reload.
    site.server.signal("HUP");
    let mut line = String::new();
    while !line.contains("reloaded; ") {
        line.clear();
        assert!(site.server.log.read_line(&mut line).unwrap() > 0);
    }
    let query = "mutation { createMovies(input: [{ title: \"last\" }]) { info { nodesCreated } } }";
    site.server.query("", query);
    for stream in &mut streams {
        assert_eq!(event(&stream.chunk()), ("next".to_owned(), created("last")));
    }
    assert_eq!(client.receive(), next("1", &created("last")));
    // Without a token.
    let mut refused = open(&site.server, "");
    assert_eq!(refused.chunk(), ":\n\n");
    let (kind, response) = event(&refused.chunk());
    assert_eq!((&*kind, &response["data"]), ("next", &Value::Null), "{response}");
    assert_eq!(response["errors"][0]["message"], "Unauthenticated");
    assert_eq!(event(&refused.chunk()).0, "complete");
}
