//! Options without a value, such as `--aggregates`.

use clap::{Arg, ArgAction, Command};

use super::keys;

/// Gives flags an optional value, as in `--aggregates=false`: otherwise the command line could not turn
/// off what the environment or the file turns on. Variables of the environment accept only words for
/// yes and no.
pub(super) fn with_values(command: Command) -> Command {
    let flag = |arg: Arg| match is_flag(&arg) {
        true => arg
            .action(ArgAction::Set)
            .num_args(0..=1)
            .require_equals(true)
            .value_name("BOOL")
            .value_parser(switch)
            .default_missing_value("true")
            .default_value("false")
            .hide_default_value(true)
            .hide_possible_values(true),
        false => arg,
    };
    command.mut_args(flag).mut_subcommands(with_values)
}

/// Reads words for yes and no.
fn switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => Ok(true),
        "false" | "f" | "no" | "n" | "off" | "0" => Ok(false),
        _ => Err("`true` or `false` is wanted".into()),
    }
}

/// Hides values of the environment in help texts: any of them may be a secret.
pub(super) fn without_values(command: Command) -> Command {
    command.mut_args(|arg| arg.hide_env_values(true)).mut_subcommands(without_values)
}

fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue) && keys::name(arg).is_some()
}
