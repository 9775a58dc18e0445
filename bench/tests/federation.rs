//! The subgraphs of the suite `federation`, as they are started for gateways.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gateway::execute::{self, FetchError, FetchRequest, FetchResponse, Options};
use gateway::planner::Labels;
use graphql::Validator;
use serde_json::{Value, json};
use supergraph::{Supergraph, read};
use testkit::federation::Question;
use testkit::federation::clock::Clock;
use testkit::federation::question::Planned;

/// It ends with the test.
struct Subgraphs {
    port: u16,
    child: Child,
}

impl Subgraphs {
    fn start(words: &[&str]) -> io::Result<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        command.args(["federation-subgraphs", "--port", &port.to_string()]).args(words);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take();
        let subgraphs = Self { port, child };
        // It says where it listens once it does.
        output.ok_or(io::ErrorKind::BrokenPipe)?.read_exact(&mut [0])?;
        Ok(subgraphs)
    }

    /// The body of the answer.
    fn ask(&self, path: &str, body: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        let head = format!(
            "POST /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + body).as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (_, body) = answer.split_once("\r\n\r\n").ok_or(io::ErrorKind::InvalidData)?;
        Ok(body.to_owned())
    }
}

impl Drop for Subgraphs {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn four_paths_answer_in_both_forms_and_are_counted() {
    let body = json!({ "query": "{ topProducts(first: 1) { upc name } }" }).to_string();
    let expected = r#"{"data":{"topProducts":[{"upc":"1","name":"Bench"}]}}"#;
    for words in [&[][..], &["--canned"][..]] {
        let subgraphs = Subgraphs::start(words).unwrap();
        assert_eq!(subgraphs.ask("products", &body).unwrap(), expected);
        assert_eq!(subgraphs.ask("products", &body).unwrap(), expected);
        assert!(
            subgraphs
                .ask("accounts", &body)
                .unwrap()
                .contains("no field `topProducts` in `accounts`")
        );
        assert_eq!(subgraphs.ask("elsewhere", &body).unwrap(), "");
        let counts: Value = serde_json::from_str(&subgraphs.ask("counts", "").unwrap()).unwrap();
        let (asked, answered) = (2 * body.len(), 2 * expected.len());
        let products = json!({ "requests": 2, "asked_bytes": asked, "answered_bytes": answered });
        assert_eq!(counts["products"], products);
        assert_eq!(counts["accounts"]["requests"], 1);
        assert_eq!(counts.as_object().unwrap().len(), 2);
    }
}

#[test]
fn answers_wait_as_long_as_is_said() {
    let delay = Duration::from_millis(120);
    let subgraphs = Subgraphs::start(&["--delay", &delay.as_millis().to_string()]).unwrap();
    let started = Instant::now();
    let body = json!({ "query": "{ me { id } }" }).to_string();
    let answer = subgraphs.ask("accounts", &body).unwrap();
    assert_eq!(answer, r#"{"data":{"me":{"id":"1"}}}"#);
    assert!(started.elapsed() >= delay, "it has not waited");
}

/// The subgraphs as the gateway's own crate asks them.
struct Asked<'a> {
    supergraph: &'a Supergraph,
    subgraphs: &'a Subgraphs,
}

impl execute::Subgraphs for Asked<'_> {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<FetchResponse, FetchError> {
        let name = &self.supergraph.subgraph(request.subgraph).name;
        let body = String::from_utf8_lossy(&request.body);
        let answer = self.subgraphs.ask(name, &body).map_err(|_| FetchError::Unavailable)?;
        Ok(bytes::Bytes::from(answer).into())
    }
}

/// Asks the published query, and gives the answer, how many requests were planned, and how many the
/// subgraphs got.
fn ask_shop(words: &[&str], options: Options) -> (String, usize, u64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("federation");
    let supergraph = read(&fs::read_to_string(folder.join("supergraph.graphql")).unwrap()).unwrap();
    let text = fs::read_to_string(folder.join("query.graphql")).unwrap();
    let (variables, labels) = (serde_json_bytes::Map::new(), Labels::default());
    let question = Question { text: &text, variables: &variables, labels: &labels, access: None };
    let validator = Validator::new(&supergraph.api.schema);
    let planned = Planned::new(&supergraph, &validator, question).unwrap();
    let subgraphs = Subgraphs::start(words).unwrap();
    let asked = Asked { supergraph: &supergraph, subgraphs: &subgraphs };
    let ran = planned.run(&supergraph, &asked, &Clock::default(), options).unwrap();
    assert!(ran.errors.is_empty(), "{:?}", ran.errors);
    let counts: Value = serde_json::from_str(&subgraphs.ask("counts", "").unwrap()).unwrap();
    let counts = counts.as_object().unwrap().values();
    let sent = counts.map(|count| count["requests"].as_u64().unwrap()).sum();
    (ran.data, planned.plan.fetches.len(), sent)
}

#[test]
fn of_the_published_query_four_requests_are_sent() {
    let (data, planned, sent) = ask_shop(&[], Options::default());
    assert_eq!((planned, sent), (7, 4));
    assert!((85_000..90_000).contains(&data.len()), "{}", data.len());
    // Without reuse all that is planned is sent, for the same answer.
    let all = ask_shop(&[], Options { reuse: false, ..Options::default() });
    assert_eq!(all, (data, 7, 7));
}

/// Seven would be sent by a plan of eight requests that asks for `inStock`, which needs no more than
/// the key, before `shippingEstimate`, which needs the price and the weight: its two requests about
/// the sixth product are one here, which ends no later, since the answer waits for both.
#[test]
fn with_a_sixth_product_six_requests_are_sent() {
    let words = ["--sixth-product"];
    let (data, planned, sent) = ask_shop(&words, Options::default());
    assert_eq!((planned, sent), (7, 6));
    let all = ask_shop(&words, Options { reuse: false, ..Options::default() });
    assert_eq!(all, (data, 7, 7));
}
