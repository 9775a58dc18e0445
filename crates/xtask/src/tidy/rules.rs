//! The tables of the rules. ARCHITECTURE.md has the reasons at length; each line here has a short
//! one.

/// Which crates of the project a crate may depend on; on no other, not even through a macro or a
/// build script. Tests may. In names `*` stands for anything.
#[derive(Debug)]
pub(crate) struct Layer {
    /// The crate that is bound; the first layer that matches its name binds it.
    pub(crate) within: &'static str,
    pub(crate) may: &'static [&'static str],
    /// The reason against the others.
    pub(crate) reason: &'static str,
}

/// A dependency has few owners.
#[derive(Debug)]
pub(crate) struct Owned {
    pub(crate) dependencies: &'static [&'static str],
    /// The crates that may depend on it.
    pub(crate) owners: &'static [&'static str],
    pub(crate) reason: &'static str,
}

/// Words that are forbidden in the names of a crate's code.
#[derive(Debug)]
pub(crate) struct ForeignWords {
    /// The crate; `*` stands for anything.
    pub(crate) within: &'static str,
    /// [`EACH_DIALECT`] and [`EACH_SOURCE`] stand for the names of such crates.
    pub(crate) words: &'static [&'static str],
    pub(crate) reason: &'static str,
}

/// Crates of ours that a dialect may depend on.
const BELOW_DIALECTS: &[&str] = &[
    "access",
    "api",
    "catalog",
    "graphql",
    "geojson",
    "hasura-metadata",
    "hasura-webhooks",
    "http-resolvers",
    "ir",
    "lowering",
    "response",
    "storage",
    "transfer",
];

const DIALECT: &str =
    "a dialect is a pure function of the catalog and knows no source and no other dialect";

const DRIVER: &str = "a driver answers requests of the IR; it knows no dialect and no other driver";

