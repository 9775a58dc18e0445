//! `thalweg gateway`: serves a supergraph.

mod connectors;
mod events;
mod sources;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clients::broker::Broker;
use clients::byte_cache::ByteCache;
use clients::redis_client::RedisClient;
use clients::subgraph::{Callbacks, RunningSubscriptions, Settings as SubgraphSettings, Shared};
use engine::gateway::{CachePolicy, Gateway, Remote, SubgraphTransport};
use engine::resolvers::statistics::ResolverStatistics;
use engine::{Api, SourceAddress};
use gateway::events::Provider;
use source::Statistics;
use supergraph::Supergraph;
use supergraph::changes::{Criticality, Rules, WrittenSchema, compare};
use supergraph::composition::Finding;

use crate::commands::block_on;
use crate::commands::serving::{open_and_serve, reread};
use crate::composition::{CompositionSource, Inputs};
use crate::configuration::{
    Again, Defaults, Invocation, LocalSource, Refused, Resolved, SubgraphsFile, redacted, variable,
};
use crate::demo::federated::{REMOTE, Shop};
use crate::failure::Failure;
use crate::http::{
    self, AuthProfile, AuthScheme, CallbackEndpoint, ChangeWatch, Declared, Reload, Reloaded,
    Settings,
};
use crate::memory;
use crate::options::{
    CacheSettings, CallbackAddress, Command, GatewayOptions, GivenOptions, ServingOptions,
    StoreSettings, SubgraphOptions, SupergraphLocation, check_for_gateway, out_of_gateway,
};
use crate::supergraph::{Fetches, SupergraphText, SupergraphWatch};
use connectors::KnownConnectors;
use events::KnownEvents;
use sources::Sources;

/// The most changes of an API that are logged.
const LOGGED_CHANGES: usize = 20;

/// State of the subgraphs that all threads share and reloads keep: counters, circuit breakers.
#[derive(Debug, Default)]
pub(crate) struct KnownSubgraphs {
    known: Mutex<Known>,
    /// Subscriptions that wait for events at the callback endpoint.
    callbacks: Arc<Callbacks>,
    /// Fetches of the supergraph from another server.
    fetches: Arc<Fetches>,
    /// The text of the last supergraph.
    text: Mutex<Option<String>>,
    /// The cache of responses, with its settings.
    cache: Mutex<Option<(StoreSettings, Arc<ByteCache>)>>,
}

/// State by the names of subgraphs.
#[derive(Debug, Default)]
struct Known {
    remote: BTreeMap<Box<str>, Remote>,
    local: BTreeMap<Box<str>, KnownSource>,
    events: BTreeMap<Box<str>, KnownEvents>,
    connectors: BTreeMap<Box<str>, KnownConnectors>,
    brokers: BTreeMap<Provider, Arc<Broker>>,
}

/// State of a source in this process.
#[derive(Debug)]
struct KnownSource {
    address: SourceAddress,
    most_requests: NonZeroU32,
    /// Statistics of its connections.
    connections: Arc<Statistics>,
    /// Statistics of requests of its custom fields.
    resolvers: ResolverStatistics,
    shared: Arc<Shared>,
}

/// A gateway that is prepared from the options and the files that they name, before it contacts a
/// subgraph or opens a socket.
#[derive(Debug)]
pub(crate) struct PreparedGateway {
    place: SupergraphLocation,
    poll: Option<Duration>,
    /// The file with the last good supergraph of an address.
    copy: Option<PathBuf>,
    /// Whether files are watched.
    watch: bool,
    subgraphs: Subgraphs,
    callbacks: Option<CallbackAddress>,
    /// The cache of responses.
    cache: Option<CacheSettings>,
    gateway_options: engine::gateway::GatewayOptions,
    settings: Settings,
}

/// Configuration of the subgraphs.
#[derive(Debug)]
pub(crate) struct Subgraphs {
    /// The path of the file and its text, if there is one.
    file: Option<(PathBuf, String)>,
    parsed: SubgraphsFile,
    defaults: Defaults,
    sources: Sources,
    /// The file of subgraphs to compose, if the supergraph is one.
    composition: Option<CompositionSource>,
}

