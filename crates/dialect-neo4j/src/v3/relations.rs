//! Relationships, and how the types are called that are made for each.

use catalog::EntityId;

use super::build::Build;
use super::classes::{USUAL, relationships, stored};
use super::roles::Values;
use crate::model::{
    InterfaceType, Model, ModelField, NestedOperations, NodeType, Placed, PlacedField,
    PropertiesType, QueryDirection, RelationshipField, Target, Way,
};
use crate::shared::naming::upper_first;
use api::binding::{VariantsId, WaysId};

/// A type that has relationships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Node(usize),
    Interface(usize),
}

/// A relationship as a field of a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relation<'m> {
    pub(super) owner: Owner,
    /// The name of the type.
    pub(super) source: &'m str,
    /// What the names of types begin with that it shares with the interface that it is of: the
    /// interface's name, or that of the type itself.
    pub(super) prefix: &'m str,
    pub(super) field: &'m ModelField,
    pub(super) relationship: &'m RelationshipField,
    /// The ways to what is on the other side. An interface has none of its own.
    pub(super) ways: &'m [Way],
    /// The same of nodes of several types.
    pub(super) variants: Option<Variants>,
    /// The same where nodes of several types at either end are changed.
    pub(super) several: Option<WaysId>,
    /// Of an interface its place among what that declares.
    pub(super) declared: Option<u16>,
}

/// The ways to nodes of several types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variants {
    /// How they are followed where a request says nothing.
    pub(super) usual: VariantsId,
    pub(super) directed: VariantsId,
    pub(super) undirected: VariantsId,
    /// The entity of the first of them.
    pub(super) first: EntityId,
}

/// What can be said of a relationship that is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EdgeInput {
    /// Whether it has a property that is not made by itself.
    pub(super) is_there: bool,
    /// Whether one of those must be said.
    pub(super) is_required: bool,
    /// Whether there must be a value of any property at all.
    pub(super) has_required: bool,
}

/// What values are made of in many rows: of the nodes on the other side, or of the relationships.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'m> {
    /// What it is called as a field.
    pub(super) field: &'static str,
    /// And in the names of types.
    pub(super) word: &'static str,
    pub(super) fields: &'m [ModelField],
    pub(super) values: Values,
}

