//! Fields with `@requires`, which are computed from fields of other subgraphs: routers fetch these
//! first, and then send them in the representation.
//!
//! A computed column of the database takes them as arguments after the row. The API's field loses
//! these arguments: only a representation sets them.
//!
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/directives#requires>

use catalog::{ArgumentType, Catalog, Scalar, Type};
use graphql::Applied;
use graphql::definitions::FieldSetSelection;
use graphql::schema::{InputId, Schema, TypeId};
use ir::{RepresentedInput, RepresentedValue};

use super::foreign::{Base, Declared, is_external};
use super::name_of;
use crate::api::Api;
use crate::binding::{
    ArgumentBinding, ArgumentRole, ComputedBinding, ExternalArgument, FieldBinding, InputRole,
};
use crate::builder::ApiBuilder;

/// A field whose function takes values of representations.
#[derive(Debug)]
pub(super) struct Required {
    parent: TypeId,
    name: Box<str>,
    external: Vec<ExternalArgument>,
}

impl Required {
    pub(super) fn is_of(&self, parent: TypeId, name: &str) -> bool {
        self.parent == parent && *self.name == *name
    }
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

/// The API with fields that take values of representations.
pub(super) fn tell(api: Api, required: &[Required]) -> Api {
    if required.is_empty() {
        return api;
    }
    let mut builder = ApiBuilder::reopen(api);
    for Required { parent, name, external } in required {
        let Some(old) = builder.schema().find_field(*parent, name) else { continue };
        let FieldBinding::Computed(computed) = builder.field(old) else { continue };
        let computed = ComputedBinding { external: external.clone(), ..(**computed).clone() };
        let mut definition = builder.schema()[old].clone();
        let is_external = |place| external.iter().any(|argument| argument.place == place);
        definition.arguments.retain(|id| match builder.binding_of_input(*id).role {
            InputRole::Argument(ArgumentRole::Call(argument)) => !is_external(argument.place),
            _ => true,
        });
        builder.replace_field(*parent, old, definition, FieldBinding::Computed(Box::new(computed)));
    }
    builder.finish()
}

impl<'a> Requiring<'a> {
    /// The required fields of the field; `is_found` is true if rows of its type are found by a key.
    pub(super) fn read(
        self,
        is_found: bool,
        fields: &[FieldSetSelection],
    ) -> Result<Required, String> {
        let (schema, member) = (&self.api.schema, self.member);
        let field = schema.find_field(self.r#type, member);
        let computed = field.and_then(|field| match self.api.field(field) {
            // Functions of a graph take no values of each node.
            FieldBinding::Computed(computed)
                if computed.of_row && self.catalog[computed.function].statement.is_none() =>
            {
                Some((field, computed))
            }
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
        let mut external: Vec<ExternalArgument> = Vec::new();
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
            if external.iter().any(|known| known.place == place) {
                return Err(format!("`{member}` requires `{name}` twice."));
            }
            let input = RepresentedInput { name: (&**name).into(), kind };
            external.push(ExternalArgument { place, input });
        }
        Ok(Required { parent: self.r#type, name: member.into(), external })
    }

    /// The argument of a field that takes a required one.
    fn argument(self, arguments: &[InputId], name: &str) -> Result<ArgumentBinding, String> {
        let argument = arguments.iter().find(|id| *self.api.schema[**id].name == *name);
        match argument.map(|id| &self.api.input(*id).role) {
            Some(InputRole::Argument(ArgumentRole::Call(argument))) => Ok(*argument),
            _ => Err(format!("`{}` has no argument `{name}` that takes it.", self.member)),
        }
    }

    /// The type of a required field, which must be of another subgraph.
    fn required_field(self, name: &str) -> Result<Declared<'a>, String> {
        let key = (self.r#type, name.into());
        let said = self.applied.members.get(&key).map_or(&[][..], Vec::as_slice);
        let found = Base::Own(self.r#type).find(self.places(), name);
        found.filter(|_| is_external(said)).ok_or_else(|| {
            let parent = name_of(&self.api.schema, self.r#type);
            format!("`{name}` is required: say it as a field of `{parent}` with `@external`.")
        })
    }

    fn places(self) -> (&'a Schema, &'a Applied) {
        (&self.api.schema, self.applied)
    }

    /// Recursion is bounded: a field set has a limit of depth.
    fn check_parts(self, parent: Base<'a>, selections: &[FieldSetSelection]) -> Result<(), String> {
        for selection in selections {
            match selection {
                FieldSetSelection::Field { name, .. } if &**name == "__typename" => {}
                FieldSetSelection::Field { name, selections, .. } => {
                    let declared = parent.find(self.places(), name);
                    let declared = declared.ok_or_else(|| self.no_field(parent, name))?;
                    self.check_parts(declared.base, selections)?;
                }
                FieldSetSelection::Fragment { on: None, selections } => {
                    self.check_parts(parent, selections)?;
                }
                FieldSetSelection::Fragment { on: Some(name), selections } => {
                    let on = Base::of(self.places(), name);
                    self.check_parts(on, selections)?;
                }
            }
        }
        Ok(())
    }

    fn no_field(self, parent: Base<'_>, name: &str) -> String {
        match parent {
            Base::Own(id) => {
                format!("`{}` has no field `{name}`.", name_of(&self.api.schema, id))
            }
            Base::Other(other) => format!("`{}` has no field `{name}`.", other.name),
            Base::BuiltIn => format!("What has a field `{name}` is no object."),
        }
    }
}

/// The accepted type of an argument's values; `None` for other types, whose values only the source
/// can check: an invalid one would fail the rows of all representations.
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
