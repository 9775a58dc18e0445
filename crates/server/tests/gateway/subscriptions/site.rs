//! A gateway over subgraphs with subscriptions, and its clients.

use std::fs;
use std::io::BufRead;
use std::net::TcpListener;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::feed::Feed;
use crate::program::{Folder, Server, post};
use crate::subscriptions::stream::Stream;

/// A gateway with its subgraphs.
pub(super) struct Site {
    pub(super) server: Server,
    pub(super) feed: Feed,
    pub(super) folder: Folder,
}

/// A client of an event stream.
pub(super) struct Events {
    stream: Stream,
    /// Text that was received and not read.
    received: String,
}

impl Site {
    /// With a subgraphs file, and options.
    pub(super) fn start(subgraphs: &str, options: &[&str]) -> Self {
        let (folder, feed) = (Folder::new(), Feed::start());
        let (supergraph, file) = (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
        fs::write(&supergraph, feed.supergraph()).unwrap();
        fs::write(&file, subgraphs).unwrap();
        let usual = ["gateway", supergraph.to_str().unwrap()];
        let subgraphs = ["--subgraphs", file.to_str().unwrap()];
        let listen: &[&str] = match options.contains(&"--listen") {
            true => &[],
            false => &["--listen", "127.0.0.1:0"],
        };
        let server = Server::start(&[&usual, &subgraphs[..], listen, options].concat());
        Self { server, feed, folder }
    }

    /// With this protocol.
    pub(super) fn with(protocol: &str) -> Self {
        match protocol {
            "callback" => Self::with_callbacks("", &[]),
            _ => Self::start(&format!("all.subscription.protocol = \"{protocol}\""), &[]),
        }
    }

    /// With the callback protocol, frequent heartbeats, further settings of subgraphs, and options.
    pub(super) fn with_callbacks(subgraphs: &str, options: &[&str]) -> Self {
        // Subgraphs have to know the port before the gateway listens.
        let listen = free_address();
        let url = format!("http://{listen}/callback");
        let protocol = "all.subscription = { protocol = \"callback\", heartbeat = \"200ms\" }\n";
        let own = ["--listen", &listen, "--callback-url", &url];
        Self::start(&[protocol, subgraphs].concat(), &[&own, options].concat())
    }

    /// Subscribes by server-sent events, and waits until the subgraph has so many subscriptions.
    #[track_caller]
    pub(super) fn subscribe(&self, query: &str, begun: usize) -> Events {
        let events = self.open("", query);
        self.feed.wait_for(begun);
        events
    }

    /// Subscribes by server-sent events.
    pub(super) fn open(&self, headers: &str, query: &str) -> Events {
        let headers = format!("Accept: text/event-stream\r\n{headers}");
        let body = json!({ "query": query }).to_string();
        let request = post("application/json", &headers, &body);
        Events::of(&self.server, &request)
    }

    /// Reads the log until it has a text.
    pub(super) fn wait_for_log(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.server.log.read_line(&mut line).unwrap() > 0, "no {text} in the log");
            if line.contains(text) {
                return line;
            }
        }
    }
}

impl Events {
    pub(super) fn of(server: &Server, request: &str) -> Self {
        Self { stream: Stream::open(server, request), received: String::new() }
    }

    /// The next response; signs of life are skipped. `None` at the end.
    pub(super) fn next(&mut self) -> Option<Value> {
        loop {
            let Some((event, rest)) = self.received.split_once("\n\n") else {
                let chunk = self.stream.chunk();
                assert!(!chunk.is_empty(), "a stream ends with an event");
                self.received.push_str(&chunk);
                continue;
            };
            let (event, rest) = (event.to_owned(), rest.to_owned());
            self.received = rest;
            if event == ":" {
                continue;
            }
            if event == "event: complete\ndata:" {
                return None;
            }
            let data = event.strip_prefix("event: next\ndata: ").unwrap();
            return Some(serde_json::from_str(data).unwrap());
        }
    }

    /// The stream ends without an event that tells the client not to subscribe again.
    pub(super) fn assert_cut(&mut self) {
        let chunks =
            std::iter::from_fn(|| Some(self.stream.chunk()).filter(|chunk| !chunk.is_empty()));
        self.received.extend(chunks);
        assert_eq!(self.received.replace(":\n\n", ""), "");
    }

    /// The code of the error of the next response, and its data.
    pub(super) fn error(&mut self) -> (String, Value) {
        let response = self.next().unwrap();
        let code = &response["errors"][0]["extensions"]["code"];
        (code.as_str().unwrap_or_else(|| panic!("{response}")).to_owned(), response["data"].clone())
    }
}

/// An address that is free now, and that no other test takes: its port is none of those that the
/// kernel chooses.
pub(super) fn free_address() -> String {
    static LAST: AtomicU32 = AtomicU32::new(0);
    let is_free = |address: &String| TcpListener::bind(address).is_ok();
    let mut addresses = (0..1_000).map(|_| {
        let number = process::id().wrapping_mul(101) + LAST.fetch_add(1, Ordering::Relaxed);
        format!("127.0.0.1:{}", 20_000 + number % 12_000)
    });
    addresses.find(is_free).expect("a port is free")
}

/// An event of `changed`.
pub(super) fn changed(upc: &str, weight: u32) -> Value {
    json!({ "data": { "changed": { "__typename": "Product", "upc": upc, "weight": weight } } })
}

/// An event of `tick`.
pub(super) fn tick(number: u32) -> Value {
    json!({ "data": { "tick": number } })
}

pub(super) const TICK: &str = "subscription { tick }";
