//! Parts of operations for descriptions of them: OpenAPI documents, and JSON Schemas of tools.

use graphql::operation::{FieldSelection, Operation, Selection, SelectionSetId};
use graphql::value::Const;
use serde_json::{Value, json};

/// The fields of sets by their response names, each with its selection sets; fragments are expanded.
pub(super) fn collect_selected<'o>(
    operation: &'o Operation,
    sets: &[SelectionSetId],
    fields: &mut Vec<(&'o FieldSelection, Vec<SelectionSetId>)>,
) {
    for set in sets {
        let Some(set) = operation.selection_sets.get(set.0 as usize) else { continue };
        for selection in &set.selections {
            match selection {
                Selection::Fragment { selection_set, .. } => {
                    collect_selected(operation, &[*selection_set], fields);
                }
                Selection::Field(field) => {
                    let mut known = fields.iter_mut();
                    let known = known.find(|(other, _)| other.response_name == field.response_name);
                    match known {
                        Some((_, sets)) => sets.extend(field.selection_set),
                        None => fields.push((field, field.selection_set.into_iter().collect())),
                    }
                }
            }
        }
    }
}

/// A constant as JSON.
pub(super) fn const_as_json(value: &Const) -> Value {
    match value {
        Const::Null => Value::Null,
        Const::Boolean(value) => json!(value),
        Const::Int(value) => json!(value),
        Const::Float(value) => json!(value),
        Const::String(text) | Const::Enum(text) => json!(text),
        Const::List(items) => items.iter().map(const_as_json).collect(),
        Const::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (String::from(&**name), const_as_json(value)))
                .collect(),
        ),
    }
}
