//! Neo4j goes away and comes back, falls silent, and works for clients that have left.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::neo4j::Graph;

use crate::faults::breaker::{Breaker, Mode};
use crate::faults::load::Load;
use crate::faults::proxy::Proxy;
use crate::program::{Folder, PATIENCE};
use crate::served::{SOON, Served, code, happens_within, receive_with};

const TYPES: &str = "
    type Artist @node {
        id: Int!
        near: [Artist!]! @relationship(type: \"NEAR\", direction: OUT)
    }";
pub(crate) const ARTISTS: &str = "CREATE (:Artist {id: 1})-[:NEAR]->(:Artist {id: 2})";
pub(crate) const QUERY: &str = "{ artists(where: { id: { eq: 1 } }) { id near { id } } }";

/// Hours, if nobody stops it: a way of six steps among nodes that are all near each other.
const CROWD: &str = "
    UNWIND range(1, 60) AS id CREATE (:Artist {id: id});
    MATCH (one:Artist), (other:Artist) CREATE (one)-[:NEAR]->(other)";
const ENDLESS: &str = "{ artists(where: { near: { some: { near: { some: { near: { some: { near: {
    some: { near: { some: { near: { some: { id: { eq: 0 } } } } } } } } } } } } } }) { id } }";

pub(crate) fn artists() -> Value {
    json!({ "data": { "artists": [{ "id": 1, "near": [{ "id": 2 }] }] } })
}

/// The program, and the folder of its type definitions.
pub(crate) fn serve(address: &str, options: &[&str]) -> (Served, Folder) {
    let folder = Folder::new();
    let types = folder.file("types.graphql");
    fs::write(&types, TYPES).unwrap();
    let mut arguments = vec!["--types", types.to_str().unwrap()];
    arguments.extend(options);
    (Served::start(address, &arguments), folder)
}

pub(crate) fn address(port: u16) -> String {
    format!("bolt://127.0.0.1:{port}")
}

/// How many nodes have an id.
pub(crate) fn count(graph: &Graph, id: i64) -> i64 {
    let text = format!("MATCH (n:Artist {{id: {id}}}) RETURN count(n)");
    match graph.run(&text).unwrap()[0][0] {
        testkit::neo4j::Value::Integer(count) => count,
        ref other => panic!("{other:?}"),
    }
}

/// Whether the server works on a query of the program.
fn works(graph: &Graph) -> bool {
    let text = "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS 'EXISTS' \
                AND NOT currentQuery CONTAINS 'SHOW' RETURN currentQuery";
    !graph.run(text).unwrap().is_empty()
}

#[test]
fn every_request_is_answered_while_neo4j_goes_away_and_comes_back() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph.run(ARTISTS).unwrap();
    let breaker = Breaker::to(graph.port());
    let (mut served, _folder) = serve(&address(breaker.port), &["--connections", "6"]);
    assert_eq!(served.ask(QUERY), artists());
    let files = served.open_files();
    let load = Load::start(served.address, 8, QUERY);
    let more = |count| {
        let wanted = load.answered() + count;
        assert!(happens_within(PATIENCE, || load.answered() >= wanted), "{}", served.log());
    };
    for _ in 0..3 {
        more(50);
        breaker.set(Mode::Closed);
        more(50);
        let answer = served.ask_quickly(QUERY);
        served.assert_masked(
            &answer,
            "UNAVAILABLE",
            "The data source cannot be reached.",
            "closed",
        );
        breaker.set(Mode::Open);
        assert!(happens_within(SOON, || served.ask(QUERY) == artists()));
    }
    more(50);
    for answer in &load.stop() {
        assert!(*answer == artists() || code(answer) == "UNAVAILABLE", "{answer}");
    }
    assert!(happens_within(SOON, || served.open_files() <= files + 6), "{files}");
    served.assert_lives();
}

#[test]
fn connections_to_neo4j_that_were_closed_meanwhile_are_replaced_without_a_word() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph.run(ARTISTS).unwrap();
    let breaker = Breaker::to(graph.port());
    let (served, _folder) = serve(&address(breaker.port), &["--threads", "1"]);
    let create = "mutation { createArtists(input: [{ id: 9 }]) { info { nodesCreated } } }";
    for made in 1..=5 {
        assert_eq!(served.ask_quickly(QUERY), artists());
        breaker.set(Mode::Closed);
        std::thread::sleep(Duration::from_millis(50));
        breaker.set(Mode::Open);
        let answer = served.ask_quickly(create);
        assert_eq!(answer["data"]["createArtists"]["info"]["nodesCreated"], 1, "{answer}");
        assert_eq!(count(&graph, 9), made);
        breaker.set(Mode::Closed);
        std::thread::sleep(Duration::from_millis(50));
        breaker.set(Mode::Open);
    }
}

