//! The claims that rules name, and what is decided of them for an access set.

use std::sync::Arc;

use crate::claim::ClaimUse;
use crate::claim_condition::ClaimCondition;
use crate::condition::ClaimFacts;

/// The claims that the rules of a source name.
#[derive(Debug)]
pub(crate) struct NamedClaims {
    /// Conditions on claims.
    pub(crate) tests: Vec<ClaimCondition>,
    /// Claims that values of rows are compared with or written from.
    pub(crate) uses: Vec<ClaimUse>,
}

/// The decided conditions on [`NamedClaims`] for one kind of session.
#[derive(Debug)]
pub(crate) struct DecidedClaims {
    pub(crate) named: Arc<NamedClaims>,
    /// For each of [`NamedClaims::tests`], true if it passes.
    pub(crate) tests: Vec<bool>,
    /// For each of [`NamedClaims::uses`], true if the claim can be compared.
    pub(crate) uses: Vec<bool>,
}

impl DecidedClaims {
    /// Returns true if a claim can be compared.
    pub(crate) fn fits(&self, wanted: &ClaimUse) -> bool {
        let place = self.named.uses.iter().position(|known| known == wanted);
        place.and_then(|place| self.uses.get(place).copied()).unwrap_or(false)
    }
}

impl ClaimFacts for DecidedClaims {
    fn passes(&self, condition: &ClaimCondition) -> bool {
        let place = self.named.tests.iter().position(|known| known == condition);
        place.and_then(|place| self.tests.get(place).copied()).unwrap_or(false)
    }

    fn is_present(&self, claim: &str) -> bool {
        self.fits(&ClaimUse::of_any_type(claim))
    }
}
