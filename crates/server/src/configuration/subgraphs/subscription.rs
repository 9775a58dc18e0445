//! The protocol of subscriptions to a subgraph, and their limits.

use std::sync::Arc;
use std::time::Duration;

use clients::subgraph::subscription::SubscriptionUrl;
use clients::subgraph::{Endpoint, Settings, SubscriptionProtocol, SubscriptionSettings, Tls};

use toml::de::DeValue;

use super::table::{Reader, Value};
use crate::configuration::problem::{Position, Problem};
use crate::options::Time;

/// Settings of subscriptions; missing ones come from the entry of all, or are the defaults.
#[derive(Clone, Debug, Default)]
pub(super) struct SubscriptionEntry {
    protocol: Option<SubscriptionProtocol>,
    url: Option<(Position, SubscriptionUrl)>,
    live: Option<bool>,
    deduplicate: Option<bool>,
    ping: Option<Duration>,
    reconnects: Option<u32>,
    max_operations: Option<u32>,
    /// Zero if turned off.
    heartbeat: Option<(Position, Duration)>,
}

/// Settings of subscriptions, before the connection to the server is known.
#[derive(Clone, Debug)]
pub(super) struct ResolvedSubscription {
    /// `None` for the endpoint of queries.
    pub(super) endpoint: Option<Endpoint>,
    protocol: SubscriptionProtocol,
    live: bool,
    deduplicate: bool,
    ping: Duration,
    reconnects: u32,
    max_operations: u32,
    heartbeat: Duration,
}

const OF_ALL: [&str; 7] =
    ["protocol", "live", "deduplicate", "ping", "reconnects", "max-operations", "heartbeat"];

/// Shorter than the idle timeout of most servers and proxies.
const DEFAULT_PING: Duration = Duration::from_secs(15);

/// With the back-off, about two minutes.
const DEFAULT_RECONNECTS: u32 = 10;

const MOST_RECONNECTS: u32 = 1_000;

const DEFAULT_OPERATIONS: u32 = 100;

const MOST_OPERATIONS: u32 = 100_000;

/// As other gateways have it.
const DEFAULT_HEARTBEAT: Duration = Duration::from_secs(5);

const PROTOCOLS: [(&str, SubscriptionProtocol); 5] = [
    ("graphql-transport-ws", SubscriptionProtocol::TransportWs),
    ("graphql-ws", SubscriptionProtocol::LegacyWs),
    ("sse", SubscriptionProtocol::Sse),
    ("multipart", SubscriptionProtocol::Multipart),
    ("callback", SubscriptionProtocol::Callback),
];

/// Reads the entry of all subgraphs, or of one, which may have a URL.
pub(super) fn read(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Value<'_>,
    is_of_one: bool,
) -> Option<SubscriptionEntry> {
    let table = reader.table(name, value)?;
    let mut entry = SubscriptionEntry::default();
    for (key, value) in table {
        let name = &**key.get_ref();
        match name {
            "protocol" => entry.protocol = reader.word(name, value, &PROTOCOLS),
            "url" if is_of_one => {
                let position = reader.position(value.span().start);
                entry.url = reader.parsed(name, value).map(|url| (position, url));
            }
            "live" => entry.live = reader.boolean(name, value),
            "deduplicate" => entry.deduplicate = reader.boolean(name, value),
            "ping" => entry.ping = reader.parsed::<Time>(name, value).map(|time| time.0),
            "reconnects" => entry.reconnects = reader.whole(name, value, 0..=MOST_RECONNECTS),
            "max-operations" => {
                entry.max_operations = reader.whole(name, value, 1..=MOST_OPERATIONS);
            }
            "heartbeat" => {
                let position = reader.position(value.span().start);
                let heartbeat = match value.get_ref() {
                    DeValue::Boolean(false) => Some(Duration::ZERO),
                    _ => reader.parsed::<Time>(name, value).map(|time| time.0),
                };
                entry.heartbeat = heartbeat.map(|heartbeat| (position, heartbeat));
            }
            _ => {
                let known =
                    if is_of_one { [&OF_ALL[..], &["url"]].concat() } else { OF_ALL.into() };
                reader.unknown(key, "`subscription`", &known);
            }
        }
    }
    Some(entry)
}

/// Resolves the settings of one subgraph.
pub(super) fn resolve(
    own: Option<&SubscriptionEntry>,
    all: Option<&SubscriptionEntry>,
) -> Result<ResolvedSubscription, Problem> {
    let nothing = SubscriptionEntry::default();
    let (own, all) = (own.unwrap_or(&nothing), all.unwrap_or(&nothing));
    let protocol = own.protocol.or(all.protocol).unwrap_or(SubscriptionProtocol::TransportWs);
    if let Some((position, url)) = &own.url
        && url.is_of_socket
        && !protocol.is_socket()
    {
        let message = format!(
            "`url`: `ws://` and `wss://` are for WebSockets, and the protocol is `{protocol}`"
        );
        return Err(Problem { position: *position, message });
    }
    if let Some((position, _)) = own.heartbeat
        && protocol != SubscriptionProtocol::Callback
    {
        let message =
            format!("`heartbeat` is for the protocol `callback`, and the protocol is `{protocol}`");
        return Err(Problem { position, message });
    }
    let heartbeat = own.heartbeat.or(all.heartbeat).map(|(_, heartbeat)| heartbeat);
    Ok(ResolvedSubscription {
        endpoint: own.url.as_ref().map(|(_, url)| url.endpoint.clone()),
        protocol,
        live: own.live.or(all.live).unwrap_or(false),
        deduplicate: own.deduplicate.or(all.deduplicate).unwrap_or(true),
        ping: own.ping.or(all.ping).unwrap_or(DEFAULT_PING),
        reconnects: own.reconnects.or(all.reconnects).unwrap_or(DEFAULT_RECONNECTS),
        max_operations: own.max_operations.or(all.max_operations).unwrap_or(DEFAULT_OPERATIONS),
        heartbeat: heartbeat.unwrap_or(DEFAULT_HEARTBEAT),
    })
}

impl SubscriptionEntry {
    /// Whether subscriptions have the callback protocol.
    pub(super) fn has_callbacks(&self) -> bool {
        self.protocol == Some(SubscriptionProtocol::Callback)
    }
}

impl ResolvedSubscription {
    /// The settings, with those of the connections for queries, and without a callback URL.
    pub(super) fn settings(self, queries: &Settings, tls: Option<Tls>) -> SubscriptionSettings {
        let endpoint = self.endpoint.unwrap_or_else(|| queries.endpoint.clone());
        // Each event would be compressed by itself.
        let connection = Settings { endpoint, tls, compression: None, ..queries.clone() };
        SubscriptionSettings {
            protocol: self.protocol,
            connection: Arc::new(connection),
            deduplicate: self.deduplicate,
            live: self.live,
            ping: self.ping,
            reconnects: self.reconnects,
            most_operations: usize::try_from(self.max_operations).unwrap_or(usize::MAX),
            callback_url: None,
            heartbeat: self.heartbeat,
        }
    }
}
