//! Programs that are run one after the other over one state of the file.
//!
//! A thread for long requests runs them, with one connection: a statement that stays on its first row
//! holds the state, as for the statements of one program.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use response::{Output, Written};
use source::streamed::died;
use source::{ExecuteError, ExecuteParams, Observed, Snapshot, SourceError};
use tokio::sync::oneshot;

use super::bind::bind;
use super::connection::OpenFile;
use super::cursor::SqliteCursor;
use super::execute::SNAPSHOT_PROBE;
use super::offload::{Manner, Offload, Ticket};
use super::planning::Planning;
use super::program::{OffloadedRequest, SqlitePlan, SqliteProgram, writer};
use super::statement::Statement;
use crate::error::map_error;

/// A program for the thread.
type Command = Box<dyn FnOnce(&OpenFile) + Send>;

/// A snapshot, which the first program takes.
#[derive(Debug)]
pub struct SqliteSnapshot {
    /// Until the first program runs.
    waiting: Option<(Ticket, Planning)>,
    running: Option<Running>,
}

/// The thread that has the snapshot.
#[derive(Debug)]
struct Running {
    commands: Sender<Command>,
    ended: oneshot::Receiver<Result<(), SourceError>>,
    /// Interrupts the thread when it is dropped.
    ticket: Ticket,
}

impl SqliteSnapshot {
    pub(super) fn new(offload: &Offload, planning: Planning) -> Self {
        Self { waiting: Some((offload.ticket(), planning)), running: None }
    }

    /// The thread; true if it has not run anything yet.
    fn running(&mut self) -> Option<(&mut Running, bool)> {
        let is_first = self.waiting.is_some();
        if let Some((ticket, planning)) = self.waiting.take() {
            self.running = Some(begin(ticket, planning));
        }
        Some((self.running.as_mut()?, is_first))
    }
}

/// Queues the thread's work, which ends when the commands do.
fn begin(ticket: Ticket, planning: Planning) -> Running {
    let (commands, received) = channel::<Command>();
    let work = move |file: &OpenFile| {
        let mut look = Statement::of(file, SNAPSHOT_PROBE).map_err(map_error)?;
        let mut snapshot = look.run();
        snapshot.step().map_err(map_error)?;
        while let Ok(command) = received.recv() {
            command(file);
        }
        drop(snapshot);
        Ok::<_, SourceError>(())
    };
    let manner = Manner { planning, ..Manner::short() };
    let ended = ticket.start(&manner, work);
    Running { commands, ended, ticket }
}

impl Snapshot for SqliteSnapshot {
    type Program = SqliteProgram;

    async fn answer<O: Output>(
        &mut self,
        plan: &Arc<SqlitePlan>,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let program = &plan.program;
        let (bound, failures) = bind(&program.program, &program.stored, params.variables);
        if program.program.levels.is_empty() {
            let mut nothing = SqliteCursor::new(&program.program, &bound, &mut []);
            let writer = writer(plan, output, &failures).echoing(params.echoes);
            return Ok(writer.write(&mut nothing)?);
        }
        let echoes = params.echoes.into();
        let work = OffloadedRequest { plan: Arc::clone(plan), bound, failures, echoes };
        let (sender, mut answered) = oneshot::channel();
        let command: Command = Box::new(move |file| {
            // The request may be gone.
            drop(sender.send(work.run(file, output)));
        });
        let (running, is_first) = self.running().ok_or_else(died)?;
        if running.commands.send(command).is_err() {
            return Err(running.failure().await.into());
        }
        observed.begin_round(0..program.program.levels.len());
        let answer = match is_first {
            true => match running.ticket.in_time(&mut answered).await {
                Some(answer) => answer,
                None => return Err(running.ticket.none_free().into()),
            },
            false => answered.await,
        };
        observed.end_round();
        let Ok(answer) = answer else { return Err(running.failure().await.into()) };
        if is_first {
            // From now on it also waits for the request.
            running.ticket.mark_long();
        }
        answer
    }

    async fn end(mut self) {
        if let Some(Running { commands, ended, mut ticket }) = self.running.take() {
            drop(commands);
            ticket.is_over = ended.await.is_ok();
        }
    }
}

impl Running {
    /// The error that has ended the thread's work.
    async fn failure(&mut self) -> SourceError {
        match (&mut self.ended).await {
            Ok(Err(error)) => error,
            Ok(Ok(())) | Err(_) => died(),
        }
    }
}
