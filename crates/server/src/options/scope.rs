//! Scopes of options: the sources and dialects for which they have a meaning, and the options that they
//! need.
//!
//! The options of a dialect have its scope; each other option of `thalweg serve`, `thalweg gateway` and
//! `thalweg explain` is in one row of [`OPTIONS`]. A test walks all of them over all sources and dialects,
//! and over gateways with and without sources in their processes. An option that is given outside its
//! scope is refused when the command starts, with a remedy in the message.

use std::sync::LazyLock;

use clap::Args;
use dialects::DialectName;
use engine::SourceAddress;

use super::address::Address;
use super::allow_list::AllowListOptions;
use super::connection_filter::ConnectionFilterOptions;
use super::dgraph::DgraphOptions;
use super::events::EventOptions;
use super::given::{GivenOptions, names_of};
use super::hasura::HasuraOptions;
use super::hasura_auth::HasuraAuthOptions;
use super::neo4j::Neo4jOptions;
use super::phrag::PhragOptions;
use super::postgraphile::PostGraphileOptions;
use super::prisma::PrismaOptions;
use super::prisma_api::PrismaApiOptions;
use super::serving::ServingOptions;
use crate::collector::Signal;
use crate::failure::Failure;

/// The kinds of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceKind {
    Sqlite,
    Postgres,
    Neo4j,
}

/// The API that options are given for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) source: SourceKind,
    pub(crate) dialect: DialectName,
    /// Whether policies use the claims of tokens, besides the roles of PostgreSQL.
    pub(crate) has_policies: bool,
    /// True if type definitions have rules or keys for tokens.
    pub(crate) has_rules: bool,
    /// Whether unauthenticated requests are refused.
    pub(crate) requires_token: bool,
}

/// The sources in the process of a gateway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LocalSources {
    pub(crate) has_sqlite: bool,
    pub(crate) has_postgres: bool,
    pub(crate) has_neo4j: bool,
    /// Whether one of them has a policy file.
    pub(crate) has_policies: bool,
}

