//! Which types the nodes of a graph have, by their labels.
//!
//! A type stands for the nodes with a label, whatever other labels they have: that is what a type
//! with this label finds. One for each set of labels would be many more, of which each finds the
//! nodes of others too. Labels that all have the same nodes are one type. A label whose nodes all
//! have another one besides, as every `Actor` is a `Person`, says that one too: new nodes of the
//! type get both.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{GraphSummary, NodeGroup};

use super::names;

/// The nodes with a label.
#[derive(Debug)]
pub(super) struct Class<'s> {
    /// The label that it is named by.
    pub(super) label: &'s str,
    /// The labels that have the same nodes, that one among them.
    alike: Vec<&'s str>,
    /// All labels that each of its nodes has: the one above, those that have the same nodes, those
    /// that have more.
    pub(super) labels: Vec<&'s str>,
    /// The places of the groups of its nodes.
    pub(super) groups: Vec<usize>,
    /// How many nodes it has.
    pub(super) count: u64,
}

/// All classes of a graph, in the order of their labels.
#[derive(Debug)]
pub(super) struct Classes<'s> {
    pub(super) all: Vec<Class<'s>>,
    /// By each of the labels that have just their nodes.
    places: BTreeMap<&'s str, usize>,
    /// How many groups have a label at all.
    labelled: usize,
}

impl<'s> Classes<'s> {
    pub(super) fn of(summary: &'s GraphSummary) -> Self {
        let common = common_labels(&summary.nodes);
        // Labels with the same nodes have the same labels in common.
        let mut alike: BTreeMap<&BTreeSet<&str>, Vec<&'s str>> = BTreeMap::new();
        for (label, labels) in &common {
            alike.entry(labels).or_default().push(*label);
        }
        let mut all: Vec<Class<'s>> =
            alike.into_iter().map(|(labels, alike)| Class::of(summary, labels, alike)).collect();
        all.sort_unstable_by_key(|class| class.label);
        let mut places = BTreeMap::new();
        for (place, class) in all.iter().enumerate() {
            places.extend(class.alike.iter().map(|label| (*label, place)));
        }
        let labelled = summary.nodes.iter().filter(|group| !group.labels.is_empty()).count();
        Self { all, places, labelled }
    }

    /// The classes that the nodes of a group belong to.
    pub(super) fn of_group(&self, group: &NodeGroup) -> BTreeSet<usize> {
        group.labels.iter().filter_map(|label| self.find(label)).collect()
    }

    /// The class of the nodes with a label, if there are any.
    pub(super) fn find(&self, label: &str) -> Option<usize> {
        self.places.get(label).copied()
    }

    /// Whether all nodes of a class belong to another.
    pub(super) fn is_below(&self, class: usize, above: usize) -> bool {
        match (self.all.get(class), self.all.get(above)) {
            (Some(class), Some(above)) => class.labels.contains(&above.label),
            _ => false,
        }
    }

    /// Whether a class has all nodes of the graph that have a label, and others have some of them.
    /// Such a label says nothing about its nodes.
    pub(super) fn is_everything(&self, class: usize) -> bool {
        let groups = self.all.get(class).map_or(0, |class| class.groups.len());
        self.all.len() > 1 && groups == self.labelled
    }
}

impl<'s> Class<'s> {
    fn of(summary: &'s GraphSummary, labels: &BTreeSet<&'s str>, mut alike: Vec<&'s str>) -> Self {
        // The best name is one that may stay as it is.
        alike.sort_unstable_by_key(|label| (!names::is_type_name(label), *label));
        let label = alike.first().copied().unwrap_or_default();
        let others = labels.iter().filter(|other| !alike.contains(other)).copied();
        let labels = alike.iter().copied().chain(others).collect();
        let with = |group: &NodeGroup| group.labels.iter().any(|other| **other == *label);
        let nodes = summary.nodes.iter().enumerate();
        let groups: Vec<usize> =
            nodes.filter(|(_, group)| with(group)).map(|(place, _)| place).collect();
        let counts = groups.iter().filter_map(|group| summary.nodes.get(*group));
        let count = counts.fold(0, |sum: u64, group| sum.saturating_add(group.count));
        Self { label, alike, labels, groups, count }
    }
}

/// For each label those that all its nodes have, itself among them.
fn common_labels(nodes: &[NodeGroup]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut common: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for group in nodes {
        let labels: BTreeSet<&str> = group.labels.iter().map(|label| &**label).collect();
        for label in &labels {
            common
                .entry(*label)
                .and_modify(|common| common.retain(|other| labels.contains(other)))
                .or_insert_with(|| labels.clone());
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(groups: &[&[&str]]) -> Vec<String> {
        let nodes = groups.iter().map(|labels| NodeGroup {
            labels: labels.iter().map(|&label| label.into()).collect(),
            count: 1,
            properties: Vec::new(),
        });
        let summary = GraphSummary { nodes: nodes.collect(), ..GraphSummary::default() };
        let classes = Classes::of(&summary);
        classes
            .all
            .iter()
            .map(|class| format!("{} {} {:?}", class.labels.join(":"), class.count, class.groups))
            .collect()
    }

    #[test]
    fn labels_that_are_always_together_are_one_class() {
        assert_eq!(
            classes(&[&["Play", "Theater"], &["Movie"]]),
            ["Movie 1 [1]", "Play:Theater 1 [0]"]
        );
        // The one that is a name already is the better one.
        assert_eq!(classes(&[&["Movie", "__Entity__"]]), ["Movie:__Entity__ 1 [0]"]);
    }

    #[test]
    fn a_label_within_another_says_both() {
        let groups: [&[&str]; 4] = [
            &["Person"],
            &["Actor", "Person"],
            &["Director", "Person"],
            &["Actor", "Director", "Person"],
        ];
        assert_eq!(
            classes(&groups),
            ["Actor:Person 2 [1, 3]", "Director:Person 2 [2, 3]", "Person 4 [0, 1, 2, 3]"]
        );
    }

    #[test]
    fn a_label_of_all_nodes_says_nothing() {
        let labels: [&[&str]; 2] = [&["Book", "Resource"], &["Author", "Resource"]];
        let nodes = labels.iter().map(|labels| NodeGroup {
            labels: labels.iter().map(|&label| label.into()).collect(),
            ..NodeGroup::default()
        });
        let summary = GraphSummary { nodes: nodes.collect(), ..GraphSummary::default() };
        let classes = Classes::of(&summary);
        let everything: Vec<_> =
            (0..classes.all.len()).map(|class| classes.is_everything(class)).collect();
        assert_eq!(everything, [false, false, true]);
        assert!(classes.is_below(0, 2));
        assert!(!classes.is_below(2, 0));
    }
}
