//! The sets of options under which the three are compared.

/// The same options in the words of each.
#[derive(Debug)]
pub(crate) struct Set {
    /// Also the name of the folder of its queries.
    pub(crate) name: &'static str,
    pub(crate) version4: &'static [&'static str],
    /// Options of the V4 preset, as JSON; none where version 5 has no such thing.
    pub(crate) version5: Option<&'static str>,
    pub(crate) thalweg: &'static [&'static str],
}

pub(crate) const SETS: &[Set] = &[
    Set { name: "default", version4: &[], version5: Some("{}"), thalweg: &[] },
    Set {
        name: "both",
        version4: &["--simple-collections", "both"],
        version5: Some(r#"{"simpleCollections":"both"}"#),
        thalweg: &["--simple-collections", "both"],
    },
];
