//! Work for large supergraphs, counted in states.

use std::fmt::Write as _;

use super::super::{Limits, Unsatisfiable, check_within};
use crate::{Supergraph, read};

const SUBGRAPHS: usize = 50;
const TYPES: usize = 500;
const LABELS: usize = 10;

/// A small generator of numbers, so that the supergraph is always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        // Knuth's MMIX generator.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Returns a supergraph in which each of 500 types is in up to 20 of 50 subgraphs, with three keys,
/// 12 fields of other types, and a field that each of 10 labels moves.
fn large() -> Supergraph {
    let mut numbers = Numbers(7);
    let mut text = head(SUBGRAPHS);
    let known: Vec<Vec<usize>> = (0..TYPES)
        .map(|_| {
            let mut known: Vec<usize> =
                (0..2 + numbers.below(19)).map(|_| numbers.below(SUBGRAPHS)).collect();
            known.sort_unstable();
            known.dedup();
            known
        })
        .collect();
    for (place, known_by) in known.iter().enumerate() {
        write!(text, "type T{place}").unwrap();
        for subgraph in known_by {
            for key in ["id", "code", "id part { id }"] {
                write!(text, " @join__type(graph: S{subgraph}, key: \"{key}\")").unwrap();
            }
        }
        writeln!(text, " {{ id: ID! code: ID! part: Part").unwrap();
        for field in 0..12 {
            let target = numbers.below(TYPES);
            let owners = known_by.iter().filter(|owner| known[target].contains(owner));
            let owners: Vec<&usize> = owners.collect();
            match owners.is_empty() {
                true => {
                    let owner = known_by[numbers.below(known_by.len())];
                    writeln!(text, "f{field}: Int @join__field(graph: S{owner})").unwrap();
                }
                false => {
                    write!(text, "f{field}: [T{target}]").unwrap();
                    for owner in owners {
                        write!(text, " @join__field(graph: S{owner})").unwrap();
                    }
                    text += "\n";
                }
            }
        }
        if let [first, second, ..] = known_by.as_slice() {
            let label = place % LABELS;
            writeln!(
                text,
                "moved: Int @join__field(graph: S{first}, overrideLabel: \"l{label}\")
                 @join__field(graph: S{second}, override: \"s{first}\", overrideLabel: \"l{label}\")"
            )
            .unwrap();
        }
        text += "}\n";
    }
    for (name, fields) in [("Part", "id: ID!".to_owned()), ("Query", roots(&known))] {
        write!(text, "type {name}").unwrap();
        (0..SUBGRAPHS).for_each(|graph| write!(text, " @join__type(graph: S{graph})").unwrap());
        writeln!(text, " {{ {fields} }}").unwrap();
    }
    read(&text).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn roots(known: &[Vec<usize>]) -> String {
    let roots = known.iter().enumerate().flat_map(|(place, known)| {
        known
            .iter()
            .map(move |owner| format!("t{place}_{owner}: T{place} @join__field(graph: S{owner})\n"))
    });
    roots.collect()
}

fn head(subgraphs: usize) -> String {
    let mut text = String::from(
        "schema @link(url: \"https://specs.apollo.dev/link/v1.0\")
           @link(url: \"https://specs.apollo.dev/join/v0.5\", for: EXECUTION) { query: Query }
         enum join__Graph {\n",
    );
    for subgraph in 0..subgraphs {
        writeln!(text, "S{subgraph} @join__graph(name: \"s{subgraph}\", url: \"\")").unwrap();
    }
    text + "}\n"
}

#[test]
fn the_work_grows_with_types_and_subgraphs_only() {
    let supergraph = large();
    let checked = check_within(&supergraph, Limits::default());
    assert_eq!(checked.findings, []);
    // About 11 subgraphs have each type.
    assert!(checked.states < 20_000, "{} states", checked.states);
    assert!(checked.computations < 10_000, "{} computations", checked.computations);
}

/// A value type without keys: each field removes one subgraph, so that there is a state for each
/// set of subgraphs.
#[test]
fn a_check_ends_at_its_limits() {
    let subgraphs = 24;
    let mut text = head(subgraphs);
    for name in ["Query", "Value"] {
        write!(text, "type {name}").unwrap();
        (0..subgraphs).for_each(|graph| write!(text, " @join__type(graph: S{graph})").unwrap());
        text += " { x: Int\n";
        for without in 0..subgraphs {
            write!(text, "f{without}: Value").unwrap();
            for owner in (0..subgraphs).filter(|owner| *owner != without) {
                write!(text, " @join__field(graph: S{owner})").unwrap();
            }
            text += "\n";
        }
        text += "}\n";
    }
    let supergraph = read(&text).unwrap_or_else(|problems| panic!("{problems:?}"));
    let limits = Limits { states: 500, ..Limits::default() };
    let checked = check_within(&supergraph, limits);
    assert_eq!(checked.states, limits.states);
    assert_eq!(checked.findings.last(), Some(&Unsatisfiable::TooManyPaths(limits)));
    assert_eq!(
        checked.findings.last().map(Unsatisfiable::code),
        Some("MAX_VALIDATION_SUBGRAPH_PATHS_EXCEEDED")
    );
}
