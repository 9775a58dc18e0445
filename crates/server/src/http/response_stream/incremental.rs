//! Responses in several payloads, for deferred fragments: their form, by content negotiation, and
//! their body.
//!
//! * `multipart/mixed`: <https://github.com/graphql/graphql-over-http/blob/main/rfcs/IncrementalDelivery.md>
//! * server-sent events: each payload is an event `next`

use bytes::Bytes;
use engine::gateway::{IncrementalFormat, Payloads};
use futures_util::stream::{Stream, unfold};
use hyper::header::ACCEPT;
use hyper::{Method, Version};
use std::time::Duration;
use tokio::time::sleep;

use super::format::Format;
use crate::http::exchange::HttpRequest;
use crate::http::framed::framed;
use crate::http::media_type::{name_and_value, split, thousandths};

/// The form of a response in several payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Incremental {
    /// Server-sent events.
    Events(IncrementalFormat),
    Multipart(IncrementalFormat),
}

/// How exactly a range of `Accept` names a form, from the lowest to the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Specificity {
    /// `multipart/mixed`
    Multipart,
    /// `text/event-stream`
    Events,
    /// With the parameter of a specification.
    Exact,
}

impl Incremental {
    /// The form that the client accepts by name.
    pub(in crate::http) fn accepted(request: &HttpRequest) -> Option<Self> {
        // HTTP/1.0 has no chunks.
        if *request.method() == Method::HEAD || request.version() < Version::HTTP_11 {
            return None;
        }
        let accept = request.headers().get_all(ACCEPT).iter();
        Self::negotiate(accept.filter_map(|header| header.to_str().ok()))
    }

    fn negotiate<'a>(accept: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut best: Option<(Specificity, Self)> = None;
        for range in accept.flat_map(|header| split(header, ',')) {
            let Some(named) = Self::named(range) else { continue };
            if best.is_none_or(|(specificity, _)| specificity < named.0) {
                best = Some(named);
            }
        }
        best.map(|(_, form)| form)
    }

    /// The form that a range of `Accept` names. Without a parameter it is the newer one.
    fn named(range: &str) -> Option<(Specificity, Self)> {
        let mut parts = split(range, ';');
        let essence = parts.next()?.trim();
        let mut format = None;
        for parameter in parts {
            match name_and_value(parameter) {
                Some(("q" | "Q", value)) if thousandths(value).is_none_or(|q| q == 0) => {
                    return None;
                }
                Some((name, "20220824")) if name.eq_ignore_ascii_case("deferSpec") => {
                    format = Some(IncrementalFormat::Fragments);
                }
                Some((name, "v0.1")) if name.eq_ignore_ascii_case("incrementalSpec") => {
                    format = Some(IncrementalFormat::Fragments);
                }
                Some((name, "v0.2")) if name.eq_ignore_ascii_case("incrementalSpec") => {
                    format = Some(IncrementalFormat::Fields);
                }
                // Another specification, which is not known here.
                Some((name, _)) if is_specification(name) => return None,
                Some(_) | None => {}
            }
        }
        let (specificity, form): (_, fn(IncrementalFormat) -> Self) =
            match essence.to_ascii_lowercase().as_str() {
                "text/event-stream" => (Specificity::Events, Self::Events),
                "multipart/mixed" => (Specificity::Multipart, Self::Multipart),
                _ => return None,
            };
        let specificity = if format.is_some() { Specificity::Exact } else { specificity };
        Some((specificity, form(format.unwrap_or(IncrementalFormat::Fields))))
    }

    pub(in crate::http) fn format(self) -> IncrementalFormat {
        match self {
            Self::Events(format) | Self::Multipart(format) => format,
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Events(_) => Format::Events.content_type(),
            Self::Multipart(IncrementalFormat::Fragments) => {
                "multipart/mixed;boundary=\"-\";deferSpec=20220824"
            }
            Self::Multipart(IncrementalFormat::Fields) => {
                "multipart/mixed;boundary=\"-\";incrementalSpec=v0.2"
            }
        }
    }

    fn beginning(self) -> Bytes {
        match self {
            Self::Events(_) => Format::Events.beginning(),
            Self::Multipart(_) => Bytes::from_static(b"\r\n---"),
        }
    }

    /// A payload. A part has its delimiter behind it, so that the client need not wait for the next.
    fn payload(self, payload: &[u8]) -> Vec<u8> {
        let head: &[u8] = b"\r\ncontent-type: application/json; charset=utf-8\r\n\r\n";
        match self {
            Self::Events(_) => Format::Events.next(payload),
            Self::Multipart(_) => [head, payload, b"\r\n---"].concat(),
        }
    }

    fn complete(self) -> &'static [u8] {
        match self {
            Self::Events(_) => Format::Events.complete(),
            Self::Multipart(_) => b"--\r\n",
        }
    }

    /// The whole body of a response in one payload.
    pub(super) fn single(self, response: &[u8]) -> Bytes {
        [&self.beginning(), &*self.payload(response), self.complete()].concat().into()
    }

    /// The body of a response with further payloads.
    pub(super) fn stream(
        self,
        initial: &[u8],
        payloads: Payloads,
        keep_alive: Duration,
    ) -> impl Stream<Item = Bytes> + 'static {
        let first: Bytes = [&self.beginning(), &*self.payload(initial)].concat().into();
        unfold((Some(first), Some(payloads)), move |(first, payloads)| async move {
            if let Some(first) = first {
                return Some((first, (None, payloads)));
            }
            let mut payloads = payloads?;
            tokio::select! {
                biased;
                payload = payloads.next() => Some(match payload {
                    Some(payload) => {
                        (framed(self.payload(&payload), payload), (None, Some(payloads)))
                    }
                    None => (Bytes::from_static(self.complete()), (None, None)),
                }),
                // A part would be a payload.
                () = sleep(keep_alive), if matches!(self, Self::Events(_)) => {
                    Some((Format::Events.keep_alive(), (None, Some(payloads))))
                }
            }
        })
    }
}

