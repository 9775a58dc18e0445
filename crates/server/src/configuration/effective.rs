//! The options of a command as they will be used, each with its origin.

use std::env;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

use clap::Arg;
use clap::parser::ValueSource;
use hyper::Uri;
use redact::HIDDEN;
use serde_json::Value;

use super::keys::{self, Key, Kind, List};
use super::read::{self, Beginning, Invocation, ReadError};
use super::redacted::shown;
use crate::options::StandIn;

/// The part of a value that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// All but the password of an address.
    WithoutPassword,
    /// The origin of a URL: its path may be a token.
    UrlOrigin,
    /// The name of `NAME=VALUE`.
    Name,
    Nothing,
}

impl Shown {
    fn of(name: &str, key: &Key) -> Self {
        match name {
            "source" | "data" | "direct-url" | "read-url" | "from" | "into" => {
                Self::WithoutPassword
            }
            "hook-request" | "hook-response" | "auth-hook" => Self::UrlOrigin,
            "pg-setting" => Self::Name,
            _ if key.is_secret() => Self::Nothing,
            _ => Self::WithoutPassword,
        }
    }

    /// The shown part of a text; `None` if it is all of it, or an address without its password.
    fn part(self, text: &str) -> Option<String> {
        let part = match self {
            Self::WithoutPassword => return None,
            Self::UrlOrigin => {
                let url = text.trim().parse::<Uri>().ok();
                let origin =
                    url.as_ref().and_then(|url| Some((url.scheme_str()?, url.authority()?)));
                match origin.filter(|(_, authority)| !authority.as_str().contains('@')) {
                    Some((scheme, authority)) => format!("{scheme}://{authority}/{HIDDEN}"),
                    None => HIDDEN.to_owned(),
                }
            }
            Self::Name => match text.split_once('=') {
                Some((name, _)) => [name, "=", HIDDEN].concat(),
                None => HIDDEN.to_owned(),
            },
            Self::Nothing => HIDDEN.to_owned(),
        };
        Some(part)
    }
}

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

/// The origins of a command's options: arguments, variables, file and preset.
struct Sources<'a> {
    beginning: &'a Beginning,
    invocation: &'a Invocation,
    preset: &'a [(&'a str, Option<&'a str>)],
}

/// Describes the options of a command, given by its words as on the command line: without any, those of a
/// server or gateway. Options of all commands that `config show` has itself are those of the command.
/// Secrets are hidden.
pub(crate) fn effective(own: &[OsString], command: &[OsString]) -> Result<String, ReadError> {
    let mut words = vec![OsString::from("thalweg")];
    words.extend(globals(own)?);
    words.extend(command.iter().cloned());
    if beginning(&words)?.commands.is_empty() {
        words.push("serve".into());
        if read::has_file_of_gateway(&words) {
            words.pop();
            words.push("gateway".into());
        }
    }
    describe(&words)
}

/// The options of all commands that a command line gives, as words.
fn globals(words: &[OsString]) -> Result<Vec<OsString>, ReadError> {
    let given = beginning(words)?;
    let command = read::whole_command(words);
    let mut found = Vec::new();
    for arg in command.get_arguments().filter(|arg| arg.is_global_set()) {
        let given = given.given(arg).filter(|given| given.source == ValueSource::CommandLine);
        if let (Some(name), Some(given)) = (arg.get_long(), given) {
            found.extend(given.texts.iter().map(|text| format!("--{name}={text}").into()));
        }
    }
    Ok(found)
}

fn beginning(words: &[OsString]) -> Result<Beginning, ReadError> {
    read::begin(read::whole_command(words), words)
        .map_err(|error| ReadError::Arguments { error, places: Default::default() })
}

fn describe(words: &[OsString]) -> Result<String, ReadError> {
    let invocation = read::read_options(words.to_vec())?;
    let mut command = read::whole_command(words);
    let beginning = beginning(words)?;
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
        let all: Vec<&Arg> = leaf.get_arguments().chain(others).collect();
        let sources = Sources { beginning: &beginning, invocation: &invocation, preset: &preset };
        let value = |option: &str| {
            let arg = all.iter().find(|arg| keys::name(arg).is_some_and(|name| name == option))?;
            sources.texts(arg)?.1.into_iter().next()
        };
        let (dialect, supergraph) = (value("dialect"), value("supergraph"));
        found.extend(all.iter().filter_map(|arg| {
            let stand_in = keys::name(arg).and_then(|name| StandIn::find(&name));
            let is_read = |one: &StandIn| one.is_read(dialect.as_deref(), supergraph.as_deref());
            sources.option(arg, stand_in.filter(is_read))
        }));
    }
    Ok(text(&beginning.commands, invocation.file.as_deref(), &found))
}

impl Sources<'_> {
    /// What an option has from the strongest of its origins, without variables of other tools.
    fn texts(&self, arg: &Arg) -> Option<(Origin, Vec<String>)> {
        let name = keys::name(arg)?;
        let given = self.beginning.given(arg);
        let entry = self.invocation.entries.0.get(&name);
        let of_preset = self.preset.iter().find(|(option, _)| *option == name);
        Some(match (given, entry, of_preset) {
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
                let defaults = defaults.map(|text| text.to_string_lossy().into_owned());
                (Origin::Default, defaults.collect())
            }
        })
    }

    /// An option that has a value.
    fn option(&self, arg: &Arg, stand_in: Option<StandIn>) -> Option<Effective> {
        let (mut origin, mut texts) = self.texts(arg)?;
        if let (Origin::Default, Some(stand_in)) = (&origin, stand_in)
            && let Some((variable, text)) = variable_of(stand_in)
        {
            texts = match Key::new(arg).list {
                List::Separated(separator) => text.split(separator).map(str::to_owned).collect(),
                List::One | List::Repeated => vec![text],
            };
            origin = Origin::Environment(variable.to_owned());
        }
        effective_of(arg, origin, &texts)
    }
}

/// The first variable of another tool that is set, with its value in the form of the option.
fn variable_of(stand_in: StandIn) -> Option<(&'static str, String)> {
    let set = |name: &&'static str| {
        let value = env::var_os(name).filter(|value| !value.is_empty())?;
        Some((*name, [&*value.to_string_lossy(), stand_in.unit].concat()))
    };
    stand_in.variables.iter().find_map(set)
}

fn effective_of(arg: &Arg, origin: Origin, texts: &[String]) -> Option<Effective> {
    let (name, key) = (keys::name(arg)?, Key::new(arg));
    if texts.is_empty() {
        return None;
    }
    let shown = Shown::of(&name, &key);
    let is_hidden = shown != Shown::WithoutPassword;
    let values = texts.iter().map(|text| match shown.part(text) {
        Some(part) => quoted(&part),
        None => value(&key, text),
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
        (false, Kind::Text | Kind::Quantity) => quoted(&shown(text)),
    }
}

/// A text in TOML, in which `$` begins a variable.
fn quoted(text: &str) -> String {
    Value::from(text.replace('$', "$$")).to_string()
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