/// A supergraph that was read, or composed.
pub(crate) struct ReadSupergraph {
    pub(crate) text: SupergraphText,
    pub(crate) supergraph: Supergraph,
    /// The schemas, if it was composed.
    inputs: Option<Inputs>,
}

pub(crate) fn run(options: &GatewayOptions, invocation: &Invocation) -> Result<(), Failure> {
    block_on(http::take_signal())?;
    let prepared = prepare(options)?;
    let serving = &options.serving;
    let addresses = prepared.callbacks.as_ref().map(|callbacks| &*callbacks.listen);
    let listeners =
        http::bind_callbacks(http::bind(serving)?, addresses.unwrap_or_default(), serving)?;
    let again = invocation.again();
    let known = Arc::new(KnownSubgraphs::default());
    let kept = Arc::clone(&known);
    let reload: Reload = Box::new(move || reload(&again, &kept));
    open_and_serve(|| prepared.open(&known), serving, listeners, Some(reload), |_| Ok(()))
}

/// Repeats a start, except for options that need a restart.
fn reload(again: &Again, known: &KnownSubgraphs) -> Result<Reloaded, Failure> {
    let Command::Gateway(options) = reread(again)? else {
        return Err(Failure::Usage("a reload needs the options of `thalweg gateway`".into()));
    };
    prepare(&options)?.open(known)
}

pub(crate) fn prepare(options: &GatewayOptions) -> Result<PreparedGateway, Failure> {
    let place = options.place()?;
    let poll = options.poll(&place)?;
    let subgraphs = Subgraphs::read_for(&place, &options.subgraphs)?;
    let local = subgraphs.parsed.local_sources();
    check_for_gateway(&options.serving.given, local)?;
    let has_roles = local.has_postgres;
    let has_callbacks = subgraphs.parsed.has_callbacks();
    let callbacks = options.callbacks.endpoint(&options.serving.given, has_callbacks);
    let callbacks = callbacks.map_err(|refusals| Failure::Usage(refusals.join("\nerror: ")))?;
    Ok(PreparedGateway {
        place,
        poll,
        copy: options.supergraph_copy.clone(),
        watch: options.watch,
        subgraphs: subgraphs.of_server(&options.serving)?,
        callbacks,
        cache: options.cache.settings(&options.serving.given)?,
        gateway_options: options.to_engine(),
        settings: Settings::new(
            &options.serving,
            AuthScheme::Tokens(AuthProfile::Gateway { has_roles }),
            Declared::default(),
        )?
        .watched(options.watch),
    })
}

