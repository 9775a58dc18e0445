//! Fields that are computed of what other subgraphs have: routers ask these for it first, and then
//! tell it in the representation.
//!
//! A computed column of the database takes it as arguments after the row. They are no arguments of
//! the API's field then: nobody but a representation gives them.
//!
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/directives#requires>

use catalog::{ArgumentType, Catalog, Scalar, Type};
use graphql::Applied;
use graphql::definitions::{FieldDefinition, FieldSetSelection, TypeExpression};
use graphql::schema::{InputId, Schema, TypeId};
use graphql::sdl::BUILT_IN_SCALARS;
use ir::{RepresentedInput, RepresentedValue};

use super::directives::Place;
use super::name_of;
use crate::api::{Api, ApiBuilder};
use crate::binding::{ArgumentBinding, ComputedBinding, FieldBinding, InputRole, ToldArgument};

/// A field whose function takes what representations tell.
#[derive(Debug)]
pub(super) struct Required {
    parent: TypeId,
    name: Box<str>,
    told: Vec<ToldArgument>,
}

impl Required {
    pub(super) fn is_of(&self, parent: TypeId, name: &str) -> bool {
        self.parent == parent && *self.name == *name
    }
}

/// The type of a field, as far as it matters who requires it.
#[derive(Clone, Copy, Debug)]
struct Declared {
    /// `None`: a scalar that the API does not have.
    base: Option<TypeId>,
    is_list: bool,
}

/// A field that requires others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requiring<'a> {
    pub(super) api: &'a Api,
    pub(super) catalog: &'a Catalog,
    pub(super) applied: &'a Applied,
    pub(super) r#type: TypeId,
    pub(super) member: &'a str,
}

