//! Reads YAML as a table of TOML, with the same positions, so that one reader serves both forms.

use std::ops::Range;

use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};
use saphyr_parser::Marker;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

use crate::configuration::problem::{Position, Problem};

/// Reads the only document of a text, a mapping.
pub(super) fn table(text: &str) -> Result<Spanned<DeTable<'_>>, Problem> {
    let offsets = Offsets::new(text);
    let wrong = |marker: &Marker, message: String| Problem {
        position: Position::of(text, offsets.of(marker)),
        message,
    };
    let documents = MarkedYaml::load_from_str(text)
        .map_err(|error| wrong(error.marker(), error.info().to_owned()))?;
    let document = match &documents[..] {
        [] => return Ok(Spanned::new(0..0, DeTable::new())),
        [one] => one,
        [_, second, ..] => {
            return Err(wrong(&second.span.start, "one document is wanted, not several".into()));
        }
    };
    let mut problem = None;
    let value = offsets.value(document, &mut problem);
    match (problem, value.span(), value.into_inner()) {
        (Some((offset, message)), ..) => {
            Err(Problem { position: Position::of(text, offset), message: message.into() })
        }
        (None, span, DeValue::Table(table)) => Ok(Spanned::new(span, table)),
        (None, ..) => Err(wrong(&document.span.start, "a mapping is wanted".into())),
    }
}

/// A text, and the bytes at which its characters begin.
struct Offsets<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Offsets<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, starts: text.char_indices().map(|(start, _)| start).collect() }
    }

    fn of(&self, marker: &Marker) -> usize {
        self.starts.get(marker.index()).copied().unwrap_or(self.text.len())
    }

    fn span(&self, node: &MarkedYaml<'_>) -> Range<usize> {
        self.of(&node.span.start)..self.of(&node.span.end)
    }

    /// Converts a node; keeps the first problem.
    fn value(
        &self,
        node: &MarkedYaml<'_>,
        problem: &mut Option<(usize, &'static str)>,
    ) -> Spanned<DeValue<'t>> {
        let span = self.span(node);
        let mut refuse = |message| {
            problem.get_or_insert((span.start, message));
            DeValue::Boolean(false)
        };
        let value = match &node.data {
            YamlData::Value(Scalar::String(text)) => {
                DeValue::String(text.clone().into_owned().into())
            }
            YamlData::Value(Scalar::Boolean(value)) => DeValue::Boolean(*value),
            // A number has the same form in TOML.
            YamlData::Value(Scalar::Integer(_) | Scalar::FloatingPoint(_)) => {
                let written = self.text.get(span.clone()).unwrap_or_default().trim();
                match DeValue::parse(written) {
                    Ok(value) => value.into_inner(),
                    Err(_) => refuse("a decimal number is wanted"),
                }
            }
            YamlData::Value(Scalar::Null) => refuse("a value is missing"),
            YamlData::Sequence(nodes) => {
                let values = nodes.iter().map(|node| self.value(node, problem));
                DeValue::Array(values.collect::<DeArray<'_>>())
            }
            YamlData::Mapping(entries) => {
                let mut table = DeTable::new();
                for (key, value) in entries {
                    let value = self.value(value, problem);
                    let span = self.span(key);
                    let name: DeString<'_> = match &key.data {
                        YamlData::Value(Scalar::String(name)) => name.clone().into_owned().into(),
                        YamlData::Value(Scalar::Integer(number)) => number.to_string().into(),
                        YamlData::Value(Scalar::Boolean(value)) => value.to_string().into(),
                        _ => {
                            problem.get_or_insert((span.start, "a key is a string"));
                            continue;
                        }
                    };
                    table.insert(Spanned::new(span, name), value);
                }
                DeValue::Table(table)
            }
            YamlData::Representation(..)
            | YamlData::Tagged(..)
            | YamlData::Alias(_)
            | YamlData::BadValue => refuse("tags are not read here"),
        };
        Spanned::new(span, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, (usize, usize, &str)>) {
        let read = table(text)
            .map_err(|problem| (problem.position.line, problem.position.column, problem.message));
        let read = read.map(|table| format!("{:?}", plain(&DeValue::Table(table.into_inner()))));
        let expected = expected.map(str::to_owned);
        let expected = expected.map_err(|(line, column, text)| (line, column, text.to_owned()));
        assert_eq!(read, expected, "{text}");
    }

    /// The value without positions.
    fn plain(value: &DeValue<'_>) -> serde_json::Value {
        match value {
            DeValue::String(text) => text.as_ref().into(),
            DeValue::Integer(number) => number.as_str().parse::<i64>().unwrap().into(),
            DeValue::Float(number) => number.as_str().parse::<f64>().unwrap().into(),
            DeValue::Boolean(value) => (*value).into(),
            DeValue::Datetime(time) => time.to_string().into(),
            DeValue::Array(values) => {
                values.iter().map(|value| plain(value.get_ref())).collect::<Vec<_>>().into()
            }
            DeValue::Table(table) => {
                let entries = table.iter();
                let entries =
                    entries.map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref())));
                serde_json::Value::Object(entries.collect())
            }
        }
    }

    #[test]
    fn yaml_is_read_as_a_table() {
        check("", Ok("Object {}"));
        check(
            "a: 1\n'b': [x, true, 2.5]\nc:\n  ü: |\n    two\n    lines\n",
            Ok(
                r#"Object {"a": Number(1), "b": Array [String("x"), Bool(true), Number(2.5)], "c": Object {"ü": String("two\nlines\n")}}"#,
            ),
        );
    }

    #[test]
    fn problems_have_a_position() {
        check(
            "ü: 1\nb: [",
            Err((2, 5, "while parsing a node, did not find expected node content")),
        );
        check("a: 1\nb:\n", Err((2, 2, "a value is missing")));
        check("- a", Err((1, 1, "a mapping is wanted")));
        check("a: 1\n---\nb: 1\n", Err((3, 1, "one document is wanted, not several")));
        check("a: 1\na: 2\n", Err((2, 1, "duplicated key in mapping")));
    }
}
