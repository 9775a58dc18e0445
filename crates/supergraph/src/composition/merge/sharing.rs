//! Fields that several subgraphs resolve must be shareable in all of them.

use std::sync::Arc;

use super::fields::FieldMerge;
use super::{Merger, Source, is_object};
use crate::composition::schema::{Field, Type};
use crate::composition::{Code, Finding};

impl<'s> Merger<'s> {
    pub(super) fn check_sharing(&mut self, merge: &FieldMerge<'_, 's>) {
        let mut resolving: Vec<Source<'s, Field>> = Vec::new();
        for source in merge.sources {
            let is_left = merge.overrides.is_overridden(source.graph);
            // Fields of interfaces are resolved by the objects that implement them.
            let is_resolved = merge
                .parents
                .iter()
                .any(|parent| parent.graph == source.graph && is_object(parent.element));
            if is_resolved && !source.element.roles.is_fully_external() && !is_left {
                resolving.push(*source);
            }
        }
        let is_marked = |source: &&Source<'s, Field>| source.element.roles.is_shareable;
        let is_subscription = merge.coordinate.starts_with("Subscription.");
        if is_subscription && let Some(marked) = resolving.iter().find(is_marked) {
            let message = format!(
                "The field `{}` is shareable, but fields of subscriptions cannot be shared.",
                merge.coordinate
            );
            let finding = Finding::new(Code::InvalidFieldSharing, message)
                .on(&*merge.coordinate)
                .remedy("Remove `@shareable`.");
            let finding = self.located(finding, &[*marked]);
            self.errors.push(finding);
            return;
        }
        resolving.extend(self.fields_of_interface_objects(merge));
        if resolving.len() < 2 {
            return;
        }
        if is_subscription {
            let message = format!(
                "Several subgraphs resolve the field `{}` ({}), but fields of subscriptions cannot be \
                 shared.",
                merge.coordinate,
                self.named_subgraphs(resolving.iter().map(|source| source.graph)),
            );
            let finding = Finding::new(Code::InvalidFieldSharing, message)
                .on(&*merge.coordinate)
                .remedy("Keep the field in one subgraph.");
            let finding = self.located(finding, &resolving);
            self.errors.push(finding);
            return;
        }
        let unshared: Vec<_> =
            resolving.iter().filter(|it| !it.element.roles.is_shareable).copied().collect();
        if unshared.is_empty() {
            return;
        }
        let message = format!(
            "Several subgraphs resolve the field `{}` ({}), but it is not shareable in {}.",
            merge.coordinate,
            self.named_subgraphs(resolving.iter().map(|source| source.graph)),
            self.named_subgraphs(unshared.iter().map(|source| source.graph)),
        );
        let finding =
            Finding::new(Code::InvalidFieldSharing, message).on(&*merge.coordinate).remedy(
                "Mark the field `@shareable` in all of them, or move it to one of them with \
                 `@override`.",
            );
        let finding = self.located(finding, &resolving);
        self.errors.push(finding);
    }

    /// Returns the fields that subgraphs without the object type resolve for an interface of it.
    pub(super) fn fields_of_interface_objects(
        &self,
        merge: &FieldMerge<'_, 's>,
    ) -> Vec<Source<'s, Field>> {
        let mut found = Vec::new();
        if self.types.interface_objects.is_empty() {
            return found;
        }
        for interface in interfaces_of(merge.parents) {
            let objects = self.types.interface_objects.get(&**interface);
            for source in objects.into_iter().flatten() {
                if merge.parents.iter().any(|parent| parent.graph == source.graph) {
                    continue;
                }
                let r#type: &'s Type = source.element;
                if let Some(field) = r#type.find_field(merge.name)
                    && !field.roles.is_fully_external()
                {
                    found.push(Source { graph: source.graph, element: field });
                }
            }
        }
        found
    }
}

/// Returns the interfaces of an object type in all subgraphs.
fn interfaces_of<'s>(parents: &[Source<'s, Type>]) -> Vec<&'s Arc<str>> {
    let mut interfaces: Vec<&Arc<str>> = Vec::new();
    for parent in parents.iter().filter(|parent| is_object(parent.element)) {
        let Some(composite) = parent.element.composite() else { continue };
        for interface in &composite.interfaces {
            if !interfaces.contains(&&interface.name) {
                interfaces.push(&interface.name);
            }
        }
    }
    interfaces
}
