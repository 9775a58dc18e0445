//! Fuzzing on the stable toolchain, for texts and bytes that are read by something.
//!
//! A [`Target`] makes inputs of a tape of bytes and returns the violated property of one. The
//! inputs are first all regressions, then all seeds, then those of random tapes. An input that
//! fails is minimised and kept as a regression.
//!
//! * [`choices`](Choices): decisions read from the tape
//! * [`mutate`](mod@mutate): bytes changed a few times
//! * `corpus`: the files of `fixtures/fuzz/<target>`
//! * `minimise`: the shortest input that fails
//!
//! `THALWEG_FUZZ_SEED` chooses other tapes; with `THALWEG_FUZZ_SECONDS` every target runs for so
//! long, instead of for a number of tapes.

mod choices;
mod corpus;
mod minimise;
pub mod mutate;

pub use choices::Choices;

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use corpus::Corpus;

const LONGEST_TAPE: usize = 500;

/// From decisions and seeds to an input.
pub type Make<'t> = dyn Fn(&mut Choices<'_>, &[Vec<u8>]) -> Vec<u8> + 't;

/// The code under test, and the generator of its inputs.
pub struct Target<'t> {
    /// The folder of its files in `fixtures/fuzz`.
    pub name: &'t str,
    /// Default number of tapes, without a time limit.
    pub cases: u32,
    /// Makes an input; the seeds are there to start from.
    pub make: &'t Make<'t>,
    /// Checks the properties of an input; returns the violated one. A panic is a failure, too.
    pub check: &'t dyn Fn(&[u8]) -> Result<(), String>,
}

/// The number of tapes, or the time for them.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Instead of a number of tapes.
    pub time: Option<Duration>,
    pub seed: u32,
}

/// An input that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}\nthe input: {}\nit is in {}", shown(.input), file.display())]
pub struct Failure {
    pub reason: String,
    pub input: Vec<u8>,
    pub file: PathBuf,
}

