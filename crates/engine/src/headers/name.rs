//! Header names in propagation rules.

use std::str::FromStr;

use http::header::{CONNECTION, HeaderMap, HeaderName};

/// One header, or all that match a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    One(HeaderName),
    Like(Pattern),
}

/// A name with wildcards (`*`), split at these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    before: Box<str>,
    between: Box<[Box<str>]>,
    after: Box<str>,
}

/// Reason why a text is no header name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("a header's name is wanted, such as `x-tenant`, or `x-*` for all that begin so")]
    NoName,
    #[error("it belongs to the connection or the body, and is made anew for each subgraph")]
    Own,
}

/// Hop-by-hop headers, headers of the body, and those that are sent with every request anyway.
const OWN: [&str; 24] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "connection",
    "expect",
    "host",
    "http2-settings",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "max-forwards",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "te",
    "traceparent",
    "tracestate",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Prefix of the headers that describe the body.
const OF_BODIES: &str = "content-";

/// Credentials are propagated only by their full names, not by a pattern.
const CREDENTIALS: [&str; 2] = ["authorization", "cookie"];

/// Whether a header is set anew for each subgraph request, so that rules cannot name it.
#[must_use]
pub fn is_own(name: &HeaderName) -> bool {
    let name = name.as_str();
    OWN.contains(&name) || name.starts_with(OF_BODIES) || name == super::REQUEST_ID.as_str()
}

/// Whether the client lists a header in `Connection`, which makes it hop-by-hop:
/// <https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1>.
pub(super) fn is_of_connection(headers: &HeaderMap, name: &HeaderName) -> bool {
    let values = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let mut options = values.flat_map(|value| value.split(','));
    options.any(|option| option.trim().eq_ignore_ascii_case(name.as_str()))
}

impl Names {
    #[must_use]
    pub fn contain(&self, name: &HeaderName) -> bool {
        match self {
            Self::One(one) => one == name,
            Self::Like(pattern) => {
                let is_named_alone = is_own(name) || CREDENTIALS.contains(&name.as_str());
                !is_named_alone && pattern.matches(name.as_str())
            }
        }
    }
}

impl FromStr for Names {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        if !text.contains('*') {
            let name: HeaderName = text.parse().map_err(|_| NameError::NoName)?;
            return match is_own(&name) {
                true => Err(NameError::Own),
                false => Ok(Self::One(name)),
            };
        }
        // Wildcards stand for characters of names.
        let is_name = text.replace('*', "x").parse::<HeaderName>().is_ok();
        match is_name {
            true => Ok(Self::Like(Pattern::new(&text.to_ascii_lowercase()))),
            false => Err(NameError::NoName),
        }
    }
}

impl Pattern {
    fn new(text: &str) -> Self {
        let mut parts: Vec<Box<str>> = text.split('*').map(Into::into).collect();
        let after = parts.pop().unwrap_or_default();
        let mut parts = parts.into_iter();
        let before = parts.next().unwrap_or_default();
        Self { before, between: parts.filter(|part| !part.is_empty()).collect(), after }
    }

    fn matches(&self, name: &str) -> bool {
        let rest = name.strip_prefix(&*self.before);
        let Some(mut rest) = rest.and_then(|rest| rest.strip_suffix(&*self.after)) else {
            return false;
        };
        for part in &self.between {
            // The first match leaves the most text for the next parts.
            let Some((_, behind)) = rest.split_once(&**part) else { return false };
            rest = behind;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        let check = |pattern: &str, name: &str, expected: bool| {
            let names: Names = pattern.parse().unwrap();
            assert_eq!(names.contain(&name.parse().unwrap()), expected, "{pattern} {name}");
        };
        check("x-*", "x-tenant", true);
        check("X-*", "x-", true);
        check("x-*", "y-tenant", false);
        check("*-id", "x-tenant-id", true);
        check("*-id", "x-tenant", false);
        check("x-*-id", "x-tenant-id", true);
        // Prefix and suffix must not overlap.
        check("x-*-id", "x-id", false);
        check("x-*a*b*-y", "x-1a2b3-y", true);
        check("x-*a*b*-y", "x-1b2a3-y", false);
        check("**", "anything", true);
        check("*", "authorization", false);
        check("auth*", "authorization", false);
        check("authorization", "authorization", true);
        check("*", "content-md5", false);
        check("x-*", "x-request-id", false);
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in ["", "x tenant", "x:*", "ä", "x-*\n"] {
            assert_eq!(text.parse::<Names>(), Err(NameError::NoName), "{text:?}");
        }
        for text in ["Host", "content-type", "Connection", "traceparent", "x-request-id"] {
            assert_eq!(text.parse::<Names>(), Err(NameError::Own), "{text}");
        }
    }

    #[test]
    fn own_names_are_in_order() {
        assert!(OWN.is_sorted());
    }
}
