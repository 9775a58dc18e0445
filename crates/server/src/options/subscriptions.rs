//! Options of subscriptions.

use clap::{Args, ValueEnum};
use engine::live::{FeedKind, FeedOptions, Relay};

use super::quantity::Time;

#[derive(Debug, Args)]
#[command(next_help_heading = "Subscriptions")]
pub(crate) struct SubscriptionOptions {
    /// Timeout for the first message of a WebSocket, which initializes the connection, and from the reservation of an event stream to its request
    #[arg(long, env = "THALWEG_SOCKET_INIT_TIMEOUT", value_name = "TIME", default_value = "3s")]
    pub(crate) socket_init_timeout: Time,
    /// The interval of pings over a WebSocket, and of signs of life in an event stream; a client that does not answer a ping until the next one is disconnected
    #[arg(long, env = "THALWEG_PING_INTERVAL", value_name = "TIME", default_value = "25s")]
    pub(crate) ping_interval: Time,
    /// The maximum number of operations that run over a WebSocket, or a reserved event stream, at the same time
    #[arg(
        long,
        env = "THALWEG_MAX_SOCKET_OPERATIONS",
        value_name = "NUMBER",
        default_value = "1000"
    )]
    pub(crate) max_socket_operations: usize,
    /// How changes of rows are found: by a stream of the database, where it has one, by triggers, or by its state, which is read in intervals
    #[arg(long, env = "THALWEG_LIVE_FEED", value_name = "KIND", default_value = "stream")]
    live_feed: LiveFeed,
    /// How several servers of a database share a stream of changes: one of them reads it, and sends the changes to the others
    #[arg(long, env = "THALWEG_LIVE_RELAY", value_name = "KIND", default_value = "notify")]
    live_relay: LiveRelay,
    /// The interval of reads of the database's state without a stream, and of executions of subscriptions with functions, views or the current time
    #[arg(long, env = "THALWEG_LIVE_INTERVAL", value_name = "TIME", default_value = "1s")]
    live_interval: Time,
}

/// Ways to find changes of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LiveFeed {
    /// PostgreSQL's logical replication, if the server's `wal_level` and the role allow it, otherwise
    /// the triggers of `thalweg triggers`, if there are any
    Stream,
    /// The triggers of `thalweg triggers`
    Triggers,
    /// Intervals
    Interval,
}

/// Ways to share a stream of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LiveRelay {
    /// PostgreSQL's NOTIFY, encrypted
    Notify,
    /// Each server reads a stream of its own
    None,
}

impl SubscriptionOptions {
    pub(crate) fn to_engine(&self) -> FeedOptions {
        let kind = match self.live_feed {
            LiveFeed::Stream => FeedKind::Stream,
            LiveFeed::Triggers => FeedKind::Triggers,
            LiveFeed::Interval => FeedKind::Probe,
        };
        let relay = match self.live_relay {
            LiveRelay::Notify => Relay::Notify,
            LiveRelay::None => Relay::None,
        };
        FeedOptions { interval: self.live_interval.0, kind, relay, ..FeedOptions::default() }
    }
}
