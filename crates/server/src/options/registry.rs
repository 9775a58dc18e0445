//! Supergraphs on other servers: at an address, or of a registry.
//!
//! * `uplink`: GraphOS Uplink
//! * `hive`: Hive's CDN
//! * `s3`: S3-compatible storage
//! * `secret`: keys, which are never printed
//! * `poll`: the interval of polling
//!
//! Registries are also configured by the environment variables of their own tools, such as `APOLLO_KEY`.
//! An option overrides the variable.

mod hive;
mod poll;
mod s3;
mod secret;
mod uplink;

use std::env;
use std::fmt;
use std::time::Duration;

use clap::Args;
use hyper::Uri;

use super::supergraph_url::{RequestHeader, SupergraphUrl};
use super::words::Words;
use crate::failure::Failure;

pub(crate) use hive::HiveTarget;
pub(crate) use poll::Poll;
pub(crate) use s3::S3Object;
pub(crate) use secret::Secret;
pub(crate) use uplink::UplinkGraph;

use s3::Addressing;

/// The polling interval of registries, by default.
const POLL: Duration = Duration::from_secs(10);

/// Options of requests for a supergraph.
#[derive(Debug, Default, Args)]
pub(crate) struct RegistryOptions {
    /// A header of requests for a supergraph at an address: NAME=VALUE, or NAME=env:VARIABLE
    ///
    /// Can be repeated. Credentials in the address are sent as basic authentication.
    #[arg(
        help_heading = "Supergraph",
        long,
        env = "THALWEG_SUPERGRAPH_HEADER",
        hide_env_values = true,
        value_name = "NAME=VALUE"
    )]
    supergraph_header: Vec<RequestHeader>,
    /// For `uplink:`: a key of the graph in GraphOS [default: the variable APOLLO_KEY]
    #[arg(
        help_heading = "Supergraph",
        long,
        env = "THALWEG_UPLINK_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    uplink_key: Option<Box<str>>,
    /// For `uplink:`: the addresses of Uplink, separated by commas, the next one if one fails [default:
    /// the variable APOLLO_UPLINK_ENDPOINTS, or Apollo's two]
    #[arg(
        help_heading = "Supergraph",
        long,
        env = "THALWEG_UPLINK_ENDPOINTS",
        value_name = "URLS",
        value_delimiter = ','
    )]
    uplink_endpoints: Vec<Box<str>>,
    /// For `hive:`: an access key of Hive's CDN [default: the variable HIVE_CDN_KEY]
    #[arg(
        help_heading = "Supergraph",
        long,
        env = "THALWEG_HIVE_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    hive_key: Option<Box<str>>,
    /// For `hive:`: the addresses of the target in Hive's CDN and in its mirror, separated by commas, the
    /// next one if one fails [default: the variable HIVE_CDN_ENDPOINT]
    #[arg(
        help_heading = "Supergraph",
        long,
        env = "THALWEG_HIVE_ENDPOINTS",
        value_name = "URLS",
        value_delimiter = ','
    )]
    hive_endpoints: Vec<Box<str>>,
    /// For `s3:`: the address of the storage [default: the variable AWS_ENDPOINT_URL_S3 or
    /// AWS_ENDPOINT_URL, or that of AWS in the region]
    #[arg(help_heading = "Supergraph", long, env = "THALWEG_S3_ENDPOINT", value_name = "URL")]
    s3_endpoint: Option<Box<str>>,
    /// For `s3:`: the region of the bucket [default: the variable AWS_REGION or AWS_DEFAULT_REGION, or
    /// `us-east-1` with an endpoint]
    #[arg(help_heading = "Supergraph", long, env = "THALWEG_S3_REGION", value_name = "REGION")]
    s3_region: Option<Box<str>>,
    /// For `s3:`: the id of the access key [default: the variable AWS_ACCESS_KEY_ID]
    #[arg(
        help_heading = "Supergraph",
        long,
        env = "THALWEG_S3_ACCESS_KEY_ID",
        hide_env_values = true,
        value_name = "ID"
    )]
    s3_access_key_id: Option<Box<str>>,
    /// For `s3:`: the secret access key [default: the variable AWS_SECRET_ACCESS_KEY]
    #[arg(
        help_heading = "Supergraph",
        long,
        env = "THALWEG_S3_SECRET_ACCESS_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    s3_secret_access_key: Option<Box<str>>,
    /// For `s3:`: the session token of temporary credentials [default: the variable AWS_SESSION_TOKEN]
    #[arg(
        help_heading = "Supergraph",
        long,
        env = "THALWEG_S3_SESSION_TOKEN",
        hide_env_values = true,
        value_name = "TOKEN"
    )]
    s3_session_token: Option<Box<str>>,
    /// For `s3:`: the place of the bucket in addresses [default: host, or path with an endpoint]
    #[arg(
        help_heading = "Supergraph",
        long,
        env = "THALWEG_S3_ADDRESSING",
        value_name = "WHERE",
        value_parser = ADDRESSING
    )]
    s3_addressing: Option<Addressing>,
}

