//! A subgraph of REST connectors: the hosts that it may call, and values of its schema's variables.

use clients::egress::Network;
use clients::hosts::AllowedHost;
use hyper::Uri;
use hyper::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value as Json};
use std::fmt;
use std::str::FromStr;
use toml::de::{DeTable, DeValue};

use super::table::{Reader, Value};
use crate::configuration::problem::Position;

/// The settings of a subgraph of connectors.
#[derive(Clone, Debug)]
pub(crate) struct ConnectorsEntry {
    pub(crate) position: Position,
    pub(crate) hosts: Vec<AllowedHost>,
    /// Private networks that may be reached.
    pub(crate) networks: Vec<Network>,
    /// Maximum number of requests for one operation.
    pub(crate) most_calls: Option<usize>,
    /// `$config` of all connectors.
    pub(crate) config: ConfigValues,
    pub(crate) sources: Vec<SourceSettings>,
}

/// The settings of a `@source`.
#[derive(Clone, Debug)]
pub(crate) struct SourceSettings {
    pub(crate) name: String,
    pub(crate) position: Position,
    /// Instead of `baseURL`.
    pub(crate) url: Option<String>,
    /// `$config` of its connectors, beside that of all.
    pub(crate) config: ConfigValues,
    /// Headers of its requests, instead of those of the schema.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// Values of `$config`, which may be secrets.
#[derive(Clone, Default)]
pub(crate) struct ConfigValues(pub(crate) Map<String, Json>);

/// Keys of the table.
const KEYS: [&str; 5] = ["hosts", "networks", "max-calls", "config", "sources"];

const OF_SOURCE: [&str; 3] = ["url", "config", "headers"];

/// Keys that a subgraph of connectors may have.
pub(super) const BESIDE: [&str; 8] = [
    "connectors",
    "timeout",
    "retries",
    "connections",
    "max-requests",
    "max-answer",
    "deduplicate",
    "tls",
];

/// The maximum of `max-calls`.
const MOST_CALLS: u32 = 1_000_000;

/// Reads the connectors of a table, if it has some.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<ConnectorsEntry> {
    let value = table.get("connectors")?;
    for name in table.keys().filter(|name| !BESIDE.contains(&&**name.get_ref())) {
        let written = name.get_ref().escape_debug();
        let message =
            format!("`{written}` has no place beside `connectors`, whose requests are not GraphQL");
        reader.wrong(name.span().start, message);
    }
    let position = reader.position(value.span().start);
    let mut entry = ConnectorsEntry {
        position,
        hosts: Vec::new(),
        networks: Vec::new(),
        most_calls: None,
        config: ConfigValues::default(),
        sources: Vec::new(),
    };
    for (key, value) in reader.table("connectors", value)? {
        let name = &**key.get_ref();
        match name {
            "hosts" => {
                entry.hosts =
                    list(reader, name, value, "a list of hosts, such as `[\"api.example\"]`,");
            }
            "networks" => {
                let wanted = "a list of networks, such as `[\"10.0.0.0/8\"]`,";
                entry.networks = list(reader, name, value, wanted);
            }
            "max-calls" => {
                let most = reader.whole(name, value, 1..=MOST_CALLS);
                entry.most_calls = most.and_then(|most| usize::try_from(most).ok());
            }
            "config" => entry.config = config(reader, name, value),
            "sources" => {
                for (name, value) in reader.table(name, value).into_iter().flatten() {
                    let position = reader.position(name.span().start);
                    let name = name.get_ref().clone().into_owned();
                    entry.sources.extend(source(reader, name, position, value));
                }
            }
            _ => reader.unknown(key, "`connectors`", &KEYS),
        }
    }
    Some(entry)
}

