//! Names of subgraphs in the enum `join__Graph`.
//! <https://specs.apollo.dev/join/v0.3/#join__Graph>

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::composition::schema::Subgraph;

/// Returns a distinct name in upper case for each subgraph: names that differ only in characters
/// that no enum value has are numbered.
pub(super) fn names(subgraphs: &[&Subgraph]) -> Vec<Arc<str>> {
    let names: Vec<_> = subgraphs.iter().map(|subgraph| enum_value(&subgraph.name)).collect();
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for name in &names {
        *counts.entry(name).or_default() += 1;
    }
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let distinct = names.iter().map(|name| {
        if counts.get(name.as_str()) == Some(&1) {
            return name.as_str().into();
        }
        let number = numbers.entry(name).or_default();
        *number += 1;
        [name.as_str(), "_", &number.to_string()].concat().into()
    });
    distinct.collect()
}

fn enum_value(name: &str) -> String {
    let mut value: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    if value.starts_with(|c: char| c.is_ascii_digit()) {
        value.insert(0, '_');
    }
    // Numbers are appended only to names that occur several times.
    if value
        .rsplit_once('_')
        .is_some_and(|(_, end)| !end.is_empty() && end.chars().all(|c| c.is_ascii_digit()))
    {
        value.push('_');
    }
    value
}
