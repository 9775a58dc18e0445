//! Advisories that were judged not to concern us, each with the date of the judgement and its reason.

use super::date::Date;
use super::finding;
use crate::tidy::Finding;

/// One line of the file.
#[derive(Debug)]
pub(super) struct Exception<'t> {
    pub(super) id: &'t str,
    pub(super) line: usize,
}

/// The exceptions, and the lines that are none.
pub(super) fn parse<'t>(path: &str, text: &'t str) -> (Vec<Exception<'t>>, Vec<Finding>) {
    let (mut exceptions, mut findings) = (Vec::new(), Vec::new());
    for (index, content) in text.lines().enumerate() {
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let line = index + 1;
        let parts: Vec<&str> = content.split('\t').collect();
        match parts[..] {
            [id, date, reason] if Date::parse(date).is_some() && !reason.trim().is_empty() => {
                exceptions.push(Exception { id, line });
            }
            _ => {
                let sentence = "a line is an id, a date and a reason, with tabs between them.";
                findings.push(finding(path, line, sentence.to_owned()));
            }
        }
    }
    (exceptions, findings)
}
