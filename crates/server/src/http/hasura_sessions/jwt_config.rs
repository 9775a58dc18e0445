//! Settings of tokens: the JSON of `HASURA_GRAPHQL_JWT_SECRET`, or a list of such objects.

use std::time::Duration;

use engine::session::{Algorithm, Key, KeySet};
use hyper::Uri;
use hyper::header::HeaderName;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::ParsedCertificate;
use serde_json_bytes::{ByteString, Map, Value as Json};

use super::claims::{
    ALLOWED_ROLES, ClaimsFormat, ClaimsMap, ClaimsSource, DEFAULT_ROLE, Mapped, Namespace, is_role,
};
use super::json_path::JsonPath;

/// The claim with the object of claims, unless another is named.
const USUAL_NAMESPACE: &str = "https://hasura.io/jwt/claims";

/// The longest clock difference that makes sense, in seconds.
const MOST_SKEW: u64 = 24 * 60 * 60;

/// The settings of the tokens of one issuer.
#[derive(Debug)]
pub(super) struct JwtConfig {
    pub(super) keys: JwtKeys,
    /// Accepted audiences; empty for any.
    pub(super) audiences: Vec<Box<str>>,
    /// The issuer of tokens that name one.
    pub(super) issuer: Option<Box<str>>,
    pub(super) claims: ClaimsSource,
    pub(super) skew: Duration,
    pub(super) location: TokenLocation,
}

#[derive(Debug)]
pub(super) enum JwtKeys {
    Given(KeySet),
    /// The address of a key set.
    Url(Uri),
}

/// Where requests have the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenLocation {
    /// `Authorization`, with the scheme `Bearer`.
    Authorization,
    /// A cookie of this name.
    Cookie(Box<str>),
    /// Another header, which is the token.
    Header(HeaderName),
}

/// A problem of the settings, with its place. It has no value, since some are secret.
type Problem = String;

/// Parses the settings.
pub(super) fn parse(text: &str) -> Result<Vec<JwtConfig>, Problem> {
    let json: Json = serde_json::from_str(text).map_err(|error| {
        format!("it is no JSON, by line {}, column {}", error.line(), error.column())
    })?;
    match json {
        Json::Object(members) => Ok(vec![JwtConfig::new(members)?]),
        Json::Array(items) if items.is_empty() => Err("the list is empty".to_owned()),
        Json::Array(items) => {
            let configs = items.into_iter().enumerate().map(|(index, item)| match item {
                Json::Object(members) => {
                    JwtConfig::new(members).map_err(|problem| format!("[{index}]: {problem}"))
                }
                _ => Err(format!("[{index}]: an object is wanted")),
            });
            configs.collect()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            Err("an object is wanted, or a list of objects".to_owned())
        }
    }
}

/// The members of an object, from which each known one is taken.
struct Members(Map<ByteString, Json>);

impl Members {
    /// The member of a name; null is as if it was not there.
    fn take(&mut self, name: &str) -> Option<Json> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    fn text(&mut self, name: &str) -> Result<Option<Box<str>>, Problem> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::String(text)) if !text.as_str().is_empty() => Ok(Some(text.as_str().into())),
            Some(_) => Err(format!("`{name}` must be a text that is not empty")),
        }
    }

    /// Refuses members that are left: an unknown one may be a misspelt requirement.
    fn end(self) -> Result<(), Problem> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(format!("`{}` is no setting of tokens", name.as_str())),
        }
    }
}

impl JwtConfig {
    fn new(members: Map<ByteString, Json>) -> Result<Self, Problem> {
        let mut members = Members(members);
        let config = Self {
            keys: keys(&mut members)?,
            audiences: match members.take("audience") {
                None => Vec::new(),
                Some(value) => texts(&value)
                    .ok_or("`audience` must be a text or a list of texts, which are not empty")?,
            },
            issuer: members.text("issuer")?,
            claims: claims(&mut members)?,
            skew: match members.take("allowed_skew") {
                None => Duration::ZERO,
                Some(value) => value
                    .as_u64()
                    .filter(|seconds| *seconds <= MOST_SKEW)
                    .map(Duration::from_secs)
                    .ok_or("`allowed_skew` must be a number of seconds, at most a day")?,
            },
            location: location(&mut members)?,
        };
        members.end()?;
        Ok(config)
    }
}

