//! Comparison of a case's results with its expectations.

use std::borrow::Cow;
use std::fmt;

use super::difference::difference;
use super::file::{Case, Family, Header, Section, SectionKind, Step};
use super::{json, property};

/// The results of a case on one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The API in the schema definition language.
    pub schema: String,
    /// Notes of what the API cannot represent.
    pub notes: Vec<String>,
    /// The results of the steps.
    pub answers: Vec<Answered>,
}

/// The result of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// The request tree; empty if the request was refused before.
    pub request_tree: String,
    /// The requests to subgraphs that are planned, for people.
    pub plan: String,
    /// The statements sent to the source; of the gateway, the requests sent to subgraphs.
    pub statements: Vec<Statement>,
    /// The gateway's estimated cost.
    pub cost: u64,
    /// The whole answer as it was sent.
    pub response: String,
}

/// A statement that a source was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// From 1; statements of one round are sent together.
    pub round: u16,
    pub text: String,
}

/// A section that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The section, such as `statement postgres`.
    pub section: String,
    /// The line of its heading.
    pub line: usize,
    pub difference: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "line {}: `{}` is not what came:", self.line, self.section)?;
        formatter.write_str(&self.difference)
    }
}

/// The sections that do not hold.
#[must_use]
pub fn compare(case: &Case, family: Family, outcome: &Outcome) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    for (step, result) in steps(case, outcome) {
        for section in step.sections.iter().filter(|section| section.is_about(family)) {
            let Some(actual) = actual(&case.header, section, result) else { continue };
            let expected = match section.kind {
                SectionKind::Response => readable(&section.text),
                _ => Cow::Borrowed(&*section.text),
            };
            if expected != actual {
                mismatches.push(Mismatch {
                    section: section.heading(),
                    line: section.line,
                    difference: difference(&expected, &actual),
                });
            }
        }
        let Some(document) = step.document() else { continue };
        let of_response =
            |difference| Mismatch { section: "response".into(), line: document.line, difference };
        if step.find_text(SectionKind::Response).is_none() {
            mismatches.push(of_response("There is none; UPDATE_EXPECT=1 adds it.\n".into()));
        }
        // White space between tokens is the file's; an answer has none.
        let response = &result.answered.response;
        if json::compact(response).as_deref() != Ok(response) {
            mismatches.push(of_response(format!("It is not compact JSON: {response}\n")));
        }
    }
    mismatches
}

/// The result of a step.
#[derive(Clone, Copy)]
struct StepResult<'o> {
    outcome: &'o Outcome,
    answered: &'o Answered,
}

/// Each step with its result; tests of the API alone have no answer.
fn steps<'c>(
    case: &'c Case,
    outcome: &'c Outcome,
) -> impl Iterator<Item = (&'c Step, StepResult<'c>)> {
    static NOTHING: Answered = Answered {
        request_tree: String::new(),
        plan: String::new(),
        statements: Vec::new(),
        cost: 0,
        response: String::new(),
    };
    let answers = outcome.answers.iter().chain(std::iter::repeat(&NOTHING));
    case.steps.iter().zip(answers.map(move |answered| StepResult { outcome, answered }))
}

/// The case with the results in place of the expectations.
#[must_use]
pub fn update(case: &Case, family: Family, outcome: &Outcome) -> Case {
    let mut updated = case.clone();
    for step in updated.steps.iter_mut().filter(|step| step.document().is_some()) {
        if step.find_text(SectionKind::Response).is_none() {
            let text = String::new();
            let section = Section { kind: SectionKind::Response, family: None, text, line: 0 };
            step.sections.push(section);
        }
    }
    replace(&mut updated, outcome, |section| section.is_about(family));
    updated
}

/// The case with the results of a further source: only its own sections are updated.
#[must_use]
pub fn update_own(case: &Case, family: Family, outcome: &Outcome) -> Case {
    let mut updated = case.clone();
    replace(&mut updated, outcome, |section| section.family == Some(family));
    updated
}

