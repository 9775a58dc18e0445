//! The forms of a body with several responses: server-sent events and multipart.

use bytes::Bytes;
use hyper::Method;
use hyper::header::ACCEPT;

use crate::http::exchange::HttpRequest;
use crate::http::media_type::{name_and_value, split, thousandths};

/// The form of a body with several responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Format {
    /// Server-sent events, in the "distinct connections mode" of
    /// <https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md>.
    Events,
    /// <https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol>
    Multipart,
}

impl Format {
    /// The form that the client accepts by name: wildcards mean JSON.
    pub(in crate::http) fn accepted(request: &HttpRequest) -> Option<Self> {
        if *request.method() == Method::HEAD {
            return None;
        }
        let accept = request.headers().get_all(ACCEPT).iter();
        Self::negotiate(accept.filter_map(|header| header.to_str().ok()))
    }

    fn negotiate<'a>(accept: impl Iterator<Item = &'a str>) -> Option<Self> {
        let ranges = accept.flat_map(|header| split(header, ','));
        let accepted: Vec<Self> = ranges.filter_map(Self::named).collect();
        match accepted.contains(&Self::Events) {
            true => Some(Self::Events),
            false => accepted.first().copied(),
        }
    }

    /// The form that a range of `Accept` names.
    fn named(range: &str) -> Option<Self> {
        let mut parts = split(range, ';');
        let essence = parts.next()?.trim();
        let mut has_specification = false;
        for parameter in parts {
            match name_and_value(parameter) {
                Some(("q" | "Q", value)) if thousandths(value).is_none_or(|q| q == 0) => {
                    return None;
                }
                Some((name, "1.0")) if name.eq_ignore_ascii_case("subscriptionSpec") => {
                    has_specification = true;
                }
                Some(_) | None => {}
            }
        }
        if essence.eq_ignore_ascii_case("text/event-stream") {
            return Some(Self::Events);
        }
        let is_multipart = essence.eq_ignore_ascii_case("multipart/mixed");
        (is_multipart && has_specification).then_some(Self::Multipart)
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Events => "text/event-stream; charset=utf-8",
            Self::Multipart => "multipart/mixed;boundary=\"graphql\";subscriptionSpec=\"1.0\"",
        }
    }

    /// The first bytes: some browsers wait for them.
    pub(super) fn beginning(self) -> Bytes {
        Bytes::from_static(match self {
            Self::Events => b":\n\n",
            Self::Multipart => b"--graphql",
        })
    }

    /// A sign of life.
    pub(super) fn keep_alive(self) -> Bytes {
        match self {
            Self::Events => Bytes::from_static(b":\n\n"),
            Self::Multipart => part(&[b"{}"]).into(),
        }
    }

    /// An execution result.
    pub(super) fn next(self, result: &[u8]) -> Vec<u8> {
        match self {
            Self::Events => {
                let mut event = Vec::with_capacity(result.len() + 32);
                event.extend_from_slice(b"event: next\n");
                // The text of stored JSON may have lines; each has a field of its own.
                for line in result.split(|byte| matches!(byte, b'\n' | b'\r')) {
                    event.extend_from_slice(b"data: ");
                    event.extend_from_slice(line);
                    event.push(b'\n');
                }
                event.push(b'\n');
                event
            }
            Self::Multipart => part(&[b"{\"payload\":", result, b"}"]),
        }
    }

    /// The last bytes of an operation that ends by itself.
    pub(super) fn complete(self) -> &'static [u8] {
        match self {
            // Without data, browsers would ignore the event.
            Self::Events => b"event: complete\ndata:\n\n",
            Self::Multipart => b"--\r\n",
        }
    }

    /// The last bytes of an operation that fails, from the JSON text of a response without data.
    pub(super) fn end_with(self, response: &[u8]) -> Bytes {
        let mut bytes = match (self, response.strip_prefix(b"{")) {
            (Self::Multipart, Some(members)) => part(&[b"{\"payload\":null,", members]),
            (Self::Events | Self::Multipart, _) => self.next(response),
        };
        bytes.extend_from_slice(self.complete());
        bytes.into()
    }

    /// The whole body of an operation with one result.
    pub(super) fn single(self, result: &[u8]) -> Bytes {
        [&self.beginning(), &*self.next(result), self.complete()].concat().into()
    }

    /// The whole body of an operation that was not executed.
    pub(super) fn failed(self, response: &[u8]) -> Bytes {
        [self.beginning(), self.end_with(response)].concat().into()
    }
}

/// A part with its delimiter behind it, so that the client need not wait for the next one.
fn part(json: &[&[u8]]) -> Vec<u8> {
    let head: &[u8] = b"\r\ncontent-type: application/json\r\n\r\n";
    [&[head], json, &[b"\r\n--graphql"]].concat().concat()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn streams_are_accepted_by_name() {
        let check = |accept: &str, expected: Option<Format>| {
            assert_eq!(Format::negotiate([accept].into_iter()), expected, "{accept}");
        };
        check("text/event-stream", Some(Format::Events));
        check("application/json, Text/Event-Stream;q=0.5", Some(Format::Events));
        check("text/event-stream;q=0", None);
        check(
            "multipart/mixed;subscriptionSpec=\"1.0\", application/json",
            Some(Format::Multipart),
        );
        check("multipart/mixed;boundary=graphql;subscriptionSpec=1.0", Some(Format::Multipart));
        check("multipart/mixed;subscriptionSpec=1.0, text/event-stream", Some(Format::Events));
        check("multipart/mixed", None);
        check("multipart/mixed;deferSpec=20220824", None);
        check("text/*, */*", None);
        check("application/json", None);
    }

    #[test]
    fn events_have_a_field_for_each_line() {
        let text = |bytes: Bytes| String::from_utf8(bytes.into()).unwrap();
        expect![[r#"
            :

            event: next
            data: {"data":{"a":
            data: 
            data: 1}}

            event: complete
            data:

        "#]]
        .assert_eq(&text(Format::Events.single(b"{\"data\":{\"a\":\r\n1}}")));
        expect![[r#"
            :

            event: next
            data: {"errors":[]}

            event: complete
            data:

        "#]]
        .assert_eq(&text(Format::Events.failed(b"{\"errors\":[]}")));
    }

    #[test]
    fn parts_end_with_their_delimiter() {
        let text = |bytes: Bytes| String::from_utf8(bytes.into()).unwrap().replace('\r', "");
        expect![[r#"
            --graphql
            content-type: application/json

            {"payload":{"data":{}}}
            --graphql--
        "#]]
        .assert_eq(&text(Format::Multipart.single(b"{\"data\":{}}")));
        expect![[r#"
            --graphql
            content-type: application/json

            {"payload":null,"errors":[]}
            --graphql--
        "#]]
        .assert_eq(&text(Format::Multipart.failed(b"{\"errors\":[]}")));
    }
}