const ADDRESSING: Words<Addressing> = Words(&[
    ("host", Addressing::Host, "`https://BUCKET.s3.example/KEY`"),
    ("path", Addressing::Path, "`https://s3.example/BUCKET/KEY`"),
]);

/// A supergraph on another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RemoteSupergraph {
    Url(SupergraphUrl),
    Uplink(UplinkGraph),
    Hive(HiveTarget),
    S3(S3Object),
}

/// The kinds of supergraphs on other servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RemoteKind {
    Url,
    Uplink,
    Hive,
    S3,
}

/// Values of environment variables; none for a variable that is unset or empty.
type Environment<'e> = &'e dyn Fn(&str) -> Option<String>;

/// A variable of this process.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

impl RemoteKind {
    pub(crate) const ALL: [Self; 4] = [Self::Url, Self::Uplink, Self::Hive, Self::S3];

    /// The kind of a supergraph on another server, by the beginning of its name.
    pub(crate) fn of(text: &str) -> Option<Self> {
        Self::registry(text).map(|(kind, _)| kind).or_else(|| {
            let is_address = text.starts_with("https://") || text.starts_with("http://");
            is_address.then_some(Self::Url)
        })
    }

    /// The registry that a text names, and the rest of the text.
    fn registry(text: &str) -> Option<(Self, &str)> {
        let registries = [("uplink:", Self::Uplink), ("hive:", Self::Hive), ("s3:", Self::S3)];
        registries.into_iter().find_map(|(prefix, kind)| Some((kind, text.strip_prefix(prefix)?)))
    }

    /// The name in metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Uplink => "uplink",
            Self::Hive => "hive",
            Self::S3 => "s3",
        }
    }

    /// What an option is for.
    fn what(self) -> &'static str {
        match self {
            Self::Url => "a supergraph at an address",
            Self::Uplink => "a supergraph of GraphOS, `uplink:GRAPH_REF`",
            Self::Hive => "a supergraph of Hive's CDN, `hive:TARGET`",
            Self::S3 => "a supergraph in S3-compatible storage, `s3://BUCKET/KEY`",
        }
    }
}

impl RegistryOptions {
    /// The supergraph of a registry, if the text names one; options of others are refused.
    pub(super) fn registry(&self, text: &str) -> Result<Option<RemoteSupergraph>, Failure> {
        self.registry_in(text, &variable).map_err(Failure::Usage)
    }

    fn registry_in(
        &self,
        text: &str,
        environment: Environment<'_>,
    ) -> Result<Option<RemoteSupergraph>, String> {
        let Some((kind, name)) = RemoteKind::registry(text) else { return Ok(None) };
        self.check(Some(kind))?;
        Ok(Some(match kind {
            RemoteKind::Uplink => RemoteSupergraph::Uplink(self.uplink(name, environment)?),
            RemoteKind::Hive => RemoteSupergraph::Hive(self.hive(name, environment)?),
            RemoteKind::S3 => RemoteSupergraph::S3(self.s3(name, environment)?),
            RemoteKind::Url => return Ok(None),
        }))
    }

    /// A supergraph at an address; options of registries are refused.
    pub(super) fn url(&self, url: Uri) -> Result<RemoteSupergraph, Failure> {
        self.check(Some(RemoteKind::Url)).map_err(Failure::Usage)?;
        let mut url = SupergraphUrl::new(url);
        url.add(&self.supergraph_header);
        Ok(RemoteSupergraph::Url(url))
    }

