//! `thalweg config`: the configuration as it is used, the JSON Schemas of the configuration file, of
//! policy files and of subgraphs files, and an example of the first.

use std::process::ExitCode;

use clap::CommandFactory;
use serde_json::Value;

use crate::commands::print;
use crate::configuration::{
    Invocation, Keys, POLICIES, effective, example, schema, subgraphs_schema,
};
use crate::failure::Failure;
use crate::options::{Arguments, ConfigOptions, ConfigPart};

pub(crate) fn run(options: &ConfigOptions, invocation: &Invocation) -> Result<ExitCode, Failure> {
    if options.part != ConfigPart::Show && !options.command.is_empty() {
        let message =
            "only `thalweg config show` shows the options of a command: leave the others out";
        return Err(Failure::Usage(message.into()));
    }
    let keys = Keys::of(&Arguments::command());
    match options.part {
        ConfigPart::Show => {
            match effective(&invocation.words, &options.command) {
                Ok(text) => print(&text),
                // As the command itself would report it, or its help.
                Err(error) => return Ok(ExitCode::from(error.report())),
            }
        }
        ConfigPart::Schema => print(&sorted(schema(&keys))),
        ConfigPart::Example => print(&example(&keys)),
        ConfigPart::Policies => print(POLICIES),
        ConfigPart::Subgraphs => print(&sorted(subgraphs_schema())),
    }
    .map(|()| ExitCode::SUCCESS)
}

/// Members are sorted, so that schemas of two versions can be compared.
fn sorted(mut schema: Value) -> String {
    schema.sort_all_objects();
    format!("{schema:#}\n")
}
