//! Benchmark of composition: 100 subgraphs with 1,000 types, and a change of one of them.
//!
//! `cargo bench -p supergraph --bench compose` prints the median time of a first composition, and of
//! one after a change of one subgraph, with the satisfiability check.

#![allow(
    clippy::unwrap_used,
    reason = "a chore: it ends where something is not as it is made here"
)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use supergraph::SubgraphSchema;
use supergraph::composition::Composer;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SUBGRAPHS: usize = 100;
/// Types of each subgraph.
const TYPES: usize = 10;
/// Subgraphs that also have fields of each entity.
const SHARES: usize = 5;
const ROUNDS: usize = 15;

fn main() {
    let mut schemas: Vec<SubgraphSchema> = (0..SUBGRAPHS).map(schema).collect();
    let bytes: usize = schemas.iter().map(|schema| schema.sdl.len()).sum();
    let (mut first, mut changed) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let mut composer = Composer::default();
        first.push(timed(&mut composer, &schemas));
        let one = round % SUBGRAPHS;
        writeln!(schemas[one].sdl, "type Added{round} {{ id: ID! }}").unwrap();
        changed.push(timed(&mut composer, &schemas));
    }
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{SUBGRAPHS} subgraphs of {bytes} bytes with {} types: composed in {:?}, after a change of one in {:?}",
        SUBGRAPHS * TYPES,
        median(first),
        median(changed)
    )
    .unwrap();
}

fn timed(composer: &mut Composer, schemas: &[SubgraphSchema]) -> Duration {
    let begun = Instant::now();
    let composition = composer.compose(schemas);
    let elapsed = begun.elapsed();
    assert!(composition.supergraph.is_some(), "{:?}", composition.errors);
    elapsed
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A subgraph with entities of its own, and fields of the entities of those after it.
fn schema(number: usize) -> SubgraphSchema {
    let mut sdl = String::from(
        "extend schema @link(url: \"https://specs.apollo.dev/federation/v2.3\", import: [\"@key\", \"@external\", \"@requires\", \"@shareable\"])\n",
    );
    writeln!(sdl, "type Query {{ first{number}: E{number}x0 all{number}: [E{number}x1!]! }}")
        .unwrap();
    for own in 0..TYPES {
        let (next, kind) = ((number + 1) % SUBGRAPHS, own % 2);
        writeln!(
            sdl,
            "\"\"\"An entity.\"\"\"\ntype E{number}x{own} @key(fields: \"id\") {{ id: ID! name: String price: Int! tags(first: Int = 10): [String!]! next: E{next}x{kind} page: Page }}"
        )
        .unwrap();
    }
    for share in 1..=SHARES {
        let other = (number + share) % SUBGRAPHS;
        for own in 0..2 {
            writeln!(
                sdl,
                "type E{other}x{own} @key(fields: \"id\") {{ id: ID! price: Int! @external of{number}: String of{number}By: Int @requires(fields: \"price\") }}"
            )
            .unwrap();
        }
    }
    sdl.push_str("type Page @shareable { size: Int! hasNext: Boolean! }\nenum Unit { KG LB }\ninput Filter { unit: Unit text: String }\n");
    writeln!(sdl, "extend type Query {{ search{number}(filter: Filter): [Found{number}] }}\nunion Found{number} = E{number}x0 | E{number}x1").unwrap();
    SubgraphSchema { name: format!("s{number}"), url: format!("http://s{number}.example"), sdl }
}
