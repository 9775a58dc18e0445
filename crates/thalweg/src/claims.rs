//! From claims to a session.

use dialects::Dialect;
use engine::session::{Refused, Sessions};
use engine::{Claims, Session};
use serde_json_bytes::{ByteString, Map, Value as Json};

use crate::options::Options;

/// The beginning of the names of Hasura's session variables.
const VARIABLE: &str = "x-hasura-";

/// Claims cannot be those of a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimsError {
    /// Claims are the members of an object.
    #[error("claims have to be a JSON object, such as {{\"role\": \"editor\"}}")]
    NoObject,
    /// The role, the number of the claims or a text in them cannot be that of a database.
    #[error("the claims cannot be those of a session: {0}")]
    Refused(Box<str>),
    /// A claim that is no session variable, in the dialect `hasura`.
    #[error(
        "`{0}` is no session variable of Hasura: names begin with `x-hasura-`, and values are texts \
         without a zero byte"
    )]
    Variable(Box<str>),
    /// The role is missing, in the dialect `hasura`.
    #[error("session variables of Hasura need the role: `x-hasura-role`")]
    NoRole,
}

/// The mapping of claims of an API.
#[derive(Debug)]
pub(crate) enum ClaimsMapping {
    /// To a role and settings.
    Settings(Box<engine::session::Mapping>),
    /// To session variables.
    Variables,
}

impl ClaimsMapping {
    pub(crate) fn new(options: &Options) -> Self {
        match options.engine.dialect {
            Dialect::Hasura(_) => Self::Variables,
            Dialect::PostGraphile(_)
            | Dialect::Phrag(_)
            | Dialect::Neo4j(_)
            | Dialect::Dgraph(_)
            | Dialect::Prisma(_) => Self::Settings(Box::new(options.mapping.clone())),
        }
    }

    /// The session of a caller without claims.
    pub(crate) fn anonymous(&self) -> Session {
        match self {
            // Only claims are refused.
            Self::Settings(mapping) => mapping.session(None).unwrap_or_default(),
            Self::Variables => Session::default(),
        }
    }

    pub(crate) fn session(&self, claims: &serde_json::Value) -> Result<Session, ClaimsError> {
        let serde_json::Value::Object(members) = claims else { return Err(ClaimsError::NoObject) };
        match self {
            Self::Settings(mapping) => {
                let session = mapping.session(Some(Claims::new(Json::from(claims.clone()))));
                session.map_err(|refused: Refused| ClaimsError::Refused(refused.to_string().into()))
            }
            Self::Variables => variables(members),
        }
    }
}

/// The session of Hasura's session variables.
fn variables(members: &serde_json::Map<String, serde_json::Value>) -> Result<Session, ClaimsError> {
    let mut variables: Map<ByteString, Json> = Map::new();
    for (given, value) in members {
        let refused = || ClaimsError::Variable(given.as_str().into());
        let name = given.to_ascii_lowercase();
        let text = value.as_str().filter(|text| !text.contains('\0')).ok_or_else(refused)?;
        if !name.starts_with(VARIABLE) || variables.insert(name, text.into()).is_some() {
            return Err(refused());
        }
    }
    match variables.get("x-hasura-role").and_then(Json::as_str) {
        Some(role) if !role.is_empty() => {}
        Some(_) | None => return Err(ClaimsError::NoRole),
    }
    Ok(Sessions::with_claims(Claims::new(Json::Object(variables)), Vec::new()))
}
