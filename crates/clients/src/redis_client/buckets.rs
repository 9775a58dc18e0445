//! Buckets of rate limits that several servers share, by the generic cell rate algorithm (GCRA).
//!
//! A bucket is one number: the time at which it is empty, by the clock of Redis. One script takes from
//! all buckets of an operation, or from none. A key expires when its bucket is empty.

use std::sync::{Arc, LazyLock};

use aws_lc_rs::digest::{SHA256, digest};

use super::script::Script;
use super::{RedisClient, RedisCounts, RedisUnavailable};

const PREFIX: &str = "thalweg:rate:";

/// Takes from all buckets or from none. For each it has three arguments: the time in which a unit leaks,
/// the size and the units to take; times are microseconds.
///
/// The reply has the number of the first bucket that has too little room, or 0, and the time until each
/// bucket was empty before. Times are counted from 2025, so that doubles have fractions of them.
static TAKE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local time = redis.call('TIME')
local now = (tonumber(time[1]) - 1735689600) * 1000000 + tonumber(time[2])
local refused = 0
local reply, wanted = {}, {}
for place, key in ipairs(KEYS) do
  local interval = tonumber(ARGV[place * 3 - 2])
  local size = interval * tonumber(ARGV[place * 3 - 1])
  local begin = math.max(tonumber(redis.call('GET', key) or '') or 0, now)
  wanted[place] = begin + interval * tonumber(ARGV[place * 3])
  if refused == 0 and wanted[place] - now > size + 0.01 then refused = place end
  reply[place + 1] = string.format('%.0f', (begin - now) * 1000)
end
reply[1] = tostring(refused)
if refused == 0 then
  for place, key in ipairs(KEYS) do
    local left = math.ceil((wanted[place] - now) / 1000)
    redis.call('SET', key, string.format('%.3f', wanted[place]), 'PX', string.format('%.0f', math.max(left, 1)))
  end
end
return reply",
    )
});

/// The buckets in a Redis.
#[derive(Clone, Debug)]
pub struct SharedBuckets(Arc<RedisClient>);

/// Units to take from a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketRequest {
    pub name: String,
    /// The time in which one unit leaks, in nanoseconds.
    pub interval: u64,
    /// The most units in the bucket.
    pub burst: u64,
    pub units: u64,
}

/// The state of buckets before units were taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketStates {
    /// The place of the first bucket with too little room: nothing was taken.
    pub refused: Option<usize>,
    /// By bucket: the nanoseconds until it was empty.
    pub resets: Vec<u64>,
}

impl SharedBuckets {
    #[must_use]
    pub fn new(client: Arc<RedisClient>) -> Self {
        Self(client)
    }

    #[must_use]
    pub fn counts(&self) -> RedisCounts {
        self.0.counts()
    }

    /// Takes units from all buckets, or from none if one has too little room.
    pub async fn take(&self, requests: &[BucketRequest]) -> Result<BucketStates, RedisUnavailable> {
        let keys: Vec<Vec<u8>> = requests.iter().map(|request| key(&request.name)).collect();
        let arguments =
            requests.iter().flat_map(|BucketRequest { interval, burst, units, .. }| {
                let interval = *interval as f64 / 1000.0;
                [interval.to_string(), burst.to_string(), units.to_string()].map(String::into_bytes)
            });
        let arguments: Vec<Vec<u8>> = arguments.collect();
        let reply: Vec<String> = TAKE.run(&self.0, &keys, &arguments).await?;
        let numbers = reply.iter().map(|text| text.parse::<u64>().map_err(|_| RedisUnavailable));
        let mut numbers = numbers.collect::<Result<Vec<u64>, _>>()?.into_iter();
        let refused = numbers.next().ok_or(RedisUnavailable)?;
        let refused = usize::try_from(refused).map_err(|_| RedisUnavailable)?.checked_sub(1);
        let resets: Vec<u64> = numbers.collect();
        let is_whole = resets.len() == requests.len();
        let is_known = refused.is_none_or(|place| place < resets.len());
        if is_whole && is_known {
            Ok(BucketStates { refused, resets })
        } else {
            Err(RedisUnavailable)
        }
    }
}

/// The key of a bucket. Its name has addresses and claims of clients, and any length: a hash has neither.
fn key(name: &str) -> Vec<u8> {
    let mut key = PREFIX.as_bytes().to_vec();
    let hash = digest(&SHA256, name.as_bytes());
    for byte in hash.as_ref().iter().take(16) {
        key.extend_from_slice(format!("{byte:02x}").as_bytes());
    }
    key
}
