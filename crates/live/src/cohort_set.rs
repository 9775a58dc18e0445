//! Sets of cohorts, from which one is removed without a search.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cohort::Cohort;

/// Cohorts, in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct CohortSet(BTreeMap<u64, Arc<Cohort>>);

impl CohortSet {
    pub(crate) fn add(&mut self, cohort: &Arc<Cohort>) {
        self.0.insert(cohort.number, Arc::clone(cohort));
    }

    pub(crate) fn remove(&mut self, cohort: &Cohort) {
        self.0.remove(&cohort.number);
    }

    pub(crate) fn contains(&self, cohort: &Cohort) -> bool {
        self.0.contains_key(&cohort.number)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Cohort>> {
        self.0.values()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'c> FromIterator<&'c Arc<Cohort>> for CohortSet {
    fn from_iter<I: IntoIterator<Item = &'c Arc<Cohort>>>(cohorts: I) -> Self {
        let mut set = Self::default();
        cohorts.into_iter().for_each(|cohort| set.add(cohort));
        set
    }
}
