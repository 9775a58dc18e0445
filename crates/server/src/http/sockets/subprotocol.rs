//! Subprotocols of WebSockets.

use engine::gateway::IncrementalFormat;
use hyper::header::{HeaderMap, SEC_WEBSOCKET_PROTOCOL};

use crate::http::operations::Accepts;

/// A protocol of GraphQL over WebSockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subprotocol {
    /// The protocol of the library `graphql-ws`:
    /// <https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md>.
    TransportWs,
    /// The protocol of the library `subscriptions-transport-ws`, whose name is that of the other
    /// library: <https://github.com/apollographql/subscriptions-transport-ws/blob/master/PROTOCOL.md>.
    Legacy,
    /// The protocol of `subscriptions-transport-ws` before its version 0.7, which Prisma's servers
    /// speak as well: its operations are subscriptions.
    Oldest,
}

impl Subprotocol {
    /// In order of preference.
    const ALL: [Self; 3] = [Self::TransportWs, Self::Legacy, Self::Oldest];

    /// The name in `Sec-WebSocket-Protocol`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::TransportWs => "graphql-transport-ws",
            Self::Legacy => "graphql-ws",
            Self::Oldest => "graphql-subscriptions",
        }
    }

    /// What clients accept: those of the older protocols know no payloads of deferred fragments.
    pub(super) fn accepts(self) -> Accepts {
        match self {
            Self::TransportWs => {
                Accepts { incremental: Some(IncrementalFormat::Fields), is_once: true }
            }
            Self::Legacy => Accepts { incremental: None, is_once: true },
            Self::Oldest => Accepts { incremental: None, is_once: false },
        }
    }

    /// Chooses one of the subprotocols that the client offers.
    pub(super) fn negotiate(headers: &HeaderMap) -> Option<Self> {
        let offered = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter();
        let offered: Vec<&str> = offered.filter_map(|header| header.to_str().ok()).collect();
        let is_offered = |one: &Self| {
            let mut names = offered.iter().flat_map(|header| header.split(',')).map(str::trim);
            names.any(|name| name == one.name())
        };
        Self::ALL.into_iter().find(is_offered)
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn the_newer_protocol_is_preferred() {
        let check = |offers: &[&'static str], expected: Option<Subprotocol>| {
            let mut headers = HeaderMap::new();
            for offer in offers {
                headers.append(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(offer));
            }
            assert_eq!(Subprotocol::negotiate(&headers), expected, "{offers:?}");
        };
        check(&["graphql-transport-ws"], Some(Subprotocol::TransportWs));
        check(&["graphql-ws"], Some(Subprotocol::Legacy));
        check(&["graphql-ws, graphql-transport-ws"], Some(Subprotocol::TransportWs));
        check(&["chat", "graphql-ws"], Some(Subprotocol::Legacy));
        check(&["graphql-subscriptions", "graphql-ws"], Some(Subprotocol::Legacy));
        check(&["graphql-subscriptions"], Some(Subprotocol::Oldest));
        check(&["chat"], None);
        check(&["GraphQL-WS"], None);
        check(&[], None);
    }
}
