//! What the options say about HTTP, in the form in which requests need it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use engine::Api;
use graphql::JsonLimits;
use hyper::header::HeaderValue;

use super::credentials::{Credentials, Customs};
use super::descriptors;
use super::host::Hosts;
use super::persisted::{KnownDocuments, Persisted, TrustedDocuments};
use super::progress::Patience;
use super::tls::Tls;
use crate::failure::Failure;
use crate::options::{
    AllowedOrigin, Coding, LoggedRequests, OriginOptions, PersistedOptions, ServingOptions,
};

/// The same for all threads; a reload replaces it as a whole.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(super) body: BodySettings,
    pub(super) compression: CompressionSettings,
    /// By what it is judged who asks.
    pub(super) credentials: Credentials,
    /// Which hosts requests may be for.
    pub(super) hosts: Hosts,
    /// Whose pages may send requests.
    pub(super) allowed_origins: Origins,
    /// Whose pages may read answers; none where nobody is told of it.
    pub(super) cors: Option<CorsSettings>,
    /// Missing where nothing is encrypted.
    pub(super) tls: Option<Arc<Tls>>,
    pub(super) patience: Patience,
    pub(super) max_header_size: usize,
    /// How many connections there may be, over all threads.
    pub(super) max_clients: usize,
    /// For how long requests are still taken after the signal to stop.
    pub(super) drain_delay: Option<Duration>,
    /// Which documents are known by ids, and which are executed.
    pub(super) persisted: Persisted,
    /// The most requests in one body, where there may be several.
    pub(super) most_batch: Option<usize>,
    /// From the head of a request to its answer.
    pub(super) request_timeout: Duration,
    pub(super) load: LoadSettings,
    /// How long requests may take that were begun before the signal to stop.
    pub(super) drain_timeout: Duration,
    pub(super) watch: WatchSettings,
    pub(super) development: DevelopmentSettings,
}

/// What is told of requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct WatchSettings {
    /// Which have a line in the log.
    pub(super) requests: LoggedRequests,
    /// From which time on a request is slow.
    pub(super) slow: Option<Duration>,
    /// Whether answers tell what they took.
    pub(super) server_timing: bool,
}

/// What may come as the body of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodySettings {
    pub(super) json: JsonLimits,
    pub(super) most_bytes: usize,
    pub(super) timeout: Duration,
}

/// How much all requests may ask for together.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoadSettings {
    pub(super) most_requests: u32,
    pub(super) most_waiting: u32,
    pub(super) queue_timeout: Duration,
    /// Bytes of answers that are being made.
    pub(super) response_memory: u64,
    /// Bytes of the bodies of requests.
    pub(super) request_memory: u64,
}

/// How answers are compressed.
#[derive(Clone, Debug)]
pub(super) struct CompressionSettings {
    /// The best first.
    pub(super) codings: Box<[Coding]>,
    pub(super) min_size: usize,
}

/// Origins that are allowed something.
#[derive(Clone, Debug)]
pub(super) struct Origins {
    pub(super) any: bool,
    named: Box<[Box<str>]>,
}

/// What pages of other origins may do.
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

    /// Whether a request with this header is of one of them.
    pub(super) fn contain(&self, origin: Option<&HeaderValue>) -> bool {
        let is_named = |origin: &HeaderValue| {
            self.named.iter().any(|named| named.as_bytes() == origin.as_bytes())
        };
        self.any || origin.is_some_and(is_named)
    }
}

impl CorsSettings {
    fn new(options: &OriginOptions) -> Option<Self> {
        (!options.cors_origins.is_empty()).then(|| Self {
            origins: Origins::new(options.cors_origins.iter()),
            credentials: options.cors_credentials,
            max_age: options.cors_max_age.0,
        })
    }
}

/// What helps to develop against the API.
#[derive(Clone, Copy, Debug)]
pub(super) struct DevelopmentSettings {
    /// Whether there is a page to ask on.
    pub(super) graphiql: bool,
    /// Whether it is told what becomes of requests.
    pub(super) explain: bool,
}

impl Persisted {
    fn new(options: &PersistedOptions) -> Result<Self, Failure> {
        options.check()?;
        let read = |file: &PathBuf| {
            TrustedDocuments::read(file)
                .map(Arc::new)
                .map_err(|error| Failure::TrustedDocuments { file: file.clone(), error })
        };
        // Where only trusted documents are executed, others need not be known.
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
    /// Tells the log which of the documents that options name do not fit the API.
    pub(crate) fn check(&self, api: &Api) {
        if let Some(trusted) = &self.persisted.trusted {
            trusted.check(api);
        }
    }

    /// Tells the log what clients have to bring.
    pub(crate) fn tell(&self) {
        self.credentials.tell_audiences();
    }

    /// Takes over from the settings before what requests have filled.
    pub(super) fn inherit(&mut self, before: &Self) {
        if let (Some(known), Some(filled)) = (&mut self.persisted.known, &before.persisted.known)
            && known.has_size_of(filled)
        {
            *known = Arc::clone(filled);
        }
        self.credentials.fetched.inherit(&before.credentials.fetched);
    }

    /// Reads the files that options name, too.
    pub(crate) fn new(options: &ServingOptions, customs: Customs) -> Result<Self, Failure> {
        let (limits, load) = (&options.limits, &options.load);
        let origins = &options.origins;
        options.check_needs()?;
        origins.check()?;
        options.auth.check(origins)?;
        let tls = options.tls.files().map(Tls::open).transpose()?;
        Ok(Self {
            tls: tls.map(Arc::new),
            body: BodySettings {
                json: limits.of_json(),
                most_bytes: limits.max_body_size.length(),
                timeout: limits.body_timeout.0.min(load.request_timeout.0),
            },
            compression: CompressionSettings {
                codings: options.compression.compression.0.as_slice().into(),
                min_size: options.compression.compression_min_size.length(),
            },
            credentials: Credentials::new(&options.auth, customs, options.is_private())?,
            hosts: Hosts::new(options),
            allowed_origins: Origins::new(
                origins.allowed_origins.iter().chain(&origins.cors_origins),
            ),
            cors: CorsSettings::new(origins),
            patience: Patience {
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
            most_batch: options.persisted.batching.then_some(options.persisted.max_batch),
            request_timeout: load.request_timeout.0,
            load: LoadSettings {
                most_requests: load.max_requests,
                most_waiting: load.max_queue,
                queue_timeout: load.queue_timeout.0,
                response_memory: load.response_memory.0,
                request_memory: load.request_memory.0,
            },
            drain_timeout: options.drain_timeout.0,
            watch: WatchSettings {
                requests: options.observability.log_requests,
                slow: options.observability.slow_query.0,
                server_timing: options.observability.server_timing(options.is_private()),
            },
            development: DevelopmentSettings {
                graphiql: options.has_graphiql(),
                explain: options.has_explain(),
            },
        })
    }
}
