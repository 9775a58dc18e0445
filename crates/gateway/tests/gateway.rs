//! The gateway over subgraphs in memory. One program without the usual harness, since most of its
//! tests are found when it runs.
//!
//! * [`case_files`]: the case files of `fixtures/cases/gateway`
//! * [`oracle`]: random operations beside the one schema that the subgraphs make together
//! * [`fuzz`]: what comes in, changed byte by byte
//! * [`satisfiability`]: what is satisfiable is planned, and nothing else
//! * [`plan_size`], [`answer_memory`]: what plans and answers take

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod answer_memory;
mod case_files;
mod fuzz;
mod oracle;
mod plan_size;
mod satisfiability;

use std::error::Error;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use testkit::allocation::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::from_args();
    let mut trials = case_files::trials()?;
    trials.extend(oracle::trials()?);
    trials.extend(fuzz::TESTS.into_iter().map(trial));
    trials.extend(satisfiability::TESTS.into_iter().map(trial));
    trials.extend(plan_size::TESTS.into_iter().map(trial));
    trials.push(trial((answer_memory::NAME, answer_memory::test)));
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

/// A test that fails by a panic.
fn trial((name, test): (&'static str, fn())) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}
