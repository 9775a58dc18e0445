//! Names: of columns and roles, of GraphQL, of tables and functions with their schema.

use std::ops::Deref;

use graphql::definitions::TypeExpression;

use crate::json::Json;
use crate::kind::SourceKind;
use crate::location::Location;
use crate::node::{Node, Value};
use crate::primitive::Write;
use crate::reader::{Description, Read, Reader};

/// A name that refers to something, such as a column, a role, a relationship or an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub place: Location,
    pub text: String,
}

/// A name as the GraphQL specification defines it. <https://spec.graphql.org/draft/#Name>
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphQlName(pub Name);

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Deref for GraphQlName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl Read for Name {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let text = String::read(node, reader)?;
        if text.is_empty() {
            return reader.wrong(node, "The name is empty.".into());
        }
        Some(Self { place: reader.place(&node.mark), text })
    }
}

impl Write for Name {
    fn write(&self) -> Json {
        self.text.write()
    }
}

impl Read for GraphQlName {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let name = Name::read(node, reader)?;
        if !is_graphql_name(&name) {
            let message = format!(
                "{:?} is no name of GraphQL: it consists of letters, digits and `_`, and does not \
                 begin with a digit.",
                name.text
            );
            return reader.wrong(node, message);
        }
        Some(Self(name))
    }
}

impl Write for GraphQlName {
    fn write(&self) -> Json {
        self.0.write()
    }
}

/// True for a name of GraphQL.
#[must_use]
pub fn is_graphql_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|first| !first.is_ascii_digit())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// The reference to a type of GraphQL, as in `[Item!]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeReference {
    pub place: Location,
    pub expression: TypeExpression,
}

impl Read for TypeReference {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let text = String::read(node, reader)?;
        let Some(expression) = TypeExpression::parse(&text) else {
            let message = format!("{text:?} is no type of GraphQL; write it as in `[Item!]`.");
            return reader.wrong(node, message);
        };
        Some(Self { place: reader.place(&node.mark), expression })
    }
}

impl Write for TypeReference {
    fn write(&self) -> Json {
        Json::String(self.expression.to_string())
    }
}

/// The name of a table, view, function or procedure of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QualifiedName {
    pub place: Location,
    pub parts: NameParts,
}

/// The parts of a qualified name, by the kind of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameParts {
    /// PostgreSQL and SQL Server; a plain name is in the schema `public` or `dbo`.
    InSchema { schema: String, name: String },
    /// BigQuery.
    InDataset { dataset: String, name: String },
    /// Data connectors.
    Listed(Vec<String>),
}

impl QualifiedName {
    const KEYS: &'static [&'static str] = &["name", "schema", "dataset"];

    /// Text that sorts names as Hasura does: by schema, then by name.
    #[must_use]
    pub fn sort_key(&self) -> String {
        match &self.parts {
            NameParts::InSchema { schema, name } => format!("{schema}.{name}"),
            NameParts::InDataset { dataset, name } => format!("{dataset}.{name}"),
            NameParts::Listed(parts) => parts.join("."),
        }
    }
}

impl Read for QualifiedName {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let parts = match &node.value {
            Value::String(name) => match reader.source_kind.default_schema() {
                Some(schema) => {
                    NameParts::InSchema { schema: schema.to_owned(), name: name.clone() }
                }
                None => NameParts::Listed(vec![name.clone()]),
            },
            Value::List(_) if matches!(reader.source_kind, SourceKind::DataConnector(_)) => {
                NameParts::Listed(Vec::read(node, reader)?)
            }
            Value::Object(_) => {
                let object = reader.object(node, "QualifiedName", Self::KEYS)?;
                let name = reader.required::<String>(object, "name");
                let schema = reader.optional::<String>(object, "schema")?;
                let dataset = reader.optional::<String>(object, "dataset")?;
                let name = name?;
                match (schema, dataset, reader.source_kind.default_schema()) {
                    (Some(_), Some(_), _) => {
                        return reader
                            .wrong(node, "A name has a schema or a dataset, not both.".into());
                    }
                    (None, Some(dataset), _) => NameParts::InDataset { dataset, name },
                    (Some(schema), None, _) => NameParts::InSchema { schema, name },
                    (None, None, Some(schema)) => {
                        NameParts::InSchema { schema: schema.to_owned(), name }
                    }
                    (None, None, None) => NameParts::Listed(vec![name]),
                }
            }
            _ => return reader.expected(node, "a name, or an object with name and schema,"),
        };
        Some(Self { place: reader.place(&node.mark), parts })
    }

    fn describe(description: &mut Description) {
        description.add("QualifiedName", Self::KEYS);
    }
}

impl Write for QualifiedName {
    fn write(&self) -> Json {
        let object = |members: [(&str, &String); 2]| {
            let members = members.into_iter();
            Json::Object(members.map(|(key, text)| (key.to_owned(), text.write())).collect())
        };
        match &self.parts {
            NameParts::InSchema { schema, name } => object([("name", name), ("schema", schema)]),
            NameParts::InDataset { dataset, name } => {
                object([("dataset", dataset), ("name", name)])
            }
            NameParts::Listed(parts) => parts.write(),
        }
    }
}
