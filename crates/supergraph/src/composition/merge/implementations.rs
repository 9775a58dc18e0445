//! Fields that objects have because of their interfaces.

use graphql::definitions::{FieldDefinition, TypeBody, TypeDefinition};
use rustc_hash::FxHashMap;

use super::Merger;
use crate::composition::directives::Written;
use crate::composition::{Code, Finding};

impl Merger<'_> {
    /// Adds the fields of interface objects to the implementations of the interface: the subgraphs of
    /// the implementations do not have them.
    pub(super) fn add_fields_of_interface_objects(&self, types: &mut [TypeDefinition]) {
        let mut provided: FxHashMap<String, Vec<FieldDefinition>> = FxHashMap::default();
        for interface in types.iter() {
            let TypeBody::Interface(composite) = &interface.body else { continue };
            let fields = composite.fields.iter();
            let fields = fields.filter(|field| self.is_of_interface_object(&interface.name, field));
            let fields: Vec<_> = fields.cloned().collect();
            if !fields.is_empty() {
                provided.insert(interface.name.as_ref().to_owned(), fields);
            }
        }
        for r#type in types {
            let TypeBody::Object(composite) = &mut r#type.body else { continue };
            for interface in &composite.interfaces {
                for field in provided.get(&*interface.name).into_iter().flatten() {
                    if composite.fields.iter().any(|known| known.name == field.name) {
                        continue;
                    }
                    let mut copy = field.clone();
                    copy.directives.retain(|directive| !directive.name.starts_with("join__"));
                    copy.directives.insert(0, Written::new("join__field").done());
                    composite.fields.push(copy);
                }
            }
        }
    }

    fn is_of_interface_object(&self, interface: &str, field: &FieldDefinition) -> bool {
        self.find_sources(interface).iter().any(|source| {
            source.element.is_interface_object()
                && source
                    .element
                    .find_field(&field.name)
                    .is_some_and(|own| !own.roles.is_fully_external())
        })
    }

    /// Adds an error for each object without a field of one of its interfaces.
    pub(super) fn check_implementations(&mut self, types: &[TypeDefinition]) {
        let interfaces: FxHashMap<&str, &[FieldDefinition]> = types
            .iter()
            .filter_map(|r#type| match &r#type.body {
                TypeBody::Interface(composite) => Some((&*r#type.name, &*composite.fields)),
                TypeBody::Scalar
                | TypeBody::Object(_)
                | TypeBody::Union(_)
                | TypeBody::Enum(_)
                | TypeBody::InputObject(_) => None,
            })
            .collect();
        for r#type in types {
            let (TypeBody::Object(composite) | TypeBody::Interface(composite)) = &r#type.body
            else {
                continue;
            };
            for interface in &composite.interfaces {
                let fields = interfaces.get(&*interface.name).copied().unwrap_or_default();
                for field in fields {
                    match composite.fields.iter().find(|own| own.name == field.name) {
                        Some(own) => {
                            self.check_field_of(&interface.name, field, (&r#type.name, own))
                        }
                        None => {
                            self.report_missing_field(&r#type.name, (&interface.name, &field.name))
                        }
                    }
                }
            }
        }
    }

    /// Adds an error if the merged field of an implementation does not fit that of the interface,
    /// though each subgraph has a valid schema.
    /// <https://spec.graphql.org/draft/#IsValidImplementation()>
    fn check_field_of(
        &mut self,
        interface: &str,
        field: &FieldDefinition,
        (parent, own): (&str, &FieldDefinition),
    ) {
        let coordinate = [parent, ".", &own.name].concat();
        let of = [interface, ".", &field.name].concat();
        let mut problems = Vec::new();
        if !self.hierarchy.is_sub_type(&own.r#type, &field.r#type) {
            problems.push(format!(
                "`{coordinate}` has the type `{}` in the supergraph, which is no subtype of `{}` of \
                 `{of}`.",
                own.r#type, field.r#type
            ));
        }
        for argument in &field.arguments {
            match own.arguments.iter().find(|own| own.name == argument.name) {
                Some(own) if own.r#type == argument.r#type => {}
                Some(own) => problems.push(format!(
                    "`{coordinate}({}:)` has the type `{}` in the supergraph, but `{of}` has the \
                     argument with the type `{}`.",
                    argument.name, own.r#type, argument.r#type
                )),
                None => problems.push(format!(
                    "`{coordinate}` has no argument `{}` in the supergraph, but `{of}` has it.",
                    argument.name
                )),
            }
        }
        for argument in &own.arguments {
            let is_required = argument.r#type.is_required() && argument.default.is_none();
            if is_required && !field.arguments.iter().any(|of| of.name == argument.name) {
                problems.push(format!(
                    "`{coordinate}` requires the argument `{}` in the supergraph, which `{of}` does \
                     not have.",
                    argument.name
                ));
            }
        }
        for message in problems {
            let sources = self.field_sources(&coordinate);
            let interfaces = self.field_sources(&of);
            let finding = Finding::new(Code::InvalidGraphql, message)
                .on(&*coordinate)
                .on(&*of)
                .remedy("Declare the field alike in the interface and its implementations.");
            let finding = self.located(self.located(finding, &sources), &interfaces);
            self.errors.push(finding);
        }
    }

    fn report_missing_field(&mut self, r#type: &str, (interface, field): (&str, &str)) {
        let with: Vec<_> = self
            .find_sources(interface)
            .iter()
            .filter(|source| source.element.find_field(field).is_some())
            .copied()
            .collect();
        let implementing = self.find_sources(r#type).to_vec();
        let message = format!(
            "The interface field `{interface}.{field}` is in {}, but `{type}`, which implements the \
             interface in {}, has no such field in any subgraph.",
            self.named_subgraphs(with.iter().map(|source| source.graph)),
            self.named_subgraphs(implementing.iter().map(|source| source.graph)),
        );
        let coordinate = [r#type, ".", field].concat();
        let finding = Finding::new(Code::InterfaceFieldNoImplem, message)
            .on(&*coordinate)
            .remedy("Add the field to the type in a subgraph, or remove it from the interface.");
        let finding = self.located(self.located(finding, &with), &implementing);
        self.errors.push(finding);
    }
}
