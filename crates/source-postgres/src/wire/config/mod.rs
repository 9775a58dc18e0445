//! Configuration of connections.
//!
//! - [`Config`] and its parts (this file): the low level is gone, each value is decided;
//! - `resolve`: from a URL, the environment and the password file;
//! - `url`: parameters that are removed from a URL before `tokio_postgres` parses it;
//! - `password_file`: libpq's `.pgpass`.

mod password_file;
mod resolve;
mod url;

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use response::MemoryBudget;
use source::wire::socket::Silence;
use tokio_postgres::config::{ChannelBinding, SslMode, SslNegotiation, TargetSessionAttrs};

use super::error::WireError;
use super::pooler::PoolerState;
use super::sessions::Sessions;
use super::silent::SilentAddresses;
use super::tls;

pub use super::tls::TlsMode;
pub use source::wire::secret::Secret;
pub use source::wire::tls::RootCertificates;

/// One server or several, tried in order, and the parameters of sessions.
#[derive(Debug, Clone)]
pub struct Config {
    pub(super) endpoints: Vec<Endpoint>,
    pub(super) user: String,
    pub(super) database: String,
    pub(super) application_name: String,
    /// Command-line options for the server's process (`-c name=value`).
    pub(super) options: Option<String>,
    pub(super) tls: TlsMode,
    pub(super) root_certificates: Option<RootCertificates>,
    pub(super) tls_negotiation: SslNegotiation,
    pub(super) channel_binding: ChannelBinding,
    pub(super) session: TargetSessionAttrs,
    /// For each address that is tried, until the session is ready.
    pub(super) connect_timeout: ConnectTimeout,
    pub(super) silence: Silence,
    pub(super) pooler: PoolerState,
    /// Counter of open sessions.
    pub(super) sessions: Sessions,
    pub(super) answer_limit: usize,
    /// The memory budget of the answers of all connections.
    pub(super) memory: Option<Arc<MemoryBudget>>,
    pub(super) silent: SilentAddresses,
    /// Made on first use: reading root certificates takes milliseconds, and sharing it allows TLS
    /// sessions to be resumed.
    tls_client: Arc<OnceLock<Arc<rustls::ClientConfig>>>,
}

/// One server to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub host: Host,
    /// Saves the look-up of the host's name, which a certificate is compared with all the same.
    pub address: Option<IpAddr>,
    pub port: u16,
    pub password: Option<Secret>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    Tcp(String),
    /// The folder of the socket.
    Unix(PathBuf),
}

/// Timeout of connecting to one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectTimeout {
    Default(Duration),
    /// Configured; none is no limit.
    Configured(Option<Duration>),
}

impl Config {
    /// From a URL (or `name=value` pairs) and the process's environment.
    pub fn from_url(url: &str) -> Result<Config, WireError> {
        Config::resolve(url, |name| std::env::var(name).ok())
    }

    /// From a URL and an environment of the caller's: `PGHOST`, `PGPASSFILE`, `HOME` and so on.
    pub fn resolve(
        url: &str,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Config, WireError> {
        resolve::resolve(url, &environment)
    }

    /// Sets whether statements are prepared by name and kept. Not supported by poolers that give
    /// each transaction another server connection.
    #[must_use]
    pub fn with_prepared(mut self, prepared: bool) -> Config {
        self.pooler = self.pooler.detached();
        self.pooler.set_keeps_statements(prepared);
        self
    }

    /// The configuration for a pooler in front of the server, which assigns sessions of the server
    /// when they are used, and may have none.
    #[must_use]
    pub(in super::super) fn behind_pooler(mut self) -> Config {
        self.pooler = self.pooler.detached();
        self.pooler.set_there();
        self
    }

    /// For connections that only find out about a pooler.
    #[must_use]
    pub(in super::super) fn probing(mut self) -> Config {
        self.pooler = self.pooler.probing();
        self
    }

    /// The most bytes that the answers of one round may have together; at most 4 GiB.
    #[must_use]
    pub fn with_answer_limit(mut self, bytes: usize) -> Config {
        self.answer_limit = bytes;
        self
    }

    /// Sets the timeout unless the text or the environment has set one.
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

    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    pub fn user(&self) -> &str {
        &self.user
    }

    pub fn database(&self) -> &str {
        &self.database
    }

    pub fn application_name(&self) -> &str {
        &self.application_name
    }

    pub fn tls(&self) -> TlsMode {
        self.tls
    }

    pub fn root_certificates(&self) -> Option<&RootCertificates> {
        self.root_certificates.as_ref()
    }

    pub fn connect_timeout(&self) -> Option<Duration> {
        match self.connect_timeout {
            ConnectTimeout::Default(timeout) => Some(timeout),
            ConnectTimeout::Configured(timeout) => timeout,
        }
    }

    pub(in super::super) fn is_behind_pooler(&self) -> bool {
        self.pooler.is_there()
    }

    pub fn is_prepared(&self) -> bool {
        self.pooler.keeps_statements()
    }

    /// The configuration of `tokio_postgres`, which supports neither `allow` nor verification
    /// itself.
    pub fn to_tokio_postgres(&self) -> tokio_postgres::Config {
        let mut config = tokio_postgres::Config::new();
        config
            .user(&self.user)
            .dbname(&self.database)
            .application_name(&self.application_name)
            .ssl_negotiation(self.tls_negotiation)
            .channel_binding(self.channel_binding)
            .target_session_attrs(self.session)
            .ssl_mode(match self.tls {
                TlsMode::Disable => SslMode::Disable,
                TlsMode::Allow | TlsMode::Prefer => SslMode::Prefer,
                TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => SslMode::Require,
            });
        if let Some(options) = &self.options {
            config.options(options);
        }
        if let Some(timeout) = self.connect_timeout() {
            config.connect_timeout(timeout);
        }
        for endpoint in &self.endpoints {
            match &endpoint.host {
                Host::Tcp(name) => config.host(name),
                Host::Unix(folder) => config.host_path(folder),
            };
            config.port(endpoint.port);
            if let Some(password) = &endpoint.password {
                config.password(password.as_bytes());
            }
        }
        config
    }

    pub(super) fn tls_client(&self) -> Result<Arc<rustls::ClientConfig>, WireError> {
        if let Some(client) = self.tls_client.get() {
            return Ok(Arc::clone(client));
        }
        let client = tls::client_config(self.tls, self.root_certificates.as_ref())?;
        Ok(Arc::clone(self.tls_client.get_or_init(|| client)))
    }
}

impl Endpoint {
    /// The host as people write it, for messages.
    pub(in super::super) fn describe(&self) -> String {
        let port = self.port.to_string();
        match &self.host {
            Host::Tcp(name) => [name, ":", &port].concat(),
            Host::Unix(folder) => [&folder.to_string_lossy(), "/.s.PGSQL.", &port].concat(),
        }
    }
}
