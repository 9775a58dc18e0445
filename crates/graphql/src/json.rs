//! JSON of clients, parsed with limits of depth and of the number of values.
//!
//! A value takes many times the memory of its text, and its readers recurse into it: values are
//! counted while they are parsed, and parsing stops at a limit.

use std::cell::Cell;
use std::fmt;

use exact_numbers::ExactNumbers;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json_bytes::{ByteString, Map, Value as Json};

use crate::error::{ErrorCode, GraphQLError};

/// Limits of the JSON of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonLimits {
    /// Nesting of lists and objects; the parser has a limit of its own at 128.
    pub depth: usize,
    /// Values of any kind, lists and objects counted with their contents.
    pub values: usize,
}

impl Default for JsonLimits {
    fn default() -> Self {
        Self { depth: 64, values: 200_000 }
    }
}

/// Reasons why a text is rejected.
pub(crate) enum JsonError {
    TooDeep(usize),
    TooLarge(usize),
    Syntax(serde_json::Error),
}

impl JsonError {
    /// The error for the client, with `what` as its subject.
    pub(crate) fn of(&self, what: &str) -> GraphQLError {
        match self {
            Self::TooDeep(most) => GraphQLError::new(
                ErrorCode::JsonTooDeep,
                format!("{what} has lists and objects deeper than {most} (--max-json-depth)."),
            ),
            Self::TooLarge(most) => GraphQLError::new(
                ErrorCode::JsonTooLarge,
                format!("{what} has more than {most} values (--max-json-values)."),
            ),
            Self::Syntax(error) => GraphQLError::new(
                ErrorCode::BadUserInput,
                format!("{what} is not valid JSON: {error}."),
            ),
        }
    }
}

/// Parses one value, which is the whole text, with the numbers in it that doubles round. The text is
/// read again only if there is a number that is no integer of 64 bits.
pub(crate) fn parse(text: &[u8], limits: JsonLimits) -> Result<(Json, ExactNumbers), JsonError> {
    let counted = Counted {
        limits,
        values: Cell::new(0),
        is_too_deep: Cell::new(false),
        has_doubles: Cell::new(false),
    };
    let mut parser = serde_json::Deserializer::from_slice(text);
    let parsed = Within { counted: &counted, depth: 0 }.deserialize(&mut parser);
    let parsed = parsed.and_then(|value| parser.end().map(|()| value));
    let numbers = || match counted.has_doubles.get() {
        true => ExactNumbers::read(text),
        false => ExactNumbers::default(),
    };
    parsed.map(|value| (value, numbers())).map_err(|error| {
        if counted.is_too_deep.get() {
            JsonError::TooDeep(limits.depth)
        } else if counted.values.get() > limits.values {
            JsonError::TooLarge(limits.values)
        } else {
            JsonError::Syntax(error)
        }
    })
}

/// Counts of the values parsed so far.
struct Counted {
    limits: JsonLimits,
    values: Cell<usize>,
    is_too_deep: Cell<bool>,
    has_doubles: Cell<bool>,
}

/// A value at a depth. Recursion is bounded by the limit, and by the parser's.
#[derive(Clone, Copy)]
struct Within<'c> {
    counted: &'c Counted,
    depth: usize,
}

