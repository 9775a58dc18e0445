//! Settings of single events, which are in their rows: who may write them decides where requests go, so
//! they cannot name variables of the server's environment.

use std::time::Duration;

use hasura_metadata::location::Location;
use hasura_metadata::types::connection::TextOrEnv;
use hasura_metadata::types::webhook::{Header, HeaderValue};
use serde::Deserialize;
use serde_json::{Value, json};
use sources::event_log::{NewOneOffEvent, OneOffEvent};

use crate::definition::{Retries, TOLERANCE};
use crate::schedule::{now, parse_time};
use crate::webhook::Webhook;

/// The settings of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OneOff {
    pub(crate) webhook: Webhook,
    pub(crate) retries: Retries,
    pub(crate) is_late: bool,
}

/// A new single event, with its parts as texts of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    webhook: String,
    time: i64,
    retries: String,
    payload: String,
    headers: String,
    comment: Option<String>,
}

#[derive(Deserialize)]
struct RetrySettings {
    num_retries: Option<u32>,
    retry_interval_seconds: Option<f64>,
    timeout_seconds: Option<f64>,
    tolerance_seconds: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderSetting {
    name: String,
    value: Option<String>,
    value_from_env: Option<String>,
}

const NO_VARIABLES: &str =
    "single events cannot name variables of the server's environment; give the value itself";

impl OneOff {
    /// Reads the settings of a row. The error is a sentence.
    pub(crate) fn read(event: &OneOffEvent) -> Result<Self, String> {
        let address = match serde_json::from_str(&event.webhook) {
            Ok(Value::String(text)) if text.contains("{{") => return Err(NO_VARIABLES.into()),
            Ok(Value::String(text)) => TextOrEnv::Text(text),
            Ok(Value::Object(object)) if object.contains_key("from_env") => {
                return Err(NO_VARIABLES.into());
            }
            _ => return Err("webhook_conf is no text".into()),
        };
        let headers = read_headers(event.headers.as_deref())?;
        let webhook = Webhook::resolve(&address, &headers, &|_| None)?;
        let (retries, tolerance) = read_retries(event.retries.as_deref())?;
        let time = parse_time(&event.scheduled_time).unwrap_or(i64::MAX);
        let tolerance = i64::try_from(tolerance.as_micros()).unwrap_or(i64::MAX);
        let is_late = event.tries == 0 && time.saturating_add(tolerance) < now();
        Ok(Self { webhook, retries, is_late })
    }
}

fn read_headers(headers: Option<&str>) -> Result<Vec<Header>, String> {
    let Some(text) = headers else { return Ok(Vec::new()) };
    let settings: Option<Vec<HeaderSetting>> =
        serde_json::from_str(text).map_err(|error| format!("header_conf: {error}"))?;
    let headers = settings.unwrap_or_default().into_iter().map(|setting| match setting {
        HeaderSetting { name, value: Some(value), value_from_env: None } => {
            Ok(Header { place: Location::default(), name, value: HeaderValue::Text(value) })
        }
        HeaderSetting { value_from_env: Some(_), .. } => Err(NO_VARIABLES.to_owned()),
        HeaderSetting { name, .. } => Err(format!("the header {name:?} has no value")),
    });
    headers.collect()
}

fn read_retries(retries: Option<&str>) -> Result<(Retries, Duration), String> {
    let none = (Retries::SCHEDULED, TOLERANCE);
    let Some(text) = retries else { return Ok(none) };
    let settings: Option<RetrySettings> =
        serde_json::from_str(text).map_err(|error| format!("retry_conf: {error}"))?;
    let Some(settings) = settings else { return Ok(none) };
    let seconds = |setting: Option<f64>, usual| match setting {
        Some(number) => Duration::try_from_secs_f64(number)
            .map_err(|_| format!("retry_conf: {number} is no number of seconds")),
        None => Ok(usual),
    };
    let retries = Retries {
        most: settings.num_retries.unwrap_or(Retries::SCHEDULED.most),
        interval: seconds(settings.retry_interval_seconds, Retries::SCHEDULED.interval)?,
        timeout: seconds(settings.timeout_seconds, Retries::SCHEDULED.timeout)?,
    };
    Ok((retries, seconds(settings.tolerance_seconds, TOLERANCE)?))
}

impl NewEvent {
    /// Checks the parts of an event: an address, a moment as of RFC 3339, JSON, headers as
    /// `Name: value`. The error is a sentence.
    pub fn new(
        webhook: &str,
        time: &str,
        payload: Option<&str>,
        headers: &[String],
        retries: u32,
        comment: Option<&str>,
    ) -> Result<Self, String> {
        let time = parse_time(time).ok_or_else(|| {
            format!("{time:?} is no moment as of RFC 3339, as in 2030-01-31T08:00:00Z")
        })?;
        let payload = payload.unwrap_or("null");
        serde_json::from_str::<Value>(payload)
            .map_err(|error| format!("the payload is no JSON: {error}"))?;
        let headers = headers.iter().map(|header| match header.split_once(':') {
            Some((name, value)) => Ok(json!({ "name": name.trim(), "value": value.trim() })),
            None => Err(format!("{header:?} is no header, as in `Name: value`")),
        });
        let event = Self {
            webhook: webhook.to_owned(),
            time,
            retries: json!({ "num_retries": retries }).to_string(),
            payload: payload.to_owned(),
            headers: Value::Array(headers.collect::<Result<_, _>>()?).to_string(),
            comment: comment.map(str::to_owned),
        };
        event.check()?;
        Ok(event)
    }

