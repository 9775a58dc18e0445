//! Fuzz targets: supergraphs, operations over them, and subgraph responses.
//!
//! * `supergraph`: texts changed byte by byte: errors have a message and a line
//! * `planner`: generated supergraphs and operations: the response is that of the merged schema
//! * `failures`: the same with resolvers that fail, unknown entities, nulls in non-null places, and
//!   subgraphs that do not respond: fields that need nothing of it are resolved, and every other
//!   null has an error
//! * `answers`: responses of one subgraph changed byte by byte: the response is JSON, errors are at
//!   selected fields, and data of other subgraphs is unchanged

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gateway::execute::{ExecutionError, Options, Step};
use gateway::planner::Labels;
use graphql::Validator;
use serde_json_bytes::serde_json::{Value as Json, from_slice, from_str};
use serde_json_bytes::{ByteString, Map, Value as OwnJson};
use supergraph::{SubgraphId, read};
use testkit::federation::faults::Fault;
use testkit::federation::question::Planned;
use testkit::federation::subgraphs::{Schemas, Subgraphs};
use testkit::federation::{
    Expected, Failing, Made, Oracle, Outcome, Question, World, make, supergraphs,
};
use testkit::fuzz::{Choices, Target, mutate};

/// The tests, by their names: each target is one.
pub(crate) const TESTS: [(&str, fn()); 4] = [
    ("fuzz::supergraph", supergraph),
    ("fuzz::planner", planner),
    ("fuzz::failures", failures),
    ("fuzz::answers", answers),
];

/// Tokens with a meaning in a supergraph.
const PIECES: [&[u8]; 24] = [
    b" @join__type(graph: A",
    b" @join__field(graph: A",
    b", key: \"id\"",
    b", requires: \"",
    b", provides: \"a { b }\"",
    b", type: \"[",
    b", external: true",
    b", isInterfaceObject: true",
    b", overrideLabel: \"x\"",
    b", contextArguments: [",
    b" @inaccessible",
    b"interface ",
    b"union U = ",
    b"extend ",
    b"enum join__Graph {",
    b" @link(url: \"https://specs.apollo.dev/join/v0.1\", as: \"j\")",
    b"{",
    b"}",
    b"\"",
    b"\"\"\"",
    b"!",
    b"[",
    b"\0",
    b"\xff",
];

/// Tokens with a meaning in a response.
const JSON_PIECES: [&[u8]; 22] = [
    b"null",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"\"data\":",
    b"\"errors\":[{\"message\":\"m\",\"path\":[\"_entities\",0]}],",
    b"\"_entities\":[",
    b"\"__typename\":\"User\",",
    b"-",
    b"1e999",
    b"0.0",
    b"12345678901234567890",
    b"true",
    b"\xff",
    b"\n",
];

pub(super) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The supergraphs of the fixtures, sorted by name.
fn texts() -> io::Result<Vec<Vec<u8>>> {
    let folders = fs::read_dir(fixtures().join("supergraphs"))?;
    let folders = folders.map(|entry| Ok(entry?.path()));
    let mut folders = folders.collect::<io::Result<Vec<PathBuf>>>()?;
    folders.sort();
    folders.iter().map(|folder| fs::read(folder.join("supergraph.graphql"))).collect()
}

/// A longer tape of this many bytes, seeded with the first bytes of another.
pub(super) fn stretched(choices: &mut Choices<'_>, length: usize) -> Vec<u8> {
    let mut state = (0..8).fold(1, |state: u64, _| state << 8 | choices.below(256) as u64);
    let bytes = (0..length).map(|_| {
        // xorshift64
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    });
    bytes.collect()
}

fn supergraph() {
    let texts = texts().unwrap();
    let make = |choices: &mut Choices<'_>, _: &[Vec<u8>]| {
        let mut text = choices.pick(&texts).cloned().unwrap_or_default();
        for _ in 0..=choices.below(4) {
            mutate::mutate(&mut text, &PIECES, choices);
        }
        text
    };
    let check = |text: &[u8]| {
        let Ok(text) = std::str::from_utf8(text) else { return Ok(()) };
        let Err(problems) = read(text) else { return Ok(()) };
        let lines = text.lines().count().max(1);
        let is_told = |problem: &supergraph::Problem| {
            !problem.message.is_empty()
                && problem.line.is_none_or(|line| (1..=lines + 1).contains(&line))
        };
        match (problems.is_empty(), problems.iter().find(|problem| !is_told(problem))) {
            (true, _) => Err("it is refused without a reason".to_owned()),
            (false, Some(problem)) => Err(format!("{problem:?} of {lines} lines")),
            (false, None) => Ok(()),
        }
    };
    let target = Target { name: "supergraph", cases: 300, make: &make, check: &check };
    target.run(&fixtures()).unwrap_or_else(|error| panic!("{error}"));
}

