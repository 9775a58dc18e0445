//! Who asks, from the head of a request.

use std::time::{Duration, SystemTime};

use engine::Session;
use engine::session::{Pair, Refused};
use hyper::header::{AUTHORIZATION, HeaderMap};

use super::credentials::{Credentials, Customs, Denied, Reason};
use super::respond::Refusal;
use super::seldom::Seldom;

/// Said once: a client that sends what nobody reads sends it with each request.
static UNREAD: Seldom = Seldom::new(Duration::from_secs(3600));

/// Whoever tries tokens fills no log.
static REFUSED: Seldom = Seldom::new(Duration::from_secs(10));

/// The session of a request, if it is known who asks.
pub(super) async fn find(
    credentials: &Credentials,
    headers: &HeaderMap,
) -> Result<Session, Refusal> {
    // All that waits is apart: it is seldom, and every request would have room for it.
    match find_now(credentials, headers) {
        Ok(Found::Session(session)) => Ok(session),
        Ok(Found::Unknown(token, settings)) => {
            let found = Box::pin(find_with_new_keys(credentials, token, settings));
            found.await.map_err(|denied| refusal(credentials.customs, denied))
        }
        Err(denied) => Err(refusal(credentials.customs, denied)),
    }
}

/// The refusal in the words that clients know.
fn refusal(customs: Customs, denied: Denied) -> Refusal {
    match (customs, &denied) {
        (
            Customs::Neo4j,
            Denied::Malformed | Denied::Missing | Denied::Expired | Denied::Invalid { .. },
        ) => Refusal::Unauthenticated(denied),
        (Customs::PostGraphile | Customs::Gateway { .. }, _)
        | (Customs::Neo4j, Denied::Setting(_) | Denied::NoKeys) => Refusal::Credentials(denied),
    }
}

enum Found<'h> {
    Session(Session),
    /// A token that no key has signed of those that there are.
    Unknown(&'h str, Vec<Pair>),
}

fn find_now<'h>(credentials: &Credentials, headers: &'h HeaderMap) -> Result<Found<'h>, Denied> {
    let settings = credentials.settings(headers)?;
    if !credentials.has_keys {
        if headers.contains_key(AUTHORIZATION) && UNREAD.happens().is_some() {
            tracing::warn!(
                "requests come with an \"Authorization\" header, and there is no key to judge it by \
                 (--jwt-secret, --jwt-public-key, --jwt-jwks): it is not looked at"
            );
        }
        return Ok(Found::Session(nobody(credentials, settings)));
    }
    let Some(token) = credentials.token(headers)? else {
        return match credentials.requires_token {
            true => Err(Denied::Missing),
            false => Ok(Found::Session(nobody(credentials, settings))),
        };
    };
    match judge(credentials, token) {
        Ok(verified) => Ok(Found::Session(credentials.sessions.somebody_with(&verified, settings))),
        Err((Refused::NoKey, _)) if !credentials.fetched.is_empty() => {
            Ok(Found::Unknown(token, settings))
        }
        Err((refused, has_all_keys)) => Err(denied(credentials, refused, has_all_keys)),
    }
}

/// A key may be new, or another by the name of one before.
async fn find_with_new_keys(
    credentials: &Credentials,
    token: &str,
    settings: Vec<Pair>,
) -> Result<Session, Denied> {
    credentials.fetched.renew().await;
    match judge(credentials, token) {
        Ok(verified) => Ok(credentials.sessions.somebody_with(&verified, settings)),
        Err((refused, has_all_keys)) => Err(denied(credentials, refused, has_all_keys)),
    }
}

type Judged = Result<std::sync::Arc<engine::session::Verified>, (Refused, bool)>;

/// Judges a token by the keys that there are, and says whether those are all.
fn judge(credentials: &Credentials, token: &str) -> Judged {
    let (fetched, version, is_all) = credentials.fetched.current();
    let checked = credentials.sessions.check(token, &fetched, version, SystemTime::now());
    checked.map_err(|refused| (refused, is_all))
}

fn nobody(credentials: &Credentials, settings: Vec<Pair>) -> Session {
    match settings.is_empty() {
        true => credentials.sessions.nobody(),
        false => credentials.sessions.nobody_with(settings),
    }
}

/// What is wrong with a token is for the log, and for whoever is trusted: who tries tokens would learn
/// from it.
fn denied(credentials: &Credentials, refused: Refused, has_all_keys: bool) -> Denied {
    tracing::debug!(reason = %refused, "a token is refused");
    match refused {
        Refused::Expired => Denied::Expired,
        Refused::NoKey if !has_all_keys => Denied::NoKeys,
        Refused::NoKey | Refused::Unmet(_) | Refused::Invalid(_) => {
            let times = REFUSED.happens();
            if times.is_none() && !credentials.tells_reasons {
                return Denied::Invalid { reason: Reason(None) };
            }
            let reason = credentials.reason(refused);
            if let Some(times) = times {
                tracing::info!(reason, times, "a token is refused");
            }
            let told = credentials.tells_reasons.then(|| reason.into());
            Denied::Invalid { reason: Reason(told) }
        }
    }
}
