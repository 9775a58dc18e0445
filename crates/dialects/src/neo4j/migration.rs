//! What type definitions want a graph to make sure of, and to find quickly, that it does not yet.
//!
//! A field that is said to be unique wants a constraint, which the database alone can keep; a
//! search wants its index. What is there already is left alone, also where it is more than what is
//! wanted.

use std::collections::BTreeSet;

use catalog::{
    GraphChange, GraphConstraint, GraphIndex, GraphIndexKind, GraphPart, Note, NoteKind,
};

use super::model::{FieldKind, FulltextIndex, Model, ModelField, NodeType};

/// What is to be done, and what stands in the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Migration {
    /// In the order of the definitions.
    pub changes: Vec<GraphChange>,
    /// What is wanted and cannot be made beside what is there.
    pub obstacles: Vec<Note>,
}

/// What is there, and the names that are in use.
struct Present<'a> {
    constraints: &'a [GraphConstraint],
    indexes: &'a [GraphIndex],
    names: BTreeSet<Box<str>>,
}

/// Compares what definitions want with the constraints and indexes that there are.
#[must_use]
pub fn migration(
    model: &Model,
    constraints: &[GraphConstraint],
    indexes: &[GraphIndex],
) -> Migration {
    let names = constraints.iter().map(|constraint| &constraint.name);
    let names = names.chain(indexes.iter().map(|index| &index.name)).cloned().collect();
    let mut present = Present { constraints, indexes, names };
    let mut migration = Migration::default();
    for node in &model.nodes {
        let Some(label) = node.labels.first() else { continue };
        for field in &node.fields {
            if is_unique(field) && !present.keeps_unique(node, &field.property) {
                migration.add(unique(node, label, field, &mut present));
            }
        }
        for wanted in &node.fulltext {
            if let Some(found) = fulltext(node, label, wanted, &mut present) {
                migration.add(found);
            }
        }
    }
    migration
}

impl Migration {
    fn add(&mut self, found: Result<GraphChange, Note>) {
        match found {
            // Two types of one label want the same.
            Ok(change) if self.changes.iter().any(|known| is_same(known, &change)) => {}
            Ok(change) => self.changes.push(change),
            Err(obstacle) => self.obstacles.push(obstacle),
        }
    }
}

impl Present<'_> {
    /// Whether a constraint keeps the values of a property apart, for any of the type's labels.
    fn keeps_unique(&self, node: &NodeType, property: &str) -> bool {
        self.constraints.iter().any(|constraint| {
            constraint.is_unique()
                && is_only(&constraint.properties, property)
                && is_of_any(&constraint.of, node)
        })
    }

    /// An index by which values are found, and which is not that of a constraint. It does not let
    /// a constraint be made over the same property.
    fn find_blocking(&self, label: &str, property: &str) -> Option<&GraphIndex> {
        self.indexes.iter().find(|index| {
            index.kind == GraphIndexKind::Range
                && is_only(&index.properties, property)
                && matches!(&index.of, GraphPart::Nodes(labels) if is_only(labels, label))
                && self.constraints.iter().all(|constraint| constraint.name != index.name)
        })
    }

    /// The name, or the first with a number that is free.
    fn take(&mut self, name: &str) -> Box<str> {
        let mut free: Box<str> = name.into();
        let mut number = 2_u32;
        while !self.names.insert(free.clone()) {
            free = format!("{name}_{number}").into();
            number = number.saturating_add(1);
        }
        free
    }
}

fn is_unique(field: &ModelField) -> bool {
    match &field.kind {
        FieldKind::Property(property) => property.is_unique,
        FieldKind::Relationship(_) => false,
    }
}

fn unique(
    node: &NodeType,
    label: &str,
    field: &ModelField,
    present: &mut Present<'_>,
) -> Result<GraphChange, Note> {
    if let Some(index) = present.find_blocking(label, &field.property) {
        return Err(Note {
            kind: NoteKind::Declaration,
            subject: subject(node, &field.name),
            message: format!(
                "it is to be unique, but the index {:?} over it does not let a constraint be made.",
                index.name
            )
            .into(),
            remedy: "drop the index; the constraint has one of its own.".into(),
        });
    }
    Ok(GraphChange::CreateUnique {
        name: present.take(&[&*node.name, "_", &field.name].concat()),
        label: label.into(),
        property: (&*field.property).into(),
    })
}

