//! Configuration of subscriptions to a subgraph.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::super::endpoint::{Endpoint, EndpointError};
use super::super::settings::Settings;

/// Configuration of subscriptions to a subgraph.
#[derive(Clone, Debug)]
pub struct SubscriptionSettings {
    pub protocol: SubscriptionProtocol,
    /// Endpoint of subscriptions, with the timeouts, the limit of bytes and TLS of the subgraph.
    pub connection: Arc<Settings>,
    /// Whether equal subscriptions share one.
    pub deduplicate: bool,
    /// Whether subscriptions are live queries: each event is the whole new response, so that a new
    /// listener begins with the newest one, and a slow one skips to it.
    pub live: bool,
    /// Interval of pings of a WebSocket.
    pub ping: Duration,
    /// Maximum number of attempts to reconnect after a loss.
    pub reconnects: u32,
    /// Maximum number of operations over one WebSocket.
    pub most_operations: usize,
}

/// Protocol of subscriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubscriptionProtocol {
    /// WebSocket with the subprotocol `graphql-transport-ws`:
    /// <https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md>.
    TransportWs,
    /// WebSocket with the legacy subprotocol `graphql-ws`:
    /// <https://github.com/apollographql/subscriptions-transport-ws/blob/master/PROTOCOL.md>.
    LegacyWs,
    /// Server-sent events, distinct connections mode:
    /// <https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md>.
    Sse,
    /// Multipart responses with `subscriptionSpec="1.0"`:
    /// <https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol>.
    Multipart,
}

/// Error in the URL of subscriptions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    #[error("`ws://` and `wss://` are for WebSockets, and the protocol is `{0}`")]
    Scheme(SubscriptionProtocol),
}

impl SubscriptionProtocol {
    /// All protocols.
    pub const ALL: [Self; 4] = [Self::TransportWs, Self::LegacyWs, Self::Sse, Self::Multipart];

    /// Name in the configuration; of WebSockets that of the subprotocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TransportWs => "graphql-transport-ws",
            Self::LegacyWs => "graphql-ws",
            Self::Sse => "sse",
            Self::Multipart => "multipart",
        }
    }

    /// Whether it uses WebSockets.
    #[must_use]
    pub fn is_socket(self) -> bool {
        match self {
            Self::TransportWs | Self::LegacyWs => true,
            Self::Sse | Self::Multipart => false,
        }
    }
}

impl fmt::Display for SubscriptionProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Parses the URL of subscriptions; `ws://` and `wss://` are allowed for WebSockets.
pub fn endpoint(text: &str, protocol: SubscriptionProtocol) -> Result<Endpoint, ProtocolError> {
    let text = text.trim();
    let of_socket = match (text.strip_prefix("ws://"), text.strip_prefix("wss://")) {
        (Some(rest), _) => Some(["http://", rest].concat()),
        (_, Some(rest)) => Some(["https://", rest].concat()),
        (None, None) => None,
    };
    match of_socket {
        Some(_) if !protocol.is_socket() => Err(ProtocolError::Scheme(protocol)),
        Some(text) => Ok(text.parse()?),
        None => Ok(text.parse()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_have_schemes_of_their_own() {
        let check = |text: &str, protocol, expected: Option<&str>| {
            let found = endpoint(text, protocol).ok().map(|endpoint| endpoint.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check("ws://a/b", SubscriptionProtocol::TransportWs, Some("http://a/b"));
        check("wss://a:1", SubscriptionProtocol::LegacyWs, Some("https://a:1/"));
        check("https://a/b", SubscriptionProtocol::TransportWs, Some("https://a/b"));
        check("unix:/a.sock:/b", SubscriptionProtocol::TransportWs, Some("unix:/a.sock:/b"));
        check("ws://a/b", SubscriptionProtocol::Sse, None);
        check("http://a/b", SubscriptionProtocol::Multipart, Some("http://a/b"));
        check("wss://", SubscriptionProtocol::TransportWs, None);
    }
}