/// Adds a field that the API does not have to the definitions: one of another subgraph.
pub(super) fn external(
    schema: &Schema,
    applied: &mut Applied,
    (r#type, place): (TypeId, Place),
    field: &FieldDefinition,
) -> Result<(), String> {
    let (name, parent) = (&field.name, name_of(schema, r#type));
    let mut directives = field.directives.iter();
    if place != Place::Field || !directives.any(|directive| &*directive.name == "external") {
        return Err(format!("The API has no field `{name}` of `{parent}`."));
    }
    if !field.arguments.is_empty() {
        return Err(format!("`{name}` of another subgraph is served without arguments only."));
    }
    let base = &**field.r#type.base();
    if schema.find_type(base).is_none() && !BUILT_IN_SCALARS.contains(&base) {
        return Err(format!("The API has no type `{base}`."));
    }
    let added = applied.added.entry(r#type).or_default();
    if added.iter().any(|own| own.name == *name) {
        return Err(format!("`{name}` of `{parent}` is said twice."));
    }
    added.push(field.clone());
    Ok(())
}

/// The API with fields that are computed of what representations tell.
pub(super) fn tell(api: Api, required: &[Required]) -> Api {
    if required.is_empty() {
        return api;
    }
    let transactions = api.transactions;
    let mut builder = ApiBuilder::reopen(api);
    for Required { parent, name, told } in required {
        let Some(old) = builder.schema().find_field(*parent, name) else { continue };
        let FieldBinding::Computed(computed) = builder.field(old) else { continue };
        let computed = ComputedBinding { told: told.clone(), ..computed.clone() };
        let mut definition = builder.schema()[old].clone();
        let is_told = |place| told.iter().any(|argument| argument.place == place);
        definition.arguments.retain(|id| match builder.binding_of_input(*id).role {
            InputRole::Argument(argument) => !is_told(argument.place),
            _ => true,
        });
        builder.replace_field(*parent, old, definition, FieldBinding::Computed(computed));
    }
    let mut api = builder.finish();
    api.transactions = transactions;
    api
}

impl Requiring<'_> {
    /// What the field requires; `is_found` is whether rows of its type are found by a key.
    pub(super) fn read(
        self,
        is_found: bool,
        fields: &[FieldSetSelection],
    ) -> Result<Required, String> {
        let (schema, member) = (&self.api.schema, self.member);
        let field = schema.find_field(self.r#type, member);
        let computed = field.and_then(|field| match self.api.field(field) {
            FieldBinding::Computed(computed) if computed.of_row => Some((field, computed)),
            _ => None,
        });
        let Some((field, computed)) = computed else {
            return Err(format!(
                "`{member}` cannot require other fields: it is no computed column, a function of \
                 PostgreSQL with an argument for the row and one for each field that is required."
            ));
        };
        if !is_found {
            let name = name_of(schema, self.r#type);
            return Err(format!(
                "No rows of `{name}` are found by a key, which `@requires` needs."
            ));
        }
        let mut told: Vec<ToldArgument> = Vec::new();
        for selection in fields {
            let FieldSetSelection::Field { name, selections, .. } = selection else {
                return Err(format!("`{member}` requires a fragment: name its fields instead."));
            };
            let declared = self.required_field(name)?;
            self.check_parts(declared.base, selections)?;
            let argument = self.argument(&schema[field].arguments, name)?;
            let function = &self.catalog[computed.function];
            let taken = function.arguments.get(usize::from(argument.place));
            let kind = taken.and_then(|taken| kind(&taken.r#type)).ok_or_else(|| {
                format!(
                    "Values of the argument `{name}` of `{member}` cannot be checked: they are \
                     neither numbers, booleans, texts, UUIDs nor JSON."
                )
            })?;
            let has_parts = !selections.is_empty() || declared.is_list;
            if has_parts && kind != RepresentedValue::Json {
                return Err(format!(
                    "`{name}` has parts: the argument of `{member}` that takes it is to be of the \
                     type json or jsonb."
                ));
            }
            let place = argument.place;
            if told.iter().any(|known| known.place == place) {
                return Err(format!("`{member}` requires `{name}` twice."));
            }
            let input = RepresentedInput { name: (&**name).into(), kind };
            told.push(ToldArgument { place, input });
        }
        Ok(Required { parent: self.r#type, name: member.into(), told })
    }

    /// The argument of a field that takes a required one.
    fn argument(self, arguments: &[InputId], name: &str) -> Result<ArgumentBinding, String> {
        let argument = arguments.iter().find(|id| *self.api.schema[**id].name == *name);
        match argument.map(|id| &self.api.input(*id).role) {
            Some(InputRole::Argument(argument)) => Ok(*argument),
            _ => Err(format!("`{}` has no argument `{name}` that takes it.", self.member)),
        }
    }

    /// What a required field is, which has to be one of another subgraph.
    fn required_field(self, name: &str) -> Result<Declared, String> {
        let key = (self.r#type, name.into());
        let said = self.applied.members.get(&key).into_iter().flatten();
        let is_external = said.into_iter().any(|directive| &*directive.name == "external");
        self.find(self.r#type, name).filter(|_| is_external).ok_or_else(|| {
            let parent = name_of(&self.api.schema, self.r#type);
            format!("`{name}` is required: say it as a field of `{parent}` with `@external`.")
        })
    }

    /// A field of a type, whether the API has it or another subgraph.
    fn find(self, r#type: TypeId, name: &str) -> Option<Declared> {
        let schema = &self.api.schema;
        if let Some(field) = schema.find_field(r#type, name) {
            let own = schema[field].r#type;
            return Some(Declared { base: Some(own.base), is_list: own.is_list() });
        }
        let mut added = self.applied.added.get(&r#type)?.iter();
        let said = &added.find(|field| *field.name == *name)?.r#type;
        let is_list = matches!(said, TypeExpression::List { .. });
        Some(Declared { base: schema.find_type(said.base()), is_list })
    }

    /// Recursion is bounded: a field set is read to a depth.
    fn check_parts(
        self,
        parent: Option<TypeId>,
        selections: &[FieldSetSelection],
    ) -> Result<(), String> {
        let schema = &self.api.schema;
        for selection in selections {
            match selection {
                FieldSetSelection::Field { name, .. } if &**name == "__typename" => {}
                FieldSetSelection::Field { name, selections, .. } => {
                    let declared = parent.and_then(|parent| self.find(parent, name));
                    let declared = declared.ok_or_else(|| match parent {
                        Some(parent) => {
                            format!("`{}` has no field `{name}`.", name_of(schema, parent))
                        }
                        None => format!("What has a field `{name}` is no object."),
                    })?;
                    self.check_parts(declared.base, selections)?;
                }
                FieldSetSelection::Fragment { on: None, selections } => {
                    self.check_parts(parent, selections)?;
                }
                FieldSetSelection::Fragment { on: Some(name), selections } => {
                    let on = schema.find_type(name);
                    let on = on.ok_or_else(|| format!("The API has no type `{name}`."))?;
                    self.check_parts(Some(on), selections)?;
                }
            }
        }
        Ok(())
    }
}

/// What values an argument takes; `None`: of other types nobody but the source knows whether it
/// takes a value, and one that it does not take would fail the rows of all representations.
fn kind(r#type: &ArgumentType) -> Option<RepresentedValue> {
    let ArgumentType::Value(Type::Scalar(scalar)) = r#type else { return None };
    match scalar {
        Scalar::Int16 => Some(RepresentedValue::Integer { bits: 16 }),
        Scalar::Int32 => Some(RepresentedValue::Integer { bits: 32 }),
        Scalar::Int64 => Some(RepresentedValue::Integer { bits: 64 }),
        Scalar::Float32 => Some(RepresentedValue::Float { bits: 32 }),
        Scalar::Float64 => Some(RepresentedValue::Float { bits: 64 }),
        Scalar::Decimal { .. } => Some(RepresentedValue::Decimal),
        Scalar::Boolean => Some(RepresentedValue::Boolean),
        Scalar::Text | Scalar::Character { .. } | Scalar::CaseInsensitiveText => {
            Some(RepresentedValue::Text)
        }
        Scalar::Uuid => Some(RepresentedValue::Uuid),
        Scalar::Json | Scalar::Jsonb => Some(RepresentedValue::Json),
        _ => None,
    }
}
