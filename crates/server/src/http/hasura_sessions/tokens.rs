//! Tokens of requests: which settings are for them, and their verification.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clients::{RefreshedDocument, RefreshedDocuments};
use engine::session::{
    KeySet, Mapping, Refused, Requirement, Rules, Sessions, Verified, unverified_issuer,
};
use hyper::Uri;
use hyper::header::{AUTHORIZATION, HeaderMap};
use serde_json_bytes::Value as Json;

use super::claims::{ClaimsSource, HasuraClaims};
use super::error::SessionError;
use super::jwt_config::{JwtConfig, JwtKeys, TokenLocation};
use crate::http::credentials::{bearer, cookie};

/// How long fetched keys stay valid while their issuer is unreachable.
const MAX_STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// The verification of the tokens of all issuers.
#[derive(Debug)]
pub(super) struct TokenVerifiers(Vec<TokenVerifier>);

/// The verification of the tokens of one issuer.
#[derive(Debug)]
pub(super) struct TokenVerifier {
    sessions: Sessions,
    fetched: RefreshedDocuments<KeySet>,
    /// The address of the fetched keys.
    url: Option<Uri>,
    issuer: Option<Box<str>>,
    claims: ClaimsSource,
    location: TokenLocation,
}

/// The reason why a token is refused; with a missing key, whether all keys are known.
type Judged = Result<Arc<Verified>, (Refused, bool)>;

impl TokenVerifiers {
    pub(super) fn new(configs: Vec<JwtConfig>) -> Self {
        Self(configs.into_iter().map(TokenVerifier::new).collect())
    }

    /// Starts to fetch keys.
    pub(super) fn begin(&self) {
        self.0.iter().for_each(|verifier| verifier.fetched.begin());
    }

    /// Takes over the keys that another instance has fetched.
    pub(super) fn inherit(&mut self, before: &Self) {
        for verifier in &mut self.0 {
            before.0.iter().for_each(|other| verifier.fetched.inherit(&other.fetched));
        }
    }

    /// Where requests may have tokens.
    pub(super) fn locations(&self) -> impl Iterator<Item = &TokenLocation> {
        self.0.iter().map(|verifier| &verifier.location)
    }

    /// The addresses of key sets.
    pub(super) fn urls(&self) -> impl Iterator<Item = &Uri> {
        self.0.iter().filter_map(|verifier| verifier.url.as_ref())
    }

    /// The token of a request with its verification; none if it has no token.
    pub(super) fn find<'h>(
        &self,
        headers: &'h HeaderMap,
    ) -> Result<Option<(&TokenVerifier, Cow<'h, str>)>, SessionError> {
        let mut found = Vec::new();
        for verifier in &self.0 {
            if let Some(token) = verifier.location.token(headers)? {
                found.push((verifier, token));
            }
        }
        if found.len() > 1 {
            found.retain(|(verifier, token)| verifier.is_of(unverified_issuer(token).as_deref()));
            if found.is_empty() {
                return Err(SessionError::TokenInvalid("JWTNotInIssuer".into()));
            }
        }
        match found.len() {
            0 | 1 => Ok(found.pop()),
            _ => Err(SessionError::TokensAmbiguous),
        }
    }
}

impl TokenLocation {
    /// The token of a request at this place.
    fn token<'h>(&self, headers: &'h HeaderMap) -> Result<Option<Cow<'h, str>>, SessionError> {
        let one = |name| {
            let mut values = headers.get_all(name).iter();
            match (values.next(), values.next()) {
                (None, _) => Ok(None),
                (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
                (Some(_), Some(_)) => Err(()),
            }
        };
        match self {
            Self::Authorization => {
                let value = one(&AUTHORIZATION).map_err(|()| SessionError::TokenMalformed)?;
                let token = |value| bearer(value).ok_or(SessionError::TokenMalformed);
                Ok(value.map(token).transpose()?.map(Cow::Borrowed))
            }
            Self::Cookie(name) => Ok(cookie(headers, name).map(Cow::Borrowed)),
            Self::Header(name) => {
                let value = one(name).map_err(|()| SessionError::Header(name.clone()))?;
                Ok(value.map(|value| Cow::Borrowed(value.trim())).filter(|token| !token.is_empty()))
            }
        }
    }
}

impl TokenVerifier {
    fn new(config: JwtConfig) -> Self {
        let JwtConfig { keys, audiences, issuer, claims, skew, location } = config;
        let (keys, fetched, url) = match keys {
            JwtKeys::Given(keys) => (keys, Vec::new(), None),
            JwtKeys::Url(url) => {
                let own = url.clone();
                let document = RefreshedDocument::new(url, MAX_STALE, |text| {
                    KeySet::from_json(text).map_err(|error| error.to_string())
                });
                (KeySet::default(), vec![document], Some(own))
            }
        };
        let rules = Rules { audiences, leeway: skew, ..Rules::default() };
        // The claims alone make the session.
        let mapping = Mapping { role: Vec::new(), claims: Some(Vec::new()), ..Mapping::default() };
        let fetched = RefreshedDocuments::new(fetched);
        let sessions = Sessions::new(keys, rules, mapping);
        Self { sessions, fetched, url, issuer, claims, location }
    }

