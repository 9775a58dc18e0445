//! Resolves the settings of each subgraph: from its entry, the entry of all, and the options.

use std::cell::OnceCell;
use std::fmt;
use std::fs;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clients::broker::BrokerSettings;
use clients::subgraph::{
    Endpoint, Http2, OwnCertificate, Settings, SubscriptionSettings, Tls, TlsFiles,
};
use engine::gateway::CachePolicy;
use engine::gateway::headers::Rules;
use gateway::events::Provider;

use super::connectors::{self, ConnectorsEntry};
use super::entry::{CacheEntry, DEFAULT_BREAKER, SubgraphEntry, TlsEntry};
use super::events::EventsEntry;
use super::source::SourceEntry;
use super::subscription;
use super::{Named, SubgraphsFile};
use crate::configuration::problem::{Problem, Refused};
use crate::configuration::similar;
use crate::failure::Failure;
use crate::options::RequestLimit;

/// The settings of a subgraph.
#[derive(Clone, Debug)]
pub(crate) enum Resolved {
    /// A server over HTTP.
    Remote {
        settings: Box<Settings>,
        subscriptions: Box<SubscriptionSettings>,
        /// Rules for forwarded headers.
        rules: Rules,
        /// Whether and how responses are kept.
        cache: Option<CacheEntry>,
    },
    /// A source in this process.
    Local(Box<LocalSource>),
    /// Events of brokers.
    Events(Box<EventSource>),
    /// REST connectors.
    Connectors(Box<ConnectorSource>),
}

/// A subgraph of REST connectors.
#[derive(Clone, Debug)]
pub(crate) struct ConnectorSource {
    /// `None` without an entry in the file.
    pub(crate) entry: Option<ConnectorsEntry>,
    /// The file of the entry.
    pub(crate) file: PathBuf,
    pub(crate) timeout: Duration,
    pub(crate) retries: u32,
    pub(crate) connections: usize,
    pub(crate) most_bytes: u64,
    pub(crate) most_requests: NonZeroU32,
    pub(crate) deduplicate: bool,
    pub(crate) authorities: Option<PathBuf>,
}

/// A subgraph of events.
#[derive(Clone, Debug)]
pub(crate) struct EventSource {
    /// The file of its schema, and the text.
    pub(crate) file: PathBuf,
    pub(crate) text: String,
    /// The brokers of the file.
    pub(crate) brokers: Arc<Vec<(Provider, BrokerSettings)>>,
    pub(crate) timeout: Duration,
    pub(crate) most_bytes: u64,
    pub(crate) most_requests: NonZeroU32,
}

impl Resolved {
    /// How responses are kept: by the entry of the file, and otherwise by the options.
    pub(crate) fn cache_policy(&self, options: Option<&CachePolicy>) -> Option<CachePolicy> {
        let (Self::Remote { cache, .. }, Some(options)) = (self, options) else { return None };
        match cache {
            Some(CacheEntry::Off) => None,
            None => Some(options.clone()),
            Some(CacheEntry::On { ttl, user, .. }) => Some(CachePolicy {
                default_ttl: ttl.or(options.default_ttl),
                user_claim: user.clone().or_else(|| options.user_claim.clone()),
            }),
        }
    }

    /// Refuses an entry that wants a cache, for a server without one.
    pub(crate) fn check_without_cache(&self) -> Result<(), Failure> {
        match self {
            Self::Remote { settings, cache: Some(CacheEntry::On { .. }), .. } => {
                let name = &settings.name;
                let message = format!("`cache` of the subgraph `{name}` needs `--subgraph-cache`");
                Err(Failure::Usage(message))
            }
            Self::Remote { .. } | Self::Local(_) | Self::Events(_) | Self::Connectors(_) => Ok(()),
        }
    }

    /// Sets the URL at which the server receives events of subscriptions by callback.
    pub(crate) fn set_callback_url(&mut self, url: &str) {
        match self {
            Self::Remote { subscriptions, .. } => subscriptions.callback_url = Some(url.into()),
            Self::Local(_) | Self::Events(_) | Self::Connectors(_) => {}
        }
    }
}

/// A source in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalSource {
    pub(crate) entry: SourceEntry,
    pub(crate) timeout: Duration,
    pub(crate) most_bytes: u64,
    /// The limit on concurrent requests, of all threads.
    pub(crate) most_requests: NonZeroU32,
}

