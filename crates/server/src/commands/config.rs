//! `thalweg config`: the JSON Schemas of the configuration file, of policy files and of subgraphs
//! files, and an example of the first.

use clap::CommandFactory;

use crate::commands::print;
use crate::configuration::{Keys, POLICIES, example, schema, subgraphs_schema};
use crate::failure::Failure;
use crate::options::{Arguments, ConfigOptions, ConfigPart};

pub(crate) fn run(options: &ConfigOptions) -> Result<(), Failure> {
    let keys = Keys::of(&Arguments::command());
    match options.part {
        ConfigPart::Schema => print(&format!("{:#}\n", schema(&keys))),
        ConfigPart::Example => print(&example(&keys)),
        ConfigPart::Policies => print(POLICIES),
        ConfigPart::Subgraphs => print(&format!("{:#}\n", subgraphs_schema())),
    }
}
