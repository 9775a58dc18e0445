//! A supergraph of GraphOS: `uplink:GRAPH@VARIANT`.
//! <https://www.apollographql.com/docs/graphos/routing/uplink>

use std::time::Duration;

use hyper::Uri;

use super::{Environment, RegistryOptions, Secret, endpoints, given};
use crate::options::quantity::Time;

/// Uplink's addresses: at Google, and at Amazon.
const ENDPOINTS: [&str; 2] =
    ["https://uplink.api.apollographql.com/", "https://aws.uplink.api.apollographql.com/"];

/// The variable with the interval of polling.
const POLL: &str = "APOLLO_UPLINK_POLL_INTERVAL";

/// A variant of a graph in GraphOS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UplinkGraph {
    /// `GRAPH@VARIANT`.
    pub(crate) graph_ref: Box<str>,
    pub(crate) key: Secret,
    /// At least one.
    pub(crate) endpoints: Box<[Uri]>,
}

impl RegistryOptions {
    pub(super) fn uplink(
        &self,
        name: &str,
        environment: Environment<'_>,
    ) -> Result<UplinkGraph, String> {
        let graph_ref = match name {
            "" => environment("APOLLO_GRAPH_REF").ok_or(
                "`uplink:` needs a graph reference: `uplink:GRAPH@VARIANT`, or the environment variable \
                 `APOLLO_GRAPH_REF`",
            )?,
            name => name.to_owned(),
        };
        let is_part = |part: &str| {
            let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            !part.is_empty() && part.chars().all(is_letter)
        };
        let is_reference = match graph_ref.split_once('@') {
            Some((graph, variant)) => is_part(graph) && is_part(variant),
            None => is_part(&graph_ref),
        };
        if !is_reference {
            let shown = redact::address(&graph_ref);
            return Err(format!(
                "`{shown}` is no graph reference: `GRAPH@VARIANT` is wanted, such as \
                 `uplink:shop@current`"
            ));
        }
        let key = given(self.uplink_key.as_deref(), environment("APOLLO_KEY")).ok_or_else(|| {
            format!(
                "the supergraph `uplink:{graph_ref}` needs a key of the graph: set the environment \
                 variable `APOLLO_KEY`, or `--uplink-key`"
            )
        })?;
        let option = (&*self.uplink_endpoints, "--uplink-endpoints");
        let mut endpoints = endpoints(option, "APOLLO_UPLINK_ENDPOINTS", environment)?;
        if endpoints.is_empty() {
            endpoints = ENDPOINTS.map(Uri::from_static).into();
        }
        let endpoints = endpoints.into();
        Ok(UplinkGraph { graph_ref: graph_ref.into(), key: key.into(), endpoints })
    }
}

/// The interval of the variable.
pub(super) fn poll(environment: Environment<'_>) -> Result<Option<Duration>, String> {
    let Some(text) = environment(POLL) else { return Ok(None) };
    match text.parse() {
        Ok(Time(pause)) => Ok(Some(pause)),
        Err(error) => Err(format!("the environment variable `{POLL}`: {error}")),
    }
}
