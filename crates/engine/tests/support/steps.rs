//! What runners of case files have in common: the request of a step, and what differs from a file.

use libtest_mimic::Failed;
use testkit::cases::{CaseFile, Mismatch, SectionKind, Step};

/// The request as it would come over HTTP.
pub(crate) fn request(step: &Step) -> Result<Option<graphql::Request>, Failed> {
    let Some(document) = step.document() else { return Ok(None) };
    let operation = step.find_text(SectionKind::Operation);
    let variables = step.find_text(SectionKind::Variables).unwrap_or("{}");
    let body = [
        "{\"query\":",
        &serde_json::to_string(&document.text)?,
        ",\"operationName\":",
        &serde_json::to_string(&operation)?,
        ",\"variables\":",
        variables,
        "}",
    ];
    let request = graphql::Request::from_json(body.concat().as_bytes());
    request.map(Some).map_err(|error| Failed::from(error.message))
}

pub(crate) fn report(file: &CaseFile, mismatches: &[Mismatch]) -> Result<(), Failed> {
    if mismatches.is_empty() {
        return Ok(());
    }
    let mut text = format!("{}: {}\n", file.name, file.case.header.sentence);
    for mismatch in mismatches {
        text.push_str(&mismatch.to_string());
    }
    Err(text.into())
}
