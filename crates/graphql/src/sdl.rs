//! The schema as text in the schema definition language, as the GraphQL reference
//! implementation prints it.

mod applied;
mod block_string;
mod written;

use std::fmt::Write;

use crate::built_in_scalars::BUILT_IN_SCALARS;
use crate::definitions;
use crate::print_type::print_type;
use crate::schema::{
    DirectiveDefinition, EnumValueId, FieldId, InputDefinition, InputId, TypeId, TypeKind,
};
use crate::value::Const;
use crate::visibility::View;
pub use applied::Applied;
use applied::{print_added, print_added_type, print_definition, print_directives};
pub(crate) use block_string::print_description;
pub use written::print_definitions;

/// The default of the reason of `@deprecated`.
pub(crate) const DEFAULT_DEPRECATION_REASON: &str = "No longer supported";

/// A field to print.
enum Member<'a> {
    Own(FieldId),
    /// A field that the schema lacks.
    Added(&'a definitions::FieldDefinition),
}

/// The definitions in the order of the arena, separated by empty lines.
#[must_use]
pub fn print_schema<'s>(schema: impl Into<View<'s>>) -> String {
    print_schema_applying(schema, &Applied::default())
}

/// The same with more directives, and without omitted fields.
#[must_use]
pub fn print_schema_applying<'s>(schema: impl Into<View<'s>>, applied: &Applied) -> String {
    let schema = schema.into();
    let mut output = String::new();
    print_schema_definition(schema, &mut output);
    if !applied.schema.is_empty() {
        output.push_str(if output.is_empty() { "extend schema" } else { "\nextend schema" });
        print_directives(&applied.schema, &mut output);
        output.push('\n');
    }
    for directive in &schema.whole.directives {
        if !output.is_empty() {
            output.push('\n');
        }
        print_directive_definition(schema, directive, &mut output);
    }
    for definition in &applied.definitions {
        if !output.is_empty() {
            output.push('\n');
        }
        print_definition(definition, &mut output);
    }
    for (id, definition) in schema.types() {
        if !BUILT_IN_SCALARS.contains(&&*definition.name) {
            if !output.is_empty() {
                output.push('\n');
            }
            print_type_definition((schema, applied), id, &mut output);
        }
    }
    for definition in &applied.added_types {
        if !output.is_empty() {
            output.push('\n');
        }
        print_added_type(definition, &mut output);
    }
    output
}

/// One type of a schema as SDL.
#[must_use]
pub fn print_one_type(schema: View<'_>, id: TypeId) -> String {
    let mut output = String::new();
    print_type_definition((schema, &Applied::default()), id, &mut output);
    output
}

fn print_schema_definition(schema: View<'_>, output: &mut String) {
    let roots = [
        ("query", "Query", schema.query()),
        ("mutation", "Mutation", schema.mutation()),
        ("subscription", "Subscription", schema.subscription()),
    ];
    // Another type with the default name of a root would count as that root.
    let usual = roots.iter().all(|(_, usual, root)| match root {
        Some(root) => &*schema[*root].name == *usual,
        None => schema.find_type(usual).is_none(),
    });
    if usual {
        return;
    }
    output.push_str("schema {\n");
    for (operation, _, root) in roots {
        if let Some(root) = root {
            push(output, format_args!("  {operation}: {}\n", schema[root].name));
        }
    }
    output.push_str("}\n");
}

fn print_directive_definition(
    schema: View<'_>,
    directive: &DirectiveDefinition,
    output: &mut String,
) {
    print_description(directive.description.as_deref(), "", true, output);
    push(output, format_args!("directive @{}", directive.name));
    print_arguments(schema, &directive.arguments, "", output);
    output.push_str(if directive.is_repeatable { " repeatable on" } else { " on" });
    for (index, location) in directive.locations.iter().enumerate() {
        output.push_str(if index == 0 { " " } else { " | " });
        output.push_str(location.name());
    }
    output.push('\n');
}

