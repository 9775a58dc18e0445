//! `@cacheControl` of subgraphs, which stays with their servers.
//! <https://www.apollographql.com/docs/apollo-server/performance/caching>

use super::Merger;
use crate::composition::specifications::Meaning;
use crate::composition::{Code, Finding};

/// The directive of Apollo Server and of other servers of subgraphs.
const CACHE_CONTROL: &str = "cacheControl";

impl Merger<'_> {
    /// Adds a hint for each subgraph with `@cacheControl`, unless it composes the directive: its server
    /// makes a header of it for each response, and the supergraph has nothing of it.
    pub(super) fn hint_cache_control(&mut self) {
        for (graph, subgraph) in self.subgraphs.iter().enumerate() {
            let mut first = None;
            subgraph.for_each_applied(|applied| {
                let is_own = applied.meaning == Meaning::Custom;
                if is_own && &*applied.directive.name == CACHE_CONTROL && first.is_none() {
                    first = Some(applied);
                }
            });
            let Some(first) = first.filter(|_| !self.composed.is_composed_by(CACHE_CONTROL, graph))
            else {
                continue;
            };
            let message = format!(
                "The subgraph \"{}\" has `@cacheControl`, which the supergraph does not have: the \
                 server of the subgraph makes the header `Cache-Control` of it, and the gateway reads \
                 the header.",
                subgraph.name
            );
            let remedy = "Have the server of the subgraph send `Cache-Control`, or give the gateway \
                          the time by `cache = { ttl = \"…\" }` in its file of subgraphs.";
            let hint = Finding::new(Code::DirectiveCompositionInfo, message)
                .on(["@", CACHE_CONTROL].concat())
                .at(subgraph.location(first.at()))
                .remedy(remedy);
            self.hints.push(hint);
        }
    }
}
