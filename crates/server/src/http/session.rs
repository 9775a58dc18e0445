//! Authentication of a request: from its headers to its session.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clients::log_throttle::LogThrottle;
use engine::session::{Pair, Refused, Verified};
use hyper::header::{AUTHORIZATION, HeaderMap};

use super::authenticated::{Authenticated, instant};
use super::credentials::{AuthError, AuthProfile, Credentials, Reason};
use super::refusal::Refusal;

/// Logged once an hour: a client that sends an ignored header sends it with each request.
static UNREAD: LogThrottle = LogThrottle::new(Duration::from_secs(3600));

/// Clients that guess tokens must not fill the log.
static REFUSED: LogThrottle = LogThrottle::new(Duration::from_secs(10));

/// Authenticates a request.
pub(super) async fn find(
    credentials: &Credentials,
    headers: &HeaderMap,
) -> Result<Authenticated, Refusal> {
    // Boxed: waiting for keys is rare, and every request would need the space.
    match find_now(credentials, headers) {
        Ok(Found::Session(authenticated)) => Ok(authenticated),
        Ok(Found::Unknown(token, settings)) => {
            let found = Box::pin(find_with_new_keys(credentials, token, settings));
            found.await.map_err(|denied| refusal(credentials.profile, denied))
        }
        Err(denied) => Err(refusal(credentials.profile, denied)),
    }
}

/// The refusal in the form of the auth profile.
pub(super) fn refusal(profile: AuthProfile, denied: AuthError) -> Refusal {
    match (profile, &denied) {
        (
            AuthProfile::Neo4j,
            AuthError::Malformed
            | AuthError::Missing
            | AuthError::Expired
            | AuthError::Invalid { .. },
        ) => Refusal::Unauthenticated(denied),
        (
            AuthProfile::Prisma,
            AuthError::Malformed
            | AuthError::Missing
            | AuthError::Expired
            | AuthError::Invalid { .. },
        ) => Refusal::ServiceToken(denied),
        (AuthProfile::PostGraphile | AuthProfile::Dgraph | AuthProfile::Gateway { .. }, _)
        | (AuthProfile::Neo4j | AuthProfile::Prisma, AuthError::Setting(_) | AuthError::NoKeys) => {
            Refusal::Credentials(denied)
        }
    }
}

enum Found<'h> {
    Session(Authenticated),
    /// A token that none of the known keys has signed.
    Unknown(&'h str, Vec<Pair>),
}

fn find_now<'h>(credentials: &Credentials, headers: &'h HeaderMap) -> Result<Found<'h>, AuthError> {
    let settings = credentials.settings(headers)?;
    if !credentials.has_keys {
        if headers.contains_key(AUTHORIZATION) && UNREAD.record().is_some() {
            tracing::warn!(
                "requests have an \"Authorization\" header, which is ignored: there is no key to \
                 verify it (--jwt-secret, --jwt-public-key, --jwt-jwks)"
            );
        }
        return Ok(Found::Session(nobody(credentials, settings)));
    }
    let Some(token) = credentials.token(headers)? else {
        return match credentials.requires_token {
            true => Err(AuthError::Missing),
            false => Ok(Found::Session(nobody(credentials, settings))),
        };
    };
    match judge(credentials, token) {
        Ok(verified) => Ok(Found::Session(authenticated(credentials, &verified, settings))),
        Err((Refused::NoKey, _)) if !credentials.fetched.is_empty() => {
            Ok(Found::Unknown(token, settings))
        }
        Err((refused, has_all_keys)) => Err(denied(credentials, refused, has_all_keys)),
    }
}

/// Fetches the key sets and verifies again: the key may be new, or may have replaced another.
async fn find_with_new_keys(
    credentials: &Credentials,
    token: &str,
    settings: Vec<Pair>,
) -> Result<Authenticated, AuthError> {
    credentials.fetched.renew().await;
    match judge(credentials, token) {
        Ok(verified) => Ok(authenticated(credentials, &verified, settings)),
        Err((refused, has_all_keys)) => Err(denied(credentials, refused, has_all_keys)),
    }
}

fn authenticated(
    credentials: &Credentials,
    verified: &Verified,
    settings: Vec<Pair>,
) -> Authenticated {
    let session = credentials.sessions.authenticated(verified, settings);
    Authenticated { session, until: verified.until().and_then(instant) }
}

type Judged = Result<Arc<Verified>, (Refused, bool)>;

/// Verifies a token by the known keys. The error tells whether those are all.
fn judge(credentials: &Credentials, token: &str) -> Judged {
    let (fetched, version, is_all) = credentials.fetched.current();
    let checked = credentials.sessions.check(token, &fetched, version, SystemTime::now());
    checked.map_err(|refused| (refused, is_all))
}

fn nobody(credentials: &Credentials, settings: Vec<Pair>) -> Authenticated {
    let session = match settings.is_empty() {
        true => credentials.sessions.anonymous(),
        false => credentials.sessions.anonymous_with(settings),
    };
    Authenticated { session, until: None }
}

/// Maps a refused token to its error. The reason is for the log, and for trusted clients: clients that
/// guess tokens could learn from it.
fn denied(credentials: &Credentials, refused: Refused, has_all_keys: bool) -> AuthError {
    tracing::debug!(reason = %refused, "a token is refused");
    match refused {
        Refused::Expired => AuthError::Expired,
        Refused::NoKey if !has_all_keys => AuthError::NoKeys,
        Refused::NoKey | Refused::Unmet(_) | Refused::Invalid(_) => {
            let times = REFUSED.record();
            if times.is_none() && !credentials.shows_reasons {
                return AuthError::Invalid { reason: Reason(None) };
            }
            let reason = credentials.reason(refused);
            if let Some(times) = times {
                tracing::info!(reason, times, "a token is refused");
            }
            let shown = credentials.shows_reasons.then(|| reason.into());
            AuthError::Invalid { reason: Reason(shown) }
        }
    }
}
