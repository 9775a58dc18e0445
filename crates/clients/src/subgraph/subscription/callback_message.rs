//! Messages of the protocol `callback/1.0`, and the part of a request that begins a subscription.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::message::{Invalid, errors_of};

/// A message of a subgraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallbackMessage<'m> {
    pub(super) id: Cow<'m, str>,
    pub(super) verifier: Cow<'m, str>,
    pub(super) action: Action,
}

/// The type of a message, with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// A sign of life.
    Check,
    /// A response.
    Next(Bytes),
    /// The end; a response with the errors, if there are any.
    Complete(Option<Bytes>),
}

#[derive(Deserialize)]
struct Written<'m> {
    #[serde(borrow)]
    kind: Cow<'m, str>,
    #[serde(borrow)]
    action: Cow<'m, str>,
    #[serde(borrow)]
    id: Cow<'m, str>,
    #[serde(borrow)]
    verifier: Cow<'m, str>,
    #[serde(borrow)]
    payload: Option<&'m RawValue>,
    #[serde(borrow)]
    errors: Option<&'m RawValue>,
}

impl<'m> CallbackMessage<'m> {
    /// Parses a message; the text of a response shares its memory.
    pub(super) fn parse(text: &'m Bytes) -> Result<Self, Invalid> {
        let written: Written<'_> = serde_json::from_slice(text).map_err(|_| Invalid)?;
        let Written { kind, action, id, verifier, payload, errors } = written;
        let shared = |value: &RawValue| text.slice_ref(value.get().as_bytes());
        let action = match (&*kind, &*action) {
            ("subscription", "check") => Action::Check,
            ("subscription", "next") => Action::Next(payload.map(shared).ok_or(Invalid)?),
            ("subscription", "complete") => {
                let errors = errors.filter(|errors| !is_empty(errors));
                let response = errors.map(|errors| errors_of(errors.get().as_bytes())).transpose();
                Action::Complete(response?)
            }
            _ => return Err(Invalid),
        };
        Ok(Self { id, verifier, action })
    }
}

/// Returns true for the errors of a subscription that has not failed.
fn is_empty(errors: &RawValue) -> bool {
    let errors: Result<Option<Vec<IgnoredAny>>, _> = serde_json::from_str(errors.get());
    errors.is_ok_and(|errors| errors.is_none_or(|errors| errors.is_empty()))
}

/// The body of the request that begins a subscription: that of a GraphQL request, a non-empty object
/// without extensions, with the callback.
pub(super) fn with_callback(
    body: &Bytes,
    (url, id, verifier): (&str, &str, &str),
    heartbeat: Duration,
) -> Bytes {
    let milliseconds = u64::try_from(heartbeat.as_millis()).unwrap_or(u64::MAX);
    let callback = serde_json::json!({ "subscription": {
        "callbackUrl": format!("{}/{id}", url.trim_end_matches('/')),
        "subscriptionId": id,
        "verifier": verifier,
        "heartbeatIntervalMs": milliseconds
    } });
    let members = body.trim_ascii_end().strip_suffix(b"}").unwrap_or(body);
    [members, b",\"extensions\":", callback.to_string().as_bytes(), b"}"].concat().into()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(more: &str, expected: &Result<Action, Invalid>) {
        let text =
            [r#"{"kind":"subscription","id":"i","verifier":"v","#, more, "}"].concat().into();
        let message = CallbackMessage::parse(&text);
        assert_eq!(message.map(|message| message.action), *expected, "{more}");
    }

    #[test]
    fn messages_are_parsed() {
        check(r#""action":"check""#, &Ok(Action::Check));
        let response = Bytes::from_static(br#"{ "data": 1.10 }"#);
        check(r#""action":"next","payload":{ "data": 1.10 }"#, &Ok(Action::Next(response)));
        check(r#""action":"next""#, &Err(Invalid));
        for nothing in ["", r#","errors":[]"#, r#","errors":[ ]"#, r#","errors":null"#] {
            let text = [r#""action":"complete""#, nothing].concat();
            check(&text, &Ok(Action::Complete(None)));
        }
        let errors = Bytes::from_static(br#"{"errors":[{"message":"no"}]}"#);
        check(
            r#""action":"complete","errors":[{"message":"no"}]"#,
            &Ok(Action::Complete(Some(errors))),
        );
        check(r#""action":"heartbeat""#, &Err(Invalid));
        let wrong = Bytes::from_static(br#"{"kind":"x","action":"check","id":"","verifier":""}"#);
        assert_eq!(CallbackMessage::parse(&wrong), Err(Invalid));
        assert_eq!(CallbackMessage::parse(&Bytes::from_static(b"[]")), Err(Invalid));
    }

    #[test]
    fn a_request_has_the_callback() {
        let body =
            Bytes::from_static(b"{\"query\":\"subscription { a }\",\"variables\":{\"n\":1.10}} ");
        let url = "http://gateway:4000/callback/";
        let extended = with_callback(&body, (url, "i", "v"), Duration::from_secs(5));
        let request: Value = serde_json::from_slice(&extended).unwrap();
        let expected = json!({ "subscription": {
            "callbackUrl": "http://gateway:4000/callback/i",
            "subscriptionId": "i",
            "verifier": "v",
            "heartbeatIntervalMs": 5000
        } });
        assert_eq!(request["extensions"], expected);
        assert!(
            extended.starts_with(b"{\"query\":\"subscription { a }\",\"variables\":{\"n\":1.10}")
        );
    }
}