impl<'m> Relation<'m> {
    /// What values are made of.
    pub(super) fn parts(&self, model: &'m Model) -> Vec<Part<'m>> {
        let node = match self.relationship.target {
            Target::Node(place) => Some(Part {
                field: "node",
                word: "Node",
                fields: &model.nodes[place].fields,
                values: Values::Node(place),
            }),
            Target::Interface(_) | Target::Union(_) => None,
        };
        let edge = self.relationship.properties.map(|place| Part {
            field: "edge",
            word: "Edge",
            fields: &model.properties[place].fields,
            values: Values::Edge(place),
        });
        node.into_iter().chain(edge).collect()
    }

    /// The relationships of a type.
    pub(super) fn all(build: &Build<'m>, owner: Owner) -> Vec<Self> {
        let Build { model, placed, .. } = build;
        let (source, fields, interfaces) = match owner {
            Owner::Node(place) => {
                let NodeType { name, fields, interfaces, .. } = &model.nodes[place];
                (name, fields, interfaces)
            }
            Owner::Interface(place) => {
                let InterfaceType { name, fields, interfaces, .. } = &model.interfaces[place];
                (name, fields, interfaces)
            }
        };
        let first = interfaces.first().and_then(|name| find_interface(model, name));
        let relation = |(number, (place, field, relationship))| {
            let (number, field): (u16, &'m ModelField) = (number, field);
            let inherited = first.filter(|first| first.has(&field.name));
            Self {
                owner,
                source,
                prefix: inherited.map_or(&**source, |first| &*first.name),
                field,
                relationship,
                ways: ways(placed, owner, place),
                variants: None,
                several: None,
                declared: matches!(owner, Owner::Interface(_)).then_some(number),
            }
        };
        (0..).zip(relationships(fields)).map(relation).collect()
    }

    /// The field's name with a capital.
    pub(super) fn upper(&self) -> String {
        upper_first(&self.field.name)
    }

    /// A name of a type that is the owner's alone.
    pub(super) fn own(&self, suffix: &str) -> String {
        format!("{}{}{suffix}", self.source, self.upper())
    }

    /// A name of a type that the owner has in common with its interface.
    pub(super) fn shared(&self, suffix: &str) -> String {
        format!("{}{}{suffix}", self.prefix, self.upper())
    }

    /// A type, or a list of it if the relationship leads to several.
    pub(super) fn one_or_list(&self, name: &str) -> String {
        match self.relationship.is_list {
            true => format!("[{name}!]"),
            false => name.into(),
        }
    }

    /// The type of the field that shows the other side.
    pub(super) fn shown_type(&self, model: &Model) -> String {
        let name = target_name(model, self.relationship.target);
        match (self.relationship.is_list, self.relationship.is_required) {
            (true, _) => format!("[{name}!]!"),
            (false, true) => format!("{name}!"),
            (false, false) => name.into(),
        }
    }

    pub(super) fn nested(&self) -> NestedOperations {
        self.relationship.nested
    }

    pub(super) fn reason(&self) -> Option<&'m str> {
        self.field.deprecated.as_deref()
    }

    /// The type of its properties.
    pub(super) fn properties(&self, build: &Build<'m>) -> Option<&'m PropertiesType> {
        let model: &'m Model = build.model;
        self.relationship.properties.map(|place| &model.properties[place])
    }

    /// What requests say of its properties.
    pub(super) fn edge_input(&self, build: &Build<'m>) -> EdgeInput {
        let Some(properties) = self.properties(build) else { return EdgeInput::default() };
        let all = stored(&properties.fields, &USUAL);
        let mut said = all.iter().filter(|stored| !stored.property.is_made_on_create());
        EdgeInput {
            is_there: said.clone().next().is_some(),
            is_required: said.any(|stored| stored.property.is_required),
            has_required: all.iter().any(|stored| stored.property.is_required),
        }
    }

    /// The type of what is said of its properties when it is made.
    pub(super) fn edge_create(&self, build: &Build<'m>, is_required: bool) -> Option<String> {
        let properties = self.properties(build).filter(|_| self.edge_input(build).is_there)?;
        let mark = if is_required { "!" } else { "" };
        Some(format!("{}CreateInput{mark}", properties.name))
    }

    /// Whether a request may say how it is followed; if so, how it is where it does not.
    pub(super) fn directed(&self) -> Option<bool> {
        match self.relationship.query_direction {
            QueryDirection::Directed => Some(true),
            QueryDirection::UndirectedByDefault => Some(false),
            QueryDirection::Undirected
            | QueryDirection::DirectedOnly
            | QueryDirection::UndirectedOnly => None,
        }
    }

    /// The only way, where it leads to nodes of one type.
    pub(super) fn way(&self) -> Option<Way> {
        match (self.relationship.target, self.ways) {
            (Target::Node(_), [way, ..]) => Some(*way),
            _ => None,
        }
    }
}

impl InterfaceType {
    fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| *field.name == *name)
    }
}

/// The name of the type on the other side.
pub(super) fn target_name(model: &Model, target: Target) -> &str {
    match target {
        Target::Node(place) => &model.nodes[place].name,
        Target::Interface(place) => &model.interfaces[place].name,
        Target::Union(place) => &model.unions[place].name,
    }
}

/// The node types on the other side, in the order in which ways to them are said.
pub(super) fn targets(model: &Model, target: Target) -> Vec<usize> {
    match target {
        Target::Node(place) => vec![place],
        Target::Interface(place) => model.interfaces[place].implementations.clone(),
        Target::Union(place) => model.unions[place].members.clone(),
    }
}

/// The same in the order of the definitions.
pub(super) fn members(model: &Model, target: Target) -> Vec<usize> {
    let mut members = targets(model, target);
    members.sort_unstable();
    members
}

/// Whether a node type has relationships.
pub(super) fn has_relationships(node: &NodeType) -> bool {
    relationships(&node.fields).next().is_some()
}

/// The unique properties of a node type.
pub(super) fn unique(node: &NodeType) -> Vec<super::classes::Stored<'_>> {
    let mut all = stored(&node.fields, &USUAL);
    all.retain(|stored| stored.property.is_unique);
    all
}

fn find_interface<'m>(model: &'m Model, name: &str) -> Option<&'m InterfaceType> {
    model.interfaces.iter().find(|interface| *interface.name == *name)
}

fn ways(placed: &Placed, owner: Owner, field: usize) -> &[Way] {
    let Owner::Node(node) = owner else { return &[] };
    let found = placed.nodes.get(node).and_then(|node| node.fields.get(field));
    match found {
        Some(PlacedField::Ways(ways)) => ways,
        Some(PlacedField::Property(_) | PlacedField::Statement(_)) | None => &[],
    }
}
