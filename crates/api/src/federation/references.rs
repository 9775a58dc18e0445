//! References to entities of other subgraphs: an extension declares a field whose object has the
//! entity's key, of columns of the row.
//!
//! `product: Product @references(fields: "product_id", key: "id")` makes the type `Product` with its key,
//! which this subgraph does not resolve; no table has to be there for it.

use std::sync::Arc;

use catalog::Catalog;
use graphql::Applied;
use graphql::definitions::{Directive, FieldDefinition as DeclaredField, Literal, TypeExpression};
use graphql::schema::{
    FieldDefinition, FieldId, TypeDefinition, TypeId, TypeKind, TypeRef, is_name,
};
use rustc_hash::FxHashMap;

use super::directives::{argument, directive, generated};
use super::retyped::as_id;
use super::{FederationError, object, scalar};
use crate::api::Api;
use crate::binding::FieldBinding;
use crate::builder::ApiBuilder;

/// The directive of references.
pub(super) const REFERENCES: &str = "references";

/// Arguments of the directive.
const ARGUMENTS: [&str; 3] = ["fields", "key", "type"];

/// A reference to an entity of another subgraph.
#[derive(Debug)]
pub(super) struct Reference {
    parent: TypeId,
    name: Box<str>,
    /// The type of the entity.
    entity: Arc<str>,
    is_non_null: bool,
    key: Vec<KeyPart>,
    /// True if the fields of the key have the type `ID`.
    is_id: bool,
}

/// A field of the entity's key, with the column that holds its value.
#[derive(Debug)]
struct KeyPart {
    name: Box<str>,
    /// The field of the API.
    field: FieldId,
    column: catalog::FieldId,
    nullable: bool,
}

impl Reference {
    /// Reads a declared field, or explains why it is wrong.
    pub(super) fn read(
        (api, catalog): (&Api, &Catalog),
        parent: TypeId,
        declared: &DeclaredField,
        said: &Directive,
    ) -> Result<Self, String> {
        let schema = &api.schema;
        let name = &declared.name;
        let TypeExpression::Named { name: entity, is_required } = &declared.r#type else {
            return Err(format!("`{name}` refers to one entity, and has no list type."));
        };
        if !is_name(entity) {
            return Err(format!("`{entity}` is no name of a type."));
        }
        if schema.find_type(entity).is_some() {
            return Err(format!(
                "`{entity}` is a type of the API: `@{REFERENCES}` is for types of other subgraphs."
            ));
        }
        if !declared.arguments.is_empty() {
            return Err(format!("`{name}` refers to an entity, and has no arguments."));
        }
        if let Some(wrong) = said.arguments.iter().find(|own| !ARGUMENTS.contains(&&*own.name)) {
            return Err(format!("`@{REFERENCES}` has no argument `{}`.", wrong.name));
        }
        let fields = text(said, "fields")?;
        let fields = fields.ok_or(format!("`@{REFERENCES}` needs its argument `fields`."))?;
        let is_id = match text(said, "type")? {
            None => false,
            Some("ID") => true,
            Some(_) => return Err(format!("`type` of `@{REFERENCES}` is \"ID\".")),
        };
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let keys: Vec<&str> = text(said, "key")?.unwrap_or("id").split_whitespace().collect();
        if fields.is_empty() || fields.len() != keys.len() {
            return Err(format!(
                "`@{REFERENCES}` needs a field of the row for each field of the key."
            ));
        }
        let mut key = Vec::with_capacity(keys.len());
        for (own, of_entity) in fields.into_iter().zip(keys) {
            if !is_name(of_entity) {
                return Err(format!("`{of_entity}` is no name of a field."));
            }
            let field = schema.find_field(parent, own);
            let column = field.and_then(|field| match api.field(field) {
                FieldBinding::Column(column) => Some((field, *column)),
                _ => None,
            });
            let Some((field, column)) = column else {
                let parent = &schema[parent].name;
                return Err(format!("`{own}` is no column of `{parent}`."));
            };
            let r#type = schema[field].r#type;
            let is_leaf =
                matches!(schema[r#type.base].kind, TypeKind::Scalar | TypeKind::Enum { .. });
            if r#type.is_list() || !is_leaf {
                return Err(format!("`{own}` is no single value."));
            }
            if is_id && as_id(schema, r#type).is_none() {
                return Err(format!("`{own}` is neither a string nor a UUID, which an ID is."));
            }
            let nullable = catalog[column].nullable;
            key.push(KeyPart { name: of_entity.into(), field, column, nullable });
        }
        if *is_required && key.iter().any(|part| part.nullable) {
            return Err(format!("`{name}` may be null: its column is nullable."));
        }
        let (name, entity) = ((&**name).into(), Arc::clone(entity));
        Ok(Self { parent, name, entity, is_non_null: *is_required, key, is_id })
    }

