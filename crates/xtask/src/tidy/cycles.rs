//! Import cycles between the modules of a crate.
//!
//! The children of one module are the nodes of a graph, each with everything below it; an import is
//! an edge between the two children that hold its ends. At the top of a crate every cycle counts;
//! deeper, one between files of different folders: within one folder, recursive types and recursive
//! descent are usual.

mod accepted;
mod graph;
mod modules;

use std::collections::{BTreeMap, BTreeSet};

use super::source::Source;
use super::{Finding, Rule};
use accepted::{ACCEPTED, Accepted};
use graph::Graph;
use modules::{Modules, Reference};

/// A cycle among the children of one module.
#[derive(Debug)]
struct Cycle<'s> {
    /// The module's path below the folder of sources, with slashes; the folder itself for the root.
    within: String,
    modules: Vec<String>,
    edges: usize,
    /// The imports of the shortest loop, one for each step.
    shortest: Vec<Reference<'s>>,
}

/// Finds cycles that are not accepted, and accepted ones that are gone or changed.
pub(crate) fn check(sources: &[Source]) -> Vec<Finding> {
    compare(&find(sources), ACCEPTED)
}

/// Finds all cycles, in the order of crates and modules.
fn find(sources: &[Source]) -> Vec<Cycle<'_>> {
    let folders: BTreeSet<String> = sources.iter().filter_map(folder).collect();
    folders.iter().flat_map(|folder| find_in_crate(folder, sources)).collect()
}

/// `crates/ir/src/` and the like.
fn folder(source: &Source) -> Option<String> {
    let (before, _) = source.path.split_once("/src/")?;
    source.crate_name()?;
    Some(format!("{before}/src/"))
}

fn find_in_crate<'s>(folder: &str, sources: &'s [Source]) -> Vec<Cycle<'s>> {
    let modules = Modules::of(folder, sources);
    // The references between the children of each module, by the names of the two children.
    let mut levels: BTreeMap<String, BTreeMap<(String, String), Reference<'_>>> = BTreeMap::new();
    for reference in modules.references() {
        if let Some((level, from, to)) = siblings(&reference.from, &reference.to) {
            levels.entry(level).or_default().entry((from, to)).or_insert(reference);
        }
    }
    let mut cycles = Vec::new();
    for (level, references) in &levels {
        let mut graph = Graph::default();
        for (from, to) in references.keys() {
            graph.add(from, to);
        }
        for component in graph.components() {
            let is_folder = |name: &&str| modules.is_folder(&modules::join(level, name));
            if !level.is_empty() && !component.iter().any(is_folder) {
                continue;
            }
            let nodes = graph.shortest_loop(&component);
            let next = nodes.iter().cycle().skip(1);
            let steps = nodes.iter().zip(next).filter_map(|(from, to)| {
                references.get(&((*from).to_owned(), (*to).to_owned())).cloned()
            });
            cycles.push(Cycle {
                within: format!("{folder}{}", level.replace("::", "/"))
                    .trim_end_matches('/')
                    .to_owned(),
                modules: component.iter().map(|name| (*name).to_owned()).collect(),
                edges: graph.count_edges(&component),
                shortest: steps.collect(),
            });
        }
    }
    cycles
}

/// The lowest module that holds both, and its children that are or hold the two; `None` if one of
/// both holds the other.
fn siblings(from: &str, to: &str) -> Option<(String, String, String)> {
    let (mut from, mut to) = (from.split("::"), to.split("::"));
    let mut level = String::new();
    loop {
        match (from.next()?, to.next()?) {
            ("", _) | (_, "") => return None,
            (one, other) if one == other => level = modules::join(&level, one),
            (one, other) => return Some((level, one.to_owned(), other.to_owned())),
        }
    }
}

fn compare(cycles: &[Cycle<'_>], accepted: &[Accepted]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for cycle in cycles {
        let known = accepted.iter().find(|accepted| is_same(accepted, cycle));
        let change = match known {
            None => String::new(),
            Some(known) if known.edges == cycle.edges => continue,
            Some(known) => format!(" ({} edges are accepted)", known.edges),
        };
        let first = cycle.shortest.first();
        let names = cycle.modules.join(", ");
        findings.push(Finding {
            path: first.map_or(cycle.within.as_str(), |first| first.file).to_owned(),
            line: first.map_or(1, |first| first.line),
            rule: Rule::Cycle,
            sentence: format!(
                "{} has an import cycle of {} edges{change} between {names}; the shortest: {}.",
                cycle.within,
                cycle.edges,
                print_loop(&cycle.shortest)
            ),
        });
    }
    for accepted in accepted {
        if !cycles.iter().any(|cycle| is_same(accepted, cycle)) {
            let (within, names) = (accepted.within, accepted.modules.join(", "));
            findings.push(Finding {
                path: "crates/xtask/src/tidy/cycles/accepted.rs".to_owned(),
                line: 1,
                rule: Rule::Cycle,
                sentence: format!(
                    "{within} has no import cycle between {names}, accepted because {}: delete the \
                     entry.",
                    accepted.reason
                ),
            });
        }
    }
    findings
}

