//! Subgraphs of REST connectors: their addresses, the values of their variables, and their client.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::sync::Arc;

use clients::egress::{Egress, EgressSettings};
use clients::subgraph::Shared;
use connectors::{Members, Source, UrlTemplate, Variable};
use engine::gateway::Connectors;
use engine::gateway::connectors::{ConnectorSetting, ConnectorSettings, ConnectorStatistics};
use serde_json::{Map, Value};
use supergraph::{Connector, SubgraphId, Supergraph};

use super::Known;
use crate::configuration::{
    ConnectorSource, ConnectorsEntry, Problem, Refused, SourceSettings, variable,
};
use crate::failure::Failure;

/// State of a subgraph of connectors that reloads keep.
#[derive(Debug)]
pub(super) struct KnownConnectors {
    most_requests: NonZeroU32,
    shared: Arc<Shared>,
    statistics: ConnectorStatistics,
}

/// The default of `max-calls`.
const MOST_CALLS: usize = 1_000;

impl Known {
    /// Opens a subgraph of connectors.
    pub(super) fn connectors(
        &mut self,
        before: &Self,
        supergraph: &Supergraph,
        id: SubgraphId,
        source: &ConnectorSource,
    ) -> Result<Connectors, Failure> {
        let name = &*supergraph.subgraph(id).name;
        let entry = source.entry.as_ref();
        let opening = Opening { supergraph, id, name, entry };
        let problems = opening.unknown_names();
        if !problems.is_empty() {
            return Err(Refused { file: source.file.clone(), problems }.into());
        }
        let connectors = opening.settings()?;
        opening.warn_missing(&connectors);
        let egress = EgressSettings {
            hosts: entry.map(|entry| entry.hosts.clone()).unwrap_or_default(),
            networks: entry.map(|entry| entry.networks.clone()).unwrap_or_default(),
            timeout: source.timeout,
            most_bytes: usize::try_from(source.most_bytes).unwrap_or(usize::MAX),
            connections: source.connections,
            most_requests: usize::try_from(source.most_requests.get()).unwrap_or(usize::MAX),
            authorities: source.authorities.clone(),
        };
        opening.check_hosts(&connectors, &egress)?;
        let is_encrypted = connectors.values().any(|one| is_encrypted(&one.definition));
        let egress = Egress::new(egress, is_encrypted)
            .map_err(|error| Failure::Usage(format!("the subgraph `{name}`: {error}")))?;
        let most_calls = entry.and_then(|entry| entry.most_calls).unwrap_or(MOST_CALLS);
        let settings = ConnectorSettings {
            timeout: source.timeout,
            retries: source.retries,
            most_concurrent: source.connections,
            most_calls,
            deduplicate: source.deduplicate,
            environment: environment(&connectors),
            connectors,
        };
        let most_requests = source.most_requests;
        let kept = before.connectors.get(name);
        let statistics = kept.map(|kept| kept.statistics.clone()).unwrap_or_default();
        let shared = kept.filter(|kept| kept.most_requests == most_requests);
        let shared = shared.map(|kept| Arc::clone(&kept.shared));
        let shared = shared.unwrap_or_else(|| Arc::new(Shared::in_process(Some(most_requests))));
        let known = KnownConnectors {
            most_requests,
            shared: Arc::clone(&shared),
            statistics: statistics.clone(),
        };
        self.connectors.insert(name.into(), known);
        Ok(Connectors { egress, settings: Arc::new(settings), shared, statistics })
    }
}

/// A subgraph that is being opened.
struct Opening<'o> {
    supergraph: &'o Supergraph,
    id: SubgraphId,
    name: &'o str,
    entry: Option<&'o ConnectorsEntry>,
}

