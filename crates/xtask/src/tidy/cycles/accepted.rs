//! Import cycles that are accepted, each with its reason; a new one needs a reason as good.

/// An accepted cycle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accepted {
    /// The folder of the crate, or the file of the module that holds the modules of the cycle.
    pub(super) within: &'static str,
    /// In alphabetical order.
    pub(super) modules: &'static [&'static str],
    /// Ordered pairs of these modules of which the first imports the second.
    pub(super) edges: usize,
    pub(super) reason: &'static str,
}

pub(super) const ACCEPTED: &[Accepted] = &[
    Accepted {
        within: "bench/src",
        modules: &["federation", "race", "schema_size", "start_up"],
        edges: 6,
        reason: "the suite `federation` and the start-up are parts of the run of all suites, whose records and tools they use",
    },
    Accepted {
        within: "crates/dialect-neo4j/src/definitions",
        modules: &["auth", "rules"],
        edges: 2,
        reason: "rules are read from the directives of `auth`, which refuses as they do",
    },
    Accepted {
        within: "crates/dialect-phrag/src",
        modules: &["mutations", "plan", "relations"],
        edges: 4,
        reason: "the plan of an entity holds its relationships and mutations, which are named by that plan",
    },
    Accepted {
        within: "crates/dialect-postgraphile/src",
        modules: &[
            "aggregate_computed",
            "aggregate_conditions",
            "aggregates",
            "arguments",
            "condition",
            "connection",
            "decomposed",
            "entity",
            "enum_table_types",
            "enums",
            "figures",
            "filter",
            "function_results",
            "functions",
            "inputs",
            "mutations",
            "order",
            "parts",
            "relations",
            "root",
            "token",
            "types",
            "view_key",
        ],
        edges: 76,
        reason: "the types of a schema refer to each other, and one builder makes those that a field needs",
    },
    Accepted {
        within: "crates/engine/src",
        modules: &[
            "engine",
            "graph",
            "incremental",
            "map_error",
            "prepare",
            "respond",
            "rest",
            "stored_metadata",
        ],
        edges: 18,
        reason: "the engine holds the prepared documents and messages, and the stages of a request are methods of it",
    },
    Accepted {
        within: "crates/engine/src",
        modules: &["explain", "federated_trace", "gateway", "report", "worker"],
        edges: 9,
        reason: "a report keeps the plans of both workers, which write it",
    },
    Accepted {
        within: "crates/ir/src",
        modules: &["filter", "objects", "operand", "request", "rows", "write"],
        edges: 19,
        reason: "the types of a request are recursive: rows have filters, which have rows",
    },
    Accepted {
        within: "crates/lowering/src",
        modules: &["arguments", "call", "filter", "paging", "selection", "variants"],
        edges: 16,
        reason: "recursive descent: selections have arguments, which have selections",
    },
    Accepted {
        within: "crates/relational/src",
        modules: &[
            "aggregate",
            "barrier",
            "bounding",
            "compile",
            "filter",
            "function",
            "items",
            "joined",
            "keyset",
            "level",
            "parents",
            "row_set",
            "statement",
            "variants",
            "write",
        ],
        edges: 76,
        reason: "recursive descent: sets of rows have filters and aggregates, which have sets of rows",
    },
    Accepted {
        within: "crates/source-postgres/src",
        modules: &["answer", "compile", "execute", "joined", "split_join"],
        edges: 9,
        reason: "a program holds its joined and split forms, which are compiled and executed as it is",
    },
    Accepted {
        within: "crates/source-sqlite/src",
        modules: &["connection", "idle", "statement"],
        edges: 4,
        reason: "a connection keeps its idle statements, which give themselves back to it",
    },
];