/// `testkit` serves the tests of all, and is bound by nothing.
pub(crate) const LAYERS: &[Layer] = &[
    Layer {
        within: "catalog",
        may: &[],
        reason: "the catalog is the lowest layer: everything may know it, it knows nothing",
    },
    Layer {
        within: "graphql",
        may: &["exact-numbers", "uploads"],
        reason: "the GraphQL front half knows no database",
    },
    Layer {
        within: "ir",
        may: &["catalog"],
        reason: "a request is dialect-free and source-free; it names catalog fields only",
    },
    Layer {
        within: "response",
        may: &[],
        reason: "one writer serves every source and every dialect",
    },
    Layer {
        within: "access",
        may: &["catalog", "ir"],
        reason: "access rules are neutral: they know no dialect and no source",
    },
    Layer {
        within: "live",
        may: &["catalog", "exact-numbers", "ir", "source"],
        reason: "live queries are the same for every dialect and every source",
    },
    Layer {
        within: "hasura-metadata",
        may: &["graphql"],
        reason: "metadata is read and written without a catalog, a dialect or a source",
    },
    Layer {
        within: "prisma-schema",
        may: &["catalog", "graphql"],
        reason: "a schema gives names to a catalog: it knows no dialect and no source",
    },
    Layer {
        within: "geojson",
        may: &[],
        reason: "a geometry is a value: who reads it and who stores it is elsewhere",
    },
    Layer {
        within: "hasura-webhooks",
        may: &["hasura-metadata", "http-resolvers"],
        reason: "transforms of metadata are the same for actions and for events",
    },
    Layer {
        within: "kriti",
        may: &[],
        reason: "a template knows neither who has written it nor what is done with its value",
    },
    Layer {
        within: "http-resolvers",
        may: &["graphql", "kriti"],
        reason: "requests to other servers are the same for every dialect, and who sends them is \
                 elsewhere",
    },
    Layer {
        within: "connectors",
        may: &[],
        reason: "the mapping language is pure: who reads schemas, plans and sends requests is elsewhere",
    },
    Layer {
        within: "api",
        may: &["catalog", "graphql", "http-resolvers", "ir", "response"],
        reason: "an API is what all dialects fill: it knows no dialect and no source",
    },
    Layer {
        within: "lowering",
        may: &["api", "catalog", "graphql", "http-resolvers", "ir", "response"],
        reason: "one lowering serves every dialect, and knows none",
    },
    Layer {
        within: "storage",
        may: &["catalog", "sql"],
        reason: "tables follow from definitions, whichever dialect has read them",
    },
    Layer {
        within: "transfer",
        may: &["catalog", "sql", "storage"],
        reason: "import and export know tables, and neither a dialect nor a source",
    },
    Layer { within: "dialect-*", may: BELOW_DIALECTS, reason: DIALECT },
    Layer {
        within: "dialects",
        may: &[
            "access",
            "api",
            "catalog",
            "dialect-*",
            "graphql",
            "lowering",
            "storage",
            "transfer",
        ],
        reason: "the registry knows all dialects, and no source",
    },
    Layer {
        within: "sql",
        may: &[],
        reason: "the statement tree is pure and knows nobody who uses it",
    },
    Layer {
        within: "cypher",
        may: &[],
        reason: "the statement tree is pure and knows nobody who uses it",
    },
    Layer {
        within: "source",
        may: &["catalog", "exact-numbers", "geojson", "ir", "response", "sql", "uploads"],
        reason: "the vocabulary of sources knows no driver and no compiler",
    },
    Layer {
        within: "relational",
        may: &["catalog", "ir", "response", "source", "sql"],
        reason: "requests become SQL without any driver",
    },
    Layer {
        within: "source-neo4j",
        may: &["catalog", "cypher", "ir", "response", "source"],
        reason: DRIVER,
    },
    Layer {
        within: "source-*",
        may: &[
            "catalog",
            "ir",
            "redact",
            "relational",
            "response",
            "source",
            "sql",
            "transfer",
            "uploads",
        ],
        reason: DRIVER,
    },
    Layer {
        within: "sources",
        may: &[
            "catalog",
            "ir",
            "redact",
            "relational",
            "response",
            "source",
            "source-*",
            "sql",
            "storage",
            "transfer",
        ],
        reason: "the registry dispatches to drivers and knows no dialect",
    },
    Layer {
        within: "supergraph",
        may: &["connectors", "graphql"],
        reason: "a composed schema is read and made without sources and without requests",
    },
    Layer {
        within: "gateway",
        may: &["connectors", "graphql", "response", "supergraph"],
        reason: "the gateway plans requests and joins answers; it knows no source, no dialect and no \
                 transport",
    },
    Layer {
        within: "clients",
        may: &["redact"],
        reason: "what is asked of other servers is said by who asks",
    },
    Layer {
        within: "event-triggers",
        may: &[
            "clients",
            "hasura-metadata",
            "hasura-webhooks",
            "http-resolvers",
            "redact",
            "sources",
        ],
        reason: "events are delivered from the log of any source, and know no API",
    },
    Layer {
        within: "engine",
        may: &[
            "access",
            "catalog",
            "graphql",
            "http-resolvers",
            "ir",
            "response",
            "dialects",
            "sql",
            "relational",
            "source",
            "source-neo4j",
            "sources",
            "gateway",
            "supergraph",
            "clients",
            "connectors",
            "live",
            "prisma-schema",
            "uploads",
        ],
        reason: "the engine is a library below the server",
    },
    Layer {
        within: "thalweg",
        may: &["dialects", "engine", "graphql", "hasura-metadata"],
        reason: "the library is a face of the engine: what it needs beyond that belongs there",
    },
    Layer {
        within: "redact",
        may: &[],
        reason: "it hides secrets in any text, and knows no source",
    },
    Layer {
        within: "uploads",
        may: &[],
        reason: "files are bytes beside the variables: who receives and who stores them is elsewhere",
    },
    Layer {
        within: "exact-numbers",
        may: &[],
        reason: "digits are text beside the variables: who binds them is elsewhere",
    },
    Layer { within: "sample", may: &[], reason: "the sample is data" },
    Layer {
        within: "server",
        may: &[
            "catalog",
            "graphql",
            "ir",
            "response",
            "dialects",
            "sql",
            "source",
            "source-postgres",
            "sources",
            "storage",
            "transfer",
            "gateway",
            "supergraph",
            "clients",
            "connectors",
            "engine",
            "event-triggers",
            "hasura-metadata",
            "prisma-schema",
            "redact",
            "sample",
            "uploads",
        ],
        reason: "the product does not contain its tests",
    },
    Layer {
        within: "bench",
        may: &["sample", "testkit"],
        reason: "the benchmark talks HTTP only, to every contestant alike",
    },
    Layer {
        within: "xtask",
        may: &[],
        reason: "the chores must compile in a moment, and before anything else does",
    },
];

