//! HTTP client for servers that definitions name.
//!
//! Requests go only to allowed hosts, and not to private addresses unless these are allowed, too
//! (server-side request forgery). Addresses are checked after the name of a host is resolved, for
//! each connection, so that a name whose address changes leads nowhere else. Redirects are not
//! followed.
//!
//! * [`network`]: ranges of addresses, and private addresses
//! * `resolve`: resolution of host names to permitted addresses
//! * `client`: one request, within its limits
//! * [`statistics`]: counters of requests, for metrics

mod client;
pub mod network;
mod resolve;
pub mod statistics;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use tokio::sync::Semaphore;

pub use client::{Client, EgressError, EgressRequest, EgressResponse};
pub use network::Network;
pub use statistics::{Counts, Outcome, Statistics};

use crate::connect::{ConnectError, tls};
use crate::hosts::AllowedHost;

/// Limits of outgoing requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressSettings {
    pub hosts: Vec<AllowedHost>,
    /// Private networks that may be reached.
    pub networks: Vec<Network>,
    /// Timeout of a request, from the wait for a connection to the last byte of the response.
    pub timeout: Duration,
    /// Maximum size of a response.
    pub most_bytes: usize,
    /// Maximum number of connections of a thread.
    pub connections: usize,
    /// Maximum number of concurrent requests, over all threads.
    pub most_requests: usize,
    /// Trusted certificate authorities in PEM; `None` for those of the system.
    pub authorities: Option<PathBuf>,
}

/// State that the clients of all threads share.
#[derive(Debug)]
pub struct Egress {
    settings: EgressSettings,
    tls: Arc<ClientConfig>,
    requests: Semaphore,
}

impl Default for EgressSettings {
    /// No host is allowed.
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            networks: Vec::new(),
            timeout: Duration::from_secs(10),
            most_bytes: 4 << 20,
            connections: 16,
            most_requests: 256,
            authorities: None,
        }
    }
}

impl Egress {
    /// Loads the trusted certificates of the file, or those of the system if `is_encrypted`.
    pub fn new(settings: EgressSettings, is_encrypted: bool) -> Result<Arc<Self>, ConnectError> {
        let requests = Semaphore::new(settings.most_requests.clamp(1, Semaphore::MAX_PERMITS));
        let tls = tls(is_encrypted, settings.authorities.as_deref())?;
        Ok(Arc::new(Self { settings, tls: Arc::new(tls), requests }))
    }
}

impl EgressSettings {
    /// Returns true if requests may be sent to a host, as it is in a URL.
    #[must_use]
    pub fn allows(&self, host: &str) -> bool {
        self.hosts.iter().any(|allowed| allowed.contains(host))
    }
}