/// A text, or a list of texts.
fn texts(value: &Json) -> Option<Vec<Box<str>>> {
    let text = |value: &Json| value.as_str().filter(|text| !text.is_empty()).map(Into::into);
    match value {
        Json::Array(items) if !items.is_empty() => items.iter().map(text).collect(),
        value => text(value).map(|text| vec![text]),
    }
}

fn keys(members: &mut Members) -> Result<JwtKeys, Problem> {
    let kind = members.text("type")?;
    match (members.text("key")?, members.text("jwk_url")?) {
        (None, None) => Err("`key` or `jwk_url` is missing".to_owned()),
        (Some(_), Some(_)) => Err("`key` and `jwk_url` are both given".to_owned()),
        (Some(key), None) => {
            let kind = kind.ok_or("`type` is missing: `key` needs it, such as `HS256`")?;
            Ok(JwtKeys::Given(KeySet::new(key_of(&kind, &key)?)))
        }
        (None, Some(_)) if kind.is_some() => {
            Err("`type` is for `key`: the keys of `jwk_url` have their own".to_owned())
        }
        (None, Some(url)) => {
            let url: Option<Uri> = url.trim().parse().ok();
            let url = url.filter(|url| {
                matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some()
            });
            url.map(JwtKeys::Url).ok_or_else(|| {
                "`jwk_url` must be a URL, such as `https://a.example/jwks`".to_owned()
            })
        }
    }
}

/// The keys of a `type`.
fn key_of(kind: &str, key: &str) -> Result<Vec<Key>, Problem> {
    let least = match kind {
        "HS256" => 32,
        "HS384" => 48,
        "HS512" => 64,
        _ => return public_keys(kind, key),
    };
    if key.len() < least {
        return Err(format!(
            "`key` has less than {least} bytes, as few as `{kind}` allows: whoever has one token \
             could find it"
        ));
    }
    let algorithm: Vec<_> = Algorithm::find(kind).into_iter().collect();
    Ok(Key::secret(key.as_bytes()).only_for(&algorithm).into_iter().collect())
}

fn public_keys(kind: &str, text: &str) -> Result<Vec<Key>, Problem> {
    use Algorithm::{EdDsa, Es256, Es384, Es512, Ps256, Ps384, Ps512, Rs256, Rs384, Rs512};
    // As in Hasura, the type of an RSA key does not name the only algorithm.
    let allowed: &[Algorithm] = match kind {
        "RS256" | "RS384" | "RS512" => &[Rs256, Rs384, Rs512, Ps256, Ps384, Ps512],
        "ES256" => &[Es256],
        "ES384" => &[Es384],
        "ES512" => &[Es512],
        "Ed25519" => &[EdDsa],
        _ => {
            return Err("`type` must be one of HS256, HS384, HS512, RS256, RS384, RS512, ES256, \
                        ES384, ES512, Ed25519"
                .to_owned());
        }
    };
    let problem = |error: &dyn std::fmt::Display| format!("`key`: {error}");
    let keys = match text.contains("-----BEGIN CERTIFICATE-----") {
        false => Key::from_pem(text.as_bytes()).map_err(|error| problem(&error))?,
        true => {
            let certificates = CertificateDer::pem_slice_iter(text.as_bytes());
            let keys = certificates.map(|certificate| {
                let certificate = certificate.map_err(|_| "`key`: it is no PEM".to_owned())?;
                let parsed =
                    ParsedCertificate::try_from(&certificate).map_err(|error| problem(&error))?;
                Key::from_der(&parsed.subject_public_key_info()).map_err(|error| problem(&error))
            });
            keys.collect::<Result<_, Problem>>()?
        }
    };
    let keys: Vec<Key> = keys.into_iter().filter_map(|key| key.only_for(allowed)).collect();
    match keys.is_empty() {
        true => Err(format!("`key` is none for `{kind}`")),
        false => Ok(keys),
    }
}

