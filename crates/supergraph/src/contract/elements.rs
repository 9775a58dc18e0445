//! Elements of a supergraph, and which of them are hidden.

use std::sync::Arc;

use graphql::definitions::{
    Composite, Definitions, Directive, FieldDefinition, InputDefinition, TypeBody, TypeDefinition,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::api_definitions::is_hidden;
use crate::composed::Problem;
use crate::composed::links::Links;
use crate::coordinate::Coordinate;
use crate::extensions::merge_extensions;

pub(super) struct Elements {
    pub(super) definitions: Definitions,
    pub(super) links: Links,
    /// Elements that are `@inaccessible`, before and after filtering.
    pub(super) hidden: FxHashSet<Coordinate>,
    /// Indices of the types of the data, by name.
    by_name: FxHashMap<Arc<str>, usize>,
}

impl Elements {
    pub(super) fn new(mut definitions: Definitions, problems: &mut Vec<Problem>) -> Self {
        let links = Links::read(&definitions, problems);
        definitions.types = merge_extensions(definitions.types, problems);
        let mut hidden = FxHashSet::default();
        let mut by_name = FxHashMap::default();
        for (index, definition) in definitions.types.iter().enumerate() {
            if links.is_specification_type(&definition.name) {
                continue;
            }
            by_name.insert(Arc::clone(&definition.name), index);
            visit(definition, &mut |coordinate, directives| {
                if is_hidden(&links, directives) {
                    hidden.insert(coordinate);
                }
            });
        }
        Self { definitions, links, hidden, by_name }
    }

    /// Returns the types of the data, in the order of the document.
    pub(super) fn types(&self) -> impl Iterator<Item = &TypeDefinition> {
        let of_data = |definition: &&TypeDefinition| self.by_name.contains_key(&definition.name);
        self.definitions.types.iter().filter(of_data)
    }

    pub(super) fn find_type(&self, name: &str) -> Option<&TypeDefinition> {
        self.by_name.get(name).map(|index| &self.definitions.types[*index])
    }

    /// Returns the name of the root type of an operation.
    pub(super) fn root(&self, operation: &str) -> Option<&Arc<str>> {
        let operations = self.definitions.schemas.iter().flat_map(|schema| &schema.operations);
        let mut operations = operations.peekable();
        if operations.peek().is_some() {
            return operations.find(|(kind, _)| *kind == operation).map(|(_, named)| &named.name);
        }
        let usual = match operation {
            "query" => "Query",
            "mutation" => "Mutation",
            _ => "Subscription",
        };
        self.find_type(usual).map(|definition| &definition.name)
    }

    pub(super) fn is_type_hidden(&self, name: &Arc<str>) -> bool {
        self.hidden.contains(&Coordinate::of_type(name))
    }

    pub(super) fn is_member_hidden(&self, r#type: &Arc<str>, member: &Arc<str>) -> bool {
        self.hidden.contains(&Coordinate::member(r#type, member))
    }

    /// Returns the visible fields of a type.
    pub(super) fn fields<'e>(
        &'e self,
        r#type: &'e Arc<str>,
        composite: &'e Composite,
    ) -> impl Iterator<Item = &'e FieldDefinition> {
        composite.fields.iter().filter(|field| !self.is_member_hidden(r#type, &field.name))
    }

    /// Returns the visible arguments of a field.
    pub(super) fn arguments<'e>(
        &'e self,
        r#type: &'e Arc<str>,
        field: &'e FieldDefinition,
    ) -> impl Iterator<Item = &'e InputDefinition> {
        field.arguments.iter().filter(|argument| {
            let coordinate = Coordinate::argument(r#type, &field.name, &argument.name);
            !self.hidden.contains(&coordinate)
        })
    }

    /// Returns the visible fields of an input object.
    pub(super) fn inputs<'e>(
        &'e self,
        r#type: &'e Arc<str>,
        inputs: &'e [InputDefinition],
    ) -> impl Iterator<Item = &'e InputDefinition> {
        inputs.iter().filter(|input| !self.is_member_hidden(r#type, &input.name))
    }

    /// Whether all members of a type are hidden.
    pub(super) fn has_only_hidden_members(&self, definition: &TypeDefinition) -> bool {
        let name = &definition.name;
        match &definition.body {
            TypeBody::Scalar => false,
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                self.fields(name, composite).next().is_none()
            }
            TypeBody::Union(members) => {
                members.iter().all(|member| self.is_type_hidden(&member.name))
            }
            TypeBody::Enum(values) => {
                values.iter().all(|value| self.is_member_hidden(name, &value.name))
            }
            TypeBody::InputObject(inputs) => self.inputs(name, inputs).next().is_none(),
        }
    }
}

/// Calls `each` with every element of a type that can have directives, the type first.
pub(super) fn visit(definition: &TypeDefinition, each: &mut impl FnMut(Coordinate, &[Directive])) {
    let name = &definition.name;
    each(Coordinate::of_type(name), &definition.directives);
    match &definition.body {
        TypeBody::Scalar | TypeBody::Union(_) => {}
        TypeBody::Object(composite) | TypeBody::Interface(composite) => {
            for field in &composite.fields {
                each(Coordinate::member(name, &field.name), &field.directives);
                for argument in &field.arguments {
                    let coordinate = Coordinate::argument(name, &field.name, &argument.name);
                    each(coordinate, &argument.directives);
                }
            }
        }
        TypeBody::Enum(values) => {
            for value in values {
                each(Coordinate::member(name, &value.name), &value.directives);
            }
        }
        TypeBody::InputObject(inputs) => {
            for input in inputs {
                each(Coordinate::member(name, &input.name), &input.directives);
            }
        }
    }
}
