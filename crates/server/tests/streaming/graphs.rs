//! Long answers from a graph.

use std::fs;

use testkit::neo4j::Graph;

use crate::program::Folder;
use crate::served::{SOON, Served, happens_within};
use crate::streaming::chunks::{Ending, Reading};

const TYPES: &str = "type Book @node { id: Int! text: String! }";
const ROWS: i64 = 10_000;
const FILL: &str = "
    CREATE INDEX books FOR (b:Book) ON (b.id);
    UNWIND range(1, 10000) AS id
    CREATE (:Book {id: id, text: reduce(t = '', n IN range(1, 30) | t + 'a line ') + id})";

/// How often each text is shown: the answer is many times as long as what it is made of, and longer
/// than all buffers on its way.
const SHOWN: usize = 16;
const SMALL: &str = "{ books(where: { id: { eq: 7 } }) { id } }";

fn query() -> String {
    let texts: Vec<String> = (0..SHOWN).map(|number| format!("t{number}: text")).collect();
    format!("{{ books(sort: {{ id: ASC }}) {{ id {} }} }}", texts.join(" "))
}

fn answer() -> String {
    let rows = (1..=ROWS).map(|id| {
        let text = format!("{}{id}", "a line ".repeat(30));
        let texts: Vec<String> =
            (0..SHOWN).map(|number| format!("\"t{number}\":\"{text}\"")).collect();
        format!("{{\"id\":{id},{}}}", texts.join(","))
    });
    format!("{{\"data\":{{\"books\":[{}]}}}}", rows.collect::<Vec<_>>().join(","))
}

fn serve(graph: &Graph, options: &[&str]) -> (Served, Folder) {
    graph.run(FILL).unwrap();
    let folder = Folder::new();
    let types = folder.file("types.graphql");
    fs::write(&types, TYPES).unwrap();
    let usual = ["--types", types.to_str().unwrap(), "--threads", "1", "--log-requests", "all"];
    (Served::start(&graph.address("bolt"), &[&usual, options].concat()), folder)
}

fn assert_small(served: &Served) {
    let expected = serde_json::json!({ "data": { "books": [{ "id": 7 }] } });
    assert_eq!(served.ask_quickly(SMALL), expected);
}

#[test]
fn long_answers_of_a_graph_come_in_pieces_and_hold_no_connection() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    // One of the two connections would serve a long answer of another source; here, none is held.
    let (served, _folder) = serve(&graph, &["--connections", "2"]);
    let (query, expected) = (query(), answer());
    let mut slow = Reading::begin(served.send(&query));
    assert!(slow.is_chunked(), "{}", slow.head);
    // There is one place: who finds none gets a whole answer.
    let whole = Reading::begin(served.send(&query));
    assert!(!whole.is_chunked(), "{}", whole.head);
    let length = format!("content-length: {}", expected.len());
    assert!(whole.head.contains(&length), "{}", whole.head);
    drop(whole);
    for _ in 0..5 {
        assert_small(&served);
    }
    let (bytes, ending) = slow.rest();
    assert_eq!((ending, bytes.len()), (Ending::Whole, expected.len()));
    assert!(bytes == expected.as_bytes());
    // The place is free again.
    let mut alone = Reading::begin(served.send(&query));
    assert!(alone.is_chunked(), "{}", alone.head);
    assert!(alone.rest().0 == expected.as_bytes());
}

#[test]
fn a_reader_of_a_graph_that_leaves_gives_its_place_back() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let (served, _folder) = serve(&graph, &["--connections", "2"]);
    let query = query();
    for round in 1..=3 {
        let reading = Reading::begin(served.send(&query));
        assert!(reading.is_chunked(), "{round}: {}", reading.head);
        drop(reading);
        let left = || served.log().matches("streamed=\"left\"").count() == round;
        assert!(happens_within(SOON, left), "{}", served.log());
        assert_small(&served);
        served.assert_rests();
    }
}
