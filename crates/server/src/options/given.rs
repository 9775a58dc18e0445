//! The options that are given to a command: on the command line, in the environment or in the file.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};

/// Long names of options, without those that have their default values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GivenOptions(BTreeSet<String>);

impl GivenOptions {
    /// The options in the matches of a command, except flags that are given as false.
    pub(crate) fn of(command: &Command, matches: &ArgMatches) -> Self {
        let is_given = |arg: &&Arg| {
            let id = arg.get_id().as_str();
            let source = matches.value_source(id);
            let is_set =
                matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable));
            is_set && !is_false_flag(arg, matches)
        };
        let given = command.get_arguments().filter(is_given);
        Self(given.filter_map(|arg| arg.get_long().map(str::to_owned)).collect())
    }

    /// Without options that only a preset has set.
    pub(crate) fn without(mut self, names: &[&str]) -> Self {
        self.0.retain(|name| !names.contains(&name.as_str()));
        self
    }

    pub(crate) fn contains(&self, long: &str) -> bool {
        self.0.contains(long)
    }

    /// The first option of a group.
    pub(super) fn first_of<Group: Args>(&self) -> Option<&str> {
        let names = names_of::<Group>();
        self.iter().find(|name| names.iter().any(|known| known == name))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Parses the words of a command line, and ignores the environment.
pub(super) fn of_words<Group: Args>(
    words: impl IntoIterator<Item = OsString>,
) -> Result<(Group, GivenOptions), clap::Error> {
    let command = Group::augment_args(Command::new("thalweg"));
    let command = command.mut_args(|arg| arg.env(Resettable::Reset));
    let matches = command.clone().try_get_matches_from(words)?;
    let options = Group::from_arg_matches(&matches)?;
    Ok((options, GivenOptions::of(&command, &matches)))
}

/// The long names of a group of options.
pub(super) fn names_of<Group: Args>() -> Vec<String> {
    let command = Group::augment_args(Command::new("group"));
    command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect()
}

/// Whether the option is a flag with the value false.
fn is_false_flag(arg: &Arg, matches: &ArgMatches) -> bool {
    let can_stand_alone = arg.get_num_args().is_some_and(|values| values.min_values() == 0);
    let value = matches.try_get_one::<bool>(arg.get_id().as_str());
    can_stand_alone && value.ok().flatten() == Some(&false)
}

#[cfg(test)]
impl<const N: usize> From<[&str; N]> for GivenOptions {
    fn from(names: [&str; N]) -> Self {
        Self(names.map(str::to_owned).into())
    }
}
