//! The address of the metrics of a server.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use hyper::Uri;
use hyper::http::uri::Scheme;

use crate::failure::Failure;

/// The origin of the documents, such as `http://127.0.0.1:9090`, with a path if a proxy adds one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MetricsUrl(String);

impl MetricsUrl {
    /// The address from the command line, or else the one where the configured server listens.
    pub(super) fn find(given: Option<&str>, listen: Option<SocketAddr>) -> Result<Self, Failure> {
        match (given, listen) {
            (Some(given), _) => Self::parse(given).ok_or_else(|| {
                Failure::Usage(format!(
                    "`{given}` is not the address of metrics; write it as HOST:PORT or http://HOST:PORT"
                ))
            }),
            (None, Some(listen)) => Ok(Self(format!("http://{}", reachable(listen)))),
            (None, None) => Err(Failure::Usage(
                "the address of the metrics is missing: serve with `--metrics-listen \
                 127.0.0.1:9090`, and write `thalweg top 127.0.0.1:9090`"
                    .to_owned(),
            )),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let has_scheme = text.contains("://");
        let url = if has_scheme { text.to_owned() } else { ["http://", text].concat() };
        let base = url.trim_end_matches('/').trim_end_matches("/metrics").trim_end_matches('/');
        let uri: Uri = base.parse().ok()?;
        let is_http = [Some(&Scheme::HTTP), Some(&Scheme::HTTPS)].contains(&uri.scheme());
        let has_port = has_scheme || uri.port().is_some();
        let is_plain = uri.query().is_none() && !uri.authority()?.as_str().contains('@');
        let has_host = uri.host().is_some_and(|host| !host.is_empty());
        (is_http && has_port && has_host && is_plain).then(|| Self(base.to_owned()))
    }

    /// The URL of a document, such as `/metrics`.
    pub(super) fn document(&self, path: &str) -> String {
        [&self.0, path].concat()
    }
}

impl fmt::Display for MetricsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The address of this machine for one that listens everywhere.
fn reachable(mut listen: SocketAddr) -> SocketAddr {
    if listen.ip().is_unspecified() {
        listen.set_ip(match listen.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    listen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_with_a_port_or_a_url() {
        let parse = |text: &str| MetricsUrl::parse(text).map(|url| url.0);
        for text in ["db1:9090", "http://db1:9090", "http://db1:9090/", "db1:9090/metrics"] {
            assert_eq!(parse(text).as_deref(), Some("http://db1:9090"), "{text}");
        }
        let proxied = parse("https://x.example/thalweg/metrics");
        assert_eq!(proxied.as_deref(), Some("https://x.example/thalweg"));
        for text in ["", "db1", "ftp://db1", ":9090", "http://", "http://a:b@c", "a:1/x?y"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_address_that_listens_everywhere_is_this_machine() {
        let find = |listen: &str| MetricsUrl::find(None, Some(listen.parse().unwrap())).unwrap().0;
        assert_eq!(find("0.0.0.0:9090"), "http://127.0.0.1:9090");
        assert_eq!(find("[::]:9090"), "http://[::1]:9090");
        assert_eq!(find("10.0.0.7:9090"), "http://10.0.0.7:9090");
    }
}
