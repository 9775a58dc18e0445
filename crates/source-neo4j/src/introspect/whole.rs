//! Summary of a whole graph.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{
    Coverage, Degree, GraphConstraint, GraphIndex, GraphProperty, GraphSummary, GraphType,
    GraphValue, NodeGroup, RelationshipGroup, Triple,
};

use super::rows::{Found, Group, Labels, PropertyRow, ValuesRow, WrittenType};

/// The results of the statements.
#[derive(Debug, Default)]
pub(super) struct Whole {
    pub(super) groups: Vec<Group>,
    pub(super) node_properties: Vec<PropertyRow<Labels>>,
    pub(super) relationship_properties: Vec<PropertyRow<WrittenType>>,
    /// Values of the properties in [`unclear_names`].
    pub(super) node_values: Vec<ValuesRow<Labels>>,
    pub(super) relationship_values: Vec<ValuesRow<Box<str>>>,
    pub(super) triples: Vec<Triple>,
    pub(super) degrees: Vec<Degree>,
    pub(super) constraints: Vec<GraphConstraint>,
    pub(super) indexes: Vec<GraphIndex>,
}

/// The names of properties whose values must be read: integers may be wide, points of one of two
/// kinds, and an empty list is one of texts for the server.
pub(super) fn unclear_names<K>(rows: &[PropertyRow<K>]) -> Vec<&str> {
    let is_unclear = |row: &&PropertyRow<K>| {
        row.types.iter().any(|r#type| match (&r#type.value, r#type.is_list) {
            (GraphValue::Integer | GraphValue::GeographicPoint, _) => true,
            (GraphValue::Text, true) => row.types.len() > 1,
            _ => false,
        })
    };
    let unclear = rows.iter().filter(is_unclear);
    let names: BTreeSet<&str> = unclear.map(|row| &*row.name).collect();
    names.into_iter().collect()
}

