//! Options of the cache of answers.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use clients::byte_cache::ByteCache;
use clients::redis_client::{RedisClient, RedisUrl};
use engine::answer_cache::{CacheField, CacheOptions as EngineOptions, MOST_SECONDS};

use super::quantity::{Size, Time};
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Cache")]
pub(crate) struct CacheOptions {
    /// Root fields of queries whose answers are cached, each with the longest time, such as `allArtists=1m`; `*` stands for all others, and `off` for no time
    #[arg(long, env = "THALWEG_CACHE", value_name = "FIELD=TIME", value_delimiter = ',')]
    cache: Vec<FieldTime>,
    /// The memory of all cached answers; 0 disables the cache
    #[arg(long, env = "THALWEG_CACHE_SIZE", value_name = "SIZE", default_value = "64MiB")]
    cache_size: Size,
    /// The directive `@cached`, by which clients have an answer cached; with `--dialect hasura` it is always there
    #[arg(long, env = "THALWEG_CACHE_DIRECTIVE")]
    cache_directive: bool,
    /// A Redis in which several servers share answers, such as `redis://HOST:6379/0`, or `rediss://…` for TLS [default: each server has its own answers]
    #[arg(long, env = "THALWEG_CACHE_STORE", value_name = "URL")]
    pub(crate) cache_store: Option<RedisUrl>,
    /// How long a query waits for this Redis
    #[arg(long, env = "THALWEG_CACHE_STORE_TIMEOUT", value_name = "TIME", default_value = "50ms")]
    cache_store_timeout: Time,
    /// How browsers and proxies may cache the answers that the server caches
    #[arg(long, env = "THALWEG_CACHE_HTTP", value_name = "HOW", default_value = "revalidate")]
    pub(crate) cache_http: HttpCaching,
}

/// What `Cache-Control` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HttpCaching {
    /// They ask each time whether their copy is current (`no-cache`), and are told by 304
    Revalidate,
    /// They use their copy until its time is over (`max-age`), whatever changes meanwhile
    MaxAge,
    /// Not said
    Off,
}

/// A root field with a time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FieldTime(CacheField);

impl FromStr for FieldTime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = "a root field and a time are wanted, such as `allArtists=1m` or `*=10s`";
        let (name, time) = text.trim().split_once('=').ok_or(wanted)?;
        if name.is_empty() {
            return Err(wanted.into());
        }
        let ttl = match time {
            "off" => Duration::ZERO,
            time => time.parse::<Time>()?.0,
        };
        if ttl > Duration::from_secs(MOST_SECONDS) {
            return Err("a time of at most one day is wanted".into());
        }
        Ok(Self(CacheField { name: name.into(), ttl }))
    }
}

impl CacheOptions {
    pub(crate) fn to_engine(&self) -> Result<EngineOptions, Failure> {
        let fields: Vec<_> = self.cache.iter().map(|FieldTime(field)| field.clone()).collect();
        for (place, field) in fields.iter().enumerate() {
            if fields.iter().take(place).any(|other| other.name == field.name) {
                return Err(Failure::Usage(format!("`--cache` names `{}` twice", field.name)));
            }
        }
        let is_wanted = !fields.is_empty() || self.cache_directive || self.cache_store.is_some();
        if self.cache_size.0 == 0 && is_wanted {
            let message = "`--cache-size 0` disables the cache: leave it out, or leave out `--cache`, \
                           `--cache-directive` and `--cache-store`";
            return Err(Failure::Usage(message.into()));
        }
        Ok(EngineOptions {
            bytes: self.cache_size.0,
            fields: fields.into(),
            has_directive: self.cache_directive,
            has_fields_of_others: false,
            store: self.cache_store.as_ref().map(|url| self.open_store(url)),
        })
    }
}

impl CacheOptions {
    /// Connects to Redis. If that fails, it connects later. Each reload has a connection of its own,
    /// and the one before ends with its last request.
    fn open_store(&self, url: &RedisUrl) -> Arc<ByteCache> {
        let client = RedisClient::open(url.clone(), "cache of answers", self.cache_store_timeout.0);
        Arc::new(ByteCache::shared(client, "thalweg:answers:"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_a_time() {
        let check = |text: &str, name: &str, seconds| {
            let FieldTime(field) = text.parse().unwrap();
            assert_eq!((&*field.name, field.ttl), (name, Duration::from_secs(seconds)));
        };
        check("allArtists=1m", "allArtists", 60);
        check("*=1day", "*", 86_400);
        check("me=off", "me", 0);
        let refused = |text: &str, wanted: &str| {
            let error = text.parse::<FieldTime>().unwrap_err();
            assert!(error.contains(wanted), "{text}: {error}");
        };
        refused("allArtists", "a root field and a time");
        refused("=1m", "a root field and a time");
        refused("a=0s", "a time is wanted");
        refused("a=2days", "at most one day");
    }
}
