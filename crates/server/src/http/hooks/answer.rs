//! What a hook may answer: a JSON object with known members only.

use std::fmt;

use engine::{Kind, Response};
use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};
use serde_json_bytes::{ByteString, Map, Value as Json};

use crate::http::hook_refusal::HookRefusal;

/// The answer of the hook before an operation.
#[derive(Debug)]
pub(super) enum BeforeAnswer {
    Proceed(Changes),
    Refuse(HookRefusal),
    /// The response to the operation, which is not executed.
    Respond(Response),
}

/// The answer of the hook after an operation.
#[derive(Debug)]
pub(super) enum AfterAnswer {
    Proceed,
    Refuse(HookRefusal),
    /// Another response.
    Respond(Response),
}

/// Changes of a caller.
#[derive(Debug)]
pub(super) struct Changes {
    /// Headers with their new values; those without a value are removed.
    pub(super) headers: Vec<(HeaderName, Option<HeaderValue>)>,
    /// All claims from now on.
    pub(super) claims: Option<Map<ByteString, Json>>,
    pub(super) context: Json,
}

/// The reason why a hook is of no use, for the log.
#[derive(Debug)]
pub(super) struct HookFault(String);

impl HookFault {
    pub(super) fn of(fault: impl fmt::Display) -> Self {
        Self(fault.to_string())
    }
}

impl fmt::Display for HookFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl BeforeAnswer {
    pub(super) fn read(body: &[u8]) -> Result<Self, HookFault> {
        let mut members = members(body)?;
        let answer = match decision(&mut members)? {
            Some(Decision::Refuse(refusal)) => Self::Refuse(refusal),
            Some(Decision::Respond(response)) => Self::Respond(response),
            None => {
                let headers = match members.remove("headers") {
                    None => Vec::new(),
                    Some(Json::Object(headers)) => changed_headers(headers)?,
                    Some(_) => return Err(HookFault::of("\"headers\" is no object")),
                };
                let claims = match members.remove("claims") {
                    None => None,
                    Some(Json::Object(claims)) => Some(claims),
                    Some(_) => return Err(HookFault::of("\"claims\" is no object")),
                };
                let context = members.remove("context").unwrap_or_default();
                Self::Proceed(Changes { headers, claims, context })
            }
        };
        check_rest(&members).map(|()| answer)
    }
}

impl AfterAnswer {
    pub(super) fn read(body: &[u8]) -> Result<Self, HookFault> {
        let mut members = members(body)?;
        let answer = match decision(&mut members)? {
            Some(Decision::Refuse(refusal)) => Self::Refuse(refusal),
            Some(Decision::Respond(response)) => Self::Respond(response),
            None => Self::Proceed,
        };
        check_rest(&members).map(|()| answer)
    }
}

/// What ends an operation.
enum Decision {
    Refuse(HookRefusal),
    Respond(Response),
}

fn members(body: &[u8]) -> Result<Map<ByteString, Json>, HookFault> {
    match serde_json::from_slice(body) {
        Ok(Json::Object(members)) => Ok(members),
        Ok(_) => Err(HookFault::of("its answer is no JSON object")),
        Err(error) => Err(HookFault::of(format!("its answer is no JSON: {error}"))),
    }
}

fn decision(members: &mut Map<ByteString, Json>) -> Result<Option<Decision>, HookFault> {
    match (members.remove("refuse"), members.remove("response")) {
        (None, None) => Ok(None),
        (Some(Json::Object(refusal)), None) => refusal_of(refusal).map(Decision::Refuse).map(Some),
        (None, Some(response @ Json::Object(_))) => {
            let kind = match (response.get("data"), response.get("errors")) {
                (Some(_), _) => Kind::Executed,
                (None, Some(_)) => Kind::RequestError,
                (None, None) => {
                    return Err(HookFault::of("\"response\" has neither \"data\" nor \"errors\""));
                }
            };
            let body = response.to_string().into_bytes();
            Ok(Some(Decision::Respond(Response::given(kind, body))))
        }
        (Some(_), Some(_)) => Err(HookFault::of("it has both \"refuse\" and \"response\"")),
        (Some(_), None) => Err(HookFault::of("\"refuse\" is no object")),
        (None, Some(_)) => Err(HookFault::of("\"response\" is no object")),
    }
}

