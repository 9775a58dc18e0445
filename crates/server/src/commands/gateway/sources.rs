//! Sources in the gateway's process: each is opened as by `thalweg serve`, and has to fit the
//! supergraph.

use std::sync::Arc;

use engine::Engine;
use engine::gateway::Local;
use engine::gateway::compatibility::{Incompatibility, incompatibilities};
use engine::live::FeedOptions;
use graphql::DocumentLimits;
use source::Statistics;
use supergraph::SubgraphId;
use supergraph::Supergraph;

use super::KnownSource;
use crate::commands::{block_on, exposure};
use crate::configuration::LocalSource;
use crate::failure::Failure;
use crate::options::ServingOptions;

/// Options for opening sources in this process.
#[derive(Debug)]
pub(super) struct Sources {
    threads: usize,
    connections: engine::PoolLimits,
    timeouts: engine::Timeouts,
    errors: engine::ErrorOptions,
    patterns: engine::PatternLimits,
    live: FeedOptions,
}

impl Sources {
    pub(super) fn of(serving: &ServingOptions) -> Result<Self, Failure> {
        Ok(Self {
            threads: serving.threads().get(),
            connections: serving.most_per_thread(),
            timeouts: serving.database.timeouts(),
            errors: serving.errors.to_engine(),
            patterns: serving.engine_limits().patterns,
            live: serving.subscriptions.to_engine()?,
        })
    }

    pub(super) fn for_a_look() -> Self {
        Self {
            threads: 1,
            connections: engine::PoolLimits::unshared(1),
            timeouts: engine::Timeouts::default(),
            errors: engine::ErrorOptions::default(),
            patterns: engine::PatternLimits::default(),
            live: FeedOptions::default(),
        }
    }

    /// Opens a source and builds its API, with everything that the supergraph requires and it lacks.
    /// Statistics of its connections and requests continue.
    pub(super) fn open(
        &self,
        supergraph: &Supergraph,
        id: SubgraphId,
        source: &LocalSource,
        known: &KnownSource,
    ) -> Result<(Local, Vec<Incompatibility>), Failure> {
        let subgraph = &*supergraph.subgraph(id).name;
        let mut options = self.options(source)?;
        if let Some(resolvers) = &mut options.resolvers {
            resolvers.statistics = known.resolvers.clone();
        }
        exposure::warn_of_statements(&options.dialect);
        let engine = block_on(async { Ok(Engine::open(&source.entry.address, &options).await) })?;
        let engine =
            engine.map_err(|error| Failure::Source { subgraph: subgraph.into(), error })?;
        for note in engine.notes() {
            tracing::debug!(subgraph, "{note}");
        }
        let missing = incompatibilities(supergraph, id, &engine);
        let (connections, shared) = (Arc::clone(&known.connections), Arc::clone(&known.shared));
        Ok((Local { engine, timeout: source.timeout, connections, shared }, missing))
    }

    /// Statistics of a new source's connections.
    pub(super) fn statistics(&self) -> Arc<Statistics> {
        Statistics::new(self.threads)
    }

    fn options(&self, source: &LocalSource) -> Result<engine::Options, Failure> {
        let api = source.entry.options().map_err(Failure::Usage)?;
        let limits = limits(source.most_bytes, self.patterns);
        let options = api.engine_options(self.connections, self.timeouts, limits)?;
        Ok(engine::Options { errors: self.errors.clone(), live: self.live.clone(), ..options })
    }
}

/// Limits of the gateway's own documents, which have more aliases and levels than those of clients.
/// The limits of client requests bound them.
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