impl PreparedGateway {
    /// The federated shop, whose remote subgraph has this address.
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
        let parsed = SubgraphsFile::parse(&file, &text, &variable)?;
        Ok(Self {
            place: SupergraphLocation::File(shop.supergraph()),
            poll: None,
            copy: None,
            // The files of the demo do not change.
            watch: false,
            subgraphs: Subgraphs {
                file: None,
                parsed,
                defaults: Defaults {
                    max_requests: (Defaults::default().max_requests.0, serving.load.max_requests),
                    ..Defaults::default()
                },
                sources: Sources::of(serving)?,
                composition: None,
            },
            callbacks: None,
            cache: None,
            gateway_options: engine::gateway::GatewayOptions {
                limits: serving.engine_limits(),
                expose_plan: serving.is_private(),
                ..engine::gateway::GatewayOptions::default()
            },
            settings,
        })
    }

    /// Reads the supergraph and builds its API.
    pub(crate) fn open(self, known: &KnownSubgraphs) -> Result<Reloaded, Failure> {
        let Self { place, poll, copy, watch, mut subgraphs, callbacks, cache, .. } = self;
        let Self { mut gateway_options, settings, .. } = self;
        let read = subgraphs.supergraph(&place, &known.fetches);
        let read = match &copy {
            Some(copy) => known.good_or_copy(&place, copy, read),
            None => read,
        };
        let ReadSupergraph { text, supergraph, inputs } = read?;
        let mut changes = SupergraphWatch::default();
        match subgraphs.composition.take() {
            Some(source) if watch || poll.is_some() => {
                changes.follow_composition(source, inputs.as_ref(), watch, poll);
            }
            None if watch || poll.is_some() => {
                changes.follow(&place, &known.fetches, &text, poll);
            }
            Some(_) | None => {}
        }
        if let (true, Some((file, text))) = (watch, &subgraphs.file) {
            changes.follow_file(file, text);
        }
        known.log_changes(text.text);
        let mut resolved = subgraphs.resolve(&supergraph)?;
        if let Some(callbacks) = &callbacks {
            resolved.iter_mut().for_each(|one| one.set_callback_url(&callbacks.url));
        }
        if cache.is_none() {
            resolved.iter().try_for_each(Resolved::check_without_cache)?;
        }
        let endpoint = |address: &CallbackAddress| {
            CallbackEndpoint::new(address, Arc::clone(&known.callbacks))
        };
        let settings = settings
            .with_callbacks(callbacks.as_ref().map(endpoint))
            .with_fetches(Arc::clone(&known.fetches))
            .with_cache_secret(cache.as_ref().and_then(|cache| cache.secret.as_ref()));
        gateway_options.cache = known.cache(cache.as_ref().map(|cache| &cache.store));
        let policy = cache.map(|cache| cache.policy);
        if watch {
            for resolved in &resolved {
                if let Resolved::Events(events) = resolved {
                    changes.follow_file(&events.file, &events.text);
                }
            }
        }
        let transports =
            known.transports(&supergraph, resolved, &subgraphs.sources, policy.as_ref())?;
        let names: Vec<&str> = supergraph.services().map(|one| &*one.name).collect();
        tracing::info!(supergraph = %place, subgraphs = names.join(", "), "a supergraph was read");
        let api = Api::Gateway(Gateway::new(supergraph, transports, gateway_options));
        memory::give_back();
        settings.check(&api);
        let watch = (!changes.is_empty()).then_some(ChangeWatch::Supergraph(Box::new(changes)));
        let relay = None;
        Ok(Reloaded { api, relay, settings: Arc::new(settings), watch, events: None })
    }
}

/// Reads a supergraph, or composes it, and reports all its problems.
pub(crate) fn read(place: &SupergraphLocation) -> Result<ReadSupergraph, Failure> {
    Subgraphs::default().with_composition(place)?.supergraph(place, &Fetches::default())
}

/// Reads the text of a supergraph, or composes it.
pub(crate) fn read_text(place: &SupergraphLocation) -> Result<String, Failure> {
    Ok(Subgraphs::default().with_composition(place)?.text(place, &Fetches::default())?.0.text)
}

/// Reads the text of a supergraph, and reports all its problems.
fn read_good(
    place: &SupergraphLocation,
    (text, inputs): (SupergraphText, Option<Inputs>),
) -> Result<ReadSupergraph, Failure> {
    match supergraph::read(&text.text) {
        Ok(supergraph) => Ok(ReadSupergraph { text, supergraph, inputs }),
        Err(problems) => Err(Failure::WrongSupergraph { place: place.to_string(), problems }),
    }
}

/// Logs the changes of an API, the breaking ones first.
fn log_changes(before: &str, after: &str) {
    let (Ok(before), Ok(after)) = (WrittenSchema::read(before), WrittenSchema::read(after)) else {
        return;
    };
    let rules = Rules { ignore_descriptions: true, omit_nested: true, ..Rules::default() };
    let mut changes = compare(&before, &after, &rules);
    changes.sort_by_key(|change| change.criticality);
    let count =
        |criticality| changes.iter().filter(|change| change.criticality == criticality).count();
    let (breaking, dangerous) = (count(Criticality::Breaking), count(Criticality::Dangerous));
    let safe = changes.len() - breaking - dangerous;
    tracing::info!(breaking, dangerous, safe, "changes of the API by the new supergraph");
    for change in changes.iter().take(LOGGED_CHANGES) {
        let (coordinate, criticality) =
            (change.coordinate.to_string(), change.criticality.as_str());
        tracing::info!(coordinate, criticality, "{}", change.message);
    }
}

