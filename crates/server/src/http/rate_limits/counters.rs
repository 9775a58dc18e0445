//! Buckets of clients, in the memory of the process.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::bucket::{Decision, Rate};

/// Locks, so that threads rarely wait for each other.
const SHARDS: usize = 16;

/// The most buckets of a shard. Those of silent clients make room; if all are in use, further clients
/// share one, so that nobody can fill the memory.
const MOST: usize = 8_192;

/// The time at which each bucket is empty, by its name.
#[derive(Debug)]
pub(in crate::http) struct RateCounters {
    began: Instant,
    /// Clients choose names: a hash that they can compute would let them fill one shard.
    hasher: RandomState,
    shards: [Mutex<Shard>; SHARDS],
}

#[derive(Debug, Default)]
struct Shard {
    empty_at: HashMap<Box<str>, u64>,
    /// The bucket of clients for which there is no room.
    others: u64,
}

impl Default for RateCounters {
    fn default() -> Self {
        Self { began: Instant::now(), hasher: RandomState::new(), shards: Default::default() }
    }
}

impl RateCounters {
    /// The time since the process began.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Whether units fit into a bucket; nothing is taken.
    pub(super) fn peek(&self, name: &str, rate: Rate, units: u64, now: u64) -> Decision {
        let shard = self.shard(name);
        let empty_at = shard.empty_at.get(name).copied().unwrap_or_default();
        rate.decide(empty_at, units, now)
    }

    /// Takes the units if they fit.
    pub(super) fn take(&self, name: &str, rate: Rate, units: u64, now: u64) -> Decision {
        let mut shard = self.shard(name);
        let decision;
        if let Some(empty_at) = shard.empty_at.get_mut(name) {
            decision = rate.decide(*empty_at, units, now);
            if let Decision::Allowed { empty_at: new, .. } = decision {
                *empty_at = new;
            }
            return decision;
        }
        if shard.empty_at.len() >= MOST {
            shard.empty_at.retain(|_, empty_at| *empty_at > now);
        }
        if shard.empty_at.len() >= MOST {
            decision = rate.decide(shard.others, units, now);
            if let Decision::Allowed { empty_at, .. } = decision {
                shard.others = empty_at;
            }
            return decision;
        }
        decision = rate.decide(0, units, now);
        if let Decision::Allowed { empty_at, .. } = decision {
            shard.empty_at.insert(name.into(), empty_at);
        }
        decision
    }

    fn shard(&self, name: &str) -> MutexGuard<'_, Shard> {
        let place = self.hasher.hash_one(name) as usize % SHARDS;
        // It is whole at any time, even if a thread died while it held it.
        self.shards[place].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_allowed(decision: Decision) -> bool {
        matches!(decision, Decision::Allowed { .. })
    }

    #[test]
    fn each_client_has_a_bucket() {
        let counters = RateCounters::default();
        let rate = Rate::new(1, 1_000, 1);
        assert!(is_allowed(counters.take("a", rate, 1, 10)));
        assert!(!is_allowed(counters.peek("a", rate, 1, 10)));
        assert!(!is_allowed(counters.take("a", rate, 1, 10)));
        assert!(is_allowed(counters.peek("b", rate, 1, 10)));
        assert!(is_allowed(counters.take("b", rate, 1, 10)));
        assert!(is_allowed(counters.take("a", rate, 1, 1_010)));
    }

    #[test]
    fn the_memory_is_bounded_and_silent_clients_make_room() {
        let counters = RateCounters::default();
        let rate = Rate::new(1, 1_000, 1);
        let count = || {
            counters.shards.iter().map(|shard| shard.lock().unwrap().empty_at.len()).sum::<usize>()
        };
        let clients = 2 * SHARDS * MOST;
        let allowed = (0..clients)
            .filter(|number| is_allowed(counters.take(&number.to_string(), rate, 1, 10)))
            .count();
        assert!(count() <= SHARDS * MOST, "{}", count());
        // Those without a bucket of their own share one for each shard.
        assert!(allowed <= SHARDS * (MOST + 1), "{allowed}");
        assert!(is_allowed(counters.take("new", rate, 1, 5_000)));
        assert!(count() < SHARDS * MOST);
    }
}
