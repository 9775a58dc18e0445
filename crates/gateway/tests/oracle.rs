//! Oracle: responses of random operations equal those of the one schema that the subgraphs form
//! together.
//!
//! Each supergraph of `fixtures/supergraphs` is a test, and each in the folders of
//! `THALWEG_SUPERGRAPHS`, separated by colons. `THALWEG_FUZZ_CASES` is the number of operations for
//! each, `THALWEG_FUZZ_SEED` chooses others, and `THALWEG_FUZZ_SECONDS` continues with further
//! seeds for that time.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gateway::planner::Labels;
use libtest_mimic::{Failed, Trial};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use supergraph::{OverrideCondition, Supergraph, read};
use testkit::federation::deferred::defer;
use testkit::federation::{Expected, Failing, Made, Oracle, Outcome, Question, World, make};
use testkit::fuzz::{Budget, Choices, rng};

/// Operations for each supergraph: all of them take seconds.
const CASES: u32 = 30;
const LONGEST_TAPE: usize = 400;

/// A test for each supergraph.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn Error>> {
    let mut trials = Vec::new();
    for folder in folders() {
        let mut files = Vec::new();
        find(&folder, &mut files)?;
        files.sort();
        for file in files {
            let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
            trials.push(Trial::test(format!("oracle::{name}"), move || compare(&name, &file)));
        }
    }
    Ok(trials)
}

/// The folders of supergraphs.
pub(super) fn folders() -> Vec<PathBuf> {
    let more = std::env::var("THALWEG_SUPERGRAPHS").unwrap_or_default();
    let more = more.split(':').filter(|folder| !folder.is_empty()).map(PathBuf::from);
    std::iter::once(fixtures()).chain(more).collect()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/supergraphs")
}

/// Finds supergraph files: all `.graphql` files with `join__Graph`.
pub(super) fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "graphql")
            && fs::read_to_string(&path)?.contains("join__Graph")
        {
            files.push(path);
        }
    }
    Ok(())
}

fn compare(name: &str, file: &Path) -> Result<(), Failed> {
    let supergraph = read(&fs::read_to_string(file)?).map_err(|problems| {
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    })?;
    let oracle = Oracle::new(&supergraph);
    let cases = number("THALWEG_FUZZ_CASES")?.unwrap_or(CASES);
    let budget = Budget::from_environment().map_err(|error| error.to_string())?;
    budget.rounds(|seed| {
        let config = Config {
            cases,
            failure_persistence: None,
            max_shrink_iters: 4_000,
            max_shrink_time: 10_000,
            ..Config::default()
        };
        let mut runner = TestRunner::new_with_rng(config, rng(name, seed));
        let tapes = proptest::collection::vec(proptest::num::u8::ANY, 0..LONGEST_TAPE);
        let run = |tape: Vec<u8>| ask(&oracle, &tape).map_err(TestCaseError::fail);
        match runner.run(&tapes, run) {
            Ok(()) => Ok(()),
            Err(TestError::Fail(reason, _)) => Err(Failed::from(reason.message().to_owned())),
            Err(error) => Err(Failed::from(error.to_string())),
        }
    })
}

/// Runs one operation; returns what does not hold of it.
fn ask(oracle: &Oracle<'_>, tape: &[u8]) -> Result<(), String> {
    let schema = &oracle.supergraph.api.schema;
    let mut choices = Choices::new(tape);
    let own_names = choices.chance(30);
    let nulls = [0, 0, 20][choices.below(3)];
    let labels = labels(oracle.supergraph, &mut choices);
    let world = World::new(oracle.supergraph, u64::from(tape.first().copied().unwrap_or(0)), nulls);
    let tries = [own_names, true];
    for own_names in tries {
        let made = make(schema, &mut Choices::new(tape), own_names);
        let told = |reason: String| {
            let Made { text, variables } = &made;
            format!("{text}\n{variables} {labels:?}\n{reason}")
        };
        let variables = serde_json_bytes::serde_json::from_str(&made.variables);
        let variables = variables.map_err(|error| told(error.to_string()))?;
        let (text, labels, access) = (&*made.text, &labels, None);
        let question = Question { text, variables: &variables, labels, access };
        match oracle.check(question, &world).map_err(told)? {
            Outcome::Answered { .. } => {
                let seed =
                    tape.iter().fold(1, |seed, byte| (seed * 31 + u64::from(*byte)) & 0xffff);
                fail(oracle, question, seed).map_err(told)?;
                return deferred(oracle, question, &world, tape);
            }
            // With unique response names no fields conflict.
            Outcome::Invalid => {}
            Outcome::NoPlan(reason) => return Err(told(reason)),
        }
    }
    Ok(())
}

/// Runs the operation with deferred fragments, if it has a plan then.
fn deferred(
    oracle: &Oracle<'_>,
    question: Question<'_>,
    world: &World<'_>,
    tape: &[u8],
) -> Result<(), String> {
    let reversed: Vec<u8> = tape.iter().rev().copied().collect();
    let text = defer(question.text, &mut Choices::new(&reversed));
    let question = Question { text: &text, ..question };
    match oracle.check_in_parts(question, world) {
        Ok(Outcome::NoPlan(reason)) => Err(format!("{text}\n{reason}")),
        Ok(Outcome::Answered { .. } | Outcome::Invalid) => Ok(()),
        Err(reason) => Err(format!("{text}\n{}\n{reason}", question.variables.len())),
    }
}

/// Runs the operation with failing subgraphs.
fn fail(oracle: &Oracle<'_>, question: Question<'_>, seed: u64) -> Result<(), String> {
    let none = Failing { seed, ..Failing::default() };
    let ways = [
        (Failing { fields: 15, elements: 10, ..none }, Expected::All),
        (Failing { gone: 20, ..none }, Expected::Explained),
        (
            Failing { fields: 15, elements: 10, broken: 10, non_null: true, ..none },
            Expected::Explained,
        ),
    ];
    for (failing, expected) in ways {
        let world = World::new(oracle.supergraph, seed, 0).with_failing(failing);
        oracle
            .check_failing(question, &world, None, expected)
            .map_err(|reason| format!("{failing:?}: {reason}"))?;
    }
    Ok(())
}

/// Returns a random subset of the override labels of a supergraph.
fn labels(supergraph: &Supergraph, choices: &mut Choices<'_>) -> Labels {
    let mut all = BTreeSet::new();
    for (id, definition) in supergraph.schema.types() {
        let _ = id;
        let (graphql::schema::TypeKind::Object { fields, .. }
        | graphql::schema::TypeKind::Interface { fields, .. }) = &definition.kind
        else {
            continue;
        };
        for field in fields {
            for owner in &supergraph.field_owners(*field).subgraphs {
                match &owner.when {
                    OverrideCondition::Always => {}
                    OverrideCondition::On(label) | OverrideCondition::Off(label) => {
                        all.insert(label.clone());
                    }
                }
            }
        }
    }
    Labels(all.into_iter().filter(|_| choices.chance(50)).map(|label| (&*label).into()).collect())
}

fn number(variable: &str) -> Result<Option<u32>, Failed> {
    match std::env::var(variable) {
        Ok(text) => text.parse().map(Some).map_err(|error| format!("{variable}: {error}").into()),
        Err(_) => Ok(None),
    }
}
