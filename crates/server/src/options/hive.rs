//! Usage reports to Hive.

use std::env;
use std::fmt;
use std::str::FromStr;

use clap::Args;
use clients::http::read_url;
use hyper::Uri;
use hyper::header::HeaderValue;

use super::observability::ratio;
use crate::failure::Failure;
use crate::usage::hive::ReporterSettings;

#[derive(Debug, Args)]
#[command(next_help_heading = "Usage reports")]
pub(crate) struct HiveOptions {
    /// The access token of Hive for usage reports, or env:VARIABLE [default: no reports]
    #[arg(long, env = "THALWEG_HIVE_USAGE_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub(crate) hive_usage_token: Option<HiveToken>,
    /// The target of usage reports, as its id or ORGANIZATION/PROJECT/TARGET [default: that of the token]
    #[arg(long, env = "THALWEG_HIVE_USAGE_TARGET", value_name = "TARGET")]
    hive_usage_target: Option<HiveTarget>,
    /// The address for usage reports
    #[arg(
        long,
        env = "THALWEG_HIVE_USAGE_ENDPOINT",
        value_name = "URL",
        default_value = "https://app.graphql-hive.com/usage",
        hide_env_values = true,
        value_parser = endpoint
    )]
    hive_usage_endpoint: Uri,
    /// The share of requests that are reported, from 0 to 1
    #[arg(
        long,
        env = "THALWEG_HIVE_USAGE_SAMPLE_RATE",
        value_name = "RATIO",
        default_value = "1",
        value_parser = ratio
    )]
    hive_usage_sample_rate: f64,
}

/// A header with a token, which is never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct HiveToken(HeaderValue);

/// A target by its id or its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HiveTarget(Box<str>);

impl HiveOptions {
    /// The settings of the reporter; none without a token.
    pub(crate) fn settings(&self) -> Result<Option<ReporterSettings>, Failure> {
        let Some(HiveToken(authorization)) = &self.hive_usage_token else { return Ok(None) };
        let endpoint = &self.hive_usage_endpoint;
        let url = match &self.hive_usage_target {
            Some(HiveTarget(target)) => {
                let endpoint = endpoint.to_string();
                [endpoint.trim_end_matches('/'), "/", target].concat().parse().map_err(|_| {
                    let message =
                        "`--hive-usage-endpoint` and `--hive-usage-target` make no address";
                    Failure::Usage(message.to_owned())
                })?
            }
            None => endpoint.clone(),
        };
        let authorization = authorization.clone();
        Ok(Some(ReporterSettings { url, authorization, sample_rate: self.hive_usage_sample_rate }))
    }
}

fn endpoint(text: &str) -> Result<Uri, String> {
    let url = read_url(text).map_err(|error| error.to_string())?;
    let has_credentials = url.authority().is_some_and(|one| one.as_str().contains('@'));
    match url.query().is_none() && !has_credentials {
        true => Ok(url),
        false => Err("an address without credentials and query is wanted".to_owned()),
    }
}

impl FromStr for HiveToken {
    type Err = String;

    /// Messages never have the token.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let token = match text.strip_prefix("env:") {
            Some(variable) => env::var(variable).map_err(|_| {
                format!("the environment variable `{variable}` is not set, or is not UTF-8")
            })?,
            None => text.to_owned(),
        };
        if token.trim().is_empty() {
            return Err("the token is empty".to_owned());
        }
        let header = HeaderValue::from_str(&["Bearer ", token.trim()].concat());
        let mut header = header.map_err(|_| "the token cannot be sent in a header".to_owned())?;
        header.set_sensitive(true);
        Ok(Self(header))
    }
}

impl fmt::Debug for HiveToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HiveToken").finish_non_exhaustive()
    }
}

impl FromStr for HiveTarget {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_part = |part: &str| {
            let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            !part.is_empty() && part.bytes().all(is_known)
        };
        let parts = text.split('/').count();
        match [1, 3].contains(&parts) && text.split('/').all(is_part) {
            true => Ok(Self(text.into())),
            false => Err("the id of a target or ORGANIZATION/PROJECT/TARGET is wanted"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> HiveOptions {
        HiveOptions {
            hive_usage_token: Some("secret".parse().unwrap()),
            hive_usage_target: None,
            hive_usage_endpoint: endpoint("https://hive.example/usage").unwrap(),
            hive_usage_sample_rate: 0.5,
        }
    }

    #[test]
    fn reports_are_sent_to_the_target() {
        let url = |target: Option<&str>| {
            let hive_usage_target = target.map(|target| target.parse().unwrap());
            let options = HiveOptions { hive_usage_target, ..options() };
            options.settings().unwrap().unwrap().url.to_string()
        };
        assert_eq!(url(None), "https://hive.example/usage");
        assert_eq!(url(Some("a-1/b_2/c")), "https://hive.example/usage/a-1/b_2/c");
        assert_eq!(url(Some("a0f4")), "https://hive.example/usage/a0f4");
        let without = HiveOptions { hive_usage_token: None, ..options() };
        assert!(without.settings().unwrap().is_none());
    }

    #[test]
    fn tokens_are_not_printed() {
        let settings = options().settings().unwrap().unwrap();
        assert_eq!(settings.authorization.to_str().unwrap(), "Bearer secret");
        let printed = format!("{settings:?} {:?}", options());
        assert!(!printed.contains("secret"), "{printed}");
        let error = |text: &str| text.parse::<HiveToken>().unwrap_err();
        assert_eq!(error(" "), "the token is empty");
        assert_eq!(error("a\u{1}"), "the token cannot be sent in a header");
        let missing = "the environment variable `THALWEG_NONE` is not set, or is not UTF-8";
        assert_eq!(error("env:THALWEG_NONE"), missing);
    }

    #[test]
    fn wrong_targets_and_endpoints_are_refused() {
        let wanted = "the id of a target or ORGANIZATION/PROJECT/TARGET is wanted";
        for text in ["", "a/b", "a/b/c/d", "a//c", "a b", "../../x", "a?b"] {
            assert_eq!(text.parse::<HiveTarget>(), Err(wanted), "{text}");
        }
        for text in [
            "hive.example",
            "http://hive.example/usage",
            "https://u:p@hive.example/",
            "https://hive.example/?a",
        ] {
            assert!(endpoint(text).is_err(), "{text}");
        }
        assert!(endpoint("http://127.0.0.1:8080/usage").is_ok());
    }
}
