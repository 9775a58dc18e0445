//! The options of HTTP, in the form in which requests need them.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clients::egress::Network;
use engine::{Api, Limits};
use graphql::JsonLimits;
use hyper::header::HeaderValue;

use super::authentication::Authentication;
use super::callback::CallbackEndpoint;
use super::credentials::{AuthProfile, AuthScheme, Credentials};
use super::declared::Declared;
use super::descriptors;
use super::hasura::{EventLogs, HasuraSettings};
use super::hasura_sessions::HasuraSessions;
use super::hooks::Hooks;
use super::host::Hosts;
use super::log_position::PositionSettings;
use super::mcp::McpSettings;
use super::persisted::{KnownDocuments, Persisted, TrustedDocuments};
use super::prisma::PrismaSettings;
use super::rate_limits::{RateLimits, RateStoreSettings};
use super::timeouts::ClientTimeouts;
use super::tls::Tls;
use super::upload_limits::UploadSettings;
use crate::failure::Failure;
use crate::options::{
    AllowedOrigin, CacheSecret, Coding, HasuraEnvironment, HttpCaching, LoggedRequests,
    OriginOptions, PersistedOptions, PositionCarrier, ServingOptions,
};
use crate::supergraph::Fetches;

/// Settings of all threads; a reload replaces them as a whole.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(super) body: BodySettings,
    /// Limits of requests with files; none to refuse them.
    pub(super) uploads: Option<UploadSettings>,
    pub(super) compression: CompressionSettings,
    pub(super) subscriptions: SubscriptionSettings,
    /// Authentication.
    pub(super) credentials: Authentication,
    /// Hosts that requests may name.
    pub(super) hosts: Hosts,
    /// Origins whose pages may send requests.
    pub(super) allowed_origins: Origins,
    /// Origins whose pages may read responses; none to send no CORS headers.
    pub(super) cors: Option<CorsSettings>,
    /// None for plain HTTP.
    pub(super) tls: Option<Arc<Tls>>,
    /// None for HTTP/1.1 only.
    pub(super) http2: Option<Http2Settings>,
    pub(super) timeouts: ClientTimeouts,
    pub(super) max_header_size: usize,
    /// The connection limit, over all threads.
    pub(super) max_clients: usize,
    /// Time in which requests are still accepted after the signal to stop.
    pub(super) drain_delay: Option<Duration>,
    /// Persisted documents, and the restriction to trusted ones.
    pub(super) persisted: Persisted,
    /// Webhooks before and after operations, if there are some.
    pub(super) hooks: Option<Hooks>,
    /// The Model Context Protocol, if it is served.
    pub(super) mcp: Option<McpSettings>,
    /// The most requests in a batch; none if batching is disabled.
    pub(super) most_batch: Option<usize>,
    /// Time limit from the head of a request to its response.
    pub(super) request_timeout: Duration,
    pub(super) load: LoadSettings,
    pub(super) rate_limits: RateLimits,
    /// How browsers and proxies may cache answers.
    pub(super) http_caching: HttpCaching,
    /// The Redis in which several servers count; read once.
    pub(super) rate_store: Option<RateStoreSettings>,
    /// The secret of requests to invalidate cached responses of subgraphs.
    pub(super) cache_secret: Option<CacheSecret>,
    /// Networks of proxies that tell the addresses of clients.
    pub(super) trusted_proxies: Box<[Network]>,
    /// Time limit of a graceful shutdown, for requests that have begun.
    pub(super) drain_timeout: Duration,
    /// The endpoint for events of subgraphs, if some send them.
    pub(super) callbacks: Option<CallbackEndpoint>,
    /// Endpoints of Hasura, for its dialect.
    pub(super) hasura: Option<Arc<HasuraSettings>>,
    /// Endpoints of Prisma, for its dialect.
    pub(super) prisma: Option<Arc<PrismaSettings>>,
    /// The positions of changes, where clients carry them or replicas answer reads.
    pub(super) positions: Option<PositionSettings>,
    /// Fetches of the supergraph, of a gateway.
    pub(super) fetches: Option<Arc<Fetches>>,
    pub(super) logging: LoggingSettings,
    pub(super) development: DevelopmentSettings,
}

