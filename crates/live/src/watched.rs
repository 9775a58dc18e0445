//! Cached answers: cohorts without subscribers, which the first change that concerns them invalidates.
//!
//! An answer is registered before its statements run ([`Hub::watch`]), so a change that is committed
//! while they run invalidates it, too. Without a feed nothing would, so nothing is registered then.
//! A cache has the feed run for it by [`Hub::claim_feed_for_cache`].

use std::sync::Arc;

use crate::cohort::{Cohort, CohortKey, Invalidated};
use crate::dependencies::Dependencies;
use crate::hub::Hub;

/// The registration of an answer; it ends when this is dropped.
#[derive(Debug)]
pub struct Watched {
    hub: Arc<Hub>,
    cohort: Arc<Cohort>,
}

impl Watched {
    /// Returns true until a change may have concerned the answer.
    #[must_use]
    pub fn is_current(&self) -> bool {
        !self.cohort.is_dirty()
    }

    /// About how many bytes the registration takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.cohort.bytes()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.hub.unwatch(&self.cohort);
    }
}

impl Hub {
    /// Registers an answer that is about to be made; `None` while nothing follows the changes of the
    /// source.
    pub fn watch(
        self: &Arc<Self>,
        key: CohortKey,
        dependencies: Dependencies,
        invalidated: &Arc<Invalidated>,
    ) -> Option<Watched> {
        let cohort = Arc::new(Cohort::watched(key, dependencies, Arc::clone(invalidated)));
        self.add_watched(&cohort).then(|| Watched { hub: Arc::clone(self), cohort })
    }
}

#[cfg(test)]
mod tests {
    use catalog::EntityId;
    use serde_json_bytes::Map;
    use source::Session;

    use super::*;
    use crate::dependencies::ReadRows;
    use crate::hub::RunningFeed;
    use crate::written::Written;

    fn reads(entity: usize) -> Dependencies {
        let entities = [(EntityId::new(entity), ReadRows::All)].into_iter().collect();
        Dependencies { entities, ..Dependencies::default() }
    }

    fn watch(hub: &Arc<Hub>, invalidated: &Arc<Invalidated>, entity: usize) -> Option<Watched> {
        let key = CohortKey::new("a", None, &Map::new(), &Session::default());
        hub.watch(key, reads(entity), invalidated)
    }

    #[test]
    fn nothing_is_registered_without_a_feed() {
        let (hub, invalidated) = (Arc::<Hub>::default(), Arc::default());
        assert!(watch(&hub, &invalidated, 0).is_none());
        hub.set_feed(Some(RunningFeed::Probe), true);
        let watched = watch(&hub, &invalidated, 0).unwrap();
        // While the state of the source is not known, nothing would invalidate an answer.
        hub.set_feed(Some(RunningFeed::Interval), false);
        assert!(watch(&hub, &invalidated, 0).is_none());
        hub.set_feed(None, false);
        assert!(!watched.is_current());
    }

    #[test]
    fn a_change_of_this_process_invalidates_the_answers_of_its_entities() {
        let (hub, invalidated) = (Arc::<Hub>::default(), Arc::default());
        hub.set_feed(Some(RunningFeed::Probe), true);
        let [one, other] = [0, 1].map(|entity| watch(&hub, &invalidated, entity).unwrap());
        hub.invalidate_written(&Written::Entities([EntityId::new(0)].into_iter().collect()));
        assert_eq!((one.is_current(), other.is_current()), (false, true));
        hub.invalidate_written(&Written::Anything);
        assert!(!other.is_current());
        assert_eq!((invalidated.take().len(), invalidated.count()), (2, 2));
        hub.invalidate_written(&Written::Anything);
        assert_eq!(invalidated.take().len(), 0);
    }

    #[test]
    fn a_feed_is_claimed_for_a_cache_until_it_is_closed() {
        let hub = Arc::<Hub>::default();
        let mut claim = hub.claim_feed_for_cache().unwrap();
        assert!(hub.claim_feed_for_cache().is_none());
        assert!(claim.is_needed());
        hub.close_cache();
        assert!(!claim.is_needed());
    }
}
