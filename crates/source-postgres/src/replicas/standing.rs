//! The standing of a replica: whether it may answer reads, and if not, why.

use std::time::Instant;

use super::PrimaryKnown;
use super::lag::Lag;
use super::server_state::ServerState;
use crate::read_options::ReplicaOptions;

/// The standing of a replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It was not asked yet.
    Unchecked,
    Ready,
    Lagging,
    /// With the reason.
    Unreachable(Box<str>),
    /// It is the primary itself, which answers reads without being a replica.
    Primary,
    /// It was promoted, or it never was a standby: its changes are not those of the primary.
    Promoted,
    /// It follows another history than the primary, or does not know yet that it follows the new one.
    OtherTimeline,
    /// It belongs to another cluster.
    OtherCluster,
    /// Its address names another database.
    OtherDatabase,
}

impl Standing {
    /// Judges the state of a server.
    pub(super) fn of(
        state: &ServerState,
        primary: &PrimaryKnown,
        options: &ReplicaOptions,
    ) -> (Self, Option<Lag>) {
        let (own, others) = (&state.identity, &primary.identity);
        if own.system != others.system {
            return (Self::OtherCluster, None);
        }
        if own.database != others.database {
            return (Self::OtherDatabase, None);
        }
        if !state.is_standby {
            return match own.started == others.started {
                true => (Self::Primary, None),
                false => (Self::Promoted, None),
            };
        }
        if state.timeline != primary.log.timeline() {
            return (Self::OtherTimeline, None);
        }
        let lag = primary.log.lag(Instant::now(), state);
        let is_late = lag.time > options.max_lag
            || options.max_lag_bytes.is_some_and(|most| lag.bytes > most);
        match is_late {
            true => (Self::Lagging, Some(lag)),
            false => (Self::Ready, Some(lag)),
        }
    }

    /// One word, for metrics.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Unchecked => "unchecked",
            Self::Ready => "ready",
            Self::Lagging => "lagging",
            Self::Unreachable(_) => "unreachable",
            Self::Primary => "primary",
            Self::Promoted => "promoted",
            Self::OtherTimeline => "other_timeline",
            Self::OtherCluster => "other_cluster",
            Self::OtherDatabase => "other_database",
        }
    }

    /// The reason why it gets no reads; `None` if it does.
    pub(super) fn reason(&self) -> Option<&str> {
        Some(match self {
            Self::Ready => return None,
            Self::Unchecked => "it was not asked yet",
            Self::Lagging => "it lags behind the primary by more than its limit",
            Self::Unreachable(reason) => reason,
            Self::Primary => "it is the primary, which answers reads if no replica does",
            Self::Promoted => {
                "it is not in recovery, and it is not the primary: if it was promoted, the address of \
                 the source has to lead to it"
            }
            Self::OtherTimeline => {
                "it is not known to follow the primary's timeline; after a failover, a user with \
                 the role pg_read_all_stats learns it at once, and others at its next restart point"
            }
            Self::OtherCluster => "it belongs to another database cluster than the primary",
            Self::OtherDatabase => "its address names another database than that of the source",
        })
    }

    /// Logs that a replica has this standing from now on.
    pub(super) fn log(&self, replica: &str, lag: Option<Lag>) {
        match (self, self.reason()) {
            (Self::Unchecked, _) => {}
            (_, None) => {
                let lag_bytes = lag.map(|lag| lag.bytes);
                tracing::info!(replica, lag_bytes, "a replica answers reads");
            }
            (Self::Primary, Some(reason)) => {
                tracing::info!(replica, reason, "a replica gets no reads");
            }
            (Self::Lagging, Some(reason)) => {
                let lag_bytes = lag.map(|lag| lag.bytes);
                let lag_seconds = lag.map(|lag| lag.time.as_secs_f32());
                tracing::warn!(replica, reason, lag_bytes, lag_seconds, "a replica gets no reads");
            }
            (_, Some(reason)) => tracing::warn!(replica, reason, "a replica gets no reads"),
        }
    }
}
