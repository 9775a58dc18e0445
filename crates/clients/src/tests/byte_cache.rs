//! The store of bytes in Redis.

use std::time::{Duration, Instant};

use bytes::Bytes;
use clients::byte_cache::{ByteCache, CacheKey, CacheTag, NewEntry};
use clients::redis_client::RedisClient;
use testkit::broker::{Broker, Kind, redis};
use tokio::runtime::Builder;

const LIMIT: Duration = Duration::from_secs(10);

/// Scripts that write what is no entry.
const SHORT: &str = "for _, key in ipairs(redis.call('KEYS', 'test:entry:*')) do
  redis.call('SET', key, 'x')
end";
const LIST: &str = "for _, key in ipairs(redis.call('KEYS', 'test:entry:*')) do
  redis.call('DEL', key)
  redis.call('LPUSH', key, 'x')
end";

fn key(number: u32) -> CacheKey {
    CacheKey::of(&[&number.to_be_bytes()])
}

fn tag(number: u32) -> CacheTag {
    CacheTag::of(&[&number.to_be_bytes()])
}

fn entry(number: u32) -> NewEntry {
    let value = Bytes::from(number.to_string());
    NewEntry { key: key(number), value, ttl: LIMIT * 6, tags: vec![tag(number % 10), tag(99)] }
}

/// A cache in a Redis.
fn start() -> Option<(Broker, ByteCache)> {
    start_limited(LIMIT)
}

/// A cache in a Redis, with a time limit of its commands.
fn start_limited(limit: Duration) -> Option<(Broker, ByteCache)> {
    if !Kind::Redis.is_installed() {
        return None;
    }
    let broker = Broker::start(Kind::Redis, &[]).unwrap();
    let client = RedisClient::open(broker.url().parse().unwrap(), "a test", limit);
    Some((broker, ByteCache::shared(client, "test:")))
}

fn run(test: impl Future<Output = ()>) {
    Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

#[test]
fn large_look_ups_have_several_steps() {
    let Some((broker, cache)) = start() else { return };
    let mut redis = redis::Client::connect(&broker).unwrap();
    run(async {
        let (nothing, moment) = cache.get_many(&[]).await;
        assert!(nothing.is_empty());
        cache.put((0..1_200).map(entry).collect(), moment.unwrap()).await;
        redis.command(&["CONFIG", "RESETSTAT"]).unwrap();
        let keys: Vec<CacheKey> = (0..1_201).map(key).collect();
        let (found, _) = cache.get_many(&keys).await;
        for (number, found) in found.iter().enumerate() {
            let value = found.as_ref().map(|found| found.value.clone());
            let expected = (number < 1_200).then(|| Bytes::from(number.to_string()));
            assert_eq!(value, expected);
        }
        let info = redis.command(&["INFO", "commandstats"]).unwrap().concat();
        assert!(info.contains("cmdstat_evalsha:calls=3,"), "{info}");
        // 1,201 keys, and 11 tags in each of the three steps.
        assert!(info.contains("cmdstat_get:calls=1234,"), "{info}");
        cache.invalidate(&[tag(3)]).await.unwrap();
        let (found, _) = cache.get_many(&keys).await;
        let stale = found.iter().take(1_200).enumerate().filter(|(_, found)| found.is_none());
        assert!(stale.map(|(number, _)| number).eq((0..1_200).filter(|number| number % 10 == 3)));
    });
}

#[test]
fn large_values_are_not_sent() {
    let Some((_broker, cache)) = start() else { return };
    run(async {
        let (_, moment) = cache.get_many(&[]).await;
        cache.put(vec![entry(1), entry(1_000)], moment.unwrap()).await;
        let both = [key(1), key(1_000)];
        let found = cache.get_small(&both, 3).await.0;
        let found: Vec<bool> = found.iter().map(Option::is_some).collect();
        assert_eq!(found, [true, false]);
        // It is left for those who want it.
        let found = cache.get_small(&both, 4).await.0;
        assert!(found.iter().all(Option::is_some));
    });
}

#[test]
fn a_pause_of_redis_leaves_the_connection() {
    let Some((broker, cache)) = start_limited(Duration::from_millis(200)) else { return };
    let mut redis = redis::Client::connect(&broker).unwrap();
    run(async {
        let moment = async || {
            let started = Instant::now();
            loop {
                if let (_, Some(moment)) = cache.get_many(&[]).await {
                    return moment;
                }
                assert!(started.elapsed() < LIMIT);
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let before = moment().await;
        redis.command(&["CLIENT", "PAUSE", "500"]).unwrap();
        assert_eq!(cache.get_many(&[]).await.1, None);
        // Nobody waits until Redis replies again.
        let started = Instant::now();
        assert_eq!(cache.get_many(&[]).await.1, None);
        assert!(started.elapsed() < Duration::from_millis(100));
        assert!(cache.is_connected());
        assert!(moment().await.has_clock_of(before));
    });
}

#[test]
fn what_is_no_entry_is_replaced() {
    let Some((broker, cache)) = start() else { return };
    let mut redis = redis::Client::connect(&broker).unwrap();
    run(async {
        for script in [SHORT, LIST] {
            let (_, moment) = cache.get_many(&[]).await;
            cache.put(vec![entry(1), entry(2)], moment.unwrap()).await;
            assert!(cache.get_many(&[key(1)]).await.0[0].is_some(), "{script}");
            redis.command(&["EVAL", script, "0"]).unwrap();
            let (found, moment) = cache.get_many(&[key(1), key(2)]).await;
            assert_eq!(found, [None, None], "{script}");
            cache.put(vec![entry(1)], moment.unwrap()).await;
            assert!(cache.get_many(&[key(1)]).await.0[0].is_some(), "{script}");
        }
        assert_eq!(cache.counts().failures, 0);
    });
}
