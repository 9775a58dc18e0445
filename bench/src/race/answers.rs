//! Whether contestants answer the same: what differs is not compared in speed.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::http::{Answer, Connection};

/// The number of bytes of a difference that are shown.
const SHOWN: usize = 60;

/// The members of an answer, as their bytes.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    errors: Option<&'a RawValue>,
}

/// The requests of a query, in one line each.
pub(crate) fn bodies(document: &str, sets: &[Map<String, Value>]) -> Vec<String> {
    let body =
        |set: &Map<String, Value>| json!({ "query": document, "variables": set }).to_string();
    sets.iter().map(body).collect()
}

/// Asks all of them, one after another, and gives the bodies of the answers, or why the first bad
/// one is none.
pub(crate) fn ask(port: u16, path: &str, bodies: &[String]) -> Result<Vec<Vec<u8>>, String> {
    let mut connection = Connection::open(port).map_err(|error| error.to_string())?;
    let answers = bodies.iter().map(|body| {
        let answer = connection.post_to(path, body).map_err(|error| error.to_string())?;
        check(&answer)?;
        Ok(answer.body)
    });
    answers.collect()
}

/// Compares the member `data` of all answers byte for byte.
pub(super) fn compare(expected: &[Vec<u8>], answers: &[Vec<u8>]) -> Result<(), String> {
    for (expected, answer) in expected.iter().zip(answers) {
        let (expected, answer) = (data(expected)?, data(answer)?);
        if expected != answer {
            return Err(describe(expected.as_bytes(), answer.as_bytes()));
        }
    }
    Ok(())
}

fn check(answer: &Answer) -> Result<(), String> {
    if answer.status != 200 {
        let text = String::from_utf8_lossy(&answer.body);
        let shown: String = text.chars().take(4 * SHOWN).collect();
        return Err(format!("answers with status {}: {shown}", answer.status));
    }
    data(&answer.body).map(|_| ())
}

/// The text of the member `data`.
pub(super) fn data(body: &[u8]) -> Result<&str, String> {
    let envelope: Envelope<'_> =
        serde_json::from_slice(body).map_err(|error| format!("answers with no JSON: {error}"))?;
    if let Some(errors) = envelope.errors {
        let shown: String = errors.get().chars().take(4 * SHOWN).collect();
        return Err(format!("answers with errors: {shown}"));
    }
    match envelope.data {
        Some(data) => Ok(data.get()),
        None => Err("answers without data".to_owned()),
    }
}

fn describe(expected: &[u8], answer: &[u8]) -> String {
    let same = expected.iter().zip(answer).take_while(|(one, other)| one == other).count();
    let shown = |bytes: &[u8]| {
        let start = same.saturating_sub(SHOWN / 2);
        let end = (start + SHOWN).min(bytes.len());
        String::from_utf8_lossy(bytes.get(start..end).unwrap_or_default()).into_owned()
    };
    format!(
        "answers otherwise from byte {same} on: {} instead of {}",
        shown(answer),
        shown(expected)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_pair(expected: &str, answer: &str) -> String {
        let bytes = |text: &str| vec![text.as_bytes().to_vec()];
        compare(&bytes(expected), &bytes(answer)).err().unwrap_or_default()
    }

    #[test]
    fn only_data_is_compared_and_each_byte_of_it() {
        let ours = r#"{"data":{"a":{"b":1.50}}}"#;
        assert_eq!(check_pair(ours, r#"{"extensions":{"x":1}, "data": {"a":{"b":1.50}} }"#), "");
        let told = check_pair(ours, r#"{"data":{"a":{"b":1.5}}}"#);
        assert!(told.contains("from byte 13 on"), "{told}");
        assert!(told.contains(r#"{"a":{"b":1.5}} instead of {"a":{"b":1.50}}"#), "{told}");
        assert!(check_pair(ours, r#"{"data":{"a": {"b":1.50}}}"#).contains("otherwise"));
    }

    #[test]
    fn every_set_of_variables_counts() {
        let one = br#"{"data":1}"#.to_vec();
        let other = br#"{"data":2}"#.to_vec();
        assert!(compare(&[one.clone(), one.clone()], &[one.clone(), other]).is_err());
        assert!(compare(std::slice::from_ref(&one), std::slice::from_ref(&one)).is_ok());
    }

    #[test]
    fn errors_are_no_answer() {
        let ours = r#"{"data":1}"#;
        assert!(check_pair(ours, r#"{"errors":[{"message":"no"}],"data":1}"#).contains("\"no\""));
        assert!(check_pair(ours, "{}").contains("without data"));
        assert!(check_pair(ours, "<html>").contains("no JSON"));
        let refused = Answer { status: 400, body: b"what?".to_vec() };
        assert_eq!(check(&refused), Err("answers with status 400: what?".to_owned()));
    }

    #[test]
    fn a_body_is_one_line_with_its_variables() {
        let set = Map::from_iter([("id".to_owned(), json!(3))]);
        let bodies = bodies("{\n a }", &[set]);
        let body: Value = serde_json::from_str(&bodies[0]).expect("JSON");
        assert_eq!(body, json!({ "query": "{\n a }", "variables": { "id": 3 } }));
        assert!(!bodies[0].contains('\n'));
    }
}
