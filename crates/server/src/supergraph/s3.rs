//! Signed requests to S3-compatible storage:
//! <https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html>

use std::time::{Duration, SystemTime};

use clients::http::Answer;
use hyper::Uri;
use hyper::header::{AUTHORIZATION, DATE, HOST, HeaderName, HeaderValue};
use hyper::http::uri::Scheme;

use super::address::{Got, get};
use super::fetches::{FetchError, Reply, Tag};
use super::signature::{Signer, hash_of_body, timestamp};
use crate::options::S3Object;

/// S3 refuses requests whose time differs by more.
const MOST_SKEW: Duration = Duration::from_secs(15 * 60);

pub(super) async fn ask(object: &S3Object, known: Option<&Tag>) -> Result<Reply, FetchError> {
    let now = SystemTime::now();
    let headers = signed(object, now)?;
    match get(&object.url, &headers, known).await? {
        Got::Reply(reply) => Ok(reply),
        Got::Error(answer) => Err(FetchError::Refused(explain(object, &answer, now))),
    }
}

/// The headers of a request at this time.
fn signed(
    object: &S3Object,
    time: SystemTime,
) -> Result<Vec<(HeaderName, HeaderValue)>, FetchError> {
    let (host, body, date) = (host(&object.url), hash_of_body(), timestamp(time));
    let mut headers = vec![
        ("host", host.as_str()),
        ("x-amz-content-sha256", body.as_str()),
        ("x-amz-date", date.as_str()),
    ];
    let token = object.session_token.as_ref();
    headers.extend(token.map(|token| ("x-amz-security-token", token.expose())));
    let signer = Signer {
        access_key_id: object.access_key_id.expose(),
        secret_access_key: object.secret_access_key.expose(),
        region: &object.region,
        time,
    };
    let authorization = signer.authorization(&object.url, &headers);
    let mut written = Vec::with_capacity(headers.len() + 1);
    for (name, value) in headers {
        let name = if name == "host" { HOST } else { HeaderName::from_static(name) };
        written.push((name, header(value)?));
    }
    written.push((AUTHORIZATION, header(&authorization)?));
    Ok(written)
}

fn header(text: &str) -> Result<HeaderValue, FetchError> {
    let value = HeaderValue::from_str(text);
    let mut value =
        value.map_err(|_| FetchError::Refused("the credentials fit into no header".into()))?;
    value.set_sensitive(true);
    Ok(value)
}

/// The host of a request, without the port that is usual for the scheme.
fn host(url: &Uri) -> String {
    let host = url.host().unwrap_or_default();
    let usual = if url.scheme() == Some(&Scheme::HTTPS) { 443 } else { 80 };
    match url.port_u16().filter(|port| *port != usual) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// The reason of an error, with its remedy:
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html>
fn explain(object: &S3Object, answer: &Answer, now: SystemTime) -> String {
    let S3Object { bucket, key, region, .. } = object;
    let body = String::from_utf8_lossy(&answer.body);
    let code = element(&body, "Code").unwrap_or_default();
    let skew = skew(answer, now);
    let reason = match (code, answer.status.as_u16()) {
        ("RequestTimeTooSkewed", _) => clock(skew),
        (_, 400 | 403) if skew.is_some_and(|skew| skew > MOST_SKEW) => clock(skew),
        ("SignatureDoesNotMatch", _) => {
            "the secret access key is not that of the access key id, or a \
                                         proxy changes the host or the path of requests"
                .into()
        }
        ("InvalidAccessKeyId", _) => "the storage does not know the access key id".into(),
        ("ExpiredToken" | "InvalidToken", _) => {
            "the session token has expired or is wrong: new temporary credentials are needed".into()
        }
        (
            "AuthorizationHeaderMalformed"
            | "PermanentRedirect"
            | "IllegalLocationConstraintException",
            _,
        )
        | (_, 301 | 307) => {
            let named = answer.headers.get("x-amz-bucket-region");
            let named = named.and_then(|region| region.to_str().ok()).or(element(&body, "Region"));
            match named.filter(|named| is_word(named)) {
                Some(named) => format!(
                    "the bucket is in the region `{named}`, not in `{region}`: set `--s3-region`, or \
                     `AWS_REGION`"
                ),
                None => format!(
                    "the bucket is not in the region `{region}`, or at another address: set \
                     `--s3-region` or `--s3-endpoint`"
                ),
            }
        }
        ("NoSuchBucket", _) => format!("there is no bucket `{bucket}`"),
        ("NoSuchKey", _) => format!("the bucket `{bucket}` has no object `{key}`"),
        (_, 404) => {
            format!(
                "there is no object `{key}` in the bucket `{bucket}`, or no bucket of this name"
            )
        }
        (_, 401 | 403) => format!(
            "the access key must be allowed to read the object (`s3:GetObject` on `{bucket}/{key}`); \
             without `s3:ListBucket`, S3 says the same of an object that does not exist"
        ),
        ("SlowDown", _) => "the storage asks for fewer requests".into(),
        _ => String::new(),
    };
    let status = answer.status;
    let code = if is_word(code) { format!(" ({code})") } else { String::new() };
    match reason.is_empty() {
        true => format!("the server says {status}{code}"),
        false => format!("the server says {status}{code}: {reason}"),
    }
}

fn clock(skew: Option<Duration>) -> String {
    let by = match skew.filter(|skew| *skew >= Duration::from_secs(1)) {
        Some(skew) => {
            format!(" by {}", humantime::format_duration(Duration::from_secs(skew.as_secs())))
        }
        None => String::new(),
    };
    format!(
        "the clock of this machine differs from that of the storage{by}; signed requests are valid for 15 \
         minutes: set the clock"
    )
}

/// The difference between the time of the request and the server's.
fn skew(answer: &Answer, now: SystemTime) -> Option<Duration> {
    let date = answer.headers.get(DATE)?.to_str().ok()?;
    let date = httpdate::parse_http_date(date).ok()?;
    Some(now.duration_since(date).unwrap_or_else(|error| error.duration()))
}

/// The text of an element of an error in XML.
fn element<'b>(body: &'b str, name: &str) -> Option<&'b str> {
    let (_, rest) = body.split_once(&format!("<{name}>"))?;
    rest.split_once('<').map(|(text, _)| text)
}

/// Whether a text of a server is a code or a region.
fn is_word(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    !text.is_empty() && text.len() <= 64 && text.chars().all(is_letter)
}

#[cfg(test)]
mod tests;
