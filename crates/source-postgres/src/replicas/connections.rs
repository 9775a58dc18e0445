//! Reads of one thread from replicas.
//!
//! A read goes to one of the replicas that may answer it, by their weights. Whatever fails there is run
//! again elsewhere before a byte of the answer is sent: on another replica if this one was lost, else on
//! the primary, whose errors are the ones that clients see. So a replica whose schema is behind, a
//! function that writes, and a read that had to make way for the replay of changes are answered by the
//! primary.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use response::{Failure, WriteError};
use source::{ExecuteError, Executed, Freshness, SourceError, SourceErrorKind};
use tokio::time::Instant;

use super::Replicas;
use super::standing::Standing;
use crate::circuit_breaker::CircuitBreaker;
use crate::read_options::WithoutReplica;
use crate::wire::Config;

/// The connections of one thread to all replicas.
#[derive(Debug)]
pub(crate) struct ReplicaConnections<C> {
    replicas: Arc<Replicas>,
    of: Vec<C>,
    credits: RefCell<Credits>,
}

/// Turns by weights: each choice adds the weights of those that may be chosen, and takes their sum from
/// the one with the most. So the turns of a replica are spread evenly.
#[derive(Debug, Default)]
struct Credits(Vec<i64>);

/// The server of a read.
pub(crate) enum Server<'s, C> {
    Replica(ReplicaRead<'s, C>),
    Primary,
}

/// A read of a replica.
pub(crate) struct ReplicaRead<'s, C> {
    place: usize,
    own: &'s ReplicaConnections<C>,
    pub(crate) connections: &'s C,
}

/// The replicas that a read has tried.
#[derive(Debug, Default)]
pub(crate) struct Tried(Vec<usize>);

/// What becomes of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answered,
    /// It is run again elsewhere.
    Again,
}

/// The answer of a read, as far as it decides about another run.
pub(crate) trait Answer {
    /// The errors of the source.
    fn source_errors(&self) -> impl Iterator<Item = &SourceError>;
}

impl<C> ReplicaConnections<C> {
    /// Connections of one thread, each made by `connect`.
    pub(crate) fn new(
        replicas: &Arc<Replicas>,
        connect: impl Fn(Config, Arc<CircuitBreaker>) -> C,
    ) -> Self {
        replicas.watch();
        let of = replicas.shared.replicas.iter();
        let of = of.map(|one| connect(one.watched.config.clone(), Arc::clone(&one.breaker)));
        Self { replicas: Arc::clone(replicas), of: of.collect(), credits: RefCell::default() }
    }

    /// The server of a read. It waits for a replica only for the changes of the read's client.
    pub(crate) async fn server_of(
        &self,
        freshness: Freshness,
        tried: &Tried,
    ) -> Result<Server<'_, C>, SourceError> {
        // Reads of the newest state are the primary's, whatever else is configured.
        if freshness == Freshness::Newest {
            return Ok(Server::Primary);
        }
        let shared = &self.replicas.shared;
        if let Some(required) = shared.required(freshness) {
            if let Some(found) = self.choose(required, tried) {
                return Ok(Server::Replica(found));
            }
            if matches!(freshness, Freshness::After(_)) && tried.0.is_empty() {
                shared.wait_for(required, Instant::now() + self.replicas.wait).await;
                if let Some(found) = self.choose(required, tried) {
                    return Ok(Server::Replica(found));
                }
            }
        }
        match self.replicas.without_replica {
            WithoutReplica::Primary => {
                shared.on_primary.fetch_add(1, Ordering::Relaxed);
                Ok(Server::Primary)
            }
            WithoutReplica::Fail => Err(SourceError::new(
                SourceErrorKind::Unavailable,
                "no replica can answer the read now (--read-without-replica fail)",
            )),
        }
    }

    /// Whether a replica can answer queries.
    pub(crate) fn are_ready(&self) -> bool {
        self.replicas.shared.replicas.iter().any(super::Replica::is_ready)
    }

    fn choose(&self, required: u64, tried: &Tried) -> Option<ReplicaRead<'_, C>> {
        let replicas = &self.replicas.shared.replicas;
        let weights = replicas.iter().enumerate().map(|(place, replica)| {
            let may_answer =
                replica.is_ready() && replica.replayed() >= required && !tried.0.contains(&place);
            if may_answer { replica.options.weight } else { 0 }
        });
        let place = self.credits.borrow_mut().choose(weights)?;
        Some(ReplicaRead { place, own: self, connections: self.of.get(place)? })
    }

    /// The connections to each of them.
    pub(crate) fn each(&self) -> impl Iterator<Item = &C> {
        self.of.iter()
    }

    pub(crate) fn each_mut(&mut self) -> impl Iterator<Item = &mut C> {
        self.of.iter_mut()
    }
}

