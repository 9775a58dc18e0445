//! Parses the file of subscription fields, and checks what needs no database.

use std::collections::HashSet;
use std::sync::Arc;

use graphql::definitions::{
    Composite, Directive, FieldDefinition, InputDefinition, Literal, TypeBody, TypeDefinition,
    TypeExpression, parse_definitions,
};

use api::binding::TopicPart;

const SUBSCRIPTION: &str = "Subscription";
const DIRECTIVE: &str = "pgSubscription";
const TOPIC: &str = "topic";
/// The beginning of the name of a claim in a topic.
const CLAIM: &str = "jwt.";

/// Types of arguments.
const ARGUMENTS: [&str; 6] = ["String", "ID", "Int", "Boolean", "UUID", "BigInt"];

/// Subscription fields, and the types of their events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionsFile(pub(crate) Arc<Contents>);

/// The contents of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    pub(crate) fields: Vec<EventField>,
    pub(crate) payloads: Vec<Payload>,
}

/// A subscription field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventField {
    pub(crate) definition: FieldDefinition,
    pub(crate) topic: Arc<[TopicPart]>,
}

/// The type of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Payload {
    pub(crate) name: Arc<str>,
    pub(crate) description: Option<Arc<str>>,
    pub(crate) fields: Vec<FieldDefinition>,
}

impl SubscriptionsFile {
    /// Parses the text of a file. The error names the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let definitions = parse_definitions(text).map_err(|errors| {
            let messages: Vec<_> = errors.iter().map(|error| error.message.to_string()).collect();
            messages.join(" ")
        })?;
        let mut contents = Contents::default();
        if let Some(schema) = definitions.schemas.first() {
            return Err(at(schema.line, "a schema definition has no meaning here"));
        }
        if let Some(directive) = definitions.directives.first() {
            return Err(at(directive.line, "directives cannot be defined here"));
        }
        for definition in definitions.types {
            contents.add(definition)?;
        }
        contents.check()?;
        Ok(Self(Arc::new(contents)))
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.fields.is_empty()
    }
}

impl Contents {
    fn add(&mut self, definition: TypeDefinition) -> Result<(), String> {
        let TypeDefinition { name, line, is_extension, description, directives, body, .. } =
            definition;
        let TypeBody::Object(Composite { interfaces, fields }) = body else {
            return Err(at(line, "only object types have a meaning here"));
        };
        if !interfaces.is_empty() || !directives.is_empty() {
            return Err(at(line, "a type of events has no interface and no directive"));
        }
        match (&*name == SUBSCRIPTION, is_extension) {
            (true, true) => {
                for field in fields {
                    self.fields.push(event_field(field)?);
                }
                Ok(())
            }
            (false, false) => {
                fields.iter().try_for_each(check_member)?;
                if self.payloads.iter().any(|payload| payload.name == name) {
                    return Err(at(line, &format!("the type {name} is defined twice")));
                }
                self.payloads.push(Payload { name, description, fields });
                Ok(())
            }
            (true, false) | (false, true) => {
                Err(at(line, "write `extend type Subscription`, and `type` for types of events"))
            }
        }
    }

    /// Checks that each type of events is defined and used, and each name is used once.
    fn check(&self) -> Result<(), String> {
        let mut used = HashSet::new();
        let mut names = HashSet::new();
        for EventField { definition, .. } in &self.fields {
            let payload = definition.r#type.base();
            if !self.payloads.iter().any(|known| known.name == *payload) {
                let message = format!("the type {payload} is not defined in this file");
                return Err(at(definition.line, &message));
            }
            if !names.insert(&definition.name) {
                return Err(at(definition.line, &format!("{} is there twice", definition.name)));
            }
            used.insert(payload);
        }
        match self.payloads.iter().find(|payload| !used.contains(&payload.name)) {
            Some(unused) => Err(format!("no subscription has the type {}", unused.name)),
            None => Ok(()),
        }
    }
}

fn at(line: usize, message: &str) -> String {
    format!("line {line}: {message}")
}

fn event_field(definition: FieldDefinition) -> Result<EventField, String> {
    let line = definition.line;
    if let TypeExpression::List { .. } = definition.r#type {
        return Err(at(line, "an event is an object, not a list"));
    }
    for argument in &definition.arguments {
        check_argument(argument)?;
    }
    let topic = match definition.directives.as_slice() {
        [directive] if &*directive.name == DIRECTIVE => topic_of(directive)?,
        _ => {
            let message = "a subscription has one directive: `@pgSubscription(topic: \"…\")`";
            return Err(at(line, message));
        }
    };
    let topic = template(topic).map_err(|message| at(line, &message))?;
    let is_named = |name: &str| {
        topic.iter().any(|part| matches!(part, TopicPart::Argument(known) if **known == *name))
    };
    if let Some(argument) = definition.arguments.iter().find(|one| !is_named(&one.name)) {
        return Err(at(line, &format!("the topic has no `{{{}}}`", argument.name)));
    }
    for part in &topic {
        if let TopicPart::Argument(name) = part
            && !definition.arguments.iter().any(|argument| *argument.name == **name)
        {
            return Err(at(line, &format!("there is no argument `{name}`, which the topic has")));
        }
    }
    Ok(EventField { definition, topic: topic.into() })
}