fn is_same(accepted: &Accepted, cycle: &Cycle<'_>) -> bool {
    accepted.within == cycle.within && accepted.modules == cycle.modules
}

/// `a → b (a.rs:1), b → a (b.rs:2)`
fn print_loop(steps: &[Reference<'_>]) -> String {
    let steps: Vec<String> = steps
        .iter()
        .map(|step| format!("{} → {} ({}:{})", step.from, step.to, step.file, step.line))
        .collect();
    steps.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCEPTED: &[Accepted] = &[Accepted {
        within: "crates/ir/src",
        modules: &["a", "b"],
        edges: 2,
        reason: "their types are recursive",
    }];

    fn check(files: &[(&str, &str)], accepted: &[Accepted]) -> Vec<String> {
        let sources: Vec<_> = files
            .iter()
            .map(|(path, text)| Source::parse(&format!("crates/ir/src/{path}.rs"), text))
            .collect();
        compare(&find(&sources), accepted).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn files_at_the_top_of_a_crate_that_import_each_other_are_found() {
        let files = [("a", "use crate::b::C;"), ("b", "\nuse crate::a::D;")];
        let expected = "crates/ir/src/a.rs:1: cycle: crates/ir/src has an import cycle of 2 edges \
                        between a, b; the shortest: a → b (crates/ir/src/a.rs:1), b → a \
                        (crates/ir/src/b.rs:2).";
        assert_eq!(check(&files, &[]), [expected]);
        assert_eq!(check(&files, ACCEPTED), [""; 0]);
    }

    #[test]
    fn a_folder_is_one_node_above_it() {
        let files = [
            ("a", "mod e;"),
            ("a/e", "use crate::b::C;"),
            ("b", "mod f;"),
            ("b/f", "use crate::a::D;"),
        ];
        let expected = "crates/ir/src/a/e.rs:1: cycle: crates/ir/src has an import cycle of 2 edges \
                        between a, b; the shortest: a::e → b (crates/ir/src/a/e.rs:1), b::f → a \
                        (crates/ir/src/b/f.rs:1).";
        assert_eq!(check(&files, &[]), [expected]);
    }

    #[test]
    fn within_a_folder_only_cycles_of_folders_are_found() {
        let files =
            [("g", "mod a;\nmod b;"), ("g/a", "use super::b::C;"), ("g/b", "use super::a::D;")];
        assert_eq!(check(&files, &[]), [""; 0]);
        let files = [files[0], files[1], files[2], ("g/b/h", "")];
        let expected = "crates/ir/src/g/a.rs:1: cycle: crates/ir/src/g has an import cycle of 2 edges \
                        between a, b; the shortest: g::a → g::b (crates/ir/src/g/a.rs:1), g::b → g::a \
                        (crates/ir/src/g/b.rs:1).";
        assert_eq!(check(&files, &[]), [expected]);
    }

    #[test]
    fn a_module_and_those_below_it_may_import_each_other() {
        let files =
            [("lib", "use a::C;"), ("a", "use crate::D;\nuse b::E;"), ("a/b", "use super::C;")];
        assert_eq!(check(&files, &[]), [""; 0]);
    }

    #[test]
    fn an_entry_of_another_number_of_edges_or_without_its_cycle_is_found() {
        let files = [("a", "use crate::b::C;"), ("b", "use crate::a::D;")];
        let grown = [Accepted { edges: 1, ..ACCEPTED[0] }];
        assert_eq!(
            check(&files, &grown),
            [
                "crates/ir/src/a.rs:1: cycle: crates/ir/src has an import cycle of 2 edges (1 edges are \
              accepted) between a, b; the shortest: a → b (crates/ir/src/a.rs:1), b → a \
              (crates/ir/src/b.rs:1)."
            ]
        );
        assert_eq!(
            check(&files[..1], ACCEPTED),
            [
                "crates/xtask/src/tidy/cycles/accepted.rs:1: cycle: crates/ir/src has no import cycle \
              between a, b, accepted because their types are recursive: delete the entry."
            ]
        );
    }
}
