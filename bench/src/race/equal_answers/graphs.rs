//! Equal answers on a graph: both versions of the dialect answer alike, and as the floors.

use serde_json::{Value, json};
use testkit::neo4j;

use super::built::workspace;
use super::{SETS, data_of, start};
use crate::http::Connection;
use crate::race::data;
use crate::race::floor::graph::GraphFloor;
use crate::race::suite::{load, variables};
use crate::race::written::{Store, Written};

/// Both have the same definitions, each in its form.
const FORMS: [(&str, &str); 2] = [("neo4j", "7"), ("neo4j-3", "3")];

#[test]
fn every_query_of_the_movies_is_answered_alike() {
    let suites = load(&workspace().join("bench")).expect("the suites");
    let suite = suites.iter().find(|suite| suite.id == "movies").expect("the suite");
    let Some(graph) = neo4j::take().expect("a graph") else { return };
    data::fill_graph(suite, &graph).expect("nodes");
    let folder = tempfile::tempdir().expect("a folder");
    let mut asked_of_both = 0;
    let servers = FORMS.map(|(dialect, form)| {
        let types = suite.write_types(dialect, folder.path()).expect("types").expect("types");
        let options = ["--neo4j-api", form, "--types", types.to_str().expect("a path")];
        (dialect, start("neo4j", &options, &graph.address("bolt"), folder.path()))
    });
    for query in &suite.queries {
        let id = &query.file.id;
        let floor = GraphFloor::read(suite, query).expect("a floor's files").expect("a floor");
        let sets = variables::sets(&query.file.variables, SETS);
        let mut answers: Option<Vec<String>> = None;
        for (dialect, server) in &servers {
            let Some(text) = query.texts.get(*dialect) else { continue };
            let mut connection = Connection::open(server.port).expect("a connection");
            let said: Vec<Vec<u8>> = sets
                .iter()
                .map(|set| json!({ "query": text, "variables": set }).to_string())
                .map(|body| connection.post(&body).expect("an answer"))
                .collect();
            let data: Vec<String> = said.iter().map(|answer| data_of(answer)).collect();
            if let Some(writes) = &query.file.writes {
                let written = Written { writes, store: Store::Graph(&graph) };
                written.check(&sets, Some(&said)).unwrap_or_else(|told| panic!("{id}: {told}"));
                written.take_back().unwrap_or_else(|told| panic!("{id}: {told}"));
            } else {
                for (set, data) in sets.iter().zip(&data) {
                    let data: Value = serde_json::from_str(data).expect("JSON");
                    floor.check(&graph, set, &data).unwrap_or_else(|told| panic!("{told}"));
                }
            }
            match &answers {
                Some(others) => {
                    assert_eq!(*others, data, "{id}: {dialect} answers otherwise");
                    asked_of_both += 1;
                }
                None => answers = Some(data),
            }
        }
    }
    assert!(asked_of_both >= 4, "{asked_of_both}");
}
