//! Endpoint of a subgraph: its URL or Unix socket.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use hyper::Uri;
use hyper::http::uri::{Authority, PathAndQuery, Scheme};

/// Endpoint of a subgraph: `https://reviews.example/graphql` or `unix:/run/reviews.sock:/graphql`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub(super) target: Target,
    pub(super) path: PathAndQuery,
}

/// Network address of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Tcp {
        is_encrypted: bool,
        /// Authority as configured, for the `Host` header.
        authority: Authority,
        host: Host,
        port: u16,
    },
    Unix(PathBuf),
}

/// A host name, which is resolved, or an IP address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    Name(Box<str>),
    Address(IpAddr),
}

/// Error in the text of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    #[error(
        "`{0}` is no address of a subgraph; one is `http://host:4001/graphql`, \
         `https://host/graphql` or `unix:/path/of.sock:/graphql`"
    )]
    Form(Box<str>),
    #[error("`{0}` holds a user or a password; send a header instead")]
    Credentials(Box<str>),
    #[error("the path of the socket in `{0}` does not begin with `/`")]
    RelativeSocket(Box<str>),
    #[error("what follows the socket in `{0}` is no path; one is `/graphql`")]
    Path(Box<str>),
}

impl Endpoint {
    /// Whether the endpoint uses TLS, for which trusted certificates are needed.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        match self.target {
            Target::Tcp { is_encrypted, .. } => is_encrypted,
            Target::Unix(_) => false,
        }
    }

    fn unix(text: &str, rest: &str) -> Result<Self, EndpointError> {
        // The path of a socket may contain colons; the URL path behind it begins with a slash.
        let (socket, path) = rest.rsplit_once(":/").unwrap_or((rest, ""));
        if !socket.starts_with('/') {
            return Err(EndpointError::RelativeSocket(redacted(text)));
        }
        let path = format!("/{path}").parse().map_err(|_| EndpointError::Path(redacted(text)))?;
        Ok(Self { target: Target::Unix(Path::new(socket).to_owned()), path })
    }
}

/// Text of an endpoint for error messages, without credentials.
fn redacted(text: &str) -> Box<str> {
    redact::address(text).into()
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("unix:") {
            return Self::unix(text, rest);
        }
        let form = || EndpointError::Form(redacted(text));
        let parts = text.parse::<Uri>().map_err(|_| form())?.into_parts();
        let is_encrypted = match parts.scheme {
            Some(scheme) if scheme == Scheme::HTTPS => true,
            Some(scheme) if scheme == Scheme::HTTP => false,
            Some(_) | None => return Err(form()),
        };
        let authority = parts.authority.ok_or_else(form)?;
        if authority.as_str().contains('@') {
            return Err(EndpointError::Credentials(redacted(text)));
        }
        let name = authority.host();
        let port = match authority.port() {
            Some(port) => port.as_u16(),
            None if authority.as_str() != name => return Err(form()),
            None if is_encrypted => 443,
            None => 80,
        };
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let host = match bare.parse() {
            Ok(address) => Host::Address(address),
            Err(_) if bare.is_empty() || bare.len() != name.len() => return Err(form()),
            Err(_) => Host::Name(bare.into()),
        };
        let path = parts.path_and_query.unwrap_or_else(|| PathAndQuery::from_static("/"));
        Ok(Self { target: Target::Tcp { is_encrypted, authority, host, port }, path })
    }
}

/// The endpoint as configured, without the values of its query, which may be secrets.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = redact::address(self.path.as_str());
        match &self.target {
            Target::Tcp { is_encrypted: true, authority, .. } => {
                write!(f, "https://{authority}{path}")
            }
            Target::Tcp { is_encrypted: false, authority, .. } => {
                write!(f, "http://{authority}{path}")
            }
            Target::Unix(socket) => write!(f, "unix:{}:{path}", socket.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_read_and_written() {
        let check = |text: &str, expected: &str| {
            assert_eq!(text.parse::<Endpoint>().unwrap().to_string(), expected, "{text}");
        };
        check("http://reviews:4001/graphql", "http://reviews:4001/graphql");
        check(" https://a.example ", "https://a.example/");
        check("http://[::1]:80/graphql?key=word", "http://[::1]:80/graphql?key=…");
        check("unix:/run/a.sock:/graphql", "unix:/run/a.sock:/graphql");
        check("unix:/run/a:b.sock", "unix:/run/a:b.sock:/");
    }

    #[test]
    fn the_port_is_that_of_the_scheme_unless_it_is_said() {
        let check = |text: &str, expected: u16| match text.parse::<Endpoint>().unwrap().target {
            Target::Tcp { port, .. } => assert_eq!(port, expected, "{text}"),
            Target::Unix(_) => panic!("{text}"),
        };
        check("http://a", 80);
        check("https://a", 443);
        check("https://a:8443", 8443);
        check("http://[fe80::1]:7", 7);
    }

    #[test]
    fn what_is_no_endpoint_is_told() {
        let check = |text: &str, expected: fn(Box<str>) -> EndpointError| {
            assert_eq!(text.parse::<Endpoint>(), Err(expected(text.into())), "{text}");
        };
        check("", EndpointError::Form);
        check("reviews:4001", EndpointError::Form);
        check("/graphql", EndpointError::Form);
        check("ws://a/graphql", EndpointError::Form);
        check("http://", EndpointError::Form);
        check("http://a:/graphql", EndpointError::Form);
        check("http://a:99999/graphql", EndpointError::Form);
        let redacted = EndpointError::Credentials("http://…@a/graphql".into());
        assert_eq!("http://user:word@a/graphql".parse::<Endpoint>(), Err(redacted));
        check("unix:run/a.sock:/graphql", EndpointError::RelativeSocket);
        check("unix:/run/a.sock:/gra phql", EndpointError::Path);
    }
}