/// The reason why fuzzing failed.
#[derive(Debug, thiserror::Error)]
pub enum FuzzError {
    #[error("{variable}: {text} is no number")]
    Variable { variable: &'static str, text: String },
    #[error("the files of the target: {0}")]
    Corpus(#[from] std::io::Error),
    #[error(transparent)]
    Failure(#[from] Failure),
}

impl fmt::Debug for Target<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Target").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Budget {
    /// Reads `THALWEG_FUZZ_SECONDS` and `THALWEG_FUZZ_SEED`.
    pub fn from_environment() -> Result<Self, FuzzError> {
        let seconds = number("THALWEG_FUZZ_SECONDS")?;
        let seed = number("THALWEG_FUZZ_SEED")?.unwrap_or(0);
        Ok(Self { time: seconds.map(|seconds| Duration::from_secs(seconds.into())), seed })
    }

    /// Calls `round` once, or with one seed after the other until the time is over.
    pub fn rounds<E>(self, mut round: impl FnMut(u32) -> Result<(), E>) -> Result<(), E> {
        let started = Instant::now();
        let mut seed = self.seed;
        loop {
            round(seed)?;
            if self.time.is_none_or(|time| started.elapsed() >= time) {
                return Ok(());
            }
            seed = seed.wrapping_add(1);
        }
    }
}

impl Target<'_> {
    /// Tries regressions, seeds and made inputs; `fixtures` is the folder of that name.
    pub fn run(&self, fixtures: &Path) -> Result<(), FuzzError> {
        let corpus = Corpus::read(&fixtures.join("fuzz").join(self.name))?;
        for (file, input) in corpus.regressions.iter().chain(&corpus.seeds) {
            if let Err(reason) = self.try_input(input) {
                let (input, file) = (input.clone(), file.clone());
                return Err(Failure { reason, input, file }.into());
            }
        }
        let seeds: Vec<Vec<u8>> = corpus.seeds.into_iter().map(|(_, input)| input).collect();
        Budget::from_environment()?.rounds(|seed| self.round(seed, &seeds, &corpus.folder))
    }

    /// Runs the tapes of one seed.
    fn round(&self, seed: u32, seeds: &[Vec<u8>], folder: &Path) -> Result<(), FuzzError> {
        let config = Config { failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, rng(self.name, seed));
        let tapes = proptest::collection::vec(proptest::num::u8::ANY, 0..LONGEST_TAPE);
        for _ in 0..self.cases {
            // A tape of this strategy is never refused.
            let Ok(tape) = tapes.new_tree(&mut runner) else { continue };
            let input = (self.make)(&mut Choices::new(&tape.current()), seeds);
            if let Err(first) = self.try_input(&input) {
                return Err(self.keep(input, first, folder)?.into());
            }
        }
        Ok(())
    }

    /// Makes a failing input short and writes it to a file.
    fn keep(&self, input: Vec<u8>, first: String, folder: &Path) -> std::io::Result<Failure> {
        let reason = RefCell::new(first);
        let input = minimise::minimise(input, &|input| match self.try_input(input) {
            Ok(()) => false,
            Err(found) => {
                reason.replace(found);
                true
            }
        });
        let file = corpus::keep(folder, &input)?;
        Ok(Failure { reason: reason.into_inner(), input, file })
    }

    fn try_input(&self, input: &[u8]) -> Result<(), String> {
        catch_unwind(AssertUnwindSafe(|| (self.check)(input)))
            .unwrap_or_else(|panic| Err(format!("a panic: {}", panic_text(&*panic))))
    }
}

/// Other tapes for each target and seed, the same in every run.
pub fn rng(name: &str, seed: u32) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    for (place, byte) in name.bytes().enumerate() {
        bytes[4 + place % 28] ^= byte.rotate_left(u32::try_from(place / 28).unwrap_or(0));
    }
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

fn number(variable: &'static str) -> Result<Option<u32>, FuzzError> {
    match std::env::var(variable) {
        Ok(text) => match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(FuzzError::Variable { variable, text }),
        },
        Err(_) => Ok(None),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without words")
}

fn shown(input: &[u8]) -> String {
    let beginning = input.get(..2_000).unwrap_or(input);
    beginning.escape_ascii().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails for every input with a `!` behind a `?`.
    fn check(input: &[u8]) -> Result<(), String> {
        let question = input.iter().position(|byte| *byte == b'?').unwrap_or(input.len());
        match input[question..].contains(&b'!') {
            true => panic!("found"),
            false => Ok(()),
        }
    }

    #[test]
    fn what_fails_is_made_short_and_kept_and_fails_again() {
        let fixtures = std::env::temp_dir().join(format!("fuzz-{}", std::process::id()));
        let seeds = fixtures.join("fuzz/example/seeds");
        std::fs::create_dir_all(&seeds).unwrap();
        std::fs::write(seeds.join("one"), "a ? seed").unwrap();
        let make = |choices: &mut Choices<'_>, seeds: &[Vec<u8>]| {
            let mut input = choices.pick(seeds).cloned().unwrap_or_default();
            mutate::mutate(&mut input, &[b"!", b"\0"], choices);
            input
        };
        let target = Target { name: "example", cases: 1_000, make: &make, check: &check };
        let Err(FuzzError::Failure(failure)) = target.run(&fixtures) else { panic!("it passes") };
        assert_eq!((&*failure.input, &*failure.reason), (&b"?!"[..], "a panic: found"));
        assert_eq!(std::fs::read(&failure.file).unwrap(), b"?!");
        let nothing = |_: &mut Choices<'_>, _: &[Vec<u8>]| Vec::new();
        let again = Target { make: &nothing, ..target };
        let Err(FuzzError::Failure(kept)) = again.run(&fixtures) else { panic!("it passes") };
        assert_eq!(kept, failure);
        std::fs::remove_dir_all(fixtures).unwrap();
    }
}
