//! An example of the configuration file: every option, each as a comment.

use std::fmt::Write;

use serde_json::Value;

use super::keys::{Key, Keys, Kind, List};
use super::schema;

const HEAD: &str = "\
#:schema ./thalweg.schema.json
# Every option of Thalweg, with its default if it has one.
# `thalweg config schema` prints the schema of the first line, for editors.
";

/// The width of the comments.
const WIDTH: usize = 96;

/// An example of the configuration file, which sets nothing.
pub(crate) fn example(keys: &Keys) -> String {
    let mut text = HEAD.to_owned();
    let mut sections: Vec<(&str, Vec<(&str, &Key)>)> = Vec::new();
    for (name, key) in keys.in_order() {
        let heading = key.heading();
        match sections.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, keys)) => keys.push((name, key)),
            None => sections.push((heading, vec![(name, key)])),
        }
    }
    for (heading, keys) in sections {
        line(&mut text, &["\n## ", heading].concat());
        for (name, key) in keys {
            text.push('\n');
            comment(&mut text, &key.help());
            line(&mut text, &["# ", name, " = ", &value(key)].concat());
        }
    }
    text
}

/// The default, or a placeholder of the right type.
fn value(key: &Key) -> String {
    let placeholder = || key.arg.get_value_names().and_then(|names| names.first());
    let one = match (key.kind, key.words().first()) {
        (Kind::Flag, _) => "true".into(),
        (Kind::Boolean, _) => "false".into(),
        (Kind::Integer | Kind::Number, _) => "100".into(),
        (Kind::Text | Kind::Quantity, Some(word)) => quote(word),
        (Kind::Text | Kind::Quantity, None) => {
            quote(placeholder().map_or("…", |name| name.as_str()))
        }
    };
    match (schema::default(key), key.kind, key.list) {
        // The default of a flag is off, so the example shows the other value.
        (_, Kind::Flag, _) | (None, _, List::One) => one,
        (None, _, List::Separated(_) | List::Repeated) => ["[", &one, "]"].concat(),
        (Some(default), _, _) => toml(&default),
    }
}

/// The TOML form of a default.
fn toml(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Array(elements) => {
            ["[", &elements.iter().map(toml).collect::<Vec<_>>().join(", "), "]"].concat()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// Quotes a string: JSON strings are valid in TOML, and `$` begins a variable.
fn quote(text: &str) -> String {
    Value::from(text.replace('$', "$$")).to_string()
}

fn comment(text: &mut String, help: &str) {
    for paragraph in help.lines() {
        let mut written = "#".to_owned();
        for word in paragraph.split_whitespace() {
            if written.chars().count() + 1 + word.chars().count() > WIDTH {
                line(text, &written);
                "#".clone_into(&mut written);
            }
            written.push(' ');
            written.push_str(word);
        }
        line(text, &written);
    }
}

fn line(text: &mut String, content: &str) {
    // Writing to a string never fails.
    let written = writeln!(text, "{content}");
    debug_assert!(written.is_ok(), "a line was not written");
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::CommandFactory;

    use super::*;
    use crate::configuration::file;
    use crate::options::Arguments;

    /// The lines of options, uncommented.
    fn options(keys: &Keys, are_wanted: impl Fn(&Key) -> bool) -> String {
        let is_wanted = |line: &&str| {
            let name = line.split_once(" = ").map(|(name, _)| name);
            name.and_then(|name| keys.find(name)).is_some_and(&are_wanted)
        };
        let example = example(keys);
        let lines = example.lines().filter_map(|line| line.strip_prefix("# ")).filter(is_wanted);
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    #[test]
    fn the_defaults_that_it_shows_can_be_used() {
        let keys = Keys::of(&Arguments::command());
        let text = options(&keys, |key| schema::default(key).is_some());
        assert!(text.contains("max-depth = 64\n") && text.contains("schema = [\"public\"]\n"));
        let read = file::parse(Path::new("t.toml"), &text, &keys, &|_| Ok(None));
        assert_eq!(read.map_err(|refused| refused.to_string()).err(), None, "{text}");
    }

    #[test]
    fn it_has_every_option_and_all_fit_the_schema() {
        let keys = Keys::of(&Arguments::command());
        let text = options(&keys, |_| true);
        assert_eq!(text.lines().count(), keys.iter().count(), "{text}");
        let validator = jsonschema::validator_for(&schema::schema(&keys)).unwrap();
        let check = |text: &str, is_valid: bool| {
            let (table, errors) = toml::de::DeTable::parse_recoverable(text);
            assert!(errors.is_empty(), "{errors:?}");
            let value = json(toml::de::DeValue::Table(table.into_inner()));
            let errors: Vec<_> =
                validator.iter_errors(&value).map(|error| error.to_string()).collect();
            assert_eq!(errors.is_empty(), is_valid, "{text}: {errors:?}");
        };
        check(&text, true);
        check("", true);
        check("max-depth = '${DEPTH}'\nlog = '${LOG}'\nschema = 'a,b'\naggregates = '${A}'", true);
        check("max-body-size = 4096\nsource = 'shop.db'\nschema = ['a', 'b']", true);
        for wrong in [
            "max-boddy-size = '1MiB'",
            "max-depth = 'deep'",
            "max-depth = '64'",
            "max-depth = 1.5",
            "max-depth = -1",
            "max-body-size = true",
            "aggregates = 'true'",
            "aggregates = 1",
            "use-aggregation = 'no'",
            "dialect = 'prism'",
            "schema = 3",
            "schema = []",
            "schema = [3]",
            "source = 3",
            "limits = { max-depth = 3 }",
            "config = 'other.toml'",
        ] {
            check(wrong, false);
        }
    }

    fn json(value: toml::de::DeValue<'_>) -> Value {
        use toml::de::DeValue;
        match value {
            DeValue::String(text) => Value::String(text.into_owned()),
            DeValue::Integer(number) => serde_json::from_str(number.as_str()).unwrap(),
            DeValue::Float(number) => serde_json::from_str(number.as_str()).unwrap(),
            DeValue::Boolean(value) => value.into(),
            DeValue::Datetime(time) => time.to_string().into(),
            DeValue::Array(elements) => {
                elements.into_iter().map(|element| json(element.into_inner())).collect()
            }
            DeValue::Table(table) => table
                .into_iter()
                .map(|(key, value)| (key.into_inner().into_owned(), json(value.into_inner())))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}
