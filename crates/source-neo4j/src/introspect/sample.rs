//! Sampling: reads some nodes of each label and some relationships of each type.
//!
//! The server keeps which labels the ends of each type have. Where the first relationships of a
//! type do not show one of these, some are read that do.

use std::collections::BTreeSet;

use catalog::GraphSummary;
use cypher::{
    Clause, Expression, Function, Labels, Match, Name, NodePattern, Path, Projection,
    ProjectionItem, Query, RelationshipDirection, RelationshipPattern, Step, Variable,
};

use super::IntrospectError;
use super::query::{IntrospectionQuery, Parameter, rows, send};
use super::rows as row;
use super::sampled::{self, Candidates, Sampled};
use crate::flavor::flavor;
use crate::wire::Connection;

/// Number of statements that are sent together.
const TOGETHER: usize = 64;

/// Number of relationships that are read between labels that were not seen at the ends of a type.
const FEW: u32 = 25;

pub(super) async fn read(
    connection: &mut Connection,
    most: u32,
) -> Result<GraphSummary, IntrospectError> {
    let statement = [IntrospectionQuery::plain(include_str!("candidates.cypher"), connection)];
    let answered = send(connection, &statement).await?;
    let Candidates { labels, triples } =
        rows(answered.first(), sampled::candidates)?.into_iter().next().unwrap_or_default();
    let types: BTreeSet<&str> = triples.iter().map(|(_, r#type, _)| &**r#type).collect();

    let mut sampled = Sampled::default();
    let nodes: Vec<Query> = labels.iter().map(|label| nodes_with(label)).collect();
    for ids in ids(connection, &nodes, most).await? {
        sample_nodes(connection, &ids, &mut sampled).await?;
    }
    let relationships: Vec<Query> =
        types.iter().map(|r#type| relationships_between(None, r#type, None)).collect();
    for ids in ids(connection, &relationships, most).await? {
        sample_relationships(connection, &ids, &mut sampled).await?;
    }
    let mut missed: BTreeSet<(Option<&str>, &str, Option<&str>)> = BTreeSet::new();
    for (start, r#type, end) in &triples {
        if !sampled.knows_start(start, r#type) {
            missed.insert((Some(start), r#type, None));
        }
        if !sampled.knows_end(r#type, end) {
            missed.insert((None, r#type, Some(end)));
        }
    }
    let missed: Vec<Query> = missed
        .into_iter()
        .map(|(start, r#type, end)| relationships_between(start, r#type, end))
        .collect();
    for ids in ids(connection, &missed, FEW).await? {
        sample_relationships(connection, &ids, &mut sampled).await?;
    }
    Ok(sampled.summary())
}

/// The ids that statements answer, for as many statements as are sent together; each id once.
async fn ids(
    connection: &mut Connection,
    queries: &[Query],
    most: u32,
) -> Result<Vec<Vec<i64>>, IntrospectError> {
    let flavor = flavor(connection.server_version());
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for queries in queries.chunks(TOGETHER) {
        let statements: Vec<IntrospectionQuery<'_>> = queries
            .iter()
            .map(|query| IntrospectionQuery {
                text: cypher::print(query, &flavor),
                parameter: Some(Parameter::Most(most)),
            })
            .collect();
        let mut ids = Vec::new();
        for records in send(connection, &statements).await? {
            let answered = rows(Some(&records), sampled::id)?;
            ids.extend(answered.into_iter().filter(|id| seen.insert(*id)));
        }
        found.push(ids);
    }
    Ok(found)
}

async fn sample_nodes(
    connection: &mut Connection,
    ids: &[i64],
    sampled: &mut Sampled,
) -> Result<(), IntrospectError> {
    let texts = [include_str!("sampled_groups.cypher"), include_str!("sampled_node_values.cypher")];
    let statements =
        texts.map(|text| IntrospectionQuery::with(text, Parameter::Ids(ids), connection));
    let answered = send(connection, &statements).await?;
    for group in rows(answered.first(), row::group)? {
        sampled.add_group(group);
    }
    for value in rows(answered.get(1), sampled::node_value)? {
        sampled.add_node_value(value);
    }
    Ok(())
}

async fn sample_relationships(
    connection: &mut Connection,
    ids: &[i64],
    sampled: &mut Sampled,
) -> Result<(), IntrospectError> {
    let texts = [
        include_str!("sampled_triples.cypher"),
        include_str!("sampled_relationship_values.cypher"),
    ];
    let statements =
        texts.map(|text| IntrospectionQuery::with(text, Parameter::Ids(ids), connection));
    let answered = send(connection, &statements).await?;
    for triple in rows(answered.first(), row::triple)? {
        sampled.add_triple(triple);
    }
    for value in rows(answered.get(1), sampled::relationship_value)? {
        sampled.add_relationship_value(value);
    }
    Ok(())
}

const FOUND: Variable = Variable::Element(0);

/// The ids of some nodes with a label.
fn nodes_with(label: &str) -> Query {
    let node = NodePattern { variable: Some(FOUND), ..labelled(Some(label)) };
    some_ids(Path::node(node))
}

/// The ids of some relationships of a type, from and to nodes with the labels if there are such.
fn relationships_between(start: Option<&str>, r#type: &str, end: Option<&str>) -> Query {
    let relationship = RelationshipPattern {
        variable: Some(FOUND),
        r#type: Name(r#type.into()),
        direction: RelationshipDirection::Right,
        properties: Vec::new(),
    };
    let step = Step { relationship, node: labelled(end) };
    some_ids(Path { start: labelled(start), steps: vec![step] })
}

fn labelled(label: Option<&str>) -> NodePattern {
    let labels = match label {
        Some(label) => Labels::all(vec![Name(label.into())]),
        None => Labels::default(),
    };
    NodePattern { labels, ..NodePattern::default() }
}

fn some_ids(path: Path) -> Query {
    let id = Expression::call(Function::Id, vec![Expression::Variable(FOUND)]);
    let projection = Projection {
        items: vec![ProjectionItem::named(id, Variable::Column(0))],
        limit: Some(Expression::Parameter(cypher::Parameter(0))),
        ..Projection::default()
    };
    Query::of(vec![Match::of(path, None), Clause::Return(projection)])
}

#[cfg(test)]
mod tests {
    use cypher::Flavor;

    use super::*;

    fn check(query: &Query, expected: &str) {
        assert_eq!(cypher::print(query, &Flavor::of_version(5, 0)), expected);
    }

    #[test]
    fn names_are_quoted() {
        check(&nodes_with("a`b"), "MATCH (t0:`a``b`) RETURN id(t0) AS c0 LIMIT $p0");
        check(
            &relationships_between(None, "T", None),
            "MATCH ()-[t0:`T`]->() RETURN id(t0) AS c0 LIMIT $p0",
        );
        check(
            &relationships_between(Some("A"), "T\\u0060", None),
            "MATCH (:`A`)-[t0:`T\\u005Cu0060`]->() RETURN id(t0) AS c0 LIMIT $p0",
        );
        check(
            &relationships_between(None, "T", Some("B")),
            "MATCH ()-[t0:`T`]->(:`B`) RETURN id(t0) AS c0 LIMIT $p0",
        );
    }
}
