//! The rows of a request: among those of others, or on a connection of its own.

use std::pin::pin;
use std::rc::Rc;
use std::time::{Duration, Instant};

use source::Observed;
use source::Session;
use source::SourceError;
use tokio::select;
use tokio::time::sleep;

use super::bind::Bound;
use super::execute::{PostgresProgram, Run, by_level, compose, composed, run};
use super::pool::{Pool, Pooled};
use super::sharing::{MOST_COST, Shared, Sharing};
use super::wire::{Pipeline, Rows, WireError};

/// A connection that the server closed is replaced without an error if it is noticed within this
/// time. After longer it was closed while it worked, maybe because it worked for so long.
const REPLACED_WITHIN: Duration = Duration::from_secs(1);

/// Attempts of a request on shared connections before it acquires one of its own.
const SHARED_ATTEMPTS: usize = 2;

/// Attempts of a request whose answers belong to other statements.
const MIXED_UP_ATTEMPTS: usize = 3;

/// Interval after which a request that waits for a connection of its own checks again whether it
/// may share one.
const SHARE_CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// A program that is about to be run.
pub(super) struct Reading<'r> {
    pub(super) pool: &'r Rc<Pool>,
    pub(super) sharing: &'r Rc<Sharing>,
    pub(super) program: &'r PostgresProgram,
    pub(super) bound: &'r Bound,
    pub(super) session: &'r Session,
    pub(super) cost: u64,
    pub(super) most_bytes: usize,
    pub(super) observed: &'r mut Observed,
}

/// The result of an attempt on a shared connection.
enum SharedAttempt {
    Rows(Vec<Rows>),
    /// Another attempt is possible.
    NotNow,
    /// The request needs a connection of its own.
    Never,
}

impl Reading<'_> {
    /// The rows of all levels. The root fields in `failures` are left out, and those that fail
    /// now are added.
    pub(super) async fn rows(
        mut self,
        failures: &mut Vec<(u32, SourceError)>,
    ) -> Result<Vec<Rows>, SourceError> {
        if self.finds_nothing(failures) {
            return Ok(self.program.program.levels.iter().map(|_| Rows::default()).collect());
        }
        let started = Instant::now();
        let mut mixed_up = 0;
        // Settings of one session must not be visible to others.
        let mut may_share = self.session.settings.is_none()
            && self.cost <= MOST_COST
            && self.program.is_one_batch();
        loop {
            let connection = {
                // Nothing is done for it before it is polled.
                let mut acquire = pin!(self.pool.acquire_for(self.session.names()));
                loop {
                    if may_share {
                        match self.on_shared(failures, started).await? {
                            SharedAttempt::Rows(rows) => return Ok(rows),
                            SharedAttempt::NotNow => {}
                            SharedAttempt::Never => may_share = false,
                        }
                    }
                    select! {
                        biased;
                        acquired = &mut acquire => break acquired?,
                        () = sleep(SHARE_CHECK_INTERVAL), if may_share => {}
                    }
                }
            };
            // Connections that were not used before are not replaced, so this ends.
            let may_be_replaced = connection.is_reused();
            match self.on_own(connection, failures).await {
                Err(WireError::Closed { reason })
                    if may_be_replaced && started.elapsed() < REPLACED_WITHIN =>
                {
                    tracing::debug!(?reason, "a closed connection is replaced");
                }
                Err(WireError::OutOfSync(reason)) if mixed_up < MIXED_UP_ATTEMPTS => {
                    mixed_up += 1;
                    tracing::warn!(reason, "answers of several clients were mixed up");
                }
                read => return Ok(read?),
            }
        }
    }

    /// Whether all statements are skipped, since no keys are given by which rows are found.
    fn finds_nothing(&self, failures: &[(u32, SourceError)]) -> bool {
        let without: Vec<u32> = failures.iter().map(|(root, _)| *root).collect();
        self.bound.levels.iter().any(|level| level.is_empty)
            && composed(self.program, self.bound, &without).next().is_none()
    }

    async fn on_shared(
        &mut self,
        failures: &[(u32, SourceError)],
        started: Instant,
    ) -> Result<SharedAttempt, SourceError> {
        let Self { program, bound, .. } = *self;
        for _ in 0..SHARED_ATTEMPTS {
            if !program.estimate.is_short() || !self.sharing.should_share(self.pool) {
                break;
            }
            let without: Vec<u32> = failures.iter().map(|(root, _)| *root).collect();
            self.observed.begin_round(composed(program, bound, &without));
            let batch = |pipeline: &mut Pipeline<'_>| compose(pipeline, program, bound, &without);
            let shared = self.sharing.run(self.pool, &program.estimate, batch).await;
            self.observed.end_round();
            match shared {
                Shared::Rows(rows) => {
                    return Ok(SharedAttempt::Rows(by_level(program, bound, &without, rows)));
                }
                Shared::Moved => {}
                Shared::NotNow => break,
                Shared::Closed(error) if started.elapsed() >= REPLACED_WITHIN => {
                    return Err(error.into());
                }
                Shared::Apart | Shared::Closed(_) => return Ok(SharedAttempt::Never),
            }
        }
        Ok(SharedAttempt::NotNow)
    }

    async fn on_own(
        &mut self,
        mut connection: Pooled,
        failures: &mut Vec<(u32, SourceError)>,
    ) -> Result<Vec<Rows>, WireError> {
        let Self { program, bound, session, .. } = *self;
        let settings = session.settings.as_deref();
        connection.allow(self.most_bytes);
        let started = Instant::now();
        loop {
            let without: Vec<u32> = failures.iter().map(|(root, _)| *root).collect();
            let ran = run(&mut connection, program, bound, &without, settings, self.observed).await;
            connection.allow(usize::MAX);
            match ran? {
                Run::Rows(rows) => {
                    program.estimate.ran_alone(self.sharing.judge(started.elapsed(), &rows));
                    return Ok(rows);
                }
                // Each round has one root field less, so this ends.
                Run::Failed { root, error } => failures.push((root, error)),
            }
        }
    }
}
