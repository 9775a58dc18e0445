//! Authentication: from a token to a session's settings. Nothing here reads a file or a socket.
//!
//! * `json`: objects with unique members
//! * [`algorithm`]: how tokens may be signed
//! * [`keys`]: keys that verify tokens: a secret, public keys, sets of keys
//! * [`token`]: whether one of them has signed a token
//! * [`rules`]: whether its claims hold here and now
//! * [`mapping`]: the mapping of claims to the role and the settings
//! * [`sign`]: tokens that functions give out

pub mod algorithm;
mod json;
pub mod keys;
pub mod mapping;
pub mod rules;
pub mod sign;
pub mod token;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use graphql::heap::HeapSize;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use source::{Claims, Session, Settings};

pub use self::algorithm::Algorithm;
use self::json::Members;
pub use self::keys::{Key, KeyError, KeySet};
pub use self::mapping::{Mapping, Pair};
pub use self::rules::Rules;
pub use self::sign::Signer;
use self::token::Token;
pub use self::token::unverified_issuer;
use crate::cache;

/// Most bytes of a token: no issuer writes longer ones, and they would cost more to check.
pub const MOST_TOKEN_BYTES: usize = 16 << 10;

/// About how many bytes the tokens that are known again may take.
const KNOWN_BYTES: u64 = 16 << 20;

/// About how many of them there are then, for the first size of the tables.
const KNOWN_TOKENS: usize = 4_096;

/// Number of shards of the cache, each with a lock and an equal share of the bytes. It does not
/// grow with the processors: a token that is larger than a share could never be kept.
const SHARDS: u64 = 8;

/// About how many bytes the cache itself takes for a token.
const ENTRY: usize = 100;

/// The reference counters of an [`Arc`].
const COUNTERS: usize = 2 * size_of::<usize>();

/// Judges tokens, and makes sessions of them.
#[derive(Debug)]
pub struct Sessions {
    /// Configured keys; others are fetched.
    keys: KeySet,
    rules: Rules,
    mapping: Mapping,
    anonymous: Session,
    known: Cache<Box<str>, Known, Weight>,
    /// The claim with an object of further claims, which take precedence over those beside it.
    namespace: Option<Box<str>>,
}

/// A token that was found to be good.
#[derive(Debug)]
pub struct Verified {
    /// The role and the claims, after the fixed settings.
    pairs: Vec<Pair>,
    session: Session,
    /// Until when, in seconds since 1970.
    until: Option<f64>,
}

/// The reason why a token is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It has expired. Clients renew it on this error.
    Expired,
    /// No key that is known has signed it; one that is not known may have.
    NoKey,
    /// It is valid, but does not meet a requirement of the configuration.
    Unmet(Requirement),
    /// The reason is logged only: it would help attackers who try tokens.
    Invalid(&'static str),
}

/// Requirements of a token beside its signature and its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    Audience,
    Issuer,
    Subject,
    Id,
    /// A claim that must be there.
    Claims,
}

#[derive(Clone, Debug)]
struct Known {
    verified: Arc<Verified>,
    /// Version of the fetched keys.
    version: u64,
}

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<Box<str>, Known> for Weight {
    fn weight(&self, token: &Box<str>, known: &Known) -> u64 {
        (ENTRY + token.len() + known.verified.bytes()) as u64
    }
}

impl Verified {
    /// All claims of the token.
    #[must_use]
    pub fn claims(&self) -> Option<&Claims> {
        self.session.claims.as_deref()
    }

    /// The time at which the token expires, if it does.
    #[must_use]
    pub fn until(&self) -> Option<SystemTime> {
        let since_epoch = Duration::try_from_secs_f64(self.until?.max(0.0)).ok()?;
        UNIX_EPOCH.checked_add(since_epoch)
    }

    /// The bytes that it takes. A test compares them with an allocator's.
    fn bytes(&self) -> usize {
        let Self { pairs, session: Session { settings, claims }, until: _ } = self;
        let texts: usize = pairs.iter().map(|(name, value)| name.len() + value.len()).sum();
        let settings = settings.as_ref().map_or(0, |settings| COUNTERS + settings.bytes());
        let claims = claims
            .as_ref()
            .map_or(0, |claims| COUNTERS + size_of::<Claims>() + claims.all().heap_size());
        let own = COUNTERS + size_of::<Self>() + pairs.capacity() * size_of::<Pair>() + texts;
        own + settings + claims
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Expired => "it has expired",
            Self::NoKey => "no known key has signed it",
            Self::Unmet(Requirement::Audience) => "its audience is another",
            Self::Unmet(Requirement::Issuer) => "its issuer is another",
            Self::Unmet(Requirement::Subject) => "its subject is another",
            Self::Unmet(Requirement::Id) => "its id is another",
            Self::Unmet(Requirement::Claims) => "a claim is missing",
            Self::Invalid(why) => why,
        })
    }
}