    /// Whether tokens of an issuer belong here. A token without an issuer belongs everywhere.
    fn is_of(&self, issuer: Option<&str>) -> bool {
        match (&self.issuer, issuer) {
            (Some(own), Some(issuer)) => **own == *issuer,
            (None, _) | (_, None) => true,
        }
    }

    /// Whether another key may be found for a token that none of the known keys has signed.
    pub(super) fn may_find_keys(&self) -> bool {
        !self.fetched.is_empty()
    }

    /// Fetches the keys again.
    pub(super) async fn renew(&self) {
        self.fetched.renew().await;
    }

    /// Verifies a token by the known keys.
    pub(super) fn verify(&self, token: &str) -> Judged {
        let (fetched, version, is_all) = self.fetched.current();
        let checked = self.sessions.check(token, &fetched, version, SystemTime::now());
        let verified = checked.map_err(|refused| (refused, is_all))?;
        let claims = verified.claims().map(engine::Claims::all);
        let issuer = claims.and_then(|claims| claims.get("iss")).and_then(Json::as_str);
        match self.is_of(issuer) {
            true => Ok(verified),
            false => Err((Refused::Unmet(Requirement::Issuer), is_all)),
        }
    }

    /// The roles and variables of a verified token.
    pub(super) fn read(&self, verified: &Verified) -> Result<HasuraClaims, SessionError> {
        let none = Json::Null;
        self.claims.read(verified.claims().map_or(&none, engine::Claims::all))
    }
}

/// The error of a refused token, in the words of Hasura where it has some.
pub(super) fn refused((refused, has_all_keys): (Refused, bool)) -> SessionError {
    tracing::debug!(reason = %refused, "a token is refused");
    let reason = match refused {
        Refused::Expired => return SessionError::TokenExpired,
        Refused::NoKey if !has_all_keys => return SessionError::NoKeys,
        Refused::NoKey => "JWSError JWSInvalidSignature",
        Refused::Unmet(Requirement::Audience) => "JWTNotInAudience",
        Refused::Unmet(Requirement::Issuer) => "JWTNotInIssuer",
        Refused::Unmet(Requirement::Subject | Requirement::Id | Requirement::Claims)
        | Refused::Invalid(_) => return SessionError::TokenInvalid(refused.to_string().into()),
    };
    SessionError::TokenInvalid(reason.into())
}

#[cfg(test)]
mod tests {
    use hyper::header::{COOKIE, HeaderName, HeaderValue};
    use serde_json_bytes::json;
    use testkit::tokens::Issuer;

    use super::super::jwt_config::parse;
    use super::*;

    const FIRST: &str = "the first secret of more than thirty-two bytes";
    const SECOND: &str = "the second secret of more than thirty-two bytes";

    fn verifiers(json: &Json) -> TokenVerifiers {
        TokenVerifiers::new(parse(&json.to_string()).unwrap())
    }

    fn headers(values: &[(HeaderName, &str)]) -> HeaderMap {
        let value = |text: &str| HeaderValue::from_str(text).unwrap();
        let mut headers = HeaderMap::new();
        for (name, text) in values {
            headers.append(name, value(text));
        }
        headers
    }

    /// Whether a token is taken, or the message.
    fn judge(verifiers: &TokenVerifiers, headers: &HeaderMap) -> Result<bool, String> {
        let message = |error: SessionError| error.error().message;
        match verifiers.find(headers).map_err(message)? {
            None => Ok(false),
            Some((verifier, token)) => {
                let verified = verifier.verify(&token);
                verified.map(|_| true).map_err(|denied| message(refused(denied)))
            }
        }
    }

    fn of_bearer(token: &str) -> HeaderMap {
        headers(&[(AUTHORIZATION, &format!("Bearer {token}"))])
    }

    /// Checks claims that the first secret has signed.
    fn check(verifiers: &TokenVerifiers, claims: &str, expected: Result<bool, &str>) {
        let token = Issuer::secret(FIRST).token(claims);
        let found = judge(verifiers, &of_bearer(&token));
        assert_eq!(found, expected.map_err(str::to_owned), "{claims}");
    }

