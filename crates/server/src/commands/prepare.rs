//! Preparation of a server from its options and the files that they name, before it contacts a
//! database or opens a socket: the same for a start, a reload and a check.

use std::sync::Arc;

use catalog::NoteKind;
use dialects::{Dialect, DialectName, postgraphile};
use engine::datamodel::DatamodelTables;
use engine::live::FeedOptions;
use engine::resolvers::statistics::ResolverStatistics;
use engine::session::Signer;
use engine::{Api, Engine, OpenError, OpenOptions, SchemaWatch, SourceAddress};

use crate::commands::{block_on, exposure};
use crate::events::{self, EventDelivery, EventSetup};
use crate::failure::Failure;
use crate::http::{
    AuthProfile, AuthScheme, ChangeWatch, Datamodel, Declared, EventLogs, PrismaSettings, RelayApi,
    Reloaded, ServiceDatabase, Settings,
};
use crate::memory;
use crate::options::{DemoOptions, ServeOptions, ServingOptions, SourceKind, Target, out_of_scope};

/// A prepared server.
#[derive(Debug)]
pub(crate) struct Prepared {
    source: SourceAddress,
    engine_options: engine::Options,
    settings: Settings,
    /// Whether the schema is watched.
    watch: bool,
    /// The most requests in a batch, and whether there is an allow list.
    batches: (usize, bool),
    /// The delivery of events, with its options; `None` for servers without one.
    events: Option<EventSetup>,
    delivery: Option<Arc<EventDelivery>>,
}

pub(crate) fn prepare(options: &ServeOptions) -> Result<Prepared, Failure> {
    let source = options.api.address()?;
    let engine_options = engine_options(options)?;
    let settings = settings(Some(&engine_options.dialect), &options.serving)?;
    let serving = &options.serving;
    let replicas = &options.api.replicas;
    let settings = settings.with_replicas(replicas.replicas(), replicas.carrier(), serving);
    let batches = (serving.persisted.max_batch, serving.allow_list.allow_list);
    let drain = serving.drain_timeout.0;
    let settings = with_prisma(settings, &engine_options, &source, serving);
    let (mode, settings_of_events) = (options.events.events, options.events.settings(drain));
    let events = Some(EventSetup { mode, settings: settings_of_events });
    let (watch, delivery) = (options.watch, None);
    Ok(Prepared { source, engine_options, settings, watch, batches, events, delivery })
}

/// All problems of a server's options.
pub(crate) fn find_problems(options: &ServeOptions) -> Vec<Failure> {
    let mut problems = Vec::new();
    match options.api.address() {
        // The options of the engine depend on the source.
        Ok(_) => match options.api.out_of_scope() {
            Ok(refusals) if !refusals.is_empty() => {
                problems.extend(refusals.into_iter().map(Failure::Usage));
            }
            // Definitions may hold the keys that other options need.
            Ok(_) => return problems_of(engine_options(options), &options.serving),
            Err(failure) => problems.push(failure),
        },
        Err(failure) => problems.push(failure),
    }
    problems.extend(settings(None, &options.serving).err());
    problems
}

fn problems_of(made: Result<engine::Options, Failure>, serving: &ServingOptions) -> Vec<Failure> {
    let made_settings = settings(made.as_ref().ok().map(|made| &made.dialect), serving);
    let events = made.as_ref().ok().and_then(events::find_problems);
    made.err().into_iter().chain(made_settings.err()).chain(events).collect()
}

/// The settings for a dialect. Without one, their errors are the same but for what definitions declare.
fn settings(dialect: Option<&Dialect>, serving: &ServingOptions) -> Result<Settings, Failure> {
    let (scheme, declared) = match dialect {
        Some(Dialect::Neo4j(_)) => (AuthScheme::Tokens(AuthProfile::Neo4j), Declared::default()),
        Some(Dialect::Dgraph(dialect)) => {
            let declared = Declared::new(&dialect.model.settings, serving)?;
            (AuthScheme::Tokens(AuthProfile::Dgraph), declared)
        }
        Some(Dialect::Prisma(_)) if serving.prisma.has_secrets() => {
            (AuthScheme::Tokens(AuthProfile::Prisma), Declared::default())
        }
        Some(Dialect::PostGraphile(_) | Dialect::Phrag(_) | Dialect::Prisma(_)) | None => {
            (AuthScheme::Tokens(AuthProfile::PostGraphile), Declared::default())
        }
        Some(Dialect::Hasura(_)) => (AuthScheme::Hasura, Declared::default()),
    };
    Settings::new(serving, scheme, declared)
}

