//! Tests that are found when the program runs, and those that use the databases of the cases.
//!
//! * [`case_files`], [`graph`]: the case files of `fixtures/cases`
//! * [`differential`], [`differential_writes`]: random operations on all sources
//! * [`nested`]: random changes of rows together
//! * [`round_trips`]: values of each type
//! * [`fuzz`]: hostile requests, written and random
//! * [`cached_cases`], [`answer_memory`]: what plans and answers take

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod answer_memory;
#[path = "support/asker.rs"]
mod asker;
mod cached_cases;
mod case_files;
#[path = "support/choices.rs"]
mod choices;
#[path = "support/defined.rs"]
mod defined;
#[path = "support/dialect.rs"]
mod dialect;
mod differential;
mod differential_writes;
mod fuzz;
mod graph;
mod nested;
#[path = "support/operation.rs"]
mod operation;
#[path = "support/options.rs"]
mod options;
mod round_trips;
#[path = "support/sources.rs"]
mod sources;
#[path = "support/steps.rs"]
mod steps;
#[path = "support/streamed.rs"]
mod streamed;
#[path = "support/value.rs"]
mod value;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};
use testkit::allocation::Counting;

use crate::sources::Sources;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::from_args();
    // Looks for servers and starts none: that is for the first test which needs one.
    let sources = Arc::new(Sources::find()?);
    let mut trials = case_files::trials(&sources)?;
    trials.extend(graph::trials()?);
    trials.extend(differential::trials(&sources));
    trials.extend(differential_writes::trials(&sources));
    trials.extend(round_trips::trials()?);
    trials.extend(fuzz::trials()?);
    for (name, test) in [
        ("nested::rows_are_changed_together", nested::rows_are_changed_together as fn(&Sources)),
        (
            "cached_cases::plans_of_all_cases_take_what_the_cache_says",
            cached_cases::plans_of_all_cases_take_what_the_cache_says,
        ),
        (
            answer_memory::NAME,
            answer_memory::the_memory_of_an_answer_is_reserved_before_it_is_taken,
        ),
    ] {
        let sources = Arc::clone(&sources);
        trials.push(Trial::test(name, move || {
            test(&sources);
            Ok(())
        }));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    // Removes the databases, which leaving the process does not.
    drop(sources);
    Ok(conclusion.exit_code())
}
