//! Buckets in a Redis that several servers share.

use std::time::Duration;

use clients::redis_client::buckets::{BucketRequest, BucketStates, SharedBuckets};
use clients::redis_client::{RedisClient, RedisCounts, RedisUrl};

use super::bucket::Decision;
use super::{Charge, Counted, NotCounted};
use crate::options::RateLimitOptions;

/// The Redis of the options.
#[derive(Clone, Debug)]
pub(in crate::http) struct RateStoreSettings {
    url: RedisUrl,
    timeout: Duration,
}

/// The buckets in it.
#[derive(Clone, Debug)]
pub(in crate::http) struct RateStore(SharedBuckets);

impl RateStoreSettings {
    pub(in crate::http) fn new(options: &RateLimitOptions) -> Option<Self> {
        let url = options.rate_limit_store.clone()?;
        Some(Self { url, timeout: options.rate_limit_store_timeout.0 })
    }
}

impl RateStore {
    /// Connects to Redis. If that fails, it connects later.
    pub(in crate::http) fn open(settings: &RateStoreSettings) -> Self {
        let RateStoreSettings { url, timeout } = settings;
        Self(SharedBuckets::new(RedisClient::open(url.clone(), "rate limits", *timeout)))
    }

    pub(in crate::http) fn counts(&self) -> RedisCounts {
        self.0.counts()
    }

    /// Counts an operation; `None` if Redis is not available.
    pub(super) async fn count(
        &self,
        charges: &[Charge],
    ) -> Option<Result<Vec<Counted>, NotCounted>> {
        let requests = charges.iter().map(|Charge { limit, bucket, units }| {
            let (interval, burst) = limit.rate.parts();
            BucketRequest { name: bucket.clone(), interval, burst, units: *units }
        });
        let requests: Vec<BucketRequest> = requests.collect();
        let BucketStates { refused, resets } = self.0.take(&requests).await.ok()?;
        // The clock of Redis has decided; its times begin at zero here.
        let decide =
            |(charge, reset): (&Charge, &u64)| charge.limit.rate.decide(*reset, charge.units, 0);
        let refused = refused.and_then(|place| Some((charges.get(place)?, resets.get(place)?)));
        if let Some(refused) = refused {
            let (retry, level) = match decide(refused) {
                Decision::Refused { retry, level } => (retry, level),
                Decision::Allowed { level, .. } => (Some(0), level),
            };
            return Some(Err(refused.0.exceeded(retry, level)));
        }
        let counted = charges.iter().zip(&resets).map(|one| {
            let (Decision::Allowed { level, .. } | Decision::Refused { level, .. }) = decide(one);
            one.0.limit.counted(level)
        });
        Some(Ok(counted.collect()))
    }
}
