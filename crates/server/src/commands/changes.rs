//! `thalweg check OLD NEW`: the changes between two schemas, classified by their effects on clients.
//!
//! * `documents`: reads the documents that clients send
//! * `counted`: what servers have counted
//! * `report`: prints the changes

mod counted;
mod documents;
mod report;

use std::fs;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use supergraph::Problem;
use supergraph::changes::{Usage, WrittenSchema, compare};

use crate::commands::{gateway, print};
use crate::configuration::redacted;
use crate::failure::Failure;
use crate::options::{ChangesOptions, RegistryOptions, SupergraphLocation};
use counted::Threshold;
use documents::{Contents, DocumentError};
pub(super) use report::Report;

/// Exit code for schemas and documents that cannot be compared.
const UNREADABLE: u8 = 2;

/// Limit of printed warnings about documents.
const MOST_WARNINGS: usize = 20;

/// A schema with the name of its place in messages.
pub(super) struct Schema {
    pub(super) place: String,
    /// Whether the place is a file.
    pub(super) is_file: bool,
    pub(super) schema: WrittenSchema,
}

/// The reason why schemas cannot be compared.
enum ChangesError {
    Failure(Failure),
    Problems { place: String, problems: Vec<Problem> },
    Documents(Vec<DocumentError>),
}

impl From<Failure> for ChangesError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Compares the schemas. The exit code is 1 if a change fails the check, and 2 if there is no
/// comparison.
pub(crate) fn run(old: &str, new: &str, options: &ChangesOptions) -> Result<ExitCode, Failure> {
    match compared(old, new, options) {
        Ok(code) => Ok(code),
        Err(ChangesError::Failure(failure)) if failure.is_closed_output() => Err(failure),
        Err(error) => {
            let messages = match error {
                ChangesError::Failure(failure) => vec![failure.to_string()],
                ChangesError::Problems { place, problems } => {
                    vec![Failure::WrongSupergraph { place, problems }.to_string()]
                }
                ChangesError::Documents(errors) => errors.iter().map(ToString::to_string).collect(),
            };
            for message in messages {
                report_problem("error", &message);
            }
            Ok(ExitCode::from(UNREADABLE))
        }
    }
}

fn compared(old: &str, new: &str, options: &ChangesOptions) -> Result<ExitCode, ChangesError> {
    if old == "-" && new == "-" {
        let message = "only one schema can be the standard input".to_owned();
        return Err(Failure::Usage(message).into());
    }
    let (old, new) = (read(old)?, read(new)?);
    let usage = usage(&old, options)?;
    let mut rules = options.rules();
    rules.usage = (!options.usage.is_empty()).then_some(&usage);
    let changes = compare(&old.schema, &new.schema, &rules);
    let is_failed = changes.iter().any(|change| options.fail_on.includes(change.criticality));
    let report = Report { changes: &changes, old: &old, new: &new, is_failed };
    print(&report.print(options.report))?;
    Ok(if is_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Reads the parts of the old schema that clients use. Documents that do not fit it are warnings:
/// no change can break them.
fn usage(old: &Schema, options: &ChangesOptions) -> Result<Usage, ChangesError> {
    let mut usage = Usage::default();
    let threshold = Threshold::new(options)?;
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    let Contents { documents, counted } = documents::read(&options.usage)?;
    if counted.is_empty() && threshold.is_given {
        let message = "`--usage-minimum` and `--usage-period` need counts of a server in `--usage`";
        return Err(Failure::Usage(message.to_owned()).into());
    }
    for (place, file) in &counted {
        counted::add(&mut usage, &old.schema, file, &threshold)
            .map_err(|error| Failure::other(counted::wrong(place, &error)))?;
    }
    for document in documents {
        match usage.add(&old.schema, &document.text) {
            Ok(unknown) => warnings.extend(document.unknown(&unknown)),
            Err(error) => errors.push(document.wrong(&error)),
        }
    }
    for warning in warnings.iter().take(MOST_WARNINGS) {
        report_problem("warning", &warning.to_string());
    }
    if let Some(more @ 1..) = warnings.len().checked_sub(MOST_WARNINGS) {
        report_problem("warning", &format!("and {more} more"));
    }
    if errors.is_empty() { Ok(usage) } else { Err(ChangesError::Documents(errors)) }
}

/// Prints a problem on the error stream.
fn report_problem(level: &str, message: &str) {
    // If the error stream is closed, only the exit code remains.
    drop(writeln!(io::stderr(), "{level}: {}", redacted(message)));
}

fn read(text: &str) -> Result<Schema, ChangesError> {
    let location = SupergraphLocation::parse(text, &RegistryOptions::default())?;
    let is_file = matches!(location, SupergraphLocation::File(_)) && text != "-";
    let place = if text == "-" { "standard input".to_owned() } else { location.to_string() };
    let sdl = match &location {
        SupergraphLocation::File(_) if text == "-" => {
            let mut sdl = String::new();
            let read = io::stdin().read_to_string(&mut sdl);
            read.map_err(|error| unreadable("standard input".into(), error))?;
            sdl
        }
        SupergraphLocation::File(file) => {
            fs::read_to_string(file).map_err(|error| unreadable(file.clone(), error))?
        }
        SupergraphLocation::Remote(_) | SupergraphLocation::Composition(_) => {
            gateway::read_text(&location)?
        }
    };
    match WrittenSchema::read(&sdl) {
        Ok(schema) => Ok(Schema { place, is_file, schema }),
        Err(problems) => Err(ChangesError::Problems { place, problems }),
    }
}

fn unreadable(file: PathBuf, error: io::Error) -> Failure {
    Failure::Document { file, error }
}
