//! Validation of a token's claims:
//! <https://www.rfc-editor.org/rfc/rfc7519#section-4.1>.

use std::time::Duration;

use serde_json::Value;

use super::json::Members;
use super::{Refused, Requirement};

/// Rules for the claims of every token. Empty ones are not checked.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Accepted audiences.
    pub audiences: Vec<Box<str>>,
    /// True if a token must have no audience.
    pub refuses_audiences: bool,
    /// Accepted issuers.
    pub issuers: Vec<Box<str>>,
    pub subject: Option<Box<str>>,
    pub id: Option<Box<str>>,
    /// The claims that must be there.
    pub required: Vec<Box<str>>,
    /// Whether the expiry is required.
    pub needs_expiry: bool,
    /// By how much clocks may differ.
    pub leeway: Duration,
    /// Longest age of a token after it was issued.
    pub max_age: Option<Duration>,
}

impl Rules {
    /// Until when the claims hold, in seconds since 1970, as is `now`.
    pub(super) fn check(&self, claims: &Members, now: f64) -> Result<Option<f64>, Refused> {
        let invalid = Refused::Invalid;
        let leeway = self.leeway.as_secs_f64();
        let mut until: Option<f64> = None;
        let mut ends = |at: f64| until = Some(until.map_or(at, |until| until.min(at)));
        match time(claims, "exp")? {
            Some(expires) => ends(expires + leeway),
            None if self.needs_expiry => return Err(invalid("it does not say when it ends")),
            None => {}
        }
        if time(claims, "nbf")?.is_some_and(|begins| begins > now + leeway) {
            return Err(invalid("it is not yet good"));
        }
        let issued = time(claims, "iat")?;
        if issued.is_some_and(|issued| issued > now + leeway) {
            return Err(invalid("it was issued in the future"));
        }
        match (self.max_age, issued) {
            (Some(age), Some(issued)) => ends(issued + age.as_secs_f64() + leeway),
            (Some(_), None) => return Err(invalid("it does not say when it was issued")),
            (None, _) => {}
        }
        self.check_audience(claims)?;
        let is_one_of = |name: &str, allowed: &[Box<str>]| {
            let found = claims.get(name).and_then(Value::as_str);
            allowed.is_empty()
                || found.is_some_and(|found| allowed.iter().any(|one| **one == *found))
        };
        if !is_one_of("iss", &self.issuers) {
            return Err(Refused::Unmet(Requirement::Issuer));
        }
        if !is_one_of("sub", self.subject.as_slice()) {
            return Err(Refused::Unmet(Requirement::Subject));
        }
        if !is_one_of("jti", self.id.as_slice()) {
            return Err(Refused::Unmet(Requirement::Id));
        }
        let is_there = |name: &str| claims.get(name).is_some_and(|value| !value.is_null());
        if !self.required.iter().all(|name| is_there(name)) {
            return Err(Refused::Unmet(Requirement::Claims));
        }
        match until.is_some_and(|until| now >= until) {
            true => Err(Refused::Expired),
            false => Ok(until),
        }
    }

    /// One text or several; one of them has to match.
    fn check_audience(&self, claims: &Members) -> Result<(), Refused> {
        let other = Err(Refused::Unmet(Requirement::Audience));
        let found = match claims.get("aud") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(several)) => {
                let texts: Option<Vec<_>> = several.iter().map(Value::as_str).collect();
                match texts {
                    Some(texts) => texts,
                    None => return other,
                }
            }
            Some(_) => return other,
        };
        if self.refuses_audiences && !found.is_empty() {
            return other;
        }
        let is_ours = |found: &&str| self.audiences.iter().any(|ours| **ours == **found);
        match self.audiences.is_empty() || found.iter().any(is_ours) {
            true => Ok(()),
            false => other,
        }
    }
}

/// Seconds since 1970; a text is none.
fn time(claims: &Members, name: &str) -> Result<Option<f64>, Refused> {
    match claims.get(name) {
        None => Ok(None),
        Some(Value::Number(number)) => match number.as_f64() {
            Some(seconds) if seconds.is_finite() => Ok(Some(seconds)),
            Some(_) | None => Err(Refused::Invalid("one of its times is no time")),
        },
        Some(_) => Err(Refused::Invalid("one of its times is no number")),
    }
}
