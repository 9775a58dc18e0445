//! A stand-in for GraphOS Uplink, Hive's CDN and S3-compatible storage: a server that knows one key of
//! each, and checks it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Instant;

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The keys that it knows; no log may have them.
pub(crate) const UPLINK_KEY: &str = "service:shop:Zx7-uplink";
pub(crate) const HIVE_KEY: &str = "hvZx7-hive";
pub(crate) const ACCESS_KEY_ID: &str = "AKZx7ID";
pub(crate) const SECRET_ACCESS_KEY: &str = "Zx7/secret+key";

pub(crate) const GRAPH_REF: &str = "shop@current";
/// The path of the target in Hive's CDN.
pub(crate) const TARGET: &str = "/artifacts/v1/1f2e";
/// A bucket and a key, of which one character is encoded.
pub(crate) const OBJECT: &str = "schemas/shop graph.graphql";
const OBJECT_PATH: &str = "/schemas/shop%20graph.graphql";
pub(crate) const REGION: &str = "eu-central-1";

/// A stand-in that answers by its state.
#[derive(Debug)]
pub(crate) struct StandIn {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    says: Mutex<Says>,
    asked: Mutex<Vec<Asked>>,
    is_over: AtomicBool,
}

/// What it says to those who have the key.
#[derive(Clone, Debug)]
pub(crate) enum Says {
    /// A document and the name of its version, and the pause that Uplink asks for.
    Document { text: String, version: String, min_delay: f64 },
    /// A status, further headers, and a body.
    Status(u16, &'static str, String),
    /// An error of Uplink.
    FetchError(&'static str),
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) at: Instant,
    /// The status of the answer, and whether it had a document.
    pub(crate) status: u16,
    pub(crate) has_document: bool,
}

impl StandIn {
    pub(crate) fn start(says: Says) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State {
            says: Mutex::new(says),
            asked: Mutex::default(),
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

    pub(crate) fn says(&self, says: Says) {
        *lock(&self.state.says) = says;
    }

    pub(crate) fn publish(&self, text: &str, version: &str) {
        self.says(document(text, version));
    }

    /// All requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        lock(&self.state.asked).clone()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

pub(crate) fn document(text: &str, version: &str) -> Says {
    Says::Document { text: text.to_owned(), version: version.to_owned(), min_delay: 0.0 }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        // So that the thread that waits for connections sees it.
        drop(TcpStream::connect(self.address));
    }
}

/// A request as it came.
struct Request {
    method: String,
    path: String,
    /// Names in lower case.
    headers: BTreeMap<String, String>,
    body: Value,
}

impl State {
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(request) = read(&mut reader) {
            let at = Instant::now();
            let says = lock(&self.says).clone();
            let (status, headers, body) = match (request.method.as_str(), &*request.path) {
                ("POST", "/") => of_uplink(&request, says),
                ("GET", OBJECT_PATH) => of_s3(&request, says),
                ("GET", path) if path == format!("{TARGET}/supergraph") => of_hive(&request, says),
                _ => (404, String::new(), "no such path".to_owned()),
            };
            let has_document = status == 200 && body.contains("join__Graph");
            lock(&self.asked).push(Asked { at, status, has_document });
            let length = body.len();
            let head =
                format!("HTTP/1.1 {status} Whatever\r\nContent-Length: {length}\r\n{headers}\r\n");
            let mut stream = stream;
            if stream.write_all([head, body].concat().as_bytes()).is_err() {
                return;
            }
        }
    }
}

fn of_uplink(request: &Request, says: Says) -> (u16, String, String) {
    let variables = &request.body["variables"];
    let query = request.body["query"].as_str().unwrap();
    for part in ["routerConfig(ref: $ref, apiKey: $apiKey, ifAfterId: $ifAfterId)", "supergraphSDL"]
    {
        assert!(query.contains(part), "{query}");
    }
    let error = |code: &str| {
        // It repeats the key, which the gateway must not.
        let message = format!("refused: {}", variables["apiKey"].as_str().unwrap());
        json!({ "__typename": "FetchError", "code": code, "message": message })
    };
    let config = match says {
        _ if variables["apiKey"] != UPLINK_KEY => error("AUTHENTICATION_FAILED"),
        _ if variables["ref"] != GRAPH_REF => error("UNKNOWN_REF"),
        Says::FetchError(code) => error(code),
        Says::Document { version, min_delay, .. } if variables["ifAfterId"] == version.as_str() => {
            json!({ "__typename": "Unchanged", "id": version, "minDelaySeconds": min_delay })
        }
        Says::Document { text, version, min_delay } => json!({
            "__typename": "RouterConfigResult",
            "id": version,
            "supergraphSDL": text,
            "minDelaySeconds": min_delay,
        }),
        Says::Status(status, headers, body) => return (status, headers.to_owned(), body),
    };
    (200, String::new(), json!({ "data": { "routerConfig": config } }).to_string())
}

fn of_hive(request: &Request, says: Says) -> (u16, String, String) {
    match request.headers.get("x-hive-cdn-key").map(String::as_str) {
        Some(HIVE_KEY) => of_storage(request, says),
        Some(_) => (403, String::new(), r#"{"code":"INVALID_KEY"}"#.to_owned()),
        None => (401, String::new(), r#"{"code":"MISSING_AUTH_KEY"}"#.to_owned()),
    }
}

fn of_s3(request: &Request, says: Says) -> (u16, String, String) {
    let authorization = &request.headers["authorization"];
    let error = |code: &str| {
        // S3 repeats what it was given.
        let body = format!(
            "<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>x</Message>\
             <AWSAccessKeyId>{ACCESS_KEY_ID}</AWSAccessKeyId></Error>"
        );
        (403, String::new(), body)
    };
    let (_, credential) = authorization.split_once("Credential=").unwrap();
    if !credential.starts_with(&format!("{ACCESS_KEY_ID}/")) {
        return error("InvalidAccessKeyId");
    }
    if !authorization.ends_with(&["Signature=", &signature(request)].concat()) {
        return error("SignatureDoesNotMatch");
    }
    of_storage(request, says)
}

fn of_storage(request: &Request, says: Says) -> (u16, String, String) {
    match says {
        Says::Document { text, version, .. } => {
            let tag = format!("\"{version}\"");
            match request.headers.get("if-none-match") == Some(&tag) {
                true => (304, String::new(), String::new()),
                false => (200, format!("ETag: {tag}\r\n"), text),
            }
        }
        Says::Status(status, headers, body) => (status, headers.to_owned(), body),
        Says::FetchError(code) => (500, String::new(), code.to_owned()),
    }
}

/// The signature that a request must have: of what came, by the steps of
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>
fn signature(request: &Request) -> String {
    let authorization = &request.headers["authorization"];
    let (_, signed) = authorization.split_once("SignedHeaders=").unwrap();
    let (signed, _) = signed.split_once(',').unwrap();
    let names: Vec<&str> = signed.split(';').collect();
    for wanted in ["host", "x-amz-content-sha256", "x-amz-date"] {
        assert!(names.contains(&wanted), "{signed}");
    }
    let headers: String =
        names.iter().map(|name| format!("{name}:{}\n", request.headers[*name])).collect();
    let hash = &request.headers["x-amz-content-sha256"];
    let canonical = format!("{}\n{}\n\n{headers}\n{signed}\n{hash}", request.method, request.path);
    let time = &request.headers["x-amz-date"];
    let date = &time[..8];
    let scope = format!("{date}/{REGION}/s3/aws4_request");
    let to_sign = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
    let mut key = format!("AWS4{SECRET_ACCESS_KEY}").into_bytes();
    for part in [date, REGION, "s3", "aws4_request", &to_sign] {
        key = sign(&Key::new(HMAC_SHA256, &key), part.as_bytes()).as_ref().to_vec();
    }
    hex(&key)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Some(Request { method, path, headers, body })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
