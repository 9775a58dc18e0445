//! The rows of a program's statements, and the writing of its answer.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use response::{Attempt, Echo, MemoryReservation, Output, Shape, TooLarge, Writer, Written};
use source::offload::{HERE, write_offloaded};
use source::{CommittedEvents, ExecuteError};
use source::{Observed, ReadForm};
use source::{SourceError, SourceErrorKind};

use super::bind::Bound;
use super::cursor::Answer;
use super::execute::units::too_large;
use super::execute::{PostgresPlan, PostgresProgram};
use super::wire::Rows;

/// The rows that a program read or changed for a request.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) bound: Bound,
    /// The root fields that failed.
    pub(super) failures: Vec<(u32, SourceError)>,
    /// By level.
    pub(super) rows: Vec<Rows>,
}

impl Read {
    /// Writes the answer of a plan that was read in a form, up to a limit of its bytes. Beyond the
    /// limit the output is returned unchanged.
    pub(super) fn write_at_most<O: Output>(
        &self,
        (program, shape): (&PostgresProgram, &Shape),
        echoes: &[Echo],
        output: O,
        bytes: usize,
        observed: &mut Observed,
    ) -> Result<Attempt<SourceError, O>, ExecuteError> {
        if self.bytes() > bytes {
            return Ok(Attempt::TooLong(output));
        }
        let started = Instant::now();
        let answer = self.answer(program)?;
        let writer = self.writer((program, shape), echoes, output);
        let written = writer.write_at_most(&mut answer.top(), bytes as u64);
        observed.write = Some(started.elapsed());
        Ok(written?)
    }

    /// Writes the answer: on this thread if it is short, else on another one, so that it does not
    /// block other requests.
    pub(super) async fn write<O: Output>(
        self,
        (plan, program): (&Arc<PostgresPlan>, &PostgresProgram),
        echoes: &[Echo],
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let parts = (program, &*plan.shape);
        match self.write_at_most(parts, echoes, output, HERE, observed)? {
            Attempt::Written(written) => Ok(written),
            Attempt::TooLong(output) => self.write_offloaded(plan, echoes, output, observed).await,
        }
    }

    /// Writes the answer on a thread of its own.
    pub(super) async fn write_offloaded<O: Output>(
        self,
        plan: &Arc<PostgresPlan>,
        echoes: &[Echo],
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let started = Instant::now();
        let (plan, form, echoes) = (Arc::clone(plan), observed.form, echoes.to_vec());
        let written = write_offloaded(output, move |output| {
            let program = plan.program.in_form(form);
            let answer = self.answer(program)?;
            let writer = self.writer((program, &plan.shape), &echoes, output);
            Ok::<_, ExecuteError>(writer.write(&mut answer.top())?)
        });
        let written = written.await?;
        observed.write = Some(started.elapsed());
        written
    }

    /// The events of the changes.
    pub(super) fn events(
        &self,
        (plan, program): (&PostgresPlan, &PostgresProgram),
        held: MemoryReservation,
    ) -> Result<CommittedEvents, SourceError> {
        let answer = self.answer(program)?;
        let parts = (&*plan.shape, &program.program.layout);
        Ok(CommittedEvents::of_rows(parts, &mut answer.top(), held, &self.failures))
    }

    /// Writes the answer to find out whether it would be refused, and returns the rows.
    pub(super) async fn judge<O: Output>(
        self,
        (plan, program): (&Arc<PostgresPlan>, &PostgresProgram),
        echoes: &[Echo],
        output: O,
    ) -> Judged {
        let parts = (program, &*plan.shape);
        let mut observed = Observed::default();
        let output = match self.write_at_most(parts, echoes, output, HERE, &mut observed) {
            Ok(Attempt::TooLong(output)) => output,
            Ok(Attempt::Written(_)) => return (self.rows, None),
            Err(error) => return (self.rows, refused(&error)),
        };
        let (plan, echoes) = (Arc::clone(plan), echoes.to_vec());
        let judged = write_offloaded(output, move |output| {
            let program = plan.program.in_form(ReadForm::Levels);
            let error = match self.answer(program) {
                Ok(answer) => {
                    let writer = self.writer((program, &plan.shape), &echoes, output);
                    let stopped = writer.write(&mut answer.top()).err();
                    stopped.and_then(|stopped| refused(&ExecuteError::from(stopped)))
                }
                Err(error) => Some(error),
            };
            (self.rows, error)
        });
        judged.await.unwrap_or_else(|died| (Vec::new(), Some(died)))
    }

    /// Received bytes of rows, each round counted once.
    fn bytes(&self) -> usize {
        self.rows.iter().map(Rows::bytes).max().unwrap_or(0)
    }

    fn answer<'r>(&'r self, program: &'r PostgresProgram) -> Result<Answer<'r>, SourceError> {
        Ok(Answer::new(&program.program, &self.bound, &self.rows)?)
    }

    fn writer<'p, O: Output>(
        &self,
        (program, shape): (&'p PostgresProgram, &'p Shape),
        echoes: &'p [Echo],
        output: O,
    ) -> Writer<'p, SourceError, O> {
        let mut writer = Writer::new(shape, &program.program.layout, output).echoing(echoes);
        for (root, error) in &self.failures {
            writer.fail_root(*root as usize, error.clone());
        }
        writer
    }
}

/// Rows, and why there can be no answer with them.
pub(super) type Judged = (Vec<Rows>, Option<SourceError>);

/// The check whether rows fit into an answer.
pub(super) type Judging<'r> = Pin<Box<dyn Future<Output = Judged> + 'r>>;

/// The error of an answer that is refused before its change is committed.
fn refused(error: &ExecuteError) -> Option<SourceError> {
    match error {
        ExecuteError::TooLarge(TooLarge::Answer { budget }) => Some(too_large(*budget)),
        ExecuteError::TooLarge(TooLarge::Together(error)) => Some((*error).into()),
        ExecuteError::Source(error) if error.kind == SourceErrorKind::BudgetExceeded => {
            Some(error.clone())
        }
        ExecuteError::Source(_) | ExecuteError::Refused(_) | ExecuteError::Broken(_) => None,
    }
}
