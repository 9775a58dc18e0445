//! From the claims of a token to roles and session variables.

use serde_json_bytes::{ByteString, Map, Value as Json};

use super::error::SessionError;
use super::json_path::JsonPath;
use super::variables::SessionVariables;

/// The claim with the roles that a client may choose.
pub(super) const ALLOWED_ROLES: &str = "x-hasura-allowed-roles";

/// The claim with the role of clients that choose none.
pub(super) const DEFAULT_ROLE: &str = "x-hasura-default-role";

/// The place of the claims in a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClaimsSource {
    /// One object has all of them.
    Namespace { namespace: Namespace, format: ClaimsFormat },
    /// Each has a place of its own (`claims_map`).
    Map(ClaimsMap),
}

/// The place of the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    Claim(Box<str>),
    Path(JsonPath),
}

/// The form of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimsFormat {
    Json,
    /// Its JSON text.
    Stringified,
}

/// The place of each claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClaimsMap {
    pub(super) allowed_roles: Mapped<Vec<Box<str>>>,
    pub(super) default_role: Mapped<Box<str>>,
    /// Further session variables.
    pub(super) variables: Vec<(Box<str>, Mapped<Box<str>>)>,
}

/// A claim of the map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mapped<T> {
    /// The value at a path, or the default if there is none.
    Path { path: JsonPath, default: Option<T> },
    /// The same value for all tokens.
    Literal(T),
}

/// The roles and variables of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HasuraClaims {
    pub(super) allowed_roles: Vec<Box<str>>,
    pub(super) default_role: Box<str>,
    pub(super) variables: SessionVariables,
}

impl ClaimsSource {
    /// Reads the claims of a verified token.
    pub(super) fn read(&self, claims: &Json) -> Result<HasuraClaims, SessionError> {
        match self {
            Self::Namespace { namespace, format } => {
                let found = namespace.find(claims).ok_or_else(|| namespace.missing())?;
                match (format, found) {
                    (ClaimsFormat::Json, Json::Object(members)) => read_members(members),
                    (ClaimsFormat::Json, _) => {
                        Err(invalid("expecting a json object when claims_format is json"))
                    }
                    (ClaimsFormat::Stringified, Json::String(text)) => {
                        match serde_json::from_str(text.as_str()) {
                            Ok(Json::Object(members)) => read_members(&members),
                            Ok(_) | Err(_) => Err(invalid(&format!(
                                "expecting stringified json at: '{}'",
                                namespace.name()
                            ))),
                        }
                    }
                    (ClaimsFormat::Stringified, _) => {
                        Err(invalid("expecting a string when claims_format is stringified_json"))
                    }
                }
            }
            Self::Map(map) => map.read(claims),
        }
    }
}

impl Namespace {
    fn find<'j>(&self, claims: &'j Json) -> Option<&'j Json> {
        match self {
            Self::Claim(name) => claims.as_object()?.get(&**name),
            Self::Path(path) => path.find(claims),
        }
    }

    fn missing(&self) -> SessionError {
        invalid(&match self {
            Self::Claim(name) => format!("claims key: '{name}' not found"),
            Self::Path(path) => format!("claims not found at claims_namespace_path: '{path}'"),
        })
    }

    fn name(&self) -> String {
        match self {
            Self::Claim(name) => format!("claims_namespace {name}"),
            Self::Path(path) => format!("claims_namespace_path {path}"),
        }
    }
}

impl ClaimsMap {
    fn read(&self, claims: &Json) -> Result<HasuraClaims, SessionError> {
        let mut variables = SessionVariables::default();
        for (name, mapped) in &self.variables {
            let added = match mapped {
                Mapped::Literal(text) => variables.add(name, &text_of(text)),
                Mapped::Path { path, default } => match (path.find(claims), default) {
                    (Some(value), _) => variables.add(name, value),
                    (None, Some(text)) => variables.add(name, &text_of(text)),
                    (None, None) => {
                        let reason = format!("JWT claim from claims_map, {name} not found");
                        return Err(invalid(&reason));
                    }
                },
            };
            added.map_err(|_| no_text(name))?;
        }
        Ok(HasuraClaims {
            allowed_roles: match &self.allowed_roles {
                Mapped::Literal(roles) => roles.clone(),
                Mapped::Path { path, default } => match (path.find(claims), default) {
                    (Some(value), _) => roles(value)?,
                    (None, Some(roles)) => roles.clone(),
                    (None, None) => return Err(SessionError::RoleClaimMissing(ALLOWED_ROLES)),
                },
            },
            default_role: match &self.default_role {
                Mapped::Literal(role) => role.clone(),
                Mapped::Path { path, default } => match (path.find(claims), default) {
                    (Some(value), _) => role(value)?,
                    (None, Some(role)) => role.clone(),
                    (None, None) => return Err(SessionError::RoleClaimMissing(DEFAULT_ROLE)),
                },
            },
            variables,
        })
    }
}

