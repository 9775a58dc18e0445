//! Numbers of nodes and relationships, for the estimated cost of operations.
//!
//! The server keeps counts of the nodes with a label, of the relationships of a type, and of those
//! that begin or end at a label; it answers these statements without reading the graph. It keeps
//! none of relationships between two labels, so [`pairs`] estimates these from below.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use catalog::{Catalog, End, EntityId, Relationship, RelationshipKind, RowEstimate};
use cypher::{
    Clause, Expression, Labels, Match, Name, NodePattern, Path, Projection, ProjectionItem, Query,
    RelationshipDirection, RelationshipPattern, Step, Variable,
};

use super::IntrospectError;
use super::query::{IntrospectionQuery, rows, send_within};
use super::rows as row;
use crate::flavor::flavor;
use crate::wire::Connection;

/// Number of statements that are sent together.
const TOGETHER: usize = 64;

/// Most statements; further relationships have no statistics.
const MOST_STATEMENTS: usize = 1024;

/// Time for all statements. A user whose privileges hide a part of the graph gets counts of the
/// rest, which the server has to read.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// A number that the server keeps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Counted {
    /// Of nodes with a label.
    Nodes(Box<str>),
    /// Of relationships of a type.
    Relationships(Box<str>),
    /// Of relationships of a type that have a node with a label at an end.
    Ending { r#type: Box<str>, end: End, label: Box<str> },
}

/// The numbers that were read.
#[derive(Debug, Default)]
struct Counts(HashMap<Counted, u64>);

/// Adds the numbers of the relationships of a catalog, and of the nodes at their ends.
pub(crate) async fn add(
    connection: &mut Connection,
    catalog: &mut Catalog,
) -> Result<(), IntrospectError> {
    let (counted, left_out) = wanted(catalog, MOST_STATEMENTS);
    if left_out > 0 {
        tracing::info!(
            relationships = left_out,
            "there are too many relationships for statistics of all of them"
        );
    }
    let flavor = flavor(connection.server_version());
    let mut numbers: Vec<u64> = Vec::new();
    for counted in counted.chunks(TOGETHER) {
        let statements: Vec<_> = counted
            .iter()
            .map(|counted| cypher::print(&query(counted), &flavor))
            .map(|text| IntrospectionQuery { text, parameter: None })
            .collect();
        for records in send_within(connection, &statements, PATIENCE).await? {
            numbers.push(rows(Some(&records), row::count)?.into_iter().sum());
        }
    }
    estimate(catalog, &Counts(counted.into_iter().zip(numbers).collect()));
    Ok(())
}

/// The numbers to read, each once, and the number of relationships for which these are too many.
fn wanted(catalog: &Catalog, most: usize) -> (Vec<Counted>, usize) {
    let mut wanted: Vec<Counted> = Vec::new();
    let mut known: HashSet<Counted> = HashSet::new();
    let mut left_out = 0;
    for relationship in catalog.relationships().filter(|one| is_countable(catalog, one)) {
        let own = counted(catalog, relationship);
        let new: Vec<_> = own.into_iter().filter(|one| !known.contains(one)).collect();
        if wanted.len() + new.len() > most {
            left_out += 1;
            continue;
        }
        for one in new {
            if known.insert(one.clone()) {
                wanted.push(one);
            }
        }
    }
    (wanted, left_out)
}

/// Whether the nodes at the ends of a relationship are the same for all callers.
fn is_countable(catalog: &Catalog, relationship: &Relationship) -> bool {
    let is_same = |entity: EntityId| {
        let entity = &catalog[entity];
        !entity.labels.is_empty() && entity.claimed_labels.is_empty()
    };
    matches!(relationship.kind, RelationshipKind::Graph { .. })
        && is_same(relationship.from)
        && is_same(relationship.to)
}

/// The numbers that the estimates of a relationship need.
fn counted(catalog: &Catalog, relationship: &Relationship) -> Vec<Counted> {
    let mut all = vec![Counted::Relationships(relationship.name.clone())];
    for entity in [relationship.from, relationship.to] {
        all.extend(catalog[entity].labels.iter().cloned().map(Counted::Nodes));
    }
    for (from, to) in directions(relationship) {
        all.extend(ends(catalog, relationship, from, to));
    }
    all
}

/// The entities from which and to which relationships lead.
fn directions(relationship: &Relationship) -> Vec<(EntityId, EntityId)> {
    let Relationship { from, to, .. } = *relationship;
    match relationship.kind {
        RelationshipKind::Graph { undirected: true } => vec![(from, to), (to, from)],
        RelationshipKind::Graph { undirected: false } | RelationshipKind::ForeignKey => {
            vec![(from, to)]
        }
    }
}

