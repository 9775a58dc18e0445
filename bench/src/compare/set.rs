//! The sets of options under which the three are compared.

/// A set of options with equal values for PostGraphile 4, PostGraphile 5 and Thalweg.
#[derive(Debug)]
pub(crate) struct Set {
    /// Also the name of the folder of its queries.
    pub(crate) name: &'static str,
    /// Options of the library, as JSON; plugins by the names of their packages.
    pub(crate) version4: &'static str,
    /// Options of the V4 preset, as JSON; none where version 5 has no such thing.
    pub(crate) version5: Option<&'static str>,
    pub(crate) thalweg: &'static [&'static str],
    pub(crate) kind: Kind,
}

/// The parts of the answers that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The data, and where there are errors. All three read one database.
    Reads,
    /// The data and the tables after mutations: each of the three has a database of its own,
    /// which is made anew before each file of queries.
    Writes,
    /// Also the messages of errors; of the peers, only version 4 has them.
    Errors,
}

impl Kind {
    /// Whether each of the three has a database of its own.
    pub(crate) fn writes(self) -> bool {
        self != Self::Reads
    }
}

/// The secret of the sets with tokens.
pub(crate) const SECRET: &str = "only for comparisons";

const DEFAULT: Set =
    Set { name: "default", version4: "{}", version5: Some("{}"), thalweg: &[], kind: Kind::Reads };

const CLASSIC_IDS: Set = Set {
    name: "classic-ids",
    version4: r#"{"classicIds":true}"#,
    version5: Some(r#"{"classicIds":true}"#),
    thalweg: &["--classic-ids"],
    kind: Kind::Reads,
};

const SIMPLIFIED: Set = Set {
    name: "simplified",
    version4: r#"{
        "simpleCollections": "both",
        "legacyRelations": "omit",
        "appendPlugins": ["@graphile-contrib/pg-simplify-inflector"]
    }"#,
    version5: None,
    thalweg: &["--simple-collections", "both", "--legacy-relations", "omit", "--simplified-names"],
    kind: Kind::Reads,
};

pub(crate) const SETS: &[Set] = &[
    DEFAULT,
    Set {
        name: "both",
        version4: r#"{"simpleCollections":"both"}"#,
        version5: Some(r#"{"simpleCollections":"both"}"#),
        thalweg: &["--simple-collections", "both"],
        kind: Kind::Reads,
    },
    CLASSIC_IDS,
    Set {
        name: "filter",
        version4: r#"{
            "simpleCollections": "both",
            "appendPlugins": ["postgraphile-plugin-connection-filter"],
            "graphileBuildOptions": { "connectionFilterRelations": true }
        }"#,
        version5: None,
        thalweg: &[
            "--simple-collections",
            "both",
            "--connection-filter",
            "--connection-filter-relations",
        ],
        kind: Kind::Reads,
    },
    Set {
        name: "aggregates",
        version4: r#"{"appendPlugins":["@graphile/pg-aggregates"]}"#,
        version5: None,
        thalweg: &["--aggregates"],
        kind: Kind::Reads,
    },
    SIMPLIFIED,
    Set {
        name: "many-to-many",
        version4: r#"{
            "simpleCollections": "both",
            "appendPlugins": ["@graphile-contrib/pg-many-to-many"]
        }"#,
        version5: None,
        thalweg: &["--simple-collections", "both", "--many-to-many"],
        kind: Kind::Reads,
    },
    Set {
        name: "dynamic-json",
        version4: r#"{"dynamicJson":true}"#,
        version5: Some(r#"{"dynamicJson":true}"#),
        thalweg: &["--dynamic-json"],
        kind: Kind::Reads,
    },
    Set {
        name: "figures",
        version4: r#"{
            "graphileBuildOptions": { "pgGeometricTypes": true, "pgUseCustomNetworkScalars": true }
        }"#,
        version5: None,
        thalweg: &["--geometric-types", "--network-scalars"],
        kind: Kind::Reads,
    },
    Set { name: "mutations", kind: Kind::Writes, ..DEFAULT },
    Set { name: "mutations-simplified", kind: Kind::Writes, ..SIMPLIFIED },
    Set { name: "mutations-classic", kind: Kind::Writes, ..CLASSIC_IDS },
    Set { name: "functions-writing", kind: Kind::Writes, ..DEFAULT },
    Set {
        name: "errors",
        version4: "{}",
        version5: None,
        thalweg: &["--show-database-errors"],
        kind: Kind::Errors,
    },
    Set {
        name: "errors-extended",
        version4: r#"{"extendedErrors":["hint","detail","errcode"]}"#,
        version5: None,
        thalweg: &["--show-database-errors", "--extended-errors", "hint,detail,errcode"],
        kind: Kind::Errors,
    },
    Set {
        name: "roles",
        version4: r#"{"jwtSecret":"only for comparisons","pgDefaultRole":"depot_visitor"}"#,
        version5: Some(r#"{"jwtSecret":"only for comparisons","pgDefaultRole":"depot_visitor"}"#),
        thalweg: &[
            "--jwt-secret",
            SECRET,
            "--default-role",
            "depot_visitor",
            "--show-database-errors",
        ],
        kind: Kind::Errors,
    },
];
