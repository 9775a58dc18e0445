//! Revisions of the protocol. Since 2026-07-28 each request has its version and the capabilities of its
//! client; before, a handshake agreed on them:
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning>.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hyper::StatusCode;
use hyper::header::HeaderMap;
use serde_json::json;
use serde_json_bytes::Value as Json;

use super::message::{Message, RpcError};

/// The revision without a handshake.
const STATELESS: &str = "2026-07-28";

/// Revisions with a handshake, the newest first.
const WITH_HANDSHAKE: [&str; 3] = ["2025-11-25", "2025-06-18", BATCHES];

/// The only revision with batches, and that of requests that name none.
const BATCHES: &str = "2025-03-26";

const VERSION_HEADER: &str = "mcp-protocol-version";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// A header differs from the body.
const HEADER_MISMATCH: i32 = -32020;
const UNSUPPORTED_VERSION: i32 = -32022;

/// The kind of revision that a request belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Revision {
    Stateless,
    Handshake,
}

/// All revisions, the newest first.
pub(super) fn supported() -> impl Iterator<Item = &'static str> {
    std::iter::once(STATELESS).chain(WITH_HANDSHAKE)
}

/// The revision that a handshake agrees on: the wanted one, or else the newest.
pub(super) fn agreed(wanted: &str) -> &'static str {
    let mut known = WITH_HANDSHAKE.into_iter();
    known.find(|own| *own == wanted).unwrap_or(WITH_HANDSHAKE[0])
}

/// Whether a request may be a batch.
pub(super) fn has_batches(headers: &HeaderMap) -> bool {
    header(headers, VERSION_HEADER).is_none_or(|version| version == BATCHES)
}

impl Revision {
    /// The revision of a request, whose headers must be those of its body.
    pub(super) fn of(message: &Message, headers: &HeaderMap) -> Result<Self, RpcError> {
        let in_header = header(headers, VERSION_HEADER);
        let in_body = message.meta(VERSION_KEY).map(|version| version.as_str().unwrap_or_default());
        let version = match (in_header, in_body) {
            (None, None) => return Ok(Self::Handshake),
            (Some(version), None) if version == STATELESS => {
                return Err(missing(VERSION_KEY));
            }
            (Some(version), None) => version,
            (in_header, Some(version)) if in_header == Some(version) => version,
            (_, Some(_)) => return Err(mismatch("MCP-Protocol-Version")),
        };
        if WITH_HANDSHAKE.contains(&version) {
            return Ok(Self::Handshake);
        }
        if version != STATELESS {
            let error = RpcError::new(
                StatusCode::BAD_REQUEST,
                UNSUPPORTED_VERSION,
                "Unsupported protocol version",
            );
            let supported: Vec<&str> = supported().collect();
            return Err(error.with_data(json!({ "supported": supported, "requested": version })));
        }
        if message.meta(CAPABILITIES_KEY).and_then(Json::as_object).is_none() {
            return Err(missing(CAPABILITIES_KEY));
        }
        if header(headers, METHOD_HEADER) != Some(&message.method) {
            return Err(mismatch("Mcp-Method"));
        }
        if message.method == "tools/call" {
            let name = message.params.get("name").and_then(Json::as_str);
            let in_header = header(headers, NAME_HEADER).and_then(decoded);
            if in_header.is_none() || in_header.as_deref() != name {
                return Err(mismatch("Mcp-Name"));
            }
        }
        Ok(Self::Stateless)
    }
}

/// A header that a request has once.
fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Some(value.to_str().unwrap_or_default()),
        (Some(_), Some(_)) => Some(""),
        (None, _) => None,
    }
}

/// A value of a header, which has Base64 if it is no plain text.
fn decoded(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|value| value.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

fn missing(key: &str) -> RpcError {
    let message = format!("`params._meta` must have \"{key}\".");
    RpcError::new(StatusCode::BAD_REQUEST, -32602, message)
}

fn mismatch(header: &str) -> RpcError {
    let message = format!("Header mismatch: `{header}` is missing, or is not what the body has.");
    RpcError::new(StatusCode::BAD_REQUEST, HEADER_MISMATCH, message)
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::json;

    use super::*;

    #[test]
    fn names_in_headers_may_be_encoded() {
        assert_eq!(decoded("album_list").as_deref(), Some("album_list"));
        assert_eq!(decoded("=?base64?w6Q=?=").as_deref(), Some("ä"));
        assert_eq!(decoded("=?base64?!?="), None);
    }

    #[test]
    fn a_revision_is_found_by_headers_and_body() {
        let check =
            |headers: &[(&'static str, &str)], meta: Json, expected: Result<Revision, i32>| {
                let message = Message {
                    method: "tools/call".into(),
                    params: json!({ "_meta": meta, "name": "a" }).as_object().unwrap().clone(),
                    id: None,
                };
                let headers = headers.iter().map(|(name, value)| {
                    (hyper::header::HeaderName::from_static(name), value.parse().unwrap())
                });
                let headers: HeaderMap = headers.collect();
                let found = Revision::of(&message, &headers);
                assert_eq!(found.map_err(|error| error.code()), expected, "{headers:?}");
            };
        let meta = |version: &str| json!({ VERSION_KEY: version, CAPABILITIES_KEY: {} });
        let (version, method, name) = (VERSION_HEADER, METHOD_HEADER, NAME_HEADER);
        let all = [(version, STATELESS), (method, "tools/call"), (name, "a")];
        check(&all, meta(STATELESS), Ok(Revision::Stateless));
        check(&all[..2], meta(STATELESS), Err(HEADER_MISMATCH));
        check(&[all[0], all[2]], meta(STATELESS), Err(HEADER_MISMATCH));
        check(&all[1..], meta(STATELESS), Err(HEADER_MISMATCH));
        check(&[all[0], all[1], (name, "b")], meta(STATELESS), Err(HEADER_MISMATCH));
        check(
            &[all[0], all[1], (name, "=?base64?YQ==?=")],
            meta(STATELESS),
            Ok(Revision::Stateless),
        );
        check(&[all[0], (method, "tools/list"), all[2]], meta(STATELESS), Err(HEADER_MISMATCH));
        // A header that is repeated says two things.
        check(&[all[0], all[0], all[1], all[2]], meta(STATELESS), Err(HEADER_MISMATCH));
        check(&all, json!({ VERSION_KEY: STATELESS }), Err(-32602));
        check(&all, json!({}), Err(-32602));
        check(&[(version, "2025-06-18")], json!({}), Ok(Revision::Handshake));
        check(&[], json!({}), Ok(Revision::Handshake));
        check(&[(version, "1900-01-01")], json!({}), Err(UNSUPPORTED_VERSION));
        check(&[(version, "1900-01-01")], meta("1900-01-01"), Err(UNSUPPORTED_VERSION));
        check(&[(version, "2025-06-18")], meta(STATELESS), Err(HEADER_MISMATCH));
    }

    #[test]
    fn a_handshake_agrees_on_the_wanted_revision_or_the_newest_with_one() {
        assert_eq!(agreed("2025-06-18"), "2025-06-18");
        assert_eq!(agreed("2024-11-05"), "2025-11-25");
        assert_eq!(agreed(STATELESS), "2025-11-25");
    }
}
