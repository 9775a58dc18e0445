//! The options of a command as they will be used, each with its origin.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

use clap::Arg;
use clap::parser::ValueSource;
use serde_json::Value;

use super::keys::{self, Key, Kind, List};
use super::read::{self, Beginning, Invocation, ReadError};
use super::redacted::shown;

/// Options that may have a password within an address, and are shown without it. All other options whose
/// values must not appear in messages are hidden.
const ADDRESSES: [&str; 6] = ["source", "data", "direct-url", "read-url", "from", "into"];

/// An option with its values.
struct Effective {
    name: String,
    values: String,
    origin: Origin,
    is_hidden: bool,
}

/// The origin of a value, from the strongest to the weakest.
enum Origin {
    CommandLine,
    Environment(String),
    /// The line in the file.
    File(usize),
    Preset,
    Default,
}

/// Describes the options of a command, given by its words as on the command line: without any, those of a
/// server or gateway. Secrets are hidden.
pub(crate) fn effective(file: Option<&Path>, command: &[OsString]) -> Result<String, ReadError> {
    let mut words = vec![OsString::from("thalweg")];
    words.extend(file.into_iter().flat_map(|file| [OsString::from("--config"), file.into()]));
    words.extend(command.iter().cloned());
    if command.is_empty() {
        words.push("serve".into());
        if read::has_file_of_gateway(&words) {
            words.pop();
            words.push("gateway".into());
        }
    }
    describe(&words)
}

fn describe(words: &[OsString]) -> Result<String, ReadError> {
    let invocation = read::read_options(words.to_vec())?;
    let mut command = read::whole_command(words);
    let beginning = read::begin(command.clone(), words)
        .map_err(|error| ReadError::Arguments { error, places: Default::default() })?;
    let globals: Vec<Arg> =
        command.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    let preset = beginning.of_preset(&command, &invocation.entries);
    let preset: Vec<(&str, Option<&str>)> =
        preset.iter().map(|default| (default.option, default.value())).collect();
    let mut found = Vec::new();
    if let Some(leaf) = read::leaf(&mut command, &beginning.commands) {
        let known: Vec<String> = leaf.get_arguments().filter_map(keys::name).collect();
        let others =
            globals.iter().filter(|arg| keys::name(arg).is_none_or(|name| !known.contains(&name)));
        let all = leaf.get_arguments().chain(others);
        found.extend(all.filter_map(|arg| option(arg, &beginning, &invocation, &preset)));
    }
    Ok(text(&beginning.commands, invocation.file.as_deref(), &found))
}

/// An option that has a value.
fn option(
    arg: &Arg,
    beginning: &Beginning,
    invocation: &Invocation,
    preset: &[(&str, Option<&str>)],
) -> Option<Effective> {
    let name = keys::name(arg)?;
    let key = Key::new(arg);
    let given = beginning.given(arg);
    let entry = invocation.entries.0.get(&name);
    let of_preset = preset.iter().find(|(option, _)| *option == name);
    let (origin, texts) = match (given, entry, of_preset) {
        (Some(given), ..) => {
            let origin = match given.source {
                ValueSource::EnvVariable => Origin::Environment(variable(arg)),
                _ => Origin::CommandLine,
            };
            (origin, given.texts.clone())
        }
        (None, Some(entry), _) => (Origin::File(entry.position.line), entry.texts.clone()),
        (None, None, Some((_, value))) => {
            (Origin::Preset, vec![value.unwrap_or("true").to_owned()])
        }
        (None, None, None) => {
            let defaults = arg.get_default_values().iter();
            (Origin::Default, defaults.map(|text| text.to_string_lossy().into_owned()).collect())
        }
    };
    if texts.is_empty() {
        return None;
    }
    let is_hidden = key.is_secret() && !ADDRESSES.contains(&&*name);
    let values = texts.iter().map(|text| match is_hidden {
        true => Value::from(redact::HIDDEN).to_string(),
        false => value(&key, text),
    });
    let values = values.collect::<Vec<_>>().join(", ");
    let values = match key.list {
        List::One => values,
        List::Separated(_) | List::Repeated => ["[", &values, "]"].concat(),
    };
    Some(Effective { name, values, origin, is_hidden })
}

fn variable(arg: &Arg) -> String {
    arg.get_env().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A value in TOML, without the passwords of addresses.
fn value(key: &Key, text: &str) -> String {
    let is_bare = match key.kind {
        Kind::Flag | Kind::Boolean => matches!(text, "true" | "false"),
        Kind::Integer => text.parse::<i128>().is_ok(),
        Kind::Number => text.parse::<f64>().is_ok_and(f64::is_finite) && text.contains('.'),
        Kind::Text | Kind::Quantity => false,
    };
    match (is_bare, key.kind) {
        (true, _) => text.to_owned(),
        (false, Kind::Flag | Kind::Boolean) => {
            matches!(text.to_ascii_lowercase().as_str(), "t" | "yes" | "y" | "on" | "1" | "true")
                .to_string()
        }
        (false, Kind::Integer | Kind::Number) => text.to_owned(),
        // `$` begins a variable.
        (false, Kind::Text | Kind::Quantity) => {
            Value::from(shown(text).replace('$', "$$")).to_string()
        }
    }
}

fn text(commands: &[String], file: Option<&Path>, found: &[Effective]) -> String {
    let mut text = format!("# The options of `thalweg {}`", commands.join(" "));
    match file {
        Some(file) => line(&mut text, &format!(", with the file {}", file.display())),
        None => line(&mut text, ", without a file"),
    }
    let is_default = |one: &&Effective| matches!(one.origin, Origin::Default);
    for one in found.iter().filter(|one| !is_default(one)) {
        let origin = match &one.origin {
            Origin::CommandLine => "command line".to_owned(),
            Origin::Environment(variable) => variable.clone(),
            Origin::File(line) => format!("file, line {line}"),
            Origin::Preset => "preset".to_owned(),
            Origin::Default => continue,
        };
        let hidden = if one.is_hidden { ", hidden" } else { "" };
        line(&mut text, &format!("{} = {}  # {origin}{hidden}", one.name, one.values));
    }
    line(&mut text, "\n# Defaults");
    for one in found.iter().filter(is_default) {
        line(&mut text, &format!("{} = {}", one.name, one.values));
    }
    text
}

fn line(text: &mut String, content: &str) {
    // Writing to a string never fails.
    let written = writeln!(text, "{content}");
    debug_assert!(written.is_ok(), "a line was not written");
}
