//! Selected fields of a value that another server gives.

use std::sync::Arc;

use graphql::operation::{FieldRef, Operation, SelectionSetId};
use graphql::schema::{FieldId, Schema, TypeId, TypeKind, TypeRef, is_name};
use graphql::variables::{Steering, Variables};
use graphql::{Budget, TooManyFields, collect_fields, does_fragment_type_apply};
use serde_json::Value;

use crate::exact_number;
use crate::inputs::Inputs;
use crate::preset::{ClientPresets, PresetError};
use crate::related_field::RelatedField;

/// The selected part of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Projection {
    /// By the name of its type.
    Scalar(Box<str>),
    /// Names of its values.
    Enum(Box<[Box<str>]>),
    /// For each type that the value may have.
    Objects(Vec<ObjectProjection>),
}

/// Selected fields of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectProjection {
    pub(crate) r#type: Box<str>,
    /// The name of the type at the other server.
    pub(crate) remote_type: Box<str>,
    pub(crate) fields: Vec<ProjectedField>,
}

/// One selected field.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectedField {
    pub(crate) response_name: Box<str>,
    pub(crate) member: Member,
    pub(crate) r#type: TypeRef,
    /// The type as text, for messages.
    pub(crate) type_text: Box<str>,
    pub(crate) projection: Projection,
    pub(crate) arguments: Vec<ProjectedArgument>,
}

/// An argument of a selected field.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectedArgument {
    pub(crate) name: Box<str>,
    pub(crate) value: Value,
    /// The value as a literal; `None` if a key of an object is no name, as values of scalars may have.
    pub(crate) literal: Option<Box<str>>,
    /// The type as text.
    pub(crate) r#type: Box<str>,
    /// The type as the other server names it.
    pub(crate) remote_type: Box<str>,
}

/// The member of an object that has the value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// `__typename`: the name of the object's type.
    Typename,
    Field {
        /// The name of the field.
        name: Box<str>,
        /// The name of the field at the other server.
        remote: Box<str>,
        /// The key in the answer.
        key: Box<str>,
    },
    /// A value that a query of the same API gives, for the field of this name.
    Related { name: Box<str>, number: usize, related: Arc<RelatedField> },
}

impl ProjectedArgument {
    /// The literal of a value with numbers that JSON values would round.
    pub(crate) fn exact_literal(&self) -> Option<&str> {
        self.literal.as_deref().filter(|_| exact_number::is_within(&self.value))
    }
}

/// The operation that selects the fields.
#[derive(Clone, Copy, Debug)]
pub struct Selecting<'a> {
    pub schema: &'a Schema,
    pub operation: &'a Operation,
    pub variables: &'a Variables,
    /// The most selections, fragments expanded.
    pub most_fields: usize,
    /// Keys of fields in answers, where these are not their names.
    pub keys: &'a dyn Keys,
    /// Values that the role of the client cannot give.
    pub presets: Option<ClientPresets<'a>>,
}

/// The reason why there is no projection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectionError {
    TooManyFields(TooManyFields),
    Preset(PresetError),
}

impl From<TooManyFields> for ProjectionError {
    fn from(error: TooManyFields) -> Self {
        Self::TooManyFields(error)
    }
}

impl From<PresetError> for ProjectionError {
    fn from(error: PresetError) -> Self {
        Self::Preset(error)
    }
}

/// Keys of fields in answers.
pub trait Keys: std::fmt::Debug {
    /// The key of a field, if it is not its name.
    fn find(&self, field: FieldId) -> Option<&str>;

    /// The name of a field at another server, if it is not its own.
    fn find_name(&self, field: FieldId) -> Option<&str>;

