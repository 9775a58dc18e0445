//! Merge of types.

use std::sync::Arc;

use graphql::definitions::{Composite, Named, TypeBody, TypeDefinition};

use super::{Merger, Source};
use crate::composition::schema::{Kind, Type};
use crate::composition::{Code, Finding};

impl<'s> Merger<'s> {
    /// Merges all types; enums last, because their values depend on the positions in which they are
    /// used.
    pub(super) fn merge_types(&mut self) -> Vec<TypeDefinition> {
        let types = Arc::clone(&self.types);
        let mut merged = Vec::new();
        for is_enum in [false, true] {
            for (name, sources) in &types.all {
                let enums = matches!(sources[0].element.kind, Kind::Enum(_));
                if enums == is_enum && self.check_kinds(name, sources) {
                    self.check_base(name, sources);
                    let body = self.merge_body(name, sources);
                    merged.push(self.merge_type(name, sources, body));
                }
            }
        }
        merged
    }

    /// Adds an error if subgraphs have a type as different kinds. Objects may be interface objects.
    fn check_kinds(&mut self, name: &Arc<str>, sources: &[Source<'s, Type>]) -> bool {
        let is_interface =
            sources.iter().any(|source| matches!(source.element.kind, Kind::Interface(_)));
        let word = |r#type: &Type| match r#type.is_interface_object() {
            true if is_interface => "interface",
            true => "interface object",
            false => r#type.kind.word(),
        };
        let first = word(sources[0].element);
        if sources.iter().all(|source| word(source.element) == first) {
            if first == "interface object" {
                self.report_missing_interface(name, sources);
            }
            return true;
        }
        let kinds = sources.iter().map(|source| {
            let r#type = source.element;
            let word = match r#type.is_interface_object() {
                true => "interface object (`@interfaceObject`)",
                false => r#type.kind.word(),
            };
            (source.graph, word.to_owned())
        });
        let message = format!("`{name}` has different kinds: {}.", self.by_value(kinds));
        let finding = Finding::new(Code::TypeKindMismatch, message)
            .on(&**name)
            .remedy("Declare the type with the same kind in all subgraphs, or rename it.");
        let finding = self.located(finding, sources);
        self.errors.push(finding);
        false
    }

    fn report_missing_interface(&mut self, name: &Arc<str>, sources: &[Source<'s, Type>]) {
        let message = format!(
            "`{name}` is an interface object (`@interfaceObject`) in all subgraphs that have it."
        );
        let finding = Finding::new(Code::InterfaceObjectUsageError, message)
            .on(&**name)
            .remedy("Define the interface in a subgraph, or remove `@interfaceObject`.");
        let finding = self.located(finding, sources);
        self.errors.push(finding);
    }

    /// Adds an error if a type is only extended.
    fn check_base(&mut self, name: &Arc<str>, sources: &[Source<'s, Type>]) {
        let is_root = sources[0].element.is_root();
        if is_root || sources.iter().any(|source| source.element.is_defined) {
            return;
        }
        let graphs = self.named_subgraphs(sources.iter().map(|source| source.graph));
        let message = format!("`{name}` is extended in {graphs}, but no subgraph defines it.");
        let finding = Finding::new(Code::ExtensionWithNoBase, message)
            .on(&**name)
            .remedy("Remove `extend`, or add the definition to a subgraph.");
        let finding = self.located(finding, sources);
        self.errors.push(finding);
    }

    fn merge_body(&mut self, name: &Arc<str>, sources: &[Source<'s, Type>]) -> TypeBody {
        // An interface object is an object in its subgraph, and an interface in the supergraph.
        let is_interface =
            sources.iter().any(|source| matches!(source.element.kind, Kind::Interface(_)));
        match &sources[0].element.kind {
            Kind::Scalar => TypeBody::Scalar,
            Kind::Object(_) | Kind::Interface(_) => {
                if is_interface {
                    self.check_interface(name, sources);
                }
                let interfaces = self.merge_interfaces(sources);
                let fields = self.merge_fields(name, sources);
                let composite = Composite { interfaces, fields };
                match is_interface {
                    true => TypeBody::Interface(composite),
                    false => TypeBody::Object(composite),
                }
            }
            Kind::Union(_) => TypeBody::Union(self.merge_members(name, sources)),
            Kind::Enum(_) => TypeBody::Enum(self.merge_values(name, sources)),
            Kind::Input(_) => TypeBody::InputObject(self.merge_inputs(name, sources)),
        }
    }

    fn merge_type(
        &mut self,
        name: &Arc<str>,
        sources: &[Source<'s, Type>],
        body: TypeBody,
    ) -> TypeDefinition {
        let description = self.merge_description(name, sources);
        let mut directives = self.join_type(sources);
        directives.extend(self.merge_applied(name, sources));
        TypeDefinition {
            name: Arc::clone(name),
            line: 0,
            column: 0,
            is_extension: false,
            description,
            directives,
            body,
        }
    }

    fn merge_interfaces(&self, sources: &[Source<'s, Type>]) -> Vec<Named> {
        let mut interfaces: Vec<Named> = Vec::new();
        for source in sources {
            let Some(composite) = source.element.composite() else { continue };
            for named in &composite.interfaces {
                if !interfaces.iter().any(|known| known.name == named.name) {
                    interfaces.push(Named { name: named.name.clone(), line: 0, column: 0 });
                }
            }
        }
        interfaces
    }

    fn merge_members(&mut self, name: &Arc<str>, sources: &[Source<'s, Type>]) -> Vec<Named> {
        let mut members: Vec<Named> = Vec::new();
        let of = |source: &Source<'s, Type>| match &source.element.kind {
            Kind::Union(members) => members.as_slice(),
            Kind::Scalar
            | Kind::Object(_)
            | Kind::Interface(_)
            | Kind::Enum(_)
            | Kind::Input(_) => &[],
        };
        for named in sources.iter().flat_map(of) {
            if !members.iter().any(|known| known.name == named.name) {
                members.push(Named { name: named.name.clone(), line: 0, column: 0 });
            }
        }
        for member in &members {
            let lacks = |source: &&Source<'s, Type>| {
                !of(source).iter().any(|known| known.name == member.name)
            };
            let lacking: Vec<_> = sources.iter().filter(lacks).copied().collect();
            if !lacking.is_empty() {
                let message = format!(
                    "The union `{name}` has no member `{}` in {}.",
                    member.name,
                    self.named_subgraphs(lacking.iter().map(|source| source.graph))
                );
                let finding = Finding::new(Code::InconsistentUnionMember, message).on(&**name);
                let finding = self.located(finding, &lacking);
                self.hints.push(finding);
            }
        }
        members
    }
}