/// Writes the hints of a composition to the log.
fn log_hints(hints: &[Finding]) {
    for hint in hints {
        tracing::info!(code = hint.code.as_str(), "composition: {}", hint.message);
    }
}

/// All problems of a gateway's options, before its subgraphs are known.
pub(crate) fn find_problems(options: &GatewayOptions) -> Vec<Failure> {
    let mut problems = Vec::new();
    match options.place() {
        Ok(place) => {
            problems.extend(options.poll(&place).err());
            problems.extend(look(&place, &options.subgraphs).err());
        }
        Err(failure) => problems.push(failure),
    }
    // Problems of the subgraphs file are reported above.
    if let Ok(subgraphs) = Subgraphs::read(&options.subgraphs) {
        let local = subgraphs.parsed.local_sources();
        let refusals = out_of_gateway(&options.serving.given, local);
        let has_callbacks = subgraphs.parsed.has_callbacks();
        let callbacks = options.callbacks.endpoint(&options.serving.given, has_callbacks);
        let refusals = refusals.into_iter().chain(callbacks.err().unwrap_or_default());
        problems.extend(refusals.map(Failure::Usage));
    }
    // Errors do not depend on the auth profile.
    let profile = AuthScheme::Tokens(AuthProfile::Gateway { has_roles: true });
    problems.extend(Settings::new(&options.serving, profile, Declared::default()).err());
    problems
}

/// A supergraph with the transports of its subgraphs, for an inspection.
pub(crate) fn look(
    place: &SupergraphLocation,
    options: &SubgraphOptions,
) -> Result<(Supergraph, Vec<SubgraphTransport>), Failure> {
    Subgraphs::read_for(place, options)?.look(place)
}

/// Like [`look`], after a check of the given options.
pub(crate) fn look_with(
    place: &SupergraphLocation,
    options: &SubgraphOptions,
    given: &GivenOptions,
) -> Result<(Supergraph, Vec<SubgraphTransport>), Failure> {
    let subgraphs = Subgraphs::read_for(place, options)?;
    check_for_gateway(given, subgraphs.parsed.local_sources())?;
    subgraphs.look(place)
}

/// No file, for an inspection.
impl Default for Subgraphs {
    fn default() -> Self {
        Self {
            file: None,
            parsed: SubgraphsFile::default(),
            defaults: Defaults::default(),
            sources: Sources::for_a_look(),
            composition: None,
        }
    }
}

impl Subgraphs {
    /// Reads the file, if there is one, and that of a composition. If it is wrong, also reports unknown
    /// subgraphs.
    fn read_for(place: &SupergraphLocation, options: &SubgraphOptions) -> Result<Self, Failure> {
        let read = Self::read(options).map_err(|failure| {
            let is_wrong = failure.downcast_ref::<Refused>().is_some();
            let Some(file) = options.subgraphs.as_ref().filter(|_| is_wrong) else {
                return failure;
            };
            let (Ok(read), Ok(text)) = (read(place), fs::read_to_string(file)) else {
                return failure;
            };
            SubgraphsFile::all_problems(file, &text, &variable, &names(&read.supergraph)).into()
        })?;
        read.with_composition(place)
    }

    /// Reads the file of subgraphs to compose, if the supergraph is one.
    fn with_composition(mut self, place: &SupergraphLocation) -> Result<Self, Failure> {
        if let SupergraphLocation::Composition(file) = place {
            let mut composition = CompositionSource::read(file)?;
            composition.parsed.add(&mut self.parsed)?;
            self.composition = Some(composition);
        }
        Ok(self)
    }

    /// Reads the text of a supergraph, or composes it.
    fn text(
        &self,
        place: &SupergraphLocation,
        fetches: &Fetches,
    ) -> Result<(SupergraphText, Option<Inputs>), Failure> {
        Ok(match &self.composition {
            Some(source) => {
                let composed = block_on(source.compose())?;
                log_hints(&composed.hints);
                (SupergraphText::composed(composed.sdl), Some(composed.inputs))
            }
            None => (block_on(async { Ok(SupergraphText::read(place, fetches).await?) })?, None),
        })
    }

