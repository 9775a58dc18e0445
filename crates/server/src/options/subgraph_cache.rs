//! Options of the cache of subgraph responses.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use clients::redis_client::RedisUrl;
use engine::gateway::CachePolicy;

use super::given::{GivenOptions, names_of};
use super::quantity::{Size, Time};
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Cache of subgraph responses")]
pub(crate) struct SubgraphCacheOptions {
    /// Keep entities and root fields of subgraphs over HTTP: in the `memory` of the server, or in a Redis that several servers share, such as `redis://HOST:6379/0` [default: none]
    ///
    /// Responses are kept as long as their `Cache-Control` header allows.
    #[arg(long, env = "THALWEG_SUBGRAPH_CACHE", value_name = "STORE")]
    pub(crate) subgraph_cache: Option<CacheStore>,
    /// The maximum memory of the cache
    #[arg(
        long,
        env = "THALWEG_SUBGRAPH_CACHE_MEMORY",
        value_name = "SIZE",
        default_value = "64MiB"
    )]
    subgraph_cache_memory: Size,
    /// How long a request waits for the Redis of the cache
    #[arg(
        long,
        env = "THALWEG_SUBGRAPH_CACHE_TIMEOUT",
        value_name = "TIME",
        default_value = "50ms"
    )]
    subgraph_cache_timeout: Time,
    /// How long responses without a `Cache-Control` header are kept [default: they are not]
    #[arg(long, env = "THALWEG_SUBGRAPH_CACHE_TTL", value_name = "TIME")]
    subgraph_cache_ttl: Option<Time>,
    /// The claim by which private responses are kept for each user [default: they are not kept]
    #[arg(long, env = "THALWEG_SUBGRAPH_CACHE_USER", value_name = "CLAIM")]
    subgraph_cache_user: Option<Box<str>>,
    /// The secret of requests to `/cache/invalidate` [default: the endpoint is off]
    #[arg(
        long,
        env = "THALWEG_SUBGRAPH_CACHE_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    subgraph_cache_secret: Option<CacheSecret>,
}

/// Where responses are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CacheStore {
    Memory,
    Redis(RedisUrl),
}

/// A secret, which no log contains.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CacheSecret(Box<str>);

/// The cache that the options describe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CacheSettings {
    pub(crate) store: StoreSettings,
    /// The policy of subgraphs without one of their own.
    pub(crate) policy: CachePolicy,
    pub(crate) secret: Option<CacheSecret>,
}

/// The store, which reloads keep as long as it is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoreSettings {
    Memory { most_bytes: u64 },
    Redis { url: RedisUrl, timeout: Duration },
}

impl SubgraphCacheOptions {
    /// The cache; `None` if there is none.
    pub(crate) fn settings(&self, given: &GivenOptions) -> Result<Option<CacheSettings>, Failure> {
        let without = |names: &[&str], needed: &str| {
            let texts = names.iter().filter(|name| given.contains(name));
            let texts: Vec<_> = texts.map(|name| format!("`--{name}` needs {needed}")).collect();
            match texts.is_empty() {
                true => Ok(()),
                false => Err(Failure::Usage(texts.join("\nerror: "))),
            }
        };
        let Some(store) = &self.subgraph_cache else {
            let mut names = names_of::<Self>();
            names.retain(|name| name != "subgraph-cache");
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            without(&names, "`--subgraph-cache`")?;
            return Ok(None);
        };
        let store = match store {
            CacheStore::Memory => {
                without(&["subgraph-cache-timeout"], "a Redis in `--subgraph-cache`")?;
                StoreSettings::Memory { most_bytes: self.subgraph_cache_memory.0 }
            }
            CacheStore::Redis(url) => {
                without(&["subgraph-cache-memory"], "`--subgraph-cache memory`")?;
                StoreSettings::Redis { url: url.clone(), timeout: self.subgraph_cache_timeout.0 }
            }
        };
        let policy = CachePolicy {
            default_ttl: self.subgraph_cache_ttl.map(|time| time.0),
            user_claim: self.subgraph_cache_user.clone(),
        };
        Ok(Some(CacheSettings { store, policy, secret: self.subgraph_cache_secret.clone() }))
    }
}

impl FromStr for CacheStore {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "memory" => Ok(Self::Memory),
            _ => text.parse().map(Self::Redis).map_err(
                |error: clients::redis_client::RedisUrlError| {
                    format!("`memory` is wanted, or a Redis: {error}")
                },
            ),
        }
    }
}

impl CacheSecret {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl FromStr for CacheSecret {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.len() {
            0..16 => Err("a secret of at least 16 characters is wanted"),
            _ => Ok(Self(text.into())),
        }
    }
}

impl std::fmt::Debug for CacheSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CacheSecret(…)")
    }
}
