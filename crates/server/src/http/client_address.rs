//! The address of a client: that of its connection, or the one that trusted proxies name.

use std::net::IpAddr;

use clients::egress::Network;
use hyper::header::HeaderMap;

use super::transport::Peer;

/// Addresses of the client and of proxies on the way, the client's first.
/// <https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Forwarded-For>
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The address of a client; `None` for a process of this machine that uses a Unix socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClientAddress(Option<IpAddr>);

impl ClientAddress {
    pub(super) fn of_peer(peer: Peer) -> Self {
        Self(peer.address().map(|address| address.to_canonical()))
    }

    /// The last address of the way that is none of the proxies': each proxy appends the address that
    /// it sees, and a client can write only what is before that. Behind trusted proxies a Unix socket is
    /// one of them.
    pub(super) fn find(proxies: &[Network], peer: Peer, headers: &HeaderMap) -> Self {
        let own = Self::of_peer(peer);
        let is_proxy = |address: IpAddr| proxies.iter().any(|network| network.contains(address));
        if proxies.is_empty() || own.0.is_some_and(|address| !is_proxy(address)) {
            return own;
        }
        let values: Vec<&str> =
            headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok()).collect();
        let mut last = own;
        for named in values.iter().rev().flat_map(|value| value.rsplit(',')) {
            // What a proxy did not write as an address has no address before it that could be trusted.
            let Some(address) = parse(named) else { break };
            last = Self(Some(address));
            if !is_proxy(address) {
                break;
            }
        }
        last
    }

    pub(super) fn address(self) -> Option<IpAddr> {
        self.0
    }

    /// The address, if it is not that of the connection.
    pub(super) fn behind(self, peer: Peer) -> Option<IpAddr> {
        self.0.filter(|_| self != Self::of_peer(peer))
    }
}

/// An address, which some proxies write with a port.
fn parse(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let plain = text.strip_prefix('[').and_then(|rest| rest.split(']').next());
    let address = plain.unwrap_or(text).parse().ok();
    let with_port = || text.parse::<std::net::SocketAddrV4>().ok().map(|of| IpAddr::V4(*of.ip()));
    address.or_else(with_port).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    fn found(proxies: &[&str], peer: &str, forwarded: &[&str]) -> String {
        let proxies: Vec<Network> = proxies.iter().map(|text| text.parse().unwrap()).collect();
        let peer = match peer {
            "unix" => Peer::Unix,
            address => Peer::Tcp(address.parse().unwrap()),
        };
        let mut headers = HeaderMap::new();
        for value in forwarded {
            let name = HeaderName::from_static(FORWARDED_FOR);
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        let found = ClientAddress::find(&proxies, peer, &headers).address();
        found.map_or("none".to_owned(), |address| address.to_string())
    }

    #[test]
    fn only_trusted_proxies_name_the_client() {
        let header = ["203.0.113.9, 10.0.0.7"];
        assert_eq!(found(&[], "10.0.0.5:1", &header), "10.0.0.5");
        assert_eq!(found(&["10.0.0.0/8"], "198.51.100.4:1", &header), "198.51.100.4");
        assert_eq!(found(&["10.0.0.0/8"], "10.0.0.5:1", &header), "203.0.113.9");
        assert_eq!(found(&["10.0.0.5/32"], "10.0.0.5:1", &header), "10.0.0.7");
    }

    #[test]
    fn a_client_cannot_choose_its_address() {
        let forged = ["1.1.1.1, 203.0.113.9"];
        assert_eq!(found(&["10.0.0.0/8"], "10.0.0.5:1", &forged), "203.0.113.9");
        let forged = ["1.1.1.1", "203.0.113.9, 10.0.0.7"];
        assert_eq!(found(&["10.0.0.0/8"], "10.0.0.5:1", &forged), "203.0.113.9");
        let broken = ["1.1.1.1, nobody, 10.0.0.7"];
        assert_eq!(found(&["10.0.0.0/8"], "10.0.0.5:1", &broken), "10.0.0.7");
    }

    #[test]
    fn addresses_have_several_forms() {
        let by = |text: &str| found(&["10.0.0.0/8"], "10.0.0.5:1", &[text]);
        assert_eq!(by("203.0.113.9:4711"), "203.0.113.9");
        assert_eq!(by("[2001:db8::1]:4711"), "2001:db8::1");
        assert_eq!(by("2001:db8::1"), "2001:db8::1");
        assert_eq!(by("::ffff:203.0.113.9"), "203.0.113.9");
        assert_eq!(by(""), "10.0.0.5");
    }

    #[test]
    fn a_unix_socket_belongs_to_a_proxy_where_some_are_trusted() {
        assert_eq!(found(&[], "unix", &["203.0.113.9"]), "none");
        assert_eq!(found(&["10.0.0.0/8"], "unix", &["203.0.113.9"]), "203.0.113.9");
        assert_eq!(found(&["10.0.0.0/8"], "unix", &[]), "none");
    }
}
