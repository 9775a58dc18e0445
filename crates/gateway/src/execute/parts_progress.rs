//! Progress of a response in several parts: the fetches of the initial part are sent first, and a part
//! is delivered when its fetches are complete.

use crate::outline::{PartId, Parts};
use crate::plan::{FetchId, Plan};

/// Progress of the parts of a response.
#[derive(Debug)]
pub(super) struct PartsProgress<'p> {
    plan: &'p Plan,
    /// By fetch.
    is_complete: Vec<bool>,
    delivered: Parts,
    /// Fetches that wait until the initial part is delivered.
    held: Vec<FetchId>,
}

impl<'p> PartsProgress<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        let is_complete = vec![false; plan.fetches.len()];
        Self { plan, is_complete, delivered: Parts::NONE, held: Vec::new() }
    }

    /// Records that a fetch is complete.
    pub(super) fn complete(&mut self, id: FetchId) {
        self.is_complete[id.index()] = true;
    }

    /// Returns the fetches that were held back.
    pub(super) fn release(&mut self) -> Vec<FetchId> {
        std::mem::take(&mut self.held)
    }

    /// Holds a fetch back if the initial part does not need it and is not delivered.
    pub(super) fn holds(&mut self, id: FetchId) -> bool {
        let initial = self.plan.parts.first();
        let is_held = !self.delivered.contains(PartId::INITIAL)
            && initial.is_some_and(|initial| !initial.contains(&id));
        if is_held {
            self.held.push(id);
        }
        is_held
    }

    /// Returns the complete parts, if the initial one and a part that was not delivered are among
    /// them.
    pub(super) fn next(&mut self) -> Option<Parts> {
        let parts = self.plan.parts.iter().enumerate();
        let complete = parts
            .filter(|(_, fetches)| fetches.iter().all(|fetch| self.is_complete[fetch.index()]))
            .fold(Parts::NONE, |all, (part, _)| all.with(Parts::only(PartId::new(part))));
        if !complete.contains(PartId::INITIAL) || complete == self.delivered {
            return None;
        }
        let is_first = self.delivered == Parts::NONE;
        self.delivered = if is_first { Parts::only(PartId::INITIAL) } else { complete };
        Some(self.delivered)
    }
}