/// None where the index is there.
fn fulltext(
    node: &NodeType,
    label: &str,
    wanted: &FulltextIndex,
    present: &mut Present<'_>,
) -> Option<Result<GraphChange, Note>> {
    let properties: Vec<Box<str>> = wanted
        .fields
        .iter()
        .filter_map(|name| node.fields.iter().find(|field| field.name == *name))
        .map(|field| (&*field.property).into())
        .collect();
    let obstacle = |message: &str, remedy: &str| {
        let subject = subject(node, &wanted.index);
        let kind = NoteKind::Declaration;
        Some(Err(Note { kind, subject, message: message.into(), remedy: remedy.into() }))
    };
    let Some(index) = present.indexes.iter().find(|index| *index.name == *wanted.index) else {
        if !present.names.insert((&*wanted.index).into()) {
            let is_planned = present.constraints.iter().all(|one| *one.name != *wanted.index);
            // Another type has asked for it.
            let message = match is_planned {
                true => "another full-text index of this name is to be made.",
                false => "a constraint has the name of its full-text index.",
            };
            return obstacle(message, "give the index another name.");
        }
        return Some(Ok(GraphChange::CreateFulltext {
            name: (&*wanted.index).into(),
            label: label.into(),
            properties,
        }));
    };
    if index.kind != GraphIndexKind::Fulltext || !is_of_any(&index.of, node) {
        let message = "an index of this name is there, and no full-text index of these nodes.";
        return obstacle(message, "give the index another name.");
    }
    if properties.iter().any(|property| !index.properties.contains(property)) {
        let message = "the index is there, and not over all of these fields.";
        return obstacle(message, "drop the index, and migrate again.");
    }
    None
}

fn subject(node: &NodeType, name: &str) -> Box<str> {
    [&*node.name, ".", name].concat().into()
}

fn is_only(names: &[Box<str>], name: &str) -> bool {
    matches!(names, [only] if **only == *name)
}

fn is_of_any(part: &GraphPart, node: &NodeType) -> bool {
    match part {
        GraphPart::Nodes(labels) => {
            labels.iter().any(|label| node.labels.iter().any(|other| **other == **label))
        }
        GraphPart::Relationships(_) => false,
    }
}

/// Whether two changes make sure of the same, whatever they are called.
fn is_same(one: &GraphChange, other: &GraphChange) -> bool {
    match (one, other) {
        (
            GraphChange::CreateUnique { label, property, .. },
            GraphChange::CreateUnique { label: other_label, property: other_property, .. },
        ) => label == other_label && property == other_property,
        (GraphChange::CreateFulltext { .. }, _) | (_, GraphChange::CreateFulltext { .. }) => false,
    }
}

#[cfg(test)]
mod tests {
    use catalog::GraphConstraintKind;

    use super::*;
    use crate::neo4j::model::{FieldOffers, Property, PropertyType};

    fn field(name: &str, property: &str, is_unique: bool) -> ModelField {
        let kind = FieldKind::Property(Property {
            r#type: PropertyType::String,
            is_list: false,
            is_required: true,
            are_elements_required: false,
            made: None,
            is_unique,
            is_relay_id: false,
            default: None,
            coalesce: None,
        });
        ModelField {
            name: name.into(),
            description: None,
            property: property.into(),
            kind,
            offers: FieldOffers::ALL,
            deprecated: None,
            line: 1,
        }
    }

    fn node(name: &str, labels: &[&str], fields: Vec<ModelField>) -> NodeType {
        let labels = labels.iter().map(|&label| label.into()).collect();
        NodeType { name: name.into(), labels, fields, ..NodeType::default() }
    }

    fn movie(fulltext: &[(&str, &[&str])]) -> Model {
        let fields = vec![field("id", "movie-id", true), field("title", "title", false)];
        let fulltext = fulltext.iter().map(|(index, fields)| FulltextIndex {
            index: (*index).into(),
            query: None,
            fields: fields.iter().map(|&field| field.into()).collect(),
        });
        let movie =
            NodeType { fulltext: fulltext.collect(), ..node("Movie", &["Film", "Thing"], fields) };
        Model { nodes: vec![movie], ..Model::default() }
    }