    /// Reads a supergraph, or composes it, and reports all its problems.
    fn supergraph(
        &self,
        place: &SupergraphLocation,
        fetches: &Fetches,
    ) -> Result<ReadSupergraph, Failure> {
        read_good(place, self.text(place, fetches)?)
    }

    /// Reads the file, if there is one.
    pub(crate) fn read(options: &SubgraphOptions) -> Result<Self, Failure> {
        let defaults = Defaults {
            timeout: options.subgraph_timeout.0,
            connect_timeout: options.subgraph_connect_timeout.0,
            connections: options.subgraph_connections.get(),
            max_requests: (options.max_subgraph_requests, Defaults::default().max_requests.1),
            most_bytes: options.max_subgraph_answer.0,
            deduplicate: options.deduplicate_subgraph_requests,
        };
        let Some(file) = &options.subgraphs else {
            return Ok(Self { defaults, ..Self::default() });
        };
        let (text, parsed) = read_file(file)?;
        let file = Some((file.clone(), text));
        Ok(Self { file, parsed, defaults, ..Self::default() })
    }

    fn look(
        &self,
        place: &SupergraphLocation,
    ) -> Result<(Supergraph, Vec<SubgraphTransport>), Failure> {
        let supergraph = self.supergraph(place, &Fetches::default())?.supergraph;
        let resolved = self.resolve(&supergraph)?;
        let transports =
            KnownSubgraphs::default().transports(&supergraph, resolved, &self.sources, None)?;
        Ok((supergraph, transports))
    }

    /// Adds the options of a server: how sources are opened, and the limit on concurrent requests.
    fn of_server(self, serving: &ServingOptions) -> Result<Self, Failure> {
        let (most, _) = self.defaults.max_requests;
        let defaults =
            Defaults { max_requests: (most, serving.load.max_requests), ..self.defaults };
        Ok(Self { sources: Sources::of(serving)?, defaults, ..self })
    }

    /// The settings of each subgraph of a supergraph.
    pub(crate) fn resolve(&self, supergraph: &Supergraph) -> Result<Vec<Resolved>, Failure> {
        let connectors = supergraph.subgraph_ids().filter(|id| supergraph.has_connectors(*id));
        let connectors: Vec<&str> = connectors.map(|id| &*supergraph.subgraph(id).name).collect();
        Ok(self.parsed.resolve(&names(supergraph), &connectors, self.defaults)?)
    }
}

/// The names of the subgraphs, and their addresses in the supergraph.
fn names(supergraph: &Supergraph) -> Vec<(&str, &str)> {
    let subgraphs = supergraph.services();
    subgraphs.map(|subgraph| (&*subgraph.name, &*subgraph.url)).collect()
}

pub(crate) fn read_file(file: &Path) -> Result<(String, SubgraphsFile), Failure> {
    let unreadable = |error| Failure::Document { file: file.to_owned(), error };
    let text = fs::read_to_string(file).map_err(unreadable)?;
    let parsed = SubgraphsFile::parse(file, &text, &variable)?;
    Ok((text, parsed))
}

impl KnownSource {
    /// The state of a source, with what is kept of its previous state.
    fn new(source: &LocalSource, sources: &Sources, before: Option<&Self>) -> Self {
        let (address, most_requests) = (&source.entry.address, source.most_requests);
        let is_alike =
            |before: &&Self| before.address == *address && before.most_requests == most_requests;
        let connections = before.map(|before| Arc::clone(&before.connections));
        let shared = before.filter(is_alike).map(|before| Arc::clone(&before.shared));
        Self {
            address: address.clone(),
            most_requests,
            connections: connections.unwrap_or_else(|| sources.statistics()),
            resolvers: before.map(|before| before.resolvers.clone()).unwrap_or_default(),
            shared: shared.unwrap_or_else(|| Arc::new(Shared::in_process(Some(most_requests)))),
        }
    }
}

