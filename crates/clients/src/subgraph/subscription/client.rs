//! Begins subscriptions on one thread.

use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use hyper::HeaderMap;
use tokio::task::spawn_local;

use super::super::deduplication::{Key, is_per_request};
use super::super::dial::Dialer;
use super::super::shared::Shared;
use super::event_memory::EventBudget;
use super::opener::SourceOpener;
use super::reconnect::run;
use super::running::RunningSubscriptions;
use super::settings::{SubscriptionProtocol, SubscriptionSettings};
use super::upstreams::{Listener, UpstreamKey};

/// Client for subscriptions to one subgraph on one thread, whose tasks must run in a `LocalSet`.
#[derive(Debug)]
pub struct SubscriptionClient {
    settings: Arc<SubscriptionSettings>,
    shared: Arc<Shared>,
    running: Arc<RunningSubscriptions>,
    budget: Arc<dyn EventBudget>,
    dialer: Rc<Dialer>,
    server: Arc<str>,
}

/// A subscription.
#[derive(Clone, Debug)]
pub struct SubscriptionRequest {
    /// JSON of the GraphQL request.
    pub body: Bytes,
    /// Additional headers. Those that differ for each request, such as the trace context, are not
    /// sent, since several clients share a subscription.
    pub headers: HeaderMap,
}

impl SubscriptionClient {
    #[must_use]
    pub fn new(
        settings: Arc<SubscriptionSettings>,
        shared: Arc<Shared>,
        running: Arc<RunningSubscriptions>,
        budget: Arc<dyn EventBudget>,
    ) -> Self {
        let dialer = Rc::new(Dialer::new(Arc::clone(&settings.connection)));
        let SubscriptionSettings { protocol, connection, callback_url, .. } = &*settings;
        // Messages no longer arrive at a former callback URL.
        let callback =
            callback_url.as_deref().filter(|_| *protocol == SubscriptionProtocol::Callback);
        let server = format!("{protocol} {:?} {callback:?}", connection.endpoint).into();
        Self { settings, shared, running, budget, dialer, server }
    }

    /// Begins a subscription, or joins an equal one.
    #[must_use]
    pub fn subscribe(&self, request: SubscriptionRequest) -> Listener {
        let key = self.key(&request);
        let SubscriptionSettings { live, deduplicate, .. } = *self.settings;
        let upstreams = &self.running.upstreams;
        let (listener, begun) = upstreams.join(key, live, deduplicate, &self.budget);
        if let Some(upstream) = begun {
            let SubscriptionRequest { body, mut headers } = request;
            let own: Vec<_> = headers.keys().filter(|name| is_per_request(name)).cloned().collect();
            for name in own {
                headers.remove(name);
            }
            let opener = SourceOpener {
                settings: Arc::clone(&self.settings),
                shared: Arc::clone(&self.shared),
                sockets: Arc::clone(&self.running.sockets),
                callbacks: Arc::clone(&self.running.callbacks),
                dialer: Rc::clone(&self.dialer),
                server: Arc::clone(&self.server),
                body,
                headers,
            };
            spawn_local(run(upstream, Arc::clone(upstreams), opener));
        }
        listener
    }

    /// Returns true if a listener receives the events of this request already, and so can keep its
    /// place.
    #[must_use]
    pub fn is_kept(&self, listener: &Listener, request: &SubscriptionRequest) -> bool {
        listener.is_of(&self.key(request))
    }

    fn key(&self, request: &SubscriptionRequest) -> UpstreamKey {
        let server = Arc::clone(&self.server);
        UpstreamKey { request: Key::new(&request.body, &request.headers), server, alone: 0 }
    }
}
