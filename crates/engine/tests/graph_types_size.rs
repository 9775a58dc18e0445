//! A type of a graph takes little memory.

use std::fmt::Write;
use std::sync::Arc;

use catalog::Catalog;
use dialects::neo4j::definitions;
use dialects::neo4j::model::ApiVersion;
use dialects::{Declaration, Dialect, neo4j};
use testkit::allocation;

/// A fifth more than a type with three properties takes, whose inputs have an old form and a new
/// one: 34 types with 158 inputs in all.
const MOST_BYTES_A_TYPE: isize = 45_000;

/// Types in a ring, each with a way to the next one.
fn types(count: usize) -> String {
    let mut text = String::new();
    for number in 1..=count {
        let next = number % count + 1;
        write!(
            text,
            "type Thing{number:03} @node {{ name: String! size: Int weight: Float
               next: [Thing{next:03}!]! @relationship(type: \"NEXT\", direction: OUT) }}\n"
        )
        .unwrap();
    }
    text
}

#[test]
fn a_type_takes_little_memory() {
    let held = |count: usize| {
        let model = definitions::read(&types(count), ApiVersion::V7).unwrap();
        let options = neo4j::Options { model: Arc::new(model), ..neo4j::Options::default() };
        let dialect = Dialect::Neo4j(options);
        let made = Declaration::new(Catalog::default(), &dialect).make(None).unwrap();
        // It is made on another thread, so what it holds is seen when it goes.
        let before = allocation::held();
        drop(made);
        before - allocation::held()
    };
    let (few, many) = (held(10), held(210));
    let a_type = (many - few) / 200;
    assert!((10_000..MOST_BYTES_A_TYPE).contains(&a_type), "{a_type} bytes a type");
}
