//! Satisfiability and the planner agree: if a supergraph has no findings, each generated operation
//! has a plan; the example operation of each finding has none.
//!
//! The supergraphs are generated ones, those of the fixtures and those in the folders of
//! `THALWEG_SUPERGRAPHS`, with some join directives changed or removed, so that many are
//! unsatisfiable.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use gateway::planner::{Labels, PlanError};
use graphql::Validator;
use graphql::schema::TypeKind;
use serde_json_bytes::serde_json::from_str;
use serde_json_bytes::{ByteString, Map, Value as Json};
use supergraph::satisfiability::{Unsatisfiable, check};
use supergraph::{OverrideCondition, Supergraph, read};
use testkit::federation::question::{Planned, Refused};
use testkit::federation::{Made, Question, make, supergraphs};
use testkit::fuzz::{Choices, Target};

use super::fuzz::{fixtures, stretched};
use super::oracle::{find, folders};

/// The tests, by their names.
pub(crate) const TESTS: [(&str, fn()); 1] = [("satisfiability::planner", planner)];

/// Operations over each satisfiable supergraph.
const OPERATIONS: usize = 4;

/// Numbers of compared supergraphs.
#[derive(Debug, Default)]
struct Compared {
    satisfiable: AtomicUsize,
    unsatisfiable: AtomicUsize,
}

fn planner() {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in folders() {
        find(&folder, &mut files).unwrap();
    }
    files.sort();
    let compared = Compared::default();
    let make = |choices: &mut Choices<'_>, _: &[Vec<u8>]| stretched(choices, 900);
    let check = |tape: &[u8]| compare(&files, tape, &compared);
    let target = Target { name: "satisfiability", cases: 300, make: &make, check: &check };
    target.run(&fixtures()).unwrap_or_else(|error| panic!("{error}"));
    let Compared { satisfiable, unsatisfiable } = compared;
    let counts = (satisfiable.into_inner(), unsatisfiable.into_inner());
    assert!(counts.0 > 50 && counts.1 > 50, "{counts:?}: few of a kind");
}

/// Compares the findings for one changed supergraph with the planner.
fn compare(files: &[PathBuf], tape: &[u8], compared: &Compared) -> Result<(), String> {
    let (own, rest) = tape.split_at(tape.len() / 2);
    let mut choices = Choices::new(own);
    let text = match choices.chance(50) {
        true => choices.pick(files).and_then(|file| fs::read_to_string(file).ok()),
        false => None,
    };
    let mut text = text.unwrap_or_else(|| supergraphs::make(&mut choices));
    let mut choices = Choices::new(rest);
    for _ in 0..choices.below(4) {
        text = changed(&text, &mut choices);
    }
    let Ok(supergraph) = read(&text) else { return Ok(()) };
    let validator = Validator::new(&supergraph.api.schema);
    let findings = check(&supergraph);
    let is_planned = |finding: &&Unsatisfiable| match finding {
        Unsatisfiable::Field(_) | Unsatisfiable::RootField { .. } => true,
        Unsatisfiable::RuntimeTypes { .. } | Unsatisfiable::TooManyPaths(_) => false,
    };
    let unresolved: Vec<&Unsatisfiable> = findings.iter().filter(is_planned).collect();
    for finding in &unresolved {
        let operation = finding.operation().unwrap_or_default();
        let active = finding.labels().iter().filter(|(_, is_active)| *is_active);
        let labels = Labels(active.map(|(label, _)| (&**label).into()).collect());
        match plan(&supergraph, &validator, operation, "{}", &labels) {
            Err(Refused::NoPlan(_)) => {}
            Err(refused) => return Err(format!("{text}\n{finding}\n{refused}")),
            Ok(planned) => {
                let plan = planned.print(&supergraph);
                return Err(format!("{text}\n{finding}\nis planned:\n{plan}"));
            }
        }
    }
    if has_unimplemented(&supergraph) {
        return Ok(());
    }
    if !unresolved.is_empty() {
        compared.unsatisfiable.fetch_add(1, Ordering::Relaxed);
        return Ok(());
    }
    compared.satisfiable.fetch_add(1, Ordering::Relaxed);
    let names: BTreeSet<_> = supergraph.labels().into_iter().collect();
    for _ in 0..OPERATIONS {
        let active = names.iter().filter(|_| choices.chance(50));
        let labels = Labels(active.map(|label| (&**label).into()).collect());
        let Made { text: operation, variables } = make(&supergraph.api.schema, &mut choices, true);
        match plan(&supergraph, &validator, &operation, &variables, &labels) {
            Ok(_) | Err(Refused::NoPlan(PlanError::TooComplex)) => {}
            Err(Refused::NoPlan(PlanError::Unresolvable { coordinate, .. }))
                if is_divided(&supergraph, &coordinate) => {}
            Err(refused) => return Err(format!("{text}\n{operation} {labels:?}\n{refused}")),
        }
    }
    Ok(())
}

