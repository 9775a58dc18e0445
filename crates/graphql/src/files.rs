//! The places of a request's files: variables of a mutation, where the schema may have binary values.
//!
//! Whether a column is binary is known to its source, which refuses other ones.

use serde_json_bytes::Value as Json;
use uploads::File;

use crate::error::{ErrorCode, GraphQLError};
use crate::operation::{Operation, OperationKind};
use crate::print_type::print_type;
use crate::request::Request;
use crate::schema::{TypeId, TypeKind, TypeRef};
use crate::visibility::View;

/// Scalars of the specification that no binary value has.
const NOT_BINARY: [&str; 4] = ["Int", "Float", "Boolean", "ID"];

/// Checks the places of all files of a request.
pub fn check_files<'s>(
    schema: impl Into<View<'s>>,
    operation: &Operation,
    request: &Request,
) -> Result<(), GraphQLError> {
    let Request { files, variables, .. } = request;
    if files.is_empty() {
        return Ok(());
    }
    let schema = schema.into();
    for (name, value) in variables {
        let Some(file) = files.first_within(value) else { continue };
        if operation.kind != OperationKind::Mutation {
            let message = format!(
                "The file at \"{}\" cannot be used here: only mutations take files.",
                file.place
            );
            return Err(GraphQLError::new(ErrorCode::BadUserInput, message));
        }
        let definitions = &operation.variables;
        let Some(definition) = definitions.iter().find(|own| *own.name == *name.as_str()) else {
            let message = format!(
                "The file at \"{}\" has no variable: the operation does not declare \"${}\".",
                file.place,
                name.as_str()
            );
            return Err(GraphQLError::new(ErrorCode::BadUserInput, message));
        };
        let places = Places { schema, request, variable: name.as_str() };
        places.check(definition.r#type, value)?;
    }
    Ok(())
}

/// The values of a variable.
#[derive(Clone, Copy)]
struct Places<'c> {
    schema: View<'c>,
    request: &'c Request,
    variable: &'c str,
}

impl Places<'_> {
    /// Checks the files within a value. Recursion is bounded by the depth of the request's JSON.
    fn check(self, r#type: TypeRef, value: &Json) -> Result<(), GraphQLError> {
        match (r#type.item(), value) {
            (Some(item), Json::Array(items)) => {
                items.iter().try_for_each(|value| self.check(item, value))
            }
            // A single value is coerced to a list of one.
            (Some(item), _) => self.check(item, value),
            (None, _) => self.check_named(r#type.base, r#type, value),
        }
    }

    fn check_named(self, id: TypeId, r#type: TypeRef, value: &Json) -> Result<(), GraphQLError> {
        let file = match value {
            Json::String(text) => self.request.files.find(text.as_str()),
            _ => None,
        };
        let definition = &self.schema.whole[id];
        match (&definition.kind, file, value) {
            (TypeKind::InputObject { .. }, None, Json::Object(members)) => {
                for (key, value) in members {
                    // Coercion refuses other members.
                    if let Some(input) = self.schema.find_input_field(id, key.as_str()) {
                        self.check(self.schema[input].r#type, value)?;
                    }
                }
                Ok(())
            }
            (TypeKind::Scalar, Some(_), _) if !NOT_BINARY.contains(&&*definition.name) => Ok(()),
            (_, Some(file), _) => Err(self.misplaced(r#type, file)),
            (_, None, _) => Ok(()),
        }
    }

    fn misplaced(self, r#type: TypeRef, file: &File) -> GraphQLError {
        let (variable, found) = (self.variable, print_type(self.schema.whole, r#type));
        let message = format!(
            "Variable \"${variable}\" got a file at \"{}\", where a value of type \"{found}\" is \
             expected: files are values of binary columns.",
            file.place
        );
        GraphQLError::new(ErrorCode::BadUserInput, message)
    }
}