/// Logging of requests, and the `Server-Timing` of responses.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoggingSettings {
    /// The requests that have a line in the log.
    pub(super) requests: LoggedRequests,
    /// The duration from which on a request is slow.
    pub(super) slow: Option<Duration>,
    /// Whether responses have a `Server-Timing` header.
    pub(super) server_timing: bool,
    /// The cost above which operations are logged, where they are not refused.
    pub(super) high_cost: Option<u64>,
}

/// Limits of request bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodySettings {
    pub(super) json: JsonLimits,
    pub(super) most_bytes: usize,
    pub(super) timeout: Duration,
}

/// The limits of HTTP/2 connections that have options.
#[derive(Clone, Copy, Debug)]
pub(super) struct Http2Settings {
    pub(super) max_streams: u32,
}

/// Limits of all requests together: concurrency, queue and memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoadSettings {
    pub(super) most_requests: u32,
    pub(super) most_waiting: u32,
    pub(super) queue_timeout: Duration,
    /// Bytes of responses.
    pub(super) response_memory: u64,
    /// Bytes of request bodies.
    pub(super) request_memory: u64,
}

/// Limits of WebSockets and event streams.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubscriptionSettings {
    /// The time limit for the first message of a socket.
    pub(super) init_timeout: Duration,
    /// The interval of pings and signs of life.
    pub(super) ping_interval: Duration,
    /// Operations that run over a socket at the same time.
    pub(super) most_operations: usize,
}

/// Compression of responses.
#[derive(Clone, Debug)]
pub(super) struct CompressionSettings {
    /// In order of preference.
    pub(super) codings: Box<[Coding]>,
    pub(super) min_size: usize,
}

/// Allowed origins.
#[derive(Clone, Debug)]
pub(super) struct Origins {
    pub(super) any: bool,
    named: Box<[Box<str>]>,
}

/// Settings of cross-origin resource sharing.
#[derive(Clone, Debug)]
pub(super) struct CorsSettings {
    pub(super) origins: Origins,
    pub(super) credentials: bool,
    pub(super) max_age: Duration,
}

impl Origins {
    pub(super) fn new<'a>(allowed: impl Iterator<Item = &'a AllowedOrigin>) -> Self {
        let mut origins = Self { any: false, named: Box::default() };
        let mut named = Vec::new();
        for origin in allowed {
            match origin {
                AllowedOrigin::Any => origins.any = true,
                AllowedOrigin::This(origin) => named.push(origin.clone()),
            }
        }
        origins.named = named.into();
        origins
    }

    /// Whether the `Origin` header is allowed.
    pub(super) fn contain(&self, origin: Option<&HeaderValue>) -> bool {
        let is_named = |origin: &HeaderValue| {
            self.named.iter().any(|named| named.as_bytes() == origin.as_bytes())
        };
        self.any || origin.is_some_and(is_named)
    }
}

impl CorsSettings {
    fn new(options: &OriginOptions, declared: &[AllowedOrigin]) -> Option<Self> {
        let is_any = !options.cors_origins.is_empty() || !declared.is_empty();
        is_any.then(|| Self {
            origins: Origins::new(options.cors_origins.iter().chain(declared)),
            credentials: options.cors_credentials,
            max_age: options.cors_max_age.0,
        })
    }
}

/// Tools for development.
#[derive(Clone, Copy, Debug)]
pub(super) struct DevelopmentSettings {
    /// Whether GraphiQL is served.
    pub(super) graphiql: bool,
    /// Whether requests can be explained.
    pub(super) explain: bool,
    /// Whether the page follows reloads.
    pub(super) follows_reloads: bool,
    /// Whether only this machine can reach the server, by no proxy that the options name.
    pub(super) is_local: bool,
}

impl Persisted {
    fn new(options: &PersistedOptions) -> Result<Self, Failure> {
        options.check()?;
        let read =
            |file: &PathBuf| TrustedDocuments::read(file).map(Arc::new).map_err(Failure::other);
        // With only trusted documents there is nothing to cache.
        let keeps_others = options.apq && !options.only_trusted;
        let known = || Arc::new(KnownDocuments::new(options.apq_cache_size.0));
        Ok(Self {
            known: keeps_others.then(known),
            trusted: options.trusted_documents.as_ref().map(read).transpose()?,
            only_trusted: options.only_trusted,
        })
    }
}