    fn constraint(name: &str, label: &str, properties: &[&str]) -> GraphConstraint {
        GraphConstraint {
            name: name.into(),
            of: GraphPart::Nodes(vec![label.into()]),
            properties: properties.iter().map(|&property| property.into()).collect(),
            kind: GraphConstraintKind::Unique,
        }
    }

    fn index(name: &str, label: &str, property: &str, kind: GraphIndexKind) -> GraphIndex {
        let of = GraphPart::Nodes(vec![label.into()]);
        GraphIndex { name: name.into(), of, properties: vec![property.into()], kind }
    }

    fn check(
        model: &Model,
        constraints: &[GraphConstraint],
        indexes: &[GraphIndex],
        expected: &[&str],
    ) {
        let Migration { changes, obstacles } = migration(model, constraints, indexes);
        let changes = changes.into_iter().map(|change| match change {
            GraphChange::CreateUnique { name, label, property } => {
                format!("unique {name} {label} {property}")
            }
            GraphChange::CreateFulltext { name, label, properties } => {
                format!("fulltext {name} {label} {}", properties.join("+"))
            }
        });
        let obstacles =
            obstacles.into_iter().map(|note| format!("{}: {}", note.subject, note.message));
        let found: Vec<String> = changes.chain(obstacles).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_unique_wants_a_constraint_by_the_name_of_its_property() {
        let wanted = "unique Movie_id Film movie-id";
        check(&movie(&[]), &[], &[], &[wanted]);
        // One of another label of the type will do.
        check(&movie(&[]), &[constraint("c", "Thing", &["movie-id"])], &[], &[]);
        check(&movie(&[]), &[constraint("c", "Other", &["movie-id"])], &[], &[wanted]);
        check(&movie(&[]), &[constraint("c", "Film", &["movie-id", "title"])], &[], &[wanted]);
        let taken = constraint("Movie_id", "Other", &["x"]);
        check(&movie(&[]), &[taken], &[], &["unique Movie_id_2 Film movie-id"]);
    }

    #[test]
    fn types_of_one_label_want_one_constraint() {
        let nodes = vec![
            node("A", &["L"], vec![field("id", "id", true)]),
            node("B", &["L"], vec![field("id", "id", true)]),
        ];
        let model = Model { nodes, ..Model::default() };
        check(&model, &[], &[], &["unique A_id L id"]);
    }

    #[test]
    fn an_index_stands_in_the_way_of_a_constraint() {
        let found = index("i", "Film", "movie-id", GraphIndexKind::Range);
        check(
            &movie(&[]),
            &[],
            &[found],
            &[
                "Movie.id: it is to be unique, but the index \"i\" over it does not let a constraint \
             be made.",
            ],
        );
        // Not that of the constraint of another label.
        let other = index("i", "Thing", "movie-id", GraphIndexKind::Range);
        check(&movie(&[]), &[], &[other], &["unique Movie_id Film movie-id"]);
    }

    #[test]
    fn a_search_wants_its_index() {
        let model = movie(&[("titles", &["title", "id"])]);
        let unique = constraint("c", "Film", &["movie-id"]);
        let wanted = "fulltext titles Film title+movie-id";
        check(&model, std::slice::from_ref(&unique), &[], &[wanted]);
        let found = GraphIndex {
            properties: vec!["movie-id".into(), "title".into(), "more".into()],
            ..index("titles", "Film", "", GraphIndexKind::Fulltext)
        };
        check(&model, std::slice::from_ref(&unique), &[found], &[]);
        let part = index("titles", "Film", "title", GraphIndexKind::Fulltext);
        check(
            &model,
            std::slice::from_ref(&unique),
            &[part],
            &["Movie.titles: the index is there, and not over all of these fields."],
        );
        let other = index("titles", "Film", "title", GraphIndexKind::Range);
        check(
            &model,
            &[unique],
            &[other],
            &[
                "Movie.titles: an index of this name is there, and no full-text index of these nodes.",
            ],
        );
        let taken = constraint("titles", "Film", &["movie-id"]);
        check(
            &model,
            &[taken],
            &[],
            &["Movie.titles: a constraint has the name of its full-text index."],
        );
    }
}
