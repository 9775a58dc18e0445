//! The arena's definitions as the library's own.
//!
//! The library's copy of a schema is an order of magnitude larger than the arena, so the whole of
//! it is made for introspection only; a document is validated against the part that it names.

use std::sync::LazyLock;

use apollo_compiler::ast::{self, Type};
use apollo_compiler::schema::{
    Component, ComponentName, EnumType, ExtendedType, InputObjectType, InterfaceType, ObjectType,
    ScalarType, SchemaDefinition, UnionType,
};
use apollo_compiler::validation::Valid;
use apollo_compiler::{Name, Node, Schema as LibrarySchema};

use super::named_part::{NamedPart, NamedType};
use crate::schema::{EnumValueId, FieldId, InputId, Schema, TypeId, TypeKind, TypeRef, Wrapper};
use crate::sdl::BUILT_IN_SCALARS;
use crate::value::Const;

/// The scalars, directives and introspection types that every schema has.
static BUILT_IN: LazyLock<LibrarySchema> = LazyLock::new(LibrarySchema::new);

/// The whole schema, with descriptions.
pub(super) fn whole_schema(schema: &Schema) -> Valid<LibrarySchema> {
    let mut library = BUILT_IN.clone();
    // A schema lists the built-in scalars that it uses.
    library.types.retain(|name, _| {
        !BUILT_IN_SCALARS.contains(&name.as_str()) || schema.find_type(name).is_some()
    });
    library.schema_definition = Node::new(roots(schema));
    for (id, definition) in schema.types() {
        if !BUILT_IN_SCALARS.contains(&&*definition.name) {
            let name = Name::new_unchecked(&definition.name);
            library.types.insert(name, type_definition(schema, id, None));
        }
    }
    Valid::assume_valid(library)
}

/// The part of the schema that a document names: enough to validate it, and nothing more.
pub(super) fn partial_schema(schema: &Schema, part: &NamedPart) -> Valid<LibrarySchema> {
    let mut library = BUILT_IN.clone();
    library.schema_definition = Node::new(roots(schema));
    for (id, named) in &part.types {
        let name = &schema[*id].name;
        if !BUILT_IN_SCALARS.contains(&&**name) {
            let definition = type_definition(schema, *id, Some(named));
            library.types.insert(Name::new_unchecked(name), definition);
        }
    }
    Valid::assume_valid(library)
}

fn roots(schema: &Schema) -> SchemaDefinition {
    let root = |id: Option<TypeId>| id.map(|id| component_name(schema, id));
    SchemaDefinition {
        query: root(schema.query),
        mutation: root(schema.mutation),
        subscription: root(schema.subscription),
        ..SchemaDefinition::default()
    }
}

/// A type with the members of `named`, or with all members and the descriptions.
fn type_definition(schema: &Schema, id: TypeId, named: Option<&NamedType>) -> ExtendedType {
    let definition = &schema[id];
    let name = Name::new_unchecked(&definition.name);
    let description = match named {
        None => description(definition.description.as_deref()),
        Some(_) => None,
    };
    let directives = Default::default();
    let names = |ids: &[TypeId]| ids.iter().map(|id| component_name(schema, *id)).collect();
    let members = |fields: &[FieldId]| match named {
        None => fields.iter().map(|field| field_definition(schema, *field, true)).collect(),
        Some(named) => {
            named.fields.iter().map(|field| field_definition(schema, *field, false)).collect()
        }
    };
    match &definition.kind {
        TypeKind::Scalar => {
            ExtendedType::Scalar(Node::new(ScalarType { description, name, directives }))
        }
        TypeKind::Object { fields, interfaces } => ExtendedType::Object(Node::new(ObjectType {
            description,
            name,
            implements_interfaces: names(interfaces),
            directives,
            fields: members(fields),
        })),
        TypeKind::Interface { fields, interfaces } => {
            ExtendedType::Interface(Node::new(InterfaceType {
                description,
                name,
                implements_interfaces: names(interfaces),
                directives,
                fields: members(fields),
            }))
        }
        TypeKind::Union { members } => ExtendedType::Union(Node::new(UnionType {
            description,
            name,
            directives,
            members: names(members),
        })),
        TypeKind::Enum { values } => ExtendedType::Enum(Node::new(EnumType {
            description,
            name,
            directives,
            values: match named {
                None => values.iter().map(|value| enum_value(schema, *value)).collect(),
                Some(named) => {
                    named.values.iter().map(|value| enum_value(schema, *value)).collect()
                }
            },
        })),
        TypeKind::InputObject { fields } => {
            let described = named.is_none();
            let fields = if named.is_none_or(|named| named.with_input_fields) {
                fields.as_slice()
            } else {
                &[]
            };
            ExtendedType::InputObject(Node::new(InputObjectType {
                description,
                name,
                directives,
                fields: fields
                    .iter()
                    .map(|input| {
                        let definition = input_definition(schema, *input, described);
                        (definition.name.clone(), Component::new(definition))
                    })
                    .collect(),
            }))
        }
    }
}

