//! Configuration of subscriptions to a subgraph.

use std::fmt;
use std::str::FromStr;
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
    /// True if equal subscriptions share one.
    pub deduplicate: bool,
    /// True if subscriptions are live queries: each event is the whole new response, so that a new
    /// listener begins with the newest one, and a slow one skips to it.
    pub live: bool,
    /// Interval of pings of a WebSocket.
    pub ping: Duration,
    /// Maximum number of attempts to reconnect after a loss.
    pub reconnects: u32,
    /// Maximum number of operations over one WebSocket.
    pub most_operations: usize,
    /// URL at which the callback endpoint of this process receives messages of the subgraph, without
    /// the id of a subscription; the callback protocol needs it.
    pub callback_url: Option<Box<str>>,
    /// Interval of heartbeats of the callback protocol; zero without heartbeats.
    pub heartbeat: Duration,
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
    /// HTTP callback, `callback/1.0`:
    /// <https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/callback-protocol>.
    Callback,
}

/// URL of subscriptions: an endpoint, or one with the scheme `ws://` or `wss://`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionUrl {
    pub endpoint: Endpoint,
    /// Returns true if its scheme is one of WebSockets.
    pub is_of_socket: bool,
}

impl SubscriptionProtocol {
    /// Name in the configuration; of WebSockets that of the subprotocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TransportWs => "graphql-transport-ws",
            Self::LegacyWs => "graphql-ws",
            Self::Sse => "sse",
            Self::Multipart => "multipart",
            Self::Callback => "callback",
        }
    }

    /// Whether it uses WebSockets.
    #[must_use]
    pub fn is_socket(self) -> bool {
        match self {
            Self::TransportWs | Self::LegacyWs => true,
            Self::Sse | Self::Multipart | Self::Callback => false,
        }
    }
}

impl fmt::Display for SubscriptionProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SubscriptionUrl {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let rest = |scheme: &str| text.strip_prefix(scheme);
        let as_http = match (rest("ws://"), rest("wss://")) {
            (Some(rest), _) => Some(["http://", rest].concat()),
            (_, Some(rest)) => Some(["https://", rest].concat()),
            (None, None) => None,
        };
        let endpoint = as_http.as_deref().unwrap_or(text).parse()?;
        Ok(Self { endpoint, is_of_socket: as_http.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_have_schemes_of_their_own() {
        let check = |text: &str, expected: Option<(&str, bool)>| {
            let found = text.parse::<SubscriptionUrl>().ok();
            let found = found.map(|url| (url.endpoint.to_string(), url.is_of_socket));
            let expected = expected.map(|(text, is_of_socket)| (text.to_owned(), is_of_socket));
            assert_eq!(found, expected, "{text}");
        };
        check("ws://a/b", Some(("http://a/b", true)));
        check("wss://a:1", Some(("https://a:1/", true)));
        check("https://a/b", Some(("https://a/b", false)));
        check("unix:/a.sock:/b", Some(("unix:/a.sock:/b", false)));
        check("wss://", None);
        check("ftp://a", None);
    }
}