impl<C> ReplicaRead<'_, C> {
    /// The host and the port.
    pub(crate) fn name(&self) -> Option<Arc<str>> {
        let replica = self.own.replicas.shared.replicas.get(self.place)?;
        Some(Arc::clone(&replica.watched.name))
    }

    /// Judges an answer, and counts it.
    pub(crate) fn judge(&self, answer: &impl Answer, tried: &mut Tried) -> Outcome {
        let replicas = &self.own.replicas;
        let Some(replica) = replicas.shared.replicas.get(self.place) else {
            return Outcome::Answered;
        };
        let is_lost = |error: &&SourceError| {
            matches!(error.kind, SourceErrorKind::Unavailable | SourceErrorKind::Overloaded)
        };
        let lost = answer.source_errors().find(is_lost);
        let outcome = match answer.source_errors().any(may_differ_elsewhere) {
            // Only another replica may answer it.
            true if replicas.without_replica == WithoutReplica::Fail && lost.is_none() => {
                Outcome::Answered
            }
            true => Outcome::Again,
            false => Outcome::Answered,
        };
        tried.0.push(self.place);
        match outcome {
            Outcome::Answered => replica.answered.fetch_add(1, Ordering::Relaxed),
            Outcome::Again => replica.sent_again.fetch_add(1, Ordering::Relaxed),
        };
        if let Some(error) = lost {
            // Until a check finds it again.
            replica.stand(Standing::Unreachable(error.message.clone()), None);
        } else if outcome == Outcome::Again {
            let replica = &*replica.watched.name;
            let reason = answer.source_errors().next().map(|error| &*error.message);
            tracing::debug!(replica, reason, "a read of a replica is sent to the primary");
            // Another replica would fail, too.
            tried.0 = (0..self.own.of.len()).collect();
        }
        outcome
    }
}

impl Credits {
    /// The next turn, of those with a weight.
    fn choose(&mut self, weights: impl Iterator<Item = u32>) -> Option<usize> {
        let mut sum = 0;
        let mut chosen: Option<(usize, i64)> = None;
        for (place, weight) in weights.enumerate() {
            if place == self.0.len() {
                self.0.push(0);
            }
            if weight == 0 {
                continue;
            }
            sum += i64::from(weight);
            self.0[place] += i64::from(weight);
            if chosen.is_none_or(|(_, most)| self.0[place] > most) {
                chosen = Some((place, self.0[place]));
            }
        }
        let (place, _) = chosen?;
        self.0[place] -= sum;
        Some(place)
    }
}

/// Whether a read may succeed elsewhere. Not if it takes too long or its answer too much: it would take
/// the same on the primary, whose load it should not be.
fn may_differ_elsewhere(error: &SourceError) -> bool {
    !matches!(
        error.kind,
        SourceErrorKind::Timeout
            | SourceErrorKind::Busy
            | SourceErrorKind::TooLarge
            | SourceErrorKind::TooComplex
            | SourceErrorKind::BudgetExceeded
    )
}

fn of_source(error: &WriteError<SourceError>) -> Option<&SourceError> {
    match &error.failure {
        Failure::Source(error) => Some(error),
        _ => None,
    }
}

impl<D> Answer for Result<response::Written<SourceError, D>, ExecuteError> {
    fn source_errors(&self) -> impl Iterator<Item = &SourceError> {
        let whole = match self {
            Err(ExecuteError::Source(error)) => Some(error),
            _ => None,
        };
        let parts = self.as_ref().ok().map(|written| written.errors.as_slice()).unwrap_or_default();
        whole.into_iter().chain(parts.iter().filter_map(of_source))
    }
}

impl Answer for Result<Executed, ExecuteError> {
    fn source_errors(&self) -> impl Iterator<Item = &SourceError> {
        let whole = match self {
            Err(ExecuteError::Source(error)) => Some(error),
            _ => None,
        };
        let parts = match self {
            Ok(Executed::Whole(written)) => written.errors.as_slice(),
            _ => &[],
        };
        whole.into_iter().chain(parts.iter().filter_map(of_source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_follow_the_weights_and_are_spread() {
        let mut credits = Credits::default();
        let turns: Vec<_> = (0..8).filter_map(|_| credits.choose([3, 1, 0].into_iter())).collect();
        assert_eq!(turns, [0, 0, 1, 0, 0, 0, 1, 0]);
    }

    #[test]
    fn a_replica_that_may_not_be_chosen_saves_no_turns() {
        let mut credits = Credits::default();
        for _ in 0..100 {
            assert_eq!(credits.choose([1, 0].into_iter()), Some(0));
        }
        let turns = (0..10).filter_map(|_| credits.choose([1, 1].into_iter()));
        assert_eq!(turns.filter(|place| *place == 1).count(), 5);
        assert_eq!(credits.choose([0, 0].into_iter()), None);
    }
}
