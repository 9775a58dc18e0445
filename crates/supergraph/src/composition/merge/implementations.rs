//! Fields that objects have because of their interfaces.

use std::sync::Arc;

use graphql::definitions::{FieldDefinition, InputDefinition, TypeBody, TypeDefinition};
use rustc_hash::FxHashMap;

use super::{Merger, Source};
use crate::composition::directives::Written;
use crate::composition::{Code, Finding};

impl Merger<'_> {
    /// Adds the fields of interface objects to the implementations of the interface: the subgraphs of
    /// the implementations do not have them.
    pub(super) fn add_fields_of_interface_objects(&mut self, types: &mut [TypeDefinition]) {
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
            let mut added: Vec<(Arc<str>, Arc<str>)> = Vec::new();
            for interface in &composite.interfaces {
                for field in provided.get(&*interface.name).into_iter().flatten() {
                    let first = added.iter().find(|(_, name)| *name == field.name);
                    if let Some((first, name)) = first {
                        let both = [Arc::clone(first), Arc::clone(&interface.name)];
                        self.check_shared_by_interfaces(&r#type.name, name, &both);
                        continue;
                    }
                    if composite.fields.iter().any(|known| known.name == field.name) {
                        continue;
                    }
                    let mut copy = field.clone();
                    copy.directives.retain(|directive| !directive.name.starts_with("join__"));
                    copy.directives.insert(0, Written::new("join__field").done());
                    composite.fields.push(copy);
                    added.push((interface.name.clone(), field.name.clone()));
                }
            }
        }
    }

    /// Adds an error if a field of an object comes from objects for two of its interfaces, and is not
    /// shareable there.
    fn check_shared_by_interfaces(&mut self, object: &str, name: &str, interfaces: &[Arc<str>; 2]) {
        let mut resolving = Vec::new();
        for interface in interfaces {
            for source in self.find_sources(interface) {
                let field = source.element.find_field(name);
                if source.element.is_interface_object()
                    && let Some(field) = field.filter(|field| !field.roles.is_fully_external())
                {
                    resolving.push(Source { graph: source.graph, element: field });
                }
            }
        }
        if resolving.iter().all(|source| source.element.roles.is_shareable) {
            return;
        }
        let message = format!(
            "The field `{object}.{name}` is resolved for both interfaces `{}` and `{}`, but it is not \
             shareable.",
            interfaces[0], interfaces[1]
        );
        let finding = Finding::new(Code::InvalidFieldSharing, message)
            .on([object, ".", name].concat())
            .remedy("Mark the field `@shareable` in all of them, or move it to one of them.");
        let finding = self.located(finding, &resolving);
        self.errors.push(finding);
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
        for (r#type, interface, field, own) in implemented(types) {
            if own.is_none() {
                self.report_missing_field(&r#type.name, (interface, &field.name));
            }
        }
    }

    /// Adds an error for each merged field that does not fit that of an interface, and for each
    /// deprecated input that is required.
    pub(super) fn check_merged_fields(&mut self, types: &[TypeDefinition]) {
        for r#type in types {
            match &r#type.body {
                TypeBody::InputObject(inputs) => {
                    self.check_inputs(inputs, &[&*r#type.name, "."].concat(), "");
                }
                TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                    for field in composite.fields.iter().filter(|it| !it.arguments.is_empty()) {
                        let field_coordinate = [&*r#type.name, ".", &field.name, "("].concat();
                        self.check_inputs(&field.arguments, &field_coordinate, ":)");
                    }
                }
                TypeBody::Scalar | TypeBody::Union(_) | TypeBody::Enum(_) => {}
            }
        }
        for (r#type, interface, field, own) in implemented(types) {
            if let Some(own) = own {
                self.check_field_of(interface, field, (&r#type.name, own));
            }
        }
    }

    /// A subgraph may require an input, and another one deprecate it.
    fn check_inputs(&mut self, inputs: &[InputDefinition], start: &str, end: &str) {
        for input in inputs {
            let is_required = input.r#type.is_required() && input.default.is_none();
            let is_deprecated = input.directives.iter().any(|it| &*it.name == "deprecated");
            if is_required && is_deprecated {
                let coordinate = [start, &input.name, end].concat();
                let message = format!(
                    "`{coordinate}` is required and deprecated in the supergraph: one subgraph \
                     requires it, another one deprecates it."
                );
                let parent = start.split('.').next().unwrap_or_default();
                let sources = self.find_sources(parent).to_vec();
                let finding = Finding::new(Code::InvalidGraphql, message)
                    .on(coordinate)
                    .remedy("Make it nullable in all subgraphs, or remove `@deprecated`.");
                let finding = self.located(finding, &sources);
                self.errors.push(finding);
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

/// A type, an interface of it, a field of the interface, and the type's field.
type Implemented<'t> =
    (&'t TypeDefinition, &'t str, &'t FieldDefinition, Option<&'t FieldDefinition>);

/// Returns the fields of the interfaces of all types.
fn implemented(types: &[TypeDefinition]) -> Vec<Implemented<'_>> {
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
    let mut implemented = Vec::new();
    for r#type in types {
        let (TypeBody::Object(composite) | TypeBody::Interface(composite)) = &r#type.body else {
            continue;
        };
        for interface in &composite.interfaces {
            let fields = interfaces.get(&*interface.name).copied().unwrap_or_default();
            for field in fields {
                let own = composite.fields.iter().find(|own| own.name == field.name);
                implemented.push((r#type, &*interface.name, field, own));
            }
        }
    }
    implemented
}
