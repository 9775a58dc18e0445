//! Subscriptions to the events of nodes, on Neo4j.

mod changes;
mod filters;
mod rules;
mod waking;

use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;

use dialects::neo4j::model::ApiVersion;
use dialects::{Dialect, neo4j as dialect};
use engine::live::{FeedOptions, Responses};
use engine::{
    Allowed, Caller, Delivery, Engine, Options, PoolLimits, Report, Session, SourceAddress, Worker,
};
use serde_json::Value;
use source::Claims;
use testkit::neo4j::{self, Graph};
use tokio::task::LocalSet;

use crate::live::{next, request, subscribe};

/// A graph with an API, for one test.
pub(crate) struct Served {
    pub(crate) graph: Graph,
    pub(crate) worker: Rc<Worker>,
}

/// Runs a test on an empty graph; a missing Neo4j is reported.
async fn on_graph<F: Future<Output = ()>>(types: &str, test: impl FnOnce(Served) -> F) {
    let Some(graph) = neo4j::take().unwrap() else { return };
    let local = LocalSet::new();
    local.run_until(async { test(served(graph, types).await).await }).await;
}

async fn served(graph: Graph, types: &str) -> Served {
    served_with(graph, types, false, FeedOptions::default()).await
}

async fn served_with(graph: Graph, types: &str, live: bool, feed: FeedOptions) -> Served {
    let version = ApiVersion::V7;
    let model = dialect::definitions::read(types, version).unwrap();
    let filters = "String.MATCHES,String.CASE_INSENSITIVE".split(',');
    let filters = filters.map(|name| dialect::text_filters::TextFilter::from_str(name).unwrap());
    let neo4j = dialect::Options {
        model: Arc::new(model),
        version,
        live,
        filters: filters.collect(),
        ..Default::default()
    };
    let options =
        Options { live: feed, ..Options::new(Dialect::Neo4j(neo4j), PoolLimits::unshared(4)) };
    let address = SourceAddress::Neo4j(graph.address("bolt"));
    let worker = Rc::new(Worker::new(Engine::open(&address, &options).await.unwrap()));
    Served { graph, worker }
}

/// A caller with a token that has these claims.
fn caller(claims: serde_json_bytes::Value) -> Caller {
    let session = Session { claims: Some(Arc::new(Claims::new(claims))), ..Session::default() };
    Caller { session, ..Caller::default() }
}

impl Served {
    fn subscribe(&self, query: &str) -> Responses {
        subscribe(&self.worker, query, &Caller::default())
    }

    /// Executes a mutation, which must succeed; returns its data.
    async fn change(&self, query: &str) -> Value {
        let response = self.execute(query).await;
        assert!(response.get("errors").is_none(), "{query}: {response}");
        response["data"].clone()
    }

    async fn execute(&self, query: &str) -> Value {
        let (session, mut report) = (Session::default(), Report::default());
        let (allowed, delivery) = (Allowed::All, Delivery::Whole);
        let asked = request(query);
        let response =
            self.worker.deliver_reported(&asked, &session, allowed, delivery, &mut report).await;
        serde_json::from_slice(&response.body).unwrap()
    }
}

/// The next event, without its time, which must be a recent one.
async fn next_event(responses: &mut Responses) -> Value {
    let mut response = next(responses).await;
    let events = response["data"].as_object_mut().unwrap_or_else(|| panic!("no data"));
    let (_, event) = events.iter_mut().next().unwrap();
    if let Some(time) = event.as_object_mut().and_then(|event| event.remove("timestamp")) {
        assert!(time.as_f64().unwrap() > 1_700_000_000_000.0, "{time}");
    }
    event.take()
}
