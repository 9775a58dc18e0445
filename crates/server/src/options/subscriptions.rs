//! Options of subscriptions.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use clients::broker::{Broker, BrokerSettings, BrokerUrl};
use clients::subgraph::{Tls, TlsFiles};
use engine::live::{BrokerBus, FeedKind, FeedOptions, Relay};

use super::quantity::Time;
use crate::failure::Failure;

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
    /// How several servers of a database share a stream of changes: one of them reads it, and sends the changes to the others by PostgreSQL's NOTIFY (`notify`), or over the broker at an address, such as `nats://localhost:4222` or `redis://localhost:6379`; with `none`, each reads a stream of its own
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
#[derive(Clone, Debug, PartialEq, Eq)]
enum LiveRelay {
    /// PostgreSQL's NOTIFY, encrypted.
    Notify,
    /// Each server reads a stream of its own.
    None,
    /// Over a broker, encrypted.
    Broker(BrokerUrl),
}

/// Timeout for connecting to a broker.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

impl FromStr for LiveRelay {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "notify" => Ok(Self::Notify),
            "none" => Ok(Self::None),
            address => address
                .parse()
                .map(Self::Broker)
                .map_err(|_| "`notify`, `none` or an address of NATS or Redis is wanted"),
        }
    }
}

impl SubscriptionOptions {
    pub(crate) fn to_engine(&self) -> Result<FeedOptions, Failure> {
        let kind = match self.live_feed {
            LiveFeed::Stream => FeedKind::Stream,
            LiveFeed::Triggers => FeedKind::Triggers,
            LiveFeed::Interval => FeedKind::Probe,
        };
        let relay = match &self.live_relay {
            LiveRelay::Notify => Relay::Notify,
            LiveRelay::None => Relay::None,
            LiveRelay::Broker(url) => Relay::Bus(Arc::new(BrokerBus(broker(url)?))),
        };
        Ok(FeedOptions { interval: self.live_interval.0, kind, relay, ..FeedOptions::default() })
    }
}

/// The broker at an address, with the system's trusted authorities.
fn broker(url: &BrokerUrl) -> Result<Arc<Broker>, Failure> {
    let files = TlsFiles::default();
    let tls = url.is_encrypted.then(|| Tls::open(&files)).transpose();
    let tls = tls.map_err(|error| Failure::Usage(format!("`--live-relay`: {error}")))?;
    Ok(Broker::new(BrokerSettings {
        name: "the relay of changes".into(),
        url: url.clone(),
        user: None,
        password: None,
        token: None,
        instance: None,
        connect_timeout: CONNECT_TIMEOUT,
        files,
        tls,
    }))
}
