//! Neo4j is killed and started again under load, and something else answers in its place.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use crate::faults::breaker::{Breaker, Mode};
use crate::faults::graphs::{ARTISTS, QUERY, address, artists, count, serve};
use crate::faults::load::Load;
use crate::program::PATIENCE;
use crate::served::{SOON, code, happens_within, receive};

/// Clients that change something, and how often each of them does.
const CLIENTS: usize = 4;
const CHANGES: usize = 50;

const CREATE: &str = "mutation { createArtists(input: [{ id: 9 }]) { info { nodesCreated } } }";

fn is_made(answer: &Value) -> bool {
    answer["data"]["createArtists"]["info"]["nodesCreated"] == 1
}

#[test]
fn every_request_is_answered_while_neo4j_is_killed_and_started_again() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph.run(ARTISTS).unwrap();
    let options = ["--threads", "2", "--connections", "6"];
    let (mut served, _folder) = serve(&graph.address("bolt"), &options);
    assert_eq!(served.ask(QUERY), artists());
    let files = served.open_files();
    let load = Load::start(served.address, 4, QUERY);
    let more = |load: &Load, count| {
        let wanted = load.answered() + count;
        assert!(happens_within(PATIENCE, || load.answered() >= wanted), "{}", served.log());
    };
    more(&load, 100);
    graph.kill_server().unwrap();
    more(&load, 100);
    for answer in &load.stop() {
        assert!(*answer == artists() || code(answer) == "UNAVAILABLE", "{answer}");
    }
    for query in [QUERY, CREATE].iter().cycle().take(20) {
        assert_eq!(code(&served.ask_quickly(query)), "UNAVAILABLE");
    }
    graph.start_server_again().unwrap();
    assert!(happens_within(PATIENCE, || served.ask(QUERY) == artists()), "{}", served.log());
    // Connections that were there before are replaced without a word.
    let load = Load::start(served.address, 4, QUERY);
    more(&load, 100);
    assert!(load.stop().iter().all(|answer| *answer == artists()), "{}", served.log());
    assert_eq!(count(&graph, 9), 0);
    assert!(is_made(&served.ask_quickly(CREATE)));
    assert_eq!(count(&graph, 9), 1);
    assert!(happens_within(SOON, || served.open_files() <= files + 6), "{files}");
    served.assert_lives();
}

#[test]
fn a_change_is_there_if_it_was_acknowledged_before_neo4j_was_killed() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph.run(ARTISTS).unwrap();
    let (served, _folder) = serve(&graph.address("bolt"), &["--connections", "4"]);
    assert_eq!(served.ask(QUERY), artists());
    let served = Arc::new(served);
    let answered = Arc::new(AtomicUsize::new(0));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (served, answered) = (Arc::clone(&served), Arc::clone(&answered));
            thread::spawn(move || {
                let ask = |_| {
                    let answer = receive(served.send(CREATE));
                    answered.fetch_add(1, Ordering::Relaxed);
                    answer
                };
                (0..CHANGES).map(ask).collect::<Vec<Value>>()
            })
        })
        .collect();
    let some = || answered.load(Ordering::Relaxed) >= CLIENTS * CHANGES / 4;
    assert!(happens_within(PATIENCE, some), "{}", served.log());
    graph.kill_server().unwrap();
    let answers: Vec<Value> =
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
    graph.start_server_again().unwrap();
    let made = answers.iter().filter(|answer| is_made(answer)).count();
    let unknown = answers.iter().filter(|answer| code(answer) == "OUTCOME_UNKNOWN").count();
    let unavailable = answers.iter().filter(|answer| code(answer) == "UNAVAILABLE").count();
    assert_eq!(made + unknown + unavailable, CLIENTS * CHANGES, "{answers:?}");
    let there = usize::try_from(count(&graph, 9)).unwrap();
    assert!((made..=made + unknown).contains(&there), "{made}, {unknown}, and {there} are there");
    // There were changes before and after.
    assert!(made >= CLIENTS * CHANGES / 4 - CLIENTS, "{made}");
    assert!(happens_within(PATIENCE, || served.ask(QUERY) == artists()), "{}", served.log());
}

#[test]
fn what_answers_in_the_place_of_neo4j_is_not_believed() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph.run(ARTISTS).unwrap();
    let breaker = Breaker::to(graph.port());
    let (mut served, _folder) =
        serve(&address(breaker.port), &["--threads", "1", "--connections", "4"]);
    assert_eq!(served.ask(QUERY), artists());
    let files = served.open_files();
    let mut there = 0;
    for _ in 0..3 {
        breaker.set(Mode::Garbled);
        // By the connection that is there, and then by none, as none can be begun.
        let answer = served.ask_quickly(CREATE);
        served.assert_masked(
            &answer,
            "OUTCOME_UNKNOWN",
            "The data source did not say whether the change was made: look before you send it again.",
            "",
        );
        for query in [QUERY, CREATE].iter().cycle().take(20) {
            assert_eq!(code(&served.ask_quickly(query)), "UNAVAILABLE");
        }
        breaker.set(Mode::Open);
        for _ in 0..10 {
            assert_eq!(served.ask_quickly(QUERY), artists());
        }
        // It was made, or not: a server whose client goes away at its first word takes it back.
        let now = count(&graph, 9);
        assert!(now == there || now == there + 1, "{there}, then {now}");
        assert!(is_made(&served.ask_quickly(CREATE)));
        there = now + 1;
        assert_eq!(count(&graph, 9), there);
        breaker.set(Mode::Garbled);
        assert_eq!(code(&served.ask_quickly(QUERY)), "SOURCE_ERROR");
        breaker.set(Mode::Open);
        assert_eq!(served.ask_quickly(QUERY), artists());
    }
    assert!(happens_within(SOON, || served.open_files() <= files + 2), "{files}");
    served.assert_lives();
}
