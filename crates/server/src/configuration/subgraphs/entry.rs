//! The entry of one subgraph, or of all.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clients::coding::Coding;
use clients::subgraph::{BreakerSettings, Compression, Endpoint, Http2};
use engine::gateway::headers::Rule;
use toml::de::{DeTable, DeValue};

use super::connectors::{self, ConnectorsEntry};
use super::events::{self, EventsEntry};
use super::headers;
use super::source::{self, SourceEntry};
use super::subscription::{self, SubscriptionEntry};
use super::table::{Reader, Value};
use crate::configuration::problem::Position;
use crate::options::{RequestLimit, Size, Time};

/// Settings of a subgraph; missing ones come from the entry of all, or from options.
#[derive(Debug, Default)]
pub(super) struct SubgraphEntry {
    pub(super) url: Option<Endpoint>,
    /// The source of a subgraph in this process.
    pub(super) source: Option<SourceEntry>,
    /// The schema of a subgraph of events.
    pub(super) events: Option<EventsEntry>,
    /// Settings of a subgraph of connectors.
    pub(super) connectors: Option<ConnectorsEntry>,
    pub(super) timeout: Option<Duration>,
    pub(super) connect_timeout: Option<Duration>,
    pub(super) retries: Option<u32>,
    pub(super) http2: Option<Http2>,
    pub(super) connections: Option<usize>,
    pub(super) max_requests: Option<RequestLimit>,
    pub(super) idle: Option<Duration>,
    pub(super) max_answer: Option<u64>,
    /// `Some(None)` if disabled.
    pub(super) compression: Option<Option<Compression>>,
    pub(super) breaker: Option<Option<BreakerSettings>>,
    pub(super) deduplicate: Option<bool>,
    pub(super) cache: Option<CacheEntry>,
    pub(super) tls: Option<TlsEntry>,
    pub(super) subscription: Option<SubscriptionEntry>,
    pub(super) rules: Vec<Rule>,
}

/// Whether and how responses are kept; missing settings come from the options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CacheEntry {
    Off,
    On { position: Position, ttl: Option<Duration>, user: Option<Box<str>> },
}

/// Files of certificates.
#[derive(Clone, Debug)]
pub(super) struct TlsEntry {
    pub(super) position: Position,
    pub(super) authorities: Option<PathBuf>,
    /// The certificate and its key.
    pub(super) own: Option<(PathBuf, PathBuf)>,
}

/// A percentage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Percent(u8);

const OF_ALL: [&str; 15] = [
    "timeout",
    "connect-timeout",
    "retries",
    "http2",
    "connections",
    "max-requests",
    "idle",
    "max-answer",
    "compression",
    "breaker",
    "deduplicate",
    "cache",
    "tls",
    "subscription",
    "headers",
];

/// Keys of one subgraph only, besides the options of a source.
const OF_ONE: [&str; 4] = ["url", "source", "sdl", "connectors"];

/// The maximum number of retries.
const MOST_RETRIES: u32 = 10;

const MOST_CONNECTIONS: u32 = 10_000;

/// The default size from which on bodies are compressed.
const LEAST_COMPRESSED: usize = 1 << 10;

/// The default circuit breaker.
pub(super) const DEFAULT_BREAKER: BreakerSettings = BreakerSettings {
    percent: 50,
    min_requests: 20,
    window: Duration::from_secs(10),
    pause: Duration::from_secs(5),
};

