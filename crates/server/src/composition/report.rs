//! Errors and hints of a composition, as text, as JSON, and as annotations of GitHub.

use std::fmt::{self, Write as _};

use serde_json::{Value, json};
use supergraph::composition::{Finding, Location};

use super::Inputs;
use crate::options::ReportForm;

/// Schemas that do not compose.
#[derive(Debug)]
pub(crate) struct NotComposed {
    pub(crate) errors: Vec<Finding>,
    pub(crate) hints: Vec<Finding>,
    pub(crate) inputs: Inputs,
}

/// The level of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Error,
    Hint,
}

impl std::error::Error for NotComposed {}

/// The errors, without `error: ` before the first.
impl fmt::Display for NotComposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.errors.iter().map(|error| text(error, &self.inputs));
        f.write_str(&texts.collect::<Vec<_>>().join("\nerror: "))
    }
}

/// Writes errors and hints, one after the other.
pub(crate) fn write(
    errors: &[Finding],
    hints: &[Finding],
    inputs: &Inputs,
    form: ReportForm,
) -> String {
    let mut written = String::new();
    for (level, finding) in all(errors, hints) {
        match (form, level) {
            (ReportForm::Github, level) => annotate(&mut written, level, finding, inputs),
            (ReportForm::Text | ReportForm::Json, Level::Error) => {
                line(&mut written, "error: ", &text(finding, inputs));
            }
            (ReportForm::Text | ReportForm::Json, Level::Hint) => {
                line(&mut written, "hint: ", &text(finding, inputs));
            }
        }
    }
    written
}

/// A report as one JSON document.
pub(crate) fn json(
    sdl: Option<&str>,
    errors: &[Finding],
    hints: &[Finding],
    inputs: &Inputs,
) -> Value {
    let list = |findings: &[Finding]| -> Value {
        findings.iter().map(|finding| object(finding, inputs)).collect()
    };
    json!({ "supergraph": sdl, "errors": list(errors), "hints": list(hints) })
}

fn all<'f>(
    errors: &'f [Finding],
    hints: &'f [Finding],
) -> impl Iterator<Item = (Level, &'f Finding)> {
    let errors = errors.iter().map(|finding| (Level::Error, finding));
    errors.chain(hints.iter().map(|finding| (Level::Hint, finding)))
}

fn line(written: &mut String, level: &str, text: &str) {
    written.push_str(level);
    written.push_str(text);
    written.push('\n');
}

/// `CODE: message`, then the locations and the remedy, each on a line.
fn text(finding: &Finding, inputs: &Inputs) -> String {
    let mut text = format!("{}: {}", finding.code.as_str(), finding.message);
    for location in &finding.locations {
        text.push_str("\n  at ");
        text.push_str(&position(location, inputs));
    }
    if let Some(remedy) = &finding.remedy {
        text.push_str("\n  remedy: ");
        text.push_str(remedy);
    }
    text
}

/// `products.graphql:3:5`, or `products:3:5` for a schema without a file.
fn position(location: &Location, inputs: &Inputs) -> String {
    let Location { subgraph, line, column } = location;
    match (inputs.file(subgraph), line) {
        (Some(file), 0) => format!("{} ({subgraph})", file.display()),
        (Some(file), _) => format!("{}:{line}:{column} ({subgraph})", file.display()),
        (None, 0) => subgraph.clone(),
        (None, _) => format!("{subgraph}:{line}:{column}"),
    }
}

fn object(finding: &Finding, inputs: &Inputs) -> Value {
    let locations = finding.locations.iter().map(|location| {
        let file = inputs.file(&location.subgraph).map(|file| file.display().to_string());
        let Location { subgraph, line, column } = location;
        json!({ "subgraph": subgraph, "file": file, "line": line, "column": column })
    });
    json!({
        "code": finding.code.as_str(),
        "message": finding.message,
        "coordinates": finding.coordinates,
        "locations": locations.collect::<Value>(),
        "remedy": finding.remedy,
    })
}

/// <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>
fn annotate(written: &mut String, level: Level, finding: &Finding, inputs: &Inputs) {
    written.push_str(match level {
        Level::Error => "::error ",
        Level::Hint => "::notice ",
    });
    let in_file = |location: &&Location| inputs.file(&location.subgraph).is_some();
    if let Some(location) = finding.locations.iter().find(in_file) {
        let file = inputs.file(&location.subgraph).map(|file| file.display().to_string());
        let file = property(&file.unwrap_or_default());
        let (line, column) = (location.line.max(1), location.column.max(1));
        let _ = write!(written, "file={file},line={line},col={column},");
    }
    let message = match &finding.remedy {
        Some(remedy) => [&finding.message, "\n", remedy].concat(),
        None => finding.message.clone(),
    };
    let _ = writeln!(written, "title={}::{}", finding.code.as_str(), escaped(&message));
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
