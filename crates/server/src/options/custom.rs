//! Requests to other servers: of custom fields of Dgraph, and of actions of Hasura.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use clients::egress::{EgressSettings, Network};
use clients::hosts::AllowedHost;
use engine::ResolverOptions;

use super::quantity::{Size, Time};

#[derive(Debug, Args)]
#[command(next_help_heading = "Custom fields")]
pub(crate) struct CustomOptions {
    /// For dgraph and hasura: the hosts to which `@custom` fields and actions may send requests, as
    /// `api.example`; `.example` is a domain with all hosts below it, and `*` any host
    ///
    /// A host of the definitions or of the metadata that is not listed is an error at the start.
    #[arg(long, env = "THALWEG_CUSTOM_HOSTS", value_name = "HOSTS", value_delimiter = ',')]
    custom_hosts: Vec<AllowedHost>,
    /// For dgraph and hasura: private networks that requests of `@custom` fields and actions may reach,
    /// as `10.0.0.0/8`; by default they reach public addresses only
    ///
    /// Private are also addresses of this machine and link-local ones. Addresses are checked after the
    /// name of a host is resolved.
    #[arg(long, env = "THALWEG_CUSTOM_NETWORKS", value_name = "NETWORKS", value_delimiter = ',')]
    custom_networks: Vec<Network>,
    /// For dgraph and hasura: the PEM file of the certificate authorities that requests of `@custom`
    /// fields and actions trust, instead of those of the system
    #[arg(long, env = "THALWEG_CUSTOM_CA", value_name = "FILE")]
    custom_ca: Option<PathBuf>,
    /// For dgraph: the timeout of a request of a `@custom` field, to the last byte of the response;
    /// actions of hasura have their own in the metadata
    #[arg(long, env = "THALWEG_CUSTOM_TIMEOUT", value_name = "TIME", default_value = "10s")]
    custom_timeout: Time,
    /// For dgraph and hasura: the maximum number of connections for `@custom` fields and actions in one
    /// thread
    #[arg(long, env = "THALWEG_CUSTOM_CONNECTIONS", value_name = "NUMBER", default_value = "16")]
    custom_connections: NonZeroUsize,
    /// For dgraph and hasura: the maximum number of concurrent requests of `@custom` fields and actions
    #[arg(long, env = "THALWEG_MAX_CUSTOM_REQUESTS", value_name = "NUMBER", default_value = "256")]
    max_custom_requests: NonZeroUsize,
    /// For dgraph and hasura: the maximum number of requests of `@custom` fields and actions for one
    /// operation
    #[arg(long, env = "THALWEG_MAX_CUSTOM_CALLS", value_name = "NUMBER", default_value = "1000")]
    max_custom_calls: NonZeroUsize,
    /// For dgraph and hasura: the maximum size of a response to a `@custom` field or an action
    #[arg(long, env = "THALWEG_MAX_CUSTOM_ANSWER", value_name = "SIZE", default_value = "4MiB")]
    max_custom_answer: Size,
}

impl CustomOptions {
    pub(super) fn to_engine(&self) -> ResolverOptions {
        ResolverOptions {
            egress: EgressSettings {
                hosts: self.custom_hosts.clone(),
                networks: self.custom_networks.clone(),
                timeout: self.custom_timeout.0,
                most_bytes: self.max_custom_answer.length(),
                connections: self.custom_connections.get(),
                most_requests: self.max_custom_requests.get(),
                authorities: self.custom_ca.clone(),
            },
            most_calls: self.max_custom_calls.get(),
            ..ResolverOptions::default()
        }
    }
}
