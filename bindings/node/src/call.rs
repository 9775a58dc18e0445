//! The arguments of the methods.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use napi::Result;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use thalweg::{Options, OptionsError, PolicyFile, PoolLimits, Request, Session, Thalweg, Triggers};

use crate::mistake;

/// The dialect without metadata.
const USUAL: &str = "postgraphile";

/// The dialects that need no type definitions: the package has no option for these.
const DIALECTS: &str = "`postgraphile`, `phrag`, `neo4j`, `hasura`, `prisma`";

/// The argument of `open()`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct OpenOptions {
    url: String,
    dialect: Option<String>,
    /// Hasura's metadata in one text.
    metadata: Option<String>,
    /// The text of a policy file.
    policies: Option<String>,
    threads: Option<NonZeroUsize>,
    /// Of all threads together.
    connections: Option<NonZeroUsize>,
    /// In milliseconds.
    timeout: Option<u32>,
    /// Live queries, by the directive `@live`.
    #[serde(default)]
    live: bool,
    /// A server delivers the event triggers and cron triggers of the metadata.
    #[serde(default)]
    triggers_delivered_elsewhere: bool,
}

/// The argument of `execute()` and `subscribe()`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Call {
    query: String,
    variables: Option<Map<String, Value>>,
    operation_name: Option<String>,
    claims: Option<Map<String, Value>>,
}

/// Reads the argument of a method.
pub(crate) fn read<T: DeserializeOwned>(given: Value, method: &str) -> Result<T> {
    serde_json::from_value(given).map_err(|error| mistake(format!("{method}: {error}")))
}

/// The options of the library.
pub(crate) fn options(given: OpenOptions) -> Result<Options> {
    let dialect = given.dialect.as_deref();
    let options = match &given.metadata {
        None => Options::new(&given.url, dialect.unwrap_or(USUAL)),
        Some(metadata) if matches!(dialect, None | Some("hasura")) => {
            Options::with_hasura_metadata(&given.url, metadata)
        }
        Some(_) => return Err(mistake("`metadata` is for the dialect `hasura`")),
    };
    let mut options = options.map_err(|error| match error {
        OptionsError::Dialect(name) => {
            mistake(format!("`{name}` is no dialect; there are {DIALECTS}"))
        }
        OptionsError::Definitions(name) => mistake(format!(
            "`{name}` cannot be opened here: dialects of type definitions (dgraph, prisma with a \
             datamodel) need the server or the Rust library"
        )),
        OptionsError::Source(_) | OptionsError::Metadata(_) => mistake(error),
    })?;
    if let Some(threads) = given.threads {
        options.threads = threads;
    }
    if let Some(connections) = given.connections {
        let each = (connections.get() / options.threads).max(1);
        let PoolLimits { shared, .. } = options.engine.connections;
        options.engine.connections = PoolLimits::sharing(each, shared);
    }
    if let Some(timeout) = given.timeout {
        options.timeout = Duration::from_millis(timeout.into());
    }
    if let Some(policies) = given.policies {
        options.engine.policies = Some(Arc::new(PolicyFile::parse(&policies).map_err(mistake)?));
    }
    options.engine.live.has_directive = given.live;
    if given.triggers_delivered_elsewhere {
        options.triggers = Triggers::DeliveredElsewhere;
    }
    Ok(options)
}

impl Call {
    /// The session of the claims, or of a caller without claims.
    pub(crate) fn session(&self, api: &Thalweg) -> Result<Session> {
        match &self.claims {
            None => Ok(api.anonymous()),
            Some(claims) => api.session(&Value::Object(claims.clone())).map_err(mistake),
        }
    }

    /// The request, read as the body of one over HTTP, with its limits.
    pub(crate) fn request(self) -> Result<Request> {
        let Self { query, variables, operation_name, .. } = self;
        let body =
            json!({ "query": query, "variables": variables, "operationName": operation_name });
        Request::from_json(body.to_string().as_bytes()).map_err(mistake)
    }
}
