//! `thalweg gateway`: a supergraph over HTTP.

mod sources;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::sources::Statistics;
use clients::subgraph::{Settings as SubgraphSettings, Shared};
use engine::gateway::{Gateway, Remote, SubgraphTransport};
use engine::{Api, SourceAddress};
use gateway::Supergraph;

use crate::commands::block_on;
use crate::commands::serve::{open_and_serve, reload};
use crate::configuration::{Invocation, LocalSource, Resolved, SubgraphsFile, Usual, variable};
use crate::demo::federated::{REMOTE, Shop};
use crate::failure::Failure;
use crate::http::{self, Changes, Customs, Fresh, Reload, Settings};
use crate::memory;
use crate::options::{
    GatewayOptions, GivenOptions, ServingOptions, SubgraphOptions, SupergraphPlace,
    check_for_gateway, out_of_gateway,
};
use crate::supergraph::{SupergraphText, SupergraphWatch};
use sources::Sources;

/// What is known of subgraphs by all threads, kept over reloads: counts, and who is left alone.
#[derive(Debug, Default)]
pub(crate) struct KnownSubgraphs(Mutex<Known>);

/// By their names.
#[derive(Debug, Default)]
struct Known {
    remote: BTreeMap<Box<str>, Remote>,
    local: BTreeMap<Box<str>, KnownSource>,
    /// Whether the log has that subscriptions are not served.
    has_warned: bool,
}

/// A source in this process.
#[derive(Debug)]
struct KnownSource {
    address: SourceAddress,
    most_requests: NonZeroU32,
    /// What its connections do.
    connections: Arc<Statistics>,
    shared: Arc<Shared>,
}

/// What is served, and how: all that options and the files that they name say, before a subgraph or
/// a socket is asked.
#[derive(Debug)]
pub(crate) struct PreparedGateway {
    place: SupergraphPlace,
    poll: Option<Duration>,
    /// Whether files are watched.
    watch: bool,
    subgraphs: Subgraphs,
    gateway_options: engine::gateway::GatewayOptions,
    settings: Settings,
}

/// What is said of subgraphs.
#[derive(Debug)]
pub(crate) struct Subgraphs {
    /// The file with its text, if there is one.
    file: Option<(PathBuf, String)>,
    said: SubgraphsFile,
    usual: Usual,
    sources: Sources,
}

pub(crate) fn run(options: &GatewayOptions, invocation: &Invocation) -> Result<(), Failure> {
    block_on(http::take_signal())?;
    let prepared = prepare(options)?;
    let serving = &options.serving;
    let listeners = http::bind(serving)?;
    let again = invocation.again();
    let known = Arc::new(KnownSubgraphs::default());
    let kept = Arc::clone(&known);
    let reload: Reload = Box::new(move || reload(&again, &kept));
    open_and_serve(|| prepared.open(&known), serving, listeners, Some(reload), |_| Ok(()))
}

pub(crate) fn prepare(options: &GatewayOptions) -> Result<PreparedGateway, Failure> {
    let place = SupergraphPlace::parse(&options.supergraph)?;
    if let (SupergraphPlace::File(_), Some(_)) = (&place, &options.supergraph_poll) {
        let message =
            "`--supergraph-poll` is for a supergraph at an address; `--watch` follows a file";
        return Err(Failure::Usage(message.into()));
    }
    let subgraphs = Subgraphs::read_for(&place, &options.subgraphs)?;
    let local = subgraphs.said.local_sources();
    check_for_gateway(&options.serving.given, local)?;
    let has_roles = local.has_postgres;
    Ok(PreparedGateway {
        place,
        poll: options.supergraph_poll.map(|pause| pause.0),
        watch: options.watch,
        subgraphs: subgraphs.of_server(&options.serving),
        gateway_options: options.of_engine(),
        settings: Settings::new(&options.serving, Customs::Gateway { has_roles })?,
    })
}

impl PreparedGateway {
    /// The federated shop, one of whose subgraphs is a server at this address.
    pub(crate) fn of_demo(
        serving: &ServingOptions,
        settings: Settings,
        shop: &Shop,
        remote: &str,
    ) -> Result<Self, Failure> {
        let file = shop.subgraphs();
        let unreadable = |error| Failure::Document { file: file.clone(), error };
        let mut text = fs::read_to_string(&file).map_err(unreadable)?;
        text.extend(["\n[subgraphs.", REMOTE, "]\nurl = \"", remote, "\"\n"]);
        let said = SubgraphsFile::parse(&file, &text, &variable)?;
        Ok(Self {
            place: SupergraphPlace::File(shop.supergraph()),
            poll: None,
            // What is made here is not made again.
            watch: false,
            subgraphs: Subgraphs {
                file: None,
                said,
                usual: Usual {
                    max_requests: (Usual::default().max_requests.0, serving.load.max_requests),
                    ..Usual::default()
                },
                sources: Sources::of(serving),
            },
            gateway_options: engine::gateway::GatewayOptions {
                limits: serving.engine_limits(),
                expose_plan: serving.is_private(),
                ..engine::gateway::GatewayOptions::default()
            },
            settings,
        })
    }

