//! Mapping of a token's claims to the role, and to a setting for each.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::Refused;
use super::json::Members;

/// A setting: its name and its value.
pub type Pair = (Box<str>, Box<str>);

/// Prefix of claims as settings.
pub const CLAIMS: &str = "jwt.claims.";

/// Most claims of a token: no issuer writes more, and each is set for each request.
const MOST_CLAIMS: usize = 256;

/// The setting that is the role.
const ROLE: &str = "role";

/// The mapping of claims to sessions.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Path of the role among the claims.
    pub role: Vec<Box<str>>,
    /// The role where a token names none, or there is no token.
    pub default_role: Option<Box<str>>,
    /// The claims that become settings; all by default.
    pub claims: Option<Vec<Box<str>>>,
    /// The setting that holds those claims as one JSON object, as functions of PostgREST and Supabase
    /// read them.
    pub claims_object: Option<Box<str>>,
    /// Fixed settings, before the role.
    pub fixed: Vec<Pair>,
}

impl Default for Mapping {
    fn default() -> Self {
        Self {
            role: vec![ROLE.into()],
            default_role: None,
            claims: None,
            claims_object: None,
            fixed: Vec::new(),
        }
    }
}

impl Mapping {
    /// The settings of an unauthenticated session.
    pub(super) fn for_anonymous(&self) -> Vec<Pair> {
        let role = self.default_role.clone().map(|role| (ROLE.into(), role));
        let object = self.object(&Members::default(), self.default_role.as_deref());
        self.fixed.iter().cloned().chain(role).chain(object).collect()
    }

    /// The settings for these claims, in the order in which they are set: settings that only the
    /// user of the connection may change come before the role.
    pub(super) fn for_claims(&self, claims: &Members) -> Result<Vec<Pair>, Refused> {
        if claims.0.len() > MOST_CLAIMS {
            return Err(Refused::Invalid("it has too many claims"));
        }
        let mut pairs = self.fixed.clone();
        let role = match self.role(claims)? {
            Some(role) => Some(role.into()),
            None => self.default_role.clone(),
        };
        let object = self.object(claims, role.as_deref());
        pairs.extend(role.map(|role| (ROLE.into(), role)));
        pairs.extend(object);
        for (name, value) in &claims.0 {
            if !self.is_wanted(name) {
                continue;
            }
            let name = [CLAIMS, name].concat();
            if !is_setting(&name) {
                tracing::debug!(name, "a claim whose name cannot be that of a setting is left out");
                continue;
            }
            let Some(value) = text(value) else { continue };
            if value.contains('\0') {
                return Err(Refused::Invalid("a claim holds a zero byte"));
            }
            pairs.push((name.into(), value.into()));
        }
        Ok(pairs)
    }

    /// Whether a claim becomes a setting.
    fn is_wanted(&self, claim: &str) -> bool {
        self.claims.as_deref().is_none_or(|wanted| wanted.iter().any(|wanted| **wanted == *claim))
    }

    /// The setting with the claims as one object, in which `role` is that of the session unless a claim
    /// has this name.
    fn object(&self, claims: &Members, role: Option<&str>) -> Option<Pair> {
        let setting = self.claims_object.clone()?;
        let wanted = claims.0.iter().filter(|(name, _)| self.is_wanted(name)).cloned();
        let mut object: Map<String, Value> = wanted.collect();
        if let Some(role) = role {
            object.entry(ROLE).or_insert_with(|| role.into());
        }
        Some((setting, Value::Object(object).to_string().into()))
    }

    /// The role that the claims name.
    fn role<'c>(&self, claims: &'c Members) -> Result<Option<&'c str>, Refused> {
        let mut path = self.role.iter();
        let Some(first) = path.next() else { return Ok(None) };
        let role = path.try_fold(claims.get(first), |value, name| match value {
            Some(Value::Object(members)) => Some(members.get(&**name)),
            None | Some(Value::Null) => Some(None),
            Some(_) => None,
        });
        match role {
            Some(None | Some(Value::Null)) => Ok(None),
            // `none` would be the user of the connection.
            Some(Some(Value::String(role)))
                if !role.is_empty() && role != "none" && !role.contains('\0') =>
            {
                Ok(Some(role))
            }
            Some(Some(_)) | None => Err(Refused::Invalid("its role cannot be one")),
        }
    }
}

/// Whether PostgreSQL accepts a name as that of a custom setting: parts with dots between them,
/// each of letters, digits, `_` and `$`, and with no digit first.
#[must_use]
pub fn is_setting(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
    let is_part = |part: &str| {
        part.starts_with(is_letter)
            && part.chars().all(|c| is_letter(c) || c.is_ascii_digit() || c == '$')
    };
    name.len() <= MOST_NAME_BYTES && name.split('.').all(is_part)
}

/// Most bytes of a setting's name, since a connection remembers the names.
const MOST_NAME_BYTES: usize = 200;

/// A claim as the text of a setting; null is as if it was not there.
fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.into()),
        // `1.0` is 1, as where numbers have no type.
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => Some(float.to_string().into()),
            Some(_) | None => Some(number.to_string().into()),
        },
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => Some(value.to_string().into()),
    }
}
