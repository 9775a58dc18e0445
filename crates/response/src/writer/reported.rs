//! Deduplication of errors: nodes that were already reported as not read.

use crate::shape::NodeId;

/// Nodes per word of the set.
const WORD: usize = u64::BITS as usize;

/// Reported nodes in their order. Each row of a response looks up each of its nodes, and there may
/// be thousands of both: so a bit set beside the order makes the look-up fast.
#[derive(Debug, Default)]
pub(super) struct ReportedNodes {
    nodes: Vec<NodeId>,
    /// A bit for each node, as long as the largest member needs.
    set: Vec<u64>,
}

impl ReportedNodes {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node; `false` if it is a member already.
    pub(super) fn insert(&mut self, node: NodeId) -> bool {
        let (word, bit) = place(node);
        if self.set.len() <= word {
            self.set.resize(word + 1, 0);
        }
        let Some(word) = self.set.get_mut(word) else { return true };
        if *word & bit != 0 {
            return false;
        }
        *word |= bit;
        self.nodes.push(node);
        true
    }

    /// Drops all but the first so many.
    pub(super) fn truncate(&mut self, length: usize) {
        for node in self.nodes.drain(length.min(self.nodes.len())..) {
            let (word, bit) = place(node);
            if let Some(word) = self.set.get_mut(word) {
                *word &= !bit;
            }
        }
    }
}

/// The index of a node's word in the set, and its bit there.
fn place(node: NodeId) -> (usize, u64) {
    let node = node.0 as usize;
    (node / WORD, 1 << (node % WORD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_is_told_once_and_again_when_it_was_forgotten() {
        let mut reported = ReportedNodes::default();
        let nodes = [NodeId(63), NodeId(64), NodeId(0), NodeId(1000), NodeId(65)];
        for node in nodes {
            assert!(reported.insert(node), "{node:?}");
        }
        for node in nodes {
            assert!(!reported.insert(node), "{node:?}");
        }
        assert_eq!(reported.len(), nodes.len());
        reported.truncate(2);
        assert_eq!(reported.len(), 2);
        assert_eq!(nodes.map(|node| reported.insert(node)), [false, false, true, true, true]);
        reported.truncate(9);
        assert_eq!(reported.len(), nodes.len());
    }

    #[test]
    fn what_is_known_of_a_node_does_not_depend_on_how_many_were_told() {
        const NODES: u32 = 50_000;
        let mut reported = ReportedNodes::default();
        assert!((0..NODES).all(|node| reported.insert(NodeId(node))));
        // A linear search would make 2,500,000,000 comparisons.
        assert!((0..NODES).all(|node| !reported.insert(NodeId(node))));
        assert_eq!(reported.set.len(), (NODES as usize).div_ceil(WORD));
    }
}
