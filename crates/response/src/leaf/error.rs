//! Texts of values in errors.

use std::fmt::Write as _;

use super::{LeafError, graph, number};
use crate::cursor::Value;
use crate::escape;

/// The maximum number of characters of a value in an error.
const SHOWN: usize = 60;

impl LeafError {
    #[cold]
    pub(super) fn new(expected: &'static str, problem: &'static str, value: Value<'_>) -> Self {
        Self { expected, problem, value: show(value).into(), element: None, fails_list: false }
    }

    /// The same error, about the whole value that contains the list.
    pub(super) fn whole(self) -> Self {
        Self { element: None, fails_list: false, ..self }
    }
}

/// Numbers unquoted, text in quotes, as graphql-js shows values.
fn show(value: Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Integer(integer) => integer.to_string(),
        Value::Real(real) => {
            let mut shown = Vec::new();
            number::write_real(real, &mut shown);
            String::from_utf8_lossy(&shown).into_owned()
        }
        Value::Text(text) => show_text(text),
        Value::Packed(bytes) => graph::kind(bytes).to_owned(),
        Value::Blob(blob) => {
            let mut shown = String::from("\\x");
            for byte in blob.iter().take(SHOWN / 2) {
                // Writing to a string cannot fail.
                let _ = write!(shown, "{byte:02x}");
            }
            if blob.len() > SHOWN / 2 {
                shown.push('…');
            }
            shown
        }
    }
}

fn show_text(text: &[u8]) -> String {
    // A character has at most four bytes, so that no character shown is cut.
    let beginning = text.get(..SHOWN * 4).unwrap_or(text);
    let beginning = String::from_utf8_lossy(beginning);
    let mut characters = beginning.chars();
    let mut shortened: String = characters.by_ref().take(SHOWN).collect();
    if characters.next().is_some() || beginning.len() < text.len() {
        shortened.push('…');
    }
    let mut shown = Vec::new();
    escape::write_string(&shortened, &mut shown);
    String::from_utf8_lossy(&shown).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{LeafError, Value};

    fn check(value: Value<'_>, expect: &str) {
        assert_eq!(LeafError::new("Int", "a value", value).value.as_ref(), expect);
    }

    #[test]
    fn values_are_shown_as_they_would_be_written() {
        check(Value::Null, "null");
        check(Value::Integer(-7), "-7");
        check(Value::Real(0.5), "0.5");
        check(Value::Real(f64::NEG_INFINITY), "-Infinity");
        check(Value::Text(b"a\"b"), r#""a\"b""#);
        check(Value::Text(b"\xff"), "\"\u{fffd}\"");
        check(Value::Blob(&[0xde, 0xad]), "\\xdead");
    }

    #[test]
    fn long_values_are_shortened_between_characters() {
        let exact = "😀".repeat(60);
        check(Value::Text(exact.as_bytes()), &format!("\"{exact}\""));
        check(Value::Text(format!("{exact}é").as_bytes()), &format!("\"{exact}…\""));
        check(Value::Blob(&[1; 31]), &format!("\\x{}…", "01".repeat(30)));
    }
}
