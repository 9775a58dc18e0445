//! Configuration of connections.
//!
//! - [`Config`] and its parts (this file): each value is decided;
//! - `resolve`: from an address and the environment;
//! - `url`: the parts of an address.

mod resolve;
mod url;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use response::MemoryBudget;
use source::wire::socket::Silence;
use source::wire::tls::{self, Check};

use super::error::WireError;

pub use source::wire::secret::Secret;
pub use source::wire::tls::RootCertificates;

pub(super) use url::endpoint;

/// A server or a cluster of them, and all that a session needs.
#[derive(Debug, Clone)]
pub struct Config {
    pub(super) endpoint: Arc<Endpoint>,
    /// The routing context for the servers of a cluster; none where the address means one server.
    pub(super) routing: Option<RoutingContext>,
    pub(super) encryption: Encryption,
    pub(super) root_certificates: Option<RootCertificates>,
    pub(super) authentication: Authentication,
    pub(super) database: Option<Arc<str>>,
    /// For each address that is tried, until the session is ready.
    pub(super) connect_timeout: ConnectTimeout,
    pub(super) silence: Silence,
    pub(super) answer_limit: usize,
    /// The memory budget of the answers of all connections.
    pub(super) memory: Option<Arc<MemoryBudget>>,
    /// Made on first use: reading root certificates takes milliseconds, and sharing it allows TLS
    /// sessions to be resumed.
    tls_client: Arc<OnceLock<Arc<rustls::ClientConfig>>>,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// A name or an IP address, without brackets.
    pub host: String,
    pub port: u16,
}

/// The query of a `neo4j` address, which the servers understand: `policy=eu`.
pub(super) type RoutingContext = Arc<[(Box<str>, Box<str>)]>;

/// TLS by the scheme of the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// `bolt`, `neo4j`.
    Plain,
    /// `bolt+s`, `neo4j+s`: the certificate comes from an authority, and names the host.
    Verified,
    /// `bolt+ssc`, `neo4j+ssc`: any certificate will do.
    Unverified,
}

/// Credentials of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Authentication {
    /// For servers without authentication.
    None,
    Basic {
        user: String,
        password: Secret,
    },
    /// A token of an identity provider.
    Bearer(Secret),
}

/// Timeout of connecting to one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectTimeout {
    Default(Duration),
    /// Configured; none is no limit.
    Configured(Option<Duration>),
}

impl Config {
    /// From an address and the process's environment.
    pub fn from_url(url: &str) -> Result<Config, WireError> {
        Config::resolve(url, |name| std::env::var(name).ok())
    }

    /// Resolves an address and an environment: `NEO4J_USERNAME`, `NEO4J_PASSWORD` and
    /// `NEO4J_DATABASE`, which hold where the address has no value.
    pub fn resolve(
        url: &str,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Config, WireError> {
        resolve::resolve(url, &environment)
    }

    /// The most bytes that the answers of one exchange may have together; at most 4 GiB.
    #[must_use]
    pub fn with_answer_limit(mut self, bytes: usize) -> Config {
        self.answer_limit = bytes;
        self
    }

    /// Sets the timeout unless the address has set one.
    #[must_use]
    pub fn with_default_connect_timeout(mut self, timeout: Duration) -> Config {
        self.connect_timeout = match self.connect_timeout {
            ConnectTimeout::Default(_) => ConnectTimeout::Default(timeout),
            configured @ ConnectTimeout::Configured(_) => configured,
        };
        self
    }

    /// The memory that answers are counted in, with those of others.
    #[must_use]
    pub fn with_memory(mut self, memory: &Arc<MemoryBudget>) -> Config {
        self.memory = Some(Arc::clone(memory));
        self
    }

    /// The server that the address names.
    pub fn endpoint(&self) -> &Arc<Endpoint> {
        &self.endpoint
    }

    /// Whether the servers are chosen by routing tables.
    pub fn is_routed(&self) -> bool {
        self.routing.is_some()
    }

    /// None is the user's home database.
    pub fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// None without a user: the server requires no authentication, or a token identifies the user.
    pub fn user(&self) -> Option<&str> {
        match &self.authentication {
            Authentication::Basic { user, .. } => Some(user),
            Authentication::None | Authentication::Bearer(_) => None,
        }
    }

    pub fn encryption(&self) -> Encryption {
        self.encryption
    }

    pub fn connect_timeout(&self) -> Option<Duration> {
        match self.connect_timeout {
            ConnectTimeout::Default(timeout) => Some(timeout),
            ConnectTimeout::Configured(timeout) => timeout,
        }
    }

    /// None without TLS.
    pub(super) fn tls_client(&self) -> Result<Option<Arc<rustls::ClientConfig>>, WireError> {
        let check = match self.encryption {
            Encryption::Plain => return Ok(None),
            Encryption::Verified => Check::ChainAndName,
            Encryption::Unverified => Check::Possession,
        };
        if let Some(client) = self.tls_client.get() {
            return Ok(Some(Arc::clone(client)));
        }
        let client = tls::client_config(check, self.root_certificates.as_ref(), None)?;
        Ok(Some(Arc::clone(self.tls_client.get_or_init(|| client))))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Endpoint { host, port } = self;
        match host.contains(':') {
            true => write!(formatter, "[{host}]:{port}"),
            false => write!(formatter, "{host}:{port}"),
        }
    }
}
