//! The sets of options under which the three are compared.

/// The same options in the words of each.
#[derive(Debug)]
pub(crate) struct Set {
    /// Also the name of the folder of its queries.
    pub(crate) name: &'static str,
    /// Options of the library, as JSON; plugins by the names of their packages.
    pub(crate) version4: &'static str,
    /// Options of the V4 preset, as JSON; none where version 5 has no such thing.
    pub(crate) version5: Option<&'static str>,
    pub(crate) thalweg: &'static [&'static str],
}

pub(crate) const SETS: &[Set] = &[
    Set { name: "default", version4: "{}", version5: Some("{}"), thalweg: &[] },
    Set {
        name: "both",
        version4: r#"{"simpleCollections":"both"}"#,
        version5: Some(r#"{"simpleCollections":"both"}"#),
        thalweg: &["--simple-collections", "both"],
    },
    Set {
        name: "classic-ids",
        version4: r#"{"classicIds":true}"#,
        version5: Some(r#"{"classicIds":true}"#),
        thalweg: &["--classic-ids"],
    },
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
    },
    Set {
        name: "aggregates",
        version4: r#"{"appendPlugins":["@graphile/pg-aggregates"]}"#,
        version5: None,
        thalweg: &["--aggregates"],
    },
    Set {
        name: "simplified",
        version4: r#"{
            "simpleCollections": "both",
            "legacyRelations": "omit",
            "appendPlugins": ["@graphile-contrib/pg-simplify-inflector"]
        }"#,
        version5: None,
        thalweg: &[
            "--simple-collections",
            "both",
            "--legacy-relations",
            "omit",
            "--simplified-names",
        ],
    },
    Set {
        name: "many-to-many",
        version4: r#"{
            "simpleCollections": "both",
            "appendPlugins": ["@graphile-contrib/pg-many-to-many"]
        }"#,
        version5: None,
        thalweg: &["--simple-collections", "both", "--many-to-many"],
    },
    Set {
        name: "dynamic-json",
        version4: r#"{"dynamicJson":true}"#,
        version5: Some(r#"{"dynamicJson":true}"#),
        thalweg: &["--dynamic-json"],
    },
    Set {
        name: "figures",
        version4: r#"{
            "graphileBuildOptions": { "pgGeometricTypes": true, "pgUseCustomNetworkScalars": true }
        }"#,
        version5: None,
        thalweg: &["--geometric-types", "--network-scalars"],
    },
];
