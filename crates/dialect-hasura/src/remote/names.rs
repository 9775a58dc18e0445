//! Names of types and root fields of a remote schema in the API.

use std::collections::BTreeMap;

use graphql::BUILT_IN_SCALARS;
use hasura_metadata::types::name::GraphQlName;
use hasura_metadata::types::remote_schema::{RemoteFieldNames, RemoteSchema as Definition};
use hasura_metadata::{Problem, ProblemKind};
use http_resolvers::remote_schema::{RemoteKind, RemoteSchema};

use super::wrong;

/// The customization of a remote schema.
#[derive(Debug)]
pub(super) struct Names<'d> {
    definition: &'d Definition,
    schema: &'d RemoteSchema,
}

impl<'d> Names<'d> {
    /// The names; or what of the customization is not served.
    pub(super) fn new(
        definition: &'d Definition,
        schema: &'d RemoteSchema,
    ) -> Result<Self, Vec<Problem>> {
        let names = Self { definition, schema };
        let mut problems = Vec::new();
        let name = &definition.name.text;
        let mut refuse = |message: String| {
            problems.push(wrong(definition, ProblemKind::WrongValue, message));
        };
        if let Some(customization) = &definition.definition.customization {
            if customization.root_fields_namespace.is_some() {
                refuse(format!(
                    "The remote schema {name}: root_fields_namespace is not served; give the root \
                     fields a prefix by field_names."
                ));
            }
            for fields in &customization.field_names {
                if !names.is_root(&fields.parent_type) {
                    refuse(format!(
                        "The remote schema {name}: field_names of {} are not served, those of the \
                         root types only.",
                        &*fields.parent_type
                    ));
                }
            }
        }
        match problems.is_empty() {
            true => Ok(names),
            false => Err(problems),
        }
    }

    /// True for the types of queries and mutations, which become those of the API.
    pub(super) fn is_root(&self, name: &str) -> bool {
        *self.schema.query == *name || self.schema.mutation.as_deref() == Some(name)
    }

    /// The name of a type in the API.
    pub(super) fn r#type(&self, own: &str) -> String {
        if self.schema.mutation.as_deref() == Some(own) {
            return "mutation_root".to_owned();
        }
        if *self.schema.query == *own {
            return "query_root".to_owned();
        }
        let customization = self.definition.definition.customization.as_ref();
        let Some(names) = customization.and_then(|known| known.type_names.as_ref()) else {
            return own.to_owned();
        };
        let is_scalar =
            self.schema.types.get(own).is_some_and(|known| known.kind == RemoteKind::Scalar);
        match BUILT_IN_SCALARS.contains(&own) {
            true => own.to_owned(),
            // Prefixes are not for scalars, as in Hasura.
            false if is_scalar => {
                names.mapping.get(own).map_or_else(|| own.to_owned(), |name| (**name).to_owned())
            }
            false => changed(own, &names.mapping, names.prefix.as_ref(), names.suffix.as_ref()),
        }
    }

    /// The name of a root field in the API.
    pub(super) fn field(&self, root: &str, own: &str) -> String {
        let customization = self.definition.definition.customization.iter();
        let mut fields = customization.flat_map(|known| &known.field_names);
        match fields.find(|fields| *fields.parent_type == *root) {
            Some(RemoteFieldNames { mapping, prefix, suffix, .. }) => {
                changed(own, mapping, prefix.as_ref(), suffix.as_ref())
            }
            None => own.to_owned(),
        }
    }
}

fn changed(
    own: &str,
    mapping: &BTreeMap<String, GraphQlName>,
    prefix: Option<&GraphQlName>,
    suffix: Option<&GraphQlName>,
) -> String {
    if let Some(name) = mapping.get(own) {
        return (**name).to_owned();
    }
    let part = |name: Option<&GraphQlName>| name.map_or(String::new(), |name| (**name).to_owned());
    [&*part(prefix), own, &*part(suffix)].concat()
}
