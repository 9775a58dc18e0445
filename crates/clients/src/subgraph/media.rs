//! Content type, coding and status of a response.

use std::time::{Duration, SystemTime};

use hyper::StatusCode;
use hyper::header::{
    CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER, TRANSFER_ENCODING,
};

use super::request::SubgraphError;
use crate::coding::Coding;

/// Possible contents of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Media {
    /// A GraphQL response by its content type, or JSON with a success status.
    GraphQl,
    /// JSON with an error status: according to
    /// <https://graphql.github.io/graphql-over-http/draft/#sec-application-json> it may come from
    /// an intermediary, such as a proxy.
    Json,
}

/// Returns the content of a response, or the reason why its body is not read.
pub(super) fn media(status: StatusCode, headers: &HeaderMap) -> Result<Media, SubgraphError> {
    let unreadable = || SubgraphError::Status(status.as_u16());
    if !(status.is_success() || status.is_client_error() || status.is_server_error()) {
        return Err(unreadable());
    }
    let Some(value) = headers.get(CONTENT_TYPE) else {
        // Simple servers send no content type; whether the body is JSON shows when it is parsed.
        return if status.is_success() { Ok(Media::GraphQl) } else { Err(unreadable()) };
    };
    let text = value.as_bytes();
    let essence = text.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let is = |name: &str| essence.eq_ignore_ascii_case(name.as_bytes());
    match () {
        () if is("application/graphql-response+json") => Ok(Media::GraphQl),
        () if is("application/json") && status.is_success() => Ok(Media::GraphQl),
        () if is("application/json") => Ok(Media::Json),
        () if !status.is_success() => Err(unreadable()),
        () => {
            let text = String::from_utf8_lossy(text);
            Err(SubgraphError::NotGraphQl(format!("its content type is `{text}`").into()))
        }
    }
}

/// Returns the content coding of the body, if it has one.
pub(super) fn coding(headers: &HeaderMap) -> Result<Option<Coding>, SubgraphError> {
    let mut found = None;
    for value in headers.get_all(CONTENT_ENCODING) {
        let name = value.to_str().map(str::trim).unwrap_or_default();
        if name.eq_ignore_ascii_case("identity") {
            continue;
        }
        match (found, Coding::by_name(name)) {
            (None, Some(coding)) => found = Some(coding),
            _ => return Err(unreadable("content", value)),
        }
    }
    // hyper decodes chunks, and no coding that was applied before them.
    for value in headers.get_all(TRANSFER_ENCODING) {
        if !value.as_bytes().eq_ignore_ascii_case(b"chunked") {
            return Err(unreadable("transfer", value));
        }
    }
    Ok(found)
}

fn unreadable(of: &str, value: &HeaderValue) -> SubgraphError {
    let text = String::from_utf8_lossy(value.as_bytes());
    SubgraphError::NotGraphQl(format!("its {of} coding is `{text}`").into())
}

/// Whether JSON looks like a GraphQL response: an object with `errors` or `data`. Only a prefix is
/// checked; the parser checks the rest.
pub(super) fn may_be_graphql(body: &[u8]) -> bool {
    let has = |word: &[u8]| body.windows(word.len()).any(|window| window == word);
    body.trim_ascii_start().starts_with(b"{") && (has(b"\"errors\"") || has(b"\"data\""))
}

/// Pause that the server demands (`Retry-After`):
/// <https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3>.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    match text.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => {
            let date = httpdate::parse_http_date(text).ok()?;
            Some(date.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &hyper::header::HeaderName, values: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name.clone(), HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn the_content_type_and_the_status_say_what_a_body_is() {
        let check = |status: u16, text: &'static str, expected: Result<Media, SubgraphError>| {
            let status = StatusCode::from_u16(status).unwrap();
            let found = media(status, &headers(&CONTENT_TYPE, &[text]));
            assert_eq!(found, expected, "{status} {text}");
        };
        check(200, "application/json", Ok(Media::GraphQl));
        check(200, "Application/JSON ; charset=utf-8", Ok(Media::GraphQl));
        check(200, "application/graphql-response+json; charset=utf-8", Ok(Media::GraphQl));
        check(400, "application/graphql-response+json", Ok(Media::GraphQl));
        check(500, "application/json", Ok(Media::Json));
        let html = SubgraphError::NotGraphQl("its content type is `text/html; a=b`".into());
        check(200, "text/html; a=b", Err(html));
        check(200, "", Err(SubgraphError::NotGraphQl("its content type is ``".into())));
        check(502, "text/html", Err(SubgraphError::Status(502)));
        check(302, "application/json", Err(SubgraphError::Status(302)));
        check(101, "application/json", Err(SubgraphError::Status(101)));
    }

    #[test]
    fn a_body_without_a_type_is_read_where_all_is_well() {
        assert_eq!(media(StatusCode::OK, &HeaderMap::new()), Ok(Media::GraphQl));
        let found = media(StatusCode::BAD_GATEWAY, &HeaderMap::new());
        assert_eq!(found, Err(SubgraphError::Status(502)));
    }

    #[test]
    fn one_coding_is_undone() {
        let check = |values: &[&'static str], expected: Option<Option<Coding>>| {
            let found = coding(&headers(&CONTENT_ENCODING, values));
            assert_eq!(found.ok(), expected, "{values:?}");
        };
        check(&[], Some(None));
        check(&["identity"], Some(None));
        check(&["GZIP"], Some(Some(Coding::Gzip)));
        check(&["br"], Some(Some(Coding::Brotli)));
        check(&["gzip", "br"], None);
        check(&["gzip, br"], None);
        check(&["compress"], None);
        assert!(coding(&headers(&TRANSFER_ENCODING, &["chunked"])).is_ok());
        assert!(coding(&headers(&TRANSFER_ENCODING, &["gzip, chunked"])).is_err());
    }

    #[test]
    fn an_error_of_something_else_is_not_taken_for_an_answer() {
        assert!(may_be_graphql(b" {\"errors\":[]}"));
        assert!(may_be_graphql(b"{\"data\":null}"));
        assert!(!may_be_graphql(b"{\"message\":\"no upstream\"}"));
        assert!(!may_be_graphql(b"[\"data\"]"));
        assert!(!may_be_graphql(b""));
    }

    #[test]
    fn the_time_to_wait_is_in_seconds_or_a_date() {
        let check = |text: &'static str, expected: Option<u64>| {
            let found = retry_after(&headers(&RETRY_AFTER, &[text]));
            assert_eq!(found, expected.map(Duration::from_secs), "{text}");
        };
        check("7", Some(7));
        check("Fri, 31 Dec 1999 23:59:59 GMT", Some(0));
        check("-1", None);
        check("soon", None);
    }
}
