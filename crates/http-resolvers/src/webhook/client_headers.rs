//! Headers of the client that a webhook receives, too.

use http::header::{HOST, HeaderMap, HeaderName, ORIGIN, USER_AGENT};

/// The headers of a client without those that belong to its own request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientHeaders {
    /// In lower case.
    ignored: Box<[Box<str>]>,
}

/// Headers that Hasura does not forward, unless the metadata lists others.
const IGNORED: [&str; 14] = [
    "accept",
    "accept-datetime",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "content-length",
    "content-md5",
    "content-type",
    "dnt",
    "host",
    "origin",
    "referer",
    "user-agent",
];

/// Headers of the connection and of the body, which are never forwarded, whatever is listed:
/// <https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1>.
const OWN: [&str; 13] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The prefix of session variables: these are in the body.
const SESSION: &str = "x-hasura-";

/// Headers that are forwarded by another name, since their own one is that of the new request.
const RENAMED: [(HeaderName, HeaderName); 3] = [
    (HOST, HeaderName::from_static("x-forwarded-host")),
    (USER_AGENT, HeaderName::from_static("x-forwarded-user-agent")),
    (ORIGIN, HeaderName::from_static("x-forwarded-origin")),
];

impl ClientHeaders {
    /// All headers but those with these names; but those that Hasura does not forward for `None`.
    #[must_use]
    pub fn except(ignored: Option<&[String]>) -> Self {
        let ignored = match ignored {
            Some(names) => names.iter().map(|name| name.to_ascii_lowercase().into()).collect(),
            None => IGNORED.map(Into::into).into(),
        };
        Self { ignored }
    }

    /// Sets the headers of a request to those of the client.
    pub(super) fn forward(&self, client: &HeaderMap, headers: &mut HeaderMap) {
        for (name, value) in client {
            let text = name.as_str();
            let is_kept = OWN.contains(&text)
                || text.starts_with(SESSION)
                || self.ignored.iter().any(|ignored| **ignored == *text);
            if !is_kept {
                headers.append(name.clone(), value.clone());
            }
        }
        for (name, forwarded) in RENAMED {
            if let Some(value) = client.get(name) {
                headers.insert(forwarded, value.clone());
            }
        }
    }
}
