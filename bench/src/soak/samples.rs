//! Memory, descriptors, threads and sessions of the server in the course of time.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use testkit::postgres::query;

use super::failure::SoakError;
use super::ledger::Ledger;
use super::site::Site;
use crate::background::Background;
use crate::process;
use crate::statistics::median;

const INTERVAL: Duration = Duration::from_secs(5);
const SESSIONS: &str = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'thalweg'";

/// Where the figures come from.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) process: u32,
    pub(super) primary: String,
    pub(super) standby: String,
}

/// The figures of one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// Seconds since the load began.
    pub(super) second: u64,
    pub(super) resident: u64,
    pub(super) descriptors: usize,
    pub(super) threads: i64,
    /// Sessions in the primary and in the standby.
    pub(super) sessions: u64,
}

/// A thread that takes samples.
#[derive(Debug)]
pub(super) struct Samples(Background<Vec<Sample>>);

/// Medians of a part of the time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Part {
    pub(super) resident: f64,
    pub(super) descriptors: f64,
    pub(super) threads: f64,
    pub(super) sessions: f64,
}

impl Samples {
    pub(super) fn start(site: &Site, ledger: &Arc<Ledger>) -> Self {
        let (measured, ledger) = (site.measured(), Arc::clone(ledger));
        Self(Background::start(move |stop| {
            let started = Instant::now();
            let mut samples = Vec::new();
            while !stop.is_set() {
                // A database that is away has no sessions that could be counted.
                match Sample::take(&measured, started.elapsed().as_secs()) {
                    Ok(sample) => samples.push(sample),
                    Err(SoakError::Postgres(_)) => {}
                    Err(error) => ledger.problem(error.to_string()),
                }
                thread::sleep(INTERVAL);
            }
            samples
        }))
    }

    pub(super) fn finish(self) -> Option<Vec<Sample>> {
        self.0.finish()
    }
}

impl Sample {
    pub(super) fn take(measured: &Measured, second: u64) -> Result<Self, SoakError> {
        let found = process::find(measured.process)?;
        let sessions = sessions(&measured.primary)? + sessions(&measured.standby)?;
        Ok(Self {
            second,
            resident: process::resident(measured.process)?,
            descriptors: found.fd_count()?,
            threads: found.stat()?.num_threads,
            sessions,
        })
    }
}

/// The medians of as many parts of equal time.
pub(super) fn parts(samples: &[Sample], number: usize) -> Vec<Part> {
    let size = samples.len().div_ceil(number).max(1);
    samples.chunks(size).map(part).collect()
}

#[expect(clippy::cast_precision_loss, reason = "figures of a process are far below 2^52")]
fn part(samples: &[Sample]) -> Part {
    let of = |value: fn(&Sample) -> f64| median(samples.iter().map(value));
    Part {
        resident: of(|sample| sample.resident as f64),
        descriptors: of(|sample| sample.descriptors as f64),
        threads: of(|sample| sample.threads as f64),
        sessions: of(|sample| sample.sessions as f64),
    }
}

fn sessions(url: &str) -> Result<u64, SoakError> {
    let rows = query(url, SESSIONS)?;
    let text = rows.into_iter().flatten().flatten().next().unwrap_or_default();
    text.parse().map_err(|_| SoakError::NoNumber(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_of_equal_time() {
        let sample = |second| Sample {
            second,
            resident: second * 10,
            descriptors: 5,
            threads: 3,
            sessions: 2,
        };
        let samples: Vec<Sample> = (0..9).map(sample).collect();
        let resident: Vec<f64> = parts(&samples, 3).iter().map(|part| part.resident).collect();
        assert_eq!(resident, [10.0, 40.0, 70.0]);
        assert!(parts(&[], 3).is_empty());
    }
}
