//! Streams of rows: a query that is executed again from the last row of each response, whenever rows
//! may have changed.
//!
//! A stream has a cohort of its own, since its position differs from those of all others. Each response
//! is sent with the position behind it, and the subscriber keeps the position of the last response
//! that it has taken: from there another engine continues.

use std::collections::VecDeque;

use bytes::Bytes;
use dialects::{POSITION, STREAMED};
use live::LiveQuery;
use serde_json::value::RawValue;
use serde_json_bytes::Value;
use source::operand::Resolved;
use tokio::sync::mpsc::{Receiver, Sender};

/// The execution of a stream.
#[derive(Debug)]
pub(crate) struct StreamExecution {
    /// Closed when the subscriber has left.
    pub(crate) batches: Sender<Batch>,
    pub(crate) position: Value,
    /// True if the first response is sent without rows, too.
    pub(crate) begins: bool,
    pub(crate) response_name: Box<str>,
}

/// A response of a stream.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) response: Bytes,
    /// The position of its last row; `None` without rows.
    pub(crate) position: Option<Value>,
    /// True if none follows.
    pub(crate) is_last: bool,
}

/// The responses of a stream.
#[derive(Debug)]
pub struct StreamResponses {
    batches: Receiver<Batch>,
    /// Responses of former executions, which come first.
    former: VecDeque<Batch>,
    /// The position of the last response that was taken.
    position: Value,
    /// True if that was the last one of all.
    has_ended: bool,
    /// The subscriber of the cohort.
    _query: LiveQuery,
}

impl StreamResponses {
    pub(crate) fn new(batches: Receiver<Batch>, position: Value, query: LiveQuery) -> Self {
        Self { batches, former: VecDeque::new(), position, has_ended: false, _query: query }
    }

    /// Waits for the next response; `None` at the end. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        if self.has_ended {
            return None;
        }
        let batch = match self.former.pop_front() {
            Some(batch) => batch,
            None => self.batches.recv().await?,
        };
        self.has_ended = batch.is_last;
        if let Some(position) = batch.position {
            self.position = position;
        }
        Some(batch.response)
    }

    /// Ends the execution. Returns the position behind the responses that are still to be taken.
    pub(crate) fn end_execution(&mut self) -> Value {
        self.batches.close();
        while let Ok(batch) = self.batches.try_recv() {
            self.former.push_back(batch);
        }
        let last = self.former.iter().rev().find_map(|batch| batch.position.clone());
        last.unwrap_or_else(|| self.position.clone())
    }

    /// Continues with another execution after the responses of this one.
    pub(crate) fn continue_with(&mut self, following: Self) {
        let former = std::mem::take(&mut self.former);
        let position = std::mem::take(&mut self.position);
        *self = Self { former, position, ..following };
    }
}

/// A response as it is sent, with the position of its last row; `None` for a response without data.
/// The stream may be within other objects, where names of types are the only fields beside it.
pub(crate) fn batch(response: &Bytes, response_name: &str) -> Option<Batch> {
    if !response.starts_with(b"{\"data\":{") {
        return None;
    }
    let start = format!("\"{response_name}\":{{\"{STREAMED}\":");
    let place = response.windows(start.len()).position(|part| part == start.as_bytes())?;
    let list = &response[place + start.len()..];
    let head = &response[..place + response_name.len() + "\"\":".len()];
    // No name of GraphQL has a space, and texts have no quotes.
    let mark = format!(",\"{POSITION}\":");
    let place = list.windows(mark.len()).rposition(|part| part == mark.as_bytes())?;
    let (list, rest) = (&list[..place], &list[place + mark.len()..]);
    let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<&RawValue>();
    let position = values.next()?.ok()?;
    let rest = rest.get(values.byte_offset()..)?.strip_prefix(b"}")?;
    let position = position_value(position.get());
    Some(Batch { response: [head, list, rest].concat().into(), position, is_last: false })
}

/// A position as the value of a variable; `None` for null. Numbers keep their digits.
fn position_value(json: &str) -> Option<Value> {
    match serde_json::from_str(json).ok()? {
        Value::Null => None,
        Value::Number(number) if number.is_i64() => Some(Value::Number(number)),
        Value::Number(_) => Some(json.into()),
        value => Some(value),
    }
}

/// The position that a request gives.
pub(crate) fn start(value: &Resolved<'_>) -> Value {
    match value {
        Resolved::Integer(number) => (*number).into(),
        Resolved::Boolean(value) => (*value).into(),
        value => value.text().map_or(Value::Null, |text| Value::from(&*text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_the_list_with_the_position_beside_it() {
        let check = |response: &str, expect: Option<(&str, Value)>| {
            let batch = batch(&Bytes::copy_from_slice(response.as_bytes()), "items");
            let found = batch
                .as_ref()
                .map(|batch| (std::str::from_utf8(&batch.response).unwrap(), &batch.position));
            let position = |value: &Value| Some(value.clone()).filter(|value| !value.is_null());
            let expect = expect.as_ref().map(|(text, value)| (*text, position(value)));
            assert_eq!(found.map(|(text, value)| (text, value.clone())), expect);
        };
        check(
            r#"{"data":{"items":{"rows":[{"id":1},{"id":2}],"position of the last row":2}}}"#,
            Some((r#"{"data":{"items":[{"id":1},{"id":2}]}}"#, 2.into())),
        );
        check(
            r#"{"data":{"shop":{"__typename":"shop","items":{"rows":[{"id":1}],"position of the last row":1}}}}"#,
            Some((r#"{"data":{"shop":{"__typename":"shop","items":[{"id":1}]}}}"#, 1.into())),
        );
        check(
            r#"{"data":{"items":{"rows":[],"position of the last row":null}}}"#,
            Some((r#"{"data":{"items":[]}}"#, Value::Null)),
        );
        check(
            r#"{"data":{"items":{"rows":[{"a":",\"position of the last row\":1}"}],"position of the last row":1.50}},"errors":[{"message":"x"}]}"#,
            Some((
                r#"{"data":{"items":[{"a":",\"position of the last row\":1}"}]},"errors":[{"message":"x"}]}"#,
                "1.50".into(),
            )),
        );
        check(r#"{"data":null,"errors":[]}"#, None);
        check(r#"{"data":{"other":[]}}"#, None);
    }

    #[test]
    fn positions_keep_their_digits() {
        let check = |json: &str, expect: Value| assert_eq!(position_value(json), Some(expect));
        check("9223372036854775807", i64::MAX.into());
        check("0.1000000000000000000001", "0.1000000000000000000001".into());
        check("18446744073709551616", "18446744073709551616".into());
        check("\"2024-01-01T00:00:00+00:00\"", "2024-01-01T00:00:00+00:00".into());
        assert_eq!(position_value("null"), None);
        assert_eq!(start(&Resolved::Number("1.50".into())), Value::from("1.50"));
        assert_eq!(start(&Resolved::Null), Value::Null);
    }
}
