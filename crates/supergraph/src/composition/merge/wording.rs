//! Parts of messages: lists of subgraphs and of what they have.

use super::Merger;

impl Merger<'_> {
    /// Lists subgraphs: `subgraph "a"`, `subgraphs "a" and "b"`.
    pub(super) fn named_subgraphs(&self, graphs: impl IntoIterator<Item = usize>) -> String {
        let names: Vec<_> = graphs
            .into_iter()
            .map(|graph| ["\"", &*self.subgraph(graph).name, "\""].concat())
            .collect();
        let word = if names.len() == 1 { "subgraph " } else { "subgraphs " };
        [word, &list(&names)].concat()
    }

    /// Lists values with the subgraphs that have them: `"Int" in subgraph "a" and "ID" in subgraphs
    /// "b" and "c"`.
    pub(super) fn by_value(&self, values: impl IntoIterator<Item = (usize, String)>) -> String {
        let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
        for (graph, value) in values {
            match groups.iter_mut().find(|(known, _)| *known == value) {
                Some((_, graphs)) => graphs.push(graph),
                None => groups.push((value, vec![graph])),
            }
        }
        let parts: Vec<_> = groups
            .into_iter()
            .map(|(value, graphs)| format!("{value} in {}", self.named_subgraphs(graphs)))
            .collect();
        list(&parts)
    }
}

/// Joins words with commas and a last `and`.
pub(super) fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => [&first.join(", "), " and ", last].concat(),
    }
}
