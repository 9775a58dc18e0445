//! Interfaces with keys, and interface objects: which implementations their subgraphs must have.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/entities/interfaces>

use std::sync::Arc;

use graphql::definitions::Literal;

use super::wording::list;
use super::{Merger, Source};
use crate::composition::field_sets;
use crate::composition::schema::{Applied, Kind, Type, all};
use crate::composition::specifications::Meaning;
use crate::composition::{Code, Finding};

impl<'s> Merger<'s> {
    /// Checks an interface: a subgraph with a key for it has all implementations, and a subgraph
    /// with an interface object has none.
    pub(super) fn check_interface(&mut self, name: &Arc<str>, sources: &[Source<'s, Type>]) {
        let implementations = self.hierarchy.objects(name).to_vec();
        for source in sources {
            match &source.element.kind {
                Kind::Interface(_) => self.check_interface_key(source, &implementations),
                _ => self.check_interface_object(source, &implementations),
            }
        }
    }

    fn check_interface_key(&mut self, source: &Source<'s, Type>, objects: &[&'s Arc<str>]) {
        let mut keys = all(&source.element.applied, Meaning::Key);
        let is_resolvable =
            |key: &&Applied| key.argument("resolvable") != Some(&Literal::Boolean(false));
        let Some(key) = keys.find(is_resolvable) else { return };
        let subgraph = self.subgraph(source.graph);
        let name = &source.element.name;
        let missing: Vec<_> = objects
            .iter()
            .filter(|object| {
                let own = subgraph.find_type(object);
                let interfaces = own.and_then(Type::composite).map(|it| &it.interfaces);
                !interfaces.into_iter().flatten().any(|own| own.name == *name)
            })
            .map(|object| ["`", object, "`"].concat())
            .collect();
        if missing.is_empty() {
            return;
        }
        let message = format!(
            "The subgraph \"{}\" resolves the interface `{name}` by the key \"{}\", but does not \
             have its implementations {}.",
            subgraph.name,
            field_sets::text(key).unwrap_or_default(),
            list(&missing)
        );
        let finding = Finding::new(Code::InterfaceKeyMissingImplementationType, message)
            .on(&**name)
            .at(subgraph.location(key.at()))
            .remedy("Add the types with the interface and its key to the subgraph.");
        self.errors.push(finding);
    }

    fn check_interface_object(&mut self, source: &Source<'s, Type>, objects: &[&'s Arc<str>]) {
        let subgraph = self.subgraph(source.graph);
        let name = &source.element.name;
        for object in objects {
            let Some(r#type) = subgraph.find_type(object) else { continue };
            let message = format!(
                "`{name}` is an interface object in the subgraph \"{}\", which has its \
                 implementation `{object}` too.",
                subgraph.name
            );
            let finding = Finding::new(Code::InterfaceObjectUsageError, message)
                .on(&**name)
                .on(&***object)
                .at(subgraph.location(source.element.at))
                .at(subgraph.location(r#type.at))
                .remedy("Remove the implementation, or define the interface instead.");
            self.errors.push(finding);
        }
    }
}
