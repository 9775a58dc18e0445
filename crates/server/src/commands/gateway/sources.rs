//! Sources in the gateway's process: each is opened as a server would do it, and has to be what the
//! supergraph says of it.

use std::sync::Arc;

use dialects::{Dialect, phrag, postgraphile};
use engine::gateway::Local;
use engine::gateway::compatibility::{Incompatibility, incompatibilities};
use engine::{Engine, SourceAddress};
use gateway::Supergraph;
use gateway::supergraph::SubgraphId;
use graphql::DocumentLimits;
use sources::Statistics;

use super::KnownSource;
use crate::commands::block_on;
use crate::configuration::LocalSource;
use crate::failure::Failure;
use crate::options::{DialectName, ServingOptions, federated, of_graph, policies};

/// How sources in this process are opened.
#[derive(Debug)]
pub(super) struct Sources {
    threads: usize,
    connections: engine::Most,
    timeouts: engine::Timeouts,
    errors: engine::ErrorOptions,
    patterns: engine::PatternLimits,
}

impl Sources {
    pub(super) fn of(serving: &ServingOptions) -> Self {
        Self {
            threads: serving.threads().get(),
            connections: serving.most_per_thread(),
            timeouts: serving.database.timeouts(),
            errors: serving.errors.of_engine(),
            patterns: serving.engine_limits().patterns,
        }
    }

    pub(super) fn for_a_look() -> Self {
        Self {
            threads: 1,
            connections: engine::Most::apart(1),
            timeouts: engine::Timeouts::default(),
            errors: engine::ErrorOptions::default(),
            patterns: engine::PatternLimits::default(),
        }
    }

    /// Reads a source and makes its API, with what it lacks to be the subgraph. What becomes of its
    /// connections and requests is added to what is known.
    pub(super) fn open(
        &self,
        supergraph: &Supergraph,
        id: SubgraphId,
        source: &LocalSource,
        known: &KnownSource,
    ) -> Result<(Local, Vec<Incompatibility>), Failure> {
        let subgraph = &*supergraph.subgraph(id).name;
        let options = self.options(source)?;
        let engine = block_on(async { Ok(Engine::open(&source.said.address, &options).await) })?;
        let engine =
            engine.map_err(|error| Failure::Source { subgraph: subgraph.into(), error })?;
        for note in engine.notes() {
            tracing::debug!(subgraph, "{note}");
        }
        let missing = incompatibilities(supergraph, id, &engine);
        let (connections, shared) = (Arc::clone(&known.connections), Arc::clone(&known.shared));
        Ok((Local { engine, timeout: source.timeout, connections, shared }, missing))
    }

    /// Where the connections to one more source are counted.
    pub(super) fn statistics(&self) -> Arc<Statistics> {
        Statistics::new(self.threads)
    }

    fn options(&self, source: &LocalSource) -> Result<engine::Options, Failure> {
        let said = &source.said;
        Ok(engine::Options {
            dialect: match said.dialect {
                DialectName::Phrag => Dialect::Phrag(phrag::Options::default()),
                DialectName::Neo4j => Dialect::Neo4j(of_graph(said.types.as_deref())?),
                // Who knows the connections only does not see the lists beside them.
                DialectName::Postgraphile => Dialect::PostGraphile(postgraphile::Options {
                    simple_collections: postgraphile::SimpleCollections::Both,
                    ..postgraphile::Options::default()
                }),
            },
            source: engine::OpenOptions {
                namespaces: match said.address {
                    SourceAddress::Postgres(_) => said.schemas.clone(),
                    SourceAddress::Sqlite(_) | SourceAddress::Neo4j(_) => Vec::new(),
                },
                timeouts: self.timeouts,
                ..engine::OpenOptions::default()
            },
            connections: self.connections,
            limits: limits(source.most_bytes, self.patterns),
            errors: self.errors.clone(),
            policies: policies(said.policies.as_deref())?,
            federation: Some(federated(said.extension.as_deref())?),
        })
    }
}

/// What the gateway asks is bounded by what clients may ask the gateway; its own documents have more
/// aliases and levels than theirs.
fn limits(most_bytes: u64, patterns: engine::PatternLimits) -> engine::Limits {
    const ANY: usize = usize::MAX;
    engine::Limits {
        document: DocumentLimits {
            tokens: ANY,
            depth: ANY,
            aliases: ANY,
            root_fields: ANY,
            fields: ANY,
            directives: ANY,
            directives_per_place: ANY,
            fragments: ANY,
            variables: ANY,
            ..DocumentLimits::default()
        },
        cost: engine::CostLimits { most: u64::MAX, ..engine::CostLimits::default() },
        patterns,
        response_bytes: most_bytes,
        introspection: false,
    }
}
