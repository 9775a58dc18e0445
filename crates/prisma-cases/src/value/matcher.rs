//! ScalaTest's matchers.

use std::rc::Rc;

use serde_json::Value as Json;

use super::{Host, Value, equal, equal_json};

#[derive(Debug, Clone)]
pub(crate) enum Matcher {
    Equal(Value),
    Include(String),
    StartWith(String),
    EndWith(String),
    Size(i64),
    Empty,
    Contain(Value),
    SameElements(Value),
    Not(Rc<Matcher>),
    /// A schema defines something whose lines begin so.
    Definition {
        start: String,
        lines: Vec<String>,
    },
}

impl Matcher {
    /// Whether a value matches. The error names what is not understood.
    pub(crate) fn holds(&self, value: &Value) -> Result<bool, String> {
        if matches!(value, Value::Anything) {
            return Ok(!matches!(self, Self::Not(_)));
        }
        match self {
            Self::Equal(expected) => Ok(equal(value, expected)),
            Self::Include(part) => text(value).map(|text| includes(&text, part)),
            Self::StartWith(part) => text(value).map(|text| text.starts_with(&**part)),
            Self::EndWith(part) => text(value).map(|text| text.ends_with(&**part)),
            Self::Size(size) => size_of(value).map(|own| own as i64 == *size),
            Self::Empty => size_of(value).map(|size| size == 0),
            Self::Contain(item) => Ok(items(value)?.iter().any(|one| equal(one, item))),
            Self::SameElements(other) => {
                let (mut left, right) = (items(value)?, items(other)?);
                Ok(left.len() == right.len()
                    && right.iter().all(|item| {
                        let found = left.iter().position(|one| equal(one, item));
                        found.map(|idx| left.remove(idx)).is_some()
                    }))
            }
            Self::Not(inner) => inner.holds(value).map(|holds| !holds),
            Self::Definition { start, lines } => {
                let schema = text(value)?;
                let mut definition = schema.lines().skip_while(|line| !line.starts_with(&**start));
                if definition.next().is_none() {
                    return Ok(false);
                }
                let own: Vec<_> =
                    definition.take_while(|line| *line != "}").map(str::trim).collect();
                Ok(lines.iter().all(|line| own.iter().any(|own| own.starts_with(&**line))))
            }
        }
    }

    /// What is expected.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Equal(value) => value.to_text(),
            Self::Include(part) => format!("a text with {part}"),
            Self::StartWith(part) => format!("a text that starts with {part}"),
            Self::EndWith(part) => format!("a text that ends with {part}"),
            Self::Size(size) => format!("the size {size}"),
            Self::Empty => "an empty list".into(),
            Self::Contain(item) => format!("a list with {}", item.to_text()),
            Self::SameElements(other) => format!("the elements of {}", other.to_text()),
            Self::Not(inner) => format!("not {}", inner.describe()),
            Self::Definition { start, lines } => format!("{start} … {} …", lines.join(" … ")),
        }
    }
}

fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::Text(text) => Ok(text.to_string()),
        _ => Err("a matcher of texts for something else".into()),
    }
}

fn items(value: &Value) -> Result<Vec<Value>, String> {
    match value {
        Value::List(items) => Ok(items.to_vec()),
        Value::Option(option) => Ok(option.iter().map(|value| (**value).clone()).collect()),
        Value::Json(json) => match &**json {
            serde_json::Value::Array(items) => {
                Ok(items.iter().map(|item| Value::json(item.clone())).collect())
            }
            _ => Err("the items of no list".into()),
        },
        _ => Err("the items of no list".into()),
    }
}

fn size_of(value: &Value) -> Result<usize, String> {
    match value {
        Value::Host(Host::Refusal(text)) => Ok(errors_of(text)),
        Value::Text(text) => Ok(text.chars().count()),
        Value::Option(option) => Ok(usize::from(option.is_some())),
        _ => items(value).map(|items| items.len()),
    }
}

/// The number of errors in what a command says.
pub(crate) fn errors_of(text: &str) -> usize {
    text.matches("error: ").count()
}

/// A text is a part of another, or an object in its JSON: Prisma's objects have their members in the
/// order of a hash table.
fn includes(text: &str, part: &str) -> bool {
    fn has(json: &Json, part: &Json) -> bool {
        equal_json(json, part)
            || match json {
                Json::Array(items) => items.iter().any(|item| has(item, part)),
                Json::Object(members) => members.values().any(|member| has(member, part)),
                _ => false,
            }
    }
    let parse = |text: &str| serde_json::from_str::<Json>(text).ok();
    text.contains(part)
        || match (parse(part).filter(Json::is_object), parse(text)) {
            (Some(part), Some(json)) => has(&json, &part),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(matcher: &Matcher, value: &Value, expected: bool) {
        assert_eq!(matcher.holds(value), Ok(expected), "{}", matcher.describe());
    }

    #[test]
    fn texts_and_lists() {
        check(&Matcher::Include("b".into()), &Value::text("abc"), true);
        check(&Matcher::Include("d".into()), &Value::text("abc"), false);
        let object = Matcher::Include(r#"{"a":1,"b":2}"#.into());
        check(&object, &Value::text(r#"[[{"b":2,"a":1}]]"#), true);
        check(&object, &Value::text(r#"[{"b":2,"a":1,"c":3}]"#), false);
        check(&Matcher::Size(2), &Value::json(json!([1, 2])), true);
        check(&Matcher::Empty, &Value::json(json!([1])), false);
        let list = |items: &[i64]| Value::list(items.iter().copied().map(Value::Int).collect());
        check(&Matcher::SameElements(list(&[1, 2, 2])), &list(&[2, 1, 2]), true);
        check(&Matcher::SameElements(list(&[1, 2, 2])), &list(&[2, 1, 1]), false);
        assert!(Matcher::Include("b".into()).holds(&Value::Int(1)).is_err());
    }

    #[test]
    fn definitions_have_lines_that_begin_so() {
        let schema = Value::text("type Query {\n  a(x: Int): Int\n}\n\ntype A {\n  b: Int\n}\n");
        let matcher = |start: &str, line: &str| Matcher::Definition {
            start: start.into(),
            lines: vec![line.into()],
        };
        check(&matcher("type Query {", "a("), &schema, true);
        check(&matcher("type Query {", "b"), &schema, false);
        check(&matcher("type B {", "b"), &schema, false);
    }
}