fn plan(
    supergraph: &Supergraph,
    validator: &Validator,
    text: &str,
    variables: &str,
    labels: &Labels,
) -> Result<Planned, Refused> {
    let variables: Map<ByteString, Json> = from_str(variables).unwrap();
    let question = Question { text, variables: &variables, labels, access: None };
    Planned::new(supergraph, validator, question)
}

/// Whether an interface has no implementations. No objects of it exist, so everything below is
/// satisfiable; the planner takes it for the type of objects.
fn has_unimplemented(supergraph: &Supergraph) -> bool {
    let mut types = supergraph.schema.types();
    types.any(|(id, definition)| {
        matches!(definition.kind, TypeKind::Interface { .. })
            && supergraph.members(supergraph.possible(id)).eq([id])
    })
}

/// Whether a field of an interface is not resolved by all subgraphs that have the object type. A
/// query for it may have to be sent to several subgraphs that share the field above, one for each
/// object type; composition permits it, and the planner refuses it.
fn is_divided(supergraph: &Supergraph, coordinate: &str) -> bool {
    let schema = &supergraph.schema;
    let Some((object, name)) = coordinate.split_once('.') else { return false };
    let Some(object) = schema.find_type(object) else { return false };
    let interfaces = supergraph.interfaces(object).iter();
    let mut fields = interfaces.filter_map(|interface| schema.find_field(*interface, name));
    let Some(field) = schema.find_field(object, name) else { return false };
    let owners = &supergraph.type_owners(object).subgraphs;
    let resolves = |subgraph| {
        let own = supergraph.field_in(field, subgraph);
        own.is_some_and(|own| !own.is_external && own.when == OverrideCondition::Always)
    };
    fields.next().is_some() && owners.iter().any(|owner| !resolves(owner.subgraph))
}

/// Changes one join directive of a supergraph.
fn changed(text: &str, choices: &mut Choices<'_>) -> String {
    let starts: Vec<usize> = ["@join__type(", "@join__field("]
        .iter()
        .flat_map(|name| text.match_indices(name).map(|(start, _)| start))
        .collect();
    let Some(start) = choices.pick(&starts).copied() else { return text.to_owned() };
    let Some(length) = text[start..].find(')') else { return text.to_owned() };
    let (before, rest) = text.split_at(start);
    let (directive, after) = rest.split_at(length + 1);
    // Parentheses inside of a text, such as arguments of required fields.
    if directive.matches('"').count() % 2 == 1 {
        return text.to_owned();
    }
    let is_type = directive.starts_with("@join__type");
    let keywords = ["\ninterface ", "\ntype ", "\nunion ", "\nenum ", "\nscalar ", "\ninput "];
    let place = |keyword: &&str| before.rfind(*keyword);
    let is_of_interface = keywords.iter().max_by_key(|keyword| place(keyword)) == keywords.first();
    let with = |more: &str| directive.replace(')', &format!(", {more})"));
    let directive = match choices.below(8) {
        0 => String::new(),
        1 if is_type && directive.contains("key:") => with("resolvable: false"),
        1 | 2 if !is_type => with("external: true"),
        3 if directive.contains("\"id\"") => directive.replace("\"id\"", "\"code\""),
        4 if directive.contains("key:") => {
            let end = directive.find(", key:").unwrap_or(directive.len() - 1);
            format!("{})", &directive[..end])
        }
        5 if is_type && is_of_interface => with("isInterfaceObject: true"),
        5 | 6 if !is_type => {
            let names = ["id", "code", "name", "f0", "f1", "r1"];
            let name = choices.pick(&names).copied().unwrap_or_default();
            with(&format!("requires: \"{name}\""))
        }
        _ if !is_type => {
            let label = ["x", "y"][choices.below(2)];
            let from = if choices.chance(50) { "override: \"\", " } else { "" };
            with(&format!("{from}overrideLabel: \"{label}\""))
        }
        _ => directive.to_owned(),
    };
    [before, &*directive, after].concat()
}
