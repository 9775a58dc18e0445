//! Combines the command line, the environment and the file, in this order of precedence.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches};

use super::elsewhere;
use super::expand::{NotText, Variable};
use super::file::{self, Entries, Entry};
use super::flags::{self, with_values};
use super::help::{Detail, with_help};
use super::keys::{self, CONFIG, Key, Keys};
use super::problem::Refused;
use super::redacted::{redacted, shown};
use super::restart;
use super::value;
use crate::failure::Failure;
use crate::options::{Arguments, GivenOptions, Preset, PresetDefault, Setting};

/// The default file, if it exists.
const DEFAULT_FILE: &str = "thalweg.toml";

/// The option with the name of a preset.
const PRESET: &str = "preset";

/// The parsed command line, environment and file.
#[derive(Debug)]
pub(crate) struct Invocation {
    pub(crate) arguments: Arguments,
    /// The file that was read, if any.
    pub(crate) file: Option<PathBuf>,
    /// The words of the command line.
    pub(crate) words: Vec<OsString>,
    pub(super) entries: Entries,
}

/// The input of a reload.
#[derive(Clone, Debug)]
pub(crate) struct Again {
    words: Vec<OsString>,
    /// The entries of the file at the start.
    first: Entries,
}

/// The result of a reload.
#[derive(Debug)]
pub(crate) struct Reread {
    pub(crate) arguments: Arguments,
    /// Changed options that need a restart: they keep their values.
    pub(crate) kept: Vec<&'static str>,
}

/// The reason why the options cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// Also a request for help, which is not an error.
    #[error("{}{places}", redacted(&error.to_string()))]
    Arguments {
        error: clap::Error,
        /// Positions of the named options in the file.
        places: Places,
    },
    #[error("cannot read the configuration file {}: {error}", file.display())]
    File { file: PathBuf, error: io::Error },
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A problem of the file, as the result of `thalweg check`.
    #[error(transparent)]
    Found(Box<ReadError>),
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self::Configuration(Box::new(error))
    }
}

/// Positions of options in the file, in words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Places(Vec<String>);

/// The command line and the environment without the file.
#[derive(Debug)]
pub(super) struct Beginning {
    /// The names of the command and its subcommands.
    pub(super) commands: Vec<String>,
    file: Option<PathBuf>,
    /// The options that are given, by id.
    given: Vec<SetOption>,
    preset: Option<Preset>,
}

/// An option that is given on the command line or in the environment.
#[derive(Debug)]
pub(super) struct SetOption {
    id: String,
    pub(super) source: ValueSource,
    setting: Setting,
    /// In the form of the option's parser, one per element.
    pub(super) texts: Vec<String>,
}

/// Reads everything. The words are those of the command line, including the program's name.
pub(crate) fn read(words: Vec<OsString>) -> Result<Invocation, ReadError> {
    let is_check = begin(whole_command(&words), &words)
        .is_ok_and(|beginning| beginning.commands.first().is_some_and(|name| name == "check"));
    read_with(words, |_| {}).map_err(|error| match error.is_of_file() && is_check {
        true => ReadError::Found(Box::new(error)),
        false => error,
    })
}

/// Whether the file of a command is for a gateway. A file that cannot be read is not: it gets its error
/// where it is read again.
pub(super) fn has_file_of_gateway(words: &[OsString]) -> bool {
    let command = whole_command(words);
    let file = begin(command.clone(), words).ok().and_then(|beginning| beginning.file(&command));
    let entries = file.and_then(|file| read_file(&file, &Keys::of(&command)).ok());
    entries.is_some_and(|entries| entries.0.contains_key("supergraph"))
}

/// Reads everything for a command that is described, not run.
pub(super) fn read_options(words: Vec<OsString>) -> Result<Invocation, ReadError> {
    read_with(words, |_| {})
}

impl Invocation {
    /// The input of a reload.
    pub(crate) fn again(&self) -> Again {
        Again { words: self.words.clone(), first: self.entries.clone() }
    }

    /// The options that are given on the command line and in the environment.
    pub(crate) fn given_without_file(&self) -> GivenOptions {
        let command = flags::without_values(whole_command(&self.words));
        let command = command.ignore_errors(true);
        let Ok(matches) = command.clone().try_get_matches_from(&self.words) else {
            return GivenOptions::default();
        };
        let (mut command, mut matches) = (&command, &matches);
        while let Some((name, of_command)) = matches.subcommand() {
            command = command.find_subcommand(name).unwrap_or(command);
            matches = of_command;
        }
        GivenOptions::of(command, matches)
    }

    /// The options of a server with this file and the environment, and no command line.
    pub(crate) fn as_server(&self, source: &str) -> Result<Arguments, ReadError> {
        self.read_as(&["thalweg", "serve", "--", source])
    }