    /// Reads the supergraph and makes its API.
    pub(crate) fn open(self, known: &KnownSubgraphs) -> Result<Fresh, Failure> {
        let Self { place, poll, watch, subgraphs, gateway_options, settings } = self;
        let (text, supergraph) = read(&place)?;
        let mut changes = SupergraphWatch::default();
        if watch || poll.is_some() {
            changes.follow(&place, &text, poll);
        }
        if let (true, Some((file, text))) = (watch, &subgraphs.file) {
            changes.follow_file(file, text);
        }
        drop(text);
        let resolved = subgraphs.resolve(&supergraph)?;
        let transports = known.transports(&supergraph, resolved, &subgraphs.sources)?;
        let names: Vec<&str> = supergraph.subgraphs.iter().map(|one| &*one.name).collect();
        tracing::info!(supergraph = %place, subgraphs = names.join(", "), "a supergraph was read");
        if let Some(unserved) = unserved_subscriptions(&supergraph)
            && known.warns_first()
        {
            tracing::warn!("{unserved}");
        }
        let api = Api::Gateway(Gateway::new(supergraph, transports, gateway_options));
        memory::give_back();
        settings.check(&api);
        let watch = (!changes.is_empty()).then_some(Changes::Supergraph(changes));
        Ok(Fresh { api, settings: Arc::new(settings), watch })
    }
}

/// A warning of a supergraph that has subscriptions.
pub(crate) fn unserved_subscriptions(supergraph: &Supergraph) -> Option<String> {
    let schema = &supergraph.schema;
    let name = &schema[schema.subscription?].name;
    Some(format!(
        "the supergraph has subscriptions (type `{name}`), which the gateway does not serve: it answers them \
         with NOT_SUPPORTED; ask the subgraph itself"
    ))
}

/// Reads a supergraph, and says all that is wrong with it.
pub(crate) fn read(place: &SupergraphPlace) -> Result<(SupergraphText, Supergraph), Failure> {
    let text = block_on(async { Ok(SupergraphText::read(place).await?) })?;
    match gateway::supergraph::read(&text.text) {
        Ok(supergraph) => Ok((text, supergraph)),
        Err(problems) => Err(Failure::WrongSupergraph { place: place.to_string(), problems }),
    }
}

/// Everything for which a gateway cannot be prepared, before it is known which subgraphs there are.
pub(crate) fn find_problems(options: &GatewayOptions) -> Vec<Failure> {
    let mut problems = Vec::new();
    match SupergraphPlace::parse(&options.supergraph) {
        Ok(place) => problems.extend(look(&place, &options.subgraphs).err()),
        Err(failure) => problems.push(failure),
    }
    // A file of subgraphs that is wrong is told of above.
    if let Ok(subgraphs) = Subgraphs::read(&options.subgraphs) {
        let local = subgraphs.said.local_sources();
        let refusals = out_of_gateway(&options.serving.given, local);
        problems.extend(refusals.into_iter().map(Failure::Usage));
    }
    // What is wrong is wrong by all customs.
    let customs = Customs::Gateway { has_roles: true };
    problems.extend(Settings::new(&options.serving, customs).err());
    problems
}

/// A supergraph and how its subgraphs are asked, for a look at it.
pub(crate) fn look(
    place: &SupergraphPlace,
    options: &SubgraphOptions,
) -> Result<(Supergraph, Vec<SubgraphTransport>), Failure> {
    Subgraphs::read_for(place, options)?.look(place)
}

/// The same, once it is known that each option that was given has a meaning.
pub(crate) fn look_with(
    place: &SupergraphPlace,
    options: &SubgraphOptions,
    given: &GivenOptions,
) -> Result<(Supergraph, Vec<SubgraphTransport>), Failure> {
    let subgraphs = Subgraphs::read_for(place, options)?;
    check_for_gateway(given, subgraphs.said.local_sources())?;
    subgraphs.look(place)
}

impl Subgraphs {
    /// Reads the file, if there is one to read. Where it is wrong, names of subgraphs that the
    /// supergraph does not have are told with the rest.
    fn read_for(place: &SupergraphPlace, options: &SubgraphOptions) -> Result<Self, Failure> {
        Self::read(options).map_err(|failure| match (failure, &options.subgraphs) {
            (Failure::SubgraphsFile(refused), Some(file)) => {
                let (Ok((_, supergraph)), Ok(text)) = (read(place), fs::read_to_string(file))
                else {
                    return Failure::SubgraphsFile(refused);
                };
                let names = names(&supergraph);
                let refused = SubgraphsFile::all_problems(file, &text, &variable, &names);
                Failure::SubgraphsFile(refused)
            }
            (failure, _) => failure,
        })
    }

