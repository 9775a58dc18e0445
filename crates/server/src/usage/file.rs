//! Counts of used parts as JSON.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::usage::{Part, Totals, Usage, UsageCounts};
use graphql::operation::OperationKind;
use serde_json::{Map, Value as Json, json};

/// The `format` and `version` of the document.
const FORMAT: &str = "thalweg-usage";
const VERSION: u64 = 1;

/// Stands for clients that send no name.
const UNNAMED: &str = "(unnamed)";

/// Counts that were read from JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsageFile {
    pub(crate) operations: Vec<(OperationKind, Count)>,
    /// By schema coordinate.
    pub(crate) coordinates: Vec<(Box<str>, Count)>,
    /// By the name of the type.
    pub(crate) variables: Vec<(Box<str>, Count)>,
}

/// How often and when something was used last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) requests: u64,
    pub(crate) last: SystemTime,
}

/// The reason why counts cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UsageFileError {
    #[error("version {VERSION} of the format \"{FORMAT}\" is wanted")]
    Version,
    #[error("`{list}` is not a list")]
    List { list: &'static str },
    #[error("`{list}`, entry {place}: `{member}` {wanted}")]
    Entry { list: &'static str, place: usize, member: &'static str, wanted: &'static str },
}

/// Prints the counts since a time.
pub(crate) fn print(usage: &Usage, since: SystemTime) -> String {
    let counts = usage.counts();
    let operations = counts.operations.iter().map(|(key, totals)| {
        let mut entry = Map::new();
        if let Some(name) = &key.name {
            entry.insert("name".into(), json!(name));
        }
        entry.insert("kind".into(), json!(kind_name(key.kind)));
        counted(entry, &counts, *totals)
    });
    let named = |member: &str, name: &str| Map::from_iter([(member.to_owned(), json!(name))]);
    let (mut coordinates, mut variables) = (Vec::new(), Vec::new());
    for (part, totals) in &counts.parts {
        match &**part {
            Part::Coordinate(name) => {
                coordinates.push(counted(named("coordinate", name), &counts, *totals));
            }
            Part::VariableType(name) => {
                variables.push(counted(named("type", name), &counts, *totals));
            }
        }
    }
    let document = json!({
        "format": FORMAT,
        "version": VERSION,
        "since": time(since),
        "until": time(SystemTime::now()),
        "operations": operations.collect::<Vec<_>>(),
        "coordinates": coordinates,
        "variables": variables,
    });
    let mut text = format!("{document:#}");
    text.push('\n');
    text
}

fn counted(mut entry: Map<String, Json>, counts: &UsageCounts, totals: Totals) -> Json {
    let second = |seconds| time(UNIX_EPOCH + Duration::from_secs(seconds));
    let clients: Vec<&str> = counts.clients(totals).map(|name| name.unwrap_or(UNNAMED)).collect();
    entry.insert("requests".into(), json!(totals.requests));
    entry.insert("first".into(), json!(second(totals.first)));
    entry.insert("last".into(), json!(second(totals.last)));
    entry.insert("clients".into(), json!(clients));
    Json::Object(entry)
}

fn time(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

fn kind_name(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Query => "query",
        OperationKind::Mutation => "mutation",
        OperationKind::Subscription => "subscription",
    }
}

impl UsageFile {
    /// Whether JSON is such a document, valid or not.
    pub(crate) fn is_format(json: &Json) -> bool {
        json.get("format").and_then(Json::as_str) == Some(FORMAT)
    }

    pub(crate) fn parse(json: &Json) -> Result<Self, UsageFileError> {
        if !Self::is_format(json) || json.get("version").and_then(Json::as_u64) != Some(VERSION) {
            return Err(UsageFileError::Version);
        }
        let kinds = [OperationKind::Query, OperationKind::Mutation, OperationKind::Subscription];
        let operations = entries(json, "operations", "kind")?.into_iter().enumerate();
        let operations = operations.map(|(place, (name, count))| {
            let kind = kinds.into_iter().find(|kind| kind_name(*kind) == &*name);
            let wanted = "must be `query`, `mutation` or `subscription`";
            let wrong = UsageFileError::Entry { list: "operations", place, member: "kind", wanted };
            Ok((kind.ok_or(wrong)?, count))
        });
        Ok(Self {
            operations: operations.collect::<Result<_, UsageFileError>>()?,
            coordinates: entries(json, "coordinates", "coordinate")?,
            variables: entries(json, "variables", "type")?,
        })
    }
}

/// The entries of a list, each with the text of a member and its count.
fn entries(
    json: &Json,
    list: &'static str,
    name: &'static str,
) -> Result<Vec<(Box<str>, Count)>, UsageFileError> {
    let Some(Json::Array(entries)) = json.get(list) else {
        return Err(UsageFileError::List { list });
    };
    let entries = entries.iter().enumerate().map(|(place, entry)| {
        let wrong = |member, wanted| UsageFileError::Entry { list, place, member, wanted };
        let text = |member| entry.get(member).and_then(Json::as_str);
        let name = text(name).ok_or_else(|| wrong(name, "must be a string"))?;
        let requests = entry.get("requests").and_then(Json::as_u64);
        let requests = requests.ok_or_else(|| wrong("requests", "must be a number"))?;
        let last = text("last").and_then(|last| humantime::parse_rfc3339(last).ok());
        let last =
            last.ok_or_else(|| wrong("last", "must be a time, such as `2026-11-29T08:00:00Z`"))?;
        Ok((name.into(), Count { requests, last }))
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Json {
        let counts = json!({
            "requests": 3, "first": "2026-11-01T00:00:00Z", "last": "2026-11-02T03:04:05Z",
            "clients": ["web"],
        });
        let entry = |member: &str, name: &str| {
            let mut entry = counts.clone();
            entry[member] = json!(name);
            entry
        };
        json!({
            "format": "thalweg-usage",
            "version": 1,
            "operations": [entry("kind", "query")],
            "coordinates": [entry("coordinate", "Query.a")],
            "variables": [entry("type", "AInput")],
        })
    }

    #[test]
    fn counts_are_read() {
        let last = humantime::parse_rfc3339("2026-11-02T03:04:05Z").unwrap();
        let count = Count { requests: 3, last };
        assert_eq!(
            UsageFile::parse(&file()),
            Ok(UsageFile {
                operations: vec![(OperationKind::Query, count)],
                coordinates: vec![("Query.a".into(), count)],
                variables: vec![("AInput".into(), count)],
            })
        );
    }

    #[test]
    fn a_wrong_document_is_refused_with_the_place() {
        let check = |pointer: &str, value: Json, expected: &str| {
            let mut file = file();
            *file.pointer_mut(pointer).unwrap() = value;
            let error = UsageFile::parse(&file).unwrap_err();
            assert_eq!(error.to_string(), expected, "{pointer}");
        };
        let version = "version 1 of the format \"thalweg-usage\" is wanted";
        check("/version", json!(2), version);
        check("/format", json!("x"), version);
        check("/variables", json!({}), "`variables` is not a list");
        check(
            "/coordinates/0/coordinate",
            json!(1),
            "`coordinates`, entry 0: `coordinate` must be a string",
        );
        check(
            "/operations/0/kind",
            json!("x"),
            "`operations`, entry 0: `kind` must be `query`, `mutation` or `subscription`",
        );
        check(
            "/variables/0/requests",
            json!(-1),
            "`variables`, entry 0: `requests` must be a number",
        );
        check(
            "/variables/0/last",
            json!("yesterday"),
            "`variables`, entry 0: `last` must be a time, such as `2026-11-29T08:00:00Z`",
        );
    }
}