#[test]
fn a_change_of_a_graph_whose_answer_was_lost_is_not_made_again() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph.run(ARTISTS).unwrap();
    let breaker = Breaker::to(graph.port());
    let (mut served, _folder) = serve(&address(breaker.port), &["--threads", "1"]);
    assert_eq!(served.ask_quickly(QUERY), artists());
    for id in [20, 21, 22] {
        breaker.set(Mode::Mute);
        let create =
            format!("mutation {{ createArtists(input: [{{ id: {id} }}]) {{ artists {{ id }} }} }}");
        let sent = served.send(&create);
        assert!(happens_within(SOON, || count(&graph, id) == 1));
        breaker.set(Mode::Closed);
        let answer = receive_with(200, sent);
        assert_eq!(code(&answer), "OUTCOME_UNKNOWN", "{answer}");
        breaker.set(Mode::Open);
        assert_eq!(served.ask_quickly(QUERY), artists());
        assert_eq!(count(&graph, id), 1);
    }
    // What only reads is asked again.
    breaker.set(Mode::Mute);
    let sent = served.send(QUERY);
    std::thread::sleep(Duration::from_millis(100));
    breaker.set(Mode::Closed);
    std::thread::sleep(Duration::from_millis(5));
    breaker.set(Mode::Open);
    let answer = receive_with(200, sent);
    assert!(answer == artists() || code(&answer) == "UNAVAILABLE", "{answer}");
    served.assert_lives();
}

#[test]
fn neo4j_stops_the_statement_of_a_client_that_left() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph.run(CROWD).unwrap();
    let (mut served, _folder) =
        serve(&graph.address("bolt"), &["--threads", "1", "--connections", "2"]);
    for _ in 0..2 {
        let abandoned = [served.send(ENDLESS), served.send(ENDLESS)];
        assert!(happens_within(SOON, || works(&graph)));
        drop(abandoned);
        assert!(happens_within(SOON, || !works(&graph)), "it goes on for nobody");
        let answer = served.ask_quickly("{ artists(where: { id: { eq: 1 } }) { id } }");
        assert_eq!(answer, json!({ "data": { "artists": [{ "id": 1 }] } }));
    }
    served.assert_lives();
}

#[test]
fn neo4j_ends_by_itself_what_a_program_out_of_reach_has_asked_for() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph.run(CROWD).unwrap();
    let proxy = Proxy::to(graph.port());
    let options = ["--threads", "1", "--connections", "1", "--request-timeout", "2s"];
    let (served, _folder) = serve(&address(proxy.port), &options);
    let slow = served.send(ENDLESS);
    assert!(happens_within(SOON, || works(&graph)));
    // What the program says from now on does not come, nor that it has gone.
    proxy.block(true);
    drop(served);
    assert!(happens_within(PATIENCE, || !works(&graph)), "it goes on for nobody");
    drop(slow);
}

#[test]
fn a_neo4j_that_is_slow_or_silent_holds_nobody_for_longer_than_they_wait() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph.run(CROWD).unwrap();
    let proxy = Proxy::to(graph.port());
    let options = [
        "--threads",
        "1",
        "--connections",
        "1",
        "--acquire-timeout",
        "300ms",
        "--request-timeout",
        "2s",
    ];
    let (mut served, _folder) = serve(&address(proxy.port), &options);
    let slow = served.send(ENDLESS);
    assert!(happens_within(SOON, || works(&graph)));
    // The only connection is in use.
    let answer = receive_with(503, served.send(QUERY));
    assert_eq!(code(&answer), "OVERLOADED", "{answer}");
    let answer = served_any(slow);
    assert_eq!(code(&answer), "TIMEOUT", "{answer}");
    assert!(happens_within(SOON, || !works(&graph)), "it goes on for nobody");
    let short = "{ artists(where: { id: { eq: 1 } }) { id } }";
    let expected = json!({ "data": { "artists": [{ "id": 1 }] } });
    assert_eq!(served.ask_quickly(short), expected);
    proxy.block(true);
    let answer = served_any(served.send(short));
    assert_eq!(code(&answer), "TIMEOUT", "{answer}");
    proxy.block(false);
    assert!(happens_within(SOON, || served.ask_any(short) == expected));
    served.assert_lives();
}

/// The answer, whatever its status.
fn served_any(stream: std::net::TcpStream) -> Value {
    let answer = crate::program::read_answer(&mut std::io::BufReader::new(stream), true);
    serde_json::from_str(&answer.body).unwrap()
}

#[test]
fn a_database_that_neo4j_does_not_have_is_told_in_the_log() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let (mut served, _folder) = serve(&format!("{}?database=nothing", graph.address("bolt")), &[]);
    let answer = served.ask_quickly(QUERY);
    served.assert_masked(&answer, "UNAVAILABLE", "The data source cannot be reached.", "nothing");
    served.assert_lives();
}