fn ends(
    catalog: &Catalog,
    relationship: &Relationship,
    from: EntityId,
    to: EntityId,
) -> Vec<Counted> {
    let of = |end, entity: EntityId| {
        let labels = catalog[entity].labels.iter().cloned();
        let r#type = relationship.name.clone();
        labels.map(move |label| Counted::Ending { r#type: r#type.clone(), end, label })
    };
    of(End::From, from).chain(of(End::To, to)).collect()
}

fn estimate(catalog: &mut Catalog, counts: &Counts) {
    let mut nodes: Vec<(EntityId, u64)> = Vec::new();
    let mut between = Vec::new();
    for relationship in catalog.relationships().filter(|one| is_countable(catalog, one)) {
        let Some(pairs) = pairs(catalog, relationship, counts) else { continue };
        between.push((relationship.id, pairs));
        for entity in [relationship.from, relationship.to] {
            // No more nodes have all labels than have the rarest of them.
            let labels = catalog[entity].labels.iter();
            let with = labels.filter_map(|label| counts.find(&Counted::Nodes(label.clone())));
            nodes.extend(with.min().map(|count| (entity, count)));
        }
    }
    for (entity, count) in nodes {
        catalog.estimate_rows(entity, RowEstimate::About(count));
    }
    for (relationship, pairs) in between {
        catalog.estimate_pairs(relationship, pairs);
    }
}

/// The number of pairs of nodes that a relationship connects: at least as many as there must be by
/// the inclusion-exclusion principle, so that an estimate refuses nothing that is smaller. That is
/// their number where all relationships of the type have the same labels at one end.
fn pairs(catalog: &Catalog, relationship: &Relationship, counts: &Counts) -> Option<u64> {
    let all = counts.find(&Counted::Relationships(relationship.name.clone()))?;
    let mut pairs: u64 = 0;
    for (from, to) in directions(relationship) {
        let mut least = all;
        for with_label in ends(catalog, relationship, from, to) {
            let others = all.saturating_sub(counts.find(&with_label)?);
            least = least.saturating_sub(others);
        }
        pairs = pairs.saturating_add(least);
    }
    Some(pairs)
}

impl Counts {
    fn find(&self, counted: &Counted) -> Option<u64> {
        self.0.get(counted).copied()
    }
}

/// The statement of a number, in a form that the server answers from its counts.
fn query(counted: &Counted) -> Query {
    let path = match counted {
        Counted::Nodes(label) => Path::node(labelled(Some(label))),
        Counted::Relationships(r#type) => along(r#type, None, None),
        Counted::Ending { r#type, end: End::From, label } => along(r#type, Some(label), None),
        Counted::Ending { r#type, end: End::To, label } => along(r#type, None, Some(label)),
    };
    let count = ProjectionItem::named(Expression::CountRows, Variable::Column(0));
    let projection = Projection { items: vec![count], ..Projection::default() };
    Query::of(vec![Match::of(path, None), Clause::Return(projection)])
}

fn along(r#type: &str, from: Option<&str>, to: Option<&str>) -> Path {
    let relationship = RelationshipPattern {
        variable: None,
        r#type: Name(r#type.into()),
        direction: RelationshipDirection::Right,
        properties: Vec::new(),
    };
    Path { start: labelled(from), steps: vec![Step { relationship, node: labelled(to) }] }
}

fn labelled(label: Option<&str>) -> NodePattern {
    let labels = match label {
        Some(label) => Labels::all(vec![Name(label.into())]),
        None => Labels::default(),
    };
    NodePattern { labels, ..NodePattern::default() }
}

#[cfg(test)]
mod tests {
    use catalog::{Builder, Capabilities, EntityKind, RelationshipId};
    use cypher::Flavor;

    use super::*;

    /// A catalog with nodes of these labels, and relationships of the type `R` between them.
    fn catalog(
        nodes: &[&[&str]],
        between: &[(usize, usize, bool)],
    ) -> (Catalog, Vec<RelationshipId>) {
        let mut builder = Builder::new(Capabilities::default());
        let nodes: Vec<_> = nodes
            .iter()
            .map(|labels| {
                let node = builder.entity(None, labels.concat().into(), EntityKind::Node, None);
                builder.label(node, labels.iter().map(|label| (*label).into()).collect());
                node
            })
            .collect();
        let relationships = between.iter().map(|(from, to, undirected)| {
            builder.graph_relationship("R".into(), nodes[*from], nodes[*to], None, *undirected)
        });
        let relationships = relationships.collect();
        (builder.finish(), relationships)
    }

    fn counts(counts: &[(&str, u64)]) -> Counts {
        let counted = counts.iter().map(|(text, _)| match text.split_once('-') {
            Some(("", "")) => Counted::Relationships("R".into()),
            Some((label, "")) => ending(End::From, label),
            Some(("", label)) => ending(End::To, label),
            _ => Counted::Nodes((*text).into()),
        });
        let numbers = counts.iter().map(|(_, number)| *number);
        Counts(counted.zip(numbers).collect())
    }

    fn ending(end: End, label: &str) -> Counted {
        Counted::Ending { r#type: "R".into(), end, label: label.into() }
    }

    #[test]
    fn statements_are_those_that_the_server_answers_from_its_counts() {
        let (catalog, _) = catalog(&[&["A"], &["B`"]], &[(0, 1, false), (1, 0, false)]);
        let (wanted, left_out) = wanted(&catalog, 100);
        let texts: Vec<_> = wanted
            .iter()
            .map(|one| cypher::print(&query(one), &Flavor::of_version(5, 0)))
            .collect();
        assert_eq!(
            (texts.as_slice(), left_out),
            (
                &[
                    "MATCH ()-[:`R`]->() RETURN count(*) AS c0",
                    "MATCH (:`A`) RETURN count(*) AS c0",
                    "MATCH (:`B```) RETURN count(*) AS c0",
                    "MATCH (:`A`)-[:`R`]->() RETURN count(*) AS c0",
                    "MATCH ()-[:`R`]->(:`B```) RETURN count(*) AS c0",
                    "MATCH (:`B```)-[:`R`]->() RETURN count(*) AS c0",
                    "MATCH ()-[:`R`]->(:`A`) RETURN count(*) AS c0",
                ]
                .map(str::to_owned)[..],
                0
            )
        );
    }

    #[test]
    fn relationships_beyond_the_number_of_statements_have_no_statistics() {
        let between = [(0, 1, false), (1, 2, false), (0, 2, false)];
        let (catalog, _) = catalog(&[&["A"], &["B"], &["C"]], &between);
        // Those of the third are there for the others.
        let (wanted, left_out) = wanted(&catalog, 5);
        assert_eq!((wanted.len(), left_out), (5, 2));
        assert_eq!(super::wanted(&catalog, 8).1, 0);
    }

    #[test]
    fn pairs_are_estimated_from_below() {
        let both = |between: &[(usize, usize, bool)], numbers: &[(&str, u64)]| {
            let (catalog, relationships) = catalog(&[&["A"], &["B"], &["B", "C"]], between);
            let counts = counts(numbers);
            let of = |id: &RelationshipId| pairs(&catalog, &catalog[*id], &counts);
            relationships.iter().map(of).collect::<Vec<_>>()
        };
        // All begin at the same label.
        assert_eq!(both(&[(0, 1, false)], &[("-", 9), ("A-", 9), ("-B", 4)]), [Some(4)]);
        // Five do not begin at A, and one does not end at B, so three of nine do both.
        assert_eq!(both(&[(0, 1, false)], &[("-", 9), ("A-", 4), ("-B", 8)]), [Some(3)]);
        assert_eq!(both(&[(0, 1, false)], &[("-", 9), ("A-", 4), ("-B", 5)]), [Some(0)]);
        // Nodes with several labels have each of them.
        let numbers = [("-", 9), ("A-", 9), ("-B", 8), ("-C", 7)];
        assert_eq!(both(&[(0, 2, false)], &numbers), [Some(6)]);
        // Both directions count.
        assert_eq!(both(&[(0, 0, true)], &[("-", 9), ("A-", 9), ("-A", 9)]), [Some(18)]);
        // A number that is not known.
        assert_eq!(both(&[(0, 1, false)], &[("-", 9), ("A-", 9)]), [None]);
    }

    #[test]
    fn nodes_with_several_labels_are_no_more_than_those_with_the_rarest() {
        let (mut catalog, relationships) = catalog(&[&["A"], &["B", "C"]], &[(0, 1, false)]);
        let numbers = [("-", 90), ("A-", 90), ("-B", 90), ("-C", 90), ("A", 9), ("B", 8), ("C", 3)];
        estimate(&mut catalog, &counts(&numbers));
        let related =
            [End::From, End::To].map(|end| catalog.estimated_related(relationships[0], end));
        assert_eq!(related, [Some(10), Some(30)]);
    }
}