    /// The event of a request of Hasura's metadata API. The error is a sentence.
    pub fn of_request(arguments: &Value) -> Result<Self, String> {
        let text = |key: &str| match arguments.get(key) {
            Some(Value::String(text)) => Ok(text.as_str()),
            Some(_) => Err(format!("the key {key:?} is no text")),
            None => Err(format!("key {key:?} not found")),
        };
        let webhook = arguments.get("webhook").ok_or("key \"webhook\" not found")?;
        let Value::String(webhook) = webhook else { return Err(NO_VARIABLES.to_owned()) };
        let time = text("schedule_at")?;
        let parsed = parse_time(time).ok_or_else(|| {
            format!("{time:?} is no moment as of RFC 3339, as in 2030-01-31T08:00:00Z")
        })?;
        let json = |key: &str| arguments.get(key).filter(|value| !value.is_null());
        let or_none = |key: &str| json(key).map_or_else(|| "null".to_owned(), Value::to_string);
        let comment = json("comment").map(|_| text("comment").map(str::to_owned)).transpose()?;
        let headers = json("headers").map_or_else(|| "[]".to_owned(), Value::to_string);
        let event = Self {
            webhook: webhook.clone(),
            time: parsed,
            retries: or_none("retry_conf"),
            payload: or_none("payload"),
            headers,
            comment,
        };
        event.check()?;
        Ok(event)
    }

    /// Reads the event as a server will read it.
    fn check(&self) -> Result<(), String> {
        OneOff::read(&OneOffEvent {
            id: String::new(),
            webhook: json!(self.webhook).to_string(),
            scheduled_time: String::new(),
            retries: Some(self.retries.clone()),
            payload: Some(self.payload.clone()),
            headers: Some(self.headers.clone()),
            comment: None,
            tries: 0,
            created_at: String::new(),
        })?;
        Ok(())
    }

    /// The event for the log.
    #[must_use]
    pub fn as_new(&self) -> NewOneOffEvent<'_> {
        NewOneOffEvent {
            webhook: &self.webhook,
            scheduled_time: self.time,
            retries: &self.retries,
            payload: &self.payload,
            headers: &self.headers,
            comment: self.comment.as_deref(),
        }
    }
}
