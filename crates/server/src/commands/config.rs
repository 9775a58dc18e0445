//! `thalweg config`: what can stand in the configuration file.

use clap::CommandFactory;

use crate::commands::print;
use crate::configuration::{Keys, example, schema};
use crate::failure::Failure;
use crate::options::{Arguments, ConfigCommand};

pub(crate) fn run(command: &ConfigCommand) -> Result<(), Failure> {
    let keys = Keys::of(&Arguments::command());
    match command {
        ConfigCommand::Schema => print(&format!("{:#}\n", schema(&keys))),
        ConfigCommand::Example => print(&example(&keys)),
    }
}
