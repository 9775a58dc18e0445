//! Types and fields of other subgraphs: the API lacks them, and its definitions declare them as
//! external, since some of its own fields require them.

use graphql::Applied;
use graphql::BUILT_IN_SCALARS;
use graphql::definitions::{
    Composite, Directive, FieldDefinition, TypeBody, TypeDefinition, TypeExpression,
};
use graphql::schema::{Schema, TypeId};

use super::directives::{KNOWN, Place};
use super::name_of;

/// Directives on types of other subgraphs, and on values of their enums.
const OF_TYPES: &[&str] = &["external", "inaccessible", "tag"];

/// Composers accept no other on their fields.
const OF_FIELDS: &[&str] = &["external"];

/// An error with its line.
type Wrong = (usize, String);

/// Adds the types of an extension that belong to other subgraphs; returns their errors.
pub(super) fn other_types(
    schema: &Schema,
    types: &[TypeDefinition],
    applied: &mut Applied,
) -> Vec<Wrong> {
    let is_other = |own: &&TypeDefinition| is_other(schema, own);
    let others: Vec<TypeDefinition> = types.iter().filter(is_other).cloned().collect();
    applied.added_types = others;
    let mut wrong = Vec::new();
    for (place, definition) in applied.added_types.iter().enumerate() {
        let TypeDefinition { name, line, .. } = definition;
        let before = applied.added_types.iter().take(place);
        if before.into_iter().any(|first| first.name == *name) {
            wrong.push((*line, format!("`{name}` is defined twice.")));
        }
        wrong.extend(wrong_with(schema, applied, definition));
    }
    wrong
}

/// True for the definition of a type that the API lacks.
pub(super) fn is_other(schema: &Schema, definition: &TypeDefinition) -> bool {
    !definition.is_extension && schema.find_type(&definition.name).is_none()
}