    /// The name of a type at another server, if it is not its own.
    fn find_type(&self, r#type: TypeId) -> Option<&str>;

    /// The rows of the source that are the value of a field.
    fn find_related(&self, field: FieldId) -> Option<&Arc<RelatedField>>;
}

impl Projection {
    /// The fields that `sets` select of a type. `number` is that of the resolver's selection.
    pub fn new(
        selecting: Selecting<'_>,
        number: usize,
        r#type: TypeId,
        sets: &[SelectionSetId],
    ) -> Result<Self, ProjectionError> {
        let mut budget = Budget::new(selecting.most_fields);
        let mut projection = selecting.projection(r#type, sets, &mut budget)?;
        projection.number_related(number);
        Ok(projection)
    }

    /// The names of the only types that a value may have, if it is an object.
    pub(crate) fn objects(&self) -> &[ObjectProjection] {
        match self {
            Self::Objects(objects) => objects,
            Self::Scalar(_) | Self::Enum(_) => &[],
        }
    }
}

impl ObjectProjection {
    pub(crate) fn selects_typename(&self) -> bool {
        self.fields.iter().any(|field| field.member == Member::Typename)
    }
}

impl Selecting<'_> {
    /// Recursion is bounded: validation limits the depth of selections.
    fn projection(
        self,
        r#type: TypeId,
        sets: &[SelectionSetId],
        budget: &mut Budget,
    ) -> Result<Projection, ProjectionError> {
        let definition = &self.schema[r#type];
        Ok(match &definition.kind {
            TypeKind::Scalar | TypeKind::InputObject { .. } => {
                Projection::Scalar(String::from(&*definition.name).into())
            }
            TypeKind::Enum { values } => {
                let names = values.iter().map(|id| String::from(&*self.schema[*id].name).into());
                Projection::Enum(names.collect())
            }
            TypeKind::Object { .. } => {
                Projection::Objects(vec![self.object(r#type, sets, budget)?])
            }
            TypeKind::Interface { .. } | TypeKind::Union { .. } => {
                let types = self.schema.types();
                let objects = types.filter(|(id, known)| {
                    matches!(known.kind, TypeKind::Object { .. })
                        && does_fragment_type_apply(self.schema, *id, r#type)
                });
                let objects = objects.map(|(id, _)| self.object(id, sets, budget));
                Projection::Objects(objects.collect::<Result<_, _>>()?)
            }
        })
    }

    fn object(
        self,
        object: TypeId,
        sets: &[SelectionSetId],
        budget: &mut Budget,
    ) -> Result<ObjectProjection, ProjectionError> {
        let Self { schema, operation, variables, .. } = self;
        let steering = Steering::new(variables);
        let collected = collect_fields(operation, schema, object, sets, &steering, budget)?;
        let mut fields = Vec::with_capacity(collected.len());
        for field in collected {
            let FieldRef::Field(id) = field.field else {
                fields.push(ProjectedField {
                    response_name: field.response_name.into(),
                    member: Member::Typename,
                    r#type: TypeRef::named(object),
                    type_text: "String!".into(),
                    projection: Projection::Scalar("String".into()),
                    arguments: Vec::new(),
                });
                continue;
            };
            // The object's own field may differ from that of its interface.
            let id = schema.find_field(object, &schema[id].name).unwrap_or(id);
            let name: Box<str> = String::from(&*schema[id].name).into();
            let mut r#type = schema[id].r#type;
            // The view of a role says so.
            if operation.nullable.contains(&id) {
                r#type = r#type.nullable();
            }
            let related = self.keys.find_related(id);
            // The query that gives the value has presets of its own.
            let presets = self.presets.filter(|_| related.is_none());
            let mut given = Inputs::of_written_arguments(schema, id, field.arguments, variables);
            if let Some(presets) = presets {
                given = presets.complete(schema, id, given)?;
            }
            let arguments = schema[id].arguments.iter().filter_map(|input| {
                let input = &schema[*input];
                let value = given.find(&input.name)?;
                let r#type = graphql::print_type(schema, input.r#type);
                let base = &schema[input.r#type.base].name;
                let remote_type = match self.keys.find_type(input.r#type.base) {
                    Some(remote) => r#type.replacen(&**base, remote, 1),
                    None => r#type.clone(),
                };
                Some(ProjectedArgument {
                    name: String::from(&*input.name).into(),
                    value: value.clone(),
                    literal: literal(schema, value, input.r#type).map(Into::into),
                    r#type: r#type.into(),
                    remote_type: remote_type.into(),
                })
            });
            fields.push(ProjectedField {
                response_name: field.response_name.into(),
                member: match related {
                    Some(related) => {
                        Member::Related { name, number: 0, related: Arc::clone(related) }
                    }
                    None => {
                        let remote = self.keys.find_name(id).unwrap_or(&name);
                        let key = self.keys.find(id).unwrap_or(remote).into();
                        Member::Field { key, remote: remote.into(), name }
                    }
                },
                r#type,
                type_text: graphql::print_type(schema, r#type).into(),
                projection: Selecting { presets, ..self }.projection(
                    r#type.base,
                    &field.selection_sets,
                    budget,
                )?,
                arguments: arguments.collect(),
            });
        }
        let r#type: Box<str> = String::from(&*schema[object].name).into();
        let remote_type = self.keys.find_type(object).unwrap_or(&r#type).into();
        Ok(ObjectProjection { r#type, remote_type, fields })
    }
}

/// A value as a literal of GraphQL, in which only the type tells names from texts; `None` if there is
/// none. A key or a value of an enum that is no name would become a part of the document.
fn literal(schema: &Schema, value: &Value, r#type: TypeRef) -> Option<String> {
    if let Some(digits) = exact_number::digits(value) {
        return Some(digits.to_owned());
    }
    let kind = &schema[r#type.base].kind;
    Some(match value {
        Value::String(name) if matches!(kind, TypeKind::Enum { .. }) && is_name(name) => {
            name.clone()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(items) => {
            let item = r#type.nullable().item().unwrap_or(r#type);
            let items = items.iter().map(|one| literal(schema, one, item));
            format!("[{}]", items.collect::<Option<Vec<_>>>()?.join(", "))
        }
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                let known = schema.find_input_field(r#type.base, key);
                let r#type = known.map_or(r#type, |id| schema[id].r#type);
                let value = literal(schema, value, r#type)?;
                is_name(key).then(|| format!("{key}: {value}"))
            };
            let members = members.iter().map(member).collect::<Option<Vec<_>>>()?;
            format!("{{{}}}", members.join(", "))
        }
    })
}
