//! [`Case`] → text: the form that `UPDATE_EXPECT=1` writes.

use super::file::{Case, Header};

/// The text of a case file.
#[must_use]
pub fn print(case: &Case) -> String {
    let mut text = String::new();
    print_header(&case.header, &mut text);
    for section in case.steps.iter().flat_map(|step| &step.sections) {
        push_line(&["--- ", &section.heading()], &mut text);
        if !section.text.is_empty() {
            push_line(&[&section.text], &mut text);
        }
    }
    text
}

fn print_header(header: &Header, text: &mut String) {
    push_line(&["# ", &header.sentence], text);
    if header.supergraph.is_empty() {
        push_line(&["# database: ", &header.database], text);
        push_line(&["# dialect: ", &header.dialect], text);
    } else {
        push_line(&["# supergraph: ", &header.supergraph], text);
    }
    if !header.options.is_empty() {
        push_line(&["# options: ", &header.options], text);
    }
    if !header.policies.is_empty() {
        push_line(&["# policies: ", &header.policies], text);
    }
    if !header.role.is_empty() {
        push_line(&["# role: ", &header.role], text);
    }
    for fault in &header.faults {
        push_line(&["# fault ", &fault.subgraph, ": ", &fault.what], text);
    }
    for skip in &header.skips {
        push_line(&["# skip ", skip.family.as_str(), ": ", &skip.reason], text);
    }
    if !header.types.is_empty() {
        push_line(&["# types: ", &header.types.join(", ")], text);
    }
}

fn push_line(parts: &[&str], text: &mut String) {
    text.extend(parts.iter().copied());
    text.push('\n');
}
