//! The subgraphs of the suite `federation`, as they are started for gateways.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

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
