//! A supergraph in S3-compatible storage: `s3://BUCKET/KEY`.
//! <https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html>

use hyper::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{Environment, RegistryOptions, Secret, endpoint, given};

/// The region of storage that has none.
const NO_REGION: &str = "us-east-1";

/// The characters of a path that are encoded; a slash separates the parts of a key.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>
const ENCODED: AsciiSet =
    NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// An object, with the credentials to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct S3Object {
    pub(crate) bucket: Box<str>,
    pub(crate) key: Box<str>,
    pub(crate) url: Uri,
    pub(crate) region: Box<str>,
    pub(crate) access_key_id: Secret,
    pub(crate) secret_access_key: Secret,
    /// Of temporary credentials.
    pub(crate) session_token: Option<Secret>,
}

/// The place of the bucket in an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Addressing {
    /// A part of the host's name.
    Host,
    Path,
}

impl RegistryOptions {
    pub(super) fn s3(&self, name: &str, environment: Environment<'_>) -> Result<S3Object, String> {
        let (bucket, key) = bucket_and_key(name).ok_or_else(|| {
            let shown = redact::address(name);
            format!("`s3:{shown}`: a bucket and a key are wanted, such as `s3://bucket/supergraph.graphql`")
        })?;
        let shown = format!("s3://{bucket}/{key}");
        let region = given(self.s3_region.as_deref(), environment("AWS_REGION"))
            .or_else(|| environment("AWS_DEFAULT_REGION"));
        let region = region.map(|region| region.trim().to_owned());
        if let Some(region) = &region
            && !region.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        {
            return Err(format!("`{region}` is no region of S3, such as `eu-central-1`"));
        }
        let url = match self.s3_endpoint(environment)? {
            Some(base) => {
                let addressing = self.s3_addressing.unwrap_or(Addressing::Path);
                object_url(&base, bucket, key, addressing)?
            }
            None => {
                let region = region.as_deref().ok_or_else(|| {
                    format!(
                        "the supergraph `{shown}` needs the region of its bucket: set the environment \
                         variable `AWS_REGION`, or `--s3-region`; other storage than that of AWS needs \
                         `--s3-endpoint`"
                    )
                })?;
                let addressing = self.s3_addressing.unwrap_or_else(|| aws_addressing(bucket));
                object_url(&aws_endpoint(region)?, bucket, key, addressing)?
            }
        };
        let id = given(self.s3_access_key_id.as_deref(), environment("AWS_ACCESS_KEY_ID"));
        let secret =
            given(self.s3_secret_access_key.as_deref(), environment("AWS_SECRET_ACCESS_KEY"));
        let token = given(self.s3_session_token.as_deref(), environment("AWS_SESSION_TOKEN"));
        let (Some(id), Some(secret)) = (id, secret) else {
            return Err(format!(
                "the supergraph `{shown}` needs an access key: set the environment variables \
                 `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, or `--s3-access-key-id` and \
                 `--s3-secret-access-key`; a public object is read by its `https://` address"
            ));
        };
        Ok(S3Object {
            bucket: bucket.into(),
            key: key.into(),
            url,
            region: region.as_deref().unwrap_or(NO_REGION).into(),
            access_key_id: in_header(id, "access key id")?,
            secret_access_key: secret.into(),
            session_token: token.map(|token| in_header(token, "session token")).transpose()?,
        })
    }

    fn s3_endpoint(&self, environment: Environment<'_>) -> Result<Option<Uri>, String> {
        if let Some(text) = self.s3_endpoint.as_deref().filter(|text| !text.is_empty()) {
            return endpoint(text, "--s3-endpoint").map(Some);
        }
        let variables = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];
        let given = variables.into_iter().find_map(|name| Some((environment(name)?, name)));
        given.map(|(text, name)| endpoint(&text, name)).transpose()
    }
}

/// A key that is a part of a header.
fn in_header(text: String, what: &str) -> Result<Secret, String> {
    let secret = Secret::from(text);
    match secret.expose().chars().all(|c| c.is_ascii_graphic()) {
        true => Ok(secret),
        false => Err(format!("the {what} of S3 has characters that none has")),
    }
}

/// The parts of `//BUCKET/KEY`. The key is as the storage has it, without percent encoding.
fn bucket_and_key(text: &str) -> Option<(&str, &str)> {
    let (bucket, key) = text.strip_prefix("//")?.split_once('/')?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_bucket = !bucket.is_empty() && bucket.chars().all(is_letter);
    (is_bucket && !key.is_empty()).then_some((bucket, key))
}

fn aws_endpoint(region: &str) -> Result<Uri, String> {
    let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    let url = format!("https://s3.{region}.{domain}");
    url.parse().map_err(|_| format!("`{region}` is no region of S3, such as `eu-central-1`"))
}

/// The certificates of AWS are for one label before their domain.
fn aws_addressing(bucket: &str) -> Addressing {
    match bucket.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
        true => Addressing::Host,
        false => Addressing::Path,
    }
}

fn object_url(base: &Uri, bucket: &str, key: &str, addressing: Addressing) -> Result<Uri, String> {
    let scheme = base.scheme_str().unwrap_or("https");
    let authority = base.authority().map(|authority| authority.as_str()).unwrap_or_default();
    let path = base.path().trim_end_matches('/');
    let key = utf8_percent_encode(key, &ENCODED);
    let url = match addressing {
        Addressing::Host => format!("{scheme}://{bucket}.{authority}{path}/{key}"),
        Addressing::Path => format!("{scheme}://{authority}{path}/{bucket}/{key}"),
    };
    let wrong = |_| format!("`s3://{bucket}/…` has no address at `{scheme}://{authority}{path}`");
    url.parse().map_err(wrong)
}
