//! Actions: root fields that other servers resolve, and the types of their arguments and results.

use std::collections::BTreeMap;

use crate::json::Json;
use crate::problem::ProblemKind;
use crate::reader::Reader;
use crate::types::name::{GraphQlName, Name, QualifiedName, TypeReference};
use crate::types::remote_relationship::RelationshipType;
use crate::types::webhook::{Header, RequestTransform, ResponseTransform};

object! {
    /// A root field that another server resolves.
    Action {
        required name: GraphQlName = "name",
        required definition: ActionDefinition = "definition",
        optional comment: String = "comment",
        ordered permissions: ActionPermission = "permissions",
    }
}

keyed!(Action, "action", |action| action.name.0.text.clone());

object! {
    /// The server, the arguments and the result of an action.
    ActionDefinition, then check_kind {
        /// An address; `{{NAME}}` is an environment variable.
        required handler: String = "handler",
        required output_type: TypeReference = "output_type",
        omitted forward_client_headers: bool = "forward_client_headers" (false),
        /// Client headers that are not forwarded; absent for Hasura's list.
        optional ignored_client_headers: Vec<String> = "ignored_client_headers",
        default headers: Vec<Header> = "headers",
        ordered arguments: ActionArgument = "arguments",
        optional request_transform: RequestTransform = "request_transform",
        optional response_transform: ResponseTransform = "response_transform",
        always r#type: ActionType = "type" (ActionType::Mutation),
        omitted kind: ActionKind = "kind" (ActionKind::Synchronous),
        /// Seconds.
        omitted timeout: u64 = "timeout" (30),
    }
}

/// Queries have no kind.
fn check_kind(definition: &mut ActionDefinition, reader: &mut Reader) -> Option<()> {
    match (definition.r#type, definition.kind) {
        (ActionType::Query, ActionKind::Asynchronous) => {
            let message = "An action of type query cannot be asynchronous: remove `kind`.";
            reader.report(ProblemKind::WrongValue, &definition.place.mark, message.into());
            None
        }
        (ActionType::Query, ActionKind::Synchronous) | (ActionType::Mutation, _) => Some(()),
    }
}

choice! {
    /// The root type of an action.
    ActionType { Query = "query", Mutation = "mutation" }
}

choice! {
    /// Whether the result of an action is waited for.
    ActionKind { Synchronous = "synchronous", Asynchronous = "asynchronous" }
}

object! {
    /// An argument of an action.
    ActionArgument {
        required name: GraphQlName = "name",
        required r#type: TypeReference = "type",
        optional description: String = "description",
    }
}

keyed!(ActionArgument, "argument", |argument| argument.name.0.text.clone());

object! {
    /// A role that may use an action.
    ActionPermission {
        required role: Name = "role",
        optional comment: String = "comment",
    }
}

keyed!(ActionPermission, "role of the action", |permission| permission.role.text.clone());

object! {
    /// Types of the arguments and results of actions.
    #[derive(Default)]
    CustomTypes {
        default input_objects: Vec<InputObjectType> = "input_objects",
        default objects: Vec<ObjectType> = "objects",
        default scalars: Vec<ScalarType> = "scalars",
        default enums: Vec<EnumType> = "enums",
    }
}

object! {
    /// An input object.
    InputObjectType {
        required name: GraphQlName = "name",
        required fields: Vec<InputField> = "fields",
        optional description: String = "description",
    }
}

object! {
    /// A field of an input object.
    InputField {
        required name: GraphQlName = "name",
        required r#type: TypeReference = "type",
        optional description: String = "description",
    }
}

object! {
    /// An object.
    ObjectType {
        required name: GraphQlName = "name",
        required fields: Vec<ObjectField> = "fields",
        optional description: String = "description",
        default relationships: Vec<TypeRelationship> = "relationships",
    }
}

object! {
    /// A field of an object.
    ObjectField {
        required name: GraphQlName = "name",
        required r#type: TypeReference = "type",
        /// Hasura stores them, and gives them no meaning.
        optional arguments: Json = "arguments",
        optional description: String = "description",
    }
}

object! {
    /// A relationship from the result of an action to a table.
    TypeRelationship {
        required field_mapping: BTreeMap<String, Name> = "field_mapping",
        required name: GraphQlName = "name",
        required remote_table: QualifiedName = "remote_table",
        always source: SourceName = "source" (SourceName::default()),
        required r#type: RelationshipType = "type",
    }
}

/// The name of a source; `default` if it is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceName(pub Name);

impl Default for SourceName {
    fn default() -> Self {
        Self(Name { place: crate::location::Location::default(), text: "default".to_owned() })
    }
}

impl crate::reader::Read for SourceName {
    fn read(node: &crate::node::Node, reader: &mut Reader) -> Option<Self> {
        Name::read(node, reader).map(Self)
    }
}

impl crate::primitive::Write for SourceName {
    fn write(&self) -> Json {
        self.0.write()
    }
}

object! {
    /// A scalar.
    ScalarType {
        required name: GraphQlName = "name",
        optional description: String = "description",
    }
}

object! {
    /// An enum.
    EnumType {
        required name: GraphQlName = "name",
        required values: Vec<EnumValue> = "values",
        optional description: String = "description",
    }
}

object! {
    /// A value of an enum.
    EnumValue {
        nullable description: String = "description",
        nullable is_deprecated: bool = "is_deprecated",
        required value: GraphQlName = "value",
    }
}
