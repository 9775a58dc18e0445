//! What one table says, of all subgraphs or of one.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clients::coding::Coding;
use clients::subgraph::{BreakerSettings, Compression, Endpoint, Http2};
use engine::gateway::headers::Rule;
use toml::de::{DeTable, DeValue};

use super::headers;
use super::source::{self, SaidSource};
use super::table::{Reader, Value};
use crate::configuration::problem::Position;
use crate::options::{MostRequests, Size, Time};

/// What is said; what is not holds as it is said for all, or by options.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) url: Option<Endpoint>,
    /// A source for a subgraph in this process.
    pub(super) source: Option<SaidSource>,
    pub(super) timeout: Option<Duration>,
    pub(super) connect_timeout: Option<Duration>,
    pub(super) retries: Option<u32>,
    pub(super) http2: Option<Http2>,
    pub(super) connections: Option<usize>,
    pub(super) max_requests: Option<MostRequests>,
    pub(super) idle: Option<Duration>,
    pub(super) max_answer: Option<u64>,
    /// Said and switched off: `Some(None)`.
    pub(super) compression: Option<Option<Compression>>,
    pub(super) breaker: Option<Option<BreakerSettings>>,
    pub(super) deduplicate: Option<bool>,
    pub(super) tls: Option<SaidTls>,
    pub(super) rules: Vec<Rule>,
}

/// Files of certificates.
#[derive(Clone, Debug)]
pub(super) struct SaidTls {
    pub(super) position: Position,
    pub(super) authorities: Option<PathBuf>,
    /// The certificate and its key.
    pub(super) own: Option<(PathBuf, PathBuf)>,
}

/// Of whom a table says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    All,
    One,
}

/// As many of a hundred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Percent(u8);

const OF_ALL: [&str; 13] = [
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
    "tls",
    "headers",
];

/// What only one subgraph has, before what all may have.
const OF_ONE: [&str; 7] =
    ["url", "source", "dialect", "schema", "types", "policies", "federation-extend"];

/// More often nobody waits.
const MOST_RETRIES: u32 = 10;

const MOST_CONNECTIONS: u32 = 10_000;

/// From this size on a body is worth compressing.
const LEAST_COMPRESSED: usize = 1 << 10;

/// The breaker of whoever does not say another.
pub(super) const USUAL_BREAKER: BreakerSettings = BreakerSettings {
    percent: 50,
    min_requests: 20,
    window: Duration::from_secs(10),
    pause: Duration::from_secs(5),
};

impl Said {
    pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>, of: Of) -> Self {
        let mut said = Self::default();
        for (key, value) in table {
            let name = &**key.get_ref();
            match name {
                "url" if of == Of::One => said.url = reader.parsed(name, value),
                "source" | "dialect" | "schema" | "types" | "policies" | "federation-extend"
                    if of == Of::One => {}
                "timeout" => said.timeout = time(reader, name, value),
                "connect-timeout" => said.connect_timeout = time(reader, name, value),
                "retries" => said.retries = reader.whole(name, value, 0..=MOST_RETRIES),
                "http2" => said.http2 = reader.word(name, value, &HTTP2),
                "connections" => said.connections = number(reader, name, value),
                "max-requests" => said.max_requests = most_requests(reader, name, value),
                "idle" => said.idle = time(reader, name, value),
                "max-answer" => said.max_answer = size(reader, name, value),
                "compression" => said.compression = compression(reader, name, value),
                "breaker" => said.breaker = breaker(reader, name, value),
                "deduplicate" => said.deduplicate = reader.boolean(name, value),
                "tls" => said.tls = tls(reader, name, value),
                "headers" => said.rules = headers::read(reader, name, value),
                _ => match of {
                    Of::All => reader.unknown(key, "`all`", &OF_ALL),
                    Of::One => {
                        reader.unknown(key, "a subgraph", &[&OF_ONE[..], &OF_ALL].concat());
                    }
                },
            }
        }
        if of == Of::One {
            said.source = source::read(reader, table);
        }
        said
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

/// As options have it: a number of bytes, or a string with a unit.
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

/// As the option has it: a number, or a share with its sign.
fn most_requests(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<MostRequests> {
    match value.get_ref() {
        DeValue::Integer(_) => {
            let number = reader.whole(name, value, 1..=u32::MAX);
            number.and_then(NonZeroU32::new).map(MostRequests::Number)
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

/// `true`: answers may be compressed; a table says that requests are as well.
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

/// `false`: there is none.
fn breaker(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Value<'_>,
) -> Option<Option<BreakerSettings>> {
    let DeValue::Table(table) = value.get_ref() else {
        return reader.boolean(name, value).map(|is_on| is_on.then_some(USUAL_BREAKER));
    };
    let mut read = USUAL_BREAKER;
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

/// What is wrong is told, and nobody asks for the rest.
fn put<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn tls(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<SaidTls> {
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
        let message = "`tls`: a certificate `cert` has a `key`, and the other way about";
        reader.wrong(value.span().start, message.to_owned());
    }
    Some(SaidTls { position, authorities, own: certificate.zip(key_file) })
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
