//! CSRF prevention: whether the page that sends a request may do so.
//!
//! A browser adds the origin of the page to each request. Programs add nothing, and pass. A request
//! from a page of another origin is refused, unless that origin is allowed: such a page could use the
//! permissions of its visitor, or of the visitor's network.

use hyper::Uri;
use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};

use super::settings::Origins;

/// <https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header>
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Schemes by which the server's own pages can have been loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnSchemes {
    /// The connection has TLS: pages over HTTP may come from anybody on the network path.
    Https,
    /// A proxy may have terminated TLS.
    Either,
}

/// Whether the request comes from a program, an own page or an allowed origin.
pub(super) fn is_allowed(
    allowed: &Origins,
    schemes: OwnSchemes,
    uri: &Uri,
    headers: &HeaderMap,
) -> bool {
    let origin = headers.get(ORIGIN);
    match headers.get(SEC_FETCH_SITE).map(HeaderValue::as_bytes) {
        // A page of the same origin, or the user by the address bar or a bookmark.
        Some(b"same-origin" | b"none") => true,
        // `same-site` is another origin: the owner of one host of a domain may not own the others.
        Some(_) => allowed.contain(origin),
        None => match origin {
            None => true,
            Some(own) if is_own(own, schemes, uri, headers) => true,
            Some(_) => allowed.contain(origin),
        },
    }
}

/// Whether the origin is the host that the request names.
fn is_own(origin: &HeaderValue, schemes: OwnSchemes, uri: &Uri, headers: &HeaderMap) -> bool {
    let host = match uri.authority() {
        Some(authority) => Some(authority.as_str()),
        None => headers.get(HOST).and_then(|host| host.to_str().ok()),
    };
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    let (Some(host), Some((scheme, origin))) = (host, origin) else { return false };
    let usual_port = match scheme {
        "https" => ":443",
        "http" if schemes == OwnSchemes::Either => ":80",
        _ => return false,
    };
    let host = host.strip_suffix(usual_port).unwrap_or(host);
    origin.eq_ignore_ascii_case(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::AllowedOrigin;

    fn check(allowed: &[&str], headers: &[(&str, &str)], expected: bool) {
        let allowed: Vec<AllowedOrigin> =
            allowed.iter().map(|origin| origin.parse().unwrap()).collect();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        let uri = Uri::from_static("/graphql");
        let origins = Origins::new(allowed.iter());
        let actual = is_allowed(&origins, OwnSchemes::Either, &uri, &map);
        assert_eq!(actual, expected, "{headers:?}");
    }

    #[test]
    fn by_tls_only_pages_by_https_are_own() {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("api.example"));
        for (origin, expected) in [("https://api.example", true), ("http://api.example", false)] {
            headers.insert(ORIGIN, HeaderValue::from_static(origin));
            let origins = Origins::new([].iter());
            let uri = Uri::from_static("/graphql");
            let actual = is_allowed(&origins, OwnSchemes::Https, &uri, &headers);
            assert_eq!(actual, expected, "{origin}");
        }
    }

    #[test]
    fn programs_and_own_pages_pass() {
        check(&[], &[], true);
        check(&[], &[("host", "api.example")], true);
        check(&[], &[("host", "api.example"), ("sec-fetch-site", "same-origin")], true);
        check(&[], &[("host", "api.example"), ("sec-fetch-site", "none")], true);
        // Behind a proxy the host differs from the one in the browser.
        check(
            &[],
            &[
                ("host", "10.0.0.7:4000"),
                ("sec-fetch-site", "same-origin"),
                ("origin", "https://api.example"),
            ],
            true,
        );
    }

    #[test]
    fn without_the_newer_header_the_origin_is_compared_with_the_host() {
        for (host, origin, expected) in [
            ("api.example", "https://api.example", true),
            ("api.example", "http://api.example", true),
            ("API.example:443", "https://api.example", true),
            ("api.example:80", "http://api.example", true),
            ("localhost:4000", "http://localhost:4000", true),
            ("[::1]:4000", "http://[::1]:4000", true),
            ("localhost:4000", "http://localhost:3000", false),
            ("api.example", "https://api.example:8443", false),
            ("api.example:80", "https://api.example", false),
            ("api.example", "https://app.example", false),
            ("api.example", "https://api.example.evil.example", false),
            ("api.example", "null", false),
            ("api.example", "", false),
            ("api.example", "ftp://api.example", false),
        ] {
            check(&[], &[("host", host), ("origin", origin)], expected);
        }
        check(&[], &[("origin", "https://api.example")], false);
    }

    #[test]
    fn pages_of_other_origins_are_refused_unless_they_are_allowed() {
        for site in ["cross-site", "same-site", "something-new"] {
            let own = [("host", "a.example"), ("sec-fetch-site", site)];
            check(&[], &own, false);
            check(&["https://app.example"], &own, false);
            check(&["*"], &own, true);
            let named = [
                ("host", "a.example"),
                ("sec-fetch-site", site),
                ("origin", "https://app.example"),
            ];
            check(&[], &named, false);
            check(&["https://other.example"], &named, false);
            check(&["https://other.example", "https://APP.example:443"], &named, true);
        }
        let older = [("host", "a.example"), ("origin", "https://app.example")];
        check(&["https://app.example"], &older, true);
    }
}
