//! Printer of definitions as written.

use super::applied::{print_definition, print_directives, print_literal};
use super::{print_block, print_description, push};
use crate::definitions::{
    Definitions, Directive, FieldDefinition, InputDefinition, SchemaDefinition, TypeBody,
    TypeDefinition,
};

/// Prints definitions, separated by empty lines: the schema, the directives, the types. Directives of
/// types have lines of their own.
#[must_use]
pub fn print_definitions(definitions: &Definitions) -> String {
    let mut output = String::new();
    for schema in &definitions.schemas {
        separate(&mut output);
        print_schema_definition(schema, &mut output);
    }
    for directive in &definitions.directives {
        separate(&mut output);
        print_definition(directive, &mut output);
    }
    for definition in &definitions.types {
        separate(&mut output);
        print_type(definition, &mut output);
    }
    output
}

fn separate(output: &mut String) {
    if !output.is_empty() {
        output.push('\n');
    }
}

fn print_schema_definition(schema: &SchemaDefinition, output: &mut String) {
    print_head("schema", &schema.directives, output);
    output.push_str(if schema.directives.is_empty() { " {\n" } else { "\n{\n" });
    for (kind, name) in &schema.operations {
        push(output, format_args!("  {kind}: {}\n", name.name));
    }
    output.push_str("}\n");
}

fn print_type(definition: &TypeDefinition, output: &mut String) {
    let TypeDefinition { name, is_extension, description, directives, body, .. } = definition;
    print_description(description.as_deref(), "", true, output);
    if *is_extension {
        output.push_str("extend ");
    }
    let (word, interfaces) = match body {
        TypeBody::Scalar => ("scalar", None),
        TypeBody::Object(composite) => ("type", Some(&composite.interfaces)),
        TypeBody::Interface(composite) => ("interface", Some(&composite.interfaces)),
        TypeBody::Union(_) => ("union", None),
        TypeBody::Enum(_) => ("enum", None),
        TypeBody::InputObject(_) => ("input", None),
    };
    push(output, format_args!("{word} {name}"));
    for (index, interface) in interfaces.into_iter().flatten().enumerate() {
        let word = if index == 0 { "implements" } else { "&" };
        push(output, format_args!(" {word} {}", interface.name));
    }
    print_head("", directives, output);
    match body {
        TypeBody::Scalar => output.push('\n'),
        TypeBody::Union(members) => {
            if !directives.is_empty() && !members.is_empty() {
                output.push('\n');
            }
            for (index, member) in members.iter().enumerate() {
                let sign = if index == 0 { " = " } else { " | " };
                push(output, format_args!("{sign}{}", member.name));
            }
            output.push('\n');
        }
        TypeBody::Object(composite) | TypeBody::Interface(composite) => {
            print_members(directives, &composite.fields, output, print_field);
        }
        TypeBody::Enum(values) => {
            print_members(directives, values, output, |value, first, output| {
                print_description(value.description.as_deref(), "  ", first, output);
                push(output, format_args!("  {}", value.name));
                print_directives(&value.directives, output);
            });
        }
        TypeBody::InputObject(inputs) => {
            print_members(directives, inputs, output, |input, first, output| {
                print_description(input.description.as_deref(), "  ", first, output);
                output.push_str("  ");
                print_input(input, output);
            });
        }
    }
}

/// Prints the first word, and each directive on a line.
fn print_head(word: &str, directives: &[Directive], output: &mut String) {
    output.push_str(word);
    for directive in directives {
        output.push_str("\n ");
        print_directives(std::slice::from_ref(directive), output);
    }
}

/// Prints members in braces, which have a line of their own below directives; nothing for no members.
fn print_members<T>(
    directives: &[Directive],
    members: &[T],
    output: &mut String,
    print: impl Fn(&T, bool, &mut String),
) {
    if directives.is_empty() || members.is_empty() {
        return print_block(members, output, print);
    }
    output.push_str("\n{\n");
    for (index, member) in members.iter().enumerate() {
        print(member, index == 0, output);
        output.push('\n');
    }
    output.push_str("}\n");
}

fn print_field(field: &FieldDefinition, first: bool, output: &mut String) {
    print_description(field.description.as_deref(), "  ", first, output);
    push(output, format_args!("  {}", field.name));
    let is_described = field.arguments.iter().any(|argument| argument.description.is_some());
    if is_described {
        output.push_str("(\n");
        for (index, argument) in field.arguments.iter().enumerate() {
            print_description(argument.description.as_deref(), "    ", index == 0, output);
            output.push_str("    ");
            print_input(argument, output);
            output.push('\n');
        }
        output.push_str("  )");
    } else if !field.arguments.is_empty() {
        for (index, argument) in field.arguments.iter().enumerate() {
            output.push_str(if index == 0 { "(" } else { ", " });
            print_input(argument, output);
        }
        output.push(')');
    }
    push(output, format_args!(": {}", field.r#type));
    print_directives(&field.directives, output);
}

fn print_input(input: &InputDefinition, output: &mut String) {
    push(output, format_args!("{}: {}", input.name, input.r#type));
    if let Some(default) = &input.default {
        output.push_str(" = ");
        print_literal(default, output);
    }
    print_directives(&input.directives, output);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::parse_definitions;

    #[test]
    fn definitions_are_printed_as_they_are_read() {
        let text = r#"schema
  @link(url: "https://example.com/link/v1.0")
{
  query: Query
}

"""Weight of an element."""
directive @weight(of: Int! = 1, to: [String!]) repeatable on OBJECT | FIELD_DEFINITION

"""A node."""
interface Node implements Named & Other
  @weight(of: 2)
  @weight
{
  """The id."""
  id(first: Int = 10 @weight, filter: Filter = {name: "a", in: [A]}): ID! @weight(to: ["x"])

  """The name."""
  name(
    """In upper case."""
    upper: Boolean
  ): String
}

extend type Query {
  node: Node
}

union Any
  @weight
 = A | B

union One = A

scalar Time
  @specifiedBy(url: "https://example.com/time")

enum E {
  A @deprecated

  """The other."""
  B
}

input Filter {
  name: String
  in: [E!]
}
"#;
        let definitions = parse_definitions(text).unwrap_or_default();
        assert_eq!(print_definitions(&definitions), text);
    }
}
