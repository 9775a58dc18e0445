//! Keys of interfaces and interface objects, across subgraphs.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/entities/interfaces>

use std::sync::Arc;

use graphql::definitions::{Literal, TypeBody, TypeDefinition};

use super::Merger;
use super::wording::list;
use crate::composition::schema::{Applied, Kind, all};
use crate::composition::specifications::Meaning;
use crate::composition::{Code, Finding};

impl Merger<'_> {
    /// A subgraph with a key of an interface resolves it for every implementation, and a subgraph with
    /// an interface object has none.
    pub(super) fn check_interface_keys(&mut self, types: &[TypeDefinition]) {
        for interface in types {
            if let TypeBody::Interface(_) = interface.body {
                let objects: Vec<_> = objects_of(types, &interface.name).collect();
                self.check_implementations_of(&interface.name, &objects);
            }
        }
    }

    fn check_implementations_of(&mut self, interface: &Arc<str>, objects: &[&Arc<str>]) {
        for source in self.find_sources(interface).to_vec() {
            let subgraph = self.subgraph(source.graph);
            let is_object = source.element.is_interface_object();
            if is_object {
                let known = objects.iter().filter(|object| subgraph.find_type(object).is_some());
                let known: Vec<_> = known.map(|object| ["`", object, "`"].concat()).collect();
                if !known.is_empty() {
                    let message = format!(
                        "The subgraph \"{}\" has `{interface}` as an interface object, and its \
                         implementations {}.",
                        subgraph.name,
                        list(&known)
                    );
                    let finding = Finding::new(Code::InterfaceObjectUsageError, message)
                        .on(&**interface)
                        .remedy("Remove the implementations from the subgraph, or define the interface.");
                    let finding = self.located(finding, &[source]);
                    self.errors.push(finding);
                }
                continue;
            }
            let Kind::Interface(_) = source.element.kind else { continue };
            let mut keys = all(&source.element.applied, Meaning::Key);
            let Some(key) = keys.find(|key| is_resolvable(key)) else { continue };
            let own = subgraph.objects_of(interface);
            let missing = objects.iter().filter(|object| !own.contains(*object));
            let missing: Vec<_> = missing.map(|object| ["`", object, "`"].concat()).collect();
            if missing.is_empty() {
                continue;
            }
            let message = format!(
                "The subgraph \"{}\" resolves a key of the interface `{interface}`, but lacks its \
                 implementations {}.",
                subgraph.name,
                list(&missing)
            );
            let place = subgraph.place(key.at());
            let finding = Finding::new(Code::InterfaceKeyMissingImplementationType, message)
                .on(&**interface)
                .at(place)
                .remedy("Add the implementations with the key, or `resolvable: false` to the key.");
            self.errors.push(finding);
        }
    }
}

fn is_resolvable(key: &Applied) -> bool {
    key.argument("resolvable") != Some(&Literal::Boolean(false))
}

/// Returns the objects that implement an interface in some subgraph.
pub(super) fn objects_of<'t>(
    types: &'t [TypeDefinition],
    interface: &'t str,
) -> impl Iterator<Item = &'t Arc<str>> {
    let objects = types.iter().filter(move |r#type| match &r#type.body {
        TypeBody::Object(composite) => {
            composite.interfaces.iter().any(|named| *named.name == *interface)
        }
        _ => false,
    });
    objects.map(|r#type| &r#type.name)
}
