//! The token in the payload of a socket's first message.

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json_bytes::{ByteString, Map, Value as Json};

/// The headers with the token of the payload, if it has one.
pub(super) fn with_token(
    mut headers: HeaderMap,
    header: &HeaderName,
    payload: &Map<ByteString, Json>,
) -> HeaderMap {
    let Some(token) = find(payload, header.as_str()) else { return headers };
    let token = match *header == AUTHORIZATION && !token.contains(' ') {
        true => HeaderValue::from_str(&["Bearer ", token].concat()),
        false => HeaderValue::from_str(token),
    };
    // A text that no header can have is a malformed token.
    let token = token.unwrap_or(HeaderValue::from_static("?"));
    headers.insert(header, token);
    headers
}

/// The token of a payload: a text that is not empty.
fn find<'p>(payload: &'p Map<ByteString, Json>, name: &str) -> Option<&'p str> {
    let within = |object: &'p Map<ByteString, Json>| {
        let mut members = object.iter();
        let member = members.find(|(key, _)| key.as_str().eq_ignore_ascii_case(name));
        member.and_then(|(_, value)| value.as_str()).map(str::trim).filter(|text| !text.is_empty())
    };
    within(payload).or_else(|| {
        let mut members = payload.iter();
        let headers = members.find(|(key, _)| key.as_str().eq_ignore_ascii_case("headers"));
        headers.and_then(|(_, value)| value.as_object()).and_then(within)
    })
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::json;

    use super::*;

    fn check(header: &'static str, payload: Json, expected: Option<&str>) {
        let header = HeaderName::from_static(header);
        let payload_text = payload.to_string();
        let Json::Object(payload) = payload else { panic!("no object") };
        let headers = with_token(HeaderMap::new(), &header, &payload);
        let token = headers.get(&header).map(|token| token.to_str().unwrap());
        assert_eq!(token, expected, "{payload_text}");
    }

    #[test]
    fn a_payload_has_the_token_by_the_name_of_its_header() {
        check("authorization", json!({"Authorization": "Bearer a.b.c"}), Some("Bearer a.b.c"));
        check("authorization", json!({"authorization": "a.b.c"}), Some("Bearer a.b.c"));
        check(
            "authorization",
            json!({"headers": {"AUTHORIZATION": "a.b.c"}}),
            Some("Bearer a.b.c"),
        );
        check("authorization", json!({"Authorization": "", "x-token": "a"}), None);
        check("authorization", json!({"Authorization": 7}), None);
        check("authorization", json!({"headers": "a"}), None);
        check("authorization", json!({"Authorization": "a\nb"}), Some("?"));
        check("authorization", json!({}), None);
        check("x-token", json!({"X-Token": "a.b.c"}), Some("a.b.c"));
        check("x-token", json!({"X-Token": "Bearer a.b.c"}), Some("Bearer a.b.c"));
        check("x-token", json!({"Authorization": "a.b.c"}), None);
    }

    #[test]
    fn a_token_of_the_payload_replaces_that_of_the_handshake() {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer old"));
        let Json::Object(payload) = json!({"Authorization": "new"}) else { panic!("no object") };
        let kept = with_token(headers.clone(), &AUTHORIZATION, &Map::new());
        assert_eq!(kept, headers);
        let replaced = with_token(headers, &AUTHORIZATION, &payload);
        assert_eq!(replaced.get(AUTHORIZATION).unwrap(), "Bearer new");
    }
}
