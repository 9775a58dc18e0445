//! CSRF prevention and cross-origin resource sharing (CORS).

use std::fmt;
use std::str::FromStr;

use clap::Args;

use super::quantity::Time;
use crate::failure::Failure;
use clients::hosts::AllowedHost;

#[derive(Debug, Args)]
#[command(next_help_heading = "CORS and CSRF")]
pub(crate) struct OriginOptions {
    /// Origins whose pages may send requests (CSRF prevention), besides the server's own, separated by commas, or `*`
    #[arg(long, env = "THALWEG_ALLOWED_ORIGINS", value_name = "ORIGINS", value_delimiter = ',')]
    pub(crate) allowed_origins: Vec<AllowedOrigin>,
    /// Hosts that requests may name (DNS rebinding protection), besides this machine's own, separated by
    /// commas: `api.example`, `.example` for a domain with all below it, or `*` [default: any for a
    /// public server]
    #[arg(long, env = "THALWEG_ALLOWED_HOSTS", value_name = "HOSTS", value_delimiter = ',')]
    pub(crate) allowed_hosts: Vec<AllowedHost>,
    /// Origins whose pages may also read responses (CORS), separated by commas, or `*`
    #[arg(long, env = "THALWEG_CORS_ORIGINS", value_name = "ORIGINS", value_delimiter = ',')]
    pub(crate) cors_origins: Vec<AllowedOrigin>,
    /// Allow these pages to send cookies and other credentials
    #[arg(long, env = "THALWEG_CORS_CREDENTIALS")]
    pub(crate) cors_credentials: bool,
    /// How long browsers cache the result of a preflight request
    #[arg(long, env = "THALWEG_CORS_MAX_AGE", value_name = "TIME", default_value = "10m")]
    pub(crate) cors_max_age: Time,
}

/// An allowed origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AllowedOrigin {
    Any,
    /// In the form of the `Origin` header: `https://app.example`.
    This(Box<str>),
}

impl OriginOptions {
    /// Refuses contradictory options.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self.cors_credentials {
            true if self.cors_origins.is_empty() => {
                Err(Failure::Usage("`--cors-credentials` needs `--cors-origins`".into()))
            }
            true if self.cors_origins.contains(&AllowedOrigin::Any) => Err(Failure::Usage(
                "with `--cors-credentials`, `--cors-origins` must list each origin; `*` would give \
                 every page the permissions of its visitor"
                    .into(),
            )),
            true | false => Ok(()),
        }
    }
}

impl FromStr for AllowedOrigin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "*" {
            return Ok(Self::Any);
        }
        let wanted = || {
            "an origin is wanted, such as `https://app.example` or `http://localhost:3000`, \
             without a path, or `*`"
                .to_owned()
        };
        let text = text.to_ascii_lowercase();
        let (scheme, host) = text.split_once("://").ok_or_else(wanted)?;
        let is_host = |c: char| c.is_ascii_graphic() && !matches!(c, '/' | '?' | '#' | '@' | '*');
        if scheme.is_empty() || host.is_empty() || !host.chars().all(is_host) {
            return Err(wanted());
        }
        let usual_port = match scheme {
            "http" => ":80",
            "https" => ":443",
            _ => "",
        };
        let host = host.strip_suffix(usual_port).unwrap_or(host);
        Ok(Self::This([scheme, "://", host].concat().into()))
    }
}

impl fmt::Display for AllowedOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::This(origin) => f.write_str(origin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_as_browsers_write_them() {
        for (text, origin) in [
            ("https://app.example", "https://app.example"),
            ("HTTPS://App.Example:443", "https://app.example"),
            ("http://localhost:80", "http://localhost"),
            ("http://localhost:443", "http://localhost:443"),
            ("http://[::1]:3000", "http://[::1]:3000"),
            ("capacitor://localhost", "capacitor://localhost"),
            ("*", "*"),
        ] {
            assert_eq!(text.parse::<AllowedOrigin>().unwrap().to_string(), origin);
        }
        for text in
            ["", "app.example", "https://", "https://a/", "https://a/b", "https://*.a", "null"]
        {
            let error = text.parse::<AllowedOrigin>().unwrap_err();
            assert!(error.starts_with("an origin is wanted"), "{text}: {error}");
        }
    }
}
