//! Counts the cost of a load and compares answers while it runs.

use std::time::Duration;

use super::Target;
use super::failure::LoadError;
use super::sampled::{Sampler, Samples};
use crate::race::record::{Latency, Outcome};
use crate::race::usage::{Processes, Usage, Watch};

/// The counts of a load generator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counts {
    pub(super) seconds: f64,
    /// With those that failed.
    pub(super) requests: u64,
    pub(super) failures: u64,
    pub(super) compared: u64,
    pub(super) latency: Latency,
}

/// Runs a load while a connection of its own asks once in each period.
pub(super) fn measure(
    target: &Target<'_>,
    period: Duration,
    load: impl FnOnce() -> Result<Counts, LoadError>,
) -> Result<Outcome, LoadError> {
    let watch = Watch::start(target.processes)?;
    let sampler = Sampler::start(target, period);
    let counts = load();
    let samples = sampler.finish();
    let usage = watch.finish()?;
    Ok(counts?.with(samples).outcome(usage))
}

/// Runs a load that compares all answers itself, or has none to compare.
pub(super) fn count(
    processes: Processes,
    load: impl FnOnce() -> Result<Counts, LoadError>,
) -> Result<Outcome, LoadError> {
    let watch = Watch::start(processes)?;
    let counts = load();
    let usage = watch.finish()?;
    Ok(counts?.outcome(usage))
}

impl Counts {
    /// The samples are requests that the servers have worked for, so they count as such; how long
    /// they took does not, as their answers are read by another client.
    fn with(self, samples: Samples) -> Self {
        Self {
            requests: self.requests + samples.requests,
            failures: self.failures + samples.failures,
            compared: self.compared + samples.compared,
            ..self
        }
    }

    fn outcome(self, usage: Usage) -> Outcome {
        Outcome {
            seconds: self.seconds,
            requests: self.requests,
            failures: self.failures,
            compared: self.compared,
            latency: self.latency,
            cpu: usage.cpu,
            peak_memory: usage.peak_memory,
            recovery_seconds: None,
            is_disturbed: usage.is_disturbed(),
            repetitions: 0,
        }
    }
}