fn refusal_of(mut members: Map<ByteString, Json>) -> Result<HookRefusal, HookFault> {
    let status = match members.remove("status") {
        None => Some(StatusCode::FORBIDDEN),
        Some(status) => status
            .as_u64()
            .and_then(|status| u16::try_from(status).ok())
            .filter(|status| (400..600).contains(status))
            .and_then(|status| StatusCode::from_u16(status).ok()),
    };
    let status =
        status.ok_or_else(|| HookFault::of("\"status\" of \"refuse\" is not from 400 to 599"))?;
    let mut text = |name: &str| match members.remove(name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(Box::from(text.as_str()))),
        Some(_) => Err(HookFault::of(format!("\"{name}\" of \"refuse\" is no string"))),
    };
    let message = text("message")?;
    let code = text("code")?;
    check_rest(&members)?;
    let message = message.unwrap_or_else(|| "The operation is refused.".into());
    Ok(HookRefusal { status, message, code })
}

/// Headers with their new values.
fn changed_headers(
    headers: Map<ByteString, Json>,
) -> Result<Vec<(HeaderName, Option<HeaderValue>)>, HookFault> {
    let header = |(name, value): (ByteString, Json)| {
        let wrong = || HookFault::of(format!("\"headers\" has no valid \"{}\"", name.as_str()));
        let known = HeaderName::try_from(name.as_str()).map_err(|_| wrong())?;
        let value = match value {
            Json::Null => None,
            Json::String(text) => Some(HeaderValue::try_from(text.as_str()).map_err(|_| wrong())?),
            Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                return Err(wrong());
            }
        };
        Ok((known, value))
    };
    headers.into_iter().map(header).collect()
}

/// Refuses members that have no meaning: a hook that believes in them would be mistaken.
fn check_rest(members: &Map<ByteString, Json>) -> Result<(), HookFault> {
    match members.keys().next() {
        Some(name) => {
            let name = name.as_str();
            Err(HookFault::of(format!("its answer has the unknown member \"{name}\" here")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_known_members_only() {
        let before = |text: &str| {
            BeforeAnswer::read(text.as_bytes()).map(|_| ()).map_err(|fault| fault.to_string())
        };
        for text in [
            "{}",
            r#"{"headers":{"x-a":"b","x-c":null},"claims":{"sub":"1"},"context":[1]}"#,
            r#"{"refuse":{}}"#,
            r#"{"refuse":{"status":429,"message":"Later.","code":"LATER"}}"#,
            r#"{"response":{"data":null}}"#,
        ] {
            assert_eq!(before(text), Ok(()), "{text}");
        }
        for (text, wanted) in [
            ("", "its answer is no JSON"),
            ("[]", "its answer is no JSON object"),
            (r#"{"header":{}}"#, "the unknown member \"header\""),
            (r#"{"headers":[]}"#, "\"headers\" is no object"),
            (r#"{"headers":{"a b":"c"}}"#, "no valid \"a b\""),
            (r#"{"headers":{"a":"\n"}}"#, "no valid \"a\""),
            (r#"{"headers":{"a":7}}"#, "no valid \"a\""),
            (r#"{"claims":null}"#, "\"claims\" is no object"),
            (r#"{"refuse":{"status":200}}"#, "is not from 400 to 599"),
            (r#"{"refuse":{"status":"403"}}"#, "is not from 400 to 599"),
            (r#"{"refuse":{"message":7}}"#, "is no string"),
            (r#"{"refuse":{"why":""}}"#, "the unknown member \"why\""),
            (r#"{"refuse":{},"response":{}}"#, "both"),
            (r#"{"refuse":{},"claims":{}}"#, "the unknown member \"claims\""),
            (r#"{"response":{}}"#, "neither"),
        ] {
            let error = before(text).unwrap_err();
            assert!(error.contains(wanted), "{text}: {error}");
        }
        let after = AfterAnswer::read(br#"{"claims":{}}"#).unwrap_err().to_string();
        assert!(after.contains("the unknown member \"claims\""), "{after}");
    }
}
