//! The schema of a GraphQL server, by its answer to introspection:
//! <https://spec.graphql.org/draft/#sec-Schema-Introspection>.

use std::collections::BTreeMap;

use bytes::Bytes;
use graphql::definitions::{Template, parse_template};
use graphql::schema::is_name;
use graphql::value::Const;
use serde::Deserialize;
use serde_json::json;

/// A schema, as far as requests need it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemoteSchema {
    pub query: Box<str>,
    pub mutation: Option<Box<str>>,
    /// Only of a source in this process: subscriptions of other servers are not served.
    pub subscription: Option<Box<str>>,
    /// Without those of introspection.
    pub types: BTreeMap<Box<str>, RemoteType>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RemoteType {
    pub description: Option<Box<str>>,
    pub kind: RemoteKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RemoteKind {
    Scalar,
    Object { fields: Vec<RemoteField>, interfaces: Vec<Box<str>> },
    Interface { fields: Vec<RemoteField>, interfaces: Vec<Box<str>> },
    Union { members: Vec<Box<str>> },
    Enum { values: Vec<RemoteValue> },
    Input { fields: Vec<RemoteInput> },
}

#[derive(Clone, Debug, PartialEq)]
pub struct RemoteField {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub arguments: Vec<RemoteInput>,
    pub r#type: RemoteTypeText,
    /// The reason, if it is deprecated.
    pub deprecated: Option<Box<str>>,
}

/// An argument, or a field of an input object.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteInput {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub r#type: RemoteTypeText,
    pub default: Option<Const>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RemoteValue {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub deprecated: Option<Box<str>>,
}

/// A type in its lists: `[` and the name and `!]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteTypeText {
    pub before: Box<str>,
    pub name: Box<str>,
    pub behind: Box<str>,
}

/// Why an answer to introspection is no schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteSchemaError {
    #[error("its answer to introspection is not the JSON that is expected: {0}")]
    Json(Box<str>),
    #[error("its answer to introspection has no `data`")]
    NoData,
    #[error("it has the name `{0}`, which is none of GraphQL")]
    Name(Box<str>),
    #[error("it has no type `{0}`, which it refers to")]
    NoType(Box<str>),
    #[error("the kind `{0}` of a type is unknown")]
    Kind(Box<str>),
    #[error("the default `{0}` of an input is no value")]
    Default(Box<str>),
}

const QUERY: &str = "query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name } types { kind \
     name description fields(includeDeprecated: true) { name description args { ...I } type { ...T } \
     isDeprecated deprecationReason } inputFields { ...I } interfaces { name } \
     enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } \
     possibleTypes { name } } } } \
     fragment I on __InputValue { name description type { ...T } defaultValue } \
     fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name \
     ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } }";

/// The body of the request for the schema.
#[must_use]
pub fn introspection_body() -> Bytes {
    Bytes::from(json!({ "query": QUERY, "operationName": "IntrospectionQuery" }).to_string())
}

#[derive(Deserialize)]
struct Answer {
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(rename = "__schema")]
    schema: ReadSchema,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadSchema {
    query_type: Named,
    mutation_type: Option<Named>,
    subscription_type: Option<Named>,
    types: Vec<ReadType>,
}