fn replace(updated: &mut Case, outcome: &Outcome, is_selected: impl Fn(&Section) -> bool) {
    let before = updated.clone();
    for (step, (_, result)) in updated.steps.iter_mut().zip(steps(&before, outcome)) {
        for section in step.sections.iter_mut().filter(|section| is_selected(section)) {
            if let Some(actual) = actual(&before.header, section, result) {
                section.text = actual;
            }
        }
    }
}

/// The result for a section; `None` for sections of the request.
fn actual(header: &Header, section: &Section, result: StepResult<'_>) -> Option<String> {
    let StepResult { outcome, answered } = result;
    match section.kind {
        SectionKind::Request
        | SectionKind::Then
        | SectionKind::State
        | SectionKind::Variables
        | SectionKind::Operation
        | SectionKind::Claims => None,
        SectionKind::Schema => Some(definitions(&outcome.schema, &header.types)),
        SectionKind::Ir => Some(answered.request_tree.trim_end().to_owned()),
        SectionKind::Plan => Some(answered.plan.trim_end().to_owned()),
        SectionKind::Sent => {
            let sent = answered.statements.iter();
            let lines =
                sent.map(|one| [&*one.round.to_string(), " ", one.text.trim_end()].concat());
            Some(lines.collect::<Vec<_>>().join("\n"))
        }
        SectionKind::Statement => {
            let texts: Vec<_> = answered.statements.iter().map(|one| one.text.trim_end()).collect();
            Some(texts.join("\n\n"))
        }
        SectionKind::Property => {
            // The parser has read it before.
            let properties = property::parse(&section.text).unwrap_or_default();
            let lines = properties.iter().map(|one| property::measured(one, answered));
            Some(lines.collect::<Vec<_>>().join("\n"))
        }
        SectionKind::Response => {
            Some(readable(&without_error_ids(&answered.response)).into_owned())
        }
        SectionKind::Notes => Some(outcome.notes.join("\n")),
    }
}

fn readable(text: &str) -> Cow<'_, str> {
    json::pretty(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The ids of an error are others in each run.
fn without_error_ids(text: &str) -> String {
    let text = without_values(text, "\"errorId\":\"");
    without_values(&text, "\"requestId\":\"")
}

/// The text without the strings behind a key.
fn without_values(text: &str, key: &str) -> String {
    let mut parts = text.split(key);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(key);
        out.push('…');
        out.push_str(part.find('"').map_or("", |end| &part[end..]));
    }
    out
}