impl SubgraphEntry {
    /// Reads the entry of all subgraphs.
    pub(super) fn read_all(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Self {
        let mut entry = Self::default();
        for (key, value) in table {
            match &**key.get_ref() {
                name @ "subscription" => {
                    entry.subscription = subscription::read(reader, name, value, false);
                }
                name if entry.read_common(reader, name, value) => {}
                _ => reader.unknown(key, "`all`", &OF_ALL),
            }
        }
        entry
    }

    /// Reads the entry of one subgraph; `others` are keys that are read elsewhere.
    pub(super) fn read_one(
        reader: &mut Reader<'_>,
        table: &DeTable<'_>,
        others: &[&'static str],
    ) -> Self {
        let mut entry = Self::default();
        for (key, value) in table {
            match &**key.get_ref() {
                name @ "url" => entry.url = reader.parsed(name, value),
                "source" | "sdl" | "connectors" => {}
                name @ "subscription" => {
                    entry.subscription = subscription::read(reader, name, value, true);
                }
                name if source::KEYS.find(name).is_some() => {}
                name if entry.read_common(reader, name, value) => {}
                _ => {
                    let known = [others, &OF_ONE, &OF_ALL].concat();
                    let options = source::KEYS.iter().map(|(name, _)| name);
                    reader.unknown_beside(key, "a subgraph", &known, options);
                }
            }
        }
        entry.source = source::read(reader, table);
        entry.events = events::read(reader, table);
        entry.connectors = connectors::read(reader, table);
        entry
    }

    /// Whether it has only keys that a subgraph of connectors may have.
    pub(super) fn fits_connectors(&self) -> bool {
        let Self { url, source, events, connect_timeout, http2, idle, compression, .. } = self;
        let Self { breaker, subscription, rules, cache, .. } = self;
        url.is_none()
            && source.is_none()
            && events.is_none()
            && connect_timeout.is_none()
            && http2.is_none()
            && idle.is_none()
            && compression.is_none()
            && breaker.is_none()
            && subscription.is_none()
            && cache.is_none()
            && rules.is_empty()
    }

    /// Reads a key that all entries may have; `false` for another one.
    fn read_common(&mut self, reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> bool {
        match name {
            "timeout" => self.timeout = time(reader, name, value),
            "connect-timeout" => self.connect_timeout = time(reader, name, value),
            "retries" => self.retries = reader.whole(name, value, 0..=MOST_RETRIES),
            "http2" => self.http2 = reader.word(name, value, &HTTP2),
            "connections" => self.connections = number(reader, name, value),
            "max-requests" => self.max_requests = most_requests(reader, name, value),
            "idle" => self.idle = time(reader, name, value),
            "max-answer" => self.max_answer = size(reader, name, value),
            "compression" => self.compression = compression(reader, name, value),
            "breaker" => self.breaker = breaker(reader, name, value),
            "deduplicate" => self.deduplicate = reader.boolean(name, value),
            "cache" => self.cache = cache(reader, name, value),
            "tls" => self.tls = tls(reader, name, value),
            "headers" => self.rules = headers::read(reader, name, value),
            _ => return false,
        }
        true
    }
}

const HTTP2: [(&str, Http2); 3] = [
    ("never", Http2::Never),
    ("negotiated", Http2::Negotiated),
    ("prior-knowledge", Http2::PriorKnowledge),
];

fn time(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<Duration> {
    reader.parsed::<Time>(name, value).map(|time| time.0)
}

/// A number of bytes, or a string with a unit, as for options.
fn size(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<u64> {
    match value.get_ref() {
        DeValue::Integer(_) => reader.whole(name, value, 1..=u32::MAX).map(u64::from),
        _ => reader.parsed::<Size>(name, value).map(|size| size.0),
    }
}

fn number(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<usize> {
    let number = reader.whole(name, value, 1..=MOST_CONNECTIONS);
    number.and_then(|number| usize::try_from(number).ok())
}

/// A number, or a percentage, as for the option.
fn most_requests(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<RequestLimit> {
    match value.get_ref() {
        DeValue::Integer(_) => {
            let number = reader.whole(name, value, 1..=u32::MAX);
            number.and_then(NonZeroU32::new).map(RequestLimit::Number)
        }
        _ => reader.parsed(name, value),
    }
}

const CODINGS: [(&str, Coding); 4] = [
    ("gzip", Coding::Gzip),
    ("br", Coding::Brotli),
    ("zstd", Coding::Zstd),
    ("deflate", Coding::Deflate),
];

/// `true` to accept compressed responses; a table also compresses requests.
fn compression(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Value<'_>,
) -> Option<Option<Compression>> {
    let answers = Compression { requests: None, min_size: LEAST_COMPRESSED };
    let DeValue::Table(table) = value.get_ref() else {
        return reader.boolean(name, value).map(|is_on| is_on.then_some(answers));
    };
    let mut read = answers;
    for (key, value) in table {
        match &**key.get_ref() {
            "requests" => read.requests = reader.word("requests", value, &CODINGS),
            "min-size" => {
                let size = size(reader, "min-size", value);
                put(&mut read.min_size, size.and_then(|size| usize::try_from(size).ok()));
            }
            _ => reader.unknown(key, "`compression`", &["requests", "min-size"]),
        }
    }
    Some(Some(read))
}

/// `false` to disable the circuit breaker.
fn cache(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<CacheEntry> {
    let position = reader.position(value.span().start);
    let DeValue::Table(table) = value.get_ref() else {
        let on = CacheEntry::On { position, ttl: None, user: None };
        return reader.boolean(name, value).map(|is_on| if is_on { on } else { CacheEntry::Off });
    };
    let (mut ttl, mut user) = (None, None);
    for (key, value) in table {
        match &**key.get_ref() {
            name @ "ttl" => ttl = time(reader, name, value),
            name @ "user" => user = reader.string(name, value).map(String::into_boxed_str),
            _ => reader.unknown(key, "`cache`", &["ttl", "user"]),
        }
    }
    Some(CacheEntry::On { position, ttl, user })
}

fn breaker(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Value<'_>,
) -> Option<Option<BreakerSettings>> {
    let DeValue::Table(table) = value.get_ref() else {
        return reader.boolean(name, value).map(|is_on| is_on.then_some(DEFAULT_BREAKER));
    };
    let mut read = DEFAULT_BREAKER;
    for (key, value) in table {
        let name = &**key.get_ref();
        match name {
            "errors" => put(&mut read.percent, reader.parsed(name, value).map(|Percent(it)| it)),
            "of" => put(&mut read.min_requests, reader.whole(name, value, 1..=1_000_000)),
            "window" => put(&mut read.window, time(reader, name, value)),
            "pause" => put(&mut read.pause, time(reader, name, value)),
            _ => reader.unknown(key, "`breaker`", &["errors", "of", "window", "pause"]),
        }
    }
    Some(Some(read))
}

/// Sets a value unless it was wrong, which the reader has recorded.
fn put<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

pub(super) fn tls(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<TlsEntry> {
    let position = reader.position(value.span().start);
    let table = reader.table(name, value)?;
    let (mut authorities, mut certificate, mut key_file) = (None, None, None);
    for (key, value) in table {
        let name = &**key.get_ref();
        match name {
            "ca" => authorities = reader.string(name, value).map(PathBuf::from),
            "cert" => certificate = reader.string(name, value).map(PathBuf::from),
            "key" => key_file = reader.string(name, value).map(PathBuf::from),
            _ => reader.unknown(key, "`tls`", &["ca", "cert", "key"]),
        }
    }
    let has = |name: &str| table.keys().any(|key| &**key.get_ref() == name);
    if has("cert") != has("key") {
        let message = "`tls`: `cert` and `key` need each other";
        reader.wrong(value.span().start, message.to_owned());
    }
    Some(TlsEntry { position, authorities, own: certificate.zip(key_file) })
}

impl FromStr for Percent {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_suffix('%').and_then(|number| number.trim().parse().ok());
        match number {
            Some(number @ 1..=100) => Ok(Self(number)),
            Some(_) | None => Err("a percentage is wanted, from `1%` to `100%`"),
        }
    }
}