/// The claims that are members of one object; their names may have any case.
fn read_members(members: &Map<ByteString, Json>) -> Result<HasuraClaims, SessionError> {
    let (mut allowed, mut default) = (None, None);
    let mut variables = SessionVariables::default();
    for (name, value) in members {
        match name.as_str().to_ascii_lowercase().as_str() {
            ALLOWED_ROLES => allowed = Some(value),
            DEFAULT_ROLE => default = Some(value),
            name => variables.add(name, value).map_err(|_| no_text(name))?,
        }
    }
    let allowed = allowed.ok_or(SessionError::RoleClaimMissing(ALLOWED_ROLES))?;
    let default = default.ok_or(SessionError::RoleClaimMissing(DEFAULT_ROLE))?;
    Ok(HasuraClaims { allowed_roles: roles(allowed)?, default_role: role(default)?, variables })
}

fn roles(value: &Json) -> Result<Vec<Box<str>>, SessionError> {
    let items = value.as_array().and_then(|items| {
        let names = items.iter().map(|item| item.as_str().filter(|name| is_role(name)));
        names.map(|name| name.map(Into::into)).collect()
    });
    items.ok_or_else(|| invalid(&format!("invalid {ALLOWED_ROLES}; should be a list of roles")))
}

fn role(value: &Json) -> Result<Box<str>, SessionError> {
    let name = value.as_str().filter(|name| is_role(name));
    let name = name
        .ok_or_else(|| invalid(&format!("invalid {DEFAULT_ROLE}; should be a single role name")))?;
    Ok(name.into())
}

/// Whether a text can be the name of a role.
pub(super) fn is_role(name: &str) -> bool {
    !name.is_empty() && !name.contains('\0')
}

fn text_of(text: &str) -> Json {
    Json::from(text)
}

fn no_text(name: &str) -> SessionError {
    invalid(&format!("invalid x-hasura-* claims: the value of {name} is no text"))
}

