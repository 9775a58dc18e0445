//! Logical models: types of rows that no table defines.

use crate::json::Json;
use crate::location::Location;
use crate::node::{Node, Value};
use crate::primitive::Write;
use crate::reader::{Description, Read, Reader};
use crate::types::name::Name;
use crate::types::permission::SelectPermissionEntry;

object! {
    /// The type of the rows of native queries and stored procedures.
    LogicalModel {
        optional description: String = "description",
        required fields: Vec<LogicalModelField> = "fields",
        required name: Name = "name",
        list select_permissions: SelectPermissionEntry = "select_permissions",
    }
}

keyed!(LogicalModel, "logical model", |model| model.name.text.clone());

object! {
    /// A logical model in the place where it is used, which has no name of its own.
    InlineLogicalModel {
        required fields: Vec<LogicalModelField> = "fields",
        list select_permissions: SelectPermissionEntry = "select_permissions",
    }
}

/// The logical model of the rows of a native query.
#[derive(Clone, Debug, PartialEq)]
pub enum ReturnedModel {
    Named(Name),
    Inline(InlineLogicalModel),
}

impl Read for ReturnedModel {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Object(_) => InlineLogicalModel::read(node, reader).map(Self::Inline),
            _ => Name::read(node, reader).map(Self::Named),
        }
    }

    fn describe(description: &mut Description) {
        InlineLogicalModel::describe(description);
    }
}

impl Write for ReturnedModel {
    fn write(&self) -> Json {
        match self {
            Self::Named(name) => name.write(),
            Self::Inline(model) => model.write(),
        }
    }
}

/// A field of a logical model.
#[derive(Clone, Debug, PartialEq)]
pub struct LogicalModelField {
    pub place: Location,
    pub name: Name,
    pub description: Option<String>,
    pub r#type: LogicalModelType,
}

/// The type of a field, or of the items of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct LogicalModelType {
    pub place: Location,
    pub nullable: bool,
    pub base: LogicalModelBase,
}

/// The type of a field without its nullability.
#[derive(Clone, Debug, PartialEq)]
pub enum LogicalModelBase {
    /// A type of the database.
    Scalar(String),
    /// The name of another logical model.
    Model(String),
    Array(Box<LogicalModelType>),
}

impl LogicalModelField {
    /// `nullable` stands here in the older form, in which the type is a text.
    const KEYS: &'static [&'static str] = &["name", "type", "nullable", "description"];
}

impl LogicalModelType {
    const KEYS: &'static [&'static str] = &["scalar", "logical_model", "array", "nullable"];
}

impl Read for LogicalModelField {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let object = reader.object(node, "LogicalModelField", Self::KEYS)?;
        let name = reader.required(object, "name");
        let description = reader.optional(object, "description");
        let nullable = reader.optional::<bool>(object, "nullable");
        let r#type = reader.required::<LogicalModelType>(object, "type");
        let (name, description, nullable, mut r#type) = (name?, description?, nullable?, r#type?);
        if let Some(nullable) = nullable {
            r#type.nullable = nullable;
        }
        Some(Self { place: reader.place(&node.mark), name, description, r#type })
    }

    fn describe(description: &mut Description) {
        description.add("LogicalModelField", Self::KEYS);
        description.add("LogicalModelType", LogicalModelType::KEYS);
    }
}

impl Read for LogicalModelType {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let place = reader.place(&node.mark);
        if let Value::String(name) = &node.value {
            return Some(Self {
                place,
                nullable: false,
                base: LogicalModelBase::Scalar(name.clone()),
            });
        }
        let object = reader.object(node, "LogicalModelType", Self::KEYS)?;
        let nullable = reader.with_default(object, "nullable", false);
        let scalar = reader.optional::<String>(object, "scalar")?;
        let model = reader.optional::<String>(object, "logical_model")?;
        let array = reader.optional::<Box<Self>>(object, "array")?;
        let base = match (scalar, model, array) {
            (Some(name), None, None) => LogicalModelBase::Scalar(name),
            (None, Some(name), None) => LogicalModelBase::Model(name),
            (None, None, Some(of)) => LogicalModelBase::Array(of),
            _ => {
                let message = "Exactly one of the keys scalar, logical_model and array is wanted.";
                return reader.wrong(node, message.into());
            }
        };
        Some(Self { place, nullable: nullable?, base })
    }
}

impl Write for LogicalModelField {
    fn write(&self) -> Json {
        let description = self.description.as_ref();
        let mut members: Vec<(String, Json)> =
            description.map(|text| ("description".to_owned(), text.write())).into_iter().collect();
        members.push(("name".to_owned(), self.name.write()));
        members.push(("type".to_owned(), self.r#type.write()));
        Json::Object(members)
    }
}

impl Write for LogicalModelType {
    fn write(&self) -> Json {
        let nullable = ("nullable".to_owned(), self.nullable.write());
        Json::Object(match &self.base {
            LogicalModelBase::Scalar(name) => vec![nullable, ("scalar".to_owned(), name.write())],
            LogicalModelBase::Model(name) => {
                vec![("logical_model".to_owned(), name.write()), nullable]
            }
            LogicalModelBase::Array(of) => vec![("array".to_owned(), of.write()), nullable],
        })
    }
}
