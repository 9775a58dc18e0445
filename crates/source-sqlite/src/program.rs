//! Compiled requests, and their runs on other threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use response::{Echo, Output, Refused, Sink, Writer, Written};
use source::{ExecuteError, Plan, SourceError, SourceErrorKind};

use super::bind::Bound;
use super::connection::{Cache, OpenFile};
use super::execute;
use super::execute::meter::Clock;
use super::offload::Manner;
use super::planning::Planning;
use super::runtime_estimate::{RuntimeClass, RuntimeEstimate};
use super::stored::Stored;
use crate::error::map_error;

/// A request that was compiled for SQLite.
pub type SqlitePlan = Plan<SqliteProgram>;

#[derive(Debug)]
pub struct SqliteProgram {
    pub program: relational::Program,
    /// Stored forms of columns' values.
    pub(super) stored: Stored,
    pub(super) planning: Planning,
    /// If it proved long, it does not start on the serving thread.
    pub(super) estimate: Arc<RuntimeEstimate>,
    /// Whether its last answer was streamed: then the next one is, from its beginning.
    pub(super) streamed: AtomicBool,
}

impl SqliteProgram {
    pub(super) fn manner(&self, class: RuntimeClass) -> Manner {
        Manner { planning: self.planning, estimate: Arc::clone(&self.estimate), class }
    }
}

/// A request that runs on another thread.
pub(super) struct OffloadedRequest {
    pub(super) plan: Arc<SqlitePlan>,
    pub(super) bound: Bound,
    pub(super) failures: Vec<(u32, SourceError)>,
    /// Values of the request that the answer repeats.
    pub(super) echoes: Box<[Echo]>,
}

impl OffloadedRequest {
    /// Runs a request that may prove long.
    pub(super) fn begin(
        &self,
        file: &OpenFile,
        sink: Sink,
        has_place: bool,
    ) -> Result<Written<SourceError>, ExecuteError> {
        let program = &self.plan.program;
        // Another one, which ran while this one waited for a connection, has proved long.
        if !has_place && program.streamed.load(Ordering::Relaxed) {
            return Err(Refused::NoPlace.into());
        }
        let written = match has_place {
            true => file.with_cache(Cache::Least, || self.run(file, sink)).map_err(map_error)?,
            false => self.run(file, sink),
        };
        if let Err(ExecuteError::Refused(Refused::NoPlace)) = written {
            program.streamed.store(true, Ordering::Relaxed);
        }
        written
    }

    pub(super) fn run<O: Output>(
        &self,
        file: &OpenFile,
        output: O,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let program = &self.plan.program;
        let clock = Clock::start();
        let writer = writer(&self.plan, output, &self.failures).echoing(&self.echoes);
        // An interrupted run ends the whole answer, and so does one without memory.
        let writer = writer.ended_by(|error| {
            matches!(error.kind, SourceErrorKind::Timeout | SourceErrorKind::BudgetExceeded)
        });
        let written = execute::execute(file, &program.program, &self.bound, writer);
        // Time in which the thread waited for its processor does not count.
        program.estimate.took(clock.elapsed());
        written
    }
}

pub(super) fn writer<'p, O: Output>(
    plan: &'p SqlitePlan,
    output: O,
    failures: &[(u32, SourceError)],
) -> Writer<'p, SourceError, O> {
    let mut writer = Writer::new(&plan.shape, &plan.program.program.layout, output);
    for (root, error) in failures {
        writer.fail_root(*root as usize, error.clone());
    }
    writer
}