/// The scope of an option. Texts are remedies for targets outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Everywhere,
    /// Sources of any kind.
    Sources(&'static str),
    /// Gateways.
    Supergraph,
    Dialect(DialectName),
    /// An option of a dialect for objects that only PostgreSQL has.
    DialectOnPostgres(DialectName),
    /// Dialects of which other servers may give fields.
    Resolvers,
    /// Dialects other than these, each with what it has instead.
    OtherDialects(&'static [(DialectName, &'static str)]),
    /// PostgreSQL.
    Postgres(&'static str),
    /// The role and the settings of a PostgreSQL session.
    PostgresSession(&'static str),
    /// Databases that are servers, not SQLite files.
    Servers(&'static str),
    /// Databases with tables, not graphs.
    Tables(&'static str),
    /// Targets that use tokens.
    Tokens,
    /// Targets that use roles: PostgreSQL, or policies.
    Roles,
    /// Targets that use the claims of tokens.
    Claims,
    /// Targets with policies.
    Policies,
    /// Databases that measure statements, and gateways, which measure fetches.
    Figures,
    /// Sources with live queries, also in the process of a gateway.
    Live,
    /// PostgreSQL, where it has live queries.
    LivePostgres,
    /// SQLite, and the dialect phrag on any source.
    SqliteOrPhrag,
    /// SQLite.
    Sqlite(&'static str),
}

const LEAVE_OUT: &str = "leave it out";
const POLICY_ROLES: &str = "unauthenticated requests have the `default_role` of the file of \
                            `--policies`";
const CLAIM_ROLE: &str = "`claim_role` in the file of `--policies` names the claim of the role";

const LIVE_TYPES: &str = "`@withSubscription` of its type definitions declares subscriptions";
const NO_BINARY: &str =
    "its API has no binary values, which files would be; keep addresses of files";
const SUBGRAPH_CONNECTIONS: &str = "`--subgraph-connections` is for subgraphs over HTTP";
const SUBGRAPH_CONNECT_TIMEOUT: &str = "`--subgraph-connect-timeout` is for subgraphs over HTTP";
const CACHE: &str = "a gateway does not cache the answers of its sources";
const SUBGRAPH_ERRORS: &str = "`--subgraph-errors` is for errors of subgraphs";
const SUBGRAPH_PATTERNS: &str = "servers limit the patterns that they match";

/// A dialect with the names of its options.
type DialectOptions = (DialectName, fn() -> Vec<String>);

/// The options of each dialect.
const DIALECTS: [DialectOptions; 11] = [
    (DialectName::Postgraphile, names_of::<PostGraphileOptions>),
    (DialectName::Postgraphile, names_of::<ConnectionFilterOptions>),
    (DialectName::Neo4j, names_of::<Neo4jOptions>),
    (DialectName::Phrag, names_of::<PhragOptions>),
    (DialectName::Dgraph, names_of::<DgraphOptions>),
    (DialectName::Prisma, names_of::<PrismaApiOptions>),
    (DialectName::Prisma, names_of::<PrismaOptions>),
    (DialectName::Hasura, names_of::<HasuraOptions>),
    (DialectName::Hasura, names_of::<AllowListOptions>),
    (DialectName::Hasura, names_of::<HasuraAuthOptions>),
    (DialectName::Hasura, names_of::<EventOptions>),
];

/// Options of dialects for objects that only PostgreSQL has.
const ON_POSTGRES: [&str; 10] = [
    "connection-filter-arrays",
    "connection-filter-computed-columns",
    "connection-filter-setof-functions",
    "geometric-types",
    "network-scalars",
    "include-extension-resources",
    "jwt-token-identifier",
    "simple-subscriptions",
    "subscription-authorization-function",
    "subscriptions-file",
];

/// All other options by their long names.
const OPTIONS: &[(Scope, &[&str])] = &[
    (
        Scope::Resolvers,
        &[
            "custom-hosts",
            "custom-networks",
            "custom-ca",
            "custom-timeout",
            "custom-connections",
            "max-custom-requests",
            "max-custom-calls",
            "max-custom-answer",
        ],
    ),
    (
        Scope::Everywhere,
        &[
            "config",
            "log",
            "log-format",
            "dialect",
            "federation",
            "federation-extend",
            "federation-prefix",
        ],
    ),
    (Scope::Everywhere, &["listen", "unix-socket-mode", "threads", "drain-timeout", "drain-delay"]),
    (Scope::Everywhere, &["max-clients", "max-header-size", "keep-alive-timeout", "stall-timeout"]),
    (Scope::Everywhere, &["http2", "http2-max-streams"]),
    (Scope::Everywhere, &["socket-init-timeout", "ping-interval", "max-socket-operations"]),
    (Scope::LivePostgres, &["live-feed", "live-relay"]),
    (Scope::Live, &["live-interval", "live-directive"]),
    (Scope::Everywhere, &["defer-directive"]),
    (Scope::Everywhere, &["tls-certificate", "tls-key", "tls-client-ca"]),
    (Scope::Everywhere, &["request-timeout", "header-timeout", "body-timeout"]),
    (Scope::Sources(SUBGRAPH_CONNECTIONS), &["connections"]),
    (Scope::Sources(LEAVE_OUT), &["acquire-timeout"]),
    (Scope::Sources(SUBGRAPH_PATTERNS), &["max-pattern-length", "max-pattern-wildcards"]),
    (
        Scope::Sources(SUBGRAPH_ERRORS),
        &["show-constraints", "show-database-errors", "extended-errors", "error-message"],
    ),
    (
        Scope::Everywhere,
        &["max-body-size", "max-response-size", "max-tokens", "max-depth", "max-aliases"],
    ),
    (
        Scope::Everywhere,
        &["max-root-fields", "max-fields", "max-directives", "max-directives-per-place"],
    ),
    (Scope::Everywhere, &["max-fragments", "max-variables", "max-operations", "max-json-depth"]),
    (Scope::Everywhere, &["max-json-values", "max-cost", "default-list-size", "cost-mode"]),
    (
        Scope::Everywhere,
        &["max-requests", "max-queue", "queue-timeout", "response-memory", "request-memory"],
    ),
    (Scope::Everywhere, &["rate-limit", "trusted-proxies", "rate-limit-store"]),
    (Scope::Everywhere, &["rate-limit-store-timeout", "rate-limit-failure"]),
    (Scope::Sources(CACHE), &["cache", "cache-size", "cache-directive", "cache-http"]),
    (
        Scope::Postgres("answers of other sources stay in the memory of the server"),
        &["cache-store", "cache-store-timeout"],
    ),
    (Scope::Everywhere, &["dev", "introspection", "graphiql", "explain", "allowed-hosts"]),
    (Scope::Everywhere, &["log-requests", "slow-query", "server-timing", "metrics-listen"]),
    (
        Scope::Everywhere,
        &["metrics-operations", "otlp-endpoint", "otlp-signals", "otlp-metrics-interval"],
    ),
    (Scope::Everywhere, &["trace-ratio"]),
    (
        Scope::Everywhere,
        &["hive-usage-token", "hive-usage-target", "hive-usage-endpoint", "hive-usage-sample-rate"],
    ),
    (Scope::Everywhere, &["compression", "compression-min-size"]),
    (Scope::Everywhere, &["allowed-origins", "cors-origins", "cors-credentials", "cors-max-age"]),
    (Scope::Everywhere, &["apq", "apq-cache-size", "trusted-documents", "only-trusted"]),
    (Scope::Everywhere, &["batching", "max-batch", "require-token"]),
    (
        Scope::Everywhere,
        &["hook-request", "hook-response", "hook-timeout", "hook-failure", "hook-send"],
    ),
    (Scope::Everywhere, &["mcp", "mcp-tools", "mcp-documents", "mcp-mutations"]),
    (Scope::Postgres(LEAVE_OUT), &["schema", "shared-connections", "direct-url"]),
    (
        Scope::Postgres("other sources have no replicas"),
        &["read-url", "read-wait", "read-without-replica", "read-your-writes"],
    ),
    (
        Scope::Postgres("use `--policies`, which defines the permissions of each role"),
        &["no-ignore-rbac"],
    ),
    (Scope::PostgresSession(POLICY_ROLES), &["default-role"]),
    (Scope::PostgresSession(CLAIM_ROLE), &["jwt-role"]),
    (Scope::PostgresSession("all claims are available without it"), &["jwt-claims"]),
    (
        Scope::PostgresSession("other sources have no settings"),
        &["jwt-claims-setting", "pg-setting", "pg-setting-header"],
    ),
    (Scope::Servers(SUBGRAPH_CONNECT_TIMEOUT), &["connect-timeout"]),
    (Scope::Servers(LEAVE_OUT), &["database-idle-timeout"]),
    (
        Scope::Tables("authorization of a graph is in its type definitions, by `@authorization`"),
        &["policies"],
    ),
    (Scope::Tables("the type definitions of a graph have its names"), &["prisma"]),
    (Scope::Tables("a graph has one transaction for a request"), &["mutation-transactions"]),
    (Scope::Tables("SIGHUP reloads the type definitions of a graph"), &["watch"]),
    (Scope::Tables("a graph is no database of Dgraph's definitions"), &["data"]),
    (Scope::Tables("`--data` names the database of type definitions"), &["apply-migrations"]),
    (
        Scope::OtherDialects(&[
            (DialectName::Dgraph, LIVE_TYPES),
            (DialectName::Hasura, "each of its queries is a live query as well"),
            (DialectName::Prisma, LEAVE_OUT),
        ]),
        &["live"],
    ),
    (
        Scope::OtherDialects(&[
            (DialectName::Dgraph, NO_BINARY),
            (DialectName::Neo4j, NO_BINARY),
            (DialectName::Prisma, NO_BINARY),
        ]),
        &["uploads", "max-upload-size", "max-upload-files", "max-upload-body-size"],
    ),
    (Scope::SqliteOrPhrag, &["bigint"]),
    (Scope::Sqlite("other sources have the type of each column"), &["stored-as"]),
    (
        Scope::Sqlite("PostgreSQL has `synchronous_commit`, and graphs their own settings"),
        &["durability"],
    ),
    (
        Scope::Tokens,
        &[
            "jwt-secret",
            "jwt-public-key",
            "jwt-jwks",
            "jwt-jwks-max-stale",
            "jwt-verify-algorithms",
        ],
    ),
    (
        Scope::Tokens,
        &["jwt-verify-audience", "jwt-verify-issuer", "jwt-verify-subject", "jwt-verify-id"],
    ),
    (
        Scope::Tokens,
        &["jwt-verify-clock-tolerance", "jwt-max-age", "jwt-require-claims", "jwt-cookie"],
    ),
    (
        Scope::Supergraph,
        &[
            "supergraph-poll",
            "supergraph-header",
            "supergraph-copy",
            "uplink-key",
            "uplink-endpoints",
            "hive-key",
            "hive-endpoints",
            "override-labels",
            "override-label-header",
            "override-label-claim",
        ],
    ),
    (
        Scope::Supergraph,
        &[
            "s3-endpoint",
            "s3-region",
            "s3-access-key-id",
            "s3-secret-access-key",
            "s3-session-token",
            "s3-addressing",
        ],
    ),
    (Scope::Supergraph, &["scope-claim", "policy-claim", "unauthorized", "expose-plan"]),
    (
        Scope::Supergraph,
        &["subgraphs", "subgraph-timeout", "subgraph-connect-timeout", "subgraph-connections"],
    ),
    (
        Scope::Supergraph,
        &["max-subgraph-requests", "max-subgraph-answer", "subgraph-errors", "entity-store"],
    ),
    (Scope::Supergraph, &["deduplicate-subgraph-requests", "max-representations"]),
    (
        Scope::Supergraph,
        &[
            "subgraph-cache",
            "subgraph-cache-memory",
            "subgraph-cache-timeout",
            "subgraph-cache-ttl",
        ],
    ),
    (Scope::Supergraph, &["subgraph-cache-user", "subgraph-cache-secret"]),
    (Scope::Supergraph, &["callback-url", "callback-path", "callback-listen"]),
    (Scope::Everywhere, &["variables", "operation"]),
    (Scope::Roles, &["role"]),
    (Scope::Claims, &["claims"]),
    (Scope::Policies, &["row"]),
    (Scope::Figures, &["analyze"]),
];

/// Options that a dialect refuses, each with what it has instead.
const NOT_IN_DIALECT: [(DialectName, &str, &str); 8] = [
    (DialectName::Hasura, "require-token", "`--admin-secret` makes credentials necessary"),
    (
        DialectName::Hasura,
        "default-role",
        "`--unauthorized-role` is the role of requests without credentials",
    ),
    (DialectName::Hasura, "jwt-role", "tokens name the role as those of Hasura do"),
    (DialectName::Hasura, "jwt-claims", NO_SETTINGS),
    (DialectName::Hasura, "jwt-claims-setting", NO_SETTINGS),
    (DialectName::Dgraph, "prisma", "its type definitions name the tables"),
    (DialectName::Dgraph, "mutation-transactions", TRANSACTIONS),
    (DialectName::Prisma, "mutation-transactions", TRANSACTIONS),
];

const NO_SETTINGS: &str = "session variables are no settings of PostgreSQL";
const TRANSACTIONS: &str = "each root field of a mutation has a transaction of its own";

/// All options with their scopes.
static SCOPES: LazyLock<Vec<(String, Scope)>> = LazyLock::new(|| {
    let rows = OPTIONS
        .iter()
        .flat_map(|(scope, names)| names.iter().map(|name| ((*name).to_owned(), *scope)));
    let dialects = DIALECTS.iter().flat_map(|(dialect, names)| {
        let scope = |name: &String| match ON_POSTGRES.contains(&name.as_str()) {
            true => Scope::DialectOnPostgres(*dialect),
            false => Scope::Dialect(*dialect),
        };
        names().into_iter().map(move |name| {
            let scope = scope(&name);
            (name, scope)
        })
    });
    rows.chain(dialects).collect()
});

/// An option of a server, with the option that it needs, and whether that one is given.
type Need = (&'static str, &'static str, fn(&ServingOptions) -> bool);

const NEEDS: &[Need] = &[
    ("cors-max-age", "`--cors-origins`", |serving| !serving.origins.cors_origins.is_empty()),
    ("apq-cache-size", "`--apq true`", |serving| serving.persisted.apq),
    ("max-batch", "`--batching`", |serving| serving.persisted.batching),
    ("max-upload-size", "`--uploads`", |serving| serving.uploads.uploads),
    ("max-upload-files", "`--uploads`", |serving| serving.uploads.uploads),
    ("max-upload-body-size", "`--uploads`", |serving| serving.uploads.uploads),
    ("hook-timeout", NEEDS_HOOK, has_hook),
    ("hook-failure", NEEDS_HOOK, has_hook),
    ("hook-send", NEEDS_HOOK, has_hook),
    ("mcp-tools", "`--mcp`", |serving| serving.mcp.mcp),
    ("mcp-documents", "`--mcp`", |serving| serving.mcp.mcp),
    ("mcp-mutations", "`--mcp`", |serving| serving.mcp.mcp),
    ("metrics-operations", "`--metrics-listen`, or metrics in `--otlp-signals`", |serving| {
        let observability = &serving.observability;
        observability.metrics_listen.is_some() || observability.sends(Signal::Metrics)
    }),
    ("otlp-metrics-interval", "`--otlp-endpoint`, and metrics in `--otlp-signals`", |serving| {
        serving.observability.sends(Signal::Metrics)
    }),
    ("trace-ratio", "`--otlp-endpoint`, and traces in `--otlp-signals`", |serving| {
        serving.observability.sends(Signal::Traces)
    }),
    ("cache-store-timeout", "`--cache-store`", |serving| serving.cache.cache_store.is_some()),
    ("rate-limit-store", "`--rate-limit`", |serving| !serving.rates.rate_limit.is_empty()),
    ("rate-limit-store-timeout", "`--rate-limit-store`", shares_rates),
    ("rate-limit-failure", "`--rate-limit-store`", shares_rates),
    ("hive-usage-target", "`--hive-usage-token`", reports_usage),
    ("hive-usage-endpoint", "`--hive-usage-token`", reports_usage),
    ("hive-usage-sample-rate", "`--hive-usage-token`", reports_usage),
    ("unix-socket-mode", "an address `unix:PATH` in `--listen`", |serving| {
        serving.listen.iter().any(Address::is_unix)
    }),
    ("jwt-jwks-max-stale", "`--jwt-jwks`", |serving| !serving.auth.jwt_jwks.is_empty()),
    ("compression-min-size", "a `--compression` other than `off`", |serving| {
        !serving.compression.compression.0.is_empty()
    }),
];

const NEEDS_HOOK: &str = "`--hook-request` or `--hook-response`";

fn has_hook(serving: &ServingOptions) -> bool {
    serving.hooks.hook_request.is_some() || serving.hooks.hook_response.is_some()
}

fn shares_rates(serving: &ServingOptions) -> bool {
    serving.rates.rate_limit_store.is_some()
}

fn reports_usage(serving: &ServingOptions) -> bool {
    serving.hive.hive_usage_token.is_some()
}

/// Refuses options of a server that have no effect without another one.
pub(super) fn check_needs(given: &GivenOptions, serving: &ServingOptions) -> Result<(), Failure> {
    let missing =
        NEEDS.iter().filter(|(name, _, is_there)| given.contains(name) && !is_there(serving));
    let texts: Vec<_> =
        missing.map(|(name, needed, _)| format!("`--{name}` needs {needed}")).collect();
    match texts.is_empty() {
        true => Ok(()),
        false => Err(Failure::Usage(texts.join("\nerror: "))),
    }
}

/// Refuses all options of a group, for a source for which none of them has a meaning.
pub(crate) fn refuse_group<Group: Args>(given: &GivenOptions, what: &str) -> Result<(), Failure> {
    match given.first_of::<Group>() {
        Some(name) => Err(Failure::Usage(format!("`--{name}` is for {what}"))),
        None => Ok(()),
    }
}

/// Refusals of given options that have no meaning for an API.
pub(crate) fn out_of_scope(given: &GivenOptions, target: Target) -> Vec<String> {
    refusals(given, |name, scope| refusal(name, scope, target))
}

/// Refusals of given options that have no meaning for a gateway with these sources in its process.
pub(crate) fn out_of_gateway(given: &GivenOptions, sources: LocalSources) -> Vec<String> {
    refusals(given, |name, scope| refusal_of_gateway(name, scope, sources))
}

/// Refuses given options that have no meaning for a gateway.
pub(crate) fn check_for_gateway(
    given: &GivenOptions,
    sources: LocalSources,
) -> Result<(), Failure> {
    match out_of_gateway(given, sources).as_slice() {
        [] => Ok(()),
        refusals => Err(Failure::Usage(refusals.join("\nerror: "))),
    }
}

/// The refusal of one option for an API.
pub(crate) fn refusal_for(name: &str, target: Target) -> Option<String> {
    let (name, scope) = SCOPES.iter().find(|(known, _)| known == name)?;
    refusal(name, *scope, target)
}

fn refusals(given: &GivenOptions, refusal: impl Fn(&str, Scope) -> Option<String>) -> Vec<String> {
    let given = SCOPES.iter().filter(|(name, _)| given.contains(name));
    given.filter_map(|(name, scope)| refusal(name, *scope)).collect()
}

fn refusal(name: &str, scope: Scope, target: Target) -> Option<String> {
    let Target { source, dialect, has_policies, has_rules, requires_token } = target;
    let needs_dialect =
        |wanted: DialectName| format!("`--{name}` needs `--dialect {}`", wanted.name());
    let own = NOT_IN_DIALECT.iter().find(|(of, own, _)| (*of, *own) == (dialect, name));
    let own = own.map(|(_, _, instead)| *instead);
    let of_tokens = (dialect == DialectName::Hasura && scope == Scope::Tokens)
        .then_some("`--jwt-config` has the settings of tokens");
    if let Some(instead) = own.or(of_tokens) {
        let dialect = dialect.name();
        return Some(format!("`--{name}` is not for `--dialect {dialect}`: {instead}"));
    }
    // Webhooks of Prisma's subscriptions are delivered as events of Hasura's triggers are.
    if dialect == DialectName::Prisma
        && matches!(name, "events" | "events-concurrency" | "events-interval")
    {
        return None;
    }
    // A datamodel of Prisma is given as the type definitions of a graph are.
    if (dialect, name) == (DialectName::Prisma, "types") {
        return None;
    }
    match scope {
        Scope::Everywhere | Scope::Sources(_) | Scope::Live => None,
        Scope::LivePostgres => (source != SourceKind::Postgres).then(|| {
            format!("`--{name}` is for PostgreSQL, and {} has no stream of changes: {LEAVE_OUT}", source.name())
        }),
        Scope::Supergraph => Some(format!(
            "`--{name}` is for a supergraph, and the source is a database: {LEAVE_OUT}"
        )),
        Scope::Dialect(wanted) | Scope::DialectOnPostgres(wanted) if wanted != dialect => {
            Some(needs_dialect(wanted))
        }
        Scope::Dialect(_) => None,
        Scope::Resolvers => match dialect {
            DialectName::Dgraph | DialectName::Hasura => None,
            DialectName::Postgraphile
            | DialectName::Phrag
            | DialectName::Neo4j
            | DialectName::Prisma => Some(format!(
                "`--{name}` is for fields that other servers give, of `--dialect dgraph` and \
                 `--dialect hasura`: {LEAVE_OUT}"
            )),
        },
        Scope::OtherDialects(others) => {
            let other = others.iter().find(|(other, _)| *other == dialect);
            other.map(|(other, instead)| {
                format!("`--{name}` is not for `--dialect {}`: {instead}", other.name())
            })
        }
        Scope::DialectOnPostgres(_) => (source != SourceKind::Postgres)
            .then(|| format!("`--{name}` is for PostgreSQL, and the source is {}: {LEAVE_OUT}", source.name())),
        Scope::Postgres(instead) | Scope::PostgresSession(instead) => (source != SourceKind::Postgres)
            .then(|| format!("`--{name}` is for PostgreSQL, and the source is {}: {instead}", source.name())),
        Scope::Servers(_) => (source == SourceKind::Sqlite).then(|| {
            format!("`--{name}` is for databases that are servers, and the source is an SQLite file: {LEAVE_OUT}")
        }),
        Scope::Tables(instead) => (source == SourceKind::Neo4j)
            .then(|| format!("`--{name}` is not for a graph: {instead}")),
        Scope::Tokens => {
            let decides =
                source != SourceKind::Sqlite || has_policies || has_rules || requires_token;
            (!decides).then(|| {
                format!(
                    "`--{name}` has no effect on SQLite by itself: `--policies` defines the permissions of \
                     roles, and `--require-token` refuses unauthenticated requests"
                )
            })
        }
        Scope::Roles => match source {
            SourceKind::Postgres => None,
            // Metadata has roles, and without it there is the role `admin`.
            SourceKind::Sqlite => (!has_policies && dialect != DialectName::Hasura)
                .then(|| format!("`--{name}` needs `--policies`: an SQLite file has no roles")),
            SourceKind::Neo4j => Some(format!(
                "`--{name}` is not for a graph: rules of type definitions use claims, which `--claims` sets"
            )),
        },
        Scope::Claims => (source == SourceKind::Sqlite && !has_policies && !has_rules)
            .then(|| format!("`--{name}` needs `--policies`: an SQLite file has no authentication")),
        Scope::Policies => match source {
            SourceKind::Neo4j => Some(format!("`--{name}` is not for a graph: it explains policies")),
            SourceKind::Sqlite | SourceKind::Postgres => {
                (!has_policies).then(|| format!("`--{name}` needs `--policies`"))
            }
        },
        Scope::Figures => (source == SourceKind::Sqlite).then(|| {
            format!("`--{name}` is for PostgreSQL and graphs: SQLite does not measure statements")
        }),
        Scope::Sqlite(reason) => (source != SourceKind::Sqlite).then(|| {
            format!("`--{name}` is for SQLite, and the source is {}: {reason}", source.name())
        }),
        Scope::SqliteOrPhrag => match (source, dialect) {
            (SourceKind::Sqlite, _) | (SourceKind::Postgres, DialectName::Phrag) => None,
            (SourceKind::Postgres | SourceKind::Neo4j, _) => Some(needs_dialect(DialectName::Phrag)),
        },
    }
}

fn refusal_of_gateway(name: &str, scope: Scope, sources: LocalSources) -> Option<String> {
    let LocalSources { has_sqlite, has_postgres, has_neo4j, has_policies } = sources;
    let no_postgres = |instead: &str| {
        format!("`--{name}` is for PostgreSQL, which no `source` of `--subgraphs` is: {instead}")
    };
    let no_source = |instead: &str| {
        (!has_sqlite && !has_postgres && !has_neo4j).then(|| {
            format!("`--{name}` is for databases in the gateway's process, and no subgraph has a `source` in `--subgraphs`: {instead}")
        })
    };
    match scope {
        // Gateways have options of the same names, such as `--watch`.
        Scope::Everywhere
        | Scope::Supergraph
        | Scope::Tokens
        | Scope::Claims
        | Scope::Figures
        | Scope::Tables(_) => None,
        Scope::Sources(instead) => no_source(instead),
        Scope::Live => no_source(LEAVE_OUT),
        Scope::Servers(instead) => (!has_postgres && !has_neo4j).then(|| {
            format!("`--{name}` is for databases that are servers, which no `source` of `--subgraphs` is: {instead}")
        }),
        Scope::Postgres(_) | Scope::LivePostgres => {
            (!has_postgres).then(|| no_postgres(LEAVE_OUT))
        }
        Scope::PostgresSession(_) => (!has_postgres)
            .then(|| no_postgres("subgraphs over HTTP get the caller by `headers` there")),
        Scope::Roles => (!has_postgres && !has_policies).then(|| {
            format!(
                "`--{name}` needs a `source` of `--subgraphs` that is PostgreSQL or has `policies`: other \
                 claims of a token are for `--claims`"
            )
        }),
        Scope::Dialect(_)
        | Scope::Resolvers
        | Scope::DialectOnPostgres(_)
        | Scope::OtherDialects(_)
        | Scope::Policies
        | Scope::Sqlite(_)
        | Scope::SqliteOrPhrag => Some(format!(
            "`--{name}` is for a database, and the source is a supergraph: {LEAVE_OUT}"
        )),
    }
}

impl SourceKind {
    pub(crate) const ALL: [Self; 3] = [Self::Sqlite, Self::Postgres, Self::Neo4j];

    pub(crate) fn of(address: &SourceAddress) -> Self {
        match address {
            SourceAddress::Sqlite(_) => Self::Sqlite,
            SourceAddress::Postgres(_) => Self::Postgres,
            SourceAddress::Neo4j(_) => Self::Neo4j,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "an SQLite file",
            Self::Postgres => "PostgreSQL",
            Self::Neo4j => "a graph",
        }
    }
}

#[cfg(test)]
mod tests;
