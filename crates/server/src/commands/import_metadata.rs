//! `thalweg import-metadata PATH`: what of Hasura's metadata is served, and what is not.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::ExitCode;

use dialects::hasura::metadata::Reading;
use hasura_metadata::types::remote_relationship::RemoteRelationshipDefinition;
use hasura_metadata::types::source::Source;
use hasura_metadata::variables::variables;
use hasura_metadata::{Metadata, support};

use crate::commands::print;
use crate::failure::Failure;
use crate::options::{ImportMetadataOptions, read_metadata};

/// Limit of places that are listed for one key.
const MOST_PLACES: usize = 20;

/// Reads the metadata, and prints the report. The exit code is 1 if something is wrong.
pub(crate) fn run(options: &ImportMetadataOptions) -> Result<ExitCode, Failure> {
    let reading = read_metadata(&options.path)?;
    let is_wrong = reading.errors().next().is_some();
    match (&reading.metadata, options.print_metadata) {
        (Some(metadata), true) if !is_wrong => {
            print(&(metadata.to_json().compact() + "\n"))?;
        }
        _ => print(&report(&options.path.display().to_string(), &reading))?,
    }
    Ok(if is_wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn report(place: &str, reading: &Reading) -> String {
    let mut text = String::new();
    if let Some(metadata) = &reading.metadata {
        line(&mut text, format_args!("Metadata in {place}: {}.", parts(metadata).join(", ")));
    }
    let errors: Vec<String> = reading.errors().map(ToString::to_string).collect();
    let notices = reading.problems.iter().filter(|problem| !problem.kind.is_error());
    let notices: Vec<String> = notices.map(ToString::to_string).collect();
    let unserved = support::lines(&reading.unserved, MOST_PLACES);
    let sources: Vec<String> = match &reading.metadata {
        Some(metadata) if metadata.sources.len() > 1 => {
            metadata.sources.iter().map(|source| source_line(source)).collect()
        }
        Some(_) | None => Vec::new(),
    };
    let names: Vec<String> = reading.metadata.iter().flat_map(variables).collect();
    let variables: Vec<String> = names.iter().map(|name| stated(name)).collect();
    for (heading, lines) in [
        ("Sources", &sources),
        ("Wrong", &errors),
        ("Not served", &unserved),
        ("To know", &notices),
        ("Environment variables", &variables),
    ] {
        if lines.is_empty() {
            continue;
        }
        line(&mut text, format_args!("\n{heading} ({})", lines.len()));
        for one in lines {
            line(&mut text, format_args!("  {one}"));
        }
    }
    let rest = match (errors.is_empty(), unserved.is_empty()) {
        (false, _) => "It cannot be served before what is wrong is corrected.",
        (true, false) => "Everything else is served.",
        (true, true) => "All of it is served.",
    };
    line(&mut text, format_args!("\n{rest}"));
    if errors.is_empty() {
        let further = reading.metadata.iter().flat_map(further_options).collect::<String>();
        let next =
            format!("thalweg check postgres://… --dialect hasura --metadata {place}{further}");
        line(&mut text, format_args!("Whether it fits the database, `{next}` says."));
    }
    text
}

/// A source, with its kind and the number of its tables.
fn source_line(source: &Source) -> String {
    let (name, kind, tables) = (&source.name.text, &source.kind, source.tables.len());
    let tables = format!("{tables} {}", if tables == 1 { "table" } else { "tables" });
    let relationships = source.tables.iter().flat_map(|table| table.remote_relationships.iter());
    let others = relationships.filter_map(|one| match &one.definition {
        RemoteRelationshipDefinition::ToSource(to) => Some(&*to.source.text),
        _ => None,
    });
    let others: BTreeSet<&str> = others.collect();
    let to = match others.is_empty() {
        true => String::new(),
        false => {
            let others: Vec<&str> = others.into_iter().collect();
            format!(", with relationships to {}", others.join(", "))
        }
    };
    format!("{name}: {kind}, {tables}{to}")
}

/// The options for the sources beside the first one, whose addresses the metadata may have.
fn further_options(metadata: &Metadata) -> Vec<String> {
    let mut served = metadata.sources.iter().filter(|source| source.kind.is_served());
    let Some(first) = served.next() else { return Vec::new() };
    let further = served.map(|source| format!(" --further-source {}", source.name.text));
    let further: Vec<String> = further.collect();
    match further.is_empty() {
        true => Vec::new(),
        false => {
            let first = format!(" --metadata-source {}", first.name.text);
            std::iter::once(first).chain(further).collect()
        }
    }
}

/// A variable, and whether it is set for this command.
fn stated(name: &str) -> String {
    match std::env::var_os(name) {
        Some(_) => format!("{name}: set here"),
        None => format!("{name}: not set here; the server needs it"),
    }
}

/// The numbers of its parts.
fn parts(metadata: &Metadata) -> Vec<String> {
    let sources = metadata.sources.iter().map(|source| &source.0);
    let tables = sources.clone().map(|source| source.tables.len()).sum();
    let functions = sources.map(|source| source.functions.len()).sum();
    let counts: [(usize, &str, &str); 8] = [
        (metadata.sources.len(), "source", "sources"),
        (tables, "table", "tables"),
        (functions, "function", "functions"),
        (metadata.actions.len(), "action", "actions"),
        (metadata.remote_schemas.len(), "remote schema", "remote schemas"),
        (metadata.query_collections.len(), "query collection", "query collections"),
        (metadata.rest_endpoints.len(), "REST endpoint", "REST endpoints"),
        (metadata.cron_triggers.len(), "cron trigger", "cron triggers"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    counts
        .map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }))
        .collect()
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let written = writeln!(text, "{content}");
    debug_assert!(written.is_ok(), "a line was not written");
}