fn planner() {
    let make = |choices: &mut Choices<'_>, _: &[Vec<u8>]| stretched(choices, 700);
    let target = Target { name: "planner", cases: 120, make: &make, check: &plan };
    target.run(&fixtures()).unwrap_or_else(|error| panic!("{error}"));
}

/// Runs two operations over a generated supergraph.
fn plan(tape: &[u8]) -> Result<(), String> {
    let (own, rest) = tape.split_at(tape.len() / 2);
    let text = supergraphs::make(&mut Choices::new(own));
    let supergraph = read(&text).map_err(|problems| format!("{text}\n{problems:?}"))?;
    let oracle = Oracle::new(&supergraph);
    for part in rest.chunks(rest.len().div_ceil(2).max(1)) {
        let mut choices = Choices::new(part);
        let seed = choices.below(256);
        let nulls = [0, 20][choices.below(2)];
        let world = World::new(&supergraph, seed as u64, nulls);
        let mut labels = Labels::default();
        if choices.chance(50) {
            labels.0.insert("moved".into());
        }
        let made = make(&supergraph.api.schema, &mut choices, true);
        let variables: Map<ByteString, OwnJson> =
            from_str(&made.variables).map_err(|error| error.to_string())?;
        let (labels, access) = (&labels, None);
        let question = Question { text: &made.text, variables: &variables, labels, access };
        match oracle.check(question, &world) {
            Ok(Outcome::Answered { .. }) => {}
            Ok(other) => return Err(format!("{text}\n{}\n{other:?}", made.text)),
            Err(reason) => {
                return Err(format!("{text}\n{} {}\n{reason}", made.text, made.variables));
            }
        }
    }
    Ok(())
}

fn failures() {
    let make = |choices: &mut Choices<'_>, _: &[Vec<u8>]| stretched(choices, 700);
    let target = Target { name: "failures", cases: 150, make: &make, check: &fail };
    target.run(&fixtures()).unwrap_or_else(|error| panic!("{error}"));
}

/// Runs some operations over a generated supergraph, with several kinds of failures.
fn fail(tape: &[u8]) -> Result<(), String> {
    let (own, rest) = tape.split_at(tape.len() / 2);
    let text = supergraphs::make(&mut Choices::new(own));
    let supergraph = read(&text).map_err(|problems| format!("{text}\n{problems:?}"))?;
    let oracle = Oracle::new(&supergraph);
    for part in rest.chunks(rest.len().div_ceil(3).max(1)) {
        let mut choices = Choices::new(part);
        let seed = choices.below(256) as u64;
        let nulls = [0, 20][choices.below(2)];
        let none = Failing { seed, ..Failing::default() };
        let some = [10, 30][choices.below(2)];
        let ids: Vec<SubgraphId> = supergraph.subgraph_ids().collect();
        let faults =
            [Fault::Unavailable, Fault::Timeout, Fault::Status(500), Fault::Half, Fault::Nonsense];
        let spoilt = choices.pick(&ids).copied().zip(choices.pick(&faults).cloned());
        let made = make(&supergraph.api.schema, &mut choices, true);
        let variables: Map<ByteString, OwnJson> =
            from_str(&made.variables).map_err(|error| error.to_string())?;
        let (labels, access) = (&Labels::default(), None);
        let question = Question { text: &made.text, variables: &variables, labels, access };
        let failing = Failing { fields: some, elements: 10, ..none };
        let broken = Failing { broken: 10, non_null: true, ..failing };
        let ways = [
            (failing, None, Expected::All),
            (Failing { gone: some, ..none }, None, Expected::All),
            (none, spoilt.as_ref(), Expected::All),
            (broken, None, Expected::Explained),
        ];
        for (failing, spoilt, expected) in ways {
            let world = World::new(&supergraph, seed, nulls).with_failing(failing);
            match oracle.check_failing(question, &world, spoilt, expected) {
                Ok(Outcome::Answered { .. }) => {}
                Ok(other) => return Err(format!("{text}\n{}\n{other:?}", made.text)),
                Err(reason) => {
                    let Made { text: asked, variables } = &made;
                    return Err(format!(
                        "{text}\n{asked} {variables}\n{failing:?} {spoilt:?}\n{reason}"
                    ));
                }
            }
        }
    }
    Ok(())
}

