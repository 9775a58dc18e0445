//! Addresses that did not answer in time: where there are others, those are tried first, so that a
//! host that is off costs the connect timeout now and then, and not with each new connection.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use source::wire::socket::Address;

/// Time for which a silent address is tried last.
const PUT_OFF: Duration = Duration::from_secs(30);

/// Shared by all copies of a configuration.
#[derive(Debug, Clone, Default)]
pub(super) struct SilentAddresses(Arc<Mutex<Vec<(Address, Instant)>>>);

impl SilentAddresses {
    pub(super) fn add(&self, address: Address) {
        let mut addresses = self.lock();
        // The names of a cloud's servers change their addresses: old entries are dropped.
        addresses.retain(|(known, since)| *known != address && since.elapsed() < PUT_OFF);
        addresses.push((address, Instant::now()));
    }

    pub(super) fn contains(&self, address: &Address) -> bool {
        let is_silent =
            |(known, since): &(Address, Instant)| known == address && since.elapsed() < PUT_OFF;
        self.lock().iter().any(is_silent)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Address, Instant)>> {
        // The list is whole at any time, even if a thread died while it held it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
