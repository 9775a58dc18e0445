//! Document and variables in, well-formed statements and a well-formed response out, whatever
//! comes in.
//!
//! * [`inputs`]: requests made of a tape of bytes, by [`grammar`], [`tokens`] and [`bytes`]
//! * [`properties`]: what must hold of each of them, with [`statements`] and [`allocation`]
//! * [`seeds`]: where mutation starts, and what failed once
//! * [`hostile`]: requests made by hand
//! * [`opaque`]: cursors and node ids
//! * [`target`]: the APIs under attack
//!
//! `THALWEG_FUZZ_CASES` says how many tapes each maker has for each target, `THALWEG_FUZZ_SEED`
//! chooses other tapes, and `THALWEG_FUZZ_SECONDS` goes on with the next seeds for so long.

mod bytes;
mod grammar;
mod hostile;
mod inputs;
mod opaque;
mod properties;
mod seeds;
mod statements;
mod target;
mod tokens;

use std::error::Error;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use graphql::Request;
use libtest_mimic::{Failed, Trial};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use testkit::fuzz::{Budget, rng};
use tokio::runtime::Runtime;

use inputs::{Maker, Material};
use properties::Attack;
use seeds::Regression;
use target::{Target, Targets};

/// Tapes for each maker and target: such that all of them take half a minute at most.
const CASES: u32 = 30;
const LONGEST_TAPE: usize = 500;

/// A test for each maker and API, each input that failed once, and each hostile request.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn Error>> {
    // Listing must not start servers.
    let targets = Arc::new(Targets::new()?);
    let all = Targets::all()?;
    let mut trials = Vec::new();
    for target in &all {
        for maker in Maker::ALL {
            let (targets, target) = (Arc::clone(&targets), *target);
            let name = format!("{}::{target}", maker.name());
            trials.push(Trial::test(format!("fuzz::{name}"), move || {
                fuzz(&name, maker, target, &targets)
            }));
        }
    }
    for regression in seeds::regressions()? {
        let (targets, all) = (Arc::clone(&targets), all.clone());
        let name = format!("fuzz::regression::{}", regression.name);
        trials.push(Trial::test(name, move || repeat(&regression, &all, &targets)));
    }
    trials.extend(hostile::trials(&targets, &all));
    trials.extend(opaque::trials(&targets, &all));
    Ok(trials)
}

/// One thread with everything that a request needs.
pub(crate) fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn fuzz(name: &str, maker: Maker, target: Target, targets: &Targets) -> Result<(), Failed> {
    let opened = targets.open(target)?;
    let seeds = seeds::seeds(target.style)?;
    let material = Material { opened: &opened, seeds: &seeds };
    let runtime = runtime()?;
    let attack = runtime.block_on(Attack::on(&opened))?;
    let run = |tape: &[u8]| runtime.block_on(maker.run(&material, &attack, tape));

    let cases = number("THALWEG_FUZZ_CASES")?.unwrap_or(CASES);
    let budget = Budget::from_environment().map_err(|error| error.to_string())?;
    // The time is for all targets of a maker together.
    let targets =
        u32::try_from(Targets::all().map_or(1, |all| all.len())).unwrap_or(u32::MAX).max(1);
    let budget = Budget { time: budget.time.map(|time| time / targets), ..budget };
    budget.rounds(|seed| {
        let config = Config {
            cases,
            failure_persistence: None,
            max_shrink_iters: 4_000,
            max_shrink_time: 30_000,
            ..Config::default()
        };
        let mut runner = TestRunner::new_with_rng(config, rng(name, seed));
        let tapes = proptest::collection::vec(proptest::num::u8::ANY, 0..LONGEST_TAPE);
        let outcome = runner.run(&tapes, |tape| run(&tape).map_err(TestCaseError::fail));
        let Err(TestError::Fail(first, tape)) = outcome else {
            return outcome.map_err(|error| Failed::from(error.to_string()));
        };
        // Once more, so that the last request is the one that fails.
        let reason = match catch_unwind(AssertUnwindSafe(|| run(&tape))) {
            Ok(Ok(())) => format!("it fails only once: {first}"),
            Ok(Err(reason)) => reason,
            Err(_) => format!("a panic: {first}"),
        };
        let body = attack.last.borrow();
        let file = seeds::keep(name, &body)?;
        let body = String::from_utf8_lossy(&body);
        Err(format!("{reason}\n{body}\nkept in {}", file.display()).into())
    })
}

fn repeat(regression: &Regression, all: &[Target], targets: &Targets) -> Result<(), Failed> {
    let Ok(request) = Request::from_json(&regression.body) else { return Ok(()) };
    let runtime = runtime()?;
    for target in all {
        let opened = targets.open(*target)?;
        let outcome = runtime.block_on(async {
            let attack = Attack::on(&opened).await?;
            attack.send(&request).await
        });
        outcome.map_err(|reason| format!("{target}: {reason}"))?;
    }
    Ok(())
}

fn number(variable: &str) -> Result<Option<u32>, Failed> {
    match std::env::var(variable) {
        Ok(text) => text.parse().map(Some).map_err(|error| format!("{variable}: {error}").into()),
        Err(_) => Ok(None),
    }
}
