//! Operations in the notation of the tests.

use std::fmt::Write;

use super::super::*;
use crate::operation::{
    AppliedDirective, Condition, ConditionValue, FieldRef, Selection, SelectionSetId,
};
use crate::value::Value;

pub(super) fn print_set(
    schema: &Schema,
    operation: &Operation,
    id: SelectionSetId,
    depth: usize,
    output: &mut String,
) {
    let indentation = "  ".repeat(depth);
    let set = operation.selection_set(id);
    writeln!(output, "{indentation}set {} on {}", id.0, schema[set.parent].name).unwrap();
    for selection in &set.selections {
        match selection {
            Selection::Field(field) => {
                let name = match field.field {
                    FieldRef::Field(id) => &*schema[id].name,
                    FieldRef::Typename => "__typename",
                    FieldRef::Introspection => "introspection",
                };
                let Location { line, column } = field.location;
                write!(output, "{indentation}- {}: {name} {line}:{column}", field.response_name)
                    .unwrap();
                for (input, value) in &field.arguments {
                    write!(output, " {}=", schema[*input].name).unwrap();
                    print_value(schema, value, output);
                }
                print_conditions(&field.conditions, output);
                print_directives(schema, &field.directives, output);
                output.push('\n');
                if let Some(below) = field.selection_set {
                    print_set(schema, operation, below, depth + 1, output);
                }
            }
            Selection::Fragment { conditions, directives, defer, on, selection_set } => {
                write!(output, "{indentation}- ... {}", schema[*on].name).unwrap();
                print_conditions(conditions, output);
                print_directives(schema, directives, output);
                if let Some(defer) = defer {
                    write!(output, " {defer:?}").unwrap();
                }
                output.push('\n');
                print_set(schema, operation, *selection_set, depth + 1, output);
            }
        }
    }
}

fn print_conditions(conditions: &[Condition], output: &mut String) {
    for condition in conditions {
        match condition.value {
            ConditionValue::Variable(slot) => write!(output, " if ${}", slot.0).unwrap(),
            ConditionValue::Constant(value) => write!(output, " if {value}").unwrap(),
        }
        write!(output, "=={}", condition.expected).unwrap();
    }
}

pub(super) fn print_directives(
    schema: &Schema,
    directives: &[AppliedDirective],
    output: &mut String,
) {
    for directive in directives {
        write!(output, " @{}", directive.name).unwrap();
        for (input, value) in &directive.arguments {
            write!(output, " {}=", schema[*input].name).unwrap();
            print_value(schema, value, output);
        }
    }
}

fn print_value(schema: &Schema, value: &Value, output: &mut String) {
    match value {
        Value::Enum(id) => output.push_str(&schema[*id].name),
        Value::Object(fields) => {
            output.push('{');
            for (input, value) in fields {
                write!(output, "{}:", schema[*input].name).unwrap();
                print_value(schema, value, output);
                output.push(',');
            }
            output.push('}');
        }
        Value::List(items) => {
            output.push('[');
            for item in items {
                print_value(schema, item, output);
                output.push(',');
            }
            output.push(']');
        }
        other => write!(output, "{other:?}").unwrap(),
    }
}
