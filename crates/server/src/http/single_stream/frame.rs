//! The events of a stream: each names its operation.

use bytes::Bytes;
use serde_json::Value;

use crate::http::framed::framed;

/// The first bytes, and a sign of life: a comment.
pub(super) const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// An execution result of an operation.
pub(super) fn next(id: &str, result: Bytes) -> Bytes {
    let mut text = Vec::with_capacity(result.len() + id.len() + 48);
    text.extend_from_slice(b"event: next\ndata: {\"id\":");
    text.extend_from_slice(quoted(id).as_bytes());
    text.extend_from_slice(b",\"payload\":");
    // The text of stored JSON may have lines; each has a field of its own.
    for (place, line) in result.split(|byte| matches!(byte, b'\n' | b'\r')).enumerate() {
        if place > 0 {
            text.extend_from_slice(b"\ndata: ");
        }
        text.extend_from_slice(line);
    }
    text.extend_from_slice(b"}\n\n");
    framed(text, result)
}

/// The end of an operation.
pub(super) fn complete(id: &str) -> Bytes {
    ["event: complete\ndata: {\"id\":", &quoted(id), "}\n\n"].concat().into()
}

fn quoted(id: &str) -> String {
    Value::from(id).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_name_their_operation() {
        let check = |frame: Bytes, expected: &str| {
            assert_eq!(str::from_utf8(&frame).unwrap(), expected);
        };
        check(
            next("a\"b", Bytes::from_static(b"{\"data\":\n{}}")),
            "event: next\ndata: {\"id\":\"a\\\"b\",\"payload\":{\"data\":\ndata: {}}}\n\n",
        );
        check(complete("1"), "event: complete\ndata: {\"id\":\"1\"}\n\n");
    }
}
