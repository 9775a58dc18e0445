//! Options of reads from replicas, and of the server behind a pooler.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use engine::{DirectUrl, ReadOptions, ReplicaOptions, SourceAddress, WithoutReplica};

use super::given::GivenOptions;
use super::quantity::{Size, Time};
use super::words::Words;
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Database")]
pub(crate) struct ReplicaReadOptions {
    /// For PostgreSQL behind a pooler: the address of the server itself, for LISTEN, replication, locks of
    /// sessions and `--watch`
    #[arg(long, env = "THALWEG_DIRECT_URL", hide_env_values = true, value_name = "ADDRESS")]
    direct_url: Option<PostgresUrl>,
    /// For PostgreSQL: a replica that answers queries, with its weight and the limits of its lag; several are
    /// separated by semicolons
    ///
    /// Such as `postgres://replica1/shop weight=2 max-lag=5s max-lag-bytes=64MiB`. Without them the weight is
    /// 1, and the limit 10 seconds.
    #[arg(
        long,
        env = "THALWEG_READ_URL",
        hide_env_values = true,
        value_name = "SERVERS",
        value_delimiter = ';'
    )]
    read_url: Vec<ReadServer>,
    /// With `--read-url`: the longest wait for a replica to replay the changes of a client; then the
    /// primary answers [default: 100ms]
    #[arg(long, env = "THALWEG_READ_WAIT", value_name = "TIME")]
    read_wait: Option<Time>,
    /// With `--read-url`: the server of queries while no replica can answer them [default: primary]
    #[arg(
        long,
        env = "THALWEG_READ_WITHOUT_REPLICA",
        value_name = "SERVER",
        value_parser = WITHOUT_REPLICA
    )]
    read_without_replica: Option<WithoutReplica>,
    /// How clients carry the position of their last change, so that their queries see it on replicas, too
    /// [default: header with --read-url, else off]
    #[arg(long, env = "THALWEG_READ_YOUR_WRITES", value_name = "HOW", value_parser = CARRIERS)]
    read_your_writes: Option<PositionCarrier>,
}

/// How clients carry the position of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PositionCarrier {
    Off,
    Header,
    Cookie,
    Both,
}

const WITHOUT_REPLICA: Words<WithoutReplica> = Words(&[
    ("primary", WithoutReplica::Primary, "The primary"),
    (
        "fail",
        WithoutReplica::Fail,
        "None: queries fail with UNAVAILABLE, so that the primary is spared",
    ),
]);

const CARRIERS: Words<PositionCarrier> = Words(&[
    ("header", PositionCarrier::Header, "In the header Thalweg-Position of responses and requests"),
    ("cookie", PositionCarrier::Cookie, "In the cookie thalweg-position"),
    ("both", PositionCarrier::Both, "In either"),
    ("off", PositionCarrier::Off, "Not at all: queries may miss the changes of their client"),
]);

/// The address of a PostgreSQL server, which may have a password.
#[derive(Clone, PartialEq, Eq)]
struct PostgresUrl(Box<str>);

/// A replica with its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ReadServer(ReplicaOptions);

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redact::address(&self.0))
    }
}

impl FromStr for PostgresUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match SourceAddress::parse(text) {
            Ok(SourceAddress::Postgres(url)) => Ok(Self(url.into())),
            Ok(SourceAddress::Sqlite(_) | SourceAddress::Neo4j(_)) => {
                Err("an address such as `postgres://host/database` is wanted".to_owned())
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

impl FromStr for ReadServer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let PostgresUrl(url) = words.next().unwrap_or_default().parse()?;
        let mut replica = ReplicaOptions::new(url);
        let mut known = Vec::new();
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            if known.contains(&name) {
                return Err(format!("`{name}` is given twice"));
            }
            known.push(name);
            let wrong = |error: &dyn fmt::Display| format!("`{name}`: {error}");
            match name {
                "weight" => {
                    replica.weight = match value.parse() {
                        Ok(weight @ 1..=1_000) => weight,
                        Ok(_) | Err(_) => return Err(wrong(&"a number from 1 to 1000 is wanted")),
                    };
                }
                "max-lag" => {
                    replica.max_lag = value.parse::<Time>().map_err(|error| wrong(&error))?.0;
                }
                "max-lag-bytes" => {
                    let size = value.parse::<Size>().map_err(|error| wrong(&error))?;
                    replica.max_lag_bytes = Some(size.0);
                }
                _ => {
                    return Err(format!(
                        "`{name}` is none of `weight`, `max-lag` and `max-lag-bytes`, which follow \
                         the address"
                    ));
                }
            }
        }
        Ok(Self(replica))
    }
}

