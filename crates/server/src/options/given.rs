//! The options that a command was given: on the command line, in the environment or in the file.

use std::collections::BTreeSet;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// Long names of options, without those that have their default value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GivenOptions(BTreeSet<String>);

impl GivenOptions {
    /// The options of a command that its matches hold. A flag that is given as false is left out:
    /// it asks for nothing.
    pub(crate) fn of(command: &Command, matches: &ArgMatches) -> Self {
        let is_given = |arg: &&Arg| {
            let id = arg.get_id().as_str();
            let source = matches.value_source(id);
            let is_said =
                matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable));
            is_said && !is_false_flag(arg, matches)
        };
        let given = command.get_arguments().filter(is_given);
        Self(given.filter_map(|arg| arg.get_long().map(str::to_owned)).collect())
    }

    pub(crate) fn contains(&self, long: &str) -> bool {
        self.0.contains(long)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Whether the option is one that needs no value, and has the value false.
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
