//! A source in the gateway's process, instead of a server. Its keys are the options of `thalweg serve`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use clap::Command;
use engine::SourceAddress;
use toml::Spanned;
use toml::de::{DeString, DeTable};

use super::table::{Reader, Value};
use crate::configuration::keys::{Key, Keys};
use crate::configuration::value;
use crate::options::{ApiOptions, Preset, Setting, SourceKind, Target, refusal_for};

/// A source with the options of its API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceEntry {
    pub(crate) address: SourceAddress,
    text: AddressText,
    /// The options as words of a command line.
    words: Vec<String>,
    /// Those that only a preset has set.
    by_preset: Vec<&'static str>,
}

/// The text of an address, which may contain a password.
#[derive(Clone, PartialEq, Eq)]
struct AddressText(String);

/// Options without a meaning for a source of a gateway: it is always a subgraph, it issues no tokens,
/// the gateway defers fragments of all subgraphs by itself, and its requests read the primary.
const NOT_OF_SUBGRAPHS: [&str; 8] = [
    "source",
    "federation",
    "jwt-token-identifier",
    "defer-directive",
    "read-url",
    "read-wait",
    "read-without-replica",
    "read-your-writes",
];

/// Keys of sources and of servers alike.
pub(super) const COMMON: [&str; 3] = ["timeout", "max-answer", "max-requests"];

/// The options that a source may have, by name.
pub(super) static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let mut keys = Keys::of(&ApiOptions::command(Command::new("source")));
    keys.retain(|name| !NOT_OF_SUBGRAPHS.contains(&name));
    keys
});

/// Reads the source of a table, if it has one.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<SourceEntry> {
    let options: Vec<(&Spanned<DeString<'_>>, &Key, &Value<'_>)> = table
        .iter()
        .filter_map(|(name, value)| Some((name, KEYS.find(name.get_ref())?, value)))
        .collect();
    let Some(source) = table.get("source") else {
        for (name, ..) in options {
            let message = format!("`{}` needs `source`", name.get_ref());
            reader.wrong(name.span().start, message);
        }
        return None;
    };
    let is_own =
        |name: &str| name == "source" || KEYS.find(name).is_some() || COMMON.contains(&name);
    for name in table.keys().filter(|name| !is_own(name.get_ref())) {
        let written = name.get_ref().escape_debug();
        let message =
            format!("`{written}` has no place beside `source`, which is called without HTTP");
        reader.wrong(name.span().start, message);
    }
    let mut words = Vec::new();
    let mut set: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut is_read = true;
    for (name, key, value) in &options {
        match reader.option(name.get_ref(), key, value) {
            Some(texts) => {
                words.extend(value::words(key, &texts));
                set.insert(name.get_ref().to_string(), texts);
            }
            None => is_read = false,
        }
    }
    let preset = set.get("preset").and_then(|texts| Preset::find(texts.first()?));
    let defaults = preset.into_iter().flat_map(|preset| {
        preset.defaults(|name| match set.get(name) {
            None => Setting::Absent,
            Some(texts) if texts == &["false"] => Setting::Off,
            Some(_) => Setting::On,
        })
    });
    let by_preset: Vec<_> = defaults
        .map(|default| {
            words.push(default.word());
            default.option
        })
        .collect();
    let text = reader.string("source", source)?;
    let address = match SourceAddress::parse(&text) {
        Ok(address) => address,
        Err(error) => {
            reader.wrong(source.span().start, format!("`source`: {error}"));
            return None;
        }
    };
    let mut entry = SourceEntry { address, text: AddressText(text), words, by_preset };
    let api = entry.parse();
    // With type definitions, the source is their file, and another option has the database.
    if let Ok(Some(Ok(address))) = api.as_ref().map(ApiOptions::address_of_data) {
        entry.address = address;
    }
    let refused = api.and_then(|api| {
        let target = Target {
            source: SourceKind::of(&entry.address),
            dialect: api.dialect_name()?,
            has_policies: entry.has_policies(),
            has_rules: false,
            requires_token: false,
        };
        for (name, ..) in &options {
            if let Some(refusal) = refusal_for(name.get_ref(), target) {
                reader.wrong(name.span().start, as_keys(&refusal));
            }
        }
        Ok(())
    });
    // Without an option that was wrong, another one may be missing.
    if let (true, Err(message)) = (is_read, refused) {
        let place = table.get_key_value("dialect").map_or(source.span(), |(name, _)| name.span());
        reader.wrong(place.start, as_keys(&message));
    }
    Some(entry)
}

/// Names keys instead of options of a command line.
fn as_keys(message: &str) -> String {
    message.replace("`--", "`")
}

impl SourceEntry {
    /// The options of the source's API, as a subgraph.
    pub(crate) fn options(&self) -> Result<ApiOptions, String> {
        let mut api = self.parse()?;
        api.prefer_lists_beside_connections();
        Ok(api)
    }

    pub(crate) fn has_policies(&self) -> bool {
        self.words.iter().any(|word| word.starts_with("--policies="))
    }

    fn parse(&self) -> Result<ApiOptions, String> {
        let words = ["source", "--federation"].map(str::to_owned).into_iter();
        let words = words.chain(self.words.iter().cloned());
        let words = words.chain(["--".to_owned(), self.text.0.clone()]);
        ApiOptions::of_words(words, &self.by_preset)
    }
}

impl fmt::Debug for AddressText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redact::address(&self.0))
    }
}