    #[test]
    fn a_token_is_judged_by_the_settings() {
        let settings = json!({
            "type": "HS256", "key": FIRST, "audience": ["a", "b"], "issuer": "i", "allowed_skew": 60
        });
        let verifiers = verifiers(&settings);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        check(&verifiers, r#"{"aud":"a","iss":"i"}"#, Ok(true));
        check(&verifiers, r#"{"aud":["x","b"]}"#, Ok(true));
        let audience = Err("Could not verify JWT: JWTNotInAudience");
        check(&verifiers, r#"{"aud":"c"}"#, audience);
        check(&verifiers, "{}", audience);
        let issuer = Err("Could not verify JWT: JWTNotInIssuer");
        check(&verifiers, r#"{"aud":"a","iss":"j"}"#, issuer);
        check(&verifiers, &format!(r#"{{"aud":"a","exp":{}}}"#, now - 30), Ok(true));
        let expired = Err("Could not verify JWT: JWTExpired");
        check(&verifiers, &format!(r#"{{"aud":"a","exp":{}}}"#, now - 90), expired);
        let early = format!(r#"{{"aud":"a","nbf":{}}}"#, now + 90);
        check(&verifiers, &early, Err("Could not verify JWT: it is not yet good"));
        let other = Issuer::secret(SECOND).token(r#"{"aud":"a"}"#);
        let signature = Err("Could not verify JWT: JWSError JWSInvalidSignature".to_owned());
        assert_eq!(judge(&verifiers, &of_bearer(&other)), signature);
        // A secret is for the algorithm of its type only.
        let longer = Issuer::secret(FIRST).sign(r#"{"alg":"HS512"}"#, r#"{"aud":"a"}"#);
        assert_eq!(judge(&verifiers, &of_bearer(&longer)), signature);
        let none = Issuer::secret(FIRST).sign(r#"{"alg":"none"}"#, r#"{"aud":"a"}"#);
        assert!(judge(&verifiers, &of_bearer(&none)).is_err());
        assert!(judge(&verifiers, &of_bearer("a.b")).is_err());
    }

    #[test]
    fn a_token_is_at_the_place_of_the_settings() {
        let at =
            |header: Json| verifiers(&json!({ "type": "HS256", "key": FIRST, "header": header }));
        let token = Issuer::secret(FIRST).token("{}");
        let bearer = of_bearer(&token);
        let in_cookie = headers(&[(COOKIE, &format!("a=b; token={token}"))]);
        let name = HeaderName::from_static("x-token");
        let own = headers(&[(name.clone(), &token)]);
        let malformed = Err("Malformed Authorization header".to_owned());

        let usual = at(Json::Null);
        assert_eq!(judge(&usual, &bearer), Ok(true));
        assert_eq!(judge(&usual, &in_cookie), Ok(false));
        assert_eq!(judge(&usual, &headers(&[(AUTHORIZATION, &token)])), malformed);
        assert_eq!(judge(&usual, &headers(&[(AUTHORIZATION, "Basic YTpi")])), malformed);
        let twice = headers(&[(AUTHORIZATION, "Bearer a"), (AUTHORIZATION, "Bearer b")]);
        assert_eq!(judge(&usual, &twice), malformed);

        let cookies = at(json!({ "type": "Cookie", "name": "token" }));
        assert_eq!(judge(&cookies, &in_cookie), Ok(true));
        assert_eq!(judge(&cookies, &bearer), Ok(false));

        let custom = at(json!({ "type": "CustomHeader", "name": "X-Token" }));
        assert_eq!(judge(&custom, &own), Ok(true));
        assert_eq!(judge(&custom, &headers(&[(name.clone(), " ")])), Ok(false));
        assert!(judge(&custom, &headers(&[(name.clone(), "a"), (name, "b")])).is_err());
        assert_eq!(judge(&custom, &bearer), Ok(false));
    }

    #[test]
    fn several_settings_are_told_apart_by_the_issuer() {
        let both = verifiers(&json!([
            { "type": "HS256", "key": FIRST, "issuer": "one" },
            { "type": "HS256", "key": SECOND, "issuer": "two" },
        ]));
        let check = |secret: &str, claims: &str, expected: Result<bool, &str>| {
            let token = Issuer::secret(secret).token(claims);
            let found = judge(&both, &of_bearer(&token));
            assert_eq!(found, expected.map_err(str::to_owned), "{claims}");
        };
        check(FIRST, r#"{"iss":"one"}"#, Ok(true));
        check(SECOND, r#"{"iss":"two"}"#, Ok(true));
        let signature = "Could not verify JWT: JWSError JWSInvalidSignature";
        check(FIRST, r#"{"iss":"two"}"#, Err(signature));
        check(FIRST, r#"{"iss":"three"}"#, Err("Could not verify JWT: JWTNotInIssuer"));
        check(FIRST, "{}", Err("Could not verify JWT: Multiple JWTs found"));
        assert_eq!(judge(&both, &HeaderMap::new()), Ok(false));
    }
}