/// Settings of all subgraphs from options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Defaults {
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) connections: usize,
    /// The limits on concurrent requests to a subgraph, and of the server.
    pub(crate) max_requests: (RequestLimit, u32),
    pub(crate) most_bytes: u64,
    pub(crate) deduplicate: bool,
}

/// The defaults of the options.
impl Default for Defaults {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(2),
            connections: 64,
            max_requests: (RequestLimit::Share(50), 512),
            most_bytes: 64 << 20,
            deduplicate: false,
        }
    }
}

/// The reason why subgraphs have no settings.
#[derive(Debug)]
pub(crate) struct Unresolved {
    /// Problems of the file.
    refused: Option<Refused>,
    /// Missing settings.
    others: Vec<String>,
}

impl From<Unresolved> for Failure {
    fn from(error: Unresolved) -> Self {
        Self::other(error)
    }
}

/// One retry, for a connection that the server has just closed.
const DEFAULT_RETRIES: u32 = 1;

/// Shorter than the idle timeout of most servers and proxies.
const DEFAULT_IDLE: Duration = Duration::from_secs(30);

/// TLS configurations that several subgraphs share.
#[derive(Default)]
struct Certificates {
    of_system: OnceCell<Result<Tls, String>>,
    of_all: OnceCell<Result<Tls, String>>,
}

