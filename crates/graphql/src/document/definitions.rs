//! Conversion of the arena's definitions to the library's.
//!
//! The library's copy of a schema is an order of magnitude larger than the arena, so it is never
//! complete: a document is validated against the part that it names, without descriptions.

use std::sync::LazyLock;

use apollo_compiler::ast::{self, Type};
use apollo_compiler::schema::{
    Component, ComponentName, EnumType, ExtendedType, InputObjectType, InterfaceType, ObjectType,
    ScalarType, SchemaDefinition, UnionType,
};
use apollo_compiler::validation::Valid;
use apollo_compiler::{Name, Node, Schema as LibrarySchema};

use super::named_part::{NamedPart, NamedType};
use crate::built_in_scalars::BUILT_IN_SCALARS;
use crate::schema::{
    DirectiveDefinition, DirectiveLocation, EnumValueId, FieldId, InputId, TypeId, TypeKind,
    TypeRef, Wrapper,
};
use crate::value::Const;
use crate::visibility::View;

/// The built-in scalars, directives and introspection types.
static BUILT_IN: LazyLock<LibrarySchema> = LazyLock::new(LibrarySchema::new);

/// The part of the schema that a document names: enough to validate it, and nothing more.
pub(super) fn partial_schema(schema: View<'_>, part: &NamedPart) -> Valid<LibrarySchema> {
    let mut library = BUILT_IN.clone();
    library.schema_definition = Node::new(roots(schema));
    for (id, named) in &part.types {
        let name = &schema[*id].name;
        if !BUILT_IN_SCALARS.contains(&&**name) {
            let definition = type_definition(schema, *id, named);
            library.types.insert(Name::new_unchecked(name), definition);
        }
    }
    for place in &part.directives {
        if let Some(directive) = schema.whole.directives.get(*place) {
            let definition = directive_definition(schema, directive);
            library.directive_definitions.insert(definition.name.clone(), Node::new(definition));
        }
    }
    Valid::assume_valid(library)
}

fn directive_definition(
    schema: View<'_>,
    directive: &DirectiveDefinition,
) -> ast::DirectiveDefinition {
    let arguments = schema.inputs(&directive.arguments);
    let arguments = arguments.map(|argument| Node::new(input_definition(schema, argument)));
    ast::DirectiveDefinition {
        description: None,
        name: Name::new_unchecked(&directive.name),
        arguments: arguments.collect(),
        repeatable: directive.is_repeatable,
        locations: directive.locations.iter().copied().map(location).collect(),
    }
}

fn location(location: DirectiveLocation) -> ast::DirectiveLocation {
    match location {
        DirectiveLocation::Query => ast::DirectiveLocation::Query,
        DirectiveLocation::Mutation => ast::DirectiveLocation::Mutation,
        DirectiveLocation::Subscription => ast::DirectiveLocation::Subscription,
        DirectiveLocation::Field => ast::DirectiveLocation::Field,
        DirectiveLocation::FragmentDefinition => ast::DirectiveLocation::FragmentDefinition,
        DirectiveLocation::FragmentSpread => ast::DirectiveLocation::FragmentSpread,
        DirectiveLocation::InlineFragment => ast::DirectiveLocation::InlineFragment,
        DirectiveLocation::VariableDefinition => ast::DirectiveLocation::VariableDefinition,
    }
}

fn roots(schema: View<'_>) -> SchemaDefinition {
    let root = |id: Option<TypeId>| id.map(|id| component_name(schema, id));
    SchemaDefinition {
        query: root(schema.query()),
        mutation: root(schema.mutation()),
        subscription: root(schema.subscription()),
        ..SchemaDefinition::default()
    }
}

/// A type with the members of `named`.
fn type_definition(schema: View<'_>, id: TypeId, named: &NamedType) -> ExtendedType {
    let definition = &schema.whole[id];
    let name = Name::new_unchecked(&definition.name);
    let (description, directives) = (None, Default::default());
    let names = |ids| schema.named(ids).map(|id| component_name(schema, id)).collect();
    let members = || named.fields.iter().map(|field| field_definition(schema, *field)).collect();
    match &definition.kind {
        TypeKind::Scalar => {
            ExtendedType::Scalar(Node::new(ScalarType { description, name, directives }))
        }
        TypeKind::Object { interfaces, .. } => ExtendedType::Object(Node::new(ObjectType {
            description,
            name,
            implements_interfaces: names(interfaces),
            directives,
            fields: members(),
        })),
        TypeKind::Interface { interfaces, .. } => {
            ExtendedType::Interface(Node::new(InterfaceType {
                description,
                name,
                implements_interfaces: names(interfaces),
                directives,
                fields: members(),
            }))
        }
        TypeKind::Union { members } => ExtendedType::Union(Node::new(UnionType {
            description,
            name,
            directives,
            members: names(members),
        })),
        TypeKind::Enum { .. } => ExtendedType::Enum(Node::new(EnumType {
            description,
            name,
            directives,
            values: named.values.iter().map(|value| enum_value(schema, *value)).collect(),
        })),
        TypeKind::InputObject { fields } => {
            let fields = if named.with_input_fields { fields.as_slice() } else { &[] };
            ExtendedType::InputObject(Node::new(InputObjectType {
                description,
                name,
                directives,
                fields: schema
                    .inputs(fields)
                    .map(|input| {
                        let definition = input_definition(schema, input);
                        (definition.name.clone(), Component::new(definition))
                    })
                    .collect(),
            }))
        }
    }
}

fn field_definition(schema: View<'_>, id: FieldId) -> (Name, Component<ast::FieldDefinition>) {
    let field = &schema.whole[id];
    let name = Name::new_unchecked(&field.name);
    let definition = ast::FieldDefinition {
        description: None,
        name: name.clone(),
        arguments: schema
            .inputs(&field.arguments)
            .map(|argument| Node::new(input_definition(schema, argument)))
            .collect(),
        ty: type_reference(schema, schema.type_of(id)),
        directives: ast::DirectiveList::default(),
    };
    (name, Component::new(definition))
}

fn input_definition(schema: View<'_>, id: InputId) -> ast::InputValueDefinition {
    let input = &schema[id];
    ast::InputValueDefinition {
        description: None,
        name: Name::new_unchecked(&input.name),
        ty: Node::new(type_reference(schema, input.r#type)),
        default_value: input.default.as_ref().map(|default| Node::new(value(default))),
        directives: ast::DirectiveList::default(),
    }
}

fn enum_value(schema: View<'_>, id: EnumValueId) -> (Name, Component<ast::EnumValueDefinition>) {
    let name = Name::new_unchecked(&schema[id].name);
    let definition = ast::EnumValueDefinition {
        description: None,
        value: name.clone(),
        directives: ast::DirectiveList::default(),
    };
    (name, Component::new(definition))
}

fn type_reference(schema: View<'_>, r#type: TypeRef) -> Type {
    let named = Type::Named(Name::new_unchecked(&schema[r#type.base].name));
    r#type.wrappers().fold(named, |inner, wrapper| match wrapper {
        Wrapper::NonNull => inner.non_null(),
        Wrapper::List => inner.list(),
    })
}

/// A default as in introspection: in the syntax of a document.
#[must_use]
pub fn print_default(default: &Const) -> String {
    value(default).serialize().no_indent().to_string()
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

fn component_name(schema: View<'_>, id: TypeId) -> ComponentName {
    Name::new_unchecked(&schema[id].name).into()
}