    /// Refuses all options, for a supergraph that is not on another server.
    pub(super) fn refuse(&self) -> Result<(), Failure> {
        self.check(None).map_err(Failure::Usage)
    }

    /// Refuses options that are given for another kind of supergraph.
    fn check(&self, kind: Option<RemoteKind>) -> Result<(), String> {
        use RemoteKind::{Hive, S3, Uplink, Url};
        let given = [
            ("--supergraph-header", Url, !self.supergraph_header.is_empty()),
            ("--uplink-key", Uplink, self.uplink_key.is_some()),
            ("--uplink-endpoints", Uplink, !self.uplink_endpoints.is_empty()),
            ("--hive-key", Hive, self.hive_key.is_some()),
            ("--hive-endpoints", Hive, !self.hive_endpoints.is_empty()),
            ("--s3-endpoint", S3, self.s3_endpoint.is_some()),
            ("--s3-region", S3, self.s3_region.is_some()),
            ("--s3-access-key-id", S3, self.s3_access_key_id.is_some()),
            ("--s3-secret-access-key", S3, self.s3_secret_access_key.is_some()),
            ("--s3-session-token", S3, self.s3_session_token.is_some()),
            ("--s3-addressing", S3, self.s3_addressing.is_some()),
        ];
        let wrong = given.into_iter().find(|(_, of, given)| *given && Some(*of) != kind);
        match wrong {
            Some((option, of, _)) => Err(format!("`{option}` is for {}", of.what())),
            None => Ok(()),
        }
    }
}

impl RemoteSupergraph {
    pub(crate) fn kind(&self) -> RemoteKind {
        match self {
            Self::Url(_) => RemoteKind::Url,
            Self::Uplink(_) => RemoteKind::Uplink,
            Self::Hive(_) => RemoteKind::Hive,
            Self::S3(_) => RemoteKind::S3,
        }
    }

    /// The polling interval, if no option sets one; none for never.
    pub(super) fn default_poll(&self) -> Result<Option<Duration>, Failure> {
        match self {
            Self::Url(_) => Ok(None),
            Self::Uplink(_) => {
                let poll = uplink::poll(&variable).map_err(Failure::Usage)?;
                Ok(Some(poll.unwrap_or(POLL)))
            }
            Self::Hive(_) | Self::S3(_) => Ok(Some(POLL)),
        }
    }
}

/// Without keys.
impl fmt::Display for RemoteSupergraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(place) => f.write_str(&redact::address(&place.url.to_string())),
            Self::Uplink(graph) => write!(f, "uplink:{}", graph.graph_ref),
            Self::Hive(target) => f.write_str(&target.name),
            Self::S3(object) => write!(f, "s3://{}/{}", object.bucket, object.key),
        }
    }
}

/// An option, or else the variable of a registry's own tools.
fn given(option: Option<&str>, variable: Option<String>) -> Option<String> {
    option.filter(|value| !value.is_empty()).map(str::to_owned).or(variable)
}

/// The addresses of an option, or else those of a variable, separated by commas.
fn endpoints(
    (given, option): (&[Box<str>], &'static str),
    variable: &'static str,
    environment: Environment<'_>,
) -> Result<Vec<Uri>, String> {
    let value = if given.is_empty() { environment(variable) } else { None };
    let (texts, name): (Vec<&str>, _) = match &value {
        Some(value) => (value.split(',').collect(), variable),
        None => (given.iter().map(|text| &**text).collect(), option),
    };
    let texts = texts.into_iter().map(str::trim).filter(|text| !text.is_empty());
    texts.map(|text| endpoint(text, name)).collect()
}

/// An address of a registry.
fn endpoint(text: &str, name: &str) -> Result<Uri, String> {
    let shown = redact::address(text);
    let url = clients::http::read_url(text)
        .map_err(|error| format!("`{name}`: the address `{shown}`: {error}"))?;
    let has_user = url.authority().is_some_and(|authority| authority.as_str().contains('@'));
    match has_user {
        true => Err(format!(
            "`{name}`: the address `{shown}` has a user, which the registry does not use: leave it out"
        )),
        false => Ok(url),
    }
}

#[cfg(test)]
mod tests;
