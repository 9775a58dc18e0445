//! Neo4j for tests: one at a time, each test with an empty graph, and nothing stays.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use testkit::neo4j::{self, Connection, Value};

fn integers(numbers: &[i64]) -> Vec<Vec<Value>> {
    vec![numbers.iter().map(|number| Value::Integer(*number)).collect()]
}

#[test]
fn a_graph_is_empty_and_nobody_elses() {
    let Some(graph) = neo4j::take().expect("a graph") else { return };
    let read = graph
        .run(
            "CREATE CONSTRAINT `a``b` FOR (n:`Odd; ``label`) REQUIRE n.id IS UNIQUE;
             CREATE INDEX FOR (n:Other) ON (n.name); // done;
             CREATE (:`Odd; ``label` { id: 1, text: 'a;\\u00fc', list: [1.5, 2.0], on: date('2020-02-29') })
                 -[:KNOWS { since: 7 }]->(:Other);
             MATCH (a)-[r]->(b) RETURN a.text, a.list, a.on, r.since, b.name, labels(b), a {.id}",
        )
        .expect("an answer");
    let text: Vec<_> = read.iter().flatten().map(Value::to_string).collect();
    let expected = ["\"a;ü\"", "[1.5, 2.0]", "D(18321)", "7", "null", "[\"Other\"]", "{id: 1}"];
    assert_eq!(text, expected);
    let refused = graph.run("MATCH (n) RETRUN n").expect_err("no Cypher").to_string();
    assert!(refused.starts_with("Neo.ClientError.Statement.SyntaxError: "), "{refused}");
    assert!(refused.ends_with("MATCH (n) RETRUN n"), "{refused}");

    let (sender, receiver) = mpsc::channel();
    let other = thread::spawn(move || {
        let graph = neo4j::take().expect("a graph").expect("it was there before");
        sender.send(()).expect("the test waits");
        let nodes = graph.run("MATCH (n) RETURN count(n)").expect("a number");
        (nodes, graph.run("SHOW INDEXES YIELD type").expect("indexes"))
    });
    let meanwhile = receiver.recv_timeout(Duration::from_millis(300));
    assert!(meanwhile.is_err(), "two tests have the graph at the same time");
    drop(graph);
    let (nodes, indexes) = other.join().expect("the other test");
    assert_eq!(nodes, integers(&[0]));
    assert!(indexes.iter().flatten().all(|kind| kind.text() == Some("LOOKUP")), "{indexes:?}");
}

#[test]
fn a_server_with_a_password_ends_when_its_process_is_killed() {
    let mut process = Command::new(env!("CARGO_BIN_EXE_hold_graph"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("a second process");
    let mut started = String::new();
    BufReader::new(process.stdout.take().expect("its output"))
        .read_line(&mut started)
        .expect("a line");
    let words: Vec<&str> = started.split_whitespace().collect();
    let [port, password, folder] = words[..] else {
        process.wait().expect("ended");
        return;
    };
    let port = port.parse().expect("a port");
    let answer = Connection::open(port, Some(password))
        .and_then(|mut connection| connection.query("RETURN 2, 3"))
        .expect("an answer");
    assert_eq!(answer, integers(&[2, 3]));
    for password in [None, Some("another one")] {
        let refused = Connection::open(port, password).expect_err("nobody").to_string();
        assert!(refused.starts_with("Neo.ClientError.Security.Unauthorized"), "{refused}");
    }

    process.kill().expect("killed");
    process.wait().expect("ended");
    let killed = Instant::now();
    while Path::new(folder).exists() {
        assert!(killed.elapsed() < Duration::from_secs(20), "the server outlives its process");
        thread::sleep(Duration::from_millis(20));
    }
    assert!(Connection::open(port, None).is_err(), "the server still listens");
}
