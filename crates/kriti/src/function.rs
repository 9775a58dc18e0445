//! The functions of templates: those of the original with the names that Hasura gives them.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

/// A function with one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Empty,
    Size,
    Inverse,
    Head,
    Tail,
    ToCaseFold,
    ToLower,
    ToUpper,
    ToTitle,
    EscapeUri,
    FromPairs,
    ToPairs,
    RemoveNulls,
    Concat,
    Not,
    GetSessionVariable,
}

/// The functions by their names.
pub const FUNCTIONS: [(&str, Function); 16] = [
    ("empty", Function::Empty),
    ("size", Function::Size),
    ("inverse", Function::Inverse),
    ("head", Function::Head),
    ("tail", Function::Tail),
    ("toCaseFold", Function::ToCaseFold),
    ("toLower", Function::ToLower),
    ("toUpper", Function::ToUpper),
    ("toTitle", Function::ToTitle),
    ("escapeUri", Function::EscapeUri),
    ("fromPairs", Function::FromPairs),
    ("toPairs", Function::ToPairs),
    ("removeNulls", Function::RemoveNulls),
    ("concat", Function::Concat),
    ("not", Function::Not),
    ("getSessionVariable", Function::GetSessionVariable),
];

impl Function {
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// The value of a call; or what is wrong with the argument. `session` are the session variables,
    /// with names in lower case.
    pub(crate) fn call<'v>(
        self,
        argument: Cow<'v, Value>,
        session: Option<&Map<String, Value>>,
    ) -> Result<Cow<'v, Value>, String> {
        let value = match self {
            Self::Empty => Value::Bool(is_empty(&argument)?),
            Self::Size => size(&argument),
            Self::Inverse => inverse(argument.into_owned())?,
            Self::Head => head(argument.into_owned())?,
            Self::Tail => tail(argument.into_owned())?,
            // Case folding differs from lower case for a few letters, such as `ß`.
            Self::ToCaseFold => Value::String(text(&argument)?.replace('ß', "ss").to_lowercase()),
            Self::ToLower => Value::String(text(&argument)?.to_lowercase()),
            Self::ToUpper => Value::String(text(&argument)?.to_uppercase()),
            Self::ToTitle => Value::String(title(text(&argument)?)),
            Self::EscapeUri => Value::String(escape(text(&argument)?)),
            Self::FromPairs => from_pairs(argument.into_owned())?,
            Self::ToPairs => to_pairs(argument.into_owned())?,
            Self::RemoveNulls => match argument.into_owned() {
                Value::Array(items) => {
                    Value::Array(items.into_iter().filter(|item| !item.is_null()).collect())
                }
                other => return Err(wanted("an array", &other)),
            },
            Self::Concat => concat(argument.into_owned())?,
            Self::Not => match &*argument {
                Value::Bool(value) => Value::Bool(!value),
                other => return Err(wanted("a boolean", other)),
            },
            Self::GetSessionVariable => match &*argument {
                Value::Null => Value::Null,
                Value::String(name) => {
                    let found = session.and_then(|known| known.get(&name.to_lowercase()));
                    found.cloned().ok_or_else(|| format!("Session variable {name:?} not found"))?
                }
                _ => return Err("Session variable name should be a string".to_owned()),
            },
        };
        Ok(Cow::Owned(value))
    }
}

/// The kind of a value, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn wanted(wanted: &str, found: &Value) -> String {
    format!("expected {wanted}, found {}", kind(found))
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| wanted("a string", value))
}

fn is_empty(value: &Value) -> Result<bool, String> {
    Ok(match value {
        Value::Null => true,
        Value::Bool(_) => return Err("a boolean has no emptiness".to_owned()),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    })
}

fn size(value: &Value) -> Value {
    match value {
        Value::Null => 0.into(),
        Value::Bool(value) => u8::from(*value).into(),
        Value::Number(number) => Value::Number(number.clone()),
        Value::String(text) => text.chars().count().into(),
        Value::Array(items) => items.len().into(),
        Value::Object(members) => members.len().into(),
    }
}

