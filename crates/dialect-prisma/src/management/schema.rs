//! From the text of a schema to the schema.

use std::collections::HashMap;
use std::sync::Arc;

use graphql::definitions::{TypeBody, TypeDefinition, TypeExpression};
use graphql::schema::{self, FieldDefinition, InputDefinition, Schema, TypeId, TypeKind, TypeRef};
use graphql::{BUILT_IN_SCALARS, parse_definitions};

/// The schema of a text of this crate, which defines each type that it names, and has neither unions
/// nor enums nor default values.
pub(super) fn read(text: &str) -> Schema {
    let definitions = parse_definitions(text).unwrap_or_default();
    let mut schema = Schema::default();
    let mut ids = HashMap::new();
    for name in BUILT_IN_SCALARS {
        add(&mut schema, &mut ids, name, None, TypeKind::Scalar);
    }
    for definition in &definitions.types {
        let kind = match &definition.body {
            TypeBody::Object(_) => {
                TypeKind::Object { fields: Vec::new(), interfaces: Default::default() }
            }
            TypeBody::Interface(_) => {
                TypeKind::Interface { fields: Vec::new(), interfaces: Default::default() }
            }
            TypeBody::InputObject(_) => TypeKind::InputObject { fields: Vec::new() },
            TypeBody::Scalar | TypeBody::Union(_) | TypeBody::Enum(_) => TypeKind::Scalar,
        };
        let description = definition.description.clone();
        add(&mut schema, &mut ids, &definition.name, description, kind);
    }
    for definition in &definitions.types {
        members(&mut schema, &ids, definition);
    }
    schema.query = ids.get("Query").copied();
    schema.mutation = ids.get("Mutation").copied();
    schema
}

fn add(
    schema: &mut Schema,
    ids: &mut HashMap<Box<str>, TypeId>,
    name: &str,
    description: Option<Arc<str>>,
    kind: TypeKind,
) {
    let definition = schema::TypeDefinition { name: name.into(), description, kind };
    ids.extend(schema.add_type(definition).map(|id| (name.into(), id)));
}

fn members(schema: &mut Schema, ids: &HashMap<Box<str>, TypeId>, definition: &TypeDefinition) {
    let Some(id) = ids.get(&*definition.name).copied() else { return };
    match &definition.body {
        TypeBody::Object(own) | TypeBody::Interface(own) => {
            for interface in own.interfaces.iter().filter_map(|one| ids.get(&*one.name)) {
                schema.add_interface(id, *interface);
            }
            for field in &own.fields {
                let Some(r#type) = reference(ids, &field.r#type) else { continue };
                let made = FieldDefinition {
                    description: field.description.clone(),
                    ..FieldDefinition::new(&field.name, r#type)
                };
                let made = schema.add_field(id, made);
                for argument in &field.arguments {
                    let Some(r#type) = reference(ids, &argument.r#type) else { continue };
                    schema.add_argument(made, InputDefinition::new(&argument.name, r#type));
                }
            }
        }
        TypeBody::InputObject(inputs) => {
            for input in inputs {
                let Some(r#type) = reference(ids, &input.r#type) else { continue };
                schema.add_input_field(id, InputDefinition::new(&input.name, r#type));
            }
        }
        TypeBody::Scalar | TypeBody::Union(_) | TypeBody::Enum(_) => {}
    }
}

fn reference(ids: &HashMap<Box<str>, TypeId>, expression: &TypeExpression) -> Option<TypeRef> {
    let nullable = match expression {
        TypeExpression::Named { name, .. } => TypeRef::named(*ids.get(&**name)?),
        TypeExpression::List { of, .. } => reference(ids, of)?.list(),
    };
    Some(nullable.non_null_if(expression.is_required()))
}

#[cfg(test)]
mod tests {
    use graphql::print_schema;

    use super::*;

    #[test]
    fn all_of_a_text_is_in_its_schema() {
        for text in [super::super::MANAGEMENT, super::super::PRIVATE] {
            let names = |text: &str| {
                let mut lines: Vec<_> = text
                    .lines()
                    .map(str::trim)
                    .filter(|line| !line.is_empty() && !line.starts_with('"'))
                    .map(str::to_owned)
                    .collect();
                lines.sort();
                lines
            };
            let printed = print_schema(&read(text));
            assert_eq!(names(&printed), names(text), "{printed}");
        }
    }
}
