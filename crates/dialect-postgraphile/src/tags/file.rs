//! The tags file: tags for objects that have no comment, or in addition to it.
//!
//! Its format is that of `postgraphile.tags.json5`, version 1.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::identifier;

/// The rules of a tags file, in their order: later ones override.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagsFile {
    pub(super) rules: Vec<Rule>,
}

/// Reasons why a text is no tags file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TagsFileError {
    #[error("{0}")]
    Json(Box<str>),
    #[error("the version is {0}; only version 1 is known: `version: 1, config: {{ … }}`")]
    Version(i64),
    #[error(
        "`{0}` is no name of a thing: write `table`, `schema.table` or, with dots and quotes of its own, `\"the name\"`"
    )]
    Name(Box<str>),
    #[error("`{0}`: only a class has `attribute` and `constraint`")]
    NotInClass(Box<str>),
}

/// Tags for all objects of a kind with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) kind: Kind,
    /// The name, after its qualifiers.
    pub(super) parts: Vec<Box<str>>,
    pub(super) tags: Vec<(Box<str>, super::Values)>,
    pub(super) description: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A table, a view, a composite type.
    Class,
    /// A column, also of a composite type.
    Attribute,
    Constraint,
    /// An enum or a domain.
    Type,
    /// A function.
    Procedure,
}

impl Kind {
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Attribute => "attribute",
            Self::Constraint => "constraint",
            Self::Type => "type",
            Self::Procedure => "procedure",
        }
    }
}

impl TagsFile {
    /// Parses the text of a file: JSON5, a superset of JSON.
    pub fn parse(text: &str) -> Result<Self, TagsFileError> {
        let written: Written =
            json5::from_str(text).map_err(|error| TagsFileError::Json(error.to_string().into()))?;
        if written.version != 1 {
            return Err(TagsFileError::Version(written.version));
        }
        let Config { class, attribute, constraint, r#type, procedure } = written.config;
        let mut rules = Vec::new();
        for (kind, things) in [
            (Kind::Class, class),
            (Kind::Attribute, attribute),
            (Kind::Constraint, constraint),
            (Kind::Type, r#type),
            (Kind::Procedure, procedure),
        ] {
            for (name, thing) in things.0 {
                add(&mut rules, kind, &name, thing)?;
            }
        }
        Ok(Self { rules })
    }
}

fn add(rules: &mut Vec<Rule>, kind: Kind, name: &str, thing: Thing) -> Result<(), TagsFileError> {
    let parts = identifier::parts(name).ok_or_else(|| TagsFileError::Name(name.into()))?;
    let Thing { tags, description, columns, attribute, constraint } = thing;
    let within = [
        (Kind::Attribute, columns.0),
        (Kind::Attribute, attribute.0),
        (Kind::Constraint, constraint.0),
    ];
    if kind != Kind::Class && within.iter().any(|(_, things)| !things.is_empty()) {
        return Err(TagsFileError::NotInClass(format!("{}.{name}", kind.label()).into()));
    }
    rules.push(rule(kind, parts.clone(), tags, description));
    for (kind, things) in within {
        for (name, Part { tags, description }) in things {
            let mut parts = parts.clone();
            parts.push(name.into());
            rules.push(rule(kind, parts, tags, description));
        }
    }
    Ok(())
}

fn rule(
    kind: Kind,
    parts: Vec<Box<str>>,
    tags: Ordered<Values>,
    description: Option<String>,
) -> Rule {
    let tags = tags.0.into_iter().map(|(name, values)| (name.into(), values.into_list()));
    Rule { kind, parts, tags: tags.collect(), description: description.map(Into::into) }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: i64,
    config: Config,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Config {
    class: Ordered<Thing>,
    attribute: Ordered<Thing>,
    constraint: Ordered<Thing>,
    r#type: Ordered<Thing>,
    procedure: Ordered<Thing>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Thing {
    tags: Ordered<Values>,
    description: Option<String>,
    /// An older word for `attribute`.
    columns: Ordered<Part>,
    attribute: Ordered<Part>,
    constraint: Ordered<Part>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Part {
    tags: Ordered<Values>,
    description: Option<String>,
}

/// The values of a tag. `false` and `null` remove a tag of a comment.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Values {
    Present(bool),
    One(String),
    Several(Vec<Value>),
    Absent(()),
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Value {
    Present(bool),
    Text(String),
}

impl Values {
    fn into_list(self) -> super::Values {
        match self {
            Self::Present(true) => vec![None],
            Self::Present(false) | Self::Absent(()) => Vec::new(),
            Self::One(text) => vec![Some(text.into())],
            Self::Several(values) => values
                .into_iter()
                .filter_map(|value| match value {
                    Value::Present(present) => present.then_some(None),
                    Value::Text(text) => Some(Some(text.into())),
                })
                .collect(),
        }
    }
}

/// An object whose members keep their order.
struct Ordered<T>(Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OrderedVisitor(PhantomData))
    }
}

struct OrderedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OrderedVisitor<T> {
    type Value = Ordered<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Ordered(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<String> {
        let line = |rule: &Rule| {
            let mut tags = super::super::Tags::default();
            for (name, values) in &rule.tags {
                tags.set(name, values);
            }
            let tags: Vec<_> = tags.lines().collect();
            let description = rule.description.as_deref().unwrap_or_default();
            format!(
                "{} {}: {} {description}",
                rule.kind.label(),
                rule.parts.join("/"),
                tags.join(" ")
            )
            .trim_end()
            .into()
        };
        TagsFile::parse(text).map_or_else(
            |error| vec![error.to_string()],
            |file| file.rules.iter().map(line).collect(),
        )
    }

    #[test]
    fn a_file_has_a_rule_for_each_thing_that_it_names() {
        let text = r#"{
            // As in PostGraphile's files.
            version: 1,
            config: {
                class: {
                    "app.people": {
                        tags: { name: "human", omit: true, unique: ["a", "b"] },
                        description: "Who lives here",
                        attribute: { mail: { tags: { deprecated: 'no' } } },
                        constraint: { people_pkey: { tags: { fieldName: "byId" } } },
                    },
                },
                attribute: { "people.name": { tags: { notNull: true, omit: null, x: false } } },
                type: { mood: { tags: { enumName: "Mood" } } },
            },
        }"#;
        assert_eq!(
            rules(text),
            [
                "class app/people: @name human @omit @unique a @unique b Who lives here",
                "attribute app/people/mail: @deprecated no",
                "constraint app/people/people_pkey: @fieldName byId",
                "attribute people/name: @notNull",
                "type mood: @enumName Mood",
            ]
        );
    }

    #[test]
    fn what_is_no_tags_file_is_refused() {
        let check = |text: &str, expected: &str| {
            let found = rules(text);
            assert!(found.len() == 1 && found[0].contains(expected), "{text}: {found:?}");
        };
        check("", "");
        check("{ version: 2, config: {} }", "the version is 2");
        check("{ version: 1, config: { table: {} } }", "unknown field `table`");
        check("{ version: 1, config: { class: { a: { name: 'b' } } } }", "unknown field `name`");
        check("{ version: 1, config: { class: { a: { tags: { name: 1 } } } } }", "Values");
        check("{ version: 1, config: { class: { 'a..b': {} } } }", "`a..b` is no name");
        check(
            "{ version: 1, config: { attribute: { a: { attribute: { b: {} } } } } }",
            "only a class has",
        );
    }
}