fn is_specification(parameter: &str) -> bool {
    let names = ["deferSpec", "incrementalSpec", "incrementalDeliverySpec", "subscriptionSpec"];
    names.iter().any(|name| parameter.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn forms_are_accepted_by_name() {
        let check = |accept: &str, expected: Option<Incremental>| {
            assert_eq!(Incremental::negotiate([accept].into_iter()), expected, "{accept}");
        };
        let (fragments, fields) = (IncrementalFormat::Fragments, IncrementalFormat::Fields);
        // Apollo Client, by its handlers.
        check(
            "multipart/mixed;deferSpec=20220824,application/graphql-response+json,\
             application/json;q=0.9",
            Some(Incremental::Multipart(fragments)),
        );
        check(
            "multipart/mixed;incrementalSpec=v0.2,application/json",
            Some(Incremental::Multipart(fields)),
        );
        // urql.
        check(
            "application/graphql-response+json, application/graphql+json, application/json, \
             text/event-stream, multipart/mixed",
            Some(Incremental::Events(fields)),
        );
        check("multipart/mixed; deferSpec=\"20220824\"", Some(Incremental::Multipart(fragments)));
        check("Multipart/Mixed; IncrementalSpec=v0.1", Some(Incremental::Multipart(fragments)));
        check("text/event-stream", Some(Incremental::Events(fields)));
        check("text/event-stream;deferSpec=20220824", Some(Incremental::Events(fragments)));
        check("multipart/mixed", Some(Incremental::Multipart(fields)));
        check("multipart/mixed;deferSpec=20220824;q=0", None);
        check("multipart/mixed;deferSpec=20200101", None);
        check("multipart/mixed;incrementalDeliverySpec=3283f8a", None);
        check("multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json", None);
        check("application/json, */*", None);
    }

    #[test]
    fn parts_end_with_their_delimiter() {
        let form = Incremental::Multipart(IncrementalFormat::Fragments);
        let text = String::from_utf8(form.single(b"{\"data\":{}}").into()).unwrap();
        expect![[r#"

            ---
            content-type: application/json; charset=utf-8

            {"data":{}}
            -----
        "#]]
        .assert_eq(&text.replace('\r', ""));
    }
}
