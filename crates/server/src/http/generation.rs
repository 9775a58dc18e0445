//! A generation: an API with the settings to serve it by. A reload replaces it as a whole.

use std::sync::Arc;

use engine::{Api, SchemaWatch};

use super::process::Process;
use super::relay::RelayApi;
use super::settings::Settings;
use super::telemetry::Telemetry;
use crate::supergraph::SupergraphWatch;

/// An API with the settings to serve it by.
#[derive(Clone, Debug)]
pub(crate) struct Generation {
    pub(crate) api: Api,
    /// The Relay API of the same source, for the dialect hasura.
    pub(crate) relay: Option<Arc<RelayApi>>,
    pub(crate) settings: Arc<Settings>,
    /// The same for all generations.
    pub(crate) process: Arc<Process>,
}

/// The parts of a generation that a reload replaces.
#[derive(Debug)]
pub(crate) struct Reloaded {
    pub(crate) api: Api,
    pub(crate) relay: Option<Arc<RelayApi>>,
    pub(crate) settings: Arc<Settings>,
    /// Reports changes of the schema, if it is watched.
    pub(crate) watch: Option<ChangeWatch>,
    /// Counters of delivered events, if some are delivered.
    pub(crate) events: Option<Arc<event_triggers::Statistics>>,
}

/// Reports changes of the schema or of the supergraph.
#[derive(Debug)]
pub(crate) enum ChangeWatch {
    Schema(SchemaWatch),
    Supergraph(Box<SupergraphWatch>),
}

impl Generation {
    pub(crate) fn first(reloaded: Reloaded, telemetry: Telemetry) -> Self {
        let Reloaded { api, relay, settings, .. } = reloaded;
        let process = Arc::new(Process::new(&settings, telemetry));
        Self { api, relay, settings, process }
    }
}