impl SubgraphsFile {
    /// Resolves the subgraphs, each given by its name and its address in the supergraph, in their order.
    /// `connectors` are the names of those with REST connectors.
    /// Reads files of certificates.
    pub(crate) fn resolve(
        &self,
        subgraphs: &[(&str, &str)],
        connectors: &[&str],
        defaults: Defaults,
    ) -> Result<Vec<Resolved>, Unresolved> {
        let (mut problems, mut others) = (self.unknown_subgraphs(subgraphs), Vec::new());
        let certificates = Certificates::default();
        let brokers = self.brokers(defaults, &mut problems);
        let nothing = SubgraphEntry::default();
        let mut resolved = Vec::new();
        for (name, url) in subgraphs {
            let named = self.subgraphs.iter().find(|named| named.name == **name);
            let entry = named.map_or(&nothing, |named| &named.entry);
            if connectors.contains(name) {
                match self.connectors(named, entry, defaults) {
                    Ok(connectors) => resolved.push(Resolved::Connectors(Box::new(connectors))),
                    Err(problem) => problems.push(problem),
                }
                continue;
            }
            if let Some(ConnectorsEntry { position, .. }) = entry.connectors {
                let message = format!("the subgraph `{name}` has no connectors (`@connect`)");
                problems.push(Problem { position, message });
                continue;
            }
            if let (Some(CacheEntry::On { position, .. }), false) =
                (&entry.cache, entry.source.is_none() && entry.events.is_none())
            {
                let message = format!("`cache`: the subgraph `{name}` is no server over HTTP");
                problems.push(Problem { position: *position, message });
                continue;
            }
            if let Some(source) = &entry.source {
                resolved.push(Resolved::Local(Box::new(self.local(entry, source, defaults))));
                continue;
            }
            if let Some(events) = &entry.events {
                match self.events(entry, events, &brokers, defaults) {
                    Ok(events) => resolved.push(Resolved::Events(Box::new(events))),
                    Err(problem) => problems.push(problem),
                }
                continue;
            }
            let endpoint = match (&entry.url, url.parse::<Endpoint>()) {
                (Some(endpoint), _) => endpoint.clone(),
                (None, Ok(endpoint)) => endpoint,
                (None, Err(_)) if url.is_empty() => {
                    others.push(format!("the subgraph `{name}` has no address; {REMEDY}"));
                    continue;
                }
                (None, Err(error)) => {
                    others.push(format!(
                        "the address of the subgraph `{name}` in the supergraph is wrong: {error}; {REMEDY}"
                    ));
                    continue;
                }
            };
            let subscription = match subscription::resolve(
                entry.subscription.as_ref(),
                self.all.subscription.as_ref(),
            ) {
                Ok(subscription) => subscription,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            let of_subscriptions = subscription.endpoint.as_ref();
            let is_encrypted =
                endpoint.is_encrypted() || of_subscriptions.is_some_and(Endpoint::is_encrypted);
            let tls = match is_encrypted {
                true => match certificates.of(entry, &self.all) {
                    Ok(tls) => Some(tls.clone()),
                    Err((Some(tls), message)) => {
                        let message = format!("`tls`: {message}");
                        problems.push(Problem { position: tls.position, message });
                        continue;
                    }
                    Err((None, message)) => {
                        others.push(format!("the subgraph `{name}`: {message}"));
                        continue;
                    }
                },
                false => None,
            };
            let settings = self.one(name, entry, endpoint, tls.clone(), defaults);
            let subscriptions = Box::new(subscription.settings(&settings, tls));
            let rules = self.all.rules.iter().chain(&entry.rules).cloned().collect();
            let rules = Rules::new(rules);
            let cache = entry.cache.clone().or_else(|| self.all.cache.clone());
            let settings = Box::new(settings);
            resolved.push(Resolved::Remote { settings, subscriptions, rules, cache });
        }
        if problems.is_empty() && others.is_empty() {
            return Ok(resolved);
        }
        problems.sort_by_key(|problem| problem.position);
        // A problem in the entry of all is reported once.
        problems.dedup();
        let refused = Refused { file: self.file.clone(), problems };
        Err(Unresolved { refused: (!refused.problems.is_empty()).then_some(refused), others })
    }

    fn local(
        &self,
        entry: &SubgraphEntry,
        source: &SourceEntry,
        defaults: Defaults,
    ) -> LocalSource {
        LocalSource {
            entry: source.clone(),
            timeout: self.timeout(entry, defaults),
            most_bytes: self.most_bytes(entry, defaults),
            most_requests: self.most_requests(entry, defaults),
        }
    }

    /// The brokers of events, of all subgraphs.
    fn brokers(
        &self,
        defaults: Defaults,
        problems: &mut Vec<Problem>,
    ) -> Arc<Vec<(Provider, BrokerSettings)>> {
        let timeout = self.all.connect_timeout.unwrap_or(defaults.connect_timeout);
        let mut brokers = Vec::with_capacity(self.providers.len());
        for provider in &self.providers {
            match provider.settings(timeout) {
                Ok(broker) => brokers.push(broker),
                Err(problem) => problems.push(problem),
            }
        }
        Arc::new(brokers)
    }

    fn events(
        &self,
        entry: &SubgraphEntry,
        events: &EventsEntry,
        brokers: &Arc<Vec<(Provider, BrokerSettings)>>,
        defaults: Defaults,
    ) -> Result<EventSource, Problem> {
        let EventsEntry { position, sdl } = events;
        let text = fs::read_to_string(sdl).map_err(|error| {
            let message = format!("`sdl`: {} cannot be read: {error}", sdl.display());
            Problem { position: *position, message }
        })?;
        Ok(EventSource {
            file: sdl.clone(),
            text,
            brokers: Arc::clone(brokers),
            timeout: self.timeout(entry, defaults),
            most_bytes: self.most_bytes(entry, defaults),
            most_requests: self.most_requests(entry, defaults),
        })
    }

    /// The settings of connectors; those of a GraphQL server have no meaning for them.
    fn connectors(
        &self,
        named: Option<&Named>,
        entry: &SubgraphEntry,
        defaults: Defaults,
    ) -> Result<ConnectorSource, Problem> {
        if let (Some(Named { position, name, .. }), false) = (named, entry.fits_connectors()) {
            let known = connectors::BESIDE.map(|key| format!("`{key}`")).join(", ");
            let message = format!(
                "the subgraph `{name}` has connectors, and no server of GraphQL: its keys are {known}"
            );
            return Err(Problem { position: *position, message });
        }
        if let Some(TlsEntry { position, own: Some(_), .. }) = &entry.tls {
            let message = "`tls`: requests of connectors have no certificate of their own".into();
            return Err(Problem { position: *position, message });
        }
        let all = &self.all;
        let tls = entry.tls.as_ref().or(all.tls.as_ref());
        Ok(ConnectorSource {
            entry: entry.connectors.clone(),
            file: self.file.clone(),
            timeout: self.timeout(entry, defaults),
            retries: entry.retries.or(all.retries).unwrap_or(DEFAULT_RETRIES),
            connections: entry.connections.or(all.connections).unwrap_or(defaults.connections),
            most_bytes: self.most_bytes(entry, defaults),
            most_requests: self.most_requests(entry, defaults),
            deduplicate: entry.deduplicate.or(all.deduplicate).unwrap_or(true),
            authorities: tls.and_then(|tls| tls.authorities.clone()),
        })
    }

    fn timeout(&self, entry: &SubgraphEntry, defaults: Defaults) -> Duration {
        entry.timeout.or(self.all.timeout).unwrap_or(defaults.timeout)
    }

    fn most_bytes(&self, entry: &SubgraphEntry, defaults: Defaults) -> u64 {
        entry.max_answer.or(self.all.max_answer).unwrap_or(defaults.most_bytes)
    }

    fn most_requests(&self, entry: &SubgraphEntry, defaults: Defaults) -> NonZeroU32 {
        let (most, of_server) = defaults.max_requests;
        entry.max_requests.or(self.all.max_requests).unwrap_or(most).of(of_server)
    }

    fn one(
        &self,
        name: &str,
        entry: &SubgraphEntry,
        endpoint: Endpoint,
        tls: Option<Tls>,
        defaults: Defaults,
    ) -> Settings {
        let all = &self.all;
        let breaker = entry.breaker.or(all.breaker);
        Settings {
            name: name.into(),
            endpoint,
            connect_timeout: entry
                .connect_timeout
                .or(all.connect_timeout)
                .unwrap_or(defaults.connect_timeout),
            timeout: self.timeout(entry, defaults),
            most_bytes: self.most_bytes(entry, defaults),
            retries: entry.retries.or(all.retries).unwrap_or(DEFAULT_RETRIES),
            http2: entry.http2.or(all.http2).unwrap_or(Http2::Negotiated),
            connections: entry.connections.or(all.connections).unwrap_or(defaults.connections),
            most_requests: Some(self.most_requests(entry, defaults)),
            idle: entry.idle.or(all.idle).unwrap_or(DEFAULT_IDLE),
            compression: entry.compression.or(all.compression).flatten(),
            breaker: breaker.unwrap_or(Some(DEFAULT_BREAKER)),
            deduplicate: entry.deduplicate.or(all.deduplicate).unwrap_or(defaults.deduplicate),
            tls,
        }
    }

    /// Entries of unknown subgraphs.
    pub(super) fn unknown_subgraphs(&self, subgraphs: &[(&str, &str)]) -> Vec<Problem> {
        let is_known = |named: &&Named| subgraphs.iter().any(|(name, _)| *name == named.name);
        let unknown_subgraphs = self.subgraphs.iter().filter(|named| !is_known(named));
        unknown_subgraphs
            .map(|Named { name, position, .. }| {
                let written = name.escape_debug();
                let hint = match similar::nearest(name, subgraphs.iter().map(|(name, _)| *name)) {
                    Some(nearest) => format!("`{nearest}` is one"),
                    None => "the enum `join__Graph` has their names".to_owned(),
                };
                let message = format!("the supergraph has no subgraph `{written}`; {hint}");
                Problem { position: *position, message }
            })
            .collect()
    }
}

const REMEDY: &str = "set its `url` or its `source` in the file of `--subgraphs`";

impl Certificates {
    /// The TLS configuration of one subgraph; the error has its entry.
    fn of<'s>(
        &'s self,
        entry: &'s SubgraphEntry,
        all: &'s SubgraphEntry,
    ) -> Result<Tls, (Option<&'s TlsEntry>, String)> {
        let (kept, tls) = match (&entry.tls, &all.tls) {
            (Some(own), _) => return open(Some(own)).map_err(|error| (Some(own), error)),
            (None, Some(all)) => (&self.of_all, Some(all)),
            (None, None) => (&self.of_system, None),
        };
        kept.get_or_init(|| open(tls)).clone().map_err(|error| (tls, error))
    }
}

fn open(entry: Option<&TlsEntry>) -> Result<Tls, String> {
    let files = entry.map_or_else(TlsFiles::default, |entry| TlsFiles {
        authorities: entry.authorities.clone(),
        own: entry.own.clone().map(|(certificate, key)| OwnCertificate { certificate, key }),
    });
    Tls::open(&files).map_err(|error| error.to_string())
}

impl std::error::Error for Unresolved {}

/// One problem per line.
impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refused = self.refused.as_ref().map(ToString::to_string);
        let all: Vec<&str> = refused.iter().chain(&self.others).map(String::as_str).collect();
        f.write_str(&all.join("\nerror: "))
    }
}