impl ReplicaReadOptions {
    pub(super) fn direct(&self) -> Option<DirectUrl> {
        self.direct_url.as_ref().map(|PostgresUrl(url)| DirectUrl(url.clone()))
    }

    /// The options of the engine; `None` if neither replicas nor positions are wanted.
    pub(super) fn to_engine(
        &self,
        given: &GivenOptions,
    ) -> Result<Option<Arc<ReadOptions>>, Failure> {
        if self.read_url.is_empty() {
            for name in ["read-wait", "read-without-replica"] {
                if given.contains(name) {
                    return Err(Failure::Usage(format!("`--{name}` needs `--read-url`")));
                }
            }
        }
        let reports_changes = self.carrier() != PositionCarrier::Off;
        if self.read_url.is_empty() && !reports_changes {
            return Ok(None);
        }
        let defaults = ReadOptions::default();
        Ok(Some(Arc::new(ReadOptions {
            replicas: self.read_url.iter().map(|ReadServer(replica)| replica.clone()).collect(),
            wait: self.read_wait.map_or(defaults.wait, |time| time.0),
            without_replica: self.read_without_replica.unwrap_or_default(),
            reports_changes,
        })))
    }

    /// Number of replicas, each with as many connections as the source.
    pub(crate) fn replicas(&self) -> usize {
        self.read_url.len()
    }

    /// How clients carry the position of a change.
    pub(crate) fn carrier(&self) -> PositionCarrier {
        let default = match self.read_url.is_empty() {
            true => PositionCarrier::Off,
            false => PositionCarrier::Header,
        };
        self.read_your_writes.unwrap_or(default)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_replica_has_an_address_and_limits() {
        let replica = |text: &str| text.parse::<ReadServer>().unwrap().0;
        let url = "postgres://a:5433/shop?sslmode=require";
        assert_eq!(replica(url), ReplicaOptions::new(url));
        let limited = replica(&format!(" {url}  weight=3 max-lag=250ms max-lag-bytes=64MiB "));
        let expected = ReplicaOptions {
            weight: 3,
            max_lag: Duration::from_millis(250),
            max_lag_bytes: Some(64 << 20),
            ..ReplicaOptions::new(url)
        };
        assert_eq!(limited, expected);
    }

    #[test]
    fn what_is_wrong_with_a_replica_is_told() {
        let check = |text: &str, wanted: &str| {
            let error = text.parse::<ReadServer>().unwrap_err();
            assert!(error.contains(wanted), "{text}: {error}");
        };
        check("", "the source is empty");
        check("shop.db", "an address such as `postgres://host/database`");
        check("neo4j://a", "an address such as `postgres://host/database`");
        check("postgres://a/b weight=0", "`weight`: a number from 1 to 1000");
        check("postgres://a/b weight=2 weight=3", "`weight` is given twice");
        check("postgres://a/b max-lag=5", "`max-lag`: a time is wanted");
        check("postgres://a/b max-lag-bytes=x", "`max-lag-bytes`: a size is wanted");
        check("postgres://a/b lag=5s", "`lag` is none of");
        check("postgres://a/b quick", "`quick` is none of");
    }

    #[test]
    fn a_password_is_shown_nowhere() {
        let server: ReadServer = "postgres://a:secret@b/c".parse().unwrap();
        let direct: PostgresUrl = "postgres://a:secret@b/c".parse().unwrap();
        let shown = format!("{server:?} {direct:?} {:?}", DirectUrl(direct.0.clone()));
        assert!(!shown.contains("secret"), "{shown}");
    }
}
