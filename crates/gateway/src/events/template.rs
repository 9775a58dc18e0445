//! Topics with arguments in them: `employees.{{ args.id }}`.

use std::sync::Arc;

use serde_json_bytes::{ByteString, Map, Value as Json};

/// A text with arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Box<str>),
    Argument(ArgumentPath),
}

/// Name of an argument, with names of input fields below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentPath(pub Vec<Arc<str>>);

/// Treatment of values within a topic: a client must not choose another topic than that of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escaping {
    /// A token of a subject: separators and wildcards are refused.
    NatsToken,
    /// Part of a pattern of channels: wildcards are escaped.
    RedisPattern,
    /// Part of a channel.
    RedisChannel,
}

/// Error in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error("`{{{{` has no `}}}}`")]
    Open,
    #[error("`{{{{ args.NAME }}}}` is wanted")]
    NoArgument,
}

/// Reason why a value cannot be part of a topic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopicError {
    #[error("The argument \"{0}\" is part of a topic, and has no value.")]
    Absent(Box<str>),
    #[error("The argument \"{0}\" is part of a topic, and has a value that is not a scalar.")]
    NotScalar(Box<str>),
    #[error(
        "The argument \"{0}\" is part of a subject, and is empty, or contains a dot, a wildcard or white space."
    )]
    NotToken(Box<str>),
    #[error("The topic is longer than {MAX_TOPIC} bytes.")]
    TooLong,
}

/// Maximum length of a topic; NATS refuses longer ones.
const MAX_TOPIC: usize = 2_048;

impl Template {
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once("{{") {
            let (inside, after) = after.split_once("}}").ok_or(TemplateError::Open)?;
            if !before.is_empty() {
                parts.push(Part::Text(before.into()));
            }
            parts.push(Part::Argument(ArgumentPath::parse(inside)?));
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.into()));
        }
        Ok(Self { parts })
    }

    /// Returns the arguments.
    pub fn arguments(&self) -> impl Iterator<Item = &ArgumentPath> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Argument(path) => Some(path),
        })
    }

    /// Returns the texts between the arguments.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(&**text),
            Part::Argument(_) => None,
        })
    }

    /// Returns the only argument of a template without other text.
    #[must_use]
    pub fn only_argument(&self) -> Option<&ArgumentPath> {
        match self.parts.as_slice() {
            [Part::Argument(path)] => Some(path),
            _ => None,
        }
    }

    /// Fills in the values of arguments.
    pub fn topic(
        &self,
        arguments: &Map<ByteString, Json>,
        escaping: Escaping,
    ) -> Result<String, TopicError> {
        let mut topic = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => topic.push_str(text),
                Part::Argument(path) => append(&mut topic, path, arguments, escaping)?,
            }
            if topic.len() > MAX_TOPIC {
                return Err(TopicError::TooLong);
            }
        }
        Ok(topic)
    }
}

impl ArgumentPath {
    /// Parses `args.id` or `args.input.id`.
    fn parse(text: &str) -> Result<Self, TemplateError> {
        let names = text.trim().strip_prefix("args.").ok_or(TemplateError::NoArgument)?;
        let names: Vec<Arc<str>> = names.split('.').map(Into::into).collect();
        match names.iter().all(|name| graphql::schema::is_name(name)) {
            true => Ok(Self(names)),
            false => Err(TemplateError::NoArgument),
        }
    }

    /// Returns its value; `None` if it is absent or null.
    #[must_use]
    pub fn value<'j>(&self, arguments: &'j Map<ByteString, Json>) -> Option<&'j Json> {
        let (first, below) = self.0.split_first()?;
        let mut value = arguments.get(&**first)?;
        for name in below {
            value = value.as_object()?.get(&**name)?;
        }
        Some(value).filter(|value| !value.is_null())
    }

    /// `input.id`
    fn text(&self) -> Box<str> {
        self.0.join(".").into()
    }
}

/// Returns a scalar as text; `None` for a list or an object.
pub(super) fn scalar_text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.as_str().to_owned()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(value) => Some(value.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

fn append(
    topic: &mut String,
    path: &ArgumentPath,
    arguments: &Map<ByteString, Json>,
    escaping: Escaping,
) -> Result<(), TopicError> {
    let value = path.value(arguments).ok_or_else(|| TopicError::Absent(path.text()))?;
    let text = scalar_text(value).ok_or_else(|| TopicError::NotScalar(path.text()))?;
    match escaping {
        Escaping::NatsToken => {
            let is_special = |letter: char| {
                matches!(letter, '.' | '*' | '>') || letter.is_whitespace() || letter.is_control()
            };
            if text.is_empty() || text.contains(is_special) {
                return Err(TopicError::NotToken(path.text()));
            }
            topic.push_str(&text);
        }
        Escaping::RedisPattern => {
            for letter in text.chars() {
                if matches!(letter, '*' | '?' | '[' | ']' | '\\') {
                    topic.push('\\');
                }
                topic.push(letter);
            }
        }
        Escaping::RedisChannel => topic.push_str(&text),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, escaping: Escaping, arguments: &Json, expected: Result<&str, TopicError>) {
        let arguments = arguments.as_object().unwrap();
        let topic = Template::parse(text).unwrap().topic(arguments, escaping);
        assert_eq!(topic, expected.map(str::to_owned));
    }

    #[test]
    fn arguments_are_filled_in() {
        let arguments = json!({ "id": 7, "input": { "of": "a", "on": true }, "none": null });
        let nats = Escaping::NatsToken;
        check("users.{{ args.id }}.x", nats, &arguments, Ok("users.7.x"));
        check("{{args.input.of}}-{{ args.input.on }}", nats, &arguments, Ok("a-true"));
        check("a.>", nats, &arguments, Ok("a.>"));
        check("{{ args.none }}", nats, &arguments, Err(TopicError::Absent("none".into())));
        check("{{ args.id.of }}", nats, &arguments, Err(TopicError::Absent("id.of".into())));
        check("{{ args.input }}", nats, &arguments, Err(TopicError::NotScalar("input".into())));
    }

    #[test]
    fn values_cannot_choose_other_topics() {
        let refused = || Err(TopicError::NotToken("id".into()));
        for id in ["*", ">", "a.b", "", "a b", "a\r\nPUB"] {
            check("users.{{ args.id }}", Escaping::NatsToken, &json!({ "id": id }), refused());
        }
        let id = json!({ "id": "a*?[b]\\" });
        check("u.{{ args.id }}", Escaping::RedisPattern, &id, Ok("u.a\\*\\?\\[b\\]\\\\"));
        check("u.{{ args.id }}", Escaping::RedisChannel, &id, Ok("u.a*?[b]\\"));
        let long = json!({ "id": "a".repeat(MAX_TOPIC) });
        check("u.{{ args.id }}", Escaping::NatsToken, &long, Err(TopicError::TooLong));
    }

    #[test]
    fn wrong_templates_are_refused() {
        for (text, expected) in [
            ("a.{{ args.id", TemplateError::Open),
            ("a.{{ id }}", TemplateError::NoArgument),
            ("a.{{ args. }}", TemplateError::NoArgument),
            ("a.{{ args.a..b }}", TemplateError::NoArgument),
        ] {
            assert_eq!(Template::parse(text), Err(expected), "{text}");
        }
    }
}
