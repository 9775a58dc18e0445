//! Literals that are texts of numbers and booleans, for [`TextInputs`](crate::TextInputs).

use apollo_compiler::{Node, ast};
use serde_json_bytes::Value as Json;

use super::field_index::FieldIndex;
use crate::schema::{InputId, TypeId, TypeKind, TypeRef};
use crate::text_inputs::value_of_text;
use crate::visibility::View;

/// The document with the values in the place of their texts; `None` if it has no such text.
pub(super) fn with_values_of_texts(
    schema: View<'_>,
    index: &FieldIndex,
    document: &ast::Document,
) -> Option<ast::Document> {
    if schema.whole.text_inputs.is_empty() {
        return None;
    }
    let mut document = document.clone();
    let mut walk = Walk { schema, index, found: false };
    for definition in &mut document.definitions {
        match definition {
            ast::Definition::OperationDefinition(operation) => {
                let root = match operation.operation_type {
                    ast::OperationType::Query => schema.query(),
                    ast::OperationType::Mutation => schema.mutation(),
                    ast::OperationType::Subscription => schema.subscription(),
                };
                if let Some(root) = root {
                    walk.selections(root, &mut operation.make_mut().selection_set);
                }
            }
            ast::Definition::FragmentDefinition(fragment) => {
                if let Some(on) = schema.find_type(&fragment.type_condition) {
                    walk.selections(on, &mut fragment.make_mut().selection_set);
                }
            }
            // Validation rejects definitions of types.
            _ => {}
        }
    }
    walk.found.then_some(document)
}

/// Recursion is bounded by the parser's limit: spreads are not followed.
struct Walk<'d> {
    schema: View<'d>,
    index: &'d FieldIndex,
    found: bool,
}

impl Walk<'_> {
    fn selections(&mut self, parent: TypeId, selections: &mut [ast::Selection]) {
        for selection in selections {
            match selection {
                ast::Selection::Field(field) => self.field(parent, field.make_mut()),
                ast::Selection::InlineFragment(fragment) => {
                    let condition = fragment.type_condition.as_ref();
                    let on = condition.map_or(Some(parent), |name| self.schema.find_type(name));
                    if let Some(on) = on {
                        self.selections(on, &mut fragment.make_mut().selection_set);
                    }
                }
                ast::Selection::FragmentSpread(_) => {}
            }
        }
    }

    fn field(&mut self, parent: TypeId, field: &mut ast::Field) {
        let Some(id) = self.index.find_field(self.schema, parent, &field.name) else { return };
        for argument in &mut field.arguments {
            if let Some(input) = self.schema.find_argument(id, &argument.name) {
                self.input(input, &mut argument.make_mut().value);
            }
        }
        let below = self.schema.whole[id].r#type.base;
        self.selections(below, &mut field.selection_set);
    }

    fn input(&mut self, input: InputId, value: &mut Node<ast::Value>) {
        let schema = self.schema.whole;
        self.value(schema[input].r#type, schema.text_inputs.contains(input), value);
    }

    fn value(&mut self, r#type: TypeRef, reads_texts: bool, value: &mut Node<ast::Value>) {
        match &**value {
            ast::Value::String(text) if reads_texts => {
                let scalar = &self.schema.whole[r#type.base].name;
                if let Some(found) = value_of_text(scalar, text).as_ref().and_then(literal) {
                    *value.make_mut() = found;
                    self.found = true;
                }
            }
            ast::Value::List(_) => {
                let ast::Value::List(items) = value.make_mut() else { return };
                let item_type = r#type.item().unwrap_or(r#type);
                for item in items {
                    self.value(item_type, reads_texts, item);
                }
            }
            ast::Value::Object(_) => {
                let definition = &self.schema.whole[r#type.base].kind;
                if !matches!(definition, TypeKind::InputObject { .. }) {
                    return;
                }
                let ast::Value::Object(fields) = value.make_mut() else { return };
                for (name, field) in fields {
                    if let Some(input) = self.schema.find_input_field(r#type.base, name) {
                        self.input(input, field);
                    }
                }
            }
            _ => {}
        }
    }
}

fn literal(value: &Json) -> Option<ast::Value> {
    match value {
        Json::Bool(value) => Some(ast::Value::Boolean(*value)),
        Json::Number(number) if number.is_f64() => {
            number.as_f64().map(|number| ast::Value::Float(number.into()))
        }
        Json::Number(number) => {
            let number = number.as_i64().and_then(|number| i32::try_from(number).ok());
            number.map(|number| ast::Value::Int(number.into()))
        }
        _ => None,
    }
}
