//! Signed requests, and explained errors.

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::HeaderMap;

use super::*;

fn object(url: &str, session_token: Option<&str>) -> S3Object {
    let secret = |text: &str| text.to_owned().into();
    S3Object {
        bucket: "schemas".into(),
        key: "shop/a b.graphql".into(),
        url: url.parse().unwrap(),
        region: "eu-central-1".into(),
        access_key_id: secret("Zx7-id"),
        secret_access_key: secret("Zx7-key"),
        session_token: session_token.map(secret),
    }
}

fn now() -> SystemTime {
    humantime::parse_rfc3339("2026-03-01T12:00:00Z").unwrap()
}

#[test]
fn all_headers_are_signed() {
    let check = |url: &str, token: Option<&str>, host: &str, names: &str| {
        let headers = signed(&object(url, token), now()).unwrap();
        let of = |name: &str| {
            let found = headers.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.to_str().unwrap())
        };
        assert_eq!(of("host"), Some(host));
        assert_eq!(of("x-amz-date"), Some("20260301T120000Z"));
        assert_eq!(of("x-amz-security-token"), token);
        let begin = "AWS4-HMAC-SHA256 Credential=Zx7-id/20260301/eu-central-1/s3/aws4_request,";
        let begin = format!("{begin}SignedHeaders={names},Signature=");
        let authorization = of("authorization").unwrap();
        assert!(authorization.starts_with(&begin), "{authorization}");
        assert!(!authorization.contains("Zx7-key"));
        assert!(!format!("{headers:?}").contains("Zx7"), "{headers:?}");
    };
    let usual = "host;x-amz-content-sha256;x-amz-date";
    check("http://127.0.0.1:9000/schemas/a", None, "127.0.0.1:9000", usual);
    check("https://schemas.s3.example:443/a", None, "schemas.s3.example", usual);
    let names = [usual, ";x-amz-security-token"].concat();
    check("https://schemas.s3.example/a", Some("token"), "schemas.s3.example", &names);
}

fn explained(status: u16, headers: &[(&'static str, &str)], body: &str) -> String {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(*name, value.parse().unwrap());
    }
    let status = StatusCode::from_u16(status).unwrap();
    let body = Bytes::copy_from_slice(body.as_bytes());
    let answer = Answer { status, headers: map, body };
    explain(&object("https://schemas.s3.example/a", None), &answer, now())
}

#[test]
fn errors_have_remedies() {
    let check = |status: u16, code: &str, expected: &str| {
        let body = format!(
            "<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>x</Message></Error>"
        );
        let explained = explained(status, &[], &body);
        assert!(explained.contains(expected), "{explained}");
        let begin = format!("the server says {}", StatusCode::from_u16(status).unwrap());
        assert!(explained.starts_with(&begin), "{explained}");
    };
    check(403, "SignatureDoesNotMatch", "the secret access key is not that of the access key id");
    check(403, "InvalidAccessKeyId", "does not know the access key id");
    check(403, "AccessDenied", "(`s3:GetObject` on `schemas/shop/a b.graphql`)");
    check(403, "RequestTimeTooSkewed", "the clock of this machine differs");
    check(400, "ExpiredToken", "new temporary credentials are needed");
    check(400, "AuthorizationHeaderMalformed", "the bucket is not in the region `eu-central-1`");
    check(404, "NoSuchKey", "the bucket `schemas` has no object `shop/a b.graphql`");
    check(404, "NoSuchBucket", "there is no bucket `schemas`");
    check(
        503,
        "SlowDown",
        "503 Service Unavailable (SlowDown): the storage asks for fewer requests",
    );
    check(500, "InternalError", "the server says 500 Internal Server Error (InternalError)");
}

#[test]
fn an_error_without_a_code_is_explained_by_its_status() {
    assert!(explained(404, &[], "").contains("there is no object `shop/a b.graphql`"));
    assert!(explained(403, &[], "<html>").contains("s3:GetObject"));
    assert_eq!(explained(502, &[], "bad gateway"), "the server says 502 Bad Gateway");
    // A code is shown only if it is one.
    let long = format!("<Code>{}</Code>", "x".repeat(100));
    assert_eq!(explained(500, &[], &long), "the server says 500 Internal Server Error");
    assert_eq!(
        explained(500, &[], "<Code>a\u{1b}[0m</Code>"),
        "the server says 500 Internal Server Error"
    );
}

#[test]
fn the_region_of_a_bucket_is_named() {
    let expected =
        "the bucket is in the region `us-west-2`, not in `eu-central-1`: set `--s3-region`";
    let by_header = explained(301, &[("x-amz-bucket-region", "us-west-2")], "");
    assert!(by_header.contains(expected), "{by_header}");
    let body = "<Error><Code>AuthorizationHeaderMalformed</Code><Region>us-west-2</Region></Error>";
    let by_body = explained(400, &[], body);
    assert!(by_body.contains(expected), "{by_body}");
}

#[test]
fn a_wrong_clock_is_named_with_its_difference() {
    let skewed = "<Error><Code>RequestTimeTooSkewed</Code></Error>";
    let explained_at = |date: &str, body: &str| explained(403, &[("date", date)], body);
    let ahead = explained_at("Sun, 01 Mar 2026 11:30:00 GMT", skewed);
    assert!(ahead.contains("differs from that of the storage by 30m;"), "{ahead}");
    // Storage that says no code for it.
    let behind = explained_at("Sun, 01 Mar 2026 13:00:01 GMT", "");
    assert!(behind.contains("differs from that of the storage by 1h 1s;"), "{behind}");
    let right = explained_at("Sun, 01 Mar 2026 12:00:01 GMT", "");
    assert!(!right.contains("clock"), "{right}");
}