impl Within<'_> {
    fn below<E: Error>(self) -> Result<Self, E> {
        if self.depth >= self.counted.limits.depth {
            self.counted.is_too_deep.set(true);
            return Err(E::custom("too deep"));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Within<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let values = self.counted.values.get() + 1;
        self.counted.values.set(values);
        if values > self.counted.limits.values {
            return Err(D::Error::custom("too many values"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Within<'_> {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        self.counted.has_doubles.set(true);
        Ok(serde_json::Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::String(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let below = self.below()?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(below)? {
            array.push(item);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let below = self.below()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key::<ByteString>()? {
            // Parsers differ in which of two they take: a proxy may have checked the other one.
            if object.contains_key(&name) {
                return Err(A::Error::custom(format!("{:?} is given twice", name.as_str())));
            }
            object.insert(name, members.next_value_seed(below)?);
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, depth: usize, values: usize) -> Result<String, String> {
        match parse(text.as_bytes(), JsonLimits { depth, values }) {
            Ok((value, _)) => Ok(value.to_string()),
            Err(error) => {
                let error = error.of("It");
                Err(format!("{}: {}", error.code.as_str(), error.message))
            }
        }
    }

    #[test]
    fn values_are_as_the_library_reads_them() {
        for text in [
            "null",
            "[true,false,-1,18446744073709551615,1.5e300,-0.0,\"\",\"\\u00e4\\n\",{}]",
            r#"{"z":1,"a":[{"z":null},[]]}"#,
            "0.1",
            "1e400",
            "[1,]",
            "{\"a\" 1}",
            "\"",
            "1 2",
            "",
        ] {
            let expected = serde_json::from_str::<Json>(text);
            let expected = expected
                .map(|value| value.to_string())
                .map_err(|error| format!("BAD_USER_INPUT: It is not valid JSON: {error}."));
            assert_eq!(parsed(text, 64, 100), expected, "{text}");
        }
    }

    #[test]
    fn floats_are_those_that_were_written() {
        for text in ["0.9550968739204109", "0.09543730691075325", "0.9454853804782033"] {
            assert_eq!(parsed(text, 64, 100), Ok(text.to_owned()));
        }
    }

    #[test]
    fn numbers_are_kept_as_they_are_written_beside_the_values() {
        let text = "[1.50, {\"a\": 12345678901234567890.1}, 1]";
        let Ok((value, numbers)) = parse(text.as_bytes(), JsonLimits::default()) else { panic!() };
        assert_eq!(value.to_string(), "[1.5,{\"a\":1.2345678901234567e+19},1]");
        let texts = [&value[0], &value[1]["a"], &value[2]].map(|value| match value {
            Json::Number(number) => number,
            _ => panic!("{value}"),
        });
        assert_eq!(numbers.item(0).text_of(texts[0]), None);
        let digits = numbers.item(1).member("a").text_of(texts[1]);
        assert_eq!(digits, Some("12345678901234567890.1"));
        assert_eq!(numbers.item(2).text_of(texts[2]), None);
    }

    #[test]
    fn a_name_is_given_once() {
        let error = "BAD_USER_INPUT: It is not valid JSON: \"z\" is given twice at line 1 column ";
        for (text, column) in [(r#"{"z":1,"z":1}"#, 10), (r#"[{"a":{"z":1,"b":2,"z":3}}]"#, 22)] {
            assert_eq!(parsed(text, 64, 100), Err(format!("{error}{column}.")), "{text}");
        }
    }

    #[test]
    fn lists_and_objects_go_so_deep_and_no_deeper() {
        let error = "JSON_TOO_DEEP: It has lists and objects deeper than 3 (--max-json-depth).";
        for (within, beyond) in [("[[[1]]]", "[[[[]]]]"), ("{\"a\":[{\"b\":1}]}", "[[{\"a\":{}}]]")]
        {
            assert_eq!(parsed(within, 3, 100), Ok(within.to_owned()));
            assert_eq!(parsed(beyond, 3, 100), Err(error.to_owned()));
        }
        // Parsing stops there, whatever follows.
        assert_eq!(parsed(&"[".repeat(1_000_000), 3, 100), Err(error.to_owned()));
    }

    #[test]
    fn values_are_so_many_and_no_more() {
        let error = "JSON_TOO_LARGE: It has more than 4 values (--max-json-values).";
        for (within, beyond) in [
            ("[1,2,3]", "[1,2,3,4]"),
            ("[[],[],[]]", "[[],[],[],[]]"),
            ("{\"a\":1,\"b\":[2]}", "{\"a\":1,\"b\":[2,3]}"),
        ] {
            assert_eq!(parsed(within, 3, 4), Ok(within.to_owned()));
            assert_eq!(parsed(beyond, 3, 4), Err(error.to_owned()));
        }
    }
}
