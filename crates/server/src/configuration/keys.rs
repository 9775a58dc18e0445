//! The names of the configuration file, derived from the options.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::{
    NonZeroI32, NonZeroI64, NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize,
};
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command};

use super::similar;

/// The prefix of all environment variables of the program.
const PREFIX: &str = "THALWEG_";

/// The option with the path of the file, which the file cannot contain.
pub(super) const CONFIG: &str = "config";

/// All options by name.
#[derive(Clone, Debug)]
pub(crate) struct Keys(BTreeMap<String, Key>);

/// An option of the environment, and so of the file.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(super) arg: Arg,
    pub(super) kind: Kind,
    pub(super) list: List,
    /// Its position among all options.
    number: usize,
}

/// The type of an option's value in TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A boolean without a value on the command line.
    Flag,
    Boolean,
    Integer,
    Number,
    /// A string, or one of several words.
    Text,
    /// A string or a number, such as a size.
    Quantity,
}

/// The number of values of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    One,
    /// Several values in one word.
    Separated(char),
    /// The option may be repeated.
    Repeated,
}

impl Keys {
    /// The options of a command and all its subcommands.
    pub(crate) fn of(command: &Command) -> Self {
        let mut keys = BTreeMap::new();
        add(&mut keys, command);
        Self(keys)
    }

    /// Keeps the options with these names.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.0.retain(|name, _| is_kept(name));
    }

    pub(super) fn find(&self, name: &str) -> Option<&Key> {
        self.0.get(name)
    }

    /// All options in the order of their names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Key)> {
        self.0.iter().map(|(name, key)| (name.as_str(), key))
    }

    /// All options in the order of the help.
    pub(super) fn in_order(&self) -> Vec<(&str, &Key)> {
        let mut keys: Vec<_> = self.iter().collect();
        keys.sort_by_key(|(_, key)| key.number);
        keys
    }

    /// The most similar name, for a misspelt one.
    pub(super) fn nearest(&self, name: &str) -> Option<&str> {
        let name = name.to_ascii_lowercase().replace('_', "-");
        similar::nearest(&name, self.0.keys().map(String::as_str))
    }
}

/// Adds the options of a command. Those of subcommands come first, as in the help.
fn add(keys: &mut BTreeMap<String, Key>, command: &Command) {
    for command in command.get_subcommands() {
        add(keys, command);
    }
    for arg in command.get_arguments() {
        if let Some(name) = name(arg) {
            let number = keys.len();
            keys.entry(name).or_insert_with(|| Key { number, ..Key::new(arg) });
        }
    }
}

/// The name of an option in the file, if it has one.
pub(super) fn name(arg: &Arg) -> Option<String> {
    let variable = arg.get_env()?.to_str()?;
    let name = variable.strip_prefix(PREFIX)?.to_ascii_lowercase().replace('_', "-");
    (name != CONFIG).then_some(name)
}

impl Key {
    pub(super) fn new(arg: &Arg) -> Self {
        let list = match (arg.get_value_delimiter(), arg.get_action()) {
            (Some(delimiter), _) => List::Separated(delimiter),
            (None, ArgAction::Append) => List::Repeated,
            (None, _) => List::One,
        };
        Self { arg: arg.clone(), kind: Kind::of(arg), list, number: 0 }
    }

    /// The heading in the help.
    pub(super) fn heading(&self) -> &str {
        self.arg.get_help_heading().unwrap_or("The API")
    }

    /// Whether the value must not appear in messages.
    pub(super) fn is_secret(&self) -> bool {
        self.arg.is_hide_env_values_set()
    }

    pub(super) fn is_path(&self) -> bool {
        self.arg.get_value_parser().type_id() == TypeId::of::<PathBuf>()
    }

    /// The possible values, if they are restricted.
    pub(super) fn words(&self) -> Vec<String> {
        let words = self.arg.get_possible_values();
        words.iter().map(|word| word.get_name().to_owned()).collect()
    }
}

impl Kind {
    fn of(arg: &Arg) -> Self {
        let parser = arg.get_value_parser().type_id();
        let is_one_of = |types: &[TypeId]| types.iter().any(|kind| parser == *kind);
        let can_stand_alone = arg.get_num_args().is_some_and(|values| values.min_values() == 0);
        if matches!(arg.get_action(), ArgAction::SetTrue) || can_stand_alone {
            Self::Flag
        } else if is_one_of(&[TypeId::of::<bool>()]) {
            Self::Boolean
        } else if is_one_of(&integers()) {
            Self::Integer
        } else if is_one_of(&[TypeId::of::<f64>(), TypeId::of::<f32>()]) {
            Self::Number
        } else if is_one_of(&texts()) || !arg.get_possible_values().is_empty() {
            Self::Text
        } else {
            Self::Quantity
        }
    }
}

fn integers() -> [TypeId; 17] {
    [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<i8>(),
        TypeId::of::<i16>(),
        TypeId::of::<i32>(),
        TypeId::of::<i64>(),
        TypeId::of::<isize>(),
        TypeId::of::<NonZeroU8>(),
        TypeId::of::<NonZeroU16>(),
        TypeId::of::<NonZeroU32>(),
        TypeId::of::<NonZeroU64>(),
        TypeId::of::<NonZeroUsize>(),
        TypeId::of::<NonZeroI32>(),
        TypeId::of::<NonZeroI64>(),
    ]
}

fn texts() -> [TypeId; 4] {
    [
        TypeId::of::<String>(),
        TypeId::of::<Box<str>>(),
        TypeId::of::<PathBuf>(),
        TypeId::of::<OsString>(),
    ]
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::options::Arguments;

    fn keys() -> Keys {
        Keys::of(&Arguments::command())
    }

    #[test]
    fn a_name_in_the_file_is_the_name_on_the_command_line() {
        fn check(command: &Command) {
            for arg in command.get_arguments() {
                let Some(name) = name(arg) else { continue };
                let long = arg.get_long().map_or(arg.get_id().as_str(), |long| long);
                assert_eq!(name, long);
            }
            command.get_subcommands().for_each(check);
        }
        check(&Arguments::command());
    }

    #[test]
    fn kinds_come_from_the_options_types() {
        let check = |name: &str, kind, list| {
            let keys = keys();
            let key = keys.find(name).unwrap();
            assert_eq!((key.kind, key.list), (kind, list), "{name}");
        };
        check("source", Kind::Text, List::One);
        check("dialect", Kind::Text, List::One);
        check("schema", Kind::Text, List::Separated(','));
        check("aggregates", Kind::Flag, List::One);
        check("use-aggregation", Kind::Boolean, List::One);
        check("tags-file", Kind::Text, List::One);
        check("view-unique-key", Kind::Text, List::One);
        check("connection-filter-operator-names", Kind::Quantity, List::Separated(','));
        check("max-depth", Kind::Integer, List::One);
        check("connections", Kind::Integer, List::One);
        check("threads", Kind::Integer, List::One);
        check("default-limit", Kind::Integer, List::One);
        check("max-body-size", Kind::Quantity, List::One);
        check("drain-timeout", Kind::Quantity, List::One);
        check("log", Kind::Text, List::One);
        assert!(keys().find("config").is_none() && keys().find("help").is_none());
    }

    #[test]
    fn the_nearest_name_is_offered_and_no_far_one() {
        let check = |name: &str, nearest: Option<&str>| {
            assert_eq!(keys().nearest(name), nearest, "{name}");
        };
        check("max-boddy-size", Some("max-body-size"));
        check("max_body_size", Some("max-body-size"));
        check("Listen", Some("listen"));
        check("xyz", None);
    }
}
