//! Options of `thalweg diff`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use hyper::Uri;
use hyper::header::{HeaderName, HeaderValue};

use super::api::ApiOptions;
use super::changes::FailOn;
use super::compose::ReportForm;
use super::supergraph_url::{RequestHeader, SupergraphUrl};

#[derive(Debug, Args)]
pub(crate) struct DiffOptions {
    #[command(flatten)]
    pub(crate) api: ApiOptions,
    /// The other API: the http:// or https:// address of its endpoint, a file in GraphQL's schema language,
    /// or a response to introspection (`.json`)
    #[arg(help_heading = "Difference", long, env = "THALWEG_AGAINST", value_name = "URL|FILE")]
    against: OtherApi,
    /// A header of requests to the other API: NAME=VALUE, or NAME=env:VARIABLE
    ///
    /// Can be repeated. Credentials in the address are sent as basic authentication.
    #[arg(
        help_heading = "Difference",
        long,
        env = "THALWEG_AGAINST_HEADER",
        hide_env_values = true,
        value_name = "NAME=VALUE"
    )]
    against_header: Vec<RequestHeader>,
    /// The roles to compare, separated by commas [default: the whole schema]
    ///
    /// The other API is asked once for each role, which is the value of the header of `--role-header`.
    #[arg(
        help_heading = "Difference",
        long,
        env = "THALWEG_ROLE",
        value_name = "NAMES",
        value_delimiter = ','
    )]
    pub(crate) role: Vec<String>,
    /// The header that names the role to the other API
    #[arg(
        help_heading = "Difference",
        long,
        env = "THALWEG_ROLE_HEADER",
        value_name = "NAME",
        default_value = "x-hasura-role"
    )]
    pub(crate) role_header: HeaderName,
    /// The differences that make the exit code 1
    #[arg(
        help_heading = "Difference",
        long,
        env = "THALWEG_FAIL_ON",
        value_name = "WHAT",
        default_value = "breaking"
    )]
    pub(crate) fail_on: FailOn,
    /// The form of the report
    #[arg(
        help_heading = "Difference",
        long,
        visible_alias = "format",
        env = "THALWEG_REPORT",
        value_name = "FORM",
        default_value = "text"
    )]
    pub(crate) report: ReportForm,
    /// Also report differences of descriptions
    #[arg(help_heading = "Difference", long, env = "THALWEG_DESCRIPTIONS")]
    pub(crate) descriptions: bool,
}

/// The place of another API's schema.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum OtherApi {
    File(PathBuf),
    /// Its endpoint.
    Endpoint(SupergraphUrl),
}

impl DiffOptions {
    /// The other API, with the headers of requests to it.
    pub(crate) fn against(&self) -> (&OtherApi, Vec<(HeaderName, HeaderValue)>) {
        let own = match &self.against {
            OtherApi::File(_) => &[],
            OtherApi::Endpoint(place) => &place.headers[..],
        };
        let given = self.against_header.iter().map(RequestHeader::to_pair);
        (&self.against, own.iter().cloned().chain(given).collect())
    }
}

impl FromStr for OtherApi {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.starts_with("http://") && !text.starts_with("https://") {
            return Ok(Self::File(text.into()));
        }
        let url: Uri = text
            .trim()
            .parse()
            .map_err(|_| "an address is wanted, such as `https://host.example/v1/graphql`")?;
        Ok(Self::Endpoint(SupergraphUrl::new(url)))
    }
}

impl fmt::Display for OtherApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => file.display().fmt(f),
            Self::Endpoint(place) => place.url.fmt(f),
        }
    }
}

impl fmt::Debug for OtherApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OtherApi({self})")
    }
}
