//! Hints about shared fields whose objects may have other types in other subgraphs.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Merger;
use super::fields::FieldMerge;
use super::wording::list;
use crate::composition::{Code, Finding};

impl<'s> Merger<'s> {
    /// Adds a hint if a subgraph may return objects that another one does not know. If there is no
    /// common type, the field is unsatisfiable.
    pub(super) fn hint_runtime_types(&mut self, merge: &FieldMerge<'_, 's>) {
        if merge.resolved.len() < 2 {
            return;
        }
        let sets = merge.resolved.iter().filter(|it| !merge.overrides.is_overridden(it.graph));
        let sets = sets.map(|source| {
            let objects = self.subgraph(source.graph).objects_of(source.element.r#type.base());
            (source.graph, objects.into_iter().collect::<BTreeSet<_>>())
        });
        let sets: Vec<(usize, BTreeSet<&'s Arc<str>>)> = sets.collect();
        let Some(((_, first), rest)) = sets.split_first() else { return };
        if rest.iter().all(|(_, set)| set == first) {
            return;
        }
        let common: BTreeSet<_> = rest
            .iter()
            .fold(first.clone(), |common, (_, set)| common.intersection(set).copied().collect());
        if common.is_empty() {
            return;
        }
        let names = |set: &BTreeSet<&Arc<str>>| {
            let names: Vec<_> = set.iter().map(|name| ["`", name, "`"].concat()).collect();
            list(&names)
        };
        let types = self.by_value(sets.iter().map(|(graph, set)| (*graph, names(set))));
        let message = format!(
            "The shared field `{}` may return different types of objects: {types}. All subgraphs must \
             return only {}.",
            merge.coordinate,
            names(&common)
        );
        let hint = Finding::new(Code::InconsistentRuntimeTypesForShareableReturn, message);
        let hint = self.located(hint.on(&*merge.coordinate), merge.sources);
        self.hints.push(hint);
    }
}
