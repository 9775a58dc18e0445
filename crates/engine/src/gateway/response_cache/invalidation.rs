//! Requests to invalidate cached responses.

use clients::byte_cache::CacheTag;
use serde::Deserialize;
use serde_json::{Map, Value};
use supergraph::SubgraphId;

use super::tags;
use crate::gateway::Gateway;

/// What becomes stale. The names are those of Apollo Router where it has the same.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Invalidation {
    /// All responses of a subgraph.
    Subgraph { subgraph: String },
    /// The responses of a subgraph that contain objects of a type.
    Type { subgraph: String, r#type: String },
    /// An entity, by the fields of one of its keys.
    Entity { subgraph: String, r#type: String, key: Map<String, Value> },
    /// The responses with this `@cacheTag`.
    CacheTag { subgraphs: Vec<String>, cache_tag: String },
}

/// The reason why a request invalidates nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidationError {
    #[error("the gateway has no cache (--subgraph-cache)")]
    NoCache,
    #[error("there is no subgraph `{0}`")]
    Subgraph(String),
    #[error("the subgraph `{subgraph}` has no type `{name}`")]
    Type { subgraph: String, name: String },
    #[error("the fields of a `key` of the entity are wanted")]
    Key,
    #[error("the names of `subgraphs` are wanted")]
    NoSubgraphs,
    #[error("the shared store is not available")]
    Unavailable,
}

impl Gateway {
    /// Makes cached responses stale: all that the requests name, or none if one is wrong.
    pub async fn invalidate(&self, requests: &[Invalidation]) -> Result<(), InvalidationError> {
        let store = self.options.cache.as_ref().ok_or(InvalidationError::NoCache)?;
        let tags = requests.iter().map(|request| self.tags(request));
        let tags = tags.collect::<Result<Vec<_>, _>>()?.concat();
        store.invalidate(&tags).await.map_err(|_| InvalidationError::Unavailable)
    }

    fn tags(&self, request: &Invalidation) -> Result<Vec<CacheTag>, InvalidationError> {
        match request {
            Invalidation::Subgraph { subgraph } => {
                self.check_subgraph(subgraph)?;
                Ok(vec![tags::of_subgraph(subgraph)])
            }
            Invalidation::Type { subgraph, r#type } => {
                let types = self.types(subgraph, r#type)?;
                let mut all = vec![tags::of_any_type(subgraph)];
                all.extend(types.into_iter().map(|name| tags::of_type(subgraph, name)));
                Ok(all)
            }
            Invalidation::Entity { subgraph, r#type, key } => {
                let types = self.types(subgraph, r#type)?;
                if key.is_empty() {
                    return Err(InvalidationError::Key);
                }
                let key = key.iter().map(|(name, value)| (&**name, value)).collect();
                Ok(types.into_iter().map(|name| tags::of_key(subgraph, name, &key)).collect())
            }
            Invalidation::CacheTag { subgraphs, cache_tag } => {
                if subgraphs.is_empty() {
                    return Err(InvalidationError::NoSubgraphs);
                }
                let mut all = Vec::new();
                for subgraph in subgraphs {
                    self.check_subgraph(subgraph)?;
                    all.push(tags::of_cache_tag(subgraph, cache_tag));
                    let formats = self.supergraph.cache_tags.iter().filter(|tag| {
                        *self.supergraph.subgraph(tag.subgraph).name == **subgraph
                            && tags::may_be(&tag.format, cache_tag)
                    });
                    all.extend(formats.map(|tag| tags::of_format(subgraph, &tag.format)));
                }
                Ok(all)
            }
        }
    }

    /// A wrong name would invalidate nothing, and nobody would notice.
    fn check_subgraph(&self, name: &str) -> Result<SubgraphId, InvalidationError> {
        let mut ids = self.supergraph.subgraph_ids();
        let id = ids.find(|id| *self.supergraph.subgraph(*id).name == *name);
        id.ok_or_else(|| InvalidationError::Subgraph(name.to_owned()))
    }

    /// A type of a subgraph, and the objects of the subgraph that are of an interface or a union:
    /// entities have the tags of their own types.
    fn types<'a>(
        &'a self,
        subgraph: &str,
        name: &'a str,
    ) -> Result<Vec<&'a str>, InvalidationError> {
        let supergraph = &self.supergraph;
        let id = self.check_subgraph(subgraph)?;
        let found = supergraph.schema.find_type(name);
        let found = found.filter(|found| supergraph.type_in(*found, id).is_some());
        let found = found.ok_or_else(|| InvalidationError::Type {
            subgraph: subgraph.to_owned(),
            name: name.to_owned(),
        })?;
        let mut names = vec![name];
        if !supergraph.is_object(found) {
            let objects = supergraph.members(supergraph.possible(found));
            let objects = objects.filter(|object| supergraph.type_in(*object, id).is_some());
            names.extend(objects.map(|object| &*supergraph.schema[object].name));
        }
        Ok(names)
    }
}
