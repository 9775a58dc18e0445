//! Directives that a printed schema has beside its own.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{print_block, print_description, print_string, push};
use crate::definitions::{
    Directive, DirectiveDefinition, EnumValueDefinition, FieldDefinition, Literal, TypeBody,
    TypeDefinition,
};
use crate::schema::TypeId;

/// Changes to a printed schema: a subgraph of a federated graph has more directives on its types,
/// and omits some fields.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// Of the schema itself: printed as an extension of it.
    pub schema: Vec<Directive>,
    /// Definitions of directives that are applied to parts of the schema, but not served.
    pub definitions: Vec<DirectiveDefinition>,
    pub types: FxHashMap<TypeId, Vec<Directive>>,
    /// Of fields, of values of enums and of fields of input objects, by the type and their names.
    pub members: FxHashMap<(TypeId, Box<str>), Vec<Directive>>,
    /// Objects, scalars and enums that the schema lacks, with their directives.
    pub added_types: Vec<TypeDefinition>,
    /// Fields of object types that the schema lacks. Their directives are those of members.
    pub added: FxHashMap<TypeId, Vec<FieldDefinition>>,
    /// Fields of object types that are not printed.
    pub left_out: FxHashSet<(TypeId, Box<str>)>,
}

impl Applied {
    pub(super) fn of_type(&self, id: TypeId) -> &[Directive] {
        self.types.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn of_member(&self, id: TypeId, name: &str) -> &[Directive] {
        if self.members.is_empty() {
            return &[];
        }
        self.members.get(&(id, name.into())).map_or(&[], Vec::as_slice)
    }

    pub(super) fn added_to(&self, id: TypeId) -> &[FieldDefinition] {
        self.added.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn leaves_out(&self, id: TypeId, name: &str) -> bool {
        !self.left_out.is_empty() && self.left_out.contains(&(id, name.into()))
    }
}

/// The definition of a directive as written.
pub(super) fn print_definition(definition: &DirectiveDefinition, output: &mut String) {
    let DirectiveDefinition { name, description, arguments, locations, is_repeatable, .. } =
        definition;
    print_description(description.as_deref(), "", true, output);
    push(output, format_args!("directive @{name}"));
    for (index, argument) in arguments.iter().enumerate() {
        output.push_str(if index == 0 { "(" } else { ", " });
        push(output, format_args!("{}: {}", argument.name, argument.r#type));
        if let Some(default) = &argument.default {
            output.push_str(" = ");
            print_literal(default, output);
        }
        print_directives(&argument.directives, output);
    }
    output.push_str(if arguments.is_empty() { "" } else { ")" });
    output.push_str(if *is_repeatable { " repeatable on" } else { " on" });
    for (index, location) in locations.iter().enumerate() {
        output.push_str(if index == 0 { " " } else { " | " });
        output.push_str(location);
    }
    output.push('\n');
}

/// An object, scalar or enum type as written.
pub(super) fn print_added_type(definition: &TypeDefinition, output: &mut String) {
    let TypeDefinition { name, description, directives, body, .. } = definition;
    print_description(description.as_deref(), "", true, output);
    let head = |word: &str, output: &mut String| {
        push(output, format_args!("{word} {name}"));
        print_directives(directives, output);
    };
    match body {
        TypeBody::Object(body) => {
            head("type", output);
            print_block(&body.fields, output, |field, first, output| {
                print_added(field, first, output);
                print_directives(&field.directives, output);
            });
        }
        TypeBody::Enum(values) => {
            head("enum", output);
            print_block(values, output, |value, first, output| {
                let EnumValueDefinition { name, description, directives, .. } = value;
                print_description(description.as_deref(), "  ", first, output);
                push(output, format_args!("  {name}"));
                print_directives(directives, output);
            });
        }
        TypeBody::Scalar => {
            head("scalar", output);
            output.push('\n');
        }
        // These are never added.
        TypeBody::Interface(_) | TypeBody::Union(_) | TypeBody::InputObject(_) => {}
    }
}

/// A field without arguments as written.
pub(super) fn print_added(field: &FieldDefinition, first: bool, output: &mut String) {
    print_description(field.description.as_deref(), "  ", first, output);
    push(output, format_args!("  {}: {}", field.name, field.r#type));
}

/// Each after a space.
pub(super) fn print_directives(directives: &[Directive], output: &mut String) {
    for Directive { name, arguments, .. } in directives {
        push(output, format_args!(" @{name}"));
        for (index, argument) in arguments.iter().enumerate() {
            output.push_str(if index == 0 { "(" } else { ", " });
            push(output, format_args!("{}: ", argument.name));
            print_literal(&argument.value, output);
        }
        if !arguments.is_empty() {
            output.push(')');
        }
    }
}

/// Recursion is bounded: parsed literals have a limit of depth, and others are constructed.
pub(super) fn print_literal(literal: &Literal, output: &mut String) {
    match literal {
        Literal::Null => output.push_str("null"),
        Literal::Boolean(value) => push(output, format_args!("{value}")),
        Literal::Int(text) | Literal::Float(text) | Literal::Enum(text) => output.push_str(text),
        Literal::String(text) => print_string(text, output),
        Literal::List(items) => {
            output.push('[');
            for (index, item) in items.iter().enumerate() {
                output.push_str(if index == 0 { "" } else { ", " });
                print_literal(item, output);
            }
            output.push(']');
        }
        Literal::Object(fields) => {
            output.push('{');
            for (index, (name, value)) in fields.iter().enumerate() {
                output.push_str(if index == 0 { "" } else { ", " });
                push(output, format_args!("{name}: "));
                print_literal(value, output);
            }
            output.push('}');
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        print_literal(self, &mut text);
        f.write_str(&text)
    }
}
