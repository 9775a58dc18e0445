//! Counts of the used parts of a schema, by servers.

use std::time::{Duration, SystemTime};

use clients::GetError;
use clients::http::{Client, DownloadLimits, read_url};
use serde_json::Value as Json;
use supergraph::Coordinate;
use supergraph::changes::{Usage, WrittenSchema};

use crate::commands::block_on;
use crate::failure::Failure;
use crate::options::ChangesOptions;
use crate::usage::{Count, UsageFile};

/// Limits of a download: the counts of a schema of a million parts have about 200 bytes each.
const LIMITS: DownloadLimits =
    DownloadLimits { time_limit: Duration::from_secs(30), most_bytes: 256 << 20 };

/// The counts from which on a part is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Threshold {
    minimum: u64,
    /// Earlier uses do not count.
    since: Option<SystemTime>,
    /// Whether an option sets it.
    pub(super) is_given: bool,
}

impl Threshold {
    pub(super) fn new(options: &ChangesOptions) -> Result<Self, Failure> {
        let since = options.usage_period.map(|period| {
            let since = SystemTime::now().checked_sub(period.0);
            since.ok_or_else(|| Failure::Usage("`--usage-period` is too long".to_owned()))
        });
        Ok(Self {
            minimum: options.usage_minimum.map_or(1, Into::into),
            since: since.transpose()?,
            is_given: options.usage_minimum.is_some() || options.usage_period.is_some(),
        })
    }

    fn is_reached(&self, count: Count) -> bool {
        count.requests >= self.minimum && self.since.is_none_or(|since| count.last >= since)
    }
}

/// Adds the used parts.
pub(super) fn add(
    usage: &mut Usage,
    schema: &WrittenSchema,
    file: &UsageFile,
    threshold: &Threshold,
) -> Result<(), String> {
    for (kind, count) in &file.operations {
        if threshold.is_reached(*count) {
            usage.add_operation(*kind);
        }
    }
    for (place, (coordinate, count)) in file.coordinates.iter().enumerate() {
        let coordinate = coordinate.parse::<Coordinate>();
        let coordinate =
            coordinate.map_err(|error| format!("`coordinates`, entry {place}: {error}"))?;
        if threshold.is_reached(*count) {
            usage.add_coordinate(coordinate);
        }
    }
    for (name, count) in &file.variables {
        if threshold.is_reached(*count) {
            usage.add_variable_type(schema, name);
        }
    }
    Ok(())
}

/// Fetches the counts of a server.
pub(super) fn fetch(address: &str) -> Result<UsageFile, Failure> {
    let place = redact::address(address).to_string();
    let url =
        read_url(address).map_err(|error| Failure::other(wrong(&place, &error.to_string())))?;
    let failed = |error: GetError| Failure::other(wrong(&place, &error.to_string()));
    let fetched = block_on(async {
        let client = Client::new(&url).map_err(&failed)?;
        let answer = client.get_answer(&url, &[], None, LIMITS).await.map_err(&failed)?;
        answer.into_document().map_err(&failed)
    })?;
    let json = serde_json::from_slice(&fetched.body)
        .map_err(|error| Failure::other(wrong(&place, &format!("it is not JSON: {error}"))))?;
    parse(&place, &json)
}

pub(super) fn parse(place: &str, json: &Json) -> Result<UsageFile, Failure> {
    UsageFile::parse(json).map_err(|error| Failure::other(wrong(place, &error.to_string())))
}

/// The message of counts that cannot be used.
pub(super) fn wrong(place: &str, error: &str) -> CountsError {
    CountsError { place: place.into(), error: error.into() }
}

/// Counts that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the usage in {place}: {error}")]
pub(super) struct CountsError {
    place: Box<str>,
    error: Box<str>,
}