    /// The options of a gateway whose supergraph is in the file.
    pub(crate) fn as_gateway(&self) -> Result<Arguments, ReadError> {
        self.read_as(&["thalweg", "gateway"])
    }

    /// Whether the file is for a gateway.
    pub(crate) fn names_supergraph(&self) -> bool {
        self.entries.0.contains_key("supergraph")
    }

    fn read_as(&self, words: &[&str]) -> Result<Arguments, ReadError> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let command = whole_command(&words);
        let result = begin(command.clone(), &words)
            .and_then(|beginning| complete(command, &beginning, words.clone(), &self.entries));
        result.map_err(|error| {
            let places = Places::of(&error, self.file.as_deref(), &self.entries);
            ReadError::Arguments { error, places }
        })
    }

    /// Files that cannot be read, of the options of a server, each with its position.
    pub(crate) fn unreadable_files(&self) -> Vec<String> {
        let Some(file) = &self.file else { return Vec::new() };
        let command = Arguments::command();
        let server = if self.names_supergraph() { "gateway" } else { "serve" };
        let keys = Keys::of(command.find_subcommand(server).unwrap_or(&command));
        let mut unreadable = Vec::new();
        for (name, Entry { position, texts }) in &self.entries.0 {
            if !keys.find(name).is_some_and(Key::is_path) {
                continue;
            }
            for text in texts {
                if let Err(error) = fs::File::open(text) {
                    let place = format!("{}:{}:{}", file.display(), position.line, position.column);
                    let text = shown(text);
                    unreadable.push(format!("{place}: `{name}`: cannot read {text}: {error}"));
                }
            }
        }
        unreadable
    }

    /// The position in the file of the option that a message mentions by its name or its value.
    pub(crate) fn place_of(&self, message: &str) -> Option<String> {
        let file = self.file.as_ref()?.display();
        let entries = || self.entries.0.iter();
        // The first option that is mentioned is the wrong one.
        let by_name = entries()
            .filter_map(|(name, entry)| Some((mention(message, name)?, entry)))
            .min_by_key(|(at, _)| *at)
            .map(|(_, entry)| entry);
        let holds = |text: &String| text.len() > 3 && message.contains(text.as_str());
        let by_value =
            || entries().map(|(_, entry)| entry).find(|entry| entry.texts.iter().any(holds));
        let Entry { position, .. } = by_name.or_else(by_value)?;
        Some(format!("{file}:{}:{}", position.line, position.column))
    }
}

/// The place of an option's name in a text.
fn mention(text: &str, option: &str) -> Option<usize> {
    let option = ["--", option].concat();
    let mut places = text.match_indices(&option).map(|(at, _)| at);
    places.find(|at| {
        let next = text.get(at + option.len()..).and_then(|rest| rest.chars().next());
        !next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '-')
    })
}

impl Again {
    /// Reads everything again. The command line and the environment of a process cannot change, so all
    /// differences come from the file.
    pub(crate) fn read(&self) -> Result<Reread, ReadError> {
        let mut kept = Vec::new();
        let invocation = read_with(self.words.clone(), |Entries(entries)| {
            for name in restart::OPTIONS {
                let texts = |entry: &Entry| entry.texts.clone();
                let first = self.first.0.get(*name);
                if entries.get(*name).map(texts) != first.map(texts) {
                    kept.push(*name);
                    entries.remove(*name);
                    entries.extend(first.map(|entry| ((*name).to_owned(), entry.clone())));
                }
            }
        })?;
        Ok(Reread { arguments: invocation.arguments, kept })
    }
}

/// The command with its help texts.
pub(super) fn whole_command(words: &[OsString]) -> Command {
    with_help(with_values(Arguments::command()), Detail::of(words))
}

fn read_with(
    words: Vec<OsString>,
    change: impl FnOnce(&mut Entries),
) -> Result<Invocation, ReadError> {
    let command = whole_command(&words);
    let beginning = begin(command.clone(), &words)
        .map_err(|error| ReadError::Arguments { error, places: Places::default() })?;
    let file = beginning.file(&command);
    let mut entries = match &file {
        Some(file) => read_file(file, &Keys::of(&command))?,
        None => Entries::default(),
    };
    change(&mut entries);
    let arguments = complete(command, &beginning, words.clone(), &entries).map_err(|error| {
        let places = Places::of(&error, file.as_deref(), &entries);
        ReadError::Arguments { error, places }
    })?;
    Ok(Invocation { arguments, file, words, entries })
}

