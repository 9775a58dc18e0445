//! Cycles of a directed graph: strongly connected components, and the shortest loop of each.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Successors of each node.
#[derive(Debug, Default)]
pub(super) struct Graph<'n> {
    edges: BTreeMap<&'n str, BTreeSet<&'n str>>,
}

impl<'n> Graph<'n> {
    /// Adds an edge.
    pub(super) fn add(&mut self, from: &'n str, to: &'n str) {
        self.edges.entry(from).or_default().insert(to);
    }

    /// Returns the strongly connected components of several nodes, in the order of their first nodes.
    pub(super) fn components(&self) -> Vec<BTreeSet<&'n str>> {
        // The graphs are small: two nodes are in one component if each reaches the other.
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            self.edges.keys().map(|node| (*node, self.reachable(node))).collect();
        let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|all| all.contains(to));
        let mut components: Vec<BTreeSet<&str>> = Vec::new();
        for node in self.edges.keys() {
            if components.iter().any(|component| component.contains(node)) {
                continue;
            }
            let nodes = self.edges.keys().copied();
            let component: BTreeSet<&str> = nodes
                .filter(|other| other == node || (reaches(node, other) && reaches(other, node)))
                .collect();
            if component.len() > 1 {
                components.push(component);
            }
        }
        components
    }

    /// Counts the edges between nodes of a component.
    pub(super) fn count_edges(&self, component: &BTreeSet<&str>) -> usize {
        component
            .iter()
            .map(|node| self.successors(node).filter(|to| component.contains(to)).count())
            .sum()
    }

    /// Returns the nodes of the shortest loop within a component; the first node is not repeated.
    pub(super) fn shortest_loop(&self, component: &BTreeSet<&'n str>) -> Vec<&'n str> {
        let loops = component.iter().filter_map(|node| self.loop_through(node));
        loops.min_by_key(Vec::len).unwrap_or_default()
    }

    fn successors(&self, node: &str) -> impl Iterator<Item = &'n str> {
        self.edges.get(node).into_iter().flatten().copied()
    }

    fn reachable(&self, node: &str) -> BTreeSet<&'n str> {
        let mut found: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = self.successors(node).collect();
        while let Some(node) = open.pop() {
            if found.insert(node) {
                open.extend(self.successors(node));
            }
        }
        found
    }

    /// A breadth-first search from a node back to it.
    fn loop_through(&self, start: &'n str) -> Option<Vec<&'n str>> {
        let mut previous: BTreeMap<&str, &str> = BTreeMap::new();
        let mut open = VecDeque::from([start]);
        while let Some(node) = open.pop_front() {
            for to in self.successors(node) {
                if to == start {
                    let before = |node: &&'n str| previous.get(node).copied();
                    let mut nodes: Vec<_> = std::iter::successors(Some(node), before).collect();
                    nodes.reverse();
                    return Some(nodes);
                }
                if !previous.contains_key(to) {
                    previous.insert(to, node);
                    open.push_back(to);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(edges: &[(&str, &str)], expected: &[(&[&str], usize, &[&str])]) {
        let mut graph = Graph::default();
        for (from, to) in edges {
            graph.add(from, to);
        }
        let components = graph.components();
        let found: Vec<_> = components
            .iter()
            .map(|component| {
                let nodes: Vec<_> = component.iter().copied().collect();
                (nodes, graph.count_edges(component), graph.shortest_loop(component))
            })
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(nodes, edges, shortest)| (nodes.to_vec(), *edges, shortest.to_vec()))
            .collect();
        assert_eq!(found, expected, "{edges:?}");
    }

    #[test]
    fn a_graph_without_cycles_has_no_components() {
        check(&[], &[]);
        check(&[("a", "b"), ("b", "c"), ("a", "c")], &[]);
    }

    #[test]
    fn each_component_has_its_shortest_loop() {
        check(
            &[("a", "b"), ("b", "c"), ("c", "a"), ("c", "b"), ("c", "d"), ("d", "e"), ("e", "d")],
            &[(&["a", "b", "c"], 4, &["b", "c"]), (&["d", "e"], 2, &["d", "e"])],
        );
    }

    #[test]
    fn a_longer_loop_is_in_the_order_of_its_edges() {
        check(&[("a", "c"), ("c", "b"), ("b", "a")], &[(&["a", "b", "c"], 3, &["a", "c", "b"])]);
    }
}