#[derive(Deserialize)]
struct Named {
    name: Box<str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadType {
    kind: Box<str>,
    name: Box<str>,
    description: Option<Box<str>>,
    fields: Option<Vec<ReadField>>,
    input_fields: Option<Vec<ReadInput>>,
    interfaces: Option<Vec<Named>>,
    enum_values: Option<Vec<ReadValue>>,
    possible_types: Option<Vec<Named>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadField {
    name: Box<str>,
    description: Option<Box<str>>,
    args: Vec<ReadInput>,
    r#type: ReadRef,
    #[serde(default)]
    is_deprecated: bool,
    deprecation_reason: Option<Box<str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadInput {
    name: Box<str>,
    description: Option<Box<str>>,
    r#type: ReadRef,
    default_value: Option<Box<str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadValue {
    name: Box<str>,
    description: Option<Box<str>>,
    #[serde(default)]
    is_deprecated: bool,
    deprecation_reason: Option<Box<str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadRef {
    kind: Box<str>,
    name: Option<Box<str>>,
    of_type: Option<Box<ReadRef>>,
}

impl RemoteSchema {
    /// Reads an answer to introspection. All names are names of GraphQL, and all types that are
    /// referred to exist.
    pub fn read(answer: &[u8]) -> Result<Self, RemoteSchemaError> {
        let answer: Answer = serde_json::from_slice(answer)
            .map_err(|error| RemoteSchemaError::Json(error.to_string().into()))?;
        let read = answer.data.ok_or(RemoteSchemaError::NoData)?.schema;
        let mut schema = Self {
            query: read.query_type.name,
            mutation: read.mutation_type.map(|named| named.name),
            subscription: None,
            types: BTreeMap::new(),
        };
        for r#type in read.types {
            if !r#type.name.starts_with("__") {
                let name = r#type.name.clone();
                name_of_graphql(&name)?;
                schema.types.insert(name, r#type.finish()?);
            }
        }
        schema.check()?;
        // Subscriptions of the server are not served.
        if let Some(Named { name }) = read.subscription_type
            && !schema.is_root(&name)
            && !schema.refers_to(&name)
        {
            schema.types.remove(&name);
        }
        Ok(schema)
    }

    /// True if a field has the type.
    fn refers_to(&self, name: &str) -> bool {
        let types = self.types.keys().flat_map(|known| self.fields(known));
        types.into_iter().any(|field| *field.r#type.name == *name)
    }

    /// Checks that all types exist.
    fn check(&self) -> Result<(), RemoteSchemaError> {
        let check = |name: &str| match self.types.contains_key(name) {
            true => Ok(()),
            false => Err(RemoteSchemaError::NoType(name.into())),
        };
        check(&self.query)?;
        self.mutation.iter().try_for_each(|name| check(name))?;
        for r#type in self.types.values() {
            match &r#type.kind {
                RemoteKind::Scalar | RemoteKind::Enum { .. } => {}
                RemoteKind::Object { fields, interfaces }
                | RemoteKind::Interface { fields, interfaces } => {
                    interfaces.iter().try_for_each(|name| check(name))?;
                    for field in fields {
                        check(&field.r#type.name)?;
                        field.arguments.iter().try_for_each(|input| check(&input.r#type.name))?;
                    }
                }
                RemoteKind::Union { members } => members.iter().try_for_each(|name| check(name))?,
                RemoteKind::Input { fields } => {
                    fields.iter().try_for_each(|input| check(&input.r#type.name))?;
                }
            }
        }
        Ok(())
    }

    /// True for the types of queries, mutations and subscriptions.
    #[must_use]
    pub fn is_root(&self, name: &str) -> bool {
        *self.query == *name
            || self.mutation.as_deref() == Some(name)
            || self.subscription.as_deref() == Some(name)
    }

    /// The fields of an object or an interface.
    #[must_use]
    pub fn fields(&self, r#type: &str) -> &[RemoteField] {
        match self.types.get(r#type).map(|known| &known.kind) {
            Some(RemoteKind::Object { fields, .. } | RemoteKind::Interface { fields, .. }) => {
                fields
            }
            Some(_) | None => &[],
        }
    }
}

impl ReadType {
    fn finish(self) -> Result<RemoteType, RemoteSchemaError> {
        let Self {
            kind,
            description,
            fields,
            input_fields,
            interfaces,
            enum_values,
            possible_types,
            ..
        } = self;
        let names = |named: Option<Vec<Named>>| {
            named.into_iter().flatten().map(|named| named.name).collect::<Vec<_>>()
        };
        let fields = fields.into_iter().flatten().map(ReadField::finish);
        let kind = match &*kind {
            "SCALAR" => RemoteKind::Scalar,
            "OBJECT" => RemoteKind::Object {
                fields: fields.collect::<Result<_, _>>()?,
                interfaces: names(interfaces),
            },
            "INTERFACE" => RemoteKind::Interface {
                fields: fields.collect::<Result<_, _>>()?,
                interfaces: names(interfaces),
            },
            "UNION" => RemoteKind::Union { members: names(possible_types) },
            "ENUM" => {
                let values = enum_values.into_iter().flatten().map(ReadValue::finish);
                RemoteKind::Enum { values: values.collect::<Result<_, _>>()? }
            }
            "INPUT_OBJECT" => {
                let fields = input_fields.into_iter().flatten().map(ReadInput::finish);
                RemoteKind::Input { fields: fields.collect::<Result<_, _>>()? }
            }
            _ => return Err(RemoteSchemaError::Kind(kind)),
        };
        Ok(RemoteType { description, kind })
    }
}

impl ReadField {
    fn finish(self) -> Result<RemoteField, RemoteSchemaError> {
        name_of_graphql(&self.name)?;
        let arguments = self.args.into_iter().map(ReadInput::finish);
        Ok(RemoteField {
            name: self.name,
            description: self.description,
            arguments: arguments.collect::<Result<_, _>>()?,
            r#type: self.r#type.finish()?,
            deprecated: deprecated(self.is_deprecated, self.deprecation_reason),
        })
    }
}

impl ReadInput {
    fn finish(self) -> Result<RemoteInput, RemoteSchemaError> {
        name_of_graphql(&self.name)?;
        let default = self.default_value.map(|text| {
            let template = parse_template(&text).ok();
            template.as_ref().and_then(constant).ok_or(RemoteSchemaError::Default(text))
        });
        Ok(RemoteInput {
            name: self.name,
            description: self.description,
            r#type: self.r#type.finish()?,
            default: default.transpose()?,
        })
    }
}

impl ReadValue {
    fn finish(self) -> Result<RemoteValue, RemoteSchemaError> {
        name_of_graphql(&self.name)?;
        Ok(RemoteValue {
            name: self.name,
            description: self.description,
            deprecated: deprecated(self.is_deprecated, self.deprecation_reason),
        })
    }
}

impl ReadRef {
    /// The type as text. The depth is that of the request for the schema.
    fn finish(&self) -> Result<RemoteTypeText, RemoteSchemaError> {
        let inner = self.of_type.as_ref();
        let (mut text, before, behind) = match (&*self.kind, inner) {
            ("NON_NULL", Some(inner)) => (inner.finish()?, "", "!"),
            ("LIST", Some(inner)) => (inner.finish()?, "[", "]"),
            (_, _) => {
                let name = self.name.clone().unwrap_or_default();
                name_of_graphql(&name)?;
                return Ok(RemoteTypeText { before: "".into(), name, behind: "".into() });
            }
        };
        text.before = [before, &*text.before].concat().into();
        text.behind = [&*text.behind, behind].concat().into();
        Ok(text)
    }
}

impl RemoteTypeText {
    /// The type, with another name for its base.
    #[must_use]
    pub fn named(&self, name: &str) -> String {
        [&*self.before, name, &*self.behind].concat()
    }
}

impl RemoteTypeText {
    /// A type as a schema writes it.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let name = text.trim_matches(['[', ']', '!']);
        let (before, rest) = text.split_at(text.len() - text.trim_start_matches('[').len());
        Self { before: before.into(), name: name.into(), behind: rest[name.len()..].into() }
    }

    /// The type of the items of a list.
    #[must_use]
    pub fn item(&self) -> Option<Self> {
        let before = self.before.strip_prefix('[')?;
        let behind = self.behind.trim_end_matches('!').strip_suffix(']')?;
        Some(Self { before: before.into(), name: self.name.clone(), behind: behind.into() })
    }

    /// True if the value, or the list, is non-null.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.behind.ends_with('!')
    }
}

impl std::fmt::Display for RemoteTypeText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.named(&self.name))
    }
}

fn deprecated(is_deprecated: bool, reason: Option<Box<str>>) -> Option<Box<str>> {
    is_deprecated.then(|| reason.unwrap_or_else(|| "No longer supported".into()))
}

fn name_of_graphql(name: &str) -> Result<(), RemoteSchemaError> {
    match is_name(name) {
        true => Ok(()),
        false => Err(RemoteSchemaError::Name(name.into())),
    }
}

/// A value without variables. Recursion is bounded by the parser's limit.
fn constant(template: &Template) -> Option<Const> {
    Some(match template {
        Template::Variable(_) => return None,
        Template::Leaf(literal) => literal.constant(),
        Template::List(items) => {
            Const::List(items.iter().map(constant).collect::<Option<Vec<_>>>()?)
        }
        Template::Object(members) => {
            let members =
                members.iter().map(|(key, value)| Some(((&**key).into(), constant(value)?)));
            Const::Object(members.collect::<Option<Vec<_>>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer with these types, beside `Query` and `String`.
    fn read(types: &str) -> Result<RemoteSchema, String> {
        let answer = format!(
            r#"{{"data": {{"__schema": {{"queryType": {{"name": "Query"}}, "mutationType": null, "types": [
                {{"kind": "SCALAR", "name": "String", "description": null}},
                {{"kind": "OBJECT", "name": "__Type", "description": null}},
                {{"kind": "OBJECT", "name": "Query", "description": "All.", "interfaces": [], "fields": [
                    {{"name": "a", "description": null, "args": [], "isDeprecated": true,
                      "deprecationReason": null, "type": {{"kind": "SCALAR", "name": "String"}}}}]}}
                {types}]}}}}}}"#
        );
        RemoteSchema::read(answer.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn types_are_read() {
        let schema = read(
            r#", {"kind": "INPUT_OBJECT", "name": "In", "description": null, "inputFields": [
                {"name": "x", "description": "X.", "defaultValue": "[{a: ONE, b: \"t\"}, null]",
                 "type": {"kind": "NON_NULL", "ofType": {"kind": "LIST", "ofType":
                    {"kind": "NON_NULL", "ofType": {"kind": "INPUT_OBJECT", "name": "In"}}}}}]},
               {"kind": "UNION", "name": "U", "description": null, "possibleTypes": [{"name": "Query"}]},
               {"kind": "INTERFACE", "name": "I", "description": null, "fields": [], "interfaces": []},
               {"kind": "ENUM", "name": "E", "description": null, "enumValues": [
                {"name": "ONE", "description": null, "isDeprecated": false, "deprecationReason": null}]}"#,
        )
        .unwrap();
        let names: Vec<&str> = schema.types.keys().map(|name| &**name).collect();
        assert_eq!(names, ["E", "I", "In", "Query", "String", "U"]);
        let RemoteKind::Input { fields } = &schema.types["In"].kind else { panic!() };
        assert_eq!(fields[0].r#type.to_string(), "[In!]!");
        assert_eq!(fields[0].r#type.named("Other"), "[Other!]!");
        let members =
            vec![("a".into(), Const::Enum("ONE".into())), ("b".into(), Const::String("t".into()))];
        let default = Const::List(vec![Const::Object(members), Const::Null]);
        assert_eq!(fields[0].default, Some(default));
        let field = &schema.fields("Query")[0];
        assert_eq!(field.deprecated.as_deref(), Some("No longer supported"));
        assert_eq!(schema.fields("U"), []);
    }

    /// Names are parts of the operations that are sent.
    #[test]
    fn what_is_no_schema_is_refused() {
        let refused = |types: &str| read(types).unwrap_err();
        let object = |name: &str, field: &str, of: &str| {
            format!(
                r#", {{"kind": "OBJECT", "name": "{name}", "interfaces": [], "fields": [{{"name": "{field}",
                    "args": [], "type": {{"kind": "OBJECT", "name": "{of}"}}}}]}}"#
            )
        };
        assert_eq!(
            refused(&object("A) { x }", "a", "A")),
            "it has the name `A) { x }`, which is none of GraphQL"
        );
        assert_eq!(
            refused(&object("A", "a } b", "A")),
            "it has the name `a } b`, which is none of GraphQL"
        );
        assert_eq!(refused(&object("A", "a", "B")), "it has no type `B`, which it refers to");
        assert_eq!(
            refused(r#", {"kind": "TABLE", "name": "T"}"#),
            "the kind `TABLE` of a type is unknown"
        );
        let input = r#", {"kind": "INPUT_OBJECT", "name": "In", "inputFields": [{"name": "x",
            "defaultValue": "$x", "type": {"kind": "SCALAR", "name": "String"}}]}"#;
        assert_eq!(refused(input), "the default `$x` of an input is no value");
        let error = RemoteSchema::read(b"{\"errors\": []}").unwrap_err();
        assert_eq!(error.to_string(), "its answer to introspection has no `data`");
        assert!(RemoteSchema::read(b"<html>").is_err());
    }
}