fn inverse(value: Value) -> Result<Value, String> {
    Ok(match value {
        Value::Array(mut items) => {
            items.reverse();
            Value::Array(items)
        }
        Value::String(text) => Value::String(text.chars().rev().collect()),
        Value::Number(number) => {
            let inverse = number.as_f64().map(f64::recip).and_then(Number::from_f64);
            Value::Number(inverse.ok_or("the number 0 has no inverse")?)
        }
        Value::Bool(value) => Value::Bool(!value),
        other @ (Value::Null | Value::Object(_)) => other,
    })
}

fn head(value: Value) -> Result<Value, String> {
    match value {
        Value::Array(items) => items.into_iter().next().ok_or_else(|| "Empty array".to_owned()),
        Value::String(text) => {
            let first = text.chars().next().ok_or("Empty string")?;
            Ok(Value::String(first.into()))
        }
        other => Err(wanted("an array or a string", &other)),
    }
}

fn tail(value: Value) -> Result<Value, String> {
    match value {
        Value::Array(items) if items.is_empty() => Err("Empty array".to_owned()),
        Value::Array(mut items) => {
            items.remove(0);
            Ok(Value::Array(items))
        }
        Value::String(text) if text.is_empty() => Err("Empty string".to_owned()),
        Value::String(text) => Ok(Value::String(text.chars().skip(1).collect())),
        other => Err(wanted("an array or a string", &other)),
    }
}

/// The first letter of each word in upper case, the others in lower case.
fn title(text: &str) -> String {
    let mut is_first = true;
    let mut output = String::with_capacity(text.len());
    for c in text.chars() {
        match is_first {
            true => output.extend(c.to_uppercase()),
            false => output.extend(c.to_lowercase()),
        }
        is_first = !c.is_alphanumeric() && c != '\'';
    }
    output
}

/// Percent-encodes all bytes but the unreserved ones:
/// <https://www.rfc-editor.org/rfc/rfc3986#section-2.3>.
fn escape(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            true => output.push(char::from(byte)),
            false => output.push_str(&format!("%{byte:02X}")),
        }
    }
    output
}

fn from_pairs(value: Value) -> Result<Value, String> {
    let Value::Array(pairs) = value else { return Err(wanted("an array", &value)) };
    let mut members = Map::new();
    for pair in pairs {
        let Value::Array(pair) = pair else { return Err(wanted("an array of pairs", &pair)) };
        match <[Value; 2]>::try_from(pair) {
            Ok([Value::String(key), value]) => drop(members.insert(key, value)),
            Ok(_) | Err(_) => {
                return Err("expected pairs of a string and a value, such as [[\"a\", 1]]".into());
            }
        }
    }
    Ok(Value::Object(members))
}

fn to_pairs(value: Value) -> Result<Value, String> {
    let Value::Object(members) = value else { return Err(wanted("an object", &value)) };
    let pair = |(key, value)| Value::Array(vec![Value::String(key), value]);
    Ok(Value::Array(members.into_iter().map(pair).collect()))
}

/// Arrays, strings or objects as one; of equal keys the last one counts.
fn concat(value: Value) -> Result<Value, String> {
    let Value::Array(items) = value else { return Err(wanted("an array", &value)) };
    let mut items = items.into_iter();
    let Some(mut whole) = items.next() else { return Ok(Value::Array(Vec::new())) };
    for item in items {
        match (&mut whole, item) {
            (Value::Array(whole), Value::Array(mut item)) => whole.append(&mut item),
            (Value::String(whole), Value::String(item)) => whole.push_str(&item),
            (Value::Object(whole), Value::Object(item)) => whole.extend(item),
            (whole, item) => return Err(wanted(kind(whole), &item)),
        }
    }
    match whole {
        Value::Array(_) | Value::String(_) | Value::Object(_) => Ok(whole),
        other => Err(wanted("arrays, strings or objects", &other)),
    }
}
