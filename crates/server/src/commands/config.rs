//! `thalweg config`: the JSON Schemas of the configuration file, of policy files and of subgraphs
//! files, and an example of the first.

use clap::CommandFactory;
use serde_json::Value;

use crate::commands::print;
use crate::configuration::{Keys, POLICIES, example, schema, subgraphs_schema};
use crate::failure::Failure;
use crate::options::{Arguments, ConfigOptions, ConfigPart};

pub(crate) fn run(options: &ConfigOptions) -> Result<(), Failure> {
    let keys = Keys::of(&Arguments::command());
    match options.part {
        ConfigPart::Schema => print(&sorted(schema(&keys))),
        ConfigPart::Example => print(&example(&keys)),
        ConfigPart::Policies => print(POLICIES),
        ConfigPart::Subgraphs => print(&sorted(subgraphs_schema())),
    }
}

/// Members are sorted, so that schemas of two versions can be compared.
fn sorted(mut schema: Value) -> String {
    schema.sort_all_objects();
    format!("{schema:#}\n")
}
