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
    Set {
        name: "neo4j-7",
        peer: Peer::Neo4jGraphQL7,
        api: "7",
        types: "types-7.graphql",
        writes: false,
    },
    Set {
        name: "neo4j-7-settings",
        peer: Peer::Neo4jGraphQL7,
        api: "7",
        types: "types-7.graphql",
        writes: false,
    },
    Set {
        name: "neo4j-7-mutations",
        peer: Peer::Neo4jGraphQL7,
        api: "7",
        types: "types-7.graphql",
        writes: true,
    },
    Set {
        name: "neo4j-7-made",
        peer: Peer::Neo4jGraphQL7,
        api: "7",
        types: "types-7-made.graphql",
        writes: true,
    },
    Set {
        name: "neo4j-7-abstract",
        peer: Peer::Neo4jGraphQL7,
        api: "7",
        types: "types-7-abstract.graphql",
        writes: false,
    },
    Set {
        name: "neo4j-7-abstract-mutations",
        peer: Peer::Neo4jGraphQL7,
        api: "7",
        types: "types-7-abstract-mutations.graphql",
        writes: true,
    },
    Set {
        name: "neo4j-7-search",
        peer: Peer::Neo4jGraphQL7,
        api: "7",
        types: "types-7-search.graphql",
        writes: false,
    },
    Set {
        name: "neo4j-7-rules",
        peer: Peer::Neo4jGraphQL7,
        api: "7",
        types: "types-7-rules.graphql",
        writes: true,
    },
    Set {
        name: "neo4j-3-search",
        peer: Peer::Neo4jGraphQL3,
        api: "3",
        types: "types-3-search.graphql",
        writes: false,
    },
    Set {
        name: "neo4j-3",
        peer: Peer::Neo4jGraphQL3,
        api: "3",
        types: "types-3.graphql",
        writes: false,
    },
    Set {
        name: "neo4j-3-settings",
        peer: Peer::Neo4jGraphQL3,
        api: "3",
        types: "types-3.graphql",
        writes: false,
    },
    Set {
        name: "neo4j-3-mutations",
        peer: Peer::Neo4jGraphQL3,
        api: "3",
        types: "types-3.graphql",
        writes: true,
    },
    Set {
        name: "neo4j-3-made",
        peer: Peer::Neo4jGraphQL3,
        api: "3",
        types: "types-3-made.graphql",
        writes: true,
    },
    Set {
        name: "neo4j-3-abstract",
        peer: Peer::Neo4jGraphQL3,
        api: "3",
        types: "types-3-abstract.graphql",
        writes: false,
    },
    Set {
        name: "neo4j-3-abstract-mutations",
        peer: Peer::Neo4jGraphQL3,
        api: "3",
        types: "types-3-abstract-mutations.graphql",
        writes: true,
    },
];

/// Settings of the two beside the definitions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The `features` of the library's constructor, as JSON.
    pub(crate) features: &'static str,
    /// The options of Thalweg that are the same.
    pub(crate) options: &'static [&'static str],
}

const NONE: Settings = Settings { features: "{}", options: &[] };

const OF_SEVEN: Settings = Settings {
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

const OF_THREE: Settings = Settings {
    features: r#"{ "filters": {
        "String": { "MATCHES": true, "GT": true, "GTE": true, "LT": true, "LTE": true },
        "ID": { "MATCHES": true } } }"#,
    options: &[
        "--neo4j-filters",
        "String.MATCHES,String.GT,String.GTE,String.LT,String.LTE,ID.MATCHES",
    ],
};

impl Set {
    pub(crate) fn settings(&self) -> Settings {
        match self.name {
            "neo4j-7-settings" => OF_SEVEN,
            "neo4j-3-settings" => OF_THREE,
            _ => NONE,
        }
    }
}