impl Settings {
    /// The settings of a server that watches its schema.
    pub(crate) fn watched(mut self, is_watched: bool) -> Self {
        self.development.follows_reloads = is_watched;
        self
    }

    /// Logs the trusted documents that the API cannot execute.
    pub(crate) fn check(&self, api: &Api) {
        if let Some(trusted) = &self.persisted.trusted {
            trusted.check(api);
        }
    }

    /// Returns true if requests without a token are refused, by options or by type definitions.
    pub(crate) fn requires_token(&self) -> bool {
        self.credentials.requires_credentials()
    }

    /// Returns true if requests are authenticated as Hasura does it.
    pub(crate) fn is_of_hasura(&self) -> bool {
        matches!(self.credentials, Authentication::Hasura(_))
    }

    /// The option with the role of requests without credentials, in the dialect hasura.
    pub(crate) fn unauthorized_role(&self) -> Option<&'static str> {
        let is_there = self.is_of_hasura() && !self.requires_token() && !self.is_open();
        is_there.then_some("--unauthorized-role")
    }

    /// Returns true if requests without credentials have every right, whatever the permissions are.
    pub(crate) fn is_open(&self) -> bool {
        self.credentials.is_open()
    }

    /// Logs what credentials are accepted.
    pub(crate) fn log_summary(&self) {
        self.credentials.log_summary();
    }

    /// Adds the endpoint for events of subgraphs.
    pub(crate) fn with_callbacks(self, callbacks: Option<CallbackEndpoint>) -> Self {
        Self { callbacks, ..self }
    }

    /// Adds the endpoints of Hasura, which takes batches without an option.
    pub(crate) fn with_hasura(
        self,
        dialect: &dialects::hasura::Options,
        uses_allow_list: bool,
        (limits, max_batch): (&Limits, usize),
        events: EventLogs,
    ) -> Result<Self, Failure> {
        let hasura = HasuraSettings::new(dialect, uses_allow_list, (limits, events))?;
        let most_batch = self.most_batch.or(Some(max_batch));
        Ok(Self { hasura: Some(Arc::new(hasura)), most_batch, ..self })
    }

    /// Adds the endpoints of Prisma, whose clients send batches unasked.
    pub(crate) fn with_prisma(self, prisma: PrismaSettings, max_batch: usize) -> Self {
        let most_batch = self.most_batch.or(Some(max_batch));
        Self { prisma: Some(Arc::new(prisma)), most_batch, ..self }
    }

    /// Adds the positions of changes. Each of so many replicas has as many connections as the source.
    pub(crate) fn with_replicas(
        self,
        replicas: usize,
        carrier: PositionCarrier,
        options: &ServingOptions,
    ) -> Self {
        let positions = PositionSettings::new(replicas, carrier);
        if replicas == 0 {
            return Self { positions, ..self };
        }
        let max_clients = descriptors::most_clients(
            options.network.max_clients.get(),
            options.threads(),
            options.connections().saturating_mul(replicas.saturating_add(1)),
        );
        Self { positions, max_clients, ..self }
    }

    pub(crate) fn with_fetches(self, fetches: Arc<Fetches>) -> Self {
        Self { fetches: Some(fetches), ..self }
    }

    /// With the secret of requests to invalidate cached responses.
    pub(crate) fn with_cache_secret(self, secret: Option<&CacheSecret>) -> Self {
        Self { cache_secret: secret.cloned(), ..self }
    }

    /// Takes over caches that requests have filled.
    pub(super) fn inherit(&mut self, before: &Self) {
        if let (Some(known), Some(filled)) = (&mut self.persisted.known, &before.persisted.known)
            && known.has_size_of(filled)
        {
            *known = Arc::clone(filled);
        }
        self.credentials.inherit(&before.credentials);
    }

    /// Also reads the files that the options name.
    pub(crate) fn new(
        options: &ServingOptions,
        scheme: AuthScheme,
        declared: Declared,
    ) -> Result<Self, Failure> {
        let (limits, load) = (&options.limits, &options.load);
        let origins = &options.origins;
        options.check_needs()?;
        options.mcp.check(&options.persisted, &options.development)?;
        origins.check()?;
        if scheme != AuthScheme::Tokens(AuthProfile::Prisma) {
            options.auth.check(origins, declared.tokens.is_some())?;
        }
        let http2 = options
            .network
            .has_http2()
            .then_some(Http2Settings { max_streams: options.network.http2_max_streams.get() });
        let open = |files| Tls::open(files, http2.is_some());
        let tls = options.tls.files().map(open).transpose()?;
        Ok(Self {
            tls: tls.map(Arc::new),
            http2,
            body: BodySettings {
                json: limits.json_limits(),
                most_bytes: limits.max_body_size.length(),
                timeout: limits.body_timeout.0.min(load.request_timeout.0),
            },
            uploads: UploadSettings::new(&options.uploads),
            compression: CompressionSettings {
                codings: options.compression.compression.0.as_slice().into(),
                min_size: options.compression.compression_min_size.length(),
            },
            subscriptions: SubscriptionSettings {
                init_timeout: options.subscriptions.socket_init_timeout.0,
                ping_interval: options.subscriptions.ping_interval.0,
                most_operations: options.subscriptions.max_socket_operations,
            },
            credentials: match scheme {
                AuthScheme::Tokens(AuthProfile::Prisma) => {
                    let secrets = options.prisma.secrets(&options.given)?;
                    let credentials = Credentials::of_service(&secrets, &options.auth);
                    Authentication::Tokens(Box::new(credentials))
                }
                AuthScheme::Tokens(profile) => Authentication::Tokens(Box::new(Credentials::new(
                    &options.auth,
                    profile,
                    options.is_private(),
                    declared.tokens,
                )?)),
                AuthScheme::Hasura => {
                    let environment = HasuraEnvironment::new(env::vars_os());
                    let auth = options.hasura_auth.resolve(&options.given, environment)?;
                    let sessions = HasuraSessions::new(auth, &options.auth, origins)?;
                    Authentication::Hasura(Box::new(sessions))
                }
            },
            hosts: Hosts::new(options),
            allowed_origins: Origins::new(
                origins
                    .allowed_origins
                    .iter()
                    .chain(&origins.cors_origins)
                    .chain(&declared.origins),
            ),
            cors: CorsSettings::new(origins, &declared.origins),
            timeouts: ClientTimeouts {
                header: limits.header_timeout.0,
                keep_alive: options.network.keep_alive_timeout.0,
                stall: options.network.stall_timeout.0,
            },
            max_header_size: options.network.max_header_size.length(),
            max_clients: descriptors::most_clients(
                options.network.max_clients.get(),
                options.threads(),
                options.connections(),
            ),
            drain_delay: options.drain_delay.map(|delay| delay.0),
            persisted: Persisted::new(&options.persisted)?,
            hooks: Hooks::new(&options.hooks).map_err(Failure::other)?,
            mcp: McpSettings::new(options)?,
            most_batch: options.persisted.batching.then_some(options.persisted.max_batch),
            request_timeout: load.request_timeout.0,
            load: LoadSettings {
                most_requests: load.max_requests,
                most_waiting: load.max_queue,
                queue_timeout: load.queue_timeout.0,
                response_memory: load.response_memory.0,
                request_memory: load.request_memory.0,
            },
            rate_limits: RateLimits::new(&options.rates),
            rate_store: RateStoreSettings::new(&options.rates),
            cache_secret: None,
            http_caching: options.cache.cache_http,
            trusted_proxies: options.rates.trusted_proxies.as_slice().into(),
            drain_timeout: options.drain_timeout.0,
            callbacks: None,
            hasura: None,
            prisma: None,
            positions: None,
            fetches: None,
            logging: LoggingSettings {
                requests: options.observability.log_requests,
                slow: options.observability.slow_query.0,
                server_timing: options.observability.server_timing(options.is_private()),
                high_cost: {
                    let cost = options.engine_limits().cost;
                    cost.measures_only.then_some(cost.most)
                },
            },
            development: DevelopmentSettings {
                follows_reloads: false,
                // A proxy, whose requests come from this machine, too, has clients elsewhere.
                is_local: options.is_local()
                    && options.rates.trusted_proxies.is_empty()
                    && options.origins.allowed_hosts.is_empty(),
                graphiql: options.has_graphiql(),
                explain: options.has_explain(),
            },
        })
    }
}