fn print_type_definition((schema, applied): (View<'_>, &Applied), id: TypeId, output: &mut String) {
    let definition = &schema.whole[id];
    let name = &definition.name;
    let directives = applied.of_type(id);
    print_description(definition.description.as_deref(), "", true, output);
    match &definition.kind {
        TypeKind::Scalar => {
            push(output, format_args!("scalar {name}"));
            print_directives(directives, output);
            output.push('\n');
        }
        TypeKind::Object { fields, interfaces } | TypeKind::Interface { fields, interfaces } => {
            let is_object = matches!(definition.kind, TypeKind::Object { .. });
            let word = if is_object { "type" } else { "interface" };
            push(output, format_args!("{word} {name}"));
            print_interfaces(schema, interfaces, output);
            print_directives(directives, output);
            let shown = |field: &FieldId| !applied.leaves_out(id, &schema[*field].name);
            let fields = schema.fields(fields).filter(shown).map(Member::Own);
            let added = applied.added_to(id).iter().map(Member::Added);
            let members: Vec<Member<'_>> = fields.chain(added).collect();
            print_block(&members, output, |member, first, output| {
                let name = match member {
                    Member::Own(field) => {
                        print_field(schema, *field, first, output);
                        &*schema[*field].name
                    }
                    Member::Added(field) => {
                        print_added(field, first, output);
                        &*field.name
                    }
                };
                print_directives(applied.of_member(id, name), output);
            });
        }
        TypeKind::Union { members } => {
            push(output, format_args!("union {name}"));
            print_directives(directives, output);
            for (index, member) in schema.named(members).enumerate() {
                output.push_str(if index == 0 { " = " } else { " | " });
                output.push_str(&schema[member].name);
            }
            output.push('\n');
        }
        TypeKind::Enum { values } => {
            push(output, format_args!("enum {name}"));
            print_directives(directives, output);
            let values: Vec<EnumValueId> = schema.values(values).collect();
            print_block(&values, output, |value, first, output| {
                print_enum_value(schema, *value, first, output);
                print_directives(applied.of_member(id, &schema[*value].name), output);
            });
        }
        TypeKind::InputObject { fields } => {
            push(output, format_args!("input {name}"));
            print_directives(directives, output);
            let fields: Vec<InputId> = schema.inputs(fields).collect();
            print_block(&fields, output, |input, first, output| {
                let input = &schema[*input];
                print_description(input.description.as_deref(), "  ", first, output);
                output.push_str("  ");
                print_input(schema, input, output);
                print_directives(applied.of_member(id, &input.name), output);
            });
        }
    }
}

fn print_interfaces(schema: View<'_>, interfaces: &[TypeId], output: &mut String) {
    for (index, interface) in schema.named(interfaces).enumerate() {
        output.push_str(if index == 0 { " implements " } else { " & " });
        output.push_str(&schema[interface].name);
    }
}

fn print_block<T>(items: &[T], output: &mut String, print: impl Fn(&T, bool, &mut String)) {
    if items.is_empty() {
        output.push('\n');
        return;
    }
    output.push_str(" {\n");
    for (index, item) in items.iter().enumerate() {
        print(item, index == 0, output);
        output.push('\n');
    }
    output.push_str("}\n");
}

fn print_field(schema: View<'_>, id: FieldId, first: bool, output: &mut String) {
    let field = &schema[id];
    print_description(field.description.as_deref(), "  ", first, output);
    push(output, format_args!("  {}", field.name));
    print_arguments(schema, &field.arguments, "  ", output);
    push(output, format_args!(": {}", print_type(schema.whole, schema.type_of(id))));
    print_deprecated(field.deprecated.as_deref(), output);
}

/// On one line, unless one of them has a description.
fn print_arguments(schema: View<'_>, arguments: &[InputId], indent: &str, output: &mut String) {
    let arguments: Vec<InputId> = schema.inputs(arguments).collect();
    if arguments.is_empty() {
        return;
    }
    let described = arguments.iter().any(|argument| schema[*argument].description.is_some());
    output.push('(');
    for (index, argument) in arguments.iter().enumerate() {
        let argument = &schema[*argument];
        if described {
            output.push('\n');
            let inner = [indent, "  "].concat();
            print_description(argument.description.as_deref(), &inner, index == 0, output);
            output.push_str(&inner);
        } else if index > 0 {
            output.push_str(", ");
        }
        print_input(schema, argument, output);
    }
    if described {
        push(output, format_args!("\n{indent}"));
    }
    output.push(')');
}

fn print_input(schema: View<'_>, input: &InputDefinition, output: &mut String) {
    push(output, format_args!("{}: {}", input.name, print_type(schema.whole, input.r#type)));
    if let Some(default) = &input.default {
        output.push_str(" = ");
        write_const(default, output);
    }
    print_deprecated(input.deprecated.as_deref(), output);
}

fn print_enum_value(schema: View<'_>, id: EnumValueId, first: bool, output: &mut String) {
    let value = &schema[id];
    print_description(value.description.as_deref(), "  ", first, output);
    push(output, format_args!("  {}", value.name));
    print_deprecated(value.deprecated.as_deref(), output);
}

pub(crate) fn print_deprecated(reason: Option<&str>, output: &mut String) {
    match reason {
        None => {}
        Some(DEFAULT_DEPRECATION_REASON) => output.push_str(" @deprecated"),
        Some(reason) => {
            output.push_str(" @deprecated(reason: ");
            print_string(reason, output);
            output.push(')');
        }
    }
}

/// A value as a literal.
#[must_use]
pub fn print_const(value: &Const) -> String {
    let mut text = String::new();
    write_const(value, &mut text);
    text
}

fn write_const(value: &Const, output: &mut String) {
    match value {
        Const::Null => output.push_str("null"),
        Const::Boolean(value) => push(output, format_args!("{value}")),
        Const::Int(value) => push(output, format_args!("{value}")),
        Const::Float(value) => push(output, format_args!("{value}")),
        Const::String(value) => print_string(value, output),
        Const::Enum(name) => output.push_str(name),
        Const::List(items) => {
            output.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    output.push_str(", ");
                }
                write_const(item, output);
            }
            output.push(']');
        }
        Const::Object(fields) => {
            output.push('{');
            for (index, (name, value)) in fields.iter().enumerate() {
                if index > 0 {
                    output.push_str(", ");
                }
                push(output, format_args!("{name}: "));
                write_const(value, output);
            }
            output.push('}');
        }
    }
}

fn print_string(text: &str, output: &mut String) {
    output.push('"');
    for character in text.chars() {
        match character {
            '"' => output.push_str("\\\""),
            '\\' => output.push_str("\\\\"),
            '\n' => output.push_str("\\n"),
            '\r' => output.push_str("\\r"),
            '\t' => output.push_str("\\t"),
            '\u{8}' => output.push_str("\\b"),
            '\u{c}' => output.push_str("\\f"),
            control if (control as u32) < 0x20 || (0x7f..0xa0).contains(&(control as u32)) => {
                push(output, format_args!("\\u{:04X}", control as u32));
            }
            other => output.push(other),
        }
    }
    output.push('"');
}

fn push(output: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a `String` fails never.
    let written = output.write_fmt(text);
    debug_assert!(written.is_ok(), "a text was not written");
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::test_schema::test_schema;

    #[test]
    fn a_schema_prints_as_the_reference_implementation_prints_it() {
        expect![[r#"
            """How long it takes is written down."""
            directive @traced(
              """What it is called."""
              label: String!
            ) repeatable on QUERY | FIELD | INLINE_FRAGMENT

            directive @cached(seconds: Int = 60, by: [AlbumOrder], where: AlbumFilter) on FIELD

            """A 64-bit integer."""
            scalar BigInt

            scalar JSON

            interface Node {
              id: ID!
            }

            type Artist implements Node {
              id: ID!
              name: String
              albums(first: Int, filter: AlbumFilter): [Album!]!
            }

            """
            A record.
            Of one artist.
            """
            type Album implements Node {
              id: ID!

              """As on the sleeve."""
              title: String!
              price: Float
              plays: BigInt @deprecated(reason: "Count \"listens\".")
              artist: Artist
            }

            union SearchHit = Album | Artist

            enum AlbumOrder {
              TITLE_ASC
              TITLE_DESC @deprecated(reason: "Use \"sort\".")
              NATURAL @deprecated
            }

            input AlbumFilter {
              title: String
              ids: [Int!]
              year: Int! = 2000
              not: AlbumFilter
              order: AlbumOrder = NATURAL
              extra: JSON
            }

            input RatingInput {
              stars: Float!
              public: Boolean = true
            }

            type Query {
              node(id: ID!): Node
              albums(
                """How many."""
                first: Int = 10
                orderBy: [AlbumOrder!] = [NATURAL]

                """Which."""
                filter: AlbumFilter
              ): [Album]
              search(text: String!, matrix: [[Int]], extra: JSON): [SearchHit!]
            }

            type Mutation {
              rate(id: ID!, rating: RatingInput!): Album
            }
        "#]]
        .assert_eq(&print_schema(&test_schema()));
    }

    #[test]
    fn roots_of_other_names_are_said_in_a_schema_definition() {
        let mut schema = crate::schema::Schema::default();
        let query = schema
            .add_type(crate::schema::TypeDefinition {
                name: "Root".into(),
                description: None,
                kind: TypeKind::Object { fields: Vec::new(), interfaces: Default::default() },
            })
            .unwrap();
        schema.query = Some(query);
        expect![[r#"
            schema {
              query: Root
            }

            type Root
        "#]]
        .assert_eq(&print_schema(&schema));
    }
}