pub(crate) const OWNED: &[Owned] = &[
    Owned {
        dependencies: &["rusqlite", "libsqlite3-sys"],
        owners: &["source-sqlite", "server", "bench", "testkit", "prisma-cases"],
        reason: "only the driver, and what fills or empties a file from outside, talk to SQLite",
    },
    Owned {
        dependencies: &["postgres", "tokio-postgres", "postgres-protocol"],
        owners: &["source-postgres", "server", "bench", "testkit"],
        reason: "only the driver, and the demo that fills a database, talk to PostgreSQL",
    },
    Owned {
        dependencies: &["hyper", "hyper-util", "http-body-util", "axum", "tower", "reqwest"],
        owners: &["server", "clients", "bench", "testkit", "hasura-cases", "prisma-cases"],
        reason: "only `server` serves HTTP and only `clients` calls it",
    },
    Owned {
        dependencies: &["h2"],
        owners: &["clients", "server"],
        reason: "HTTP/2 is spoken to clients and to subgraphs",
    },
];

/// Names from the standard library and the runtime by which a program reaches outside.
pub(crate) const IO_PATHS: &[&str] = &[
    "std::fs",
    "std::net",
    "std::os::unix::net",
    "std::process",
    "tokio::fs",
    "tokio::net",
    "tokio::process",
    "socket2",
];

/// Plain values that live in the same modules.
pub(crate) const IO_PATHS_OF_VALUES: &[&str] = &[
    "std::net::IpAddr",
    "std::net::Ipv4Addr",
    "std::net::Ipv6Addr",
    "std::net::SocketAddr",
    "std::process::ExitCode",
];

/// The files that do IO; `*` matches anything inside a name, `**` any folders.
pub(crate) const IO_PLACES: &[&str] = &[
    "crates/source*/src/**/wire/**",
    "crates/source*/src/**/wire.rs",
    "crates/source*/src/**/pool/**",
    "crates/source*/src/**/pool.rs",
    "crates/source*/src/**/introspect/**",
    "crates/source*/src/**/introspect.rs",
    "crates/source*/src/**/execute/**",
    "crates/source*/src/**/execute.rs",
    "crates/source*/src/**/migrate/**",
    "crates/source*/src/**/migrate.rs",
    "crates/source*/src/**/backup/**",
    "crates/source*/src/**/backup.rs",
    "crates/source*/src/**/transfer/**",
    "crates/source*/src/**/transfer.rs",
    "crates/source-sqlite/src/event_log/lead.rs",
    "crates/source-sqlite/src/event_log.rs",
    "crates/transfer/**",
    "crates/clients/**",
    "crates/server/**",
    "bench/**",
    "crates/testkit/**",
    "crates/hasura-cases/**",
    "crates/prisma-cases/**",
    "crates/xtask/**",
    "crates/*/build.rs",
    "examples/**",
];