fn location(members: &mut Members) -> Result<TokenLocation, Problem> {
    let wanted = "`header` must be `{\"type\": \"Authorization\"}`, or `{\"type\": …, \"name\": …}` \
                  with the type `Cookie` or `CustomHeader`";
    let object = match members.take("header") {
        None => return Ok(TokenLocation::Authorization),
        Some(Json::Object(object)) => object,
        // Hasura's manual shows it as a text.
        Some(Json::String(text)) => serde_json::from_str(text.as_str()).map_err(|_| wanted)?,
        Some(_) => return Err(wanted.to_owned()),
    };
    let mut header = Members(object);
    let kind = header.text("type")?.ok_or(wanted)?;
    let name = header.text("name")?;
    header.end().map_err(|problem| format!("`header`: {problem}"))?;
    match (kind.to_ascii_lowercase().as_str(), name) {
        ("authorization", None) => Ok(TokenLocation::Authorization),
        ("cookie", Some(name)) => Ok(TokenLocation::Cookie(name)),
        ("customheader", Some(name)) => match name.parse::<HeaderName>() {
            Ok(name) => Ok(TokenLocation::Header(name)),
            Err(_) => Err("`header`: `name` is no name of a header".to_owned()),
        },
        _ => Err(wanted.to_owned()),
    }
}

fn claims(members: &mut Members) -> Result<ClaimsSource, Problem> {
    let path = |text: Box<str>| {
        text.parse::<JsonPath>().map_err(|error| format!("`claims_namespace_path`: {error}"))
    };
    let namespace = members.text("claims_namespace")?;
    let namespace_path = members.text("claims_namespace_path")?;
    let format = members.text("claims_format")?;
    if let Some(map) = members.take("claims_map") {
        if namespace.is_some() || namespace_path.is_some() || format.is_some() {
            return Err("`claims_map` replaces `claims_namespace`, `claims_namespace_path` and \
                        `claims_format`: remove them"
                .to_owned());
        }
        let Json::Object(map) = map else {
            return Err("`claims_map` must be an object".to_owned());
        };
        let map = claims_map(map).map_err(|problem| format!("`claims_map`: {problem}"))?;
        return Ok(ClaimsSource::Map(map));
    }
    let namespace = match (namespace, namespace_path) {
        (None, None) => Namespace::Claim(USUAL_NAMESPACE.into()),
        (Some(name), None) => Namespace::Claim(name),
        (None, Some(text)) => Namespace::Path(path(text)?),
        (Some(_), Some(_)) => {
            return Err("`claims_namespace` and `claims_namespace_path` are both given".to_owned());
        }
    };
    let format = match format.as_deref() {
        None | Some("json") => ClaimsFormat::Json,
        Some("stringified_json") => ClaimsFormat::Stringified,
        Some(_) => return Err("`claims_format` must be `json` or `stringified_json`".to_owned()),
    };
    Ok(ClaimsSource::Namespace { namespace, format })
}

fn claims_map(map: Map<ByteString, Json>) -> Result<ClaimsMap, Problem> {
    let (mut allowed_roles, mut default_role) = (None, None);
    let mut variables = Vec::new();
    let role = |value: &Json| value.as_str().filter(|name| is_role(name)).map(Box::<str>::from);
    let role_names = |value: &Json| value.as_array()?.iter().map(role).collect();
    let text = |value: &Json| value.as_str().map(Box::<str>::from);
    for (name, value) in map {
        let name = name.as_str().to_ascii_lowercase();
        match name.as_str() {
            ALLOWED_ROLES => {
                allowed_roles = Some(mapped(&name, value, role_names, "a list of roles")?);
            }
            DEFAULT_ROLE => default_role = Some(mapped(&name, value, role, "a role")?),
            _ if name.starts_with("x-hasura-") => {
                let value = mapped(&name, value, text, "a text")?;
                variables.push((name.into(), value));
            }
            _ => return Err(format!("`{name}` must begin with `x-hasura-`")),
        }
    }
    let missing = |name: &str| format!("{name} is expected but not found");
    Ok(ClaimsMap {
        allowed_roles: allowed_roles.ok_or_else(|| missing(ALLOWED_ROLES))?,
        default_role: default_role.ok_or_else(|| missing(DEFAULT_ROLE))?,
        variables,
    })
}

