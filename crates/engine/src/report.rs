//! Figures and outcome of a request, for logs, metrics and traces.
//!
//! It is filled while the request runs, so that a cancelled one has a report too.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::gateway::execute::ExecutionStatistics as Fetches;
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError};
use source::Observed;

use crate::answer_cache::CacheUsed;
use crate::documents::Document;
use crate::gateway;
use crate::prepare;
use crate::progress::Progress;
use crate::resolvers::statistics::Calls;
use crate::respond::Response;

/// Figures of one request so far.
#[derive(Debug, Default)]
pub struct Report {
    /// The time at which the engine received the request.
    pub started: Option<Instant>,
    /// Known from when the document is valid.
    pub operation: Option<OperationKind>,
    pub document: Option<Arc<Document>>,
    pub stages: Stages,
    /// Whether the document was cached.
    pub document_known: bool,
    /// Whether the plan was cached.
    pub plan_known: bool,
    /// The plan of the request, once there is one.
    pub prepared: Option<Planned>,
    /// Estimated cost, in rows.
    pub cost: Option<u64>,
    /// The codes of the answer's errors.
    pub codes: Vec<ErrorCode>,
    /// The JSON of the errors that the request was refused with, without values of the request.
    pub refused: Option<Vec<u8>>,
    /// Figures of its statements.
    pub observed: Observed,
    /// Figures of its fetches from subgraphs.
    pub fetches: Fetches,
    /// Figures of its requests to other servers that give values of fields.
    pub calls: Calls,
    /// What other threads see of the request, if one of them may look.
    pub progress: Option<Arc<Progress>>,
    /// The cached answer, if there is one now.
    pub cache: Option<CacheUsed>,
}

/// The plan of a request.
#[derive(Clone, Debug)]
pub enum Planned {
    /// The request tree and the statements.
    Source(Arc<prepare::Prepared>),
    /// The requests to subgraphs.
    Gateway(Arc<gateway::Prepared>),
}

/// Durations of the stages; a stage that was not reached has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// To find or make the document: parse and validate.
    pub document: Option<Duration>,
    /// To coerce the variables, and to find or make the plan: lower and compile.
    pub plan: Option<Duration>,
    /// To run the statements, and to write the answer where that is done meanwhile.
    pub execute: Option<Duration>,
    /// To write the answer where all rows are there before.
    pub write: Option<Duration>,
}

impl Report {
    /// Remembers the errors that the request is refused with.
    pub(crate) fn refuse(&mut self, errors: &[GraphQLError]) {
        self.codes = errors.iter().map(|error| error.code).collect();
        if errors.iter().any(|error| error.has_values()) {
            let errors: Vec<_> = errors.iter().map(GraphQLError::without_values).collect();
            self.refused = Some(Response::request_error(&errors).body.into());
        }
    }

    /// Remembers the document.
    pub fn set_document(&mut self, document: &Arc<Document>) {
        if let Some(progress) = &self.progress {
            progress.set_document(document);
        }
        self.document = Some(Arc::clone(document));
    }

    /// Remembers the plan.
    pub(crate) fn set_plan(&mut self, plan: Planned) {
        if let Some(progress) = &self.progress {
            progress.set_plan(&plan);
        }
        self.prepared = Some(plan);
    }

    /// The statements, if the request reads a source.
    #[must_use]
    pub fn statements(&self) -> Option<&sources::Plan> {
        match self.prepared.as_ref()? {
            Planned::Source(prepared) => Some(&prepared.plan),
            Planned::Gateway(_) => None,
        }
    }
}

impl Stages {
    /// Splits the time of writing off the time of execution.
    pub(crate) fn split_off_write(&mut self, write: Option<Duration>) {
        self.write = write;
        if let (Some(execute), Some(write)) = (&mut self.execute, write) {
            *execute = execute.saturating_sub(write);
        }
    }
}

/// Times one stage, and writes it down however the stage ends: a future that is dropped at its
/// `await` included.
pub(crate) struct Timed<'r> {
    started: Instant,
    ended: Option<Instant>,
    stage: &'r mut Option<Duration>,
}

impl<'r> Timed<'r> {
    /// A stage that began when the one before ended: the clock is read once for both.
    pub(crate) fn since(started: Instant, stage: &'r mut Option<Duration>) -> Self {
        Self { started, ended: None, stage }
    }

    pub(crate) fn start(stage: &'r mut Option<Duration>) -> Self {
        Self::since(Instant::now(), stage)
    }

    /// Ends the stage; returns the time of its end.
    pub(crate) fn end(mut self) -> Instant {
        *self.ended.insert(Instant::now())
    }
}

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        let ended = self.ended.unwrap_or_else(Instant::now);
        *self.stage = Some(ended.saturating_duration_since(self.started));
    }
}
