//! The session of a request, and what it was made from.

use std::time::{Duration, SystemTime};

use engine::Session;
use tokio::time::Instant;

/// The session of a request.
#[derive(Clone, Debug)]
pub(super) struct Authenticated {
    pub(super) session: Session,
    /// The time at which its token expires, if it does.
    pub(super) until: Option<Instant>,
}

/// The kinds of credentials that are configured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UsedCredentials {
    pub(super) has_admin_secret: bool,
    pub(super) has_tokens: bool,
    pub(super) has_webhook: bool,
}

/// The time of an expiry by the clock of timers; none if it is beyond that.
pub(super) fn instant(expiry: SystemTime) -> Option<Instant> {
    let left = expiry.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO);
    Instant::now().checked_add(left)
}
