//! Relationships to tables of other sources, and to fields of remote schemas.

use std::collections::BTreeMap;

use crate::json::Json;
use crate::node::{Node, Value};
use crate::primitive::Write;
use crate::reader::{Description, Read, Reader};
use crate::types::name::{Name, QualifiedName};

object! {
    /// A relationship to another source or to a remote schema.
    RemoteRelationship {
        required definition: RemoteRelationshipDefinition = "definition",
        required name: Name = "name",
    }
}

keyed!(RemoteRelationship, "remote relationship", |relationship| relationship.name.text.clone());

/// The target of a remote relationship.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoteRelationshipDefinition {
    ToSource(Box<ToSource>),
    ToRemoteSchema(ToRemoteSchema),
    /// A field of a remote schema, in the form before version 2.
    Legacy(LegacyToRemoteSchema),
}

impl RemoteRelationshipDefinition {
    const KEYS: &'static [&'static str] = &["to_source", "to_remote_schema"];
}

impl Read for RemoteRelationshipDefinition {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        if node.find("remote_schema").is_some() {
            return LegacyToRemoteSchema::read(node, reader).map(Self::Legacy);
        }
        let object = reader.object(node, "RemoteRelationshipDefinition", Self::KEYS)?;
        match (object.find("to_source"), object.find("to_remote_schema")) {
            (Some(_), None) => reader.required(object, "to_source").map(Self::ToSource),
            (None, Some(_)) => {
                reader.required(object, "to_remote_schema").map(Self::ToRemoteSchema)
            }
            _ => crate::object::not_one(Self::KEYS, node, reader),
        }
    }

    fn describe(description: &mut Description) {
        if description.add("RemoteRelationshipDefinition", Self::KEYS) {
            ToSource::describe(description);
            ToRemoteSchema::describe(description);
            LegacyToRemoteSchema::describe(description);
        }
    }
}

impl Write for RemoteRelationshipDefinition {
    fn write(&self) -> Json {
        let (key, value) = match self {
            Self::ToSource(definition) => ("to_source", definition.write()),
            Self::ToRemoteSchema(definition) => ("to_remote_schema", definition.write()),
            Self::Legacy(definition) => return definition.write(),
        };
        Json::Object(vec![(key.to_owned(), value)])
    }
}

object! {
    /// A relationship to a table of another source.
    ToSource {
        /// Columns of this table, or fields of the type, with those of the other table.
        required field_mapping: BTreeMap<String, Name> = "field_mapping",
        required relationship_type: RelationshipType = "relationship_type",
        required source: Name = "source",
        /// In the form of the other source.
        required table: OtherTable = "table",
    }
}

choice! {
    /// Whether there is one related row or several.
    RelationshipType { Object = "object", Array = "array" }
}

/// The name of a table of another source, whose kind is not known while it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherTable(pub QualifiedName);

impl Read for OtherTable {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        use crate::kind::SourceKind;
        let kind = match &node.value {
            Value::List(_) => SourceKind::DataConnector(String::new()),
            _ => SourceKind::Postgres,
        };
        let outer = std::mem::replace(&mut reader.source_kind, kind);
        let name = QualifiedName::read(node, reader);
        reader.source_kind = outer;
        name.map(Self)
    }

    fn describe(description: &mut Description) {
        QualifiedName::describe(description);
    }
}

impl Write for OtherTable {
    fn write(&self) -> Json {
        self.0.write()
    }
}

object! {
    /// A relationship to a field of a remote schema.
    ToRemoteSchema {
        /// Columns, computed fields or fields that arguments refer to.
        required lhs_fields: Vec<Name> = "lhs_fields",
        required remote_field: RemoteFields = "remote_field",
        required remote_schema: Name = "remote_schema",
    }
}

object! {
    /// A relationship to a field of a remote schema, in the form before version 2.
    LegacyToRemoteSchema {
        required hasura_fields: Vec<Name> = "hasura_fields",
        required remote_field: RemoteFields = "remote_field",
        required remote_schema: Name = "remote_schema",
    }
}

/// Fields of a remote schema, by name.
pub type RemoteFields = BTreeMap<String, RemoteField>;

object! {
    /// The arguments of a field of a remote schema, and the field in it that is wanted.
    RemoteField {
        always arguments: BTreeMap<String, RemoteArgument> = "arguments" (BTreeMap::new()),
        optional field: RemoteFields = "field",
    }
}

/// The value of an argument of a field of a remote schema.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoteArgument {
    /// `$name`: a column or field of this side.
    Field(Name),
    Literal(Json),
    List(Vec<RemoteArgument>),
    Object(BTreeMap<String, RemoteArgument>),
}

impl Read for RemoteArgument {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::String(text) if text.len() > 1 && text.starts_with('$') => {
                let place = reader.place(&node.mark);
                Some(Self::Field(Name { place, text: text[1..].to_owned() }))
            }
            Value::List(_) => Vec::read(node, reader).map(Self::List),
            Value::Object(_) => BTreeMap::read(node, reader).map(Self::Object),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Deferred(_) => Some(Self::Literal(node.to_json())),
        }
    }
}

impl Write for RemoteArgument {
    fn write(&self) -> Json {
        match self {
            Self::Field(name) => Json::String(format!("${}", name.text)),
            Self::Literal(json) => json.clone(),
            Self::List(items) => items.write(),
            Self::Object(members) => members.write(),
        }
    }
}
