//! `thalweg completions`: the completion script of a shell.

use crate::commands::print;
use crate::configuration::documented_command;
use crate::failure::Failure;
use crate::options::CompletionsOptions;

pub(crate) fn run(options: &CompletionsOptions) -> Result<(), Failure> {
    let mut command = documented_command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, name, &mut script);
    print(&String::from_utf8_lossy(&script))
}
