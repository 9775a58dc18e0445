//! Text of type definitions as written: with all directives, and nothing resolved.

use super::applied::{print_directives, print_literal};
use super::block_string::print_description;
use super::push;
use crate::definitions::{
    Definitions, DirectiveDefinition, EnumValueDefinition, FieldDefinition, InputDefinition, Named,
    SchemaDefinition, TypeBody, TypeDefinition,
};

/// Prints definitions in the order schema, directives, types. Comments are not part of them.
#[must_use]
pub fn print_definitions(definitions: &Definitions) -> String {
    let mut output = String::new();
    let next = |output: &mut String| {
        if !output.is_empty() {
            output.push('\n');
        }
    };
    for schema in &definitions.schemas {
        next(&mut output);
        print_schema(schema, &mut output);
    }
    for directive in &definitions.directives {
        next(&mut output);
        print_directive(directive, &mut output);
    }
    for definition in &definitions.types {
        next(&mut output);
        print_type(definition, &mut output);
    }
    output
}

fn print_schema(schema: &SchemaDefinition, output: &mut String) {
    print_description(schema.description.as_deref(), "", true, output);
    output.push_str(if schema.is_extension { "extend schema" } else { "schema" });
    print_directives_below(&schema.directives, output);
    if schema.operations.is_empty() {
        output.push('\n');
        return;
    }
    output.push_str(if schema.directives.is_empty() { " {\n" } else { "\n{\n" });
    for (operation, Named { name, .. }) in &schema.operations {
        push(output, format_args!("  {operation}: {name}\n"));
    }
    output.push_str("}\n");
}

fn print_directive(definition: &DirectiveDefinition, output: &mut String) {
    print_description(definition.description.as_deref(), "", true, output);
    push(output, format_args!("directive @{}", definition.name));
    print_arguments(&definition.arguments, "", output);
    output.push_str(if definition.is_repeatable { " repeatable on" } else { " on" });
    for (index, location) in definition.locations.iter().enumerate() {
        output.push_str(if index == 0 { " " } else { " | " });
        output.push_str(location);
    }
    output.push('\n');
}

fn print_type(definition: &TypeDefinition, output: &mut String) {
    let TypeDefinition { name, description, directives, body, is_extension, .. } = definition;
    print_description(description.as_deref(), "", true, output);
    output.push_str(if *is_extension { "extend " } else { "" });
    let word = match body {
        TypeBody::Scalar => "scalar",
        TypeBody::Object(_) => "type",
        TypeBody::Interface(_) => "interface",
        TypeBody::Union(_) => "union",
        TypeBody::Enum(_) => "enum",
        TypeBody::InputObject(_) => "input",
    };
    push(output, format_args!("{word} {name}"));
    match body {
        TypeBody::Scalar => print_directives_below(directives, output),
        TypeBody::Object(composite) | TypeBody::Interface(composite) => {
            for (index, interface) in composite.interfaces.iter().enumerate() {
                output.push_str(if index == 0 { " implements " } else { " & " });
                output.push_str(&interface.name);
            }
            print_directives_below(directives, output);
            print_members(&composite.fields, directives.is_empty(), output, print_field);
        }
        TypeBody::Union(members) => {
            print_directives_below(directives, output);
            for (index, member) in members.iter().enumerate() {
                output.push_str(match (index, directives.is_empty()) {
                    (0, true) => " = ",
                    (0, false) => "\n  = ",
                    _ => " | ",
                });
                output.push_str(&member.name);
            }
        }
        TypeBody::Enum(values) => {
            print_directives_below(directives, output);
            print_members(values, directives.is_empty(), output, print_value);
        }
        TypeBody::InputObject(inputs) => {
            print_directives_below(directives, output);
            print_members(inputs, directives.is_empty(), output, |input, first, output| {
                print_description(input.description.as_deref(), "  ", first, output);
                output.push_str("  ");
                print_input(input, output);
            });
        }
    }
    output.push('\n');
}

/// Each on a line of its own: a composed schema has many.
fn print_directives_below(directives: &[crate::definitions::Directive], output: &mut String) {
    for directive in directives {
        output.push_str("\n ");
        print_directives(std::slice::from_ref(directive), output);
    }
}

