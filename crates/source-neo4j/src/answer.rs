//! Rows that a program read or changed, and the writing of its answer.
//!
//! All rows stay in the buffers that received them, so that writing sends nothing and cannot wait:
//! the request's own thread does it. A long answer would take memory once more as JSON, and delay
//! other requests of the thread; it is streamed by another thread, with backpressure of its reader.
//! The connection is free by then.

use std::sync::Arc;
use std::time::Instant;

use response::{Attempt, Echo, Output, Shape, Sink, Stopped, TooLarge, Writer, Written};
use source::Observed;
use source::offload::{HERE, write_offloaded};
use source::streamed::{self, End, Executed, Sizes};
use source::{ExecuteError, Plan};
use source::{SourceError, SourceErrorKind};
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::task::spawn_blocking;

use super::bind::Bound;
use super::cursor::Answer;
use super::program::GraphProgram;
use super::wire::Records;

/// Most ratio of an answer's length to its rows' bytes: names repeat with each row, and fields may
/// show the same value.
const MOST_LONGER: usize = 8;

/// The rows that a program read or changed for a request.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) bound: Bound,
    /// The root fields that failed.
    pub(super) failures: Vec<(u32, SourceError)>,
    pub(super) results: Vec<Records>,
}

impl Read {
    /// Whether the answer may be so long that it is streamed.
    pub(super) fn is_long(&self, sizes: Sizes) -> bool {
        // Those of one exchange share the received bytes.
        let received = self.results.iter().map(Records::bytes).max().unwrap_or(0);
        received.saturating_mul(MOST_LONGER) >= sizes.whole
    }

    /// Writes the answer: on this thread if it is short, else on one of its own.
    pub(super) async fn write<O: Output>(
        self,
        plan: &Arc<Plan<GraphProgram>>,
        program: &GraphProgram,
        echoes: &[Echo],
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let started = Instant::now();
        let written = self.written_somewhere(plan, program, echoes, output).await;
        observed.write = Some(started.elapsed());
        match written {
            Err(ExecuteError::TooLarge(error)) if observed.has_changed => {
                let kind = match error {
                    TooLarge::Answer { .. } => SourceErrorKind::TooLarge,
                    TooLarge::Together(_) => SourceErrorKind::BudgetExceeded,
                };
                let message = [&error.to_string(), "; the change was made"].concat();
                Err(SourceError::new(kind, message).into())
            }
            written => written,
        }
    }

    async fn written_somewhere<O: Output>(
        self,
        plan: &Arc<Plan<GraphProgram>>,
        program: &GraphProgram,
        echoes: &[Echo],
        output: O,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let output = {
            let answer = Answer::new(program, &self.bound.bounds, &self.results);
            let writer = self.writer(program, &plan.shape, echoes, output);
            match writer.write_at_most(&mut answer.top(), HERE as u64)? {
                Attempt::Written(written) => return Ok(written),
                Attempt::TooLong(output) => output,
            }
        };
        let (plan, echoes) = (Arc::clone(plan), echoes.to_vec());
        let written = write_offloaded(output, move |output| {
            self.written(&plan.program, &plan.shape, &echoes, output)
        });
        Ok(written.await??)
    }

    /// Writes the answer on a thread of its own, which sends it from the size on that makes it long;
    /// one that proves shorter comes as a whole.
    pub(super) async fn stream(
        self,
        plan: &Arc<Plan<GraphProgram>>,
        echoes: &[Echo],
        sink: Sink,
        sizes: Sizes,
        place: OwnedSemaphorePermit,
    ) -> Result<Executed, ExecuteError> {
        let (outlet, pieces) = streamed::channel(Some(place));
        let sink = sink.streaming(sizes.whole, outlet);
        let (plan, echoes) = (Arc::clone(plan), echoes.to_vec());
        let (sender, ended) = oneshot::channel();
        spawn_blocking(move || {
            let written = self.written(&plan.program, &plan.shape, &echoes, sink);
            // The request may be gone.
            drop(sender.send(written.map_err(ExecuteError::from)));
        });
        // A client that disconnects takes no more pieces, which ends the thread at the next one.
        End::new(ended, ()).begin(pieces).await
    }

    fn written<O: Output>(
        self,
        program: &GraphProgram,
        shape: &Shape,
        echoes: &[Echo],
        output: O,
    ) -> Result<Written<SourceError, O::Data>, Stopped<SourceError>> {
        let answer = Answer::new(program, &self.bound.bounds, &self.results);
        self.writer(program, shape, echoes, output).write(&mut answer.top())
    }

    fn writer<'p, O: Output>(
        &self,
        program: &'p GraphProgram,
        shape: &'p Shape,
        echoes: &'p [Echo],
        output: O,
    ) -> Writer<'p, SourceError, O> {
        let mut writer = Writer::new(shape, &program.layout, output).echoing(echoes);
        for (root, error) in &self.failures {
            writer.fail_root(*root as usize, error.clone());
        }
        writer
    }
}

#[cfg(test)]
mod tests;