    /// Reads the file, if there is one to read.
    pub(crate) fn read(options: &SubgraphOptions) -> Result<Self, Failure> {
        let usual = Usual {
            timeout: options.subgraph_timeout.0,
            connect_timeout: options.subgraph_connect_timeout.0,
            connections: options.subgraph_connections.get(),
            max_requests: (options.max_subgraph_requests, Usual::default().max_requests.1),
            most_bytes: options.max_subgraph_answer.0,
            deduplicate: options.deduplicate_subgraph_requests,
        };
        let Some(file) = &options.subgraphs else {
            let (said, sources) = (SubgraphsFile::default(), Sources::for_a_look());
            return Ok(Self { file: None, said, usual, sources });
        };
        let (text, said) = read_file(file)?;
        let file = Some((file.clone(), text));
        Ok(Self { file, said, usual, sources: Sources::for_a_look() })
    }

    fn look(
        &self,
        place: &SupergraphPlace,
    ) -> Result<(Supergraph, Vec<SubgraphTransport>), Failure> {
        let (_, supergraph) = read(place)?;
        let resolved = self.resolve(&supergraph)?;
        let transports =
            KnownSubgraphs::default().transports(&supergraph, resolved, &self.sources)?;
        Ok((supergraph, transports))
    }

    /// The same for a server: how sources in this process are opened, and how many requests there are.
    fn of_server(self, serving: &ServingOptions) -> Self {
        let (most, _) = self.usual.max_requests;
        let usual = Usual { max_requests: (most, serving.load.max_requests), ..self.usual };
        Self { sources: Sources::of(serving), usual, ..self }
    }

    /// What holds for each subgraph of a supergraph.
    pub(crate) fn resolve(&self, supergraph: &Supergraph) -> Result<Vec<Resolved>, Failure> {
        Ok(self.said.resolve(&names(supergraph), self.usual)?)
    }
}

/// The names of the subgraphs, and the addresses that the supergraph has of them.
fn names(supergraph: &Supergraph) -> Vec<(&str, &str)> {
    let subgraphs = supergraph.subgraphs.iter();
    subgraphs.map(|subgraph| (&*subgraph.name, &*subgraph.url)).collect()
}

fn read_file(file: &Path) -> Result<(String, SubgraphsFile), Failure> {
    let unreadable = |error| Failure::Document { file: file.to_owned(), error };
    let text = fs::read_to_string(file).map_err(unreadable)?;
    let said = SubgraphsFile::parse(file, &text, &variable)?;
    Ok((text, said))
}

impl KnownSource {
    /// What is known of a source, of which this was known before.
    fn new(source: &LocalSource, sources: &Sources, before: Option<&Self>) -> Self {
        let (address, most_requests) = (&source.said.address, source.most_requests);
        let is_alike =
            |before: &&Self| before.address == *address && before.most_requests == most_requests;
        let connections = before.map(|before| Arc::clone(&before.connections));
        let shared = before.filter(is_alike).map(|before| Arc::clone(&before.shared));
        Self {
            address: address.clone(),
            most_requests,
            connections: connections.unwrap_or_else(|| sources.statistics()),
            shared: shared.unwrap_or_else(|| Arc::new(Shared::in_process(Some(most_requests)))),
        }
    }
}

impl KnownSubgraphs {
    /// Whether nobody has warned of subscriptions before: reloads would say the same again and again.
    fn warns_first(&self) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !std::mem::replace(&mut known.has_warned, true)
    }

    /// How each subgraph is asked. One that is asked at the same place, and left alone by the same
    /// rule, is known already; sources in this process are opened.
    fn transports(
        &self,
        supergraph: &Supergraph,
        resolved: Vec<Resolved>,
        sources: &Sources,
    ) -> Result<Vec<SubgraphTransport>, Failure> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut *known);
        known.has_warned = before.has_warned;
        let mut transports = Vec::with_capacity(resolved.len());
        let mut others = Vec::new();
        for (id, resolved) in supergraph.subgraph_ids().zip(resolved) {
            let subgraph = supergraph.subgraph(id);
            let (settings, rules) = match resolved {
                Resolved::Remote { settings, rules } => (settings, rules),
                Resolved::Local(source) => {
                    let kept = before.local.get(&*subgraph.name);
                    let source_known = KnownSource::new(&source, sources, kept);
                    let (local, missing) = sources.open(supergraph, id, &source, &source_known)?;
                    known.local.insert((&*subgraph.name).into(), source_known);
                    let missing = missing.into_iter();
                    others.extend(missing.map(|missing| ((&*subgraph.name).into(), missing)));
                    transports.push(SubgraphTransport::Local(local));
                    continue;
                }
            };
            let is_alike = |before: &SubgraphSettings| {
                before.endpoint == settings.endpoint
                    && before.breaker == settings.breaker
                    && before.most_requests == settings.most_requests
            };
            let kept = before.remote.get(&*subgraph.name).filter(|way| is_alike(&way.settings));
            let shared = match kept {
                Some(way) => Arc::clone(&way.shared),
                None => Arc::new(Shared::new(&settings)),
            };
            let remote = Remote { settings: Arc::from(settings), shared, rules };
            known.remote.insert((&*subgraph.name).into(), remote.clone());
            transports.push(SubgraphTransport::Remote(remote));
        }
        if !others.is_empty() {
            return Err(Failure::OtherSources(others));
        }
        Ok(transports)
    }
}
