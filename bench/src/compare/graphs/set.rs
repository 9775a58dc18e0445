//! The sets of type definitions under which the two are compared.

use crate::peers::Peer;

/// The type definitions that both have.
#[derive(Debug)]
pub(crate) struct Set {
    /// Also the name of the folder of its queries.
    pub(crate) name: &'static str,
    pub(crate) peer: Peer,
    /// The form of the API that Thalweg is to have.
    pub(crate) api: &'static str,
    /// The file of the definitions.
    pub(crate) types: &'static str,
    /// Whether its queries change the graph: it is made anew before each file of them, for either
    /// of the two, and what they leave behind is compared.
    pub(crate) writes: bool,
}

pub(crate) const SETS: &[Set] = &[
    version_7("neo4j-7", "types-7.graphql"),
    version_7("neo4j-7-settings", "types-7.graphql"),
    version_7("neo4j-7-mutations", "types-7.graphql").with_writes(),
    version_7("neo4j-7-made", "types-7-made.graphql").with_writes(),
    version_7("neo4j-7-abstract", "types-7-abstract.graphql"),
    version_7("neo4j-7-abstract-mutations", "types-7-abstract-mutations.graphql").with_writes(),
    version_7("neo4j-7-search", "types-7-search.graphql"),
    version_7("neo4j-7-rules", "types-7-rules.graphql").with_writes(),
    version_3("neo4j-3-search", "types-3-search.graphql"),
    version_3("neo4j-3", "types-3.graphql"),
    version_3("neo4j-3-settings", "types-3.graphql"),
    version_3("neo4j-3-mutations", "types-3.graphql").with_writes(),
    version_3("neo4j-3-made", "types-3-made.graphql").with_writes(),
    version_3("neo4j-3-abstract", "types-3-abstract.graphql"),
    version_3("neo4j-3-abstract-mutations", "types-3-abstract-mutations.graphql").with_writes(),
];

/// A set of queries for version 7 of the library.
const fn version_7(name: &'static str, types: &'static str) -> Set {
    Set { name, peer: Peer::Neo4jGraphQL7, api: "7", types, writes: false }
}

/// A set of queries for version 3.
const fn version_3(name: &'static str, types: &'static str) -> Set {
    Set { name, peer: Peer::Neo4jGraphQL3, api: "3", types, writes: false }
}

/// Settings of the two beside the definitions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The `features` of the library's constructor, as JSON.
    pub(crate) features: &'static str,
    /// The options of Thalweg that are the same.
    pub(crate) options: &'static [&'static str],
}

const NONE: Settings = Settings { features: "{}", options: &[] };

const SETTINGS_7: Settings = Settings {
    features: r#"{ "filters": {
        "String": { "MATCHES": true, "GT": true, "GTE": true, "LT": true, "LTE": true,
            "CASE_INSENSITIVE": true },
        "ID": { "LTE": true, "LT": true, "GT": true, "MATCHES": true } } }"#,
    options: &[
        "--neo4j-filters",
        "String.MATCHES,String.GT,String.GTE,String.LT,String.LTE,String.CASE_INSENSITIVE,\
         ID.LTE,ID.LT,ID.GT,ID.MATCHES",
    ],
};

const SETTINGS_3: Settings = Settings {
    features: r#"{ "filters": {
        "String": { "MATCHES": true, "GT": true, "GTE": true, "LT": true, "LTE": true },
        "ID": { "MATCHES": true } } }"#,
    options: &[
        "--neo4j-filters",
        "String.MATCHES,String.GT,String.GTE,String.LT,String.LTE,ID.MATCHES",
    ],
};

impl Set {
    /// This set of options for queries that change the graph.
    const fn with_writes(self) -> Self {
        Self { writes: true, ..self }
    }

    pub(crate) fn settings(&self) -> Settings {
        match self.name {
            "neo4j-7-settings" => SETTINGS_7,
            "neo4j-3-settings" => SETTINGS_3,
            _ => NONE,
        }
    }
}