impl KnownSubgraphs {
    /// Keeps a copy of a good supergraph. At a start without one, the copy is read; later, the
    /// supergraph before stays.
    fn good_or_copy(
        &self,
        place: &SupergraphLocation,
        copy: &Path,
        read: Result<ReadSupergraph, Failure>,
    ) -> Result<ReadSupergraph, Failure> {
        let is_start = self.text.lock().unwrap_or_else(PoisonError::into_inner).is_none();
        match read {
            Ok(read) => {
                read.text.keep(copy);
                Ok(read)
            }
            Err(failure) if is_start => {
                let Ok(kept) = SupergraphText::read_copy(copy) else { return Err(failure) };
                let (error, file) = (redacted(&failure.to_string()), copy.display());
                tracing::error!(error, %file, "the supergraph is read from its last good copy");
                read_good(place, (kept, None))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Logs the changes of the API since the last supergraph.
    fn log_changes(&self, text: String) {
        let mut last = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = last.as_ref().filter(|before| **before != text) {
            log_changes(before, &text);
        }
        *last = Some(text);
    }

    /// The cache of responses, which a reload with the same settings keeps.
    fn cache(&self, wanted: Option<&StoreSettings>) -> Option<Arc<ByteCache>> {
        let mut known = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(wanted) = wanted else {
            *known = None;
            return None;
        };
        if let Some((settings, cache)) = &*known
            && settings == wanted
        {
            return Some(Arc::clone(cache));
        }
        let cache = Arc::new(match wanted {
            StoreSettings::Memory { most_bytes } => ByteCache::in_memory(*most_bytes),
            StoreSettings::Redis { url, timeout } => {
                let client = RedisClient::open(url.clone(), "cache of responses", *timeout);
                ByteCache::shared(client, "thalweg:cache:")
            }
        });
        *known = Some((wanted.clone(), Arc::clone(&cache)));
        Some(cache)
    }

    /// The transport of each subgraph. A remote one with the same endpoint, circuit breaker and limit
    /// keeps its state; sources in this process are opened.
    fn transports(
        &self,
        supergraph: &Supergraph,
        resolved: Vec<Resolved>,
        sources: &Sources,
        policy: Option<&CachePolicy>,
    ) -> Result<Vec<SubgraphTransport>, Failure> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut *known);
        let mut transports = Vec::with_capacity(resolved.len());
        let mut others = Vec::new();
        for (id, resolved) in supergraph.subgraph_ids().zip(resolved) {
            let subgraph = supergraph.subgraph(id);
            let cache = resolved.cache_policy(policy);
            let (settings, subscriptions, rules) = match resolved {
                Resolved::Remote { settings, subscriptions, rules, cache: _ } => {
                    (settings, Arc::from(subscriptions), rules)
                }
                Resolved::Events(events) => {
                    let events = known.events(&before, supergraph, id, &events)?;
                    transports.push(SubgraphTransport::Events(events));
                    continue;
                }
                Resolved::Connectors(source) => {
                    let connectors = known.connectors(&before, supergraph, id, &source)?;
                    transports.push(SubgraphTransport::Connectors(connectors));
                    continue;
                }
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
            let kept = before
                .remote
                .get(&*subgraph.name)
                .filter(|transport| is_alike(&transport.settings));
            let shared = match kept {
                Some(transport) => Arc::clone(&transport.shared),
                None => Arc::new(Shared::new(&settings)),
            };
            let running = before.remote.get(&*subgraph.name);
            let running = running.map(|transport| Arc::clone(&transport.running));
            let running = running.unwrap_or_else(|| {
                Arc::new(RunningSubscriptions::new(Arc::clone(&self.callbacks)))
            });
            let settings: Arc<SubgraphSettings> = Arc::from(settings);
            let address = settings.endpoint.to_string().into();
            let remote = Remote { settings, subscriptions, shared, running, rules, cache, address };
            known.remote.insert((&*subgraph.name).into(), remote.clone());
            transports.push(SubgraphTransport::Remote(remote));
        }
        if !others.is_empty() {
            return Err(Failure::OtherSources(others));
        }
        Ok(transports)
    }
}