/// A literal, or an object with a path and a default.
fn mapped<T>(
    name: &str,
    value: Json,
    literal: impl Fn(&Json) -> Option<T>,
    wanted: &str,
) -> Result<Mapped<T>, Problem> {
    let refused = || format!("`{name}` must be {wanted}, or an object with `path` and `default`");
    let Json::Object(object) = value else {
        return literal(&value).map(Mapped::Literal).ok_or_else(refused);
    };
    let mut object = Members(object);
    let path = object.text("path")?.ok_or_else(refused)?;
    let path = path.parse().map_err(|error| format!("`{name}`: {error}"))?;
    let default = match object.take("default") {
        None => None,
        Some(value) => {
            Some(literal(&value).ok_or_else(|| format!("`{name}`: `default` must be {wanted}"))?)
        }
    };
    object.end().map_err(|problem| format!("`{name}`: {problem}"))?;
    Ok(Mapped::Path { path, default })
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::json;
    use testkit::tokens::{Curve, Issuer};

    use super::*;

    const SECRET: &str = "a secret of more than thirty-two bytes";

    fn one(json: &Json) -> JwtConfig {
        let mut configs = parse(&json.to_string()).unwrap();
        assert_eq!(configs.len(), 1);
        configs.pop().unwrap()
    }

    /// A secret with further settings.
    fn with(further: Json) -> Json {
        let Json::Object(mut members) = json!({ "type": "HS256", "key": SECRET }) else {
            panic!("no object")
        };
        let Json::Object(further) = further else { panic!("no object") };
        members.extend(further);
        Json::Object(members)
    }

    fn check(json: &Json, problem: &str) {
        let found = parse(&json.to_string()).expect_err(problem);
        assert!(found.contains(problem), "{json}: {found}");
        assert!(!found.contains(SECRET), "{found}");
    }

    #[test]
    fn the_usual_settings_are_those_of_hasura() {
        let config = one(&with(json!({})));
        assert!(config.audiences.is_empty() && config.issuer.is_none());
        assert_eq!(config.location, TokenLocation::Authorization);
        let namespace = Namespace::Claim("https://hasura.io/jwt/claims".into());
        let usual = ClaimsSource::Namespace { namespace, format: ClaimsFormat::Json };
        assert_eq!(config.claims, usual);
        let config = one(&with(json!({
            "audience": ["a", "b"],
            "issuer": "i",
            "allowed_skew": 60,
            "claims_namespace_path": "$.a",
            "claims_format": "stringified_json",
            "header": { "type": "Cookie", "name": "token" },
        })));
        assert_eq!(config.audiences, ["a", "b"].map(Box::<str>::from));
        assert_eq!((config.issuer.as_deref(), config.skew.as_secs()), (Some("i"), 60));
        assert_eq!(config.location, TokenLocation::Cookie("token".into()));
        let namespace = Namespace::Path("$.a".parse().unwrap());
        let text = ClaimsSource::Namespace { namespace, format: ClaimsFormat::Stringified };
        assert_eq!(config.claims, text);
        let header = "{\"type\": \"CustomHeader\", \"name\": \"X-Token\"}";
        let config = one(&with(json!({ "header": header, "audience": "a", "issuer": null })));
        assert_eq!(config.location, TokenLocation::Header(HeaderName::from_static("x-token")));
        let list = json!([with(json!({})), { "jwk_url": "https://a.example/jwks" }]);
        let configs = parse(&list.to_string()).unwrap();
        assert!(matches!(&configs[1].keys, JwtKeys::Url(url) if url.path() == "/jwks"));
    }

    #[test]
    fn keys_are_public_keys_certificates_or_secrets() {
        let check_key = |kind: &str, key: String| {
            let config = one(&json!({ "type": kind, "key": key }));
            assert!(matches!(config.keys, JwtKeys::Given(keys) if keys.len() == 1), "{kind}");
        };
        check_key("RS512", Issuer::rsa().pem());
        check_key("ES256", Issuer::curve(Curve::P256).pem());
        check_key("ES384", Issuer::curve(Curve::P384).pem());
        check_key("ES512", Issuer::curve(Curve::P521).pem());
        check_key("Ed25519", Issuer::edwards().pem());
        check_key("HS512", "s".repeat(64));
        let pair = rcgen::KeyPair::generate().unwrap();
        let certificate = rcgen::CertificateParams::default().self_signed(&pair).unwrap();
        check_key("ES256", certificate.pem());
        check(&json!({ "type": "RS256", "key": certificate.pem() }), "`key` is none for `RS256`");
        let rsa = Issuer::rsa().pem();
        check(&json!({ "type": "ES256", "key": rsa }), "`key` is none for `ES256`");
        check(&json!({ "type": "RS256", "key": SECRET }), "`key`: there is no");
        check(&json!({ "type": "HS512", "key": SECRET }), "has less than 64 bytes");
        check(&json!({ "type": "HS1", "key": SECRET }), "`type` must be one of HS256");
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        check(&json!({ "type": "RS256", "key": broken }), "`key`: ");
    }

    #[test]
    fn a_map_has_literals_and_paths() {
        let config = one(&with(json!({ "claims_map": {
            "x-hasura-allowed-roles": ["a", "b"],
            "X-Hasura-Default-Role": { "path": "$.r[0]", "default": "a" },
            "x-hasura-user-id": { "path": "$.sub" },
            "x-hasura-tenant": "t",
        } })));
        let path = |text: &str| text.parse().unwrap();
        let expected = ClaimsMap {
            allowed_roles: Mapped::Literal(vec!["a".into(), "b".into()]),
            default_role: Mapped::Path { path: path("$.r[0]"), default: Some("a".into()) },
            variables: vec![
                ("x-hasura-user-id".into(), Mapped::Path { path: path("$.sub"), default: None }),
                ("x-hasura-tenant".into(), Mapped::Literal("t".into())),
            ],
        };
        assert_eq!(config.claims, ClaimsSource::Map(expected));
        let map = |map: Json| with(json!({ "claims_map": map }));
        check(&map(json!([])), "`claims_map` must be an object");
        check(&map(json!({})), "x-hasura-allowed-roles is expected but not found");
        check(&map(json!({ "a": "b" })), "`a` must begin with `x-hasura-`");
        let roles = |value: Json| map(json!({ "x-hasura-allowed-roles": value }));
        check(&roles(json!(["a"])), "x-hasura-default-role is expected but not found");
        check(&roles(json!("a")), "`x-hasura-allowed-roles` must be a list of roles");
        check(&roles(json!({ "path": "r" })), "the path `r` is wrong at character 1");
        check(&roles(json!({ "default": ["a"] })), "must be a list of roles, or an object");
        check(&roles(json!({ "path": "$", "default": "a" })), "`default` must be a list of roles");
        check(&roles(json!({ "path": "$", "x": 1 })), "`x` is no setting");
    }

    #[test]
    fn contradictions_and_unknown_settings_are_refused() {
        check(&json!({}), "`key` or `jwk_url` is missing");
        check(&json!({ "key": SECRET }), "`type` is missing");
        check(&with(json!({ "jwk_url": "https://a/b" })), "`key` and `jwk_url` are both given");
        check(&json!({ "type": "RS256", "jwk_url": "https://a/b" }), "`type` is for `key`");
        check(&json!({ "jwk_url": "a" }), "`jwk_url` must be a URL");
        check(&with(json!({ "algorithm": "HS256" })), "`algorithm` is no setting of tokens");
        check(&with(json!({ "audience": [] })), "`audience` must be");
        check(&with(json!({ "audience": [""] })), "`audience` must be");
        check(&with(json!({ "audience": 7 })), "`audience` must be");
        check(&with(json!({ "issuer": "" })), "`issuer` must be a text that is not empty");
        check(&with(json!({ "allowed_skew": -1 })), "`allowed_skew` must be");
        check(&with(json!({ "allowed_skew": 86401 })), "`allowed_skew` must be");
        check(&with(json!({ "claims_format": "xml" })), "`claims_format` must be");
        check(&with(json!({ "claims_namespace_path": "a" })), "`claims_namespace_path`: the path");
        let both = json!({ "claims_namespace": "a", "claims_namespace_path": "$" });
        check(&with(both), "are both given");
        let both = json!({ "claims_namespace": "a", "claims_map": {} });
        check(&with(both), "`claims_map` replaces `claims_namespace`");
        for header in [
            json!("Cookie"),
            json!({ "type": "Cookie" }),
            json!({ "type": "Authorization", "name": "a" }),
            json!({ "type": "Other", "name": "a" }),
            json!({ "name": "a" }),
            json!(7),
        ] {
            check(&with(json!({ "header": header })), "`header` must be");
        }
        let header = json!({ "type": "CustomHeader", "name": "a b" });
        check(&with(json!({ "header": header })), "is no name of a header");
        check(&json!([]), "the list is empty");
        check(&json!([{ "type": "HS256", "key": SECRET }, 7]), "[1]: an object is wanted");
        check(&json!(7), "an object is wanted");
        assert_eq!(parse("{\n\"type\"").unwrap_err(), "it is no JSON, by line 2, column 6");
    }
}