fn check_argument(argument: &InputDefinition) -> Result<(), String> {
    let TypeExpression::Named { name, .. } = &argument.r#type else {
        return Err(at(argument.line, "an argument of a topic is not a list"));
    };
    if !ARGUMENTS.contains(&&**name) {
        let message =
            format!("an argument of a topic has one of the types {}", ARGUMENTS.join(", "));
        return Err(at(argument.line, &message));
    }
    match argument.directives.is_empty() && argument.default.is_none() {
        true => Ok(()),
        false => Err(at(argument.line, "an argument has no default and no directives here")),
    }
}

/// A field of a type of events: nullable, since a notification may lack it.
fn check_member(field: &FieldDefinition) -> Result<(), String> {
    match &field.r#type {
        TypeExpression::Named { is_required: false, .. }
            if field.arguments.is_empty() && field.directives.is_empty() =>
        {
            Ok(())
        }
        _ => Err(at(
            field.line,
            "a field of an event is nullable, no list, and has no arguments and directives",
        )),
    }
}

fn topic_of(directive: &Directive) -> Result<&str, String> {
    match directive.arguments.as_slice() {
        [argument] if &*argument.name == TOPIC => match &argument.value {
            Literal::String(topic) => Ok(topic),
            _ => Err(at(argument.line, "a topic is a string")),
        },
        _ => Err(at(directive.line, "`@pgSubscription` has the argument `topic`")),
    }
}

/// The parts of a topic: text, `{argument}` and `{jwt.claim}`.
fn template(topic: &str) -> Result<Vec<TopicPart>, String> {
    let mut parts = Vec::new();
    let mut rest = topic;
    while let Some((text, tail)) = rest.split_once('{') {
        let (name, after) = tail.split_once('}').ok_or("a `{` of the topic has no `}`")?;
        if text.contains('}') || name.is_empty() || name.contains('{') {
            return Err("write `{argument}` or `{jwt.claim}` in a topic".into());
        }
        if !text.is_empty() {
            parts.push(TopicPart::Text(text.into()));
        }
        parts.push(match name.strip_prefix(CLAIM) {
            Some(claim) => TopicPart::Claim(claim.into()),
            None => TopicPart::Argument(name.into()),
        });
        rest = after;
    }
    if rest.contains('}') {
        return Err("a `}` of the topic has no `{`".into());
    }
    if !rest.is_empty() {
        parts.push(TopicPart::Text(rest.into()));
    }
    match parts.is_empty() {
        true => Err("a topic is not empty".into()),
        false => Ok(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAYLOAD: &str = "type E { event: String }";

    fn check(field: &str, expected: &str) {
        let text = format!("extend type Subscription {{ {field} }}\n{PAYLOAD}");
        assert_eq!(SubscriptionsFile::parse(&text).unwrap_err(), expected, "{field}");
    }

    #[test]
    fn topics_have_arguments_and_claims() {
        let parts = template("a:{id}:{jwt.user_id}!").unwrap();
        let expected = [
            TopicPart::Text("a:".into()),
            TopicPart::Argument("id".into()),
            TopicPart::Text(":".into()),
            TopicPart::Claim("user_id".into()),
            TopicPart::Text("!".into()),
        ];
        assert_eq!(parts, expected);
        for wrong in ["", "a{", "a}", "{}", "{{a}}", "}{a"] {
            assert!(template(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn problems_name_their_lines() {
        check("a: E", "line 1: a subscription has one directive: `@pgSubscription(topic: \"…\")`");
        check(
            "a: F @pgSubscription(topic: \"t\")",
            "line 1: the type F is not defined in this file",
        );
        check("a: [E] @pgSubscription(topic: \"t\")", "line 1: an event is an object, not a list");
        check("a(i: Int): E @pgSubscription(topic: \"t\")", "line 1: the topic has no `{i}`");
        check(
            "a: E @pgSubscription(topic: \"{i}\")",
            "line 1: there is no argument `i`, which the topic has",
        );
        check(
            "a(i: [Int]): E @pgSubscription(topic: \"{i}\")",
            "line 1: an argument of a topic is not a list",
        );
        check("a: E @pgSubscription(topic: 1)", "line 1: a topic is a string");
        let unused = "type E { event: String! }";
        assert!(SubscriptionsFile::parse(unused).unwrap_err().contains("nullable"));
        assert_eq!(
            SubscriptionsFile::parse(PAYLOAD).unwrap_err(),
            "no subscription has the type E"
        );
        assert!(SubscriptionsFile::parse("").unwrap().is_empty());
    }
}