/// Members in braces, without a line break after them.
fn print_members<T>(
    members: &[T],
    is_same_line: bool,
    output: &mut String,
    print: impl Fn(&T, bool, &mut String),
) {
    if members.is_empty() {
        return;
    }
    output.push_str(if is_same_line { " {\n" } else { "\n{\n" });
    for (index, member) in members.iter().enumerate() {
        print(member, index == 0, output);
        output.push('\n');
    }
    output.push('}');
}

fn print_field(field: &FieldDefinition, first: bool, output: &mut String) {
    print_description(field.description.as_deref(), "  ", first, output);
    push(output, format_args!("  {}", field.name));
    print_arguments(&field.arguments, "  ", output);
    push(output, format_args!(": {}", field.r#type));
    print_directives(&field.directives, output);
}

fn print_value(value: &EnumValueDefinition, first: bool, output: &mut String) {
    print_description(value.description.as_deref(), "  ", first, output);
    push(output, format_args!("  {}", value.name));
    print_directives(&value.directives, output);
}

/// On one line, unless one of them has a description.
fn print_arguments(arguments: &[InputDefinition], indent: &str, output: &mut String) {
    if arguments.is_empty() {
        return;
    }
    let is_described = arguments.iter().any(|argument| argument.description.is_some());
    output.push('(');
    for (index, argument) in arguments.iter().enumerate() {
        if is_described {
            output.push('\n');
            let inner = [indent, "  "].concat();
            print_description(argument.description.as_deref(), &inner, index == 0, output);
            output.push_str(&inner);
        } else if index > 0 {
            output.push_str(", ");
        }
        print_input(argument, output);
    }
    if is_described {
        push(output, format_args!("\n{indent}"));
    }
    output.push(')');
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
    use expect_test::expect;

    use super::*;
    use crate::parse_definitions;

    /// A document with every construct.
    const EVERYTHING: &str = r#"
"Of a shop." schema @link(url: "u", import: ["@key", {name: "@a", as: "@b"}]) @c { query: Q mutation: M }
extend schema @d
"Says so." directive @e("Why." f: Int! = 1 @g, h: [String]) repeatable on FIELD | OBJECT
"""
A film.
Long.
""" type Film implements Work & Thing @node(labels: ["A"]) { "Its title." title("In." of: L = "x" @i): String! @j k(l: Int, m: In = {n: A}): [Int!]! }
interface Work { title: String! }
union U @o = Film | Other
union V = Film
enum E @p { A @deprecated(reason: "no \"more\"") B }
input In { n: E = A @q o: Float = 1.50 }
scalar S @specifiedBy(url: "s")
extend type Film @r
"#;

    #[test]
    fn definitions_print_with_all_directives() {
        let printed = print_definitions(&parse_definitions(EVERYTHING).unwrap());
        expect![[r#"
            """Of a shop."""
            schema
              @link(url: "u", import: ["@key", {name: "@a", as: "@b"}])
              @c
            {
              query: Q
              mutation: M
            }

            extend schema
              @d

            """Says so."""
            directive @e(
              """Why."""
              f: Int! = 1 @g
              h: [String]
            ) repeatable on FIELD | OBJECT

            """
            A film.
            Long.
            """
            type Film implements Work & Thing
              @node(labels: ["A"])
            {
              """Its title."""
              title(
                """In."""
                of: L = "x" @i
              ): String! @j
              k(l: Int, m: In = {n: A}): [Int!]!
            }

            interface Work {
              title: String!
            }

            union U
              @o
              = Film | Other

            union V = Film

            enum E
              @p
            {
              A @deprecated(reason: "no \"more\"")
              B
            }

            input In {
              n: E = A @q
              o: Float = 1.50
            }

            scalar S
              @specifiedBy(url: "s")

            extend type Film
              @r
        "#]]
        .assert_eq(&printed);
    }

    #[test]
    fn printed_definitions_parse_to_the_same() {
        let first = print_definitions(&parse_definitions(EVERYTHING).unwrap());
        let second = print_definitions(&parse_definitions(&first).unwrap());
        assert_eq!(first, second);
    }
}
