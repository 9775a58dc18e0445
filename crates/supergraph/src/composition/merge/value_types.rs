//! Hints about types that differ between subgraphs.

use std::sync::Arc;

use super::members::Member;
use super::{Merger, Source};
use crate::composition::schema::{Field, Kind, Type, has};
use crate::composition::specifications::Meaning;
use crate::composition::{Code, Finding};

impl<'s> Merger<'s> {
    /// Adds hints for fields that only some subgraphs with a type have, unless it is an entity, and
    /// for subgraphs in which an entity has no key.
    pub(super) fn hint_fields(
        &mut self,
        parent: &Arc<str>,
        parents: &[Source<'s, Type>],
        fields: &[Member<'s, Type, Field>],
    ) {
        let is_interface = matches!(parents[0].element.kind, Kind::Interface(_));
        let keyless: Vec<_> = parents
            .iter()
            .filter(|source| !has(&source.element.applied, Meaning::Key))
            .copied()
            .collect();
        if parents[0].element.is_root() || parents.len() < 2 {
            return;
        }
        if keyless.len() < parents.len() {
            if !keyless.is_empty() && !is_interface {
                let message = format!(
                    "The entity `{parent}` has no key in {}.",
                    self.named_subgraphs(keyless.iter().map(|source| source.graph))
                );
                let finding = Finding::new(Code::InconsistentEntity, message).on(&**parent);
                let finding = self.located(finding, &keyless);
                self.hints.push(finding);
            }
            return;
        }
        let code = match is_interface {
            true => Code::InconsistentInterfaceValueTypeField,
            false => Code::InconsistentObjectValueTypeField,
        };
        let resolves = |source: &&Source<'s, Type>| {
            source.element.fields().iter().any(|field| !field.roles.is_external)
        };
        for Member { name, lacking, .. } in fields {
            let lacking: Vec<_> = lacking.iter().filter(resolves).copied().collect();
            if lacking.is_empty() {
                continue;
            }
            let coordinate = [&**parent, ".", name].concat();
            let message = format!(
                "The field `{coordinate}` of a type without keys is missing in {}.",
                self.named_subgraphs(lacking.iter().map(|source| source.graph))
            );
            let finding = self.located(Finding::new(code, message).on(coordinate), &lacking);
            self.hints.push(finding);
        }
    }
}
