//! Headers of a resolver's requests.

use http::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, InvalidHeaderName, InvalidHeaderValue,
};

use serde_json::{Map, Value};

use crate::webhook::ClientHeaders;

/// The headers that a resolver sends beside those of every request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Headers {
    /// The name of each, and the header of the client that has its value.
    pub forwarded: Vec<(HeaderName, HeaderName)>,
    /// Headers with values of the definitions, which are marked as sensitive.
    pub secret: Vec<(HeaderName, HeaderValue)>,
    /// Headers of the introspection request to a GraphQL server, marked as sensitive.
    pub introspection: Vec<(HeaderName, HeaderValue)>,
    /// Further headers of the client, which the others replace.
    pub client: Option<ClientHeaders>,
    /// True if session variables are headers, which replace those of the client.
    pub has_session: bool,
}

/// The reason why a header is none.
#[derive(Debug, thiserror::Error)]
pub enum HeaderError {
    #[error("`{0}` is no name of a header")]
    Name(Box<str>),
    #[error("the secret `{0}` is no value of a header")]
    Value(Box<str>),
}

/// Headers that belong to the connection or to the body, and are never set by definitions:
/// <https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1>.
const OWN: [&str; 14] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A header's name at the other server, and here: `Name` or `Remote-Name:Local-Name`.
fn parts(text: &str) -> (&str, &str) {
    let (remote, local) = text.split_once(':').unwrap_or((text, text));
    (remote.trim(), local.trim())
}

impl Headers {
    /// Adds a header whose value is that of a header of the client.
    pub fn forward(&mut self, text: &str) -> Result<(), HeaderError> {
        let (remote, local) = parts(text);
        let (remote, local) = (name(remote)?, name(local)?);
        if !OWN.contains(&remote.as_str()) {
            self.forwarded.push((remote, local));
        }
        Ok(())
    }

    /// Adds a header with a secret of the definitions.
    pub fn add_secret(
        &mut self,
        text: &str,
        secrets: &[(Box<str>, Box<str>)],
    ) -> Result<(), HeaderError> {
        self.secret.extend(secret(text, secrets)?);
        Ok(())
    }

    /// Adds a header with a secret to the request for a schema.
    pub fn add_introspection(
        &mut self,
        text: &str,
        secrets: &[(Box<str>, Box<str>)],
    ) -> Result<(), HeaderError> {
        self.introspection.extend(secret(text, secrets)?);
        Ok(())
    }

    /// The headers of a request. `find` returns the client's value of a header.
    #[must_use]
    pub fn fill(&self, find: impl Fn(&HeaderName) -> Option<HeaderValue>) -> HeaderMap {
        let mut headers = json_headers();
        for (name, value) in &self.secret {
            headers.insert(name.clone(), value.clone());
        }
        for (remote, local) in &self.forwarded {
            if let Some(value) = find(local) {
                headers.insert(remote.clone(), value);
            }
        }
        headers
    }

    /// Adds headers of the client and of its session, but none that is there.
    pub fn add_client(
        &self,
        client: Option<&HeaderMap>,
        session: &Map<String, Value>,
        headers: &mut HeaderMap,
    ) {
        let mut added = HeaderMap::new();
        if let (Some(wanted), Some(client)) = (&self.client, client) {
            wanted.forward(client, &mut added);
        }
        if self.has_session {
            for (name, value) in session {
                let name = name.parse::<HeaderName>();
                let value = value.as_str().map(HeaderValue::from_str);
                if let (Ok(name), Some(Ok(value))) = (name, value) {
                    added.insert(name, value);
                }
            }
        }
        for name in headers.keys() {
            added.remove(name);
        }
        headers.extend(added);
    }

    /// The headers of a request for a schema.
    #[must_use]
    pub fn for_introspection(&self) -> HeaderMap {
        let mut headers = json_headers();
        for (name, value) in &self.introspection {
            headers.insert(name.clone(), value.clone());
        }
        headers
    }
}

fn json_headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers
}

/// The header of a secret; none if it is not defined, or the header is of the connection.
fn secret(
    text: &str,
    secrets: &[(Box<str>, Box<str>)],
) -> Result<Option<(HeaderName, HeaderValue)>, HeaderError> {
    let (remote, local) = parts(text);
    let remote = name(remote)?;
    let found = secrets.iter().find(|(name, _)| **name == *local);
    let Some((_, value)) = found.filter(|_| !OWN.contains(&remote.as_str())) else {
        return Ok(None);
    };
    let mut value: HeaderValue =
        value.parse().map_err(|_: InvalidHeaderValue| HeaderError::Value(local.into()))?;
    value.set_sensitive(true);
    Ok(Some((remote, value)))
}

fn name(text: &str) -> Result<HeaderName, HeaderError> {
    text.parse().map_err(|_: InvalidHeaderName| HeaderError::Name(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_forwarded_by_name() {
        let mut headers = Headers::default();
        for text in ["X-One", "X-Two:Authorization", "X-Absent", "Host", "Content-Length:X-One"] {
            headers.forward(text).unwrap();
        }
        let secrets = [("key".into(), "word".into())];
        headers.add_secret("key", &secrets).unwrap();
        headers.add_secret("X-Key:key", &secrets).unwrap();
        headers.add_secret("X-Other:other", &secrets).unwrap();
        let filled = headers.fill(|name| match name.as_str() {
            "x-one" => Some(HeaderValue::from_static("1")),
            "authorization" => Some(HeaderValue::from_static("Bearer b")),
            _ => None,
        });
        let mut texts: Vec<_> = filled
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        texts.sort();
        assert_eq!(
            texts,
            [
                "accept: application/json",
                "content-type: application/json",
                "key: word",
                "x-key: word",
                "x-one: 1",
                "x-two: Bearer b",
            ]
        );
        assert!(!format!("{headers:?}").contains("word"));
    }

    #[test]
    fn a_header_has_no_line_breaks() {
        let mut headers = Headers::default();
        let secrets = [("key".into(), "word\r\nX-Admin: 1".into())];
        assert!(matches!(headers.add_secret("key", &secrets), Err(HeaderError::Value(_))));
        for text in ["X One", "X\r\nY", "", "X:"] {
            assert!(matches!(headers.forward(text), Err(HeaderError::Name(_))), "{text:?}");
        }
    }
}
