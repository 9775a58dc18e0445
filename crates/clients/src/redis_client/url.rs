//! Addresses of Redis.

use std::fmt;
use std::str::FromStr;

use redis::{ConnectionAddr, IntoConnectionInfo};

/// An address of Redis, which may contain credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisUrl {
    text: Box<str>,
    is_encrypted: bool,
}

/// The reason why a text is no address of Redis.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedisUrlError {
    #[error("an address is wanted such as `redis://HOST:6379/0`, or `rediss://…` for TLS")]
    Scheme,
    #[error("the address is not valid: {0}")]
    Invalid(Box<str>),
}

impl RedisUrl {
    /// Returns true for `rediss://`: the connection has TLS.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

impl FromStr for RedisUrl {
    type Err = RedisUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !["redis://", "rediss://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(RedisUrlError::Scheme);
        }
        // The fragment `#insecure` would accept any certificate.
        if text.contains('#') {
            return Err(RedisUrlError::Invalid("it has a fragment".into()));
        }
        let info = text.into_connection_info();
        let info = info.map_err(|error| RedisUrlError::Invalid(error.to_string().into()))?;
        let is_encrypted = matches!(info.addr(), ConnectionAddr::TcpTls { .. });
        Ok(Self { text: text.into(), is_encrypted })
    }
}

/// Without credentials, which must not reach a log.
impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redact::address(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_and_hide_their_credentials() {
        let check = |text: &str, expected: Result<(bool, &str), &str>| {
            let found = text.parse::<RedisUrl>();
            let shown = found.as_ref().map(|url| format!("{url:?}")).unwrap_or_default();
            let found = found.map(|url| (url.is_encrypted, &*shown));
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
                (Err(error), Err(expected)) => {
                    assert!(error.to_string().contains(expected), "{text}: {error}");
                }
                (found, _) => panic!("{text}: {found:?}"),
            }
        };
        check("redis://a.example", Ok((false, "redis://a.example")));
        check("redis://:secret@a.example:7000/2", Ok((false, "redis://…@a.example:7000/2")));
        check("rediss://user:secret@a.example", Ok((true, "rediss://…@a.example")));
        check("rediss://a.example/#insecure", Err("it has a fragment"));
        check("redis://a.example/x", Err("is not valid"));
        check("nats://a.example", Err("`redis://HOST:6379/0`"));
        check("a.example:6379", Err("an address is wanted"));
    }
}
