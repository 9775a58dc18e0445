//! JSON Schemas (2020-12) of the variables and of the response of an operation.

use std::collections::{BTreeSet, VecDeque};

use graphql::View;
use graphql::operation::{FieldRef, FieldSelection, Operation, SelectionSetId};
use graphql::schema::{TypeId, TypeKind, TypeRef};
use serde_json::{Map, Value, json};

use crate::http::described::{collect_selected, const_as_json};

/// The most input types that a schema describes: filters of large schemas lead to all of them. The
/// nearest ones come first; others accept any object.
const MOST_INPUT_TYPES: usize = 64;

/// The most fields of a response that a schema describes. A larger one has no schema.
const MOST_FIELDS: usize = 500;

/// Writes the schemas of inputs.
struct InputWriter<'s> {
    view: View<'s>,
    /// Input types that have a definition, or will have one.
    named: BTreeSet<usize>,
    waiting: VecDeque<TypeId>,
}

/// Writes the schema of a response.
struct OutputWriter<'s> {
    view: View<'s>,
    operation: &'s Operation,
    fields: usize,
}

/// The schema of the variables of an operation.
pub(super) fn of_variables(view: View<'_>, operation: &Operation) -> Value {
    let mut writer = InputWriter { view, named: BTreeSet::new(), waiting: VecDeque::new() };
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for variable in &operation.variables {
        let mut schema = writer.input(variable.r#type);
        match &variable.default {
            Some(default) => schema["default"] = const_as_json(default),
            None if variable.r#type.is_non_null() => required.push(variable.name.clone()),
            None => {}
        }
        properties.insert(String::from(&*variable.name), schema);
    }
    let mut schema = json!({ "type": "object", "additionalProperties": false });
    if !properties.is_empty() {
        schema["properties"] = Value::Object(properties);
    }
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let definitions = writer.definitions();
    if !definitions.is_empty() {
        schema["$defs"] = Value::Object(definitions);
    }
    schema
}

/// The schema of the response to an operation; `None` if it is too large to be of use.
pub(super) fn of_response(view: View<'_>, operation: &Operation) -> Option<Value> {
    let mut writer = OutputWriter { view, operation, fields: 0 };
    let data = writer.selected(&[operation.root])?;
    Some(json!({
        "type": "object",
        "properties": {
            "data": nullable(data, true),
            "errors": { "type": "array", "items": { "type": "object" } },
            "extensions": { "type": "object" },
        },
    }))
}

impl InputWriter<'_> {
    fn input(&mut self, r#type: TypeRef) -> Value {
        let schema = match r#type.item() {
            Some(item) => json!({ "type": "array", "items": self.input(item) }),
            None => self.named(r#type.base),
        };
        nullable(schema, !r#type.is_non_null())
    }

    fn named(&mut self, id: TypeId) -> Value {
        let definition = &self.view[id];
        let TypeKind::InputObject { .. } = definition.kind else { return leaf(self.view, id) };
        let index = id.index();
        if !self.named.contains(&index) {
            if self.named.len() >= MOST_INPUT_TYPES {
                return json!({ "type": "object", "title": definition.name });
            }
            self.named.insert(index);
            self.waiting.push_back(id);
        }
        json!({ "$ref": format!("#/$defs/{}", definition.name) })
    }

    /// The definitions of the input types, the nearest ones first.
    fn definitions(mut self) -> Map<String, Value> {
        let mut definitions = Map::new();
        while let Some(id) = self.waiting.pop_front() {
            let view = self.view;
            let definition = &view.whole[id];
            let TypeKind::InputObject { fields } = &definition.kind else { continue };
            let (mut properties, mut required) = (Map::new(), Vec::new());
            for field in view.inputs(fields) {
                let field = &view.whole[field];
                let mut schema = self.input(field.r#type);
                if let Some(about) = &field.description {
                    schema["description"] = json!(about);
                }
                match &field.default {
                    Some(default) => schema["default"] = const_as_json(default),
                    None if field.r#type.is_non_null() => required.push(&*field.name),
                    None => {}
                }
                properties.insert(String::from(&*field.name), schema);
            }
            let mut schema = json!({
                "type": "object", "properties": properties, "additionalProperties": false,
            });
            if !required.is_empty() {
                schema["required"] = json!(required);
            }
            if let Some(about) = &definition.description {
                schema["description"] = json!(about);
            }
            definitions.insert(String::from(&*definition.name), schema);
        }
        definitions
    }
}

impl OutputWriter<'_> {
    /// Recursion is bounded by the depth of the operation, which validation limits.
    fn selected(&mut self, sets: &[SelectionSetId]) -> Option<Value> {
        let mut fields: Vec<(&FieldSelection, Vec<SelectionSetId>)> = Vec::new();
        collect_selected(self.operation, sets, &mut fields);
        self.fields += fields.len();
        if self.fields > MOST_FIELDS {
            return None;
        }
        let mut properties = Map::new();
        for (field, sets) in fields {
            let schema = match field.field {
                FieldRef::Field(id) => self.output(self.view.type_of(id), &sets)?,
                FieldRef::Typename => json!({ "type": "string" }),
                FieldRef::Introspection => json!({}),
            };
            properties.insert(String::from(&*field.response_name), schema);
        }
        Some(json!({ "type": "object", "properties": properties }))
    }

    fn output(&mut self, r#type: TypeRef, sets: &[SelectionSetId]) -> Option<Value> {
        let schema = match r#type.item() {
            Some(item) => json!({ "type": "array", "items": self.output(item, sets)? }),
            None if sets.is_empty() => leaf(self.view, r#type.base),
            None => self.selected(sets)?,
        };
        Some(nullable(schema, !r#type.is_non_null()))
    }
}

/// The schema of a scalar or an enum. A scalar of the API's own takes any value that fits it, so it has
/// a name, but no type.
fn leaf(view: View<'_>, id: TypeId) -> Value {
    let definition = &view[id];
    let mut schema = match (&definition.kind, &*definition.name) {
        (TypeKind::Enum { values }, _) => {
            let values = view.values(values).map(|value| json!(view[value].name));
            json!({ "type": "string", "enum": values.collect::<Vec<_>>() })
        }
        (_, "Int") => json!({ "type": "integer" }),
        (_, "Float") => json!({ "type": "number" }),
        (_, "Boolean") => json!({ "type": "boolean" }),
        (_, "String" | "ID") => json!({ "type": "string" }),
        (_, name) => json!({ "title": name }),
    };
    let is_built_in = graphql::BUILT_IN_SCALARS.contains(&&*definition.name);
    if let Some(about) = definition.description.as_ref().filter(|_| !is_built_in) {
        schema["description"] = json!(about);
    }
    schema
}

fn nullable(mut schema: Value, is_nullable: bool) -> Value {
    if !is_nullable {
        return schema;
    }
    if schema.get("$ref").is_some() {
        return json!({ "anyOf": [schema, { "type": "null" }] });
    }
    if let Some(r#type) = schema.get("type").cloned() {
        schema["type"] = json!([r#type, "null"]);
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
}
