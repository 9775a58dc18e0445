//! Where an option has a meaning: on which sources, in which dialects, beside which other options.
//!
//! Each option of `thalweg serve`, `thalweg gateway` and `thalweg explain` stands in one row of
//! [`OPTIONS`], and a test walks all of them over all sources and dialects, and over gateways with
//! and without sources in their processes. An option that is given where it has no meaning is refused
//! when the command starts, and the message says what to do instead.

use clap::{Args, Command};
use engine::SourceAddress;

use super::address::Address;
use super::api::DialectName;
use super::given::GivenOptions;
use super::serving::ServingOptions;
use crate::failure::Failure;
use crate::traces::Traces;

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
    /// Whether the claims of a token decide something besides the roles of PostgreSQL.
    pub(crate) has_policies: bool,
    /// Whether requests without a token are refused.
    pub(crate) requires_token: bool,
}

/// The sources in the process of a gateway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LocalSources {
    pub(crate) has_sqlite: bool,
    pub(crate) has_postgres: bool,
    pub(crate) has_neo4j: bool,
    /// Whether a file of policies decides about one of them.
    pub(crate) has_policies: bool,
}

/// Where an option has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Everywhere,
    /// Sources of any kind. For a gateway without one the text says what to do instead.
    Sources(&'static str),
    /// Gateways.
    Supergraph,
    Dialect(DialectName),
    /// A dialect's option for objects that only PostgreSQL has.
    DialectOnPostgres(DialectName),
    /// PostgreSQL; on other sources the text says what to do instead.
    Postgres(&'static str),
    /// The role and the settings of a PostgreSQL session; on other sources the text says what to do
    /// instead.
    PostgresSession(&'static str),
    /// Databases that are servers: an SQLite file is opened, not connected to. For a gateway without
    /// one the text says what to do instead.
    Servers(&'static str),
    /// Databases with tables; for a graph the text says what to do instead.
    Tables(&'static str),
    /// Where a token decides something.
    Tokens,
    /// Where a role decides something: PostgreSQL has roles of its own.
    Roles,
    /// Where the claims of a token decide something.
    Claims,
    /// Where a file of policies decides.
    Policies,
    /// Where a database measures its statements; a gateway measures requests to subgraphs.
    Figures,
    /// SQLite, and the dialect phrag on any source.
    SqliteOrPhrag,
    /// SQLite; on other sources the text says why not.
    Sqlite(&'static str),
}

const LEAVE_OUT: &str = "leave it out";
const POLICY_ROLES: &str = "who asks without a token has the `default_role` of the file of \
                            `--policies`";
const CLAIM_ROLE: &str = "`claim_role` in the file of `--policies` says which claim is the role";

const SUBGRAPH_CONNECTIONS: &str = "`--subgraph-connections` is for subgraphs over HTTP";
const SUBGRAPH_CONNECT_TIMEOUT: &str = "`--subgraph-connect-timeout` is for subgraphs over HTTP";
const SUBGRAPH_ERRORS: &str =
    "`--subgraph-errors` says what clients are told of those of subgraphs";
const SUBGRAPH_PATTERNS: &str = "servers bound the patterns that they match";

/// All options by their long names.
const OPTIONS: &[(Scope, &[&str])] = &[
    (
        Scope::Everywhere,
        &["config", "log", "log-format", "dialect", "federation", "federation-extend"],
    ),
    (Scope::Everywhere, &["listen", "unix-socket-mode", "threads", "drain-timeout", "drain-delay"]),
    (Scope::Everywhere, &["max-clients", "max-header-size", "keep-alive-timeout", "stall-timeout"]),
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
    (Scope::Everywhere, &["max-json-values", "max-cost", "default-list-size"]),
    (
        Scope::Everywhere,
        &["max-requests", "max-queue", "queue-timeout", "response-memory", "request-memory"],
    ),
    (Scope::Everywhere, &["dev", "introspection", "graphiql", "explain", "allowed-hosts"]),
    (Scope::Everywhere, &["log-requests", "slow-query", "server-timing", "metrics-listen"]),
    (Scope::Everywhere, &["metrics-operations", "otlp-endpoint", "trace-ratio"]),
    (Scope::Everywhere, &["compression", "compression-min-size"]),
    (Scope::Everywhere, &["allowed-origins", "cors-origins", "cors-credentials", "cors-max-age"]),
    (Scope::Everywhere, &["apq", "apq-cache-size", "trusted-documents", "only-trusted"]),
    (Scope::Everywhere, &["batching", "max-batch", "require-token"]),
    (Scope::Postgres(LEAVE_OUT), &["schema", "shared-connections"]),
    (
        Scope::Postgres("give a file of `--policies`, which says what each role may do"),
        &["no-ignore-rbac"],
    ),
    (Scope::PostgresSession(POLICY_ROLES), &["default-role"]),
    (Scope::PostgresSession(CLAIM_ROLE), &["jwt-role"]),
    (Scope::PostgresSession("all claims are there without it"), &["jwt-claims"]),
    (
        Scope::PostgresSession("other sources have no settings"),
        &["pg-setting", "pg-setting-header"],
    ),
    (Scope::Servers(SUBGRAPH_CONNECT_TIMEOUT), &["connect-timeout"]),
    (Scope::Servers(LEAVE_OUT), &["database-idle-timeout"]),
    (
        Scope::Tables(
            "who may see and change what of a graph stands in its type definitions, by `@authorization`",
        ),
        &["policies"],
    ),
    (Scope::Tables("a graph has one transaction for a request"), &["mutation-transactions"]),
    (Scope::Tables("SIGHUP reads the type definitions of a graph again"), &["watch"]),
    (Scope::SqliteOrPhrag, &["bigint"]),
    (Scope::Sqlite("other sources say the type of a column themselves"), &["stored-as"]),
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
        Scope::Dialect(DialectName::Postgraphile),
        &["aggregates", "bulk-mutations", "max-bulk-rows", "classic-ids"],
    ),
    (
        Scope::Dialect(DialectName::Postgraphile),
        &["disable-default-mutations", "dynamic-json", "legacy-relations"],
    ),
    (
        Scope::Dialect(DialectName::Postgraphile),
        &["no-ignore-indexes", "no-node-ids", "many-to-many"],
    ),
    (
        Scope::Dialect(DialectName::Postgraphile),
        &["no-setof-functions-contain-nulls", "disable-aggregates-by-default"],
    ),
    (
        Scope::Dialect(DialectName::Postgraphile),
        &["nested-mutations", "simplified-names", "no-short-pk"],
    ),
    (
        Scope::Dialect(DialectName::Postgraphile),
        &["no-simplify-all-rows", "no-simplify-multikey-relations"],
    ),
    (
        Scope::Dialect(DialectName::Postgraphile),
        &["omit-list-suffix", "tags-file", "upsert-mutations"],
    ),
    (
        Scope::Dialect(DialectName::Postgraphile),
        &["view-unique-key", "simple-collections", "connection-filter"],
    ),
    (Scope::Dialect(DialectName::Postgraphile), &["connection-filter-allow-empty-object-input"]),
    (Scope::Dialect(DialectName::Postgraphile), &["connection-filter-allow-null-input"]),
    (Scope::Dialect(DialectName::Postgraphile), &["connection-filter-allowed-field-types"]),
    (Scope::Dialect(DialectName::Postgraphile), &["connection-filter-allowed-operators"]),
    (Scope::Dialect(DialectName::Postgraphile), &["connection-filter-logical-operators"]),
    (Scope::Dialect(DialectName::Postgraphile), &["connection-filter-operator-names"]),
    (Scope::Dialect(DialectName::Postgraphile), &["connection-filter-relations"]),
    (Scope::Dialect(DialectName::Postgraphile), &["connection-filter-use-list-inflectors"]),
    (Scope::DialectOnPostgres(DialectName::Postgraphile), &["connection-filter-arrays"]),
    (Scope::DialectOnPostgres(DialectName::Postgraphile), &["connection-filter-computed-columns"]),
    (Scope::DialectOnPostgres(DialectName::Postgraphile), &["connection-filter-setof-functions"]),
    (Scope::DialectOnPostgres(DialectName::Postgraphile), &["geometric-types", "network-scalars"]),
    (Scope::DialectOnPostgres(DialectName::Postgraphile), &["include-extension-resources"]),
    (Scope::DialectOnPostgres(DialectName::Postgraphile), &["jwt-token-identifier"]),
    (Scope::Dialect(DialectName::Phrag), &["default-limit", "max-nest-level", "use-aggregation"]),
    (Scope::Dialect(DialectName::Neo4j), &["types", "neo4j-api", "exclude-deprecated-fields"]),
    (Scope::Dialect(DialectName::Neo4j), &["neo4j-filters", "limit-required"]),
    (
        Scope::Supergraph,
        &["supergraph-poll", "override-labels", "override-label-header", "override-label-claim"],
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
    (Scope::Everywhere, &["variables", "operation"]),
    (Scope::Roles, &["role"]),
    (Scope::Claims, &["claims"]),
    (Scope::Policies, &["row"]),
    (Scope::Figures, &["analyze"]),
];

/// An option of a server, what it needs, and whether that is there.
type Need = (&'static str, &'static str, fn(&ServingOptions) -> bool);

const NEEDS: &[Need] = &[
    ("cors-max-age", "`--cors-origins`", |serving| !serving.origins.cors_origins.is_empty()),
    ("apq-cache-size", "`--apq true`", |serving| serving.persisted.apq),
    ("max-batch", "`--batching`", |serving| serving.persisted.batching),
    ("metrics-operations", "`--metrics-listen`", |serving| {
        serving.observability.metrics_listen.is_some()
    }),
    ("trace-ratio", "`--otlp-endpoint`", |serving| {
        Traces::has_endpoint(serving.observability.otlp_endpoint.as_deref())
    }),
    ("unix-socket-mode", "an address `unix:PATH` in `--listen`", |serving| {
        serving.listen.iter().any(Address::is_unix)
    }),
    ("jwt-jwks-max-stale", "`--jwt-jwks`", |serving| !serving.auth.jwt_jwks.is_empty()),
    ("compression-min-size", "a `--compression` other than `off`", |serving| {
        !serving.compression.compression.0.is_empty()
    }),
];

/// Refuses options of a server that mean nothing without another one.
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

/// Refuses the options of a group, whatever their values, for a source for which none of them has a
/// meaning.
pub(crate) fn refuse_group<Group: Args>(given: &GivenOptions, what: &str) -> Result<(), Failure> {
    let command = Group::augment_args(Command::new("group"));
    let names: Vec<_> = command.get_arguments().filter_map(|arg| arg.get_long()).collect();
    match given.iter().find(|name| names.contains(name)) {
        Some(name) => Err(Failure::Usage(format!("`--{name}` is for {what}"))),
        None => Ok(()),
    }
}

/// What is wrong with each option that is given and has no meaning for the API.
pub(crate) fn out_of_scope(given: &GivenOptions, target: Target) -> Vec<String> {
    refusals(given, |name, scope| refusal(name, scope, target))
}

/// Messages about options that are given and have no meaning for a gateway with these sources in its
/// process.
pub(crate) fn out_of_gateway(given: &GivenOptions, sources: LocalSources) -> Vec<String> {
    refusals(given, |name, scope| refusal_of_gateway(name, scope, sources))
}

/// Refuses these options.
pub(crate) fn check_for_gateway(
    given: &GivenOptions,
    sources: LocalSources,
) -> Result<(), Failure> {
    match out_of_gateway(given, sources).as_slice() {
        [] => Ok(()),
        refusals => Err(Failure::Usage(refusals.join("\nerror: "))),
    }
}

fn refusals(given: &GivenOptions, refusal: impl Fn(&str, Scope) -> Option<String>) -> Vec<String> {
    let rows =
        OPTIONS.iter().flat_map(|(scope, names)| names.iter().map(move |name| (*scope, *name)));
    let given = rows.filter(|(_, name)| given.contains(name));
    given.filter_map(|(scope, name)| refusal(name, scope)).collect()
}

fn refusal(name: &str, scope: Scope, target: Target) -> Option<String> {
    let Target { source, dialect, has_policies, requires_token } = target;
    let needs_dialect =
        |wanted: DialectName| format!("`--{name}` needs `--dialect {}`", wanted.name());
    match scope {
        Scope::Everywhere | Scope::Sources(_) => None,
        Scope::Supergraph => Some(format!(
            "`--{name}` is for a supergraph, and the source is a database: {LEAVE_OUT}"
        )),
        Scope::Dialect(wanted) | Scope::DialectOnPostgres(wanted) if wanted != dialect => {
            Some(needs_dialect(wanted))
        }
        Scope::Dialect(_) => None,
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
            let decides = source != SourceKind::Sqlite || has_policies || requires_token;
            (!decides).then(|| {
                format!(
                    "`--{name}` decides nothing on SQLite by itself: `--policies` says what each role may \
                     see and change, and `--require-token` refuses requests without a token"
                )
            })
        }
        Scope::Roles => match source {
            SourceKind::Postgres => None,
            SourceKind::Sqlite => (!has_policies)
                .then(|| format!("`--{name}` needs `--policies`: an SQLite file has no roles")),
            SourceKind::Neo4j => Some(format!(
                "`--{name}` is not for a graph: rules of type definitions ask for claims, which `--claims` says"
            )),
        },
        Scope::Claims => (source == SourceKind::Sqlite && !has_policies)
            .then(|| format!("`--{name}` needs `--policies`: an SQLite file does not know who asks")),
        Scope::Policies => match source {
            SourceKind::Neo4j => Some(format!("`--{name}` is not for a graph: it explains policies")),
            SourceKind::Sqlite | SourceKind::Postgres => {
                (!has_policies).then(|| format!("`--{name}` needs `--policies`"))
            }
        },
        Scope::Figures => (source == SourceKind::Sqlite).then(|| {
            format!("`--{name}` is for PostgreSQL and graphs: SQLite tells no figures of a statement")
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
    match scope {
        // Gateways have options of their own by the same names, such as `--watch`.
        Scope::Everywhere
        | Scope::Supergraph
        | Scope::Tokens
        | Scope::Claims
        | Scope::Figures
        | Scope::Tables(_) => None,
        Scope::Sources(instead) => (!has_sqlite && !has_postgres && !has_neo4j).then(|| {
            format!("`--{name}` is for databases in the gateway's process, and no subgraph has a `source` in `--subgraphs`: {instead}")
        }),
        Scope::Servers(instead) => (!has_postgres && !has_neo4j).then(|| {
            format!("`--{name}` is for databases that are servers, which no `source` of `--subgraphs` is: {instead}")
        }),
        Scope::Postgres(_) => (!has_postgres).then(|| no_postgres(LEAVE_OUT)),
        Scope::PostgresSession(_) => (!has_postgres)
            .then(|| no_postgres("what servers are told of who asks stands in `headers` there")),
        Scope::Roles => (!has_postgres && !has_policies).then(|| {
            format!(
                "`--{name}` needs a `source` of `--subgraphs` that is PostgreSQL or has `policies`: what else \
                 a token says is for `--claims`"
            )
        }),
        Scope::Dialect(_)
        | Scope::DialectOnPostgres(_)
        | Scope::Policies
        | Scope::Sqlite(_)
        | Scope::SqliteOrPhrag => Some(format!(
            "`--{name}` is for a database, and the source is a supergraph: {LEAVE_OUT}"
        )),
    }
}

impl SourceKind {
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
