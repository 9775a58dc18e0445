//! The report of changes: as text, as JSON, or as annotations of GitHub.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};
use supergraph::changes::{Change, Criticality, Lowered, Side};

use super::Schema;
use crate::options::ReportForm;

const ORDER: [Criticality; 3] =
    [Criticality::Breaking, Criticality::Dangerous, Criticality::NonBreaking];

pub(crate) struct Report<'c> {
    pub(crate) changes: &'c [Change],
    pub(crate) old: &'c Schema,
    pub(crate) new: &'c Schema,
    pub(crate) is_failed: bool,
}

impl Report<'_> {
    pub(crate) fn print(&self, form: ReportForm) -> String {
        match form {
            ReportForm::Text => self.text(),
            ReportForm::Json => format!("{:#}\n", self.json()),
            ReportForm::Github => self.annotations(),
        }
    }

    fn of(&self, criticality: Criticality) -> Vec<&Change> {
        self.changes.iter().filter(|change| change.criticality == criticality).collect()
    }

    fn schema(&self, change: &Change) -> &Schema {
        match change.location.side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }

    /// The changes by criticality, each with its location, which editors turn into a link.
    fn text(&self) -> String {
        let mut text = String::new();
        for criticality in ORDER {
            let changes = self.of(criticality);
            if changes.is_empty() {
                continue;
            }
            let heading = match criticality {
                Criticality::Breaking => "Breaking",
                Criticality::Dangerous => "Dangerous",
                Criticality::NonBreaking => "Safe",
            };
            line(&mut text, format_args!("{heading} ({})", changes.len()));
            for change in changes {
                let location = &self.schema(change).place;
                let (at, column) = (change.location.line, change.location.column);
                let (message, kind) = (&change.message, change.kind.as_str());
                line(&mut text, format_args!("  {location}:{at}:{column}: {message} [{kind}]"));
                if let Some(lowered) = change.lowered {
                    line(&mut text, format_args!("    {}", reason(lowered)));
                }
            }
            text.push('\n');
        }
        line(&mut text, format_args!("{}", self.summary()));
        text
    }

    fn summary(&self) -> String {
        if self.changes.is_empty() {
            return "No changes.".to_owned();
        }
        let [breaking, dangerous, safe] = ORDER.map(|criticality| self.of(criticality).len());
        format!("Changes: {breaking} breaking, {dangerous} dangerous, {safe} safe.")
    }

    fn json(&self) -> Json {
        let changes = self.changes.iter().map(|change| {
            let mut json = json!({
                "kind": change.kind.as_str(),
                "criticality": change.criticality.as_str(),
                "coordinate": change.coordinate.to_string(),
                "message": change.message,
                "location": {
                    "file": self.schema(change).place,
                    "line": change.location.line,
                    "column": change.location.column,
                },
            });
            if let Some(lowered) = change.lowered {
                json["lowered"] = match lowered {
                    Lowered::Unused => "UNUSED",
                    Lowered::Deprecated => "DEPRECATED",
                    Lowered::Unreachable => "UNREACHABLE",
                }
                .into();
            }
            json
        });
        let [breaking, dangerous, safe] = ORDER.map(|criticality| self.of(criticality).len());
        json!({
            "changes": changes.collect::<Vec<_>>(),
            "counts": { "breaking": breaking, "dangerous": dangerous, "nonBreaking": safe },
            "failed": self.is_failed,
        })
    }

    /// <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>
    fn annotations(&self) -> String {
        let mut text = String::new();
        for criticality in ORDER {
            for change in self.of(criticality) {
                let level = match criticality {
                    Criticality::Breaking => "error",
                    Criticality::Dangerous => "warning",
                    Criticality::NonBreaking => "notice",
                };
                let schema = self.schema(change);
                let location = match schema.is_file {
                    true => format!(
                        "file={},line={},col={},",
                        property(&schema.place),
                        change.location.line,
                        change.location.column
                    ),
                    false => String::new(),
                };
                let reason = change.lowered.map_or("", reason);
                let separator = if reason.is_empty() { "" } else { ": " };
                let message = data(&[&change.message, separator, reason].concat());
                let kind = change.kind.as_str();
                line(&mut text, format_args!("::{level} {location}title={kind}::{message}"));
            }
        }
        line(&mut text, format_args!("{}", self.summary()));
        text
    }
}

fn reason(lowered: Lowered) -> &'static str {
    match lowered {
        Lowered::Unused => "no document uses it",
        Lowered::Deprecated => "it was deprecated",
        Lowered::Unreachable => "no operation reaches the type",
    }
}

/// Escapes the message of an annotation.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of an annotation.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let written = writeln!(text, "{content}");
    debug_assert!(written.is_ok(), "a line was not written");
}