fn engine_options(options: &ServeOptions) -> Result<engine::Options, Failure> {
    let serving = &options.serving;
    let mut engine_options = options.api.engine_options(
        serving.most_per_thread(),
        serving.database.timeouts(),
        serving.engine_limits(),
    )?;
    if let Dialect::PostGraphile(postgraphile::Options { token: Some(token), .. }) =
        &mut engine_options.dialect
    {
        let secret = serving.auth.jwt_secret.as_ref().ok_or_else(|| {
            Failure::Usage("`--jwt-token-identifier` needs `--jwt-secret` to sign with".into())
        })?;
        token.seal = Some(Arc::new(Signer::new(secret.as_bytes())));
    }
    if matches!(engine_options.dialect, Dialect::Hasura(_)) {
        engine_options.limits.introspection = serving.has_introspection_of_hasura();
    }
    let has_directive = engine_options.live.has_directive;
    Ok(engine::Options {
        errors: serving.errors.to_engine(),
        live: FeedOptions { has_directive, ..serving.subscriptions.to_engine()? },
        cache: serving.cache.to_engine()?,
        ..engine_options
    })
}

pub(crate) fn prepare_demo(options: &DemoOptions) -> Result<Prepared, Failure> {
    let serving = &options.serving;
    let target = Target {
        source: SourceKind::Sqlite,
        dialect: DialectName::Postgraphile,
        has_policies: false,
        has_rules: false,
        requires_token: serving.auth.require_token,
    };
    match out_of_scope(&serving.given, target).as_slice() {
        [] => {}
        refusals => return Err(Failure::Usage(refusals.join("\nerror: "))),
    }
    Ok(Prepared {
        source: SourceAddress::Sqlite(options.file.clone()),
        engine_options: engine::Options {
            dialect: Dialect::PostGraphile(postgraphile::Options {
                simple_collections: postgraphile::SimpleCollections::Both,
                ..postgraphile::Options::default()
            }),
            source: engine::OpenOptions {
                timeouts: serving.database.timeouts(),
                ..engine::OpenOptions::default()
            },
            connections: serving.most_per_thread(),
            limits: serving.engine_limits(),
            errors: serving.errors.to_engine(),
            policies: None,
            federation: None,
            schema_first: None,
            resolvers: None,
            live: serving.subscriptions.to_engine()?,
            has_defer: false,
            cache: serving.cache.to_engine()?,
            prisma_schema: None,
            further: Vec::new(),
            webhooks: Vec::new(),
        },
        settings: settings(None, serving)?,
        // The demo's schema does not change.
        watch: false,
        batches: (serving.persisted.max_batch, false),
        events: None,
        delivery: None,
    })
}

impl Prepared {
    /// The server with counters of requests of custom fields, which reloads continue.
    pub(crate) fn counted(mut self, statistics: &ResolverStatistics) -> Self {
        if let Some(resolvers) = &mut self.engine_options.resolvers {
            resolvers.statistics = statistics.clone();
        }
        self
    }

    /// The server with the delivery of the process, which goes on across reloads.
    pub(crate) fn delivering(mut self, delivery: &Arc<EventDelivery>) -> Self {
        self.delivery = Some(Arc::clone(delivery));
        self
    }

    /// Opens the source and builds its API. With a watched schema the API may be empty at first.
    pub(crate) fn open_or_wait(self) -> Result<Reloaded, Failure> {
        self.open_by(async |source, options, is_watched| {
            let error = match Engine::open(source, options).await {
                Err(error) if is_watched => error,
                opened => return opened,
            };
            // Objects that policies and extensions name may not exist yet either.
            let alone = engine::Options { policies: None, federation: None, ..options.clone() };
            let Ok(engine) = Engine::inspect(source, &alone).await else { return Err(error) };
            if !engine.is_empty() {
                return Err(error);
            }
            let reason = error.to_string();
            tracing::warn!(
                reason,
                "waiting until the schema has something, since --watch is given"
            );
            Ok(engine)
        })
    }

    /// Opens the source and builds its API.
    pub(crate) fn open(self) -> Result<Reloaded, Failure> {
        self.open_by(async |source, options, _| Engine::open(source, options).await)
    }

