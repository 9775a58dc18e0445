//! Session variables: texts whose names begin with `x-hasura-`, in lower case.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use engine::session::{Pair, Sessions};
use engine::{Claims, Session};
use hyper::header::HeaderMap;
use serde_json_bytes::{ByteString, Map, Value as Json};

use super::error::SessionError;
use super::secret;
use crate::options::boolean;

/// The beginning of the names.
const PREFIX: &str = "x-hasura-";

/// The role of a session.
pub(in crate::http) const ROLE: &str = "x-hasura-role";

/// Whether permissions that are for backends only apply: `true` in sessions that have the right to them.
const BACKEND_ONLY: &str = "x-hasura-use-backend-only-permissions";

/// The role that has every permission.
pub(in crate::http) const ADMIN: &str = "admin";

/// The size limit of a value from a header.
const MOST_HEADER_BYTES: usize = 8 << 10;

/// The variables of a session.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct SessionVariables(BTreeMap<Box<str>, Box<str>>);

/// Whether a session may have the permissions that are for backends only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackendOnly {
    /// If it asks for them.
    Allowed,
    Denied,
}

impl SessionVariables {
    /// The variables in the headers of a request, without the admin secret.
    pub(super) fn from_headers(headers: &HeaderMap) -> Result<Self, SessionError> {
        let mut variables = BTreeMap::new();
        for (name, value) in headers {
            if !name.as_str().starts_with(PREFIX) || secret::HEADERS.contains(&name.as_str()) {
                continue;
            }
            let text = Some(value).filter(|value| value.len() <= MOST_HEADER_BYTES);
            let text = text.and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
            let text = text.filter(|text| !text.chars().any(char::is_control));
            let before = text.and_then(|text| {
                (!variables.contains_key(name.as_str()))
                    .then(|| variables.insert(name.as_str().into(), text.into()))
            });
            if before.is_none() {
                return Err(SessionError::Header(name.clone()));
            }
        }
        Ok(Self(variables))
    }

    /// Adds a variable of a token or a webhook, unless its name is that of something else. The error is
    /// that the value has no text.
    pub(super) fn add(&mut self, name: &str, value: &Json) -> Result<(), NoText> {
        let name = name.to_ascii_lowercase();
        if !name.starts_with(PREFIX) || secret::HEADERS.contains(&name.as_str()) {
            return Ok(());
        }
        let text = text(value).filter(|text| !text.contains('\0')).ok_or(NoText)?;
        self.0.insert(name.into(), text.into());
        Ok(())
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| &**value)
    }

    /// The role that they name.
    pub(super) fn role(&self) -> Option<&str> {
        self.get(ROLE).filter(|role| !role.is_empty())
    }

    /// The session of a role with these variables.
    pub(super) fn into_session(
        mut self,
        role: &str,
        backend_only: BackendOnly,
        settings: Vec<Pair>,
    ) -> Result<Session, SessionError> {
        let asked = self.0.remove(BACKEND_ONLY);
        if backend_only == BackendOnly::Allowed
            && let Some(asked) = asked
            && boolean(&asked).ok_or(SessionError::BackendOnly)?
        {
            self.0.insert(BACKEND_ONLY.into(), "true".into());
        }
        self.0.insert(ROLE.into(), role.into());
        let member = |(name, value): (Box<str>, Box<str>)| {
            (ByteString::from(String::from(name)), Json::from(String::from(value)))
        };
        let claims: Map<ByteString, Json> = self.0.into_iter().map(member).collect();
        Ok(Sessions::with_claims(Claims::new(Json::Object(claims)), settings))
    }
}

/// The role of a session.
pub(super) fn role_of(session: &Session) -> Option<&str> {
    session.claims.as_ref()?.get(ROLE)?.as_str()
}

/// A value that has no text: an object or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoText;

/// A value as the text of a variable. A list is an array literal of PostgreSQL, which permissions
/// compare with `_in`.
fn text(value: &Json) -> Option<Cow<'_, str>> {
    match value {
        Json::String(text) => Some(text.as_str().into()),
        Json::Number(number) => Some(number.to_string().into()),
        Json::Bool(value) => Some(if *value { "true" } else { "false" }.into()),
        Json::Array(items) => {
            let mut literal = String::from("{");
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    literal.push(',');
                }
                match item {
                    Json::Null => literal.push_str("NULL"),
                    Json::Array(_) => literal.push_str(&text(item)?),
                    Json::String(_) | Json::Number(_) | Json::Bool(_) | Json::Object(_) => {
                        push_element(&mut literal, &text(item)?);
                    }
                }
            }
            literal.push('}');
            Some(literal.into())
        }
        Json::Null | Json::Object(_) => None,
    }
}

