//! What a selection selects of a mapped value, as JSON.

use graphql::operation::{FieldRef, Operation, SelectionSetId};
use graphql::schema::{Schema, TypeId, TypeKind, TypeRef};
use graphql::variables::Steering;
use graphql::{Budget, CollectedField, collect_fields, does_fragment_type_apply};
use serde_json::{Map, Value};

use super::response::Step;

/// The selections of a document.
pub(super) struct Projection<'p> {
    pub(super) schema: &'p Schema,
    pub(super) operation: &'p Operation,
    pub(super) steering: &'p Steering<'p>,
}

/// Values that cannot be written, by their paths.
pub(super) type Problems = Vec<(Vec<Step>, String)>;

/// Where a value is written to.
pub(super) struct Output<'o> {
    pub(super) text: &'o mut Vec<u8>,
    pub(super) path: &'o mut Vec<Step>,
    pub(super) problems: &'o mut Problems,
}

impl Projection<'_> {
    /// Writes the value of a field. A value of another kind than its type is written as it is: the
    /// reader of responses reports it. Recursion is bounded by the limits of mappings.
    pub(super) fn value(
        &self,
        value: &Value,
        r#type: TypeRef,
        sets: &[SelectionSetId],
        output: &mut Output<'_>,
    ) {
        match (value, r#type.nullable().item()) {
            (Value::Array(items), Some(item)) => {
                output.text.push(b'[');
                for (index, value) in items.iter().enumerate() {
                    if index > 0 {
                        output.text.push(b',');
                    }
                    output.path.push(Step::Index(index));
                    self.value(value, item, sets, output);
                    output.path.pop();
                }
                output.text.push(b']');
            }
            (Value::Object(members), None) if !sets.is_empty() => {
                self.object(members, r#type.base, sets, output);
            }
            // An id is a string: <https://spec.graphql.org/draft/#sec-ID>.
            (Value::Number(number), None) if *self.schema[r#type.base].name == *"ID" => {
                append(&Value::String(number.to_string()), output.text);
            }
            _ => append(value, output.text),
        }
    }

    fn object(
        &self,
        members: &Map<String, Value>,
        declared: TypeId,
        sets: &[SelectionSetId],
        output: &mut Output<'_>,
    ) {
        let fields = self.object_type(members, declared).and_then(|object| {
            let (schema, operation) = (self.schema, self.operation);
            let mut budget = Budget::new(usize::MAX);
            collect_fields(operation, schema, object, sets, self.steering, &mut budget)
                .map(|fields| (object, fields))
                .map_err(|error| error.to_string())
        });
        match fields {
            Ok((object, fields)) => {
                output.text.push(b'{');
                let mut separator: &[u8] = b"";
                for field in &fields {
                    output.text.extend_from_slice(separator);
                    separator = b",";
                    self.member(members, object, field, output);
                }
                output.text.push(b'}');
            }
            Err(problem) => {
                output.problems.push((output.path.clone(), problem));
                output.text.extend_from_slice(b"null");
            }
        }
    }

    /// Writes a member with its name. A member that the mapped object lacks is null.
    pub(super) fn member(
        &self,
        members: &Map<String, Value>,
        object: TypeId,
        field: &CollectedField<'_>,
        output: &mut Output<'_>,
    ) {
        append_name(field.response_name, output.text);
        match field.field {
            FieldRef::Typename | FieldRef::Introspection => {
                append(&Value::from(&*self.schema[object].name), output.text);
            }
            FieldRef::Field(id) => {
                let definition = &self.schema[id];
                let value = members.get(&*definition.name).unwrap_or(&Value::Null);
                output.path.push(Step::Key(field.response_name.into()));
                self.value(value, definition.r#type, &field.selection_sets, output);
                output.path.pop();
            }
        }
    }

    /// Returns the type of an object. Only one of an abstract type needs `__typename`.
    fn object_type(
        &self,
        members: &Map<String, Value>,
        declared: TypeId,
    ) -> Result<TypeId, String> {
        if matches!(self.schema[declared].kind, TypeKind::Object { .. }) {
            return Ok(declared);
        }
        let name = &self.schema[declared].name;
        let Some(typename) = members.get("__typename").and_then(Value::as_str) else {
            return Err(format!("The mapped object of the type `{name}` has no `__typename`."));
        };
        let found = self.schema.find_type(typename);
        let found = found.filter(|found| does_fragment_type_apply(self.schema, *found, declared));
        found.ok_or_else(|| format!("`{typename}` is no object type of `{name}`."))
    }
}

/// Writes a name and a colon; names need no escaping.
pub(super) fn append_name(name: &str, text: &mut Vec<u8>) {
    text.push(b'"');
    text.extend_from_slice(name.as_bytes());
    text.extend_from_slice(b"\":");
}

pub(super) fn append(value: &Value, text: &mut Vec<u8>) {
    // Writing to memory cannot fail, and all keys are strings.
    let _ = serde_json::to_writer(text, value);
}
