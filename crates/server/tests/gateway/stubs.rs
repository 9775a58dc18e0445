//! Subgraphs that answer what they always answer, and remember what they were asked.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The subgraphs `shop` and `stock` of `shop.graphql`, or others, and supergraphs to fetch, by one
/// server.
#[derive(Debug)]
pub(crate) struct Stubs {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) path: String,
    /// Names in lower case; several values of one name in one.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

/// What a subgraph does instead of answering.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    Status(u16),
    /// This, as its whole answer.
    Says(Value),
    Sleeps(Duration),
    /// Answers when it is healed.
    Hangs,
}

#[derive(Debug)]
struct State {
    /// What an answer says where nothing goes wrong.
    data: fn(&Asked) -> Value,
    asked: Mutex<Vec<Asked>>,
    faults: Mutex<BTreeMap<String, Fault>>,
    /// Headers of the answers of each subgraph.
    headers: Mutex<BTreeMap<String, String>>,
    /// A document that is fetched, with its tag.
    document: Mutex<(String, String)>,
    is_over: AtomicBool,
}

impl Stubs {
    pub(crate) fn start() -> Self {
        Self::saying(data)
    }

    /// Others, which say this by their paths.
    pub(crate) fn saying(data: fn(&Asked) -> Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State {
            data,
            asked: Mutex::default(),
            faults: Mutex::default(),
            headers: Mutex::default(),
            document: Mutex::default(),
            is_over: AtomicBool::default(),
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let state = Arc::clone(&shared);
                thread::spawn(move || state.serve(&stream.unwrap()));
            }
        });
        Self { address, state }
    }

    /// The supergraph of these subgraphs.
    pub(crate) fn supergraph(&self) -> String {
        include_str!("shop.graphql").replace("STUBS", &self.address.to_string())
    }

    /// What `/document` gives from now on, and `/guarded` to those who have its key.
    pub(crate) fn set_document(&self, text: &str, tag: &str) {
        *lock(&self.state.document) = (text.to_owned(), tag.to_owned());
    }

    /// What a subgraph does from now on.
    pub(crate) fn fail(&self, subgraph: &str, fault: Fault) {
        lock(&self.state.faults).insert(subgraph.to_owned(), fault);
    }

    /// The value of `Cache-Control` of a subgraph's answers from now on.
    pub(crate) fn set_caching(&self, subgraph: &str, value: &str) {
        let header = format!("Cache-Control: {value}\r\n");
        lock(&self.state.headers).insert(subgraph.to_owned(), header);
    }

    pub(crate) fn heal(&self) {
        lock(&self.state.faults).clear();
    }

    /// What was asked since this was called last, but for documents.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *lock(&self.state.asked))
    }

    /// The only request that a subgraph was sent.
    pub(crate) fn asked_once(&self, subgraph: &str) -> Asked {
        let path = ["/", subgraph].concat();
        let mut asked = self.asked();
        asked.retain(|asked| asked.path == path);
        assert_eq!(asked.len(), 1, "{asked:?}");
        asked.remove(0)
    }
}

impl Drop for Stubs {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        // So that the thread that waits for connections sees it.
        drop(TcpStream::connect(self.address));
    }
}

impl State {
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        // The gateway keeps its connections, and may close them.
        while let Some((method, asked)) = read(&mut reader) {
            let (status, headers, body) = match method.as_str() {
                "GET" => self.document(&asked),
                _ => {
                    let answer = self.answer(&asked);
                    lock(&self.asked).push(asked);
                    answer
                }
            };
            let head = format!(
                "HTTP/1.1 {status} Whatever\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n{headers}\r\n",
                body.len()
            );
            let mut stream = stream;
            if stream.write_all([head, body].concat().as_bytes()).is_err() {
                return;
            }
        }
    }

    fn document(&self, asked: &Asked) -> (u16, String, String) {
        let (text, tag) = lock(&self.document).clone();
        // A registry with a key and basic authentication.
        let has = |name: &str, value: &str| asked.headers.get(name).is_some_and(|is| is == value);
        let is_known = has("x-key", "secret") && has("authorization", "Basic YWRhOnNlY3JldA==");
        if asked.path == "/guarded" && !is_known {
            return (401, String::new(), String::new());
        }
        match asked.headers.get("if-none-match") == Some(&tag) {
            true => (304, String::new(), String::new()),
            false => (200, format!("ETag: {tag}\r\n"), text),
        }
    }

    fn answer(&self, asked: &Asked) -> (u16, String, String) {
        let name = asked.path.trim_start_matches('/');
        let headers = lock(&self.headers).get(name).cloned().unwrap_or_default();
        let (status, _, body) = self.answer_without_headers(asked);
        (status, headers, body)
    }

    fn answer_without_headers(&self, asked: &Asked) -> (u16, String, String) {
        let fault = lock(&self.faults).get(asked.path.trim_start_matches('/')).cloned();
        match fault {
            Some(Fault::Status(status)) => (status, String::new(), String::new()),
            Some(Fault::Says(value)) => (200, String::new(), value.to_string()),
            Some(Fault::Sleeps(time)) => {
                thread::sleep(time);
                (200, String::new(), (self.data)(asked).to_string())
            }
            Some(Fault::Hangs) => {
                let name = asked.path.trim_start_matches('/');
                while matches!(lock(&self.faults).get(name), Some(Fault::Hangs)) {
                    thread::sleep(Duration::from_millis(1));
                }
                (200, String::new(), (self.data)(asked).to_string())
            }
            None => (200, String::new(), (self.data)(asked).to_string()),
        }
    }
}

/// More than any document asks for: what is not asked is not looked at.
fn data(asked: &Asked) -> Value {
    let product = |upc: &Value| json!({ "__typename": "Product", "upc": upc, "name": format!("Product {}", upc.as_str().unwrap()), "inStock": upc != "2" });
    let of_shop = || {
        json!({
            "products": [product(&json!("1")), product(&json!("2"))],
            "product": product(&json!("1")),
            "rename": product(&json!("1")),
        })
    };
    let entities = asked.body["variables"]["representations0"].as_array();
    let entities =
        entities.map(|all| all.iter().map(|one| product(&one["upc"])).collect::<Vec<_>>());
    let mut data = if asked.path == "/shop" { of_shop() } else { json!({ "stores": 3 }) };
    if let Some(entities) = entities {
        data["_entities"] = entities.into();
    }
    json!({ "data": data })
}

fn read(reader: &mut impl BufRead) -> Option<(String, Asked)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let value = value.trim();
        headers
            .entry(name.to_ascii_lowercase())
            .and_modify(|before| *before = [before, ", ", value].concat())
            .or_insert_with(|| value.to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Some((method, Asked { path, headers, body }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
