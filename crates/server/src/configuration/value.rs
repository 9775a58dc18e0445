//! Converts a value of a file to the words of a command line.

use std::error::Error as _;

use clap::builder::ValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};
use toml::Spanned;
use toml::de::DeValue;

use super::expand::{Expanded, Variable, expand};
use super::keys::{Key, Kind, List};
use super::redacted::shown;

/// A problem of a value, with its byte offset in the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ValueProblem {
    pub(super) offset: usize,
    pub(super) message: String,
}

/// A single value as text.
#[derive(Debug)]
struct Scalar {
    text: String,
    /// Whether the text may appear in messages.
    is_public: bool,
}

/// The values of an option, as texts for its parser.
pub(super) fn read(
    key: &Key,
    value: &Spanned<DeValue<'_>>,
    variable: &dyn Fn(&str) -> Variable,
) -> Result<Vec<String>, Vec<ValueProblem>> {
    // A string may contain the whole list, as on the command line.
    let (elements, delimiter) = match (value.get_ref(), key.list) {
        (DeValue::Array(elements), List::Separated(delimiter)) => (&**elements, Some(delimiter)),
        (DeValue::Array(elements), List::Repeated) => (&**elements, None),
        _ => (std::slice::from_ref(value), None),
    };
    let mut texts = Vec::new();
    let mut problems = Vec::new();
    for element in elements {
        let mut refuse =
            |message| problems.push(ValueProblem { offset: element.span().start, message });
        match read_one(key, element, variable) {
            Ok(text) => match delimiter.filter(|delimiter| text.contains(*delimiter)) {
                Some(delimiter) => refuse(format!("no element can have a `{delimiter}`")),
                None => texts.push(text),
            },
            Err(message) => refuse(message),
        }
    }
    match (problems.is_empty(), elements.is_empty()) {
        (true, false) => Ok(texts),
        (true, true) => {
            let message = "a list has at least one element".to_owned();
            Err(vec![ValueProblem { offset: value.span().start, message }])
        }
        (false, _) => Err(problems),
    }
}

/// The words of a command line that set the option.
pub(super) fn words(key: &Key, texts: &[String]) -> Vec<String> {
    let Some(long) = key.arg.get_long() else { return texts.to_vec() };
    let word = |text: &str| ["--", long, "=", text].concat();
    match (key.kind, key.list) {
        (Kind::Flag, _) if texts == ["true"] => vec![["--", long].concat()],
        (Kind::Flag, _) => Vec::new(),
        (_, List::Separated(delimiter)) => vec![word(&texts.join(&delimiter.to_string()))],
        (_, List::One | List::Repeated) => texts.iter().map(|text| word(text)).collect(),
    }
}

fn read_one(
    key: &Key,
    value: &Spanned<DeValue<'_>>,
    variable: &dyn Fn(&str) -> Variable,
) -> Result<String, String> {
    let scalar = scalar(key, value.get_ref(), variable)?;
    if let List::Separated(delimiter) = key.list {
        for part in scalar.text.split(delimiter) {
            parse(key, &Scalar { text: part.to_owned(), is_public: scalar.is_public })?;
        }
    } else {
        parse(key, &scalar)?;
    }
    Ok(scalar.text)
}

/// Converts a value of the right type to text.
fn scalar(
    key: &Key,
    value: &DeValue<'_>,
    variable: &dyn Fn(&str) -> Variable,
) -> Result<Scalar, String> {
    let is_public = !key.is_secret();
    let literal = |text: String| Ok(Scalar { text, is_public });
    match (value, key.kind) {
        (DeValue::String(text), kind) => {
            let Expanded { text, has_variables } = expand(text, variable)?;
            // Numbers and booleans have no quotes, unless they come from variables.
            if !has_variables && !matches!(kind, Kind::Text | Kind::Quantity) {
                return Err(format!("{} is wanted, without quotes", wanted(key)));
            }
            Ok(Scalar { text: text.into_owned(), is_public: is_public && !has_variables })
        }
        (DeValue::Boolean(value), Kind::Flag | Kind::Boolean) => literal(value.to_string()),
        // Numbers with a leading zero or another radix would be ambiguous.
        (DeValue::Integer(value), Kind::Quantity) if value.radix() != 10 => {
            Err("write this number as a string".into())
        }
        (DeValue::Integer(value), Kind::Quantity) => literal(value.as_str().to_owned()),
        (DeValue::Integer(value), Kind::Integer | Kind::Number) => {
            match i128::from_str_radix(value.as_str(), value.radix()) {
                Ok(number) => literal(number.to_string()),
                Err(_) => Err("this number is too large".into()),
            }
        }
        (DeValue::Float(value), Kind::Number | Kind::Quantity) => {
            literal(value.as_str().to_owned())
        }
        _ => Err(format!("{} is wanted, not {}", wanted(key), found(value))),
    }
}

/// Checks a value with the option's own parser.
fn parse(key: &Key, scalar: &Scalar) -> Result<(), String> {
    let parser: ValueParser = match key.kind {
        Kind::Flag => clap::value_parser!(bool),
        Kind::Boolean | Kind::Integer | Kind::Number | Kind::Text | Kind::Quantity => {
            key.arg.get_value_parser().clone()
        }
    };
    let probe = Arg::new("value").long("value").action(ArgAction::Set).value_parser(parser);
    let command = Command::new("probe").no_binary_name(true).arg(probe);
    let parsed = command.try_get_matches_from([["--value=", &scalar.text].concat()]);
    let Err(error) = parsed else { return Ok(()) };
    let reason = match error.kind() {
        ErrorKind::InvalidValue => match error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(words)) if !words.is_empty() => {
                format!("{} is wanted", one_of(words))
            }
            _ => "a value is wanted".to_owned(),
        },
        _ => error.source().map_or_else(|| "this is no such value".into(), ToString::to_string),
    };
    match scalar.is_public {
        true => {
            let shown = shown(&scalar.text);
            // The reason may contain the value.
            let reason = match scalar.text.is_empty() {
                true => reason,
                false => reason.replace(&scalar.text, &shown),
            };
            Err(format!("`{shown}` cannot be used: {reason}"))
        }
        false if !scalar.text.is_empty() && reason.contains(&scalar.text) => {
            Err(format!("{} is wanted", wanted(key)))
        }
        false => Err(format!("the value cannot be used: {reason}")),
    }
}

/// Describes the values of an option.
fn wanted(key: &Key) -> String {
    let one = match key.kind {
        Kind::Flag | Kind::Boolean => "`true` or `false`".into(),
        Kind::Integer => "a whole number".into(),
        Kind::Number => "a number".into(),
        Kind::Text => match key.words() {
            words if words.is_empty() => "a string".into(),
            words => one_of(&words),
        },
        Kind::Quantity => "a string".to_owned(),
    };
    match key.list {
        List::One => one,
        List::Separated(_) | List::Repeated => format!("an array of strings, or {one},"),
    }
}

pub(super) fn one_of(words: &[String]) -> String {
    let mut text = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
    if let Some(last) = text.rfind(", ") {
        text.replace_range(last.., &[" or", &text[last + 1..]].concat());
    }
    text
}

pub(super) fn found(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a time",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