/// Adds a field of another subgraph to the definitions.
pub(super) fn external(
    schema: &Schema,
    applied: &mut Applied,
    (r#type, place): (TypeId, Place),
    field: &FieldDefinition,
) -> Result<(), String> {
    let (name, parent) = (&field.name, name_of(schema, r#type));
    if place != Place::Field || !is_external(&field.directives) {
        return Err(format!("The API has no field `{name}` of `{parent}`."));
    }
    check_field(schema, applied, field)?;
    let added = applied.added.entry(r#type).or_default();
    if added.iter().any(|own| own.name == *name) {
        return Err(format!("`{name}` of `{parent}` is said twice."));
    }
    added.push(field.clone());
    Ok(())
}

/// True if the directives mark a part of other subgraphs.
pub(super) fn is_external(directives: &[Directive]) -> bool {
    directives.iter().any(|directive| &*directive.name == "external")
}

/// All directives of a type of another subgraph.
pub(super) fn directives(definition: &TypeDefinition) -> Vec<&Directive> {
    let mut found: Vec<&Directive> = definition.directives.iter().collect();
    match &definition.body {
        TypeBody::Object(body) => {
            found.extend(body.fields.iter().flat_map(|field| &field.directives));
        }
        TypeBody::Enum(values) => found.extend(values.iter().flat_map(|value| &value.directives)),
        TypeBody::Scalar
        | TypeBody::Interface(_)
        | TypeBody::Union(_)
        | TypeBody::InputObject(_) => {}
    }
    found
}

fn wrong_with(schema: &Schema, applied: &Applied, definition: &TypeDefinition) -> Vec<Wrong> {
    let TypeDefinition { name, line, directives, body, .. } = definition;
    let place = match body {
        TypeBody::Object(_) => Place::Object,
        TypeBody::Scalar => Place::Scalar,
        TypeBody::Enum(_) => Place::Enum,
        TypeBody::Interface(_) | TypeBody::Union(_) | TypeBody::InputObject(_) => {
            let message = format!(
                "The API has no type `{name}`, and one of another subgraph is an object, a scalar \
                 or an enum."
            );
            return vec![(*line, message)];
        }
    };
    let mut wrong = wrong_directives(directives, place);
    match body {
        TypeBody::Object(Composite { interfaces, fields }) => {
            if let Some(interface) = interfaces.first() {
                let message = format!("`{name}` of another subgraph implements nothing here.");
                wrong.push((interface.line, message));
            }
            for (place, field) in fields.iter().enumerate() {
                let mut before = fields.iter().take(place);
                if before.any(|first| first.name == field.name) {
                    let message = format!("`{}` of `{name}` is said twice.", field.name);
                    wrong.push((field.line, message));
                }
                wrong.extend(wrong_directives(&field.directives, Place::Field));
                if let Err(message) = check_field(schema, applied, field) {
                    wrong.push((field.line, message));
                }
                if !is_external(directives) && !is_external(&field.directives) {
                    let field_name = &field.name;
                    let message = format!(
                        "The API has no type `{name}`: `{field_name}` is of another subgraph, \
                         which `@external` says of it or of the type."
                    );
                    wrong.push((field.line, message));
                }
            }
        }
        TypeBody::Enum(values) => {
            let values = values.iter();
            wrong.extend(
                values.flat_map(|value| wrong_directives(&value.directives, Place::EnumValue)),
            );
        }
        TypeBody::Scalar
        | TypeBody::Interface(_)
        | TypeBody::Union(_)
        | TypeBody::InputObject(_) => {}
    }
    wrong
}

fn wrong_directives(directives: &[Directive], place: Place) -> Vec<Wrong> {
    let allowed = if place == Place::Field { OF_FIELDS } else { OF_TYPES };
    let wrong = |directive: &Directive| {
        let name = &*directive.name;
        let known = KNOWN.iter().find(|known| known.name == name && allowed.contains(&name));
        let Some(known) = known.filter(|known| known.may_stand(place)) else {
            return Some(format!("`@{name}` cannot stand on what is of another subgraph."));
        };
        known.check_arguments(directive).err()
    };
    let told = |directive: &Directive| wrong(directive).map(|message| (directive.line, message));
    directives.iter().filter_map(told).collect()
}

fn check_field(schema: &Schema, applied: &Applied, field: &FieldDefinition) -> Result<(), String> {
    let name = &field.name;
    if !field.arguments.is_empty() {
        return Err(format!("`{name}` of another subgraph is served without arguments only."));
    }
    let base = &**field.r#type.base();
    let is_known = schema.find_type(base).is_some()
        || BUILT_IN_SCALARS.contains(&base)
        || applied.added_types.iter().any(|other| *other.name == *base);
    match is_known {
        true => Ok(()),
        false => {
            Err(format!("No type is called `{base}`, neither of the API nor one defined here."))
        }
    }
}

/// The named type of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base<'a> {
    Own(TypeId),
    Other(&'a TypeDefinition),
    /// A built-in scalar that the API does not use.
    BuiltIn,
}

/// The type of a field, as far as a requiring field needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'a> {
    pub(super) base: Base<'a>,
    pub(super) is_list: bool,
}

impl<'a> Base<'a> {
    /// A field of the type, of the API or of another subgraph.
    pub(super) fn find(
        self,
        (schema, applied): (&Schema, &'a Applied),
        name: &str,
    ) -> Option<Declared<'a>> {
        let named = |fields: &'a [FieldDefinition]| {
            fields.iter().find(|field| *field.name == *name).map(|field| &field.r#type)
        };
        let said = match self {
            Self::Own(id) => {
                if let Some(field) = schema.find_field(id, name) {
                    let own = schema[field].r#type;
                    return Some(Declared { base: Self::Own(own.base), is_list: own.is_list() });
                }
                named(applied.added.get(&id)?)?
            }
            Self::Other(TypeDefinition { body: TypeBody::Object(body), .. }) => {
                named(&body.fields)?
            }
            Self::Other(_) | Self::BuiltIn => return None,
        };
        let is_list = matches!(said, TypeExpression::List { .. });
        Some(Declared { base: Self::of((schema, applied), said.base()), is_list })
    }

    /// The type of a name.
    pub(super) fn of((schema, applied): (&Schema, &'a Applied), name: &str) -> Self {
        let other = || applied.added_types.iter().find(|other| *other.name == *name);
        match schema.find_type(name) {
            Some(own) => Self::Own(own),
            None => other().map_or(Self::BuiltIn, Self::Other),
        }
    }
}
