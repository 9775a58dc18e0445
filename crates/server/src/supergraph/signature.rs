//! Signature Version 4 of requests to S3, in the `Authorization` header:
//! <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>
//!
//! The published crates for it bring a client of AWS with them, or sign addresses only.

use std::fmt::Write as _;
use std::time::SystemTime;

use aws_lc_rs::hmac::{self, HMAC_SHA256, Key};
use hyper::Uri;
use sha2::{Digest, Sha256};

/// The name of the algorithm.
const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// The key, the region and the time of a signature.
#[derive(Clone, Copy)]
pub(super) struct Signer<'s> {
    pub(super) access_key_id: &'s str,
    pub(super) secret_access_key: &'s str,
    pub(super) region: &'s str,
    pub(super) time: SystemTime,
}

impl Signer<'_> {
    /// The `Authorization` of a GET request. `headers` are those that are signed: lower-case names in
    /// alphabetical order, among them `host`, `x-amz-content-sha256` and `x-amz-date`.
    pub(super) fn authorization(&self, url: &Uri, headers: &[(&str, &str)]) -> String {
        let Self { access_key_id, secret_access_key, region, time } = *self;
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let request = canonical_request(url, headers, &names);
        let time = timestamp(time);
        let date = time.split('T').next().unwrap_or_default();
        let scope = format!("{date}/{region}/s3/aws4_request");
        let hash = hex(&Sha256::digest(request));
        let to_sign = format!("{ALGORITHM}\n{time}\n{scope}\n{hash}");
        let secret = ["AWS4", secret_access_key].concat();
        let mut key = sign(secret.as_bytes(), date);
        for part in [region, "s3", "aws4_request"] {
            key = sign(key.as_ref(), part);
        }
        let signature = hex(sign(key.as_ref(), &to_sign).as_ref());
        format!(
            "{ALGORITHM} Credential={access_key_id}/{scope},SignedHeaders={names},Signature={signature}"
        )
    }
}

fn canonical_request(url: &Uri, headers: &[(&str, &str)], names: &str) -> String {
    let mut query: Vec<&str> = url.query().into_iter().flat_map(|text| text.split('&')).collect();
    query.sort_unstable();
    // A parameter without a value has an empty one.
    let query: Vec<String> = query
        .iter()
        .map(|part| if part.contains('=') { (*part).to_owned() } else { [part, "="].concat() })
        .collect();
    let mut request = format!("GET\n{}\n{}\n", url.path(), query.join("&"));
    for (name, value) in headers {
        request.extend([name, ":", value.trim(), "\n"]);
    }
    request.extend(["\n", names, "\n", &hash_of_body()]);
    request
}

/// The hash of the body of a GET request, which is empty.
pub(super) fn hash_of_body() -> String {
    hex(&Sha256::digest([]))
}

/// A time as `20130524T000000Z`.
pub(super) fn timestamp(time: SystemTime) -> String {
    let text = humantime::format_rfc3339_seconds(time).to_string();
    text.replace(['-', ':'], "")
}

fn sign(key: &[u8], text: &str) -> hmac::Tag {
    hmac::sign(&Key::new(HMAC_SHA256, key), text.as_bytes())
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the page above.
    #[test]
    fn signatures_are_those_of_the_published_examples() {
        let signer = Signer {
            access_key_id: "AKIAIOSFODNN7EXAMPLE",
            secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            region: "us-east-1",
            time: humantime::parse_rfc3339("2013-05-24T00:00:00Z").unwrap(),
        };
        let body = hash_of_body();
        assert_eq!(body, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let check = |path: &str, further: &[(&str, &str)], names: &str, signature: &str| {
            let host = "examplebucket.s3.amazonaws.com";
            let url = ["https://", host, path].concat().parse().unwrap();
            let usual =
                [("x-amz-content-sha256", body.as_str()), ("x-amz-date", "20130524T000000Z")];
            let headers = [&[("host", host)], further, &usual].concat();
            let expected = format!(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
                 SignedHeaders={names},Signature={signature}"
            );
            assert_eq!(signer.authorization(&url, &headers), expected);
        };
        // Get an object.
        check(
            "/test.txt",
            &[("range", "bytes=0-9")],
            "host;range;x-amz-content-sha256;x-amz-date",
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        );
        // Get the lifecycle of a bucket.
        let usual = "host;x-amz-content-sha256;x-amz-date";
        check(
            "/?lifecycle",
            &[],
            usual,
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
        );
        // List objects.
        check(
            "/?max-keys=2&prefix=J",
            &[],
            usual,
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        );
        check(
            "/?prefix=J&max-keys=2",
            &[],
            usual,
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        );
    }
}
