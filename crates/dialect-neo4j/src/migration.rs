//! What type definitions want a graph to make sure of, and to find quickly, that it does not yet.
//!
//! A field that is said to be unique wants a constraint, which the database alone can keep; a
//! search wants its index. What is there already is left alone, also where it is more than what is
//! wanted, and nothing is ever taken away.

use std::collections::BTreeSet;

use catalog::{
    GraphChange, GraphConstraint, GraphIndex, GraphIndexKind, GraphPart, Note, NoteKind,
};

use crate::model::{FieldKind, FulltextIndex, Model, ModelField, NodeType, VectorIndex};

/// What is to be done, what is there, and what stands in the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Migration {
    /// In the order of the definitions.
    pub changes: Vec<Wanted>,
    /// What is wanted and there.
    pub present: Vec<Found>,
    /// What is wanted and cannot be made beside what is there.
    pub obstacles: Vec<Note>,
}

/// A change, and what of the definitions wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// A type and one of its fields or indexes: `Movie.id`.
    pub subject: Box<str>,
    pub change: GraphChange,
}

/// What makes a change unnecessary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub subject: Box<str>,
    pub kind: FoundKind,
    /// What the database calls it.
    pub name: Box<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundKind {
    Constraint,
    Fulltext,
    Vector,
}

/// What is there, and the names that are in use.
struct Present<'a> {
    constraints: &'a [GraphConstraint],
    indexes: &'a [GraphIndex],
    names: BTreeSet<Box<str>>,
}

/// What becomes of something that is wanted.
enum Outcome {
    Change(Wanted),
    Found(Found),
    Obstacle(Note),
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
        let Some(label) = node.labels.first() else {
            migration.obstacles.extend(wanted(node).map(by_hand));
            continue;
        };
        for field in &node.fields {
            if let Some(constraint) = constraint_of(field)
                && !migration.keeps_unique(node, &field.property)
            {
                migration.add(unique(node, label, field, constraint, &mut present));
            }
        }
        for wanted in &node.fulltext {
            let change = fulltext(node, label, wanted);
            let planned = migration.plans_like(&change);
            migration.add(search(node, change, planned, &mut present));
        }
        for VectorIndex { index, property, .. } in &node.vector {
            let (name, property) = (index.as_ref().into(), property.as_ref().into());
            let change = GraphChange::CreateVector { name, label: (&**label).into(), property };
            let planned = migration.plans_like(&change);
            migration.add(search(node, change, planned, &mut present));
        }
    }
    migration
}

impl Migration {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Change(wanted) => self.changes.push(wanted),
            Outcome::Found(found) => self.present.push(found),
            Outcome::Obstacle(note) => self.obstacles.push(note),
        }
    }

    /// The name of an index that is planned already and is the same but for its name.
    fn plans_like(&self, change: &GraphChange) -> Option<Box<str>> {
        let is_like = |planned: &GraphChange| match (planned, change) {
            (
                GraphChange::CreateFulltext { label, properties, .. },
                GraphChange::CreateFulltext { label: other, properties: others, .. },
            ) => label == other && properties == others,
            (
                GraphChange::CreateVector { label, property, .. },
                GraphChange::CreateVector { label: other, property: others, .. },
            ) => label == other && property == others,
            _ => false,
        };
        let planned = self.changes.iter().find(|planned| is_like(&planned.change))?;
        Some(planned.made().1.into())
    }

    /// Whether a constraint is planned already that keeps the values apart, as for another type of
    /// the same label.
    fn keeps_unique(&self, node: &NodeType, wanted: &str) -> bool {
        self.changes.iter().any(|planned| match &planned.change {
            GraphChange::CreateUnique { label, property, .. } => {
                **property == *wanted && node.labels.iter().any(|one| **one == **label)
            }
            GraphChange::CreateFulltext { .. } | GraphChange::CreateVector { .. } => false,
        })
    }
}

