//! Whether a server understands all statements.

use cypher::{Clause, Expression, Flavor, Labels, Name, NodePattern, Path, Query, Variable};
use testkit::neo4j::Value;

use super::model::Movies;
use super::{filters, groups, keyed, reads, searches, writes};

#[test]
fn a_server_plans_every_statement() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let mut connection = graph.connect().unwrap();
    let movies = Movies::new();
    let cases = [
        reads::cases(&movies),
        filters::cases(&movies),
        groups::cases(&movies),
        keyed::cases(&movies),
        searches::cases(&movies),
        writes::cases(&movies),
    ];
    let older = Flavor { says_version: false, scope_clause: false, ..Flavor::NEWEST };
    for case in cases.iter().flatten() {
        for flavor in [Flavor::NEWEST, older] {
            let program = movies.compile(&case.request, flavor);
            let touched = movies.compile_touched(&case.request, flavor);
            for statement in program.statements().chain(touched.statements()) {
                let planned = connection.query(&format!("EXPLAIN {}", statement.text));
                assert!(planned.is_ok(), "{}: {}\n{planned:?}", case.name, statement.text);
            }
        }
    }
}

#[test]
fn hostile_names_become_labels_and_properties_of_the_same_name() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let mut connection = graph.connect().unwrap();
    let hostile = [
        "a`b",
        "`) DETACH DELETE (n) //",
        "\\",
        "\\u0060",
        "\\u005C",
        "\\\\u0041",
        "x\\u",
        "\n",
        "a.b",
        "$p0",
        "Ä🎬",
    ];
    for hostile in hostile {
        let name = || Name(hostile.into());
        let node = NodePattern {
            variable: Some(Variable::Element(0)),
            labels: Labels::all(vec![name()]),
            properties: vec![(name(), Expression::Boolean(true))],
        };
        let create = Query::of(vec![Clause::Create(vec![Path::node(node)])]);
        let text = cypher::print(&create, &Flavor::NEWEST);
        assert!(connection.query(&text).is_ok(), "{text}");
        let nodes = connection.query("MATCH (n) RETURN labels(n)[0], keys(n)[0]").unwrap();
        let texts = nodes.iter().flatten().map(Value::text);
        assert_eq!(texts.collect::<Vec<_>>(), [Some(hostile); 2], "{hostile}");
        connection.query("MATCH (n) DETACH DELETE n").unwrap();
    }
}