impl<'o> Opening<'o> {
    fn connectors(&self) -> impl Iterator<Item = &'o Connector> {
        let (supergraph, id) = (self.supergraph, self.id);
        supergraph.connectors.iter().filter(move |connector| connector.subgraph == id)
    }

    fn source_of(&self, connector: &Connector) -> Option<&'o SourceSettings> {
        let name = &*connector.definition.source.as_ref()?.name;
        self.entry?.sources.iter().find(|source| source.name == name)
    }

    /// Sources that the schema does not have, and values of `$config` that no connector uses.
    fn unknown_names(&self) -> Vec<Problem> {
        let Some(entry) = self.entry else { return Vec::new() };
        let mut problems = Vec::new();
        for source in &entry.sources {
            let mut known = self.connectors().filter_map(|one| one.definition.source.as_deref());
            if !known.any(|known| *known.name == *source.name) {
                let written = source.name.escape_debug();
                let name = self.name;
                let message =
                    format!("no connector of the subgraph `{name}` has the source `{written}`");
                problems.push(Problem { position: source.position, message });
            }
            let own = |one: &&Connector| {
                one.definition.source.as_ref().is_some_and(|own| *own.name == *source.name)
            };
            let used = self.connectors().filter(own);
            problems.extend(
                unused(used, &source.config.0)
                    .map(|message| Problem { position: source.position, message }),
            );
        }
        problems.extend(
            unused(self.connectors(), &entry.config.0)
                .map(|message| Problem { position: entry.position, message }),
        );
        problems
    }

    /// The settings of each connector.
    fn settings(&self) -> Result<BTreeMap<supergraph::ConnectorId, ConnectorSetting>, Failure> {
        let ids = self.supergraph.connector_ids().zip(&self.supergraph.connectors);
        let own = ids.filter(|(_, connector)| connector.subgraph == self.id);
        let settings = own.map(|(id, connector)| {
            let source = self.source_of(connector);
            let mut config = self.entry.map(|entry| entry.config.0.clone()).unwrap_or_default();
            config.extend(source.iter().flat_map(|source| source.config.0.clone()));
            let definition = match source.and_then(|source| source.url.as_deref()) {
                Some(url) => {
                    let overridden = with_url(connector, url);
                    Arc::new(overridden.map_err(|error| {
                        let name = self.name;
                        Failure::Usage(format!("the subgraph `{name}`: `url`: {error}"))
                    })?)
                }
                None => Arc::clone(&connector.definition),
            };
            let headers = source.map(|source| source.headers.clone()).unwrap_or_default();
            Ok((id, ConnectorSetting { definition, config: Arc::new(config.into()), headers }))
        });
        settings.collect()
    }

    /// Logs the members of `$config` without a value, each once.
    fn warn_missing(&self, settings: &BTreeMap<supergraph::ConnectorId, ConnectorSetting>) {
        let mut missing: BTreeMap<Box<str>, String> = BTreeMap::new();
        for setting in settings.values() {
            let inputs = setting.definition.inputs();
            let used = inputs.of(Variable::Config).into_iter().flat_map(|used| &used.members);
            for (member, _) in used.filter(|(member, _)| setting.config.get(&**member).is_none()) {
                let coordinate = || setting.definition.coordinate.to_string();
                missing.entry(member.clone()).or_insert_with(coordinate);
            }
        }
        for (member, connector) in missing {
            tracing::warn!(
                subgraph = self.name,
                connector,
                "`$config.{member}` has no value: `config` in `[subgraphs.{}.connectors]` sets it",
                self.name
            );
        }
    }

    /// Checks that requests may be sent to the host of each connector.
    fn check_hosts(
        &self,
        connectors: &BTreeMap<supergraph::ConnectorId, ConnectorSetting>,
        egress: &EgressSettings,
    ) -> Result<(), Failure> {
        let mut refused: Vec<&str> = Vec::new();
        for setting in connectors.values() {
            let host = url(&setting.definition).host().unwrap_or_default();
            if !egress.allows(host) && !refused.contains(&host) {
                refused.push(host);
            }
        }
        if refused.is_empty() {
            return Ok(());
        }
        let mut message =
            format!("the connectors of the subgraph `{}` send requests to hosts", self.name);
        message.push_str(" that are not allowed:");
        for host in &refused {
            // Writing to a string cannot fail.
            let _ = write!(message, " `{host}`");
        }
        let _ = write!(
            message,
            "; `hosts` in `[subgraphs.{}.connectors]` of the file of subgraphs allows them",
            self.name
        );
        Err(Failure::Usage(message))
    }
}

/// The URL with the host of a connector.
fn url(definition: &connectors::Connector) -> &UrlTemplate {
    definition.source.as_ref().map_or(&definition.http.url, |source| &source.http.url)
}

fn is_encrypted(definition: &connectors::Connector) -> bool {
    url(definition).is_encrypted() == Some(true)
}

/// Returns a connector whose source has another URL.
fn with_url(connector: &Connector, url: &str) -> Result<connectors::Connector, String> {
    let mut definition = (*connector.definition).clone();
    if let Some(source) = &definition.source {
        let url = UrlTemplate::parse(url, definition.version).map_err(|error| error.to_string())?;
        let mut source = Source::clone(source);
        source.http.url = url;
        definition.source = Some(Arc::new(source));
    }
    Ok(definition)
}

/// Returns a message for each value that no connector uses.
fn unused<'c>(
    connectors: impl Iterator<Item = &'c Connector>,
    config: &Map<String, Value>,
) -> impl Iterator<Item = String> {
    let mut used = Members::default();
    for connector in connectors {
        if let Some(members) = connector.definition.inputs().of(Variable::Config) {
            used.add(members);
        }
    }
    let unused = config.keys().filter(|name| !used.is_whole && used.find(name).is_none());
    let messages: Vec<String> =
        unused.map(|name| format!("no connector uses `$config.{}`", name.escape_debug())).collect();
    messages.into_iter()
}

/// `$env`: the environment variables that connectors name.
fn environment(connectors: &BTreeMap<supergraph::ConnectorId, ConnectorSetting>) -> Value {
    let mut values = Map::new();
    for setting in connectors.values() {
        let inputs = setting.definition.inputs();
        let used = inputs.of(Variable::Env).into_iter().flat_map(|used| &used.members);
        for (name, _) in used {
            if let Ok(Some(value)) = variable(name) {
                values.insert(name.as_ref().to_owned(), value.into());
            }
        }
    }
    Value::Object(values)
}
