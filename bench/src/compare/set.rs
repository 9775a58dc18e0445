//! The sets of options under which the three are compared.

use super::SCHEMA;

/// A set of options with equal values for PostGraphile 4, PostGraphile 5 and Thalweg.
#[derive(Debug)]
pub(crate) struct Set {
    /// Also the name of the folder of its queries.
    pub(crate) name: &'static str,
    /// The schema of the database.
    pub(crate) schema: &'static str,
    /// Options of the library, as JSON; plugins by the names of their packages. None where version 5 is
    /// the reference.
    pub(crate) version4: Option<&'static str>,
    /// Options of the V4 preset, as JSON; none where version 5 has no such thing. [`AMBER`] is version 5
    /// without that preset.
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

/// Version 5 with its own names.
pub(crate) const AMBER: &str = r#"{"amber":true}"#;

const DEFAULT: Set = Set {
    schema: SCHEMA,
    name: "default",
    version4: Some("{}"),
    version5: Some("{}"),
    thalweg: &[],
    kind: Kind::Reads,
};

const CLASSIC_IDS: Set = Set {
    schema: SCHEMA,
    name: "classic-ids",
    version4: Some(r#"{"classicIds":true}"#),
    version5: Some(r#"{"classicIds":true}"#),
    thalweg: &["--classic-ids"],
    kind: Kind::Reads,
};

const SIMPLIFIED: Set = Set {
    schema: SCHEMA,
    name: "simplified",
    version4: Some(
        r#"{
        "simpleCollections": "both",
        "legacyRelations": "omit",
        "appendPlugins": ["@graphile-contrib/pg-simplify-inflector"]
    }"#,
    ),
    version5: None,
    thalweg: &["--simple-collections", "both", "--legacy-relations", "omit", "--simplified-names"],
    kind: Kind::Reads,
};

pub(crate) const SETS: &[Set] = &[
    DEFAULT,
    Set {
        schema: SCHEMA,
        name: "both",
        version4: Some(r#"{"simpleCollections":"both"}"#),
        version5: Some(r#"{"simpleCollections":"both"}"#),
        thalweg: &["--simple-collections", "both"],
        kind: Kind::Reads,
    },
    CLASSIC_IDS,
    Set {
        schema: SCHEMA,
        name: "filter",
        version4: Some(
            r#"{
            "simpleCollections": "both",
            "appendPlugins": ["postgraphile-plugin-connection-filter"],
            "graphileBuildOptions": { "connectionFilterRelations": true }
        }"#,
        ),
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
        schema: SCHEMA,
        name: "aggregates",
        version4: Some(r#"{"appendPlugins":["@graphile/pg-aggregates"]}"#),
        version5: None,
        thalweg: &["--aggregates"],
        kind: Kind::Reads,
    },
    SIMPLIFIED,
    Set {
        schema: SCHEMA,
        name: "many-to-many",
        version4: Some(
            r#"{
            "simpleCollections": "both",
            "appendPlugins": ["@graphile-contrib/pg-many-to-many"]
        }"#,
        ),
        version5: None,
        thalweg: &["--simple-collections", "both", "--many-to-many"],
        kind: Kind::Reads,
    },
    Set {
        schema: SCHEMA,
        name: "dynamic-json",
        version4: Some(r#"{"dynamicJson":true}"#),
        version5: Some(r#"{"dynamicJson":true}"#),
        thalweg: &["--dynamic-json"],
        kind: Kind::Reads,
    },
    Set {
        schema: SCHEMA,
        name: "figures",
        version4: Some(
            r#"{
            "graphileBuildOptions": { "pgGeometricTypes": true, "pgUseCustomNetworkScalars": true }
        }"#,
        ),
        version5: None,
        thalweg: &["--geometric-types", "--network-scalars"],
        kind: Kind::Reads,
    },
    Set { name: "mutations", kind: Kind::Writes, ..DEFAULT },
    Set { name: "mutations-simplified", kind: Kind::Writes, ..SIMPLIFIED },
    Set { name: "mutations-classic", kind: Kind::Writes, ..CLASSIC_IDS },
    Set { name: "functions-writing", kind: Kind::Writes, ..DEFAULT },
    Set {
        schema: SCHEMA,
        name: "errors",
        version4: Some("{}"),
        version5: None,
        thalweg: &["--show-database-errors"],
        kind: Kind::Errors,
    },
    Set {
        schema: SCHEMA,
        name: "errors-extended",
        version4: Some(r#"{"extendedErrors":["hint","detail","errcode"]}"#),
        version5: None,
        thalweg: &["--show-database-errors", "--extended-errors", "hint,detail,errcode"],
        kind: Kind::Errors,
    },
    Set {
        schema: SCHEMA,
        name: "roles",
        version4: Some(r#"{"jwtSecret":"only for comparisons","pgDefaultRole":"depot_visitor"}"#),
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
    Set {
        schema: "atlas",
        name: "amber",
        version4: None,
        version5: Some(AMBER),
        thalweg: &["--preset", "postgraphile5"],
        kind: Kind::Reads,
    },
    Set {
        schema: "atlas",
        name: "mutations-amber",
        version4: None,
        version5: Some(AMBER),
        thalweg: &["--preset", "postgraphile5"],
        kind: Kind::Writes,
    },
];