/// Appends an element of an array literal, in quotes where it needs them:
/// <https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO>.
fn push_element(literal: &mut String, text: &str) {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | ':' | '/');
    if !text.is_empty() && text.chars().all(is_plain) && !text.eq_ignore_ascii_case("null") {
        literal.push_str(text);
        return;
    }
    literal.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            literal.push('\\');
        }
        literal.push(c);
    }
    literal.push('"');
}

/// Values must not reach a log.
impl fmt::Debug for SessionVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};
    use serde_json_bytes::json;

    use super::*;

    fn of_headers(headers: &[(&'static str, &[u8])]) -> Result<SessionVariables, SessionError> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_bytes(value).unwrap());
        }
        SessionVariables::from_headers(&map)
    }

    fn claims(session: &Session) -> Json {
        session.claims.as_ref().unwrap().all().clone()
    }

    #[test]
    fn headers_become_variables_but_for_the_secret() {
        let variables = of_headers(&[
            ("x-hasura-role", b"editor"),
            ("x-hasura-user-id", "ä7".as_bytes()),
            ("x-hasura-admin-secret", b"hidden"),
            ("x-hasura-access-key", b"hidden"),
            ("authorization", b"hidden"),
        ]);
        let variables = variables.unwrap();
        assert_eq!(format!("{variables:?}"), r#"{"x-hasura-role", "x-hasura-user-id"}"#);
        let session = variables.into_session("editor", BackendOnly::Denied, Vec::new()).unwrap();
        assert_eq!(
            claims(&session),
            json!({ "x-hasura-role": "editor", "x-hasura-user-id": "ä7" })
        );
        assert_eq!(role_of(&session), Some("editor"));
        assert!(session.settings.is_none());
    }

    #[test]
    fn a_header_is_one_short_text() {
        let refused = |headers: &[(&'static str, &[u8])]| {
            let name = HeaderName::from_static("x-hasura-a");
            assert_eq!(of_headers(headers), Err(SessionError::Header(name)));
        };
        refused(&[("x-hasura-a", b"1"), ("x-hasura-a", b"2")]);
        refused(&[("x-hasura-a", b"\xff")]);
        refused(&[("x-hasura-a", b"a\tb")]);
        refused(&[("x-hasura-a", &[b'a'; MOST_HEADER_BYTES + 1])]);
        assert!(of_headers(&[("x-other", b"\xff")]).is_ok());
    }

    #[test]
    fn permissions_of_backends_are_for_those_who_may_ask_for_them() {
        let check = |asked: &'static [u8], may, expected: Result<bool, SessionError>| {
            let variables = of_headers(&[("x-hasura-use-backend-only-permissions", asked)]);
            let session = variables.unwrap().into_session("a", may, Vec::new());
            let found = session.map(|session| {
                session.claims.as_ref().unwrap().get(BACKEND_ONLY) == Some(&json!("true"))
            });
            assert_eq!(found, expected);
        };
        check(b"true", BackendOnly::Allowed, Ok(true));
        check(b"YES", BackendOnly::Allowed, Ok(true));
        check(b"f", BackendOnly::Allowed, Ok(false));
        check(b"1", BackendOnly::Allowed, Err(SessionError::BackendOnly));
        check(b"true", BackendOnly::Denied, Ok(false));
        check(b"1", BackendOnly::Denied, Ok(false));
    }

    #[test]
    fn values_are_texts_and_lists_are_literals() {
        let check = |value: Json, expected: Option<&str>| {
            let mut variables = SessionVariables::default();
            let added = variables.add("X-Hasura-A", &value);
            assert_eq!(added.is_ok(), expected.is_some(), "{value}");
            assert_eq!(variables.get("x-hasura-a"), expected, "{value}");
        };
        check(json!("7"), Some("7"));
        check(json!(7), Some("7"));
        check(json!(1.5), Some("1.5"));
        check(json!(true), Some("true"));
        check(json!([]), Some("{}"));
        check(json!([1, "b", true, null]), Some("{1,b,true,NULL}"));
        check(
            json!(["", "null", "a,b", "\"\\", "{x}", "a b"]),
            Some(r#"{"","null","a,b","\"\\","{x}","a b"}"#),
        );
        check(json!([[1, 2], [3, 4]]), Some("{{1,2},{3,4}}"));
        check(json!(null), None);
        check(json!({ "a": 1 }), None);
        check(json!([{ "a": 1 }]), None);
        check(json!("a\u{0}"), None);
        let mut variables = SessionVariables::default();
        variables.add("cache-control", &json!({})).unwrap();
        variables.add("X-Hasura-Admin-Secret", &json!("a")).unwrap();
        assert_eq!(variables, SessionVariables::default());
    }
}
