//! The answer of a webhook: session variables, and the time until which they hold.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde_json_bytes::Value as Json;

use super::error::SessionError;
use super::variables::SessionVariables;

/// A session of a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HookAnswer {
    pub(super) variables: SessionVariables,
    /// How long the session holds, if the webhook says it.
    pub(super) lifetime: Option<Duration>,
}

impl HookAnswer {
    /// Reads an answer by its status and its body.
    pub(super) fn read(status: u16, body: &Bytes, now: SystemTime) -> Result<Self, SessionError> {
        match status {
            200 => {}
            401 => return Err(SessionError::HookRefused),
            _ => return Err(wrong("")),
        }
        let Ok(Json::Object(members)) = serde_json::from_slice(body) else {
            return Err(wrong("it is no JSON object"));
        };
        let mut variables = SessionVariables::default();
        for (name, value) in &members {
            let added = variables.add(name.as_str(), value);
            added.map_err(|_| wrong(&format!("the value of {} is no text", name.as_str())))?;
        }
        let text = |name: &str| {
            let mut members = members.iter();
            let member = members.find(|(known, _)| known.as_str().eq_ignore_ascii_case(name));
            member.and_then(|(_, value)| value.as_str())
        };
        let lifetime = match (text("cache-control"), text("expires")) {
            (Some(value), _) => max_age(value),
            (None, Some(date)) => httpdate::parse_http_date(date)
                .ok()
                .map(|date| date.duration_since(now).unwrap_or(Duration::ZERO)),
            (None, None) => None,
        };
        match variables.role() {
            Some(_) => Ok(Self { variables, lifetime }),
            None => Err(SessionError::HookRoleMissing),
        }
    }
}

fn wrong(reason: &str) -> SessionError {
    SessionError::HookAnswer(reason.into())
}

/// The seconds of `max-age` or `s-maxage`.
fn max_age(value: &str) -> Option<Duration> {
    value.split(',').find_map(|directive| {
        let (name, seconds) = directive.trim().split_once('=')?;
        let is_age = name.eq_ignore_ascii_case("max-age") || name.eq_ignore_ascii_case("s-maxage");
        is_age.then(|| seconds.trim_matches('"').parse().ok())?.map(Duration::from_secs)
    })
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::json;

    use super::*;

    fn read(status: u16, body: &str) -> Result<HookAnswer, SessionError> {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777 - 600);
        HookAnswer::read(status, &Bytes::copy_from_slice(body.as_bytes()), now)
    }

    #[test]
    fn an_answer_has_variables_and_a_lifetime() {
        let check = |further: (&str, &str), lifetime: Option<u64>| {
            let mut body = json!({ "X-Hasura-Role": "user", "X-Hasura-User-Id": 7 });
            body[further.0] = Json::from(further.1);
            let answer = read(200, &body.to_string()).unwrap();
            assert_eq!(answer.variables.role(), Some("user"));
            assert_eq!(answer.variables.get("x-hasura-user-id"), Some("7"));
            assert_eq!(answer.lifetime, lifetime.map(Duration::from_secs), "{further:?}");
        };
        check(("Other", "a"), None);
        check(("Cache-Control", "max-age=600"), Some(600));
        check(("cache-control", "private, s-maxage=\"5\""), Some(5));
        check(("Cache-Control", "no-cache"), None);
        check(("Cache-Control", "max-age=x"), None);
        check(("Expires", "Sun, 06 Nov 1994 08:49:37 GMT"), Some(600));
        check(("Expires", "Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        check(("Expires", "soon"), None);
    }

    #[test]
    fn what_is_no_session_is_an_error() {
        let check = |status: u16, body: &str, expected: SessionError| {
            assert_eq!(read(status, body), Err(expected), "{status} {body}");
        };
        let good = r#"{"x-hasura-role":"a"}"#;
        assert!(read(200, good).is_ok());
        check(401, good, SessionError::HookRefused);
        for status in [201, 204, 403, 404, 500] {
            check(status, good, wrong(""));
        }
        check(200, "", wrong("it is no JSON object"));
        check(200, "[]", wrong("it is no JSON object"));
        check(200, "{}", SessionError::HookRoleMissing);
        check(200, r#"{"x-hasura-role":""}"#, SessionError::HookRoleMissing);
        let object = r#"{"x-hasura-role":"a","x-hasura-b":{}}"#;
        check(200, object, wrong("the value of x-hasura-b is no text"));
    }
}