    fn open_by(
        self,
        open: impl AsyncFnOnce(&SourceAddress, &engine::Options, bool) -> Result<Arc<Engine>, OpenError>,
    ) -> Result<Reloaded, Failure> {
        let Self { source, engine_options, watch, settings, batches, events, delivery } = self;
        let (engine, relay, watch, settings, events) = block_on(async {
            let engine_options = &*engine::stored_metadata::read(&source, &engine_options).await?;
            let settings = with_hasura(settings, engine_options, batches, &source)?;
            let relay = RelayApi::new(&source, engine_options);
            // The watch starts before the schema is read, so that it reports changes in between.
            let watch = match watch {
                true => SchemaWatch::begin(&source, &engine_options.source).await,
                false => None,
            };
            let engine = open(&source, engine_options, watch.is_some()).await?;
            if let (Some(setup), Some(delivery)) = (&events, &delivery) {
                delivery.apply_actions(*setup, &engine).await?;
            }
            let events = match &events {
                Some(events) => events.prepare(&source, engine_options, &engine).await?,
                None => Vec::new(),
            };
            Ok::<_, Failure>((engine, relay, watch, settings, events))
        })?;
        // A reload may add the first trigger.
        let may_have_events = matches!(engine_options.dialect, Dialect::Hasura(_))
            || !engine_options.webhooks.is_empty();
        // With the catalog in the database's form, the metadata and the definitions are dropped.
        drop(engine_options);
        memory::give_back();
        for note in engine.notes() {
            match note.kind {
                // Requests that use the name will fail; what has no effect may be missed.
                NoteKind::UnknownName
                | NoteKind::Unserved
                | NoteKind::Inconsistent
                | NoteKind::Uninherited => {
                    tracing::warn!("{note}");
                }
                NoteKind::Collision
                | NoteKind::LeftOut
                | NoteKind::UnmappedType
                | NoteKind::Declaration
                | NoteKind::Partitioned
                | NoteKind::NodeId
                | NoteKind::UnindexedRelationship
                | NoteKind::Distributed => tracing::debug!("{note}"),
            }
        }
        match engine.notes().count() {
            0 => {}
            notes => tracing::info!(notes, "`thalweg check` lists possible improvements"),
        }
        let is_empty = engine.is_empty();
        let api = Api::Source(engine);
        if !is_empty {
            settings.check(&api);
        }
        let watch = watch.map(ChangeWatch::Schema);
        let counters = match &delivery {
            Some(delivery) => {
                delivery.apply(events)?;
                may_have_events.then(|| delivery.statistics())
            }
            None => None,
        };
        Ok(Reloaded { api, relay, settings: Arc::new(settings), watch, events: counters })
    }
}

/// The settings with the endpoints of Prisma, for its dialect.
fn with_prisma(
    settings: Settings,
    engine_options: &engine::Options,
    source: &SourceAddress,
    serving: &ServingOptions,
) -> Settings {
    let Dialect::Prisma(options) = &engine_options.dialect else { return settings };
    exposure::warn_of_statements(&engine_options.dialect);
    let OpenOptions { namespaces, timeouts, .. } = &engine_options.source;
    let database = ServiceDatabase {
        source: source.clone(),
        tables: DatamodelTables {
            schema: namespaces.first().cloned().unwrap_or_default(),
            names: engine_options.prisma_schema.clone(),
            timeouts: *timeouts,
        },
        has_policies: engine_options.policies.is_some(),
        max_nodes: options.max_nodes,
    };
    let datamodel = options.text.clone().map(|text| {
        let model = Arc::clone(&options.model);
        Datamodel { model, text }
    });
    let (service, webhooks) = (serving.prisma.own_service(), engine_options.webhooks.clone());
    let prisma = PrismaSettings::new(service, (database, webhooks), datamodel);
    settings.with_prisma(prisma, serving.persisted.max_batch)
}

/// The settings with the endpoints of Hasura, for its dialect.
fn with_hasura(
    settings: Settings,
    options: &engine::Options,
    (max_batch, uses_allow_list): (usize, bool),
    source: &SourceAddress,
) -> Result<Settings, Failure> {
    let Dialect::Hasura(dialect) = &options.dialect else { return Ok(settings) };
    let events = EventLogs::new(source, options);
    settings.with_hasura(dialect, uses_allow_list, (&options.limits, max_batch), events)
}
