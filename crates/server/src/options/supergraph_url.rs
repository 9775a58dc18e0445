//! An address of a supergraph, with the headers of requests for it.

use std::env;
use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Uri;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use hyper::http::uri::{Authority, Parts};
use percent_encoding::percent_decode_str;

/// An address of a supergraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SupergraphUrl {
    /// Without credentials, which are a header.
    pub(crate) url: Uri,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// A header of requests, whose value may be a secret.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RequestHeader(HeaderName, HeaderValue);

impl SupergraphUrl {
    /// An address whose credentials are sent as a header, never as a part of it.
    pub(crate) fn new(url: Uri) -> Self {
        let authority = url.authority().map(Authority::as_str).unwrap_or_default();
        let Some((credentials, host)) = authority.rsplit_once('@') else {
            return Self { url, headers: Vec::new() };
        };
        let headers = vec![(AUTHORIZATION, basic(credentials))];
        let host = host.parse().ok();
        let mut parts = Parts::from(url.clone());
        parts.authority = host.or(parts.authority);
        Self { url: Uri::from_parts(parts).unwrap_or(url), headers }
    }

    pub(crate) fn add(&mut self, headers: &[RequestHeader]) {
        self.headers.extend(headers.iter().map(RequestHeader::to_pair));
    }
}

impl RequestHeader {
    pub(crate) fn to_pair(&self) -> (HeaderName, HeaderValue) {
        (self.0.clone(), self.1.clone())
    }
}

/// <https://www.rfc-editor.org/rfc/rfc7617>
fn basic(credentials: &str) -> HeaderValue {
    let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
    let decoded = |text: &str| percent_decode_str(text).collect::<Vec<u8>>();
    let text = [&decoded(user)[..], b":", &decoded(password)].concat();
    let header = ["Basic ", &STANDARD.encode(text)].concat();
    // Base64 is valid in a header.
    let mut value = HeaderValue::from_str(&header).unwrap_or_else(|_| HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}

impl FromStr for RequestHeader {
    type Err = String;

    /// Reads `NAME=VALUE` or `NAME=env:VARIABLE`; messages never have the value.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "`NAME=VALUE` or `NAME=env:VARIABLE` is wanted";
        let (name, value) = text.split_once('=').ok_or(FORM)?;
        let name: HeaderName = name.trim().parse().map_err(|_| FORM)?;
        let value = match value.strip_prefix("env:") {
            Some(variable) => env::var(variable).map_err(|_| {
                format!("the environment variable `{variable}` is not set, or is not UTF-8")
            })?,
            None => value.to_owned(),
        };
        let mut value = HeaderValue::from_str(&value)
            .map_err(|_| format!("the value of `{name}` is no value of a header"))?;
        value.set_sensitive(true);
        Ok(Self(name, value))
    }
}

impl fmt::Debug for RequestHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RequestHeader").field(&self.0).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_of_an_address_are_a_header() {
        let check = |text: &str, url: &str, header: Option<&str>| {
            let read = SupergraphUrl::new(text.parse().unwrap());
            assert_eq!(read.url, url.parse::<Uri>().unwrap());
            let headers = read.headers.iter().map(|(name, value)| {
                assert_eq!(*name, AUTHORIZATION);
                value.to_str().unwrap()
            });
            assert_eq!(headers.collect::<Vec<_>>(), header.into_iter().collect::<Vec<_>>());
            assert!(!format!("{read:?}").contains("Basic"), "{read:?}");
        };
        check("https://a.example/s", "https://a.example/s", None);
        let header = Some("Basic YWRhOnBAc3M=");
        check("https://ada:p%40ss@a.example:8443/s?x=1", "https://a.example:8443/s?x=1", header);
        check("https://ada@a.example/s", "https://a.example/s", Some("Basic YWRhOg=="));
    }

    #[test]
    fn headers_have_a_name_and_a_value() {
        let check = |text: &str, expected: Result<(&str, &str), &str>| {
            let read = text.parse::<RequestHeader>();
            let read = read
                .as_ref()
                .map(|RequestHeader(name, value)| (name.as_str(), value.to_str().unwrap()));
            assert_eq!(read.map_err(String::as_str), expected, "{text}");
        };
        check("X-Key=a=b", Ok(("x-key", "a=b")));
        let form = "`NAME=VALUE` or `NAME=env:VARIABLE` is wanted";
        check("X-Key", Err(form));
        check("X Key=1", Err(form));
        check("x=a\u{1}", Err("the value of `x` is no value of a header"));
        let missing = "the environment variable `THALWEG_NONE` is not set, or is not UTF-8";
        check("x=env:THALWEG_NONE", Err(missing));
    }
}