impl Present<'_> {
    /// The index that is the same but for its name. A database makes no other beside it, and says
    /// nothing of that.
    fn find_like(&self, change: &GraphChange) -> Option<&str> {
        let is_like = |index: &&GraphIndex| {
            let GraphPart::Nodes(labels) = &index.of else { return false };
            match (change, &index.kind) {
                (
                    GraphChange::CreateFulltext { label, properties, .. },
                    GraphIndexKind::Fulltext,
                ) => is_only(labels, label) && index.properties == *properties,
                (
                    GraphChange::CreateVector { label, property, .. },
                    GraphIndexKind::Vector { .. },
                ) => is_only(labels, label) && is_only(&index.properties, property),
                _ => false,
            }
        };
        self.indexes.iter().find(is_like).map(|index| &*index.name)
    }

    /// A constraint that keeps the values of a property apart, for any of the type's labels.
    fn find_unique(&self, node: &NodeType, property: &str) -> Option<&GraphConstraint> {
        self.constraints.iter().find(|constraint| {
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

impl FoundKind {
    /// What a person calls it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Constraint => "constraint",
            Self::Fulltext => "full-text index",
            Self::Vector => "vector index",
        }
    }
}

impl Wanted {
    /// What is made, and its name.
    #[must_use]
    pub fn made(&self) -> (FoundKind, &str) {
        made(&self.change)
    }
}

/// The constraint that a field wants, and the name that is said for it.
fn constraint_of(field: &ModelField) -> Option<Option<&str>> {
    match &field.kind {
        FieldKind::Property(property) => {
            property.is_unique.then_some(property.constraint.as_deref())
        }
        FieldKind::Relationship(_) | FieldKind::Statement(_) | FieldKind::Part(_) => None,
    }
}

fn unique(
    node: &NodeType,
    label: &str,
    field: &ModelField,
    said: Option<&str>,
    present: &mut Present<'_>,
) -> Outcome {
    let subject = subject(node, &field.name);
    if let Some(found) = present.find_unique(node, &field.property) {
        let (kind, name) = (FoundKind::Constraint, found.name.clone());
        return Outcome::Found(Found { subject, kind, name });
    }
    if let Some(index) = present.find_blocking(label, &field.property) {
        let message = format!(
            "it is to be unique, but the index {:?} over it does not let a constraint be made.",
            index.name
        );
        let remedy = "drop the index; the constraint has one of its own.";
        return obstacle(subject, &message, remedy);
    }
    let name = match said {
        Some(said) if present.names.insert(said.into()) => said.into(),
        Some(said) => {
            let message = format!("something else in the graph is called {said:?}.");
            return obstacle(subject, &message, "give the constraint another name.");
        }
        None => present.take(&[&*node.name, "_", &field.name].concat()),
    };
    let property = (&*field.property).into();
    let change = GraphChange::CreateUnique { name, label: label.into(), property };
    Outcome::Change(Wanted { subject, change })
}

fn made(change: &GraphChange) -> (FoundKind, &str) {
    match change {
        GraphChange::CreateUnique { name, .. } => (FoundKind::Constraint, name),
        GraphChange::CreateFulltext { name, .. } => (FoundKind::Fulltext, name),
        GraphChange::CreateVector { name, .. } => (FoundKind::Vector, name),
    }
}

fn fulltext(node: &NodeType, label: &str, wanted: &FulltextIndex) -> GraphChange {
    let fields = wanted.fields.iter();
    let properties = fields
        .filter_map(|name| node.fields.iter().find(|field| field.name == *name))
        .map(|field| (&*field.property).into())
        .collect();
    GraphChange::CreateFulltext { name: (&*wanted.index).into(), label: label.into(), properties }
}

/// What becomes of the index of a search, which is known by its name alone. `planned` is the name of
/// one that is the same and made before it.
fn search(
    node: &NodeType,
    change: GraphChange,
    planned: Option<Box<str>>,
    present: &mut Present<'_>,
) -> Outcome {
    let (kind, name) = made(&change);
    let subject = subject(node, name);
    let Some(index) = present.indexes.iter().find(|index| *index.name == *name) else {
        if let Some(like) = present.find_like(&change) {
            let message = format!(
                "the {} {like:?} is over the same fields, and a graph has no second one.",
                kind.label()
            );
            let remedy =
                format!("call it {like:?} in the definitions, or drop it and migrate again.");
            return obstacle(subject, &message, &remedy);
        }
        if let Some(like) = planned.filter(|like| **like != *name) {
            let message = format!(
                "the {} {like:?} is to be made over the same fields, and a graph has no second one.",
                kind.label()
            );
            let remedy = format!("call it {like:?} in the definitions, too.");
            return obstacle(subject, &message, &remedy);
        }
        if present.names.insert(name.into()) {
            return Outcome::Change(Wanted { subject, change });
        }
        let is_planned = present.constraints.iter().all(|one| *one.name != *name);
        // Another type has asked for it.
        let message = match is_planned {
            true => "another index of this name is to be made.".to_owned(),
            false => format!("a constraint has the name of its {}.", kind.label()),
        };
        return obstacle(subject, &message, "give the index another name.");
    };
    let is_kind = match index.kind {
        GraphIndexKind::Fulltext => kind == FoundKind::Fulltext,
        GraphIndexKind::Vector { .. } => kind == FoundKind::Vector,
        GraphIndexKind::Range | GraphIndexKind::Other(_) => false,
    };
    if !is_kind || !is_of_any(&index.of, node) {
        let kind = kind.label();
        let message = format!("an index of this name is there, and no {kind} of these nodes.");
        return obstacle(subject, &message, "give the index another name.");
    }
    let is_over = |property: &str| index.properties.iter().any(|one| **one == *property);
    let is_over_all = match &change {
        GraphChange::CreateFulltext { properties, .. } => {
            properties.iter().all(|property| is_over(property))
        }
        GraphChange::CreateVector { property, .. } | GraphChange::CreateUnique { property, .. } => {
            is_over(property)
        }
    };
    if !is_over_all {
        let message = "the index is there, and not over all of these fields.";
        return obstacle(subject, message, "drop the index, and migrate again.");
    }
    Outcome::Found(Found { subject, kind, name: index.name.clone() })
}

/// What a type wants of the database.
fn wanted(node: &NodeType) -> impl Iterator<Item = Box<str>> {
    let fields = node.fields.iter().filter(|field| constraint_of(field).is_some());
    let indexes = node.fulltext.iter().map(|one| &one.index);
    let indexes = indexes.chain(node.vector.iter().map(|one| &one.index));
    fields.map(|field| &field.name).chain(indexes).map(|name| subject(node, name))
}

/// What is not made for labels that only requests say.
fn by_hand(subject: Box<str>) -> Note {
    Note {
        kind: NoteKind::Declaration,
        subject,
        message: "its nodes have no label but those that claims say.".into(),
        remedy: "make it by hand for each of these labels.".into(),
    }
}

fn obstacle(subject: Box<str>, message: &str, remedy: &str) -> Outcome {
    let (message, remedy) = (message.into(), remedy.into());
    Outcome::Obstacle(Note { kind: NoteKind::Declaration, subject, message, remedy })
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

#[cfg(test)]
mod tests;
