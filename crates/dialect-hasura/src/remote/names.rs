//! Names of types and fields of a remote schema in the API.

use std::collections::BTreeMap;

use graphql::BUILT_IN_SCALARS;
use hasura_metadata::types::name::GraphQlName;
use hasura_metadata::types::remote_schema::{RemoteFieldNames, RemoteSchema as Definition};
use hasura_metadata::{Problem, ProblemKind};
use http_resolvers::remote_schema::{RemoteField, RemoteKind, RemoteSchema};

use super::wrong;

/// The customization of a remote schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'d> {
    definition: &'d Definition,
    schema: &'d RemoteSchema,
}

impl<'d> Names<'d> {
    /// The names; or what of the customization cannot be.
    pub(super) fn new(
        definition: &'d Definition,
        schema: &'d RemoteSchema,
    ) -> Result<Self, Vec<Problem>> {
        let names = Self { definition, schema };
        let mut found = names.not_distinct();
        found.extend(names.inconsistent());
        match found.is_empty() {
            true => Ok(names),
            false => Err(names.problems(found)),
        }
    }

    fn problems(self, messages: Vec<String>) -> Vec<Problem> {
        let name = &self.definition.name.text;
        let of = |message| {
            let message = format!("The remote schema {name}: {message}");
            wrong(self.definition, ProblemKind::WrongValue, message)
        };
        messages.into_iter().map(of).collect()
    }

    /// Customizations of what the server does not have: they have no effect, as in Hasura.
    pub(super) fn unknown(self) -> Vec<Problem> {
        self.problems(self.unknown_names())
    }

    fn unknown_names(self) -> Vec<String> {
        let Some(customization) = &self.definition.definition.customization else {
            return Vec::new();
        };
        let mut messages = Vec::new();
        for name in customization.type_names.iter().flat_map(|names| names.mapping.keys()) {
            if !self.schema.types.contains_key(&**name) {
                messages.push(format!("type_names.mapping: it has no type {name}."));
            }
        }
        for names in &customization.field_names {
            let parent = &*names.parent_type;
            let Some(known) = self.schema.types.get(parent) else {
                messages.push(format!("field_names: it has no type {parent}."));
                continue;
            };
            if !matches!(known.kind, RemoteKind::Object { .. } | RemoteKind::Interface { .. }) {
                messages.push(format!("field_names: {parent} has no fields."));
                continue;
            }
            let fields = self.schema.fields(parent);
            for name in names.mapping.keys() {
                if name.starts_with("__") {
                    messages.push(format!("attempt to customize reserved field name \"{name}\""));
                } else if !fields.iter().any(|field| *field.name == **name) {
                    messages.push(format!("field_names: {parent} has no field {name}."));
                }
            }
        }
        messages
    }

    /// Names that several types, or several fields of a type, would have; with Hasura's texts.
    fn not_distinct(self) -> Vec<String> {
        let of_roots = |name: &str| self.is_root(name);
        let types = self.schema.types.keys().filter(|name| !of_roots(name));
        let mut messages = Vec::new();
        if let Some(names) = repeated(types.map(|name| self.r#type(name))) {
            messages.push(format!(
                "Type name mappings are not distinct; the following types appear more than once: \
                 {names}"
            ));
        }
        for (name, known) in &self.schema.types {
            let kind = match known.kind {
                RemoteKind::Object { .. } => "object",
                RemoteKind::Interface { .. } => "interface",
                RemoteKind::Scalar
                | RemoteKind::Union { .. }
                | RemoteKind::Enum { .. }
                | RemoteKind::Input { .. } => continue,
            };
            let fields = self.schema.fields(name).iter().map(|field| self.field(name, &field.name));
            if let Some(fields) = repeated(fields) {
                messages.push(format!(
                    "Field name mappings for {kind} type \"{name}\" are not distinct; the \
                     following fields appear more than once: {fields}"
                ));
            }
        }
        messages
    }

    /// Fields of interfaces that have other names in objects; with Hasura's text.
    fn inconsistent(self) -> Vec<String> {
        let mut messages = Vec::new();
        for (object, known) in &self.schema.types {
            let (RemoteKind::Object { interfaces, .. } | RemoteKind::Interface { interfaces, .. }) =
                &known.kind
            else {
                continue;
            };
            for interface in interfaces {
                for RemoteField { name, .. } in self.schema.fields(interface) {
                    let (of_interface, own) =
                        (self.field(interface, name), self.field(object, name));
                    if of_interface != own {
                        messages.push(format!(
                            "Remote schema customization inconsistency: field name mapping for \
                             field \"{name}\" of interface \"{interface}\" is inconsistent with \
                             mapping for type \"{object}\". Interface field name maps to \
                             \"{of_interface}\". Type field name maps to \"{own}\"."
                        ));
                    }
                }
            }
        }
        messages
    }

    /// The field of the root types that has the root fields.
    pub(super) fn namespace(self) -> Option<&'d str> {
        let customization = self.definition.definition.customization.as_ref()?;
        customization.root_fields_namespace.as_deref()
    }

    /// True for the types of queries and mutations that become those of the API: without a namespace.
    pub(super) fn is_root(self, name: &str) -> bool {
        self.namespace().is_none() && self.schema.is_root(name)
    }

    /// The name of a type in the API.
    pub(super) fn r#type(self, own: &str) -> String {
        if self.is_root(own) {
            let root = match () {
                () if *self.schema.query == *own => "query_root",
                () if self.schema.subscription.as_deref() == Some(own) => "subscription_root",
                () => "mutation_root",
            };
            return root.to_owned();
        }
        let customization = self.definition.definition.customization.as_ref();
        let names = customization.and_then(|known| known.type_names.as_ref());
        if let Some(name) = names.and_then(|names| names.mapping.get(own)) {
            return (**name).to_owned();
        }
        match (self.namespace(), names) {
            (Some(namespace), _) if self.schema.is_root(own) => format!("{namespace}{own}"),
            (_, Some(names)) if !BUILT_IN_SCALARS.contains(&own) => {
                surrounded(own, names.prefix.as_ref(), names.suffix.as_ref())
            }
            (_, _) => own.to_owned(),
        }
    }

    /// The name of a field in the API.
    pub(super) fn field(self, r#type: &str, own: &str) -> String {
        let customization = self.definition.definition.customization.iter();
        let mut fields = customization.flat_map(|known| &known.field_names);
        match fields.find(|fields| *fields.parent_type == *r#type) {
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
    match mapping.get(own) {
        Some(name) => (**name).to_owned(),
        None => surrounded(own, prefix, suffix),
    }
}

fn surrounded(own: &str, prefix: Option<&GraphQlName>, suffix: Option<&GraphQlName>) -> String {
    let part = |name: Option<&GraphQlName>| name.map_or(String::new(), |name| (**name).to_owned());
    [&*part(prefix), own, &*part(suffix)].concat()
}

/// The names that are there several times, if there are some.
fn repeated(names: impl Iterator<Item = String>) -> Option<String> {
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    let mut found: Vec<String> = names
        .windows(2)
        .filter(|pair| pair.first() == pair.last())
        .filter_map(|pair| pair.first().map(|name| format!("\"{name}\"")))
        .collect();
    found.dedup();
    (!found.is_empty()).then(|| found.join(", "))
}
