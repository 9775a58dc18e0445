//! Answers that are sent while they are made, each over a connection of its own.

use std::sync::Arc;
use std::time::Duration;

use response::{Echo, Shape, Sink, Writer, Written};
use source::ExecuteError;
use source::Settings;
use source::streamed::Abandoned;
use source::{SourceError, SourceErrorKind};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::bind::Bound;
use super::execute::{PostgresPlan, PostgresProgram};
use super::pool::Detached;
use super::portions::{Reader, read_ahead};
use super::settings;
use super::wire::{Connection, Transaction, WireError};

/// Timeout for the end of a transaction when all of its answers were read.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// The inputs of one streamed answer.
pub(super) struct Work {
    pub(super) plan: Arc<PostgresPlan>,
    /// The plan's program, in portions.
    pub(super) program: Arc<PostgresProgram>,
    pub(super) bound: Bound,
    pub(super) failures: Vec<(u32, SourceError)>,
    /// Values of the request that the answer repeats.
    pub(super) echoes: Box<[Echo]>,
    pub(super) settings: Option<Arc<Settings>>,
    pub(super) most_rows: u32,
}

impl Work {
    /// Writes the whole answer on this thread.
    pub(super) fn run(
        &self,
        mut detached: Detached,
        sink: Sink,
        abandoned: &Abandoned,
        runtime: &Handle,
    ) -> Result<Written<SourceError>, ExecuteError> {
        let connection = detached.connection().ok_or_else(without_connection)?;
        // If it ends early, running statements are cancelled when the connection is dropped.
        self.write(&self.plan.shape, connection, sink, abandoned, runtime)
    }

    fn write(
        &self,
        shape: &Shape,
        connection: &mut Connection,
        sink: Sink,
        abandoned: &Abandoned,
        runtime: &Handle,
    ) -> Result<Written<SourceError>, ExecuteError> {
        let mut pipeline = connection.pipeline();
        let transaction = Some(Transaction::Snapshot);
        settings::begin(
            &mut pipeline,
            transaction,
            self.settings.as_deref(),
            self.program.product.settings_form(),
        )
        .map_err(SourceError::from)?;
        let reader = Reader {
            runtime,
            pipeline,
            program: &self.program,
            whole: &self.plan.program,
            bound: &self.bound,
            abandoned,
            most_rows: self.most_rows,
            count: 0,
        };
        let mut writer =
            Writer::new(shape, &self.program.program.layout, sink).echoing(&self.echoes);
        for (root, error) in &self.failures {
            writer.fail_root(*root as usize, error.clone());
        }
        let (written, pipeline) = read_ahead(reader, |top| writer.write(top))?;
        let written = written.map_err(ExecuteError::from)?;
        runtime.block_on(async {
            let ended = async {
                let mut pipeline = pipeline;
                pipeline.commit()?;
                pipeline.sync_and_read(&mut Vec::new()).await
            };
            if let Err(error) =
                timeout(END_PATIENCE, ended).await.unwrap_or(Ok::<(), WireError>(()))
            {
                tracing::debug!(%error, "a transaction did not end as usual");
            }
        });
        Ok(written)
    }
}

fn without_connection() -> SourceError {
    SourceError::new(SourceErrorKind::Internal, "a connection that is not there")
}
