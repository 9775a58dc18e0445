//! Multipart responses with `subscriptionSpec="1.0"`:
//! <https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol>.

use bytes::{Buf, Bytes, BytesMut};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::request::SubgraphError;
use super::source_event::SourceEvent;

/// Parser of a multipart body, up to a size of each part.
#[derive(Debug)]
pub(super) struct Multipart {
    most: u64,
    received: BytesMut,
    /// A line break with the boundary: <https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1>.
    delimiter: Box<[u8]>,
    /// Number of received bytes without a delimiter.
    scanned: usize,
    /// True if the first delimiter has come.
    has_begun: bool,
}

#[derive(Deserialize)]
struct Part<'p> {
    #[serde(borrow)]
    payload: Option<&'p RawValue>,
    #[serde(borrow)]
    errors: Option<&'p RawValue>,
}

impl Multipart {
    /// A body whose content type has this boundary.
    pub(super) fn new(boundary: &str, most: u64) -> Self {
        let delimiter = ["\r\n--", boundary].concat().into_bytes().into();
        // The first delimiter may have no line break before it.
        let received = BytesMut::from(&b"\r\n"[..]);
        Self { most, received, delimiter, scanned: 0, has_begun: false }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), SubgraphError> {
        self.received.extend_from_slice(bytes);
        // Several parts may come at once.
        if self.received.len() as u64 > self.most.saturating_add(bytes.len() as u64) {
            return Err(SubgraphError::TooLarge { most: self.most });
        }
        Ok(())
    }

    /// Returns the next event of the received bytes.
    pub(super) fn next(&mut self) -> Result<Option<SourceEvent>, SubgraphError> {
        while let Some(part) = self.part() {
            if part.starts_with(b"--") {
                return Ok(Some(SourceEvent::Complete));
            }
            if let Some(event) = event(&part)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Takes the text between two delimiters; the last delimiter is followed by `--`.
    fn part(&mut self) -> Option<Bytes> {
        loop {
            if self.has_begun && self.received.starts_with(b"--") {
                return Some(Bytes::from_static(b"--"));
            }
            let rest = self.received.get(self.scanned..).unwrap_or_default();
            let mut windows = rest.windows(self.delimiter.len());
            let Some(place) = windows.position(|window| *window == *self.delimiter) else {
                let kept = self.delimiter.len() - 1;
                self.scanned = self.received.len().saturating_sub(kept).max(self.scanned);
                return None;
            };
            let part = self.received.split_to(self.scanned + place).freeze();
            self.received.advance(self.delimiter.len());
            self.scanned = 0;
            if std::mem::replace(&mut self.has_begun, true) {
                return Some(part);
            }
        }
    }
}

/// The event of a part with its headers; `None` for a sign of life.
fn event(part: &Bytes) -> Result<Option<SourceEvent>, SubgraphError> {
    let invalid = || SubgraphError::NotGraphQl("a part is no response of a subscription".into());
    const BLANK: &[u8] = b"\r\n\r\n";
    // Without headers, the blank line follows the delimiter.
    let body = part.windows(BLANK.len()).position(|window| window == BLANK);
    let body = part.slice(body.ok_or_else(invalid)? + BLANK.len()..);
    let Part { payload, errors } = serde_json::from_slice(&body).map_err(|_| invalid())?;
    match (payload, errors) {
        (Some(payload), _) => {
            Ok(Some(SourceEvent::Response(body.slice_ref(payload.get().as_bytes()))))
        }
        (None, Some(errors)) => {
            let response = ["{\"errors\":", errors.get(), "}"].concat();
            Ok(Some(SourceEvent::Errors(response.into())))
        }
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[SourceEvent]) {
        for piece in [1, 2, 7, text.len()] {
            let mut body = Multipart::new("graphql", 1 << 20);
            let mut events = Vec::new();
            for piece in text.as_bytes().chunks(piece) {
                body.push(piece).unwrap();
                while let Some(event) = body.next().unwrap() {
                    let is_last = event == SourceEvent::Complete;
                    events.push(event);
                    if is_last {
                        break;
                    }
                }
            }
            events.dedup_by(|one, other| *one == SourceEvent::Complete && one == other);
            assert_eq!(events, expected, "{text:?} by {piece}");
        }
    }

    #[test]
    fn parts_are_events() {
        let head = "content-type: application/json\r\n\r\n";
        let text = format!(
            "--graphql\r\n{head}{{}}\r\n--graphql\r\n{head}{{\"payload\": {{\"data\":1}}}}\r\n\
             --graphql\r\n\r\n{{\"payload\":{{}}}}\r\n--graphql--\r\n"
        );
        let response = |text: &'static str| SourceEvent::Response(text.into());
        check(&text, &[response("{\"data\":1}"), response("{}"), SourceEvent::Complete]);
        let text =
            format!("\r\n--graphql\r\n{head}{{\"payload\":null,\"errors\":[{{}}]}}\r\n--graphql--");
        let errors = SourceEvent::Errors("{\"errors\":[{}]}".into());
        check(&text, &[errors, SourceEvent::Complete]);
    }

    #[test]
    fn a_part_that_is_none_is_an_error() {
        for part in ["", "a: b", "\r\n[]", "\r\n{"] {
            let mut body = Multipart::new("b", 1 << 20);
            body.push(format!("--b\r\n{part}\r\n--b").as_bytes()).unwrap();
            assert!(matches!(body.next(), Err(SubgraphError::NotGraphQl(_))), "{part}");
        }
    }
}