impl Sessions {
    #[must_use]
    pub fn new(keys: KeySet, rules: Rules, mapping: Mapping) -> Self {
        let anonymous = session(mapping.for_anonymous(), None);
        let known = cache::bounded(KNOWN_BYTES, KNOWN_TOKENS, SHARDS, Weight);
        Self { keys, rules, mapping, anonymous, known, namespace: None }
    }

    /// Takes further claims from the object, or its JSON text, that is the claim of this name.
    #[must_use]
    pub fn with_namespace(mut self, namespace: Box<str>) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Number of cached tokens, and their approximate bytes.
    #[must_use]
    pub fn known(&self) -> (usize, u64) {
        (self.known.len(), self.known.weight())
    }

    /// The unauthenticated session.
    #[must_use]
    pub fn anonymous(&self) -> Session {
        self.anonymous.clone()
    }

    /// A session with these claims and settings.
    #[must_use]
    pub fn with_claims(claims: Claims, settings: Vec<Pair>) -> Session {
        session(settings, Some(Arc::new(claims)))
    }

    /// The session of these claims, or without a token, with settings of this request.
    pub fn of_claims(
        &self,
        claims: Option<Claims>,
        settings: Vec<Pair>,
    ) -> Result<Session, Refused> {
        let Session { settings: mapped, claims } = self.mapping.session(claims)?;
        let pairs = mapped.map(|mapped| mapped.pairs().to_vec()).unwrap_or_default();
        Ok(self.with(pairs, claims, settings))
    }

    /// The session without a token, with settings of this request.
    #[must_use]
    pub fn anonymous_with(&self, settings: Vec<Pair>) -> Session {
        self.with(self.mapping.for_anonymous(), None, settings)
    }

    /// The session of a verified token, with settings of this request.
    #[must_use]
    pub fn authenticated(&self, verified: &Verified, settings: Vec<Pair>) -> Session {
        match settings.is_empty() {
            true => verified.session.clone(),
            false => {
                let claims = verified.session.claims.clone();
                self.with(verified.pairs.clone(), claims, settings)
            }
        }
    }

    /// Verifies a token. `fetched` are keys beside the configured ones, and `version` changes with
    /// them: tokens that were verified by removed keys are verified again.
    pub fn check(
        &self,
        text: &str,
        fetched: &[Arc<KeySet>],
        version: u64,
        now: SystemTime,
    ) -> Result<Arc<Verified>, Refused> {
        let now = now.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        if let Some(known) = self.known.get(text)
            && known.version == version
        {
            return match known.verified.until.is_some_and(|until| now >= until) {
                true => Err(Refused::Expired),
                false => Ok(known.verified),
            };
        }
        if text.len() > MOST_TOKEN_BYTES {
            return Err(Refused::Invalid("it is too large"));
        }
        let token = Token::parse(text)?;
        let fetched = fetched.iter().map(|keys| &**keys);
        if !token.is_signed_by([&self.keys].into_iter().chain(fetched)) {
            return Err(Refused::NoKey);
        }
        let claims = token.claims()?;
        let until = self.rules.check(&claims, now)?;
        let claims = match &self.namespace {
            Some(namespace) => claims.unfold(namespace)?,
            None => claims,
        };
        let pairs = self.mapping.for_claims(&claims)?;
        let object =
            claims.0.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let claims = Some(Arc::new(Claims::new(serde_json_bytes::Value::Object(object))));
        let session = session(pairs.clone(), claims);
        let verified = Arc::new(Verified { session, pairs, until });
        let known = Known { verified: Arc::clone(&verified), version };
        self.known.insert(text.into(), known);
        Ok(verified)
    }

    /// Settings of a request come behind those that are the same for all, and in front of the role,
    /// which may not have the right to set them.
    fn with(
        &self,
        mut pairs: Vec<Pair>,
        claims: Option<Arc<Claims>>,
        settings: Vec<Pair>,
    ) -> Session {
        let place = self.mapping.fixed.len().min(pairs.len());
        pairs.splice(place..place, settings);
        session(pairs, claims)
    }
}

impl Mapping {
    /// The session of a caller whose token has these claims, or without a token.
    pub fn session(&self, claims: Option<Claims>) -> Result<Session, Refused> {
        let Some(claims) = claims else { return Ok(session(self.for_anonymous(), None)) };
        let members =
            serde_json::to_vec(claims.all()).and_then(|text| serde_json::from_slice(&text));
        let members: Members =
            members.map_err(|_| Refused::Invalid("its claims are no JSON object"))?;
        let pairs = self.for_claims(&members)?;
        Ok(session(pairs, Some(Arc::new(claims))))
    }
}

/// A session without settings shares connections with others.
fn session(pairs: Vec<Pair>, claims: Option<Arc<Claims>>) -> Session {
    let settings = (!pairs.is_empty()).then(|| Arc::new(Settings::new(pairs)));
    Session { settings, claims }
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
