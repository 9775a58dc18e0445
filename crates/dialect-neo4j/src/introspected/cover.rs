//! Which types stand at the ends of relationships.
//!
//! Nodes have several types, and a relationship between them is said once, not once for each pair of
//! these: as few types as have all the nodes, of equals those with the fewest nodes. So
//! `ACTED_IN` leads from `Actor` and not from `Person`, as long as no other person acts.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{End, GraphSummary, Triple};

use super::classes::Classes;

/// Relationships of a type between two classes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tie<'s> {
    pub(super) r#type: &'s str,
    pub(super) from: usize,
    pub(super) to: usize,
    /// Pairs of groups, by their places.
    pub(super) groups: Vec<(usize, usize)>,
}

impl Tie<'_> {
    /// The groups of the nodes at an end, some of them several times.
    pub(super) fn at(&self, end: End) -> impl Iterator<Item = usize> {
        self.groups.iter().map(move |(from, to)| match end {
            End::From => *from,
            End::To => *to,
        })
    }
}

/// The relationships of a graph by the classes of their ends, by type and then in the order of the
/// classes. What has an end without labels is not among them.
pub(super) fn ties<'s>(summary: &'s GraphSummary, classes: &Classes<'_>) -> Vec<Tie<'s>> {
    let places: BTreeMap<&[Box<str>], usize> =
        summary.nodes.iter().enumerate().map(|(place, group)| (&*group.labels, place)).collect();
    let mut types: BTreeMap<&'s str, Vec<(usize, usize)>> = BTreeMap::new();
    for Triple { from, r#type, to } in &summary.triples {
        if let (Some(from), Some(to)) = (places.get(&**from), places.get(&**to)) {
            types.entry(r#type).or_default().push((*from, *to));
        }
    }
    let mut ties = Vec::new();
    for (r#type, pairs) in types {
        let from = cover(summary, classes, pairs.iter().map(|(from, _)| *from).collect());
        let to = cover(summary, classes, pairs.iter().map(|(_, to)| *to).collect());
        let mut found: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for pair in pairs {
            if let (Some(from), Some(to)) = (from.get(&pair.0), to.get(&pair.1)) {
                found.entry((*from, *to)).or_default().push(pair);
            }
        }
        let found = found.into_iter();
        ties.extend(found.map(|((from, to), groups)| Tie { r#type, from, to, groups }));
    }
    ties
}

/// A class for each of the groups.
fn cover(
    summary: &GraphSummary,
    classes: &Classes<'_>,
    mut groups: BTreeSet<usize>,
) -> BTreeMap<usize, usize> {
    let mut chosen = BTreeMap::new();
    loop {
        let mut candidates: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &place in &groups {
            let Some(group) = summary.nodes.get(place) else { continue };
            let (vague, telling): (Vec<_>, Vec<_>) = classes
                .of_group(group)
                .into_iter()
                .partition(|class| classes.is_everything(*class));
            let wanted = if telling.is_empty() { vague } else { telling };
            for class in wanted {
                candidates.entry(class).or_default().push(place);
            }
        }
        let best = candidates.into_iter().min_by_key(|(class, groups)| {
            let count = classes.all.get(*class).map_or(u64::MAX, |class| class.count);
            (usize::MAX - groups.len(), count, *class)
        });
        let Some((class, covered)) = best else { return chosen };
        for place in covered {
            groups.remove(&place);
            chosen.insert(place, class);
        }
    }
}

#[cfg(test)]
mod tests {
    use catalog::NodeGroup;

    use super::*;

    fn labels(text: &str) -> Vec<Box<str>> {
        text.split(':').map(Into::into).collect()
    }

    /// Groups as `Actor:Person 3`, triples as `Actor:Person ACTED_IN Movie`.
    fn check(groups: &[&str], triples: &[&str], expected: &[&str]) {
        let nodes = groups.iter().filter_map(|text| {
            let (names, count) = text.split_once(' ')?;
            let count = count.parse().ok()?;
            Some(NodeGroup { labels: labels(names), count, properties: Vec::new() })
        });
        let found = triples.iter().filter_map(|text| {
            let mut words = text.split(' ');
            let from = labels(words.next()?);
            let r#type = words.next()?.into();
            Some(Triple { from, r#type, to: labels(words.next()?) })
        });
        let summary = GraphSummary {
            nodes: nodes.collect(),
            triples: found.collect(),
            ..GraphSummary::default()
        };
        let classes = Classes::of(&summary);
        let name = |class: usize| classes.all[class].label;
        let found: Vec<String> = ties(&summary, &classes)
            .iter()
            .map(|tie| format!("{} {} {}", name(tie.from), tie.r#type, name(tie.to)))
            .collect();
        assert_eq!(found, expected, "{groups:?} {triples:?}");
    }

    #[test]
    fn the_smallest_type_with_all_ends_is_taken() {
        let groups = ["Person 9", "Actor:Person 4", "Actor:Director:Person 1", "Movie 5"];
        let acted = ["Actor:Person ACTED_IN Movie", "Actor:Director:Person ACTED_IN Movie"];
        check(&groups, &acted, &["Actor ACTED_IN Movie"]);
        check(&groups, &["Actor:Director:Person LED Movie"], &["Director LED Movie"]);
        let seen = ["Person SAW Movie", "Actor:Person SAW Movie"];
        check(&groups, &seen, &["Person SAW Movie"]);
    }

    #[test]
    fn ends_without_a_type_in_common_are_several() {
        let groups = ["Movie 1", "Play:Theater 1", "Actor 1"];
        let triples = ["Actor ACTED_IN Movie", "Actor ACTED_IN Play:Theater"];
        check(&groups, &triples, &["Actor ACTED_IN Movie", "Actor ACTED_IN Play"]);
    }

    #[test]
    fn only_pairs_that_there_are_are_said() {
        let groups = ["A 1", "B 1", "X 1", "Y 1"];
        check(&groups, &["A HAS X", "B HAS Y"], &["A HAS X", "B HAS Y"]);
    }

    #[test]
    fn a_label_of_all_nodes_stands_at_no_end() {
        let groups = ["A:R 1", "B:R 1", "X:R 1", "Y:R 1"];
        check(&groups, &["A:R HAS X:R", "B:R HAS Y:R"], &["A HAS X", "B HAS Y"]);
        // Unless nothing else can.
        let groups = ["A:R 1", "R 1"];
        check(&groups, &["A:R HAS R"], &["A HAS R"]);
    }

    #[test]
    fn ends_without_labels_are_left_out() {
        let summary = GraphSummary {
            nodes: vec![NodeGroup::default()],
            triples: vec![Triple { r#type: "T".into(), ..Triple::default() }],
            ..GraphSummary::default()
        };
        assert!(ties(&summary, &Classes::of(&summary)).is_empty());
    }
}