/// The definitions of some types, in the order of the schema.
fn definitions(schema: &str, types: &[String]) -> String {
    if types.is_empty() {
        return schema.trim_end().to_owned();
    }
    let mut blocks: Vec<Vec<&str>> = vec![Vec::new()];
    let (mut quoted, mut inside) = (false, false);
    for line in schema.lines() {
        // Descriptions and definitions may hold empty lines; others are between definitions.
        inside = (inside || line.ends_with('{')) && line != "}";
        if line.matches("\"\"\"").count() == 1 {
            quoted = !quoted;
        }
        if line.is_empty() && !quoted && !inside {
            blocks.push(Vec::new());
        } else if let Some(block) = blocks.last_mut() {
            block.push(line);
        }
    }
    let named = blocks.into_iter().filter(|block| {
        let mut lines = block.iter().filter(|line| !line.starts_with([' ', '"', '}']));
        lines.any(|line| {
            let mut words = line.split_whitespace();
            let keyword = words.next().unwrap_or_default();
            let keywords = ["type", "input", "enum", "scalar", "interface", "union"];
            keywords.contains(&keyword)
                && words.next().is_some_and(|name| types.iter().any(|wanted| wanted == name))
        })
    });
    named.map(|block| block.join("\n")).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::parse::parse;
    use super::super::print::print;
    use super::*;

    const CASE: &str = "# It works.\n# database: shop\n# dialect: phrag\n\
                        --- request\n{ a }\n--- statement postgres\nSELECT 1\n\nSELECT 2\n\
                        --- property\nstatements: 2\n--- response\n{\"data\": {\"a\": 1}}\n";

    fn outcome(response: &str) -> Outcome {
        let statement = |text: &str| Statement { round: 1, text: text.into() };
        let answered = Answered {
            statements: vec![statement("SELECT 1"), statement("SELECT 3")],
            response: response.into(),
            ..Answered::default()
        };
        Outcome { answers: vec![answered], ..Outcome::default() }
    }

    fn case() -> Case {
        parse(Path::new("a.case"), CASE).expect("a case")
    }

    #[test]
    fn sections_of_another_source_are_not_compared() {
        assert_eq!(compare(&case(), Family::Sqlite, &outcome(r#"{"data":{"a":1}}"#)), []);
    }

    #[test]
    fn each_section_that_differs_is_told() {
        let mismatches = compare(&case(), Family::Postgres, &outcome(r#"{"data":{"a":1.0}}"#));
        let lines: Vec<_> = mismatches.iter().map(Mismatch::to_string).collect();
        assert_eq!(
            lines,
            [
                "line 6: `statement postgres` is not what came:\n  SELECT 1\n  \n- SELECT 2\n+ SELECT 3\n",
                "line 12: `response` is not what came:\n- {\"data\":{\"a\":1}}\n+ {\"data\":{\"a\":1.0}}\n",
            ]
        );
    }

    #[test]
    fn an_update_holds_afterwards_and_changes_nothing_of_the_request() {
        let outcome = outcome(r#"{"data":null,"errors":[{"errorId":"1f-2"}]}"#);
        let updated = update(&case(), Family::Postgres, &outcome);
        assert_eq!(compare(&updated, Family::Postgres, &outcome), []);
        assert_eq!(
            print(&updated),
            CASE.replace("SELECT 2", "SELECT 3").replace(
                "{\"data\": {\"a\": 1}}",
                "{\"data\":null,\"errors\":[{\"errorId\":\"…\"}]}"
            )
        );
    }

    #[test]
    fn each_step_is_compared_with_its_own_answer() {
        let text = "# It works.\n# database: shop\n# dialect: phrag\n--- request\nmutation { a }\n\
                    --- response\n{\"data\":1}\n--- state\n{ b }\n";
        let case = parse(Path::new("a.case"), text).expect("a case");
        let answered =
            |response: &str| Answered { response: response.into(), ..Answered::default() };
        let answers = vec![answered("{\"data\":1}"), answered("{\"data\":2}")];
        let outcome = Outcome { answers, ..Outcome::default() };
        let lines: Vec<_> = compare(&case, Family::Sqlite, &outcome);
        let lines: Vec<_> = lines.iter().map(|one| (one.line, &*one.difference)).collect();
        assert_eq!(lines, [(8, "There is none; UPDATE_EXPECT=1 adds it.\n")]);
        let updated = update(&case, Family::Sqlite, &outcome);
        assert_eq!(print(&updated), format!("{text}--- response\n{{\"data\":2}}\n"));
        assert_eq!(compare(&updated, Family::Sqlite, &outcome), []);
    }

    #[test]
    fn only_the_types_asked_for_are_shown() {
        let schema = "\"\"\"\nA.\n\nB.\n\"\"\"\ntype A {\n  b: B\n\n  c: C\n}\n\ntype B {\n  a: A\n}\n\nenum C {\n  D\n}\n";
        assert_eq!(
            definitions(schema, &["C".into(), "A".into()]),
            "\"\"\"\nA.\n\nB.\n\"\"\"\ntype A {\n  b: B\n\n  c: C\n}\n\nenum C {\n  D\n}"
        );
    }
}