/// The files that write statement text.
pub(crate) const STATEMENT_PLACES: &[&str] = &[
    "crates/sql/src/print*.rs",
    "crates/sql/src/print*/**",
    "crates/cypher/src/print*.rs",
    "crates/cypher/src/print*/**",
    "bench/**",
    "crates/testkit/**",
    "crates/hasura-cases/**",
    "crates/prisma-cases/**",
    "crates/xtask/**",
];

/// Beginnings of statement texts.
pub(crate) const STATEMENT_BEGINNINGS: &[&str] = &[
    "SELECT ",
    "INSERT INTO",
    "UPDATE ",
    "DELETE FROM",
    "MATCH (",
    "OPTIONAL MATCH ",
    "UNWIND ",
    "DETACH DELETE ",
];

/// The name of each crate `dialect-…` without this beginning, but for those that a source has too.
pub(crate) const EACH_DIALECT: &str = "dialect-*";

/// The name of each crate `source-…` without this beginning, but for those that a dialect has too.
pub(crate) const EACH_SOURCE: &str = "source-*";

const NO_DIALECT_NO_SOURCE: &[&str] = &[
    EACH_DIALECT,
    EACH_SOURCE,
    "neo4j",
    "postgresql",
    "cypher",
    "permission",
    "prisma",
    "hasura",
    "dgraph",
    "v3",
    "v7",
];

pub(crate) const FOREIGN_WORDS: &[ForeignWords] = &[
    ForeignWords {
        within: "ir",
        words: &["dialect", "permission", "role", "table", "label", EACH_SOURCE],
        reason: "the IR knows no dialect, no permission, no table, no label",
    },
    ForeignWords {
        within: "graphql",
        words: &["sql", EACH_SOURCE, "postgresql", "cypher", "database"],
        reason: "the GraphQL front half knows no database",
    },
    ForeignWords {
        within: "api",
        words: NO_DIALECT_NO_SOURCE,
        reason: "an API knows no dialect and no source",
    },
    ForeignWords {
        within: "lowering",
        words: NO_DIALECT_NO_SOURCE,
        reason: "the lowering knows no dialect, no version of one and no source",
    },
    ForeignWords {
        within: "dialect*",
        words: &[EACH_SOURCE, "postgresql", "cypher"],
        reason: "a dialect knows no source: what a source cannot do reaches it as a capability",
    },
    ForeignWords {
        within: "sql",
        words: &[EACH_DIALECT, "prisma", "hasura", "dgraph", "permission"],
        reason: "the statement tree knows no dialect",
    },
    ForeignWords {
        within: "cypher",
        words: &[EACH_DIALECT, "prisma", "hasura", "dgraph", "permission"],
        reason: "the statement tree knows no dialect",
    },
    ForeignWords {
        within: "source",
        words: &["sqlite", "neo4j", EACH_DIALECT, "prisma", "hasura", "dgraph"],
        reason: "the vocabulary of sources knows no driver and no dialect",
    },
    ForeignWords {
        within: "relational",
        words: &["sqlite", "neo4j", EACH_DIALECT, "prisma", "hasura", "dgraph"],
        reason: "the compiler of SQL knows no driver and no dialect",
    },
    ForeignWords {
        within: "source-*",
        words: &[EACH_SOURCE, "neo4j", EACH_DIALECT, "prisma", "hasura", "dgraph"],
        reason: "a driver knows no dialect and no other driver",
    },
    ForeignWords {
        within: "sources",
        words: &[EACH_DIALECT, "prisma", "hasura", "dgraph"],
        reason: "a source knows no dialect",
    },
    ForeignWords {
        within: "clients",
        words: &["supergraph", "plan", "entity", "representation", "database"],
        reason: "a client carries bytes and knows nothing of what is in them",
    },
];

/// Names without a meaning.
pub(crate) const EMPTY_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "misc"];

/// The most lines a file may have, its tests not counted.
pub(crate) const MOST_LINES: usize = 800;
