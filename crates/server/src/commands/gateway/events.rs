//! Subgraphs of events, and the brokers that they share.

use std::num::NonZeroU32;
use std::sync::Arc;

use clients::broker::Broker;
use clients::subgraph::Shared;
use engine::gateway::Events;
use gateway::events::Provider;
use supergraph::{SubgraphId, Supergraph};

use super::Known;
use crate::configuration::EventSource;
use crate::failure::Failure;

/// State of a subgraph of events that reloads keep.
#[derive(Debug)]
pub(super) struct KnownEvents {
    most_requests: NonZeroU32,
    shared: Arc<Shared>,
}

impl Known {
    /// Opens a subgraph of events. Brokers with the same settings keep their connections.
    pub(super) fn events(
        &mut self,
        before: &Self,
        supergraph: &Supergraph,
        id: SubgraphId,
        source: &EventSource,
    ) -> Result<Events, Failure> {
        let name = &*supergraph.subgraph(id).name;
        let read = gateway::events::read(supergraph, id, &source.text);
        let subgraph =
            read.map_err(|problems| Failure::WrongEvents { file: source.file.clone(), problems })?;
        let mut brokers = Vec::new();
        for provider in subgraph.providers() {
            let broker = self.broker(before, provider, source).ok_or_else(|| {
                let (id, kind) = (&provider.id, provider.kind.name());
                let table = format!("[providers.{id}]");
                Failure::Usage(format!(
                    "the subgraph `{name}` needs `{kind}` in `{table}` of the file of `--subgraphs`"
                ))
            })?;
            brokers.push((provider.clone(), broker));
        }
        let most_requests = source.most_requests;
        let kept = before.events.get(name).filter(|before| before.most_requests == most_requests);
        let shared = kept.map(|kept| Arc::clone(&kept.shared));
        let shared = shared.unwrap_or_else(|| Arc::new(Shared::in_process(Some(most_requests))));
        let known = KnownEvents { most_requests, shared: Arc::clone(&shared) };
        self.events.insert(name.into(), known);
        let (timeout, most_bytes) = (source.timeout, source.most_bytes);
        Ok(Events { subgraph: Arc::new(subgraph), brokers, timeout, most_bytes, shared })
    }

    fn broker(
        &mut self,
        before: &Self,
        provider: &Provider,
        source: &EventSource,
    ) -> Option<Arc<Broker>> {
        if let Some(broker) = self.brokers.get(provider) {
            return Some(Arc::clone(broker));
        }
        let (_, settings) = source.brokers.iter().find(|(known, _)| known == provider)?;
        let kept = before.brokers.get(provider).filter(|kept| kept.settings().is_same(settings));
        let broker = kept.map_or_else(|| Broker::new(settings.clone()), Arc::clone);
        self.brokers.insert(provider.clone(), Arc::clone(&broker));
        Some(broker)
    }
}