fn answers() {
    let texts = texts().unwrap();
    let make = |choices: &mut Choices<'_>, _: &[Vec<u8>]| stretched(choices, 450);
    let check = |tape: &[u8]| answer(&texts, tape);
    let target = Target { name: "answers", cases: 150, make: &make, check: &check };
    target.run(&fixtures()).unwrap_or_else(|error| panic!("{error}"));
}

/// Runs an operation with changed responses of one subgraph.
fn answer(texts: &[Vec<u8>], tape: &[u8]) -> Result<(), String> {
    let (first, changes) = tape.split_at(tape.len() * 2 / 3);
    let mut choices = Choices::new(first);
    let Some(text) = choices.pick(texts) else { return Ok(()) };
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    let supergraph = read(text).map_err(|problems| format!("{problems:?}"))?;
    let ids: Vec<SubgraphId> = supergraph.subgraph_ids().collect();
    let Some(spoilt) = choices.pick(&ids).copied() else { return Ok(()) };
    let made = make(&supergraph.api.schema, &mut choices, true);
    let variables: Map<ByteString, OwnJson> =
        from_str(&made.variables).map_err(|error| error.to_string())?;
    let (labels, access) = (Labels::default(), None);
    let question = Question { text: &made.text, variables: &variables, labels: &labels, access };
    let validator = Validator::new(&supergraph.api.schema);
    let Ok(planned) = Planned::new(&supergraph, &validator, question) else { return Ok(()) };
    let world = World::new(&supergraph, 1, 10);
    let schemas = Schemas::new(&supergraph);
    let options = Options { reuse: choices.chance(50), ..Options::default() };
    let run = |subgraphs: &Subgraphs<'_>| {
        planned.run(&supergraph, subgraphs, &subgraphs.clock, options).ok_or("it does not end")
    };
    let change = |subgraph: SubgraphId, number: u64, answer: &mut Vec<u8>| {
        let start = usize::try_from(number * 17).unwrap_or_default() % changes.len().max(1);
        let mut choices = Choices::new(&changes[start..]);
        if subgraph == spoilt && choices.chance(60) {
            mutate::mutate(answer, &JSON_PIECES, &mut choices);
        }
    };
    let mut subgraphs = Subgraphs::new(&world, &schemas, &labels);
    subgraphs.change = Some(&change);
    let ran = run(&subgraphs)?;
    let told = |what: &str| {
        let name = &supergraph.subgraph(spoilt).name;
        Err(format!("{what}\n{name} of\n{}\n{}\n{:?}", made.text, ran.data, ran.errors))
    };
    let Ok(data) = from_slice::<Json>(ran.data.as_bytes()) else { return told("it is no JSON") };
    if data.is_null() && ran.errors.is_empty() {
        return told("there is nothing, and no error says why");
    }
    if let Some(wrong) = ran.errors.iter().find_map(|error| misplaced(&data, error)) {
        return told(wrong);
    }
    // Data that is present without the subgraph does not depend on its responses.
    let mut subgraphs = Subgraphs::new(&world, &schemas, &labels);
    subgraphs.faults.insert(spoilt, Fault::Unavailable);
    let without = run(&subgraphs)?.data;
    let kept: Json = from_str(&without).map_err(|error| error.to_string())?;
    match is_kept(&kept, &data) {
        true => Ok(()),
        false => told(&["what others said is not there as they said it: ", &without].concat()),
    }
}

/// Returns what is wrong with the path of an error, if anything is.
fn misplaced(data: &Json, error: &ExecutionError) -> Option<&'static str> {
    let mut at = data;
    for step in &error.path {
        at = match step {
            // A null above may be caused by the error.
            _ if at.is_null() => break,
            Step::Key(key) => match at.get(&**key) {
                Some(below) => below,
                None => return Some("an error stands where nothing was asked"),
            },
            Step::Index(index) => match at.get(*index) {
                Some(below) => below,
                None => return Some("an error stands beyond a list"),
            },
        };
    }
    None
}

/// Whether a response contains all values of another.
fn is_kept(said: &Json, answer: &Json) -> bool {
    match (said, answer) {
        (Json::Null, _) => true,
        (Json::Object(said), Json::Object(answer)) => said
            .iter()
            .all(|(key, said)| answer.get(key).is_some_and(|answer| is_kept(said, answer))),
        (Json::Array(said), Json::Array(answer)) => {
            said.len() == answer.len()
                && said.iter().zip(answer).all(|(said, answer)| is_kept(said, answer))
        }
        (said, answer) => said == answer,
    }
}
