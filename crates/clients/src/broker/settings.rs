//! Configuration of a broker.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::subgraph::{Tls, TlsFiles};

/// Configuration of a broker.
#[derive(Clone)]
pub struct BrokerSettings {
    /// Its name for logs.
    pub name: Arc<str>,
    pub url: BrokerUrl,
    pub user: Option<String>,
    pub password: Option<String>,
    /// Token of NATS.
    pub token: Option<String>,
    /// Name of this server, which distinguishes its durable consumers from those of others.
    pub instance: Option<String>,
    pub connect_timeout: Duration,
    /// Certificates, and the configuration that was loaded from them.
    pub files: TlsFiles,
    pub tls: Option<Tls>,
}

/// Kind of a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BrokerKind {
    Nats,
    Redis,
}

/// Address of a broker, which may contain credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct BrokerUrl {
    pub kind: BrokerKind,
    pub is_encrypted: bool,
    pub(super) text: String,
}

/// Reason why a text is no address of a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("an address is wanted that begins with `nats://`, `tls://`, `redis://` or `rediss://`")]
    Scheme,
    #[error("the address has no host")]
    Host,
}

const SCHEMES: [(&str, BrokerKind, bool); 4] = [
    ("nats", BrokerKind::Nats, false),
    ("tls", BrokerKind::Nats, true),
    ("redis", BrokerKind::Redis, false),
    ("rediss", BrokerKind::Redis, true),
];

impl BrokerSettings {
    #[must_use]
    pub fn kind(&self) -> BrokerKind {
        self.url.kind
    }

    /// Returns true if connections with the other settings can be kept.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let Self { name, url, user, password, token, instance, connect_timeout, files, tls: _ } =
            self;
        *name == other.name
            && *url == other.url
            && *user == other.user
            && *password == other.password
            && *token == other.token
            && *instance == other.instance
            && *connect_timeout == other.connect_timeout
            && *files == other.files
    }

    /// Name of this server for durable consumers: the configured one, or that of the machine.
    pub(super) fn instance(&self) -> String {
        let machine = || {
            let name = std::fs::read_to_string(PathBuf::from("/proc/sys/kernel/hostname"));
            name.unwrap_or_default().trim().to_owned()
        };
        self.instance.clone().unwrap_or_else(machine)
    }
}

/// Without credentials, which must not reach a log.
impl fmt::Debug for BrokerSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrokerSettings")
            .field("name", &self.name)
            .field("url", &self.url)
            .field("instance", &self.instance)
            .field("connect_timeout", &self.connect_timeout)
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for BrokerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redact::address(&self.text))
    }
}

impl FromStr for BrokerUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = text.split_once("://").ok_or(UrlError::Scheme)?;
        let known = SCHEMES.iter().find(|(name, ..)| *name == scheme);
        let (_, kind, is_encrypted) = *known.ok_or(UrlError::Scheme)?;
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        if host.is_empty() || host.starts_with(':') {
            return Err(UrlError::Host);
        }
        Ok(Self { kind, is_encrypted, text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_tell_the_kind_of_broker_and_hide_their_credentials() {
        let check = |text: &str, expected: Result<(BrokerKind, bool, &str), UrlError>| {
            let url = text.parse::<BrokerUrl>();
            let shown = url.as_ref().map(|url| format!("{url:?}")).unwrap_or_default();
            let found = url.map(|url| (url.kind, url.is_encrypted, &*shown));
            assert_eq!(found, expected, "{text}");
        };
        check("nats://a.example:4222", Ok((BrokerKind::Nats, false, "nats://a.example:4222")));
        check("tls://a.example", Ok((BrokerKind::Nats, true, "tls://a.example")));
        check("redis://u:secret@a/1", Ok((BrokerKind::Redis, false, "redis://…@a/1")));
        check("rediss://a", Ok((BrokerKind::Redis, true, "rediss://a")));
        check("kafka://a", Err(UrlError::Scheme));
        check("a.example:4222", Err(UrlError::Scheme));
        check("nats://:4222", Err(UrlError::Host));
        check("redis://user@", Err(UrlError::Host));
    }
}
