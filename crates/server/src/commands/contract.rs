//! `thalweg contract`: prints a supergraph whose API is filtered by tags.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use supergraph::contract::{ContractError, Violation, filter};

use crate::commands::{gateway, print};
use crate::configuration::redacted;
use crate::failure::Failure;
use crate::options::{ContractOptions, RegistryOptions, SupergraphLocation};

pub(crate) fn run(options: &ContractOptions) -> Result<ExitCode, Failure> {
    let rules = options.filter()?;
    let location = SupergraphLocation::parse(&options.supergraph, &RegistryOptions::default())?;
    let text = gateway::read_text(&location)?;
    let place = location.to_string();
    match filter(&text, &rules) {
        Ok(contract) => {
            for tag in &contract.unknown_tags {
                note(&format!("warning: {place}: {}", unknown(tag, &contract.tags)));
            }
            print(&contract.supergraph)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(ContractError::Supergraph(problems)) => {
            Err(Failure::WrongSupergraph { place, problems })
        }
        Err(ContractError::Invalid(violations)) => {
            for violation in violations {
                let Violation { line, column, .. } = violation;
                note(&format!("error: {place}:{line}:{column}: {violation}"));
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

fn unknown(tag: &str, tags: &[Arc<str>]) -> String {
    let similar = graphql::similar_names(tag, tags.iter().map(|tag| &**tag));
    match similar.first() {
        Some(similar) => format!("no element has the tag `{tag}`; did you mean `{similar}`?"),
        None => format!("no element has the tag `{tag}`"),
    }
}

fn note(message: &str) {
    // If the error stream is closed, only the exit code remains.
    drop(writeln!(io::stderr(), "{}", redacted(message)));
}