/// Parses the command line and the environment alone, in which options of the file may be missing.
/// Errors come again when everything is parsed together.
pub(super) fn begin(command: Command, words: &[OsString]) -> Result<Beginning, clap::Error> {
    let command = flags::without_values(command).ignore_errors(true);
    let matches = command.try_get_matches_from(words)?;
    let mut commands = Vec::new();
    let mut leaf = &matches;
    while let Some((name, matches)) = leaf.subcommand() {
        commands.push(name.to_owned());
        leaf = matches;
    }
    let given: Vec<_> = leaf.ids().filter_map(|id| given(leaf, id.as_str())).collect();
    let names = |name: &str| given.iter().any(|given| given.id == name);
    let file = if names(CONFIG) { leaf.get_one::<PathBuf>(CONFIG).cloned() } else { None };
    let preset = if names(PRESET) { leaf.get_one::<Preset>(PRESET).copied() } else { None };
    Ok(Beginning { commands, file, given, preset })
}

fn given(matches: &ArgMatches, id: &str) -> Option<SetOption> {
    match matches.value_source(id)? {
        source @ (ValueSource::CommandLine | ValueSource::EnvVariable) => {
            let value = matches.try_get_one::<bool>(id).ok().flatten();
            let setting = if value == Some(&false) { Setting::Off } else { Setting::On };
            let texts = matches.get_raw(id).into_iter().flatten();
            let texts = texts.map(|text| text.to_string_lossy().into_owned()).collect();
            Some(SetOption { id: id.to_owned(), source, setting, texts })
        }
        // A default, or a source that a later version of clap may have.
        _ => None,
    }
}

impl Beginning {
    /// The file to read. A command without options of the file, such as one that prints completions,
    /// needs none.
    fn file(&self, root: &Command) -> Option<PathBuf> {
        let mut names = self.commands.iter();
        let leaf = names.try_fold(root, |command, name| command.find_subcommand(name))?;
        let own = |arg: &Arg| !arg.is_global_set() && keys::name(arg).is_some();
        let default = || Some(PathBuf::from(DEFAULT_FILE)).filter(|file| file.exists());
        leaf.get_arguments().any(own).then(|| self.file.clone().or_else(default)).flatten()
    }

    fn source_of(&self, arg: &Arg) -> Option<ValueSource> {
        self.given(arg).map(|given| given.source)
    }

    /// What the command line or the environment gives for an option.
    pub(super) fn given(&self, arg: &Arg) -> Option<&SetOption> {
        let id = arg.get_id().as_str();
        self.given.iter().find(|given| given.id == id)
    }

    /// The defaults of the preset for options that nothing else sets.
    pub(super) fn of_preset(
        &self,
        command: &Command,
        entries: &Entries,
    ) -> Vec<&'static PresetDefault> {
        let of_file = || Preset::find(entries.0.get(PRESET)?.texts.first()?);
        let Some(preset) = self.preset.or_else(of_file) else { return Vec::new() };
        let mut names = self.commands.iter();
        let leaf = names.try_fold(command, |command, name| command.find_subcommand(name));
        let Some(leaf) = leaf else { return Vec::new() };
        let is_option = |name: &str| leaf.get_arguments().any(|arg| arg.get_long() == Some(name));
        let setting = |name: &str| {
            let id = name.replace('-', "_");
            let of_file = || match entries.0.get(name) {
                None => Setting::Absent,
                Some(entry) if entry.texts == ["false"] => Setting::Off,
                Some(_) => Setting::On,
            };
            let given = self.given.iter().find(|given| given.id == id);
            given.map_or_else(of_file, |given| given.setting)
        };
        preset.defaults(setting).filter(|default| is_option(default.option)).collect()
    }
}

fn read_file(file: &Path, keys: &Keys) -> Result<Entries, ReadError> {
    let text = fs::read_to_string(file)
        .map_err(|error| ReadError::File { file: file.to_owned(), error })?;
    Ok(file::parse(file, &text, keys, &variable)?)
}

/// The value of a variable of the environment.
pub(crate) fn variable(name: &str) -> Variable {
    match env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => Err(NotText),
    }
}

/// Parses everything together: entries of the file become further words, unless the command line or
/// the environment sets the option.
fn complete(
    mut command: Command,
    beginning: &Beginning,
    mut words: Vec<OsString>,
    entries: &Entries,
) -> Result<Arguments, clap::Error> {
    let mut added = from_file(&mut command, beginning, entries);
    let of_preset = beginning.of_preset(&command, entries);
    added.extend(of_preset.iter().map(|default| default.word()));
    command = flags::without_values(command);
    // Words after `--` are not options.
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, added.into_iter().map(OsString::from));
    let matches = match command.try_get_matches_from_mut(&words) {
        Ok(matches) => matches,
        Err(error) => {
            let leaf = leaf(&mut command, &beginning.commands);
            return Err(elsewhere::explain(error, leaf.as_deref(), &words));
        }
    };
    let mut arguments =
        Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    let mut leaf = (&command, &matches);
    while let Some((name, matches)) = leaf.1.subcommand()
        && let Some(command) = leaf.0.find_subcommand(name)
    {
        leaf = (command, matches);
    }
    let of_preset: Vec<_> = of_preset.iter().map(|default| default.option).collect();
    arguments.command.set_given(&GivenOptions::of(leaf.0, leaf.1).without(&of_preset));
    Ok(arguments)
}

