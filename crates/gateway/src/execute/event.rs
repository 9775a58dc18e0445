//! Value of a root field, made of an event of a broker: the members that a request selects.
//!
//! The event is a JSON object with the fields of an entity. A member that it lacks is left out, which
//! the reader of the response reports.

use graphql::operation::{FieldRef, Operation, SelectionSetId};
use graphql::schema::{Schema, TypeId, TypeKind};
use graphql::variables::Steering;
use graphql::{Budget, CollectedField, collect_fields, does_fragment_type_apply};

use super::json::{InvalidJson, Json, Span};

/// Reason why an event is no value of its field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    #[error("the event is not JSON")]
    InvalidJson,
    #[error("the event has a `__typename` that is no type of the field")]
    OtherType,
    #[error("the event has no `__typename`, and the field is of an abstract type")]
    NoTypename,
    #[error("the request selects too many fields")]
    TooManyFields,
}

impl From<InvalidJson> for EventError {
    fn from(InvalidJson: InvalidJson) -> Self {
        Self::InvalidJson
    }
}

/// Writes the value of a field.
pub(crate) fn write_event(
    schema: &Schema,
    operation: &Operation,
    steering: &Steering<'_>,
    field: &CollectedField<'_>,
    event: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), EventError> {
    let mut json = Json::check(event).map_err(|_| EventError::InvalidJson)?;
    // The whole text is checked first, with its depth.
    json.skip()?;
    if !json.is_at_end() {
        return Err(EventError::InvalidJson);
    }
    let mut writer = Writer { schema, operation, steering, event, out };
    writer.field(&mut Json::new(event), field)
}

struct Writer<'w> {
    schema: &'w Schema,
    operation: &'w Operation,
    steering: &'w Steering<'w>,
    event: &'w [u8],
    out: &'w mut Vec<u8>,
}

impl Writer<'_> {
    fn field(&mut self, json: &mut Json<'_>, field: &CollectedField<'_>) -> Result<(), EventError> {
        match field.field {
            FieldRef::Field(id) => {
                self.value(json, self.schema[id].r#type.base, &field.selection_sets)
            }
            FieldRef::Typename | FieldRef::Introspection => self.copy(json),
        }
    }

    /// Recursion is bounded by the limit of the JSON text.
    fn value(
        &mut self,
        json: &mut Json<'_>,
        r#type: TypeId,
        sets: &[SelectionSetId],
    ) -> Result<(), EventError> {
        match json.peek()? {
            b'{' if !sets.is_empty() => self.object(json, r#type, sets),
            b'[' if !sets.is_empty() => self.list(json, r#type, sets),
            // A value of another kind is an error of the reader.
            _ => self.copy(json),
        }
    }

    fn list(
        &mut self,
        json: &mut Json<'_>,
        r#type: TypeId,
        sets: &[SelectionSetId],
    ) -> Result<(), EventError> {
        self.out.push(b'[');
        let mut has_next = json.begin(b'[', b']')?;
        while has_next {
            self.value(json, r#type, sets)?;
            has_next = json.next(b']')?;
            if has_next {
                self.out.push(b',');
            }
        }
        self.out.push(b']');
        Ok(())
    }

    fn object(
        &mut self,
        json: &mut Json<'_>,
        declared: TypeId,
        sets: &[SelectionSetId],
    ) -> Result<(), EventError> {
        let members = members(json)?;
        // As other readers of JSON, the last of equal names counts.
        let find = |name: &str| members.iter().rev().find(|(known, _)| *known == name.as_bytes());
        let typename = find("__typename").and_then(|(_, span)| self.event.get(span.0..span.1));
        let object = self.object_type(declared, typename)?;
        let (schema, operation) = (self.schema, self.operation);
        let mut budget = Budget::new(usize::MAX);
        let fields = collect_fields(operation, schema, object, sets, self.steering, &mut budget)
            .map_err(|_| EventError::TooManyFields)?;
        self.out.push(b'{');
        let mut separator: &[u8] = b"";
        for field in &fields {
            let found = match field.field {
                FieldRef::Field(id) => match find(&schema[id].name) {
                    Some((_, span)) => Some(*span),
                    None => continue,
                },
                FieldRef::Typename | FieldRef::Introspection => None,
            };
            self.out.extend_from_slice(separator);
            separator = b",";
            // Names need no escaping.
            self.out.push(b'"');
            self.out.extend_from_slice(field.response_name.as_bytes());
            self.out.extend_from_slice(b"\":");
            match found {
                Some((start, _)) => {
                    let mut value = Json::new(self.event);
                    value.go_to(start);
                    self.field(&mut value, field)?;
                }
                None => {
                    self.out.push(b'"');
                    self.out.extend_from_slice(schema[object].name.as_bytes());
                    self.out.push(b'"');
                }
            }
        }
        self.out.push(b'}');
        Ok(())
    }

    /// Returns the type of an object. Only one of an abstract type needs `__typename`.
    fn object_type(&self, declared: TypeId, typename: Option<&[u8]>) -> Result<TypeId, EventError> {
        let is_object = matches!(self.schema[declared].kind, TypeKind::Object { .. });
        let Some(typename) = typename else {
            return if is_object { Ok(declared) } else { Err(EventError::NoTypename) };
        };
        let name = typename.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
        let name = name.and_then(|name| std::str::from_utf8(name).ok());
        let found = name.and_then(|name| self.schema.find_type(name));
        found
            .filter(|found| does_fragment_type_apply(self.schema, *found, declared))
            .ok_or(EventError::OtherType)
    }

    fn copy(&mut self, json: &mut Json<'_>) -> Result<(), EventError> {
        let (start, end) = json.skip()?;
        self.out.extend_from_slice(self.event.get(start..end).unwrap_or_default());
        Ok(())
    }
}

/// Consumes an object and returns the spans of its members.
fn members<'j>(json: &mut Json<'j>) -> Result<Vec<(&'j [u8], Span)>, InvalidJson> {
    let mut members = Vec::new();
    let mut has_next = json.begin(b'{', b'}')?;
    while has_next {
        let name = json.name()?;
        members.push((name, json.skip()?));
        has_next = json.next(b'}')?;
    }
    Ok(members)
}
