//! Texts in the place of numbers and booleans.

use serde_json_bytes::Value as Json;

use crate::schema::InputId;

/// Inputs at which a text with a number or a boolean is that value, for the clients of a server that
/// takes such texts. At all others it is an error, as the specification says.
#[derive(Clone, Debug, Default)]
pub struct TextInputs {
    /// A bit for each input.
    bits: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl TextInputs {
    pub fn insert(&mut self, input: InputId) {
        let (word, bit) = (input.index() / BITS, input.index() % BITS);
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << bit;
    }

    #[must_use]
    pub fn contains(&self, input: InputId) -> bool {
        let (word, bit) = (input.index() / BITS, input.index() % BITS);
        self.bits.get(word).is_some_and(|bits| bits & (1 << bit) != 0)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }
}

/// The value that a text is of a built-in scalar, if it is one: PostgreSQL's texts of numbers that
/// JSON has, and of booleans.
pub(crate) fn value_of_text(scalar: &str, text: &str) -> Option<Json> {
    let text = text.trim_ascii();
    match scalar {
        "Int" => text.parse::<i32>().ok().map(Json::from),
        "Float" => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Json::from),
        "Boolean" => boolean(&text.to_ascii_lowercase()).map(Json::Bool),
        _ => None,
    }
}

/// <https://www.postgresql.org/docs/current/datatype-boolean.html>: `on` and `off` may not be as short
/// as `o`.
fn boolean(text: &str) -> Option<bool> {
    let is_of = |word: &str, shortest: usize| text.len() >= shortest && word.starts_with(text);
    match text {
        "1" => Some(true),
        "0" => Some(false),
        _ if is_of("true", 1) || is_of("yes", 1) || is_of("on", 2) => Some(true),
        _ if is_of("false", 1) || is_of("no", 1) || is_of("off", 2) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(scalar: &str, text: &str, expected: &str) {
        let found = value_of_text(scalar, text).map_or("none".into(), |value| value.to_string());
        assert_eq!(found, expected, "{scalar} {text}");
    }

    #[test]
    fn texts_are_values_of_their_scalar() {
        check("Int", "10", "10");
        check("Int", " -7\n", "-7");
        check("Int", "2147483648", "none");
        check("Int", "1.0", "none");
        check("Int", "", "none");
        check("Float", "1e2", "100.0");
        check("Float", "NaN", "none");
        check("Float", "1e999", "none");
        check("Boolean", "T", "true");
        check("Boolean", "off", "false");
        check("Boolean", "o", "none");
        check("Boolean", "", "none");
        check("String", "1", "none");
        check("ID", "1", "none");
    }

    #[test]
    fn inputs_are_those_that_were_inserted() {
        let mut inputs = TextInputs::default();
        assert!(inputs.is_empty() && !inputs.contains(InputId::new(3)));
        inputs.insert(InputId::new(200));
        let known: Vec<_> =
            (0..300).filter(|index| inputs.contains(InputId::new(*index))).collect();
        assert_eq!(known, [200]);
    }
}
