//! Presets: defaults of several options of the dialect postgraphile at once.
//!
//! A preset is the weakest layer: the command line, the environment and the file win over it, option by
//! option, also where they turn one off.

use super::words::Words;

/// Presets of the dialect postgraphile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preset {
    /// For new projects.
    Modern,
    /// The API of PostGraphile 5 with its preset Amber.
    PostGraphile5,
}

/// An option as the user has set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Absent,
    /// A flag that is false.
    Off,
    On,
}

/// The default of one option.
#[derive(Debug)]
pub(crate) struct PresetDefault {
    pub(crate) option: &'static str,
    /// The value; none for a flag.
    value: Option<&'static str>,
    /// An option without which this one is refused.
    needs: Option<&'static str>,
    /// An option beside which this one is refused.
    excluded_by: Option<&'static str>,
}

pub(super) const PRESETS: Words<Preset> = Words(&[
    (
        "modern",
        Preset::Modern,
        "For new projects: short names, filters, aggregates, many-to-many, nested and bulk writes",
    ),
    ("postgraphile5", Preset::PostGraphile5, "The schema of PostGraphile 5 with its preset Amber"),
]);

const NO_MUTATIONS: Option<&str> = Some("disable-default-mutations");

const MODERN: &[PresetDefault] = &[
    flag("simplified-names"),
    value("simple-collections", "both"),
    value("legacy-relations", "omit"),
    flag("connection-filter"),
    PresetDefault { needs: Some("connection-filter"), ..flag("connection-filter-relations") },
    flag("aggregates"),
    flag("many-to-many"),
    PresetDefault { excluded_by: NO_MUTATIONS, ..flag("bulk-mutations") },
    PresetDefault { excluded_by: NO_MUTATIONS, ..flag("nested-mutations") },
    PresetDefault { excluded_by: NO_MUTATIONS, ..flag("upsert-mutations") },
    flag("dynamic-json"),
    flag("no-setof-functions-contain-nulls"),
];

const POSTGRAPHILE_5: &[PresetDefault] = &[
    value("postgraphile-version", "5"),
    flag("classic-ids"),
    value("legacy-relations", "omit"),
    flag("dynamic-json"),
    flag("geometric-types"),
    flag("network-scalars"),
    flag("no-ignore-indexes"),
];

const fn flag(option: &'static str) -> PresetDefault {
    PresetDefault { option, value: None, needs: None, excluded_by: None }
}

const fn value(option: &'static str, value: &'static str) -> PresetDefault {
    PresetDefault { value: Some(value), ..flag(option) }
}

impl Preset {
    /// The preset with this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        PRESETS.0.iter().find(|(known, ..)| *known == name).map(|(_, preset, _)| *preset)
    }

    /// The defaults of the options that the user has not set, and that fit those that are set.
    pub(crate) fn defaults(
        self,
        setting: impl Fn(&str) -> Setting,
    ) -> impl Iterator<Item = &'static PresetDefault> {
        let all = match self {
            Self::Modern => MODERN,
            Self::PostGraphile5 => POSTGRAPHILE_5,
        };
        all.iter().filter(move |default| {
            setting(default.option) == Setting::Absent
                && default.needs.is_none_or(|other| setting(other) != Setting::Off)
                && default.excluded_by.is_none_or(|other| setting(other) != Setting::On)
        })
    }
}

impl PresetDefault {
    /// The value; none for a flag.
    pub(crate) fn value(&self) -> Option<&'static str> {
        self.value
    }

    /// The word of a command line that sets the option.
    pub(crate) fn word(&self) -> String {
        match self.value {
            Some(value) => ["--", self.option, "=", value].concat(),
            None => ["--", self.option].concat(),
        }
    }
}
