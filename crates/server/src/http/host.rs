//! Check of the `Host` header, against DNS rebinding.
//!
//! An attacker's domain can resolve to the address of a private server for a moment. For the browser,
//! the attacker's page and that server then have the same origin: the page may send requests from
//! inside the network and read the responses. Only the host that the request names shows this. So a
//! server without authentication answers requests for the names of its own machine only.

use std::cell::RefCell;
use std::net::{Ipv4Addr, Ipv6Addr};

use hyper::Uri;
use hyper::header::{HOST, HeaderMap, HeaderValue};

use crate::options::{AllowedHost, Place, ServingOptions, is_below};

/// Domains that never resolve to an address in public DNS:
/// <https://www.rfc-editor.org/rfc/rfc6761#section-6>.
const RESERVED: [&str; 2] = [".localhost", ".test"];

/// The hosts that requests may name.
#[derive(Debug)]
pub(super) struct Hosts {
    /// Whether requests to the API are checked.
    pub(super) is_checked: bool,
    /// Hosts of `--allowed-hosts`.
    given: Box<[AllowedHost]>,
    /// Host names of `--listen`.
    listening: Box<[Box<str>]>,
}

/// The `Host` header that was allowed last on a thread: clients repeat it in each request.
#[derive(Debug, Default)]
pub(super) struct LastHost(RefCell<Option<HeaderValue>>);

impl Hosts {
    /// Without `--allowed-hosts`, requests are checked only where neither tokens nor TLS protect: a
    /// foreign page cannot have a required token, and TLS proves the host name to the browser.
    pub(super) fn new(options: &ServingOptions) -> Self {
        let given = &options.origins.allowed_hosts;
        let is_trusting =
            options.is_private() && !options.auth.require_token && options.tls.files().is_none();
        let is_checked = match given.is_empty() {
            true => is_trusting,
            false => !given.contains(&AllowedHost::Any),
        };
        let listening = options.listen.iter().filter_map(|address| match address.place {
            Place::Tcp(_) => address.text.rsplit_once(':').map(|(host, _)| host.into()),
            Place::Unix(_) => None,
        });
        Self { is_checked, given: given.as_slice().into(), listening: listening.collect() }
    }

    /// Like [`Self::foreign`], but skips parsing if the host is the one that was allowed last.
    pub(super) fn foreign_unless<'r>(
        &self,
        last: &LastHost,
        uri: &'r Uri,
        headers: &'r HeaderMap,
    ) -> Option<&'r str> {
        if uri.authority().is_some() {
            return self.foreign(uri, headers);
        }
        let host = headers.get(HOST)?;
        if last.0.borrow().as_ref() == Some(host) {
            return None;
        }
        let foreign = self.foreign(uri, headers);
        if foreign.is_none() {
            *last.0.borrow_mut() = Some(host.clone());
        }
        foreign
    }

    /// The host that a request names, if it is not allowed.
    pub(super) fn foreign<'r>(&self, uri: &'r Uri, headers: &'r HeaderMap) -> Option<&'r str> {
        let host = match uri.authority() {
            Some(authority) => authority.as_str(),
            // All browsers send the header, so a request without it is not from a page.
            None => headers.get(HOST)?.to_str().unwrap_or("?"),
        };
        (!self.contain(host)).then_some(host)
    }

    /// Whether the text of a `Host` header is allowed. Addresses are: a page whose host is an address
    /// was loaded from that address.
    fn contain(&self, host: &str) -> bool {
        let Some(host) = without_port(host) else { return false };
        if let Some(address) = host.strip_prefix('[') {
            return address
                .strip_suffix(']')
                .is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok());
        }
        let name = host.strip_suffix('.').unwrap_or(host);
        host.parse::<Ipv4Addr>().is_ok()
            || RESERVED.iter().any(|domain| is_below(name, domain))
            || self.listening.iter().any(|own| own.eq_ignore_ascii_case(name))
            || self.given.iter().any(|given| given.contains(name))
    }

    /// The host that a request for metrics names, if it is not allowed: `is_local` for a listener that
    /// only this machine reaches.
    pub(super) fn foreign_to_metrics<'r>(
        &self,
        is_local: bool,
        uri: &'r Uri,
        headers: &'r HeaderMap,
    ) -> Option<&'r str> {
        self.foreign(uri, headers).filter(|_| is_local || !self.given.is_empty())
    }
}