fn source(
    reader: &mut Reader<'_>,
    name: String,
    position: Position,
    value: &Value<'_>,
) -> Option<SourceSettings> {
    let table = reader.table(&name, value)?;
    let mut source = SourceSettings {
        name,
        position,
        url: None,
        config: ConfigValues::default(),
        headers: Vec::new(),
    };
    for (key, value) in table {
        let name = &**key.get_ref();
        match name {
            "url" => source.url = url(reader, name, value),
            "config" => source.config = config(reader, name, value),
            "headers" => source.headers = headers(reader, name, value),
            _ => reader.unknown(key, "a source", &OF_SOURCE),
        }
    }
    Some(source)
}

fn url(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<String> {
    let text = reader.string(name, value)?;
    // As in the schema, which may name unencrypted servers, too.
    let url = text.trim().parse::<Uri>().ok().filter(|url| {
        let is_http = matches!(url.scheme_str(), Some("http" | "https"));
        is_http && url.query().is_none()
    });
    if url.is_none() {
        let message = "an address without a query is wanted, such as `https://api.example/v2`";
        reader.wrong(value.span().start, format!("`{name}`: {message}"));
    }
    url.map(|_| text.trim().to_owned())
}

fn list<T: FromStr<Err: fmt::Display>>(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Value<'_>,
    wanted: &str,
) -> Vec<T> {
    let Some(items) = reader.array(name, value, wanted) else { return Vec::new() };
    items.iter().filter_map(|item| reader.parsed(name, item)).collect()
}

fn headers(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Value<'_>,
) -> Vec<(HeaderName, HeaderValue)> {
    let mut headers = Vec::new();
    for (key, value) in reader.table(name, value).into_iter().flatten() {
        let Ok(header) = key.get_ref().parse::<HeaderName>() else {
            reader.wrong(key.span().start, format!("`{name}`: a name of a header is wanted"));
            continue;
        };
        if engine::gateway::headers::is_own(&header) {
            let message = format!("`{name}`: `{header}` is set by the connection");
            reader.wrong(key.span().start, message);
            continue;
        }
        let Some(text) = reader.string(name, value) else { continue };
        match HeaderValue::from_str(&text) {
            Ok(mut text) => {
                text.set_sensitive(true);
                headers.push((header, text));
            }
            Err(_) => {
                let message = format!("`{name}`: the value of `{header}` is no value of a header");
                reader.wrong(value.span().start, message);
            }
        }
    }
    headers
}

fn config(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> ConfigValues {
    let Some(table) = reader.table(name, value) else { return ConfigValues::default() };
    let members = table.iter().filter_map(|(key, value)| {
        let name = key.get_ref().clone().into_owned();
        json(reader, &name, value).map(|value| (name, value))
    });
    ConfigValues(members.collect())
}

/// Any value but a time, as JSON. Recursion is bounded by the nesting of the file.
fn json(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<Json> {
    match value.get_ref() {
        DeValue::String(_) => reader.string(name, value).map(Json::String),
        DeValue::Integer(number) => {
            let read = i64::from_str_radix(number.as_str(), number.radix()).ok();
            if read.is_none() {
                reader.wrong(value.span().start, format!("`{name}`: the number is too large"));
            }
            read.map(Json::from)
        }
        DeValue::Float(number) => {
            let read = number.as_str().parse::<f64>().ok().and_then(serde_json::Number::from_f64);
            if read.is_none() {
                reader.wrong(value.span().start, format!("`{name}`: it is no number of JSON"));
            }
            read.map(Json::Number)
        }
        DeValue::Boolean(value) => Some(Json::Bool(*value)),
        DeValue::Array(items) => {
            let items = items.iter().filter_map(|item| json(reader, name, item));
            Some(Json::Array(items.collect()))
        }
        DeValue::Table(_) => Some(Json::Object(config(reader, name, value).0)),
        DeValue::Datetime(_) => {
            reader.wrong(value.span().start, format!("`{name}`: a time is written as a string"));
            None
        }
    }
}

/// Only the names: values may be secrets.
impl fmt::Debug for ConfigValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