/// Combines the results of the statements. They may have seen the graph at different moments: data
/// that one of them has not seen counts as absent.
pub(super) fn summary(whole: Whole) -> GraphSummary {
    let mut nodes: BTreeMap<Labels, NodeGroup> = BTreeMap::new();
    for Group { labels, count } in whole.groups {
        let group = NodeGroup { labels: labels.clone(), count, properties: Vec::new() };
        nodes.insert(labels, group);
    }
    let found = by_property(&whole.node_values);
    for row in whole.node_properties {
        let found = found.get(&(&row.key, &*row.name)).copied();
        if let Some(group) = nodes.get_mut(&row.key) {
            group.properties.push(property(row, found));
        }
    }
    let types: BTreeSet<&str> = whole.triples.iter().map(|triple| &*triple.r#type).collect();
    let relationships =
        relationships(&types, whole.relationship_properties, &whole.relationship_values);
    let mut summary = GraphSummary {
        coverage: Coverage::Whole,
        nodes: nodes.into_values().collect(),
        relationships,
        triples: whole.triples,
        degrees: whole.degrees,
        constraints: whole.constraints,
        indexes: whole.indexes,
    };
    sort(&mut summary);
    summary
}

/// Servers answer in any order.
pub(super) fn sort(summary: &mut GraphSummary) {
    for group in &mut summary.nodes {
        group.properties.sort_by(|a, b| a.name.cmp(&b.name));
    }
    for group in &mut summary.relationships {
        group.properties.sort_by(|a, b| a.name.cmp(&b.name));
    }
    summary.triples.sort();
    summary.triples.dedup();
    summary
        .degrees
        .sort_by(|a, b| (&a.labels, &a.r#type, a.end).cmp(&(&b.labels, &b.r#type, b.end)));
}

/// The details of each property.
fn by_property<K: Ord>(rows: &[ValuesRow<K>]) -> BTreeMap<(&K, &str), Found> {
    let mut found: BTreeMap<(&K, &str), Found> = BTreeMap::new();
    for row in rows {
        let known = found.entry((&row.key, &row.name)).or_default();
        *known = known.or(row.found);
    }
    found
}

fn relationships(
    types: &BTreeSet<&str>,
    rows: Vec<PropertyRow<WrittenType>>,
    values: &[ValuesRow<Box<str>>],
) -> Vec<RelationshipGroup> {
    let mut groups: Vec<RelationshipGroup> = types
        .iter()
        .map(|&name| RelationshipGroup { r#type: name.into(), properties: Vec::new() })
        .collect();
    let found = by_property(values);
    for row in rows {
        let Some(group) = groups.iter_mut().find(|group| row.key.is(&group.r#type)) else {
            continue;
        };
        let found = found.get(&(&group.r#type, &*row.name)).copied();
        group.properties.push(property(row, found));
    }
    groups
}

fn property<K>(row: PropertyRow<K>, found: Option<Found>) -> GraphProperty {
    let found = found.unwrap_or_default();
    let has_other_lists =
        row.types.iter().any(|r#type| r#type.is_list && r#type.value != GraphValue::Text);
    let types: BTreeSet<GraphType> = row
        .types
        .into_iter()
        .filter(|r#type| {
            let may_be_empty = r#type.is_list && r#type.value == GraphValue::Text;
            !may_be_empty || found.texts || !has_other_lists
        })
        .flat_map(|r#type| distinguish(r#type, found))
        .collect();
    GraphProperty { name: row.name, types: types.into_iter().collect(), always: row.always }
}

/// The types of a property, by its values.
fn distinguish(r#type: GraphType, found: Found) -> Vec<GraphType> {
    let is_list = r#type.is_list;
    let of = |value: GraphValue| GraphType { value, is_list };
    match (&r#type.value, found) {
        (GraphValue::Integer, Found { wide: true, .. }) => vec![of(GraphValue::WideInteger)],
        (GraphValue::GeographicPoint, Found { cartesian: true, geographic, .. }) => {
            let geographic = geographic.then(|| of(GraphValue::GeographicPoint));
            geographic.into_iter().chain([of(GraphValue::CartesianPoint)]).collect()
        }
        _ => vec![r#type],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row<K>(key: K, name: &str, types: &[GraphType]) -> PropertyRow<K> {
        PropertyRow { key, name: name.into(), types: types.to_vec(), always: true }
    }

    fn values<K>(key: K, name: &str, found: Found) -> ValuesRow<K> {
        ValuesRow { key, name: name.into(), found }
    }

    fn whole() -> Whole {
        let labels = || vec!["A".into()];
        let integer = GraphType::scalar(GraphValue::Integer);
        let integers = GraphType::list(GraphValue::Integer);
        let points = GraphType::list(GraphValue::GeographicPoint);
        let wide = Found { wide: true, ..Found::default() };
        let plane = Found { cartesian: true, ..Found::default() };
        let both = Found { geographic: true, ..plane };
        Whole {
            groups: vec![Group { labels: labels(), count: 2 }],
            node_properties: vec![
                row(labels(), "n", std::slice::from_ref(&integer)),
                row(labels(), "m", std::slice::from_ref(&integer)),
                row(labels(), "p", std::slice::from_ref(&points)),
                row(labels(), "text", &[GraphType::scalar(GraphValue::Text)]),
                row(labels(), "list", &[GraphType::list(GraphValue::Text), integers.clone()]),
                row(labels(), "mix", &[GraphType::list(GraphValue::Text), integers]),
                row(vec!["Gone".into()], "n", std::slice::from_ref(&integer)),
            ],
            relationship_properties: vec![
                row(WrittenType(":`T`".into()), "at", &[points]),
                row(WrittenType(":`T`".into()), "since", &[integer]),
            ],
            node_values: vec![
                values(labels(), "n", wide),
                values(labels(), "n", Found::default()),
                values(labels(), "mix", Found { texts: true, ..Found::default() }),
                values(labels(), "p", plane),
                values(labels(), "m", Found::default()),
            ],
            relationship_values: vec![values("T".into(), "at", both)],
            triples: vec![Triple { from: labels(), r#type: "T".into(), to: labels() }],
            ..Whole::default()
        }
    }

    #[test]
    fn values_tell_types_apart() {
        let summary = summary(whole());
        let shown: Vec<String> = summary
            .nodes
            .iter()
            .flat_map(|group| &group.properties)
            .chain(summary.relationships.iter().flat_map(|group| &group.properties))
            .map(|property| {
                let types: Vec<_> =
                    property.types.iter().map(|r#type| format!("{:?}", r#type.value)).collect();
                [&*property.name, &types.join("|")].join(" ")
            })
            .collect();
        assert_eq!(
            shown,
            [
                "list Integer",
                "m Integer",
                "mix Integer|Text",
                "n WideInteger",
                "p CartesianPoint",
                "text Text",
                "at GeographicPoint|CartesianPoint",
                "since Integer",
            ]
        );
    }

    #[test]
    fn only_values_that_may_be_several_things_are_looked_at() {
        assert_eq!(unclear_names(&whole().node_properties), ["list", "m", "mix", "n", "p"]);
        assert_eq!(unclear_names(&whole().relationship_properties), ["at", "since"]);
    }
}