fn invalid(reason: &str) -> SessionError {
    SessionError::ClaimsInvalid(reason.into())
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::json;

    use super::*;

    fn path(text: &str) -> JsonPath {
        text.parse().unwrap()
    }

    fn of_namespace(namespace: Namespace, format: ClaimsFormat) -> ClaimsSource {
        ClaimsSource::Namespace { namespace, format }
    }

    /// The roles and the variables, or the error.
    fn check(source: &ClaimsSource, claims: &Json, expected: Result<(&[&str], &str, &str), &str>) {
        match (source.read(claims), expected) {
            (Ok(found), Ok((allowed, default, user))) => {
                let names: Vec<&str> = found.allowed_roles.iter().map(|role| &**role).collect();
                assert_eq!((names.as_slice(), &*found.default_role), (allowed, default));
                assert_eq!(found.variables.get("x-hasura-user-id"), Some(user), "{claims}");
                assert_eq!(found.variables.get(ALLOWED_ROLES), None);
            }
            (Err(error), Err(message)) => assert_eq!(error.error().message, message, "{claims}"),
            (found, expected) => panic!("{claims}: {found:?} is not {expected:?}"),
        }
    }

    const GOOD: (&[&str], &str, &str) = (&["user", "editor"], "user", "7");

    fn members() -> Json {
        json!({
            "X-Hasura-Allowed-Roles": ["user", "editor"],
            "x-hasura-default-role": "user",
            "X-HASURA-USER-ID": "7",
            "other": { "a": 1 },
        })
    }

    #[test]
    fn a_namespace_is_a_claim_or_a_path() {
        let claim = of_namespace(Namespace::Claim("https://h/c".into()), ClaimsFormat::Json);
        check(&claim, &json!({ "https://h/c": members() }), Ok(GOOD));
        check(&claim, &json!({ "c": members() }), Err("claims key: 'https://h/c' not found"));
        check(
            &claim,
            &json!({ "https://h/c": members().to_string() }),
            Err("expecting a json object when claims_format is json"),
        );
        let at = of_namespace(Namespace::Path(path("$.a['b']")), ClaimsFormat::Json);
        check(&at, &json!({ "a": { "b": members() } }), Ok(GOOD));
        check(
            &at,
            &json!({ "a": 1 }),
            Err("claims not found at claims_namespace_path: '$.a['b']'"),
        );
        let root = of_namespace(Namespace::Path(path("$")), ClaimsFormat::Json);
        check(&root, &members(), Ok(GOOD));
    }

    #[test]
    fn the_object_may_be_a_text() {
        let text = of_namespace(Namespace::Claim("c".into()), ClaimsFormat::Stringified);
        check(&text, &json!({ "c": members().to_string() }), Ok(GOOD));
        let other = "expecting a string when claims_format is stringified_json";
        check(&text, &json!({ "c": members() }), Err(other));
        let wrong = "expecting stringified json at: 'claims_namespace c'";
        check(&text, &json!({ "c": "{" }), Err(wrong));
        check(&text, &json!({ "c": "[1]" }), Err(wrong));
    }

    #[test]
    fn roles_have_to_be_there() {
        let root = of_namespace(Namespace::Path(path("$")), ClaimsFormat::Json);
        let with = |name: &str, value: Option<Json>| {
            let Json::Object(mut members) = members() else { panic!("no object") };
            members.retain(|known, _| !known.as_str().eq_ignore_ascii_case(name));
            members.extend(value.map(|value| (name.into(), value)));
            Json::Object(members)
        };
        let check = |name: &str, value: Option<Json>, message: &str| {
            check(&root, &with(name, value), Err(message));
        };
        check(ALLOWED_ROLES, None, "JWT claim does not contain x-hasura-allowed-roles");
        check(DEFAULT_ROLE, None, "JWT claim does not contain x-hasura-default-role");
        let list = "invalid x-hasura-allowed-roles; should be a list of roles";
        for value in [json!("user"), json!([1]), json!([""]), json!(null), json!({})] {
            check(ALLOWED_ROLES, Some(value), list);
        }
        let single = "invalid x-hasura-default-role; should be a single role name";
        for value in [json!(["user"]), json!(""), json!("a\u{0}"), json!(null)] {
            check(DEFAULT_ROLE, Some(value), single);
        }
        check(
            "x-hasura-user-id",
            Some(json!({ "a": 1 })),
            "invalid x-hasura-* claims: the value of x-hasura-user-id is no text",
        );
    }

    #[test]
    fn a_map_gives_each_claim_its_place() {
        let at = |text: &str, default: Option<&str>| Mapped::Path {
            path: path(text),
            default: default.map(Into::into),
        };
        let roles = |text: &str| Mapped::Path { path: path(text), default: None };
        let map = |allowed_roles, default_role, user| {
            let variables = vec![("x-hasura-user-id".into(), user)];
            ClaimsSource::Map(ClaimsMap { allowed_roles, default_role, variables })
        };
        let claims = json!({ "sub": "7", "r": { "all": ["user", "editor"], "own": "user" } });
        let paths = map(roles("$.r.all"), at("$.r.own", None), at("$.sub", None));
        check(&paths, &claims, Ok(GOOD));
        let first = map(roles("$.r.all"), at("$.r.all[0]", None), at("$.id", Some("7")));
        check(&first, &claims, Ok(GOOD));
        let fixed = Mapped::Literal(vec!["user".into(), "editor".into()]);
        let literals =
            map(fixed.clone(), Mapped::Literal("user".into()), Mapped::Literal("7".into()));
        check(&literals, &json!({}), Ok(GOOD));
        let defaults = map(
            Mapped::Path { path: path("$.x"), default: Some(vec!["user".into(), "editor".into()]) },
            at("$.y", Some("user")),
            at("$.z", Some("7")),
        );
        check(&defaults, &claims, Ok(GOOD));
        let missing = map(roles("$.x"), at("$.r.own", None), at("$.sub", None));
        check(&missing, &claims, Err("JWT claim does not contain x-hasura-allowed-roles"));
        let missing = map(fixed.clone(), at("$.x", None), at("$.sub", None));
        check(&missing, &claims, Err("JWT claim does not contain x-hasura-default-role"));
        let missing = map(fixed, at("$.r.own", None), at("$.x", None));
        check(&missing, &claims, Err("JWT claim from claims_map, x-hasura-user-id not found"));
    }
}
