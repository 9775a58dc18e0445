//! Saved operations: collections, the allow list and REST endpoints.

use crate::json::Json;
use crate::node::Node;
use crate::primitive::Write;
use crate::reader::{Description, Read, Reader};
use crate::types::name::Name;

object! {
    /// A set of operations.
    QueryCollection {
        required name: Name = "name",
        required definition: QueryCollectionDefinition = "definition",
        optional comment: String = "comment",
    }
}

keyed!(QueryCollection, "query collection", |collection| collection.name.text.clone());

object! {
    /// The operations of a collection.
    QueryCollectionDefinition {
        required queries: Vec<CollectedQuery> = "queries",
    }
}

object! {
    /// An operation of a collection.
    CollectedQuery {
        required name: Name = "name",
        /// The document.
        required query: String = "query",
    }
}

object! {
    /// A collection whose operations are allowed.
    AllowListEntry {
        required collection: Name = "collection",
        always scope: AllowListScope = "scope" (AllowListScope::Global),
    }
}

keyed!(AllowListEntry, "collection of the allow list", |entry| entry.collection.text.clone());

/// The roles that an entry of the allow list is for.
#[derive(Clone, Debug, PartialEq)]
pub enum AllowListScope {
    Global,
    Roles(Vec<Name>),
}

impl AllowListScope {
    const KEYS: &'static [&'static str] = &["global", "roles"];
}

impl Read for AllowListScope {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let object = reader.object(node, "AllowListScope", Self::KEYS)?;
        let is_global = reader.with_default(object, "global", true);
        let roles = reader.optional::<Vec<Name>>(object, "roles");
        match (is_global?, roles?) {
            (true, None) => Some(Self::Global),
            (false, Some(roles)) if !roles.is_empty() => Some(Self::Roles(roles)),
            (true, Some(_)) => {
                reader.wrong(node, "A global scope has no roles: remove `roles`.".into())
            }
            (false, _) => {
                let message = "A scope that is not global needs `roles`, a list of roles.";
                reader.wrong(node, message.into())
            }
        }
    }

    fn describe(description: &mut Description) {
        description.add("AllowListScope", Self::KEYS);
    }
}

impl Write for AllowListScope {
    fn write(&self) -> Json {
        let global = |value| ("global".to_owned(), Json::Bool(value));
        Json::Object(match self {
            Self::Global => vec![global(true)],
            Self::Roles(roles) => vec![global(false), ("roles".to_owned(), roles.write())],
        })
    }
}

object! {
    /// An operation with an address of its own.
    RestEndpoint {
        optional comment: String = "comment",
        required definition: RestEndpointDefinition = "definition",
        required methods: Vec<RestMethod> = "methods",
        required name: Name = "name",
        /// The path below `/api/rest/`, with parameters as in `artist/:id`.
        required url: String = "url",
    }
}

keyed!(RestEndpoint, "REST endpoint", |endpoint| endpoint.name.text.clone());

object! {
    /// The operation of a REST endpoint.
    RestEndpointDefinition {
        required query: QueryReference = "query",
    }
}

object! {
    /// An operation of a collection.
    QueryReference {
        required collection_name: Name = "collection_name",
        required query_name: Name = "query_name",
    }
}

choice! {
    /// A method of HTTP.
    RestMethod { Get = "GET", Post = "POST", Put = "PUT", Delete = "DELETE", Patch = "PATCH" }
}