/// The words for entries of the file that the command uses. A positional argument has no name on the
/// command line, and gets the file's value as its default.
fn from_file(root: &mut Command, beginning: &Beginning, entries: &Entries) -> Vec<String> {
    // With the file of a gateway, `schema` and `explain` use its supergraph.
    let looks =
        matches!(beginning.commands.first().map(String::as_str), Some("schema" | "explain"));
    let entry = |arg: &Arg| {
        let name = keys::name(arg)?;
        let instead = if looks && name == "source" { entries.0.get("supergraph") } else { None };
        entries.0.get(&name).or(instead)
    };
    let mut words = Vec::new();
    let globals: Vec<Arg> =
        root.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    let Some(leaf) = leaf(root, &beginning.commands) else { return words };
    let own = leaf.get_arguments().filter(|arg| !arg.is_positional());
    for arg in globals.iter().chain(own) {
        if let (Some(entry), None) = (entry(arg), beginning.source_of(arg)) {
            words.extend(value::words(&Key::new(arg), &entry.texts));
        }
    }
    let mut positionals: Vec<Arg> = leaf.get_positionals().cloned().collect();
    // Arguments that a command has changed come last; without an index the order is that of the help.
    positionals.sort_by_key(Arg::get_index);
    if positionals.iter().all(|arg| beginning.source_of(arg).is_some()) {
        return words;
    }
    let is_elsewhere =
        |arg: &Arg| entry(arg).is_some() || arg.get_env().and_then(env::var_os).is_some();
    // The second schema of a check is optional: a single word is the source.
    let is_check = beginning.commands.first().is_some_and(|name| name == "check");
    if positionals.first().is_some_and(is_elsewhere) && !is_check {
        // A single word is for an argument that only the command line can set.
        positionals.rotate_left(1);
    }
    let mut command = std::mem::take(leaf);
    for (index, arg) in (1..).zip(&positionals) {
        let texts = entry(arg).map(|entry| entry.texts.clone());
        let is_there = is_elsewhere(arg);
        command = command.mut_arg(arg.get_id(), |arg| match texts {
            Some(texts) => arg.index(index).required(false).default_values(texts),
            // The value is set elsewhere, and may then follow an optional argument.
            None if is_there => arg.index(index).required(false),
            None => arg.index(index),
        });
    }
    *leaf = command;
    words
}

/// The command that runs.
pub(super) fn leaf<'a>(root: &'a mut Command, names: &[String]) -> Option<&'a mut Command> {
    names.iter().try_fold(root, |command, name| command.find_subcommand_mut(name))
}

impl Places {
    /// The positions of the options that the error mentions.
    fn of(error: &clap::Error, file: Option<&Path>, entries: &Entries) -> Self {
        let text = error.to_string();
        let Some(file) = file.filter(|_| error.use_stderr()) else { return Self::default() };
        let entries = entries.0.iter().filter(|(name, _)| mention(&text, name).is_some());
        Self(
            entries
                .map(|(name, entry)| {
                    format!("`{name}` stands in {}:{}", file.display(), entry.position.line)
                })
                .collect(),
        )
    }
}

impl std::fmt::Display for Places {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|place| write!(f, "\nnote: {place}"))
    }
}

impl ReadError {
    /// Whether the file contributes to the error.
    fn is_of_file(&self) -> bool {
        match self {
            Self::Arguments { places, .. } => !places.0.is_empty(),
            Self::File { .. } | Self::Refused(_) | Self::Found(_) => true,
        }
    }

    /// Prints the error, or the requested help on standard output, and returns the exit code.
    pub(crate) fn report(&self) -> u8 {
        use std::io::Write;
        match self {
            Self::Arguments { error, places } => {
                // If the streams are closed, only the exit code remains.
                let text = error.to_string();
                let shown = redacted(&text);
                match shown == text {
                    true => drop(error.print()),
                    // Without colours, which the text has as words.
                    false => drop(write!(io::stderr(), "{shown}")),
                }
                for place in &places.0 {
                    drop(writeln!(io::stderr(), "note: {place}"));
                }
                u8::try_from(error.exit_code()).unwrap_or(2)
            }
            Self::File { .. } | Self::Refused(_) => {
                drop(writeln!(io::stderr(), "error: {}", redacted(&self.to_string())));
                2
            }
            Self::Found(error) => {
                error.report();
                1
            }
        }
    }
}
