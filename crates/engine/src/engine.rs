//! One API over one source.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use access::{AccessRules, AccessSet, Roles, SessionRefusal};
use catalog::{Catalog, Entity, Note, StatementPart};
use dialects::{
    Api, Declaration, Dialect, DialectError, DialectName, DialectOutput, ErrorForm, Uninherited,
    add_cached_directive, add_defer_directive, add_live_directive, federation, prisma,
};
use graphql::schema::Schema;
use graphql::{GraphQLError, Validator, View};
use http_resolvers::WebhookSubscription;
use live::{Counts, FeedOptions, Journal, ListenerCounts, Written};
use source::{CompileError, EventRecorders, PoolLimits, Session, SourceError};

use sources::{Address, OpenOptions, RawStatements, ReadStatus, Rights, Source};

use crate::action_calls::{ActionCalls, ActionCallsError};
use crate::answer_cache::{
    AnswerCache, CacheCounts, CacheFeed, CacheOptions, CachePolicyError, SharedAnswers,
};
use crate::documents::{DocumentCache, SessionView};
use crate::enum_tables::{self, EnumTablesError};
use crate::event_session;
use crate::further_sources::{self, FurtherSource, SourceEngine};
use crate::graph::{self, GraphError};
use crate::headers::ReadHeaders;
use crate::limits::Limits;
use crate::live::Live;
use crate::map_error::{ErrorOptions, Messages};
use crate::policies::{self, PolicyFile, PolicyProblems};
use crate::prepare::Prepared;
use crate::remote_schemas;
use crate::resolvers::statistics::FieldStatistics;
use crate::resolvers::{ResolverError, ResolverOptions, Resolvers};
use crate::schema_first::{self, SchemaFirst, SchemaFirstError};
use crate::stored_metadata::{self, StoredMetadataError};
use crate::topics::TopicAuthorization;
use crate::webhook_subscriptions::WebhookSubscriptions;
use crate::withhold::session_refused;

#[derive(Clone, Debug)]
pub struct Options {
    pub dialect: Dialect,
    /// Options of reading the source.
    pub source: OpenOptions,
    /// The most connections to the source in one thread.
    pub connections: PoolLimits,
    pub limits: Limits,
    pub errors: ErrorOptions,
    /// Access rules; without any, everything is permitted.
    pub policies: Option<Arc<PolicyFile>>,
    /// Options of the API as a federation subgraph, if it is one.
    pub federation: Option<federation::Options>,
    /// The type definitions of a schema-first dialect.
    pub schema_first: Option<SchemaFirst>,
    /// Requests to other servers; without them, none is allowed.
    pub resolvers: Option<ResolverOptions>,
    /// How changes of the source are followed for subscriptions.
    pub live: FeedOptions,
    /// Whether the schema has `@defer`.
    pub has_defer: bool,
    /// The cache of answers.
    pub cache: CacheOptions,
    /// The schema of Prisma ORM that names the tables, their columns and relations.
    pub prisma_schema: Option<Arc<prisma_schema::Schema>>,
    /// Databases of further sources of Hasura's metadata.
    pub further: Vec<FurtherSource>,
    /// Subscriptions whose events are recorded for webhooks.
    pub webhooks: Vec<WebhookSubscription>,
}

impl Options {
    /// A dialect without restrictions, caches and requests to other servers, by so many connections.
    #[must_use]
    pub fn new(dialect: Dialect, connections: PoolLimits) -> Self {
        Self {
            dialect,
            source: OpenOptions::default(),
            connections,
            limits: Limits::default(),
            errors: ErrorOptions::default(),
            policies: None,
            federation: None,
            schema_first: None,
            resolvers: None,
            live: FeedOptions::default(),
            has_defer: false,
            cache: CacheOptions::default(),
            prisma_schema: None,
            further: Vec::new(),
            webhooks: Vec::new(),
        }
    }
}