    pub(super) fn is_of(&self, parent: TypeId, name: &str) -> bool {
        self.parent == parent && *self.name == *name
    }
}

/// The API with the fields, and with the types that they refer to.
pub(super) fn referring(
    api: Api,
    references: &[Reference],
    applied: &mut Applied,
) -> Result<Api, FederationError> {
    if references.is_empty() {
        return Ok(api);
    }
    let mut builder = ApiBuilder::reopen(api);
    let mut entities: FxHashMap<&str, TypeId> = FxHashMap::default();
    for reference in references {
        let entity = match entities.get(&*reference.entity) {
            Some(entity) => *entity,
            None => {
                let entity = add_entity(&mut builder, reference, applied)?;
                entities.insert(&reference.entity, entity);
                entity
            }
        };
        let r#type = TypeRef::named(entity).non_null_if(reference.is_non_null);
        let key = reference.key.iter().map(|part| (part.column, part.nullable));
        let binding = FieldBinding::Reference(key.collect());
        builder.add_field(reference.parent, FieldDefinition::new(&reference.name, r#type), binding);
    }
    Ok(builder.finish())
}

/// Adds the type of an entity, with the fields of its key.
fn add_entity(
    builder: &mut ApiBuilder,
    reference: &Reference,
    applied: &mut Applied,
) -> Result<TypeId, FederationError> {
    let kind = object();
    let name = Arc::clone(&reference.entity);
    let definition = TypeDefinition { name: Arc::clone(&name), description: None, kind };
    let Some(entity) = builder.add_type(definition) else {
        return Err(FederationError::Reference(name));
    };
    for (index, part) in reference.key.iter().enumerate() {
        let base = match reference.is_id {
            true => scalar(builder, "ID")?,
            false => builder.schema()[part.field].r#type.base,
        };
        let definition = FieldDefinition::new(&part.name, TypeRef::named(base).non_null());
        builder.add_field(entity, definition, FieldBinding::ReferenceKey(index));
    }
    let names: Vec<&str> = reference.key.iter().map(|part| &*part.name).collect();
    let key =
        [argument("fields", &names.join(" ")), generated("resolvable", Literal::Boolean(false))];
    applied.types.insert(entity, vec![directive("key", key)]);
    Ok(entity)
}

/// True unless two references to one entity have different keys.
pub(super) fn agree(api: &Api, one: &Reference, other: &Reference) -> bool {
    let parts = |reference: &Reference| -> Vec<(Box<str>, TypeId)> {
        let parts = reference.key.iter();
        parts.map(|part| (part.name.clone(), api.schema[part.field].r#type.base)).collect()
    };
    one.entity != other.entity || (one.is_id == other.is_id && parts(one) == parts(other))
}

fn text<'d>(said: &'d Directive, name: &str) -> Result<Option<&'d str>, String> {
    match said.arguments.iter().find(|argument| &*argument.name == name) {
        None => Ok(None),
        Some(argument) => match &argument.value {
            Literal::String(text) => Ok(Some(text)),
            _ => Err(format!("`{name}` of `@{REFERENCES}` is a string.")),
        },
    }
}
