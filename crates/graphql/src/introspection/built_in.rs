//! Built-in parts of every schema: the scalars and directives of the specification, and the
//! introspection types, as an arena of their own.

use std::sync::{Arc, LazyLock};

use apollo_compiler::ast::{DirectiveDefinition, InputValueDefinition, Type};
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::{Node, Schema as LibrarySchema, ast};

use crate::schema::{
    EnumValueDefinition, FieldDefinition, InputDefinition, Schema, TypeDefinition, TypeId,
    TypeKind, TypeRef,
};
use crate::value::Const;

pub(super) static BUILT_IN: LazyLock<BuiltIn> = LazyLock::new(BuiltIn::new);

/// The types, which refer to each other only, and the directives.
pub(super) struct BuiltIn {
    pub(super) schema: Schema,
    pub(super) directives: Vec<Directive>,
}

/// <https://spec.graphql.org/draft/#sec-Type-System.Directives>
pub(super) struct Directive {
    pub(super) name: Arc<str>,
    pub(super) description: Option<Arc<str>>,
    /// Of types in `BuiltIn::schema`.
    pub(super) arguments: Vec<InputDefinition>,
    pub(super) locations: Vec<&'static str>,
    pub(super) is_repeatable: bool,
}

impl BuiltIn {
    fn new() -> Self {
        let library = LibrarySchema::new();
        let mut schema = Schema::default();
        let mut added = Vec::new();
        for (name, definition) in &library.types {
            let definition = (empty_type(name, definition), definition);
            // The library's names are all different.
            added.extend(schema.add_type(definition.0).map(|id| (id, definition.1)));
        }
        for (id, definition) in added {
            add_members(&mut schema, id, definition);
        }
        let directives = library.directive_definitions.values();
        let directives = directives.map(|definition| directive(&schema, definition)).collect();
        Self { schema, directives }
    }
}

fn empty_type(name: &str, definition: &ExtendedType) -> TypeDefinition {
    let kind = match definition {
        ExtendedType::Object(_) => {
            TypeKind::Object { fields: Vec::new(), interfaces: Default::default() }
        }
        ExtendedType::Enum(_) => TypeKind::Enum { values: Vec::new() },
        ExtendedType::Scalar(_) => TypeKind::Scalar,
        ExtendedType::Interface(_) | ExtendedType::Union(_) | ExtendedType::InputObject(_) => {
            debug_assert!(false, "the specification has no such types");
            TypeKind::Scalar
        }
    };
    TypeDefinition { name: name.into(), description: shared(definition.description()), kind }
}

fn add_members(schema: &mut Schema, parent: TypeId, definition: &ExtendedType) {
    match definition {
        ExtendedType::Object(object) => {
            for (name, field) in &object.fields {
                let Some(r#type) = type_reference(schema, &field.ty) else { continue };
                let description = shared(field.description.as_ref());
                let added = FieldDefinition { description, ..FieldDefinition::new(name, r#type) };
                let id = schema.add_field(parent, added);
                for argument in &field.arguments {
                    if let Some(argument) = input(schema, argument) {
                        schema.add_argument(id, argument);
                    }
                }
            }
        }
        ExtendedType::Enum(definition) => {
            for (name, value) in &definition.values {
                let description = shared(value.description.as_ref());
                let added = EnumValueDefinition { description, ..EnumValueDefinition::new(name) };
                schema.add_enum_value(parent, added);
            }
        }
        ExtendedType::Scalar(_)
        | ExtendedType::Interface(_)
        | ExtendedType::Union(_)
        | ExtendedType::InputObject(_) => {}
    }
}

fn directive(schema: &Schema, definition: &DirectiveDefinition) -> Directive {
    let arguments = definition.arguments.iter();
    Directive {
        name: definition.name.as_str().into(),
        description: shared(definition.description.as_ref()),
        arguments: arguments.filter_map(|argument| input(schema, argument)).collect(),
        locations: definition.locations.iter().map(|location| location.name()).collect(),
        is_repeatable: definition.repeatable,
    }
}

fn input(schema: &Schema, definition: &InputValueDefinition) -> Option<InputDefinition> {
    let r#type = type_reference(schema, &definition.ty)?;
    Some(InputDefinition {
        description: shared(definition.description.as_ref()),
        default: definition.default_value.as_ref().and_then(|value| constant(value)).map(Box::new),
        ..InputDefinition::new(&definition.name, r#type)
    })
}

/// Defaults of the specification are booleans and strings.
fn constant(value: &ast::Value) -> Option<Const> {
    match value {
        ast::Value::Boolean(value) => Some(Const::Boolean(*value)),
        ast::Value::String(text) => Some(Const::String(text.as_str().into())),
        _ => None,
    }
}

fn type_reference(schema: &Schema, r#type: &Type) -> Option<TypeRef> {
    let inner = match r#type {
        Type::Named(name) | Type::NonNullNamed(name) => TypeRef::named(schema.find_type(name)?),
        Type::List(inner) | Type::NonNullList(inner) => type_reference(schema, inner)?.list(),
    };
    Some(inner.non_null_if(r#type.is_non_null()))
}

fn shared(text: Option<&Node<str>>) -> Option<Arc<str>> {
    text.map(|text| (**text).into())
}
