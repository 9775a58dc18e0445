//! Merge of descriptions.

use std::sync::Arc;

use super::{Element, Merger, Source};
use crate::composition::{Code, Finding};

impl Merger<'_> {
    /// Returns the description that most subgraphs have; of several, the first.
    pub(super) fn merge_description<T: Element>(
        &mut self,
        coordinate: &str,
        sources: &[Source<'_, T>],
    ) -> Option<Arc<str>> {
        let mut counts: Vec<(&Arc<str>, usize)> = Vec::new();
        for source in sources {
            let Some(description) = source.element.description().filter(|text| !text.is_empty())
            else {
                continue;
            };
            match counts.iter_mut().find(|(known, _)| *known == description) {
                Some((_, count)) => *count += 1,
                None => counts.push((description, 1)),
            }
        }
        let most = counts.iter().map(|(_, count)| *count).max()?;
        let (chosen, _) = counts.iter().find(|(_, count)| *count == most)?;
        let chosen = Arc::clone(chosen);
        if counts.len() > 1 {
            let message = format!(
                "`{coordinate}` has {} descriptions; the supergraph has the most frequent one.",
                counts.len()
            );
            let finding = Finding::new(Code::InconsistentDescription, message).on(coordinate);
            let described: Vec<_> = sources
                .iter()
                .filter(|source| source.element.description().is_some())
                .copied()
                .collect();
            let finding = self.located(finding, &described);
            self.hints.push(finding);
        }
        Some(chosen)
    }
}
