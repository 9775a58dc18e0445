//! Random ids, which servers make anew each time.

use serde_json::Value;

/// The replacement of a random id.
pub(super) const ID: &str = "a random id";

/// The properties of the graph's types that hold the time of a change.
pub(super) const TIMES: [&str; 4] = ["createdAt", "updatedAt", "changedAt", "since"];

/// Hides random ids in an answer.
pub(super) fn hide(answer: &mut Value) {
    match answer {
        Value::String(text) if is_id(text) => *text = ID.to_owned(),
        Value::Array(values) => values.iter_mut().for_each(hide),
        Value::Object(entries) => entries.values_mut().for_each(hide),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether it is a UUID in its usual form.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn random_ids_are_hidden_wherever_they_are() {
        let id = "7f0e1d2c-0000-4abc-8def-0123456789ab";
        let mut answer = json!({ "a": [{ "id": id }], "b": format!("{id}0"), "c": null });
        hide(&mut answer);
        assert_eq!(answer, json!({ "a": [{ "id": ID }], "b": format!("{id}0"), "c": null }));
    }
}