/// The host without its port; none if it is malformed.
fn without_port(host: &str) -> Option<&str> {
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (host, port) = match host.rfind(']') {
        Some(end) => host.split_at_checked(end + 1)?,
        None => host.split_at_checked(host.find(':').unwrap_or(host.len()))?,
    };
    let is_whole = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    (is_whole && !host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use hyper::header::HeaderValue;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        serving: ServingOptions,
    }

    fn hosts(line: &str) -> Hosts {
        let words = ["thalweg"].into_iter().chain(line.split_whitespace());
        Hosts::new(&Line::try_parse_from(words).unwrap().serving)
    }

    fn check(line: &str, host: &str, expected: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        let hosts = hosts(line);
        let uri = Uri::from_static("/graphql");
        let foreign = hosts.foreign(&uri, &headers);
        assert_eq!(foreign, (!expected).then_some(host), "{line}: {host}");
        // The cache of the last allowed host changes no result.
        let last = LastHost::default();
        for _ in 0..2 {
            assert_eq!(hosts.foreign_unless(&last, &uri, &headers), foreign, "{line}: {host}");
            let mut local = HeaderMap::new();
            local.insert(HOST, HeaderValue::from_static("127.0.0.1:4000"));
            assert_eq!(hosts.foreign_unless(&last, &uri, &local), None, "{line}: {host}");
        }
    }

    #[test]
    fn addresses_and_names_that_nobody_can_have_are_this_servers() {
        for host in [
            "localhost",
            "LOCALHOST:4000",
            "localhost.",
            "shop.localhost:4000",
            "shop.test",
            "127.0.0.1",
            "127.9.8.7:1",
            "192.0.2.7:4000",
            "0.0.0.0:4000",
            "[::1]",
            "[::1]:4000",
            "[2001:db8::1]:4000",
        ] {
            check("", host, true);
        }
        for host in [
            "evil.example",
            "evil.example:4000",
            "localhost.evil.example",
            "evillocalhost",
            "127.0.0.1.evil.example",
            "127.0.0.1@evil.example",
            "evil.example@127.0.0.1",
            "localhost:4000:80",
            "localhost:evil",
            "[::1].evil.example",
            "[::1]evil.example",
            "[evil.example]",
            "[]",
            "::1",
            "0x7f.1",
            "2130706433",
            "",
            ":4000",
            ".",
        ] {
            check("", host, false);
        }
    }

    #[test]
    fn hosts_are_those_of_options_too() {
        let line = "--allowed-hosts api.example,.shop.example";
        for host in ["api.example", "API.EXAMPLE:443", "shop.example", "a.b.shop.example"] {
            check(line, host, true);
        }
        for host in ["b.api.example", "badshop.example", "example"] {
            check(line, host, false);
        }
        check("--listen localhost:4000 --allowed-hosts a.example", "localhost", true);
        check("--allowed-hosts *", "evil.example", true);
    }

    #[test]
    fn the_host_of_a_whole_address_counts_and_without_one_nobody_browses() {
        let hosts = hosts("");
        let mut headers = HeaderMap::new();
        assert_eq!(hosts.foreign(&Uri::from_static("/"), &headers), None);
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        let whole = Uri::from_static("http://evil.example/graphql");
        assert_eq!(hosts.foreign(&whole, &headers), Some("evil.example"));
        headers.insert(HOST, HeaderValue::from_bytes(b"\xffocalhost").unwrap());
        assert_eq!(hosts.foreign(&Uri::from_static("/"), &headers), Some("?"));
    }

    #[test]
    fn it_is_looked_at_where_everybody_is_trusted_or_as_told() {
        let check = |line: &str, expected: bool| {
            assert_eq!(hosts(line).is_checked, expected, "{line}");
        };
        check("", true);
        check("--listen 127.0.0.1:80,unix:a", true);
        check("--listen 0.0.0.0:80 --dev", true);
        check("--listen 0.0.0.0:80", false);
        check("--listen 0.0.0.0:80 --allowed-hosts api.example", true);
        check("--allowed-hosts *", false);
        check("--require-token --jwt-secret x", false);
        check("--require-token --jwt-secret x --allowed-hosts api.example", true);
        check("--tls-certificate a --tls-key b", false);
    }
}