/// One API over one source, shared by all threads.
#[derive(Debug)]
pub struct Engine {
    pub(crate) source: Source,
    address: OwnAddress,
    /// The same, or that of the server behind a pooler, from which notifications come.
    direct: OwnAddress,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) api: Api,
    pub(crate) validator: Validator,
    pub(crate) limits: Limits,
    /// Access rules of a policy file or of type definitions.
    pub(crate) access: Option<AccessRules>,
    pub(crate) documents: DocumentCache<Prepared>,
    pub(crate) connections: PoolLimits,
    pub(crate) messages: Messages,
    /// The dialect of the API.
    pub(crate) dialect: DialectName,
    /// The form of errors in responses.
    pub(crate) error_form: ErrorForm,
    /// Fields whose values other servers give, if there are some.
    pub(crate) resolvers: Option<Resolvers>,
    /// Calls of asynchronous actions, if there are some.
    pub(crate) action_calls: Option<ActionCalls>,
    /// Executes statements of clients, if they may send any.
    pub(crate) raw_statements: Option<RawStatements>,
    pub(crate) live: Live,
    /// `None` if no answers are cached.
    pub(crate) cache: Option<Arc<AnswerCache>>,
    /// Whether changes are recorded with the variables of their sessions.
    pub(crate) records_sessions: bool,
    /// The engines of further sources.
    pub(crate) further: Vec<SourceEngine>,
    /// Subscriptions whose events are recorded; `None` without any.
    pub(crate) webhooks: Option<WebhookSubscriptions>,
}

/// The address of the source, which may have a password and must not reach a log.
#[derive(PartialEq, Eq)]
struct OwnAddress(Address);

/// The reason why a source cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Address(#[from] sources::AddressError),
    #[error(transparent)]
    Source(#[from] sources::OpenError),
    #[error(transparent)]
    Rows(#[from] EnumTablesError),
    #[error(transparent)]
    Metadata(#[from] StoredMetadataError),
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error("the function that authorizes subscriptions cannot be called: {0}")]
    Topics(CompileError),
    #[error("the policies do not fit the source: {0}")]
    Policies(#[from] PolicyProblems),
    #[error("{0}")]
    PrismaSchema(#[from] prisma_schema::Mistakes),
    #[error(transparent)]
    SchemaFirst(#[from] SchemaFirstError),
    #[error(transparent)]
    Dialect(#[from] DialectError),
    #[error(transparent)]
    Resolvers(#[from] ResolverError),
    #[error(transparent)]
    ActionCalls(#[from] ActionCallsError),
    #[error(transparent)]
    Cache(#[from] CachePolicyError),
    #[error("servers cannot share answers, since the database does not tell its identity: {0}")]
    Identity(SourceError),
    #[error("policies and rules of type definitions exclude each other: leave one out")]
    PoliciesAndRules,
    #[error("policies and the permissions of metadata exclude each other: leave one out")]
    PoliciesAndPermissions,
    #[error(
        "policies are for one database: leave out `--further-source`, or write permissions into the \
         metadata instead of `--policies`"
    )]
    PoliciesAndSources,
    #[error("the subscription {0}")]
    Webhooks(String),
    #[error(
        "webhooks of subscriptions receive all rows, so that no rules may restrict the access: leave \
         one of both out"
    )]
    WebhooksAndPolicies,
    /// The schema would be empty.
    #[error("there is nothing to serve: {0}")]
    Empty(Box<str>),
    #[error(
        "neither the user of the connection nor a role that it can become may read or change \
         anything that this API can show; grant it to one of them, name other schemas with \
         --schema, or leave out --no-ignore-rbac"
    )]
    NothingGranted,
}

impl std::fmt::Debug for OwnAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OwnAddress").finish_non_exhaustive()
    }
}