fn field_definition(
    schema: &Schema,
    id: FieldId,
    described: bool,
) -> (Name, Component<ast::FieldDefinition>) {
    let field = &schema[id];
    let name = Name::new_unchecked(&field.name);
    let definition = ast::FieldDefinition {
        description: described.then(|| description(field.description.as_deref())).flatten(),
        name: name.clone(),
        arguments: field
            .arguments
            .iter()
            .map(|argument| Node::new(input_definition(schema, *argument, described)))
            .collect(),
        ty: type_reference(schema, field.r#type),
        directives: deprecated(field.deprecated.as_deref()),
    };
    (name, Component::new(definition))
}

fn input_definition(schema: &Schema, id: InputId, described: bool) -> ast::InputValueDefinition {
    let input = &schema[id];
    ast::InputValueDefinition {
        description: described.then(|| description(input.description.as_deref())).flatten(),
        name: Name::new_unchecked(&input.name),
        ty: Node::new(type_reference(schema, input.r#type)),
        default_value: input.default.as_ref().map(|default| Node::new(value(default))),
        directives: deprecated(input.deprecated.as_deref()),
    }
}

fn enum_value(schema: &Schema, id: EnumValueId) -> (Name, Component<ast::EnumValueDefinition>) {
    let value = &schema[id];
    let name = Name::new_unchecked(&value.name);
    let definition = ast::EnumValueDefinition {
        description: description(value.description.as_deref()),
        value: name.clone(),
        directives: deprecated(value.deprecated.as_deref()),
    };
    (name, Component::new(definition))
}

fn type_reference(schema: &Schema, r#type: TypeRef) -> Type {
    let named = Type::Named(Name::new_unchecked(&schema[r#type.base].name));
    r#type.wrappers().fold(named, |inner, wrapper| match wrapper {
        Wrapper::NonNull => inner.non_null(),
        Wrapper::List => inner.list(),
    })
}

fn value(value: &Const) -> ast::Value {
    match value {
        Const::Null => ast::Value::Null,
        Const::Boolean(value) => ast::Value::Boolean(*value),
        Const::Int(value) => ast::Value::Int(ast::IntValue::new_parsed(&value.to_string())),
        Const::Float(value) => ast::Value::Float((*value).into()),
        Const::String(value) => ast::Value::String(value.to_string()),
        Const::Enum(name) => ast::Value::Enum(Name::new_unchecked(name)),
        Const::List(items) => {
            ast::Value::List(items.iter().map(|item| Node::new(self::value(item))).collect())
        }
        Const::Object(fields) => ast::Value::Object(
            fields
                .iter()
                .map(|(name, value)| (Name::new_unchecked(name), Node::new(self::value(value))))
                .collect(),
        ),
    }
}

fn deprecated(reason: Option<&str>) -> ast::DirectiveList {
    let Some(reason) = reason else { return ast::DirectiveList::default() };
    let reason = ast::Argument {
        name: apollo_compiler::name!("reason"),
        value: Node::new(ast::Value::String(reason.into())),
    };
    let name = apollo_compiler::name!("deprecated");
    ast::DirectiveList(vec![Node::new(ast::Directive { name, arguments: vec![Node::new(reason)] })])
}

fn description(text: Option<&str>) -> Option<Node<str>> {
    text.map(Node::new_str)
}

fn component_name(schema: &Schema, id: TypeId) -> ComponentName {
    Name::new_unchecked(&schema[id].name).into()
}
