//! Sends the messages of metrics and logs.

use std::io::Write;
use std::str::FromStr;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, StatusCode, Uri};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceResponse;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use percent_encoding::percent_decode_str;
use prost::Message;

use super::client::{Client, PATIENCE};
use crate::collector::OtlpError;
use crate::collector::{Signal, address};

const PROTOBUF: HeaderValue = HeaderValue::from_static("application/x-protobuf");
const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// Sends messages of one signal to its address.
#[derive(Debug)]
pub(super) struct Sender {
    client: Client,
    endpoint: Uri,
    headers: HeaderMap,
    compresses: bool,
}

/// The outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    /// Accepted, but for so many records.
    Accepted { rejected: u64 },
    /// The same message may succeed later.
    Unavailable,
    /// The same message would be refused again.
    Refused,
}

impl Sender {
    pub(super) fn new(signal: Signal, endpoint: &str) -> Result<Self, OtlpError> {
        let endpoint = address(endpoint)?;
        check_protocol(signal)?;
        let client = Client::new(signal, &endpoint, patience(signal)?)?;
        Ok(Self { client, endpoint, headers: headers(signal)?, compresses: compresses(signal)? })
    }

    pub(super) fn send(&self, message: &impl Message) -> Delivery {
        let Some(request) = self.request(message) else { return Delivery::Refused };
        let Ok(response) = self.client.post(request) else { return Delivery::Unavailable };
        match response.status() {
            status if status.is_success() => self.accepted(response.body()),
            // <https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes>
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => Delivery::Unavailable,
            _ => Delivery::Refused,
        }
    }

    /// Reads the number of rejected records. The response of metrics has the same form.
    fn accepted(&self, body: &[u8]) -> Delivery {
        let partial = ExportLogsServiceResponse::decode(body).ok();
        let partial = partial.and_then(|response| response.partial_success);
        let Some(partial) = partial else { return Delivery::Accepted { rejected: 0 } };
        let rejected = u64::try_from(partial.rejected_log_records).unwrap_or(0);
        if rejected > 0 {
            let message = &partial.error_message;
            self.client.log_failure(&format!("the collector rejects {rejected}: {message}"));
        }
        Delivery::Accepted { rejected }
    }

    fn request(&self, message: &impl Message) -> Option<Request<Bytes>> {
        let body = message.encode_to_vec();
        let body = match self.compresses {
            true => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(&body).ok()?;
                encoder.finish().ok()?
            }
            false => body,
        };
        let mut request = Request::post(self.endpoint.clone()).body(Bytes::from(body)).ok()?;
        request.headers_mut().extend(self.headers.clone());
        request.headers_mut().insert(CONTENT_TYPE, PROTOBUF);
        if self.compresses {
            request.headers_mut().insert(CONTENT_ENCODING, GZIP);
        }
        Some(request)
    }
}

fn wrong((variable, value): (String, String), expected: &'static str) -> OtlpError {
    OtlpError::Variable { variable, value, expected }
}

/// A number of milliseconds in a variable.
pub(crate) fn milliseconds(variable: (String, String)) -> Result<Duration, OtlpError> {
    match variable.1.parse() {
        Ok(milliseconds) if milliseconds > 0 => Ok(Duration::from_millis(milliseconds)),
        Ok(_) | Err(_) => Err(wrong(variable, "a number of milliseconds is wanted")),
    }
}

/// Checks the variables of a signal whose messages a library sends: it ignores wrong ones silently.
pub(crate) fn check(signal: Signal) -> Result<(), OtlpError> {
    check_protocol(signal)?;
    headers(signal)?;
    compresses(signal)?;
    Ok(())
}

/// Refuses other protocols: messages are sent as protobuf over HTTP.
fn check_protocol(signal: Signal) -> Result<(), OtlpError> {
    match signal.variable("PROTOCOL") {
        Some(variable) if variable.1 != "http/protobuf" => {
            Err(wrong(variable, "write `http/protobuf`, with the collector's port for HTTP"))
        }
        Some(_) | None => Ok(()),
    }
}

/// The time limit of a message.
pub(crate) fn patience(signal: Signal) -> Result<Duration, OtlpError> {
    signal.variable("TIMEOUT").map_or(Ok(PATIENCE), milliseconds)
}

fn compresses(signal: Signal) -> Result<bool, OtlpError> {
    match signal.variable("COMPRESSION") {
        None => Ok(false),
        Some((_, value)) if value == "none" => Ok(false),
        Some((_, value)) if value == "gzip" => Ok(true),
        Some(variable) => Err(wrong(variable, "write `gzip` or `none`")),
    }
}

/// Headers such as keys, as `name=value` with commas between them. An error does not show them.
fn headers(signal: Signal) -> Result<HeaderMap, OtlpError> {
    let mut headers = HeaderMap::new();
    let Some((variable, value)) = signal.variable("HEADERS") else { return Ok(headers) };
    for pair in value.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let Some((name, value)) = header(pair) else {
            let value = pair.split_once('=').map_or("…", |(name, _)| name).to_owned();
            return Err(wrong((variable, value), "write headers as NAME=VALUE,NAME=VALUE"));
        };
        headers.insert(name, value);
    }
    Ok(headers)
}

fn header(pair: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = pair.split_once('=')?;
    let value: Vec<u8> = percent_decode_str(value.trim()).collect();
    let mut value = HeaderValue::from_bytes(&value).ok()?;
    value.set_sensitive(true);
    Some((HeaderName::from_str(name.trim()).ok()?, value))
}

/// The scope of all records.
pub(super) fn scope() -> InstrumentationScope {
    let version = env!("CARGO_PKG_VERSION").into();
    InstrumentationScope { name: "thalweg".into(), version, ..InstrumentationScope::default() }
}

pub(super) fn text_attribute(key: &str, value: impl Into<String>) -> KeyValue {
    attribute(key, Value::StringValue(value.into()))
}

pub(super) fn attribute(key: &str, value: Value) -> KeyValue {
    let value = Some(AnyValue { value: Some(value) });
    KeyValue { key: key.into(), value, ..KeyValue::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_pairs() {
        let (name, value) = header(" x-key = a%20b ").unwrap();
        assert_eq!((name.as_str(), value.to_str().unwrap()), ("x-key", "a b"));
        assert!(value.is_sensitive());
        for pair in ["x-key", "=a", "x key=a", "x=%0a"] {
            assert!(header(pair).is_none(), "{pair}");
        }
    }
}