/// The options with the schemas of the remote schemas of metadata. A reload reads them again.
async fn with_remote_schemas(options: Cow<'_, Options>) -> Result<Cow<'_, Options>, OpenError> {
    let Dialect::Hasura(dialect) = &options.dialect else { return Ok(options) };
    let egress = options.resolvers.clone().unwrap_or_default().egress;
    let schemas = remote_schemas::read(dialect, egress).await.map_err(ResolverError::Connect)?;
    if schemas.0.is_empty() {
        return Ok(options);
    }
    let mut options = options.into_owned();
    if let Dialect::Hasura(dialect) = &mut options.dialect {
        dialect.remote_schemas = schemas;
    }
    Ok(Cow::Owned(options))
}

/// Executes statements of clients, if the dialect lets them send any.
fn raw_statements(address: &Address, options: &Options) -> Option<RawStatements> {
    let Dialect::Prisma(prisma::Options { raw_access: true, .. }) = &options.dialect else {
        return None;
    };
    let schema = options.source.namespaces.first().map_or("", String::as_str);
    Some(RawStatements::new(address, schema, options.source.timeouts))
}

impl Engine {
    /// Reads the source's catalog and makes its API.
    pub async fn open(address: &Address, options: &Options) -> Result<Arc<Self>, OpenError> {
        let engine = Self::inspect(address, options).await?;
        match engine.find_emptiness(address, options) {
            Some(error) => Err(error),
            None => Ok(engine),
        }
    }

    /// Takes over the listeners to events of the engine before a reload, if they have the same source
    /// and, for changes of nodes and rows, the same types of nodes and tables: their subscriptions can
    /// continue.
    pub(crate) fn inherit(&mut self, before: &Self) {
        if self.address != before.address || self.direct != before.direct {
            return;
        }
        self.live.listeners = Arc::clone(&before.live.listeners);
        let [own, others] = [&self.catalog, &before.catalog].map(|catalog| catalog.entities());
        fn parts(entity: &Entity) -> (&Option<Box<str>>, &str, &[Box<str>]) {
            (&entity.namespace, &entity.name, &entity.labels)
        }
        if own.map(parts).eq(others.map(parts)) {
            self.live.events = Arc::clone(&before.live.events);
        }
    }

    /// Closes the source after the last request. It takes no longer than `patience`.
    pub fn close(&self, patience: Duration) {
        let started = Instant::now();
        self.source.close(patience);
        for further in &self.further {
            further.engine.close(patience.saturating_sub(started.elapsed()));
        }
    }

    /// Whether the schema has no fields.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.api.is_empty()
    }

    /// The reason why the schema has no fields, if it has none.
    #[must_use]
    pub fn find_emptiness(&self, address: &Address, options: &Options) -> Option<OpenError> {
        let catalog = &self.catalog;
        if !self.is_empty() {
            return None;
        }
        let is_read = |entity: &Entity| catalog.fields_of(entity.id).any(|field| field.access.read);
        let is_known = catalog.entities().next().is_some();
        let withheld = options.source.rights == Rights::Respected
            && is_known
            && !catalog.entities().any(is_read);
        if withheld {
            return Some(OpenError::NothingGranted);
        }
        let mut notes = self.notes();
        let reason = match (notes.next(), address) {
            (None, _) if options.prisma_schema.is_some() && is_known => {
                "the Prisma schema has no model that can be shown".to_owned()
            }
            (Some(note), _) => {
                let more = match notes.count() {
                    0 => String::new(),
                    more => format!(" (and {more} more, which `thalweg check` names)"),
                };
                format!("{}: {} Remedy: {}{more}", note.subject, note.message, note.remedy)
            }
            (None, _) if is_known => {
                let count = match catalog.entities().count() {
                    1 => "1 table or view, which is left out".to_owned(),
                    count => format!("{count} tables and views, all of which are left out"),
                };
                format!("the source has {count} by tags, options or rights")
            }
            (None, Address::Sqlite(path)) => {
                format!(
                    "{} has no table and no view; make one, or let `serve --watch` wait for it",
                    path.display()
                )
            }
            (None, Address::Postgres(_)) => format!(
                "the database has no table, view and function in the schema {}; --schema names \
                 others, and `serve --watch` waits for them",
                options.source.namespaces.join(", ")
            ),
            (None, Address::Neo4j(_)) => "the graph has no nodes, and --types defines none".into(),
        };
        Some(OpenError::Empty(reason.into()))
    }

    /// Opens a source for inspection only: an API without a field is accepted.
    pub async fn inspect(address: &Address, options: &Options) -> Result<Arc<Self>, OpenError> {
        let options = stored_metadata::read(address, options).await?;
        let options = with_remote_schemas(options).await?;
        let (options, further) = further_sources::open(address, options).await?;
        let options = &*options;
        let first = options.schema_first.as_ref();
        let dialect =
            schema_first::placed(address, &options.dialect, first, &options.source).await?;
        let (source, mut catalog) = stored_metadata::open(address, options).await?;
        if let Some(schema) = &options.prisma_schema {
            prisma_schema::apply(&mut catalog, schema)?;
        }
        let (dialect, left_out) = graph::defined(&source, &dialect).await?;
        let mut declaration = Declaration::new(catalog, &dialect);
        let wanted = declaration.wanted_rows();
        let catalog = &mut declaration.catalog;
        left_out.into_iter().for_each(|note| catalog.note(note));
        enum_tables::read(&source, catalog, wanted).await?;
        let policies = options.policies.as_deref();
        let roles = policies.map(|file| policies::compile(file, catalog)).transpose()?;
        for field in roles.iter().flat_map(Roles::preset_in_new_rows) {
            catalog.declare_default(field);
        }
        let made = declaration.make(options.federation.as_ref())?;
        let DialectOutput { mut catalog, mut api, restrictions, roles: own_roles, messages } = made;
        source.add_statistics(&mut catalog).await;
        if roles.is_some() && AccessRules::are_needed(&catalog, &restrictions) {
            return Err(OpenError::PoliciesAndRules);
        }
        let roles = match (roles, own_roles) {
            (Some(_), Some(_)) => return Err(OpenError::PoliciesAndPermissions),
            (roles, own_roles) => roles.or(own_roles),
        };
        let access = AccessRules::new(&catalog, roles, restrictions);
        let resolvers = Resolvers::open(&api, options.resolvers.as_ref()).await?;
        let direct = options.source.direct_address(address);
        let action_calls = ActionCalls::open(&api, &direct, options.source.timeouts)?;
        let called = options.source.called.as_ref();
        let topics = called.map(|name| TopicAuthorization::new(&source, &catalog, name));
        let topics = topics.transpose().map_err(OpenError::Topics)?;
        if options.live.has_directive {
            api = add_live_directive(api);
        }
        if options.has_defer {
            api = add_defer_directive(api);
        }
        if options.cache.has_directive {
            api = add_cached_directive(api);
        }
        api.schema.suggests_names = options.limits.introspection;
        let validator = Validator::new(&api.schema);
        let live = Live::new(options.live.clone(), topics);
        let catalog = Arc::new(catalog);
        let shared = match &options.cache.store {
            Some(store) => {
                let database = source.identity().await.map_err(OpenError::Identity)?;
                database.map(|own| {
                    live.hub.keep_journal(Journal::new(Arc::clone(&catalog)));
                    let database = format!("{own} {}", address.redacted());
                    SharedAnswers::new(&live.hub, store, database)
                })
            }
            None => None,
        };
        let cache = AnswerCache::new(&options.cache, &api.schema, &live.hub, shared)?;
        let cache = cache.map(Arc::new);
        let mut engine = Self {
            source,
            address: OwnAddress(address.clone()),
            direct: OwnAddress(direct.into_owned()),
            catalog,
            api,
            validator,
            limits: options.limits.clone(),
            access,
            documents: DocumentCache::new(),
            connections: options.connections,
            messages: Messages::new(options.errors.clone(), messages),
            dialect: options.dialect.name(),
            error_form: options.dialect.error_form(),
            resolvers,
            action_calls,
            raw_statements: raw_statements(address, options),
            live,
            cache,
            records_sessions: event_session::is_recorded(&options.dialect),
            further,
            webhooks: None,
        };
        engine.webhooks = engine.check_webhooks(&options.webhooks)?;
        Ok(Arc::new(engine))
    }

    /// The triggers whose events a change records that may write these entities.
    pub(crate) fn recorders(&self, written: &Written) -> Option<&Arc<EventRecorders>> {
        let recorders = &self.webhooks.as_ref()?.recorders;
        recorders.entities().any(|entity| written.contains(entity)).then_some(recorders)
    }

    /// True if the API has asynchronous actions: a server has to deliver their calls.
    #[must_use]
    pub fn has_async_actions(&self) -> bool {
        self.action_calls.is_some()
    }

    /// Creates the log of asynchronous actions if it is missing.
    pub async fn create_action_log(&self) -> Result<(), ActionCallsError> {
        match &self.action_calls {
            Some(calls) => Ok(calls.log.create().await?),
            None => Ok(()),
        }
    }

    /// The access set of a session; `None` if there are no access rules.
    pub(crate) fn access_set(
        &self,
        session: &Session,
    ) -> Result<Option<Arc<AccessSet>>, Vec<GraphQLError>> {
        let Some(rules) = &self.access else { return Ok(None) };
        let set = rules.set(&self.catalog, session.claims.as_deref());
        set.map(Some).map_err(|refusal| vec![session_refused(refusal)])
    }

    /// The schema as the role of a session sees it.
    pub(crate) fn view(&self, session: &Session) -> Result<SessionView<'_>, Vec<GraphQLError>> {
        let (schema, views) = (&self.api.schema, &self.api.role_views);
        let roles = self.roles().filter(|_| !views.is_empty());
        let Some(roles) = roles else { return Ok(schema.into()) };
        let role = roles.role(session.claims.as_deref());
        let role = role.map_err(|refusal| vec![session_refused(refusal)])?;
        let found = views.find(&role.name).and_then(|id| Some((id, views.get(id)?)));
        match found {
            Some((id, visibility)) => {
                Ok(SessionView { schema: View::new(schema, Some(visibility)), id: Some(id) })
            }
            None if role.is_superuser => Ok(schema.into()),
            None => Err(vec![session_refused(SessionRefusal::UnknownRole)]),
        }
    }

    /// The schema as a role sees it, as SDL; `None` if there is no role of the name with a view of its
    /// own.
    #[must_use]
    pub fn sdl_of_role(&self, role: &str) -> Option<String> {
        let views = &self.api.role_views;
        // The view of unknown roles has no name.
        let id = views.find(role).filter(|_| !role.is_empty())?;
        let visibility = views.get(id)?;
        Some(graphql::print_schema(View::new(&self.api.schema, Some(visibility))))
    }

    /// The names of the roles with permissions, sorted.
    #[must_use]
    pub fn role_names(&self) -> Vec<&str> {
        self.api.role_views.names()
    }

    /// The roles of a policy file.
    pub(crate) fn roles(&self) -> Option<&Roles> {
        self.access.as_ref()?.roles()
    }

    /// Whether a session has every right: without roles, each of them has.
    #[must_use]
    pub fn is_superuser(&self, session: &Session) -> bool {
        let Some(roles) = self.roles() else { return true };
        roles.role(session.claims.as_deref()).is_ok_and(|role| role.is_superuser)
    }

    /// The schemas and the names of the tables and views of the source.
    pub fn tables(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        let tables = self.catalog.entities().filter(|entity| entity.labels.is_empty());
        tables.map(|entity| (entity.namespace.as_deref(), &*entity.name))
    }

    /// The claim that names the role, where there are policies.
    #[must_use]
    pub fn claim_role(&self) -> Option<&str> {
        self.roles().map(Roles::claim)
    }

    /// Returns true if rules of type definitions restrict access.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        self.access.as_ref().is_some_and(|rules| rules.has_restrictions())
    }

    /// The dialect of the API.
    #[must_use]
    pub fn dialect(&self) -> DialectName {
        self.dialect
    }

    /// Whether policies restrict access.
    #[must_use]
    pub fn has_policies(&self) -> bool {
        self.roles().is_some()
    }

    /// Whether the source checks permissions by the role and the settings of a session.
    #[must_use]
    pub fn has_roles(&self) -> bool {
        self.source.has_roles()
    }

    /// The state of reads from replicas; `None` without replicas.
    #[must_use]
    pub fn reads(&self) -> Option<ReadStatus> {
        self.source.reads()
    }

    /// Whether answers depend on claims of the session.
    #[must_use]
    pub fn knows_claims(&self) -> bool {
        let mut statements = self.catalog.functions().filter_map(|one| one.statement.as_ref());
        self.access.is_some()
            || self.has_roles()
            || statements.any(|one| one.parts.contains(&StatementPart::Claims))
    }

    /// Headers of clients that other servers receive; none without requests to other servers.
    #[must_use]
    pub fn read_headers(&self) -> Option<&ReadHeaders> {
        Some(&self.resolvers.as_ref()?.read_headers)
    }

    /// Figures of the requests to other servers, by field.
    #[must_use]
    pub fn resolver_statistics(&self) -> Vec<FieldStatistics> {
        self.resolvers.as_ref().map(Resolvers::statistics).unwrap_or_default()
    }

    /// Numbers of running subscriptions.
    #[must_use]
    pub fn live_counts(&self) -> Counts {
        self.live.hub.counts()
    }

    /// The work that a task has to do, if a request was not cached because nobody does it; of further
    /// sources, too.
    pub fn cache_feeds(&self) -> impl Iterator<Item = CacheFeed> {
        self.with_further().filter_map(Self::cache_feed)
    }

    /// The engine, and those of its further sources.
    fn with_further(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.further.iter().map(|further| &*further.engine))
    }

    fn cache_feed(&self) -> Option<CacheFeed> {
        let claim = self.cache.as_ref()?.claim_feed()?;
        let options = self.live.options.clone();
        let changes = self.source.changes(options.relay.clone());
        Some(CacheFeed { claim, changes, catalog: Arc::clone(&self.catalog), options })
    }

    /// Frees the memory of cached answers that changes have invalidated.
    pub fn sweep_cache(&self) {
        for cache in self.with_further().filter_map(|engine| engine.cache.as_ref()) {
            cache.sweep();
        }
    }

    /// Figures of the cache of answers, with those of further sources; `None` without one.
    #[must_use]
    pub fn cache_counts(&self) -> Option<CacheCounts> {
        let caches = self.with_further().filter_map(|engine| engine.cache.as_deref());
        caches.map(AnswerCache::counts).reduce(CacheCounts::plus)
    }

    /// Numbers of subscriptions to events.
    #[must_use]
    pub fn listener_counts(&self) -> ListenerCounts {
        self.live.listeners.counts() + self.live.events.counts()
    }

    /// The form of errors in responses.
    #[must_use]
    pub fn error_form(&self) -> ErrorForm {
        self.error_form
    }

    /// Whether the source is an SQLite file.
    pub(crate) fn is_sqlite(&self) -> bool {
        matches!(self.address.0, Address::Sqlite(_))
    }

    /// The schema of the API.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.api.schema
    }

    /// Limits of one request.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Validates a document; returns its errors, if there are any.
    pub fn check_document(&self, text: &str) -> Result<(), Vec<GraphQLError>> {
        self.validator.check(&self.api.schema, text, &self.limits.document)
    }

    /// The schema of the API as SDL.
    #[must_use]
    pub fn sdl(&self) -> String {
        graphql::print_schema(&self.api.schema)
    }

    /// The schema as a role sees it, as SDL; `None` without such a role.
    #[must_use]
    pub fn sdl_for_role(&self, role: &str) -> Option<String> {
        let (schema, views) = (&self.api.schema, &self.api.role_views);
        let known = self.roles()?.find(role).filter(|_| !role.is_empty())?;
        match views.find(role).and_then(|id| views.get(id)) {
            Some(visibility) => Some(graphql::print_schema(View::new(schema, Some(visibility)))),
            None => (views.is_empty() || known.is_superuser).then(|| self.sdl()),
        }
    }

    /// The schema with its federation directives, and without the fields that routers select of a
    /// subgraph; `None` if the API is no subgraph.
    #[must_use]
    pub fn subgraph_sdl(&self) -> Option<&str> {
        self.api.subgraph_sdl.as_deref()
    }

    /// Permissions that roles do not inherit.
    #[must_use]
    pub fn uninherited(&self) -> &[Uninherited] {
        &self.api.uninherited
    }

    /// Parts of the source that the catalog and the API cannot represent, with remedies.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        let own = self.catalog.notes().iter().chain(&self.api.notes);
        let further = self.further.iter().map(|further| &*further.engine);
        own.chain(further.flat_map(|one| one.catalog.notes().iter().chain(&one.api.notes)))
    }
}
