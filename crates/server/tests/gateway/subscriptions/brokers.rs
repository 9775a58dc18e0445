//! Events of NATS and Redis as subscriptions of the gateway.
//!
//! * `nats`, `redis`: subscriptions, publications and requests of each
//! * `outages`: brokers that are stopped and started again
//! * `settings`: errors of the configuration, and credentials

mod nats;
mod outages;
mod redis;
mod settings;

use std::fs;
use std::io::BufRead;

use serde_json::{Value, json};
use testkit::broker::{Broker, Kind};

use super::site::Events;
use crate::gateway::stubs::{Asked, Stubs};
use crate::program::{Folder, Server, post};

const SUPERGRAPH: &str = include_str!("brokers/supergraph.graphql");
const EVENTS: &str = include_str!("brokers/events.graphqls");

/// A gateway with a subgraph of employees, and one of events.
struct Site {
    server: Server,
    stubs: Stubs,
    folder: Folder,
}

impl Site {
    fn start(nats: &str, redis: &str, options: &[&str]) -> Self {
        let (folder, stubs) = (Folder::new(), Stubs::saying(employees));
        let words = files(&folder, &stubs.address.to_string(), EVENTS, nats, redis);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let usual = ["--listen", "127.0.0.1:0"];
        let server = Server::start(&[&["gateway"], &words[..], &usual, options].concat());
        Self { server, stubs, folder }
    }

    /// With the address of NATS; that of Redis has no server.
    fn with_nats(broker: &Broker) -> Self {
        Self::start(&url(broker), "url = \"redis://127.0.0.1:1\"", &[])
    }

    /// With the address of Redis; that of NATS has no server.
    fn with_redis(broker: &Broker) -> Self {
        Self::start("url = \"nats://127.0.0.1:1\"", &url(broker), &[])
    }

    fn subscribe(&self, query: &str) -> Events {
        let body = json!({ "query": query }).to_string();
        let headers = "Accept: text/event-stream\r\n";
        Events::of(&self.server, &post("application/json", headers, &body))
    }

    /// Reloads the files.
    fn reload(&mut self) {
        self.server.signal("HUP");
        let mut line = String::new();
        while !line.contains("reloaded") {
            line.clear();
            assert!(self.server.log.read_line(&mut line).unwrap() > 0, "the log has ended");
        }
    }

    fn query(&self, query: &str) -> Value {
        serde_json::from_str(&self.server.query("", query).body).unwrap()
    }
}

/// Starts a broker; `None` if it is not installed.
fn broker(kind: Kind, arguments: &[&str]) -> Option<Broker> {
    kind.is_installed().then(|| Broker::start(kind, arguments).unwrap())
}

fn url(broker: &Broker) -> String {
    format!("url = \"{}\"", broker.url())
}

/// Writes the files of a gateway, and returns its arguments.
fn files(folder: &Folder, stubs: &str, events: &str, nats: &str, redis: &str) -> Vec<String> {
    let [supergraph, sdl, subgraphs] =
        ["supergraph.graphql", "events.graphqls", "subgraphs.toml"].map(|name| folder.file(name));
    fs::write(&supergraph, SUPERGRAPH.replace("STUBS", stubs)).unwrap();
    fs::write(&sdl, events).unwrap();
    let text = format!(
        "[subgraphs.events]\nsdl = \"{}\"\ntimeout = \"2s\"\n\
         [providers.default]\nnats = {{ {nats} }}\nredis = {{ {redis} }}\n",
        sdl.display()
    );
    fs::write(&subgraphs, text).unwrap();
    let [supergraph, subgraphs] = [supergraph, subgraphs].map(|path| path.display().to_string());
    vec![supergraph, "--subgraphs".to_owned(), subgraphs]
}

/// Names of employees by their keys.
fn employees(asked: &Asked) -> Value {
    let representations = asked.body["variables"]["representations0"].as_array().unwrap();
    let entities = representations.iter().map(|representation| {
        json!({ "__typename": "Employee", "name": format!("E{}", representation["id"]) })
    });
    json!({ "data": { "_entities": entities.collect::<Vec<_>>() } })
}

fn employee(field: &str, id: u32) -> Option<Value> {
    Some(json!({ "data": { field: { "id": id, "name": format!("E{id}") } } }))
}
