//! Relationships as the API shows them: what they are called, and what their properties are.

use std::sync::Arc;

use ir::Hop;

use super::attribute::Attribute;
use super::build::{Build, Owner, relationship};
use super::variants::Variants;
use crate::model::{ModelField, NestedOperations, PlacedField, RelationshipField, Target, Way};
use crate::shared::naming::upper_first;

/// A field that leads to nodes.
#[derive(Clone, Debug)]
pub(super) struct Link<'a> {
    pub(super) owner: Owner,
    pub(super) field: &'a ModelField,
    pub(super) relationship: &'a RelationshipField,
    /// The ways to the nodes of each type on the other side; none of a declared relationship.
    pub(super) ways: &'a [Way],
    /// What the names of its types begin with: the owner and the field.
    pub(super) prefix: String,
    /// The same with the interface that declares it first.
    pub(super) inherited: String,
    /// What conditions and orders of the plain list are about: what the interface that declares it
    /// leads to, where there is one.
    pub(super) declared_target: Target,
    /// What the names of types of its properties begin with; empty without properties.
    pub(super) edge: String,
    /// Whether its connection is that of the interface which declares it, whose properties are a
    /// union.
    pub(super) shares_properties: bool,
    /// The types on the other side, where its rows are of several.
    pub(super) variants: Option<Variants>,
}

/// The types of the properties that a declared relationship may have, and the nodes whose are.
#[derive(Clone, Debug)]
pub(super) struct EdgeKind<'a> {
    pub(super) properties: usize,
    pub(super) attributes: Vec<Attribute<'a>>,
    /// The names of the node types, in the order of the model.
    pub(super) owners: Vec<&'a str>,
}

impl<'a> Link<'a> {
    pub(super) fn name(&self) -> &'a str {
        &self.field.name
    }

    pub(super) fn target(&self) -> Target {
        self.relationship.target
    }

    /// How it is followed by queries, if what is on the other side is of one type.
    pub(super) fn hop(&self) -> Option<Hop> {
        match (self.target(), self.ways) {
            (Target::Node(_), [way]) => Some(way.hop),
            _ => None,
        }
    }

    /// Whether it leads to any number of nodes.
    pub(super) fn is_list(&self) -> bool {
        self.relationship.is_list
    }

    /// What is done along it; a way to one node is only made with its node, and goes with that.
    pub(super) fn nested(&self) -> NestedOperations {
        let nested = self.relationship.nested;
        match self.is_list() {
            true => nested,
            false => {
                NestedOperations { connect: false, disconnect: false, update: false, ..nested }
            }
        }
    }

    pub(super) fn connection_name(&self) -> String {
        format!("{}Connection", self.name())
    }

    /// `MovieActorsConnection`.
    pub(super) fn connection_type(&self) -> String {
        format!("{}Connection", self.inherited)
    }

    pub(super) fn is_shown(&self) -> bool {
        self.field.offers.on_read
    }

    pub(super) fn is_filtered(&self) -> bool {
        self.field.offers.by_value
    }

    pub(super) fn is_filtered_by_aggregate(&self) -> bool {
        self.field.offers.by_aggregate
            && self.is_list()
            && !matches!(self.target(), Target::Union(_))
    }

    /// Whether something is made of all nodes on the other side.
    pub(super) fn is_aggregated(&self) -> bool {
        let is_owned = matches!(self.owner, Owner::Node(_));
        self.relationship.is_aggregated
            && self.is_list()
            && is_owned
            && !matches!(self.target(), Target::Union(_))
    }

    pub(super) fn has_properties(&self) -> bool {
        !self.edge.is_empty()
    }

    /// `MovieActors`, or with the member of the union that is on the other side.
    pub(super) fn with_member(&self, member: Option<&str>) -> String {
        format!("{}{}", self.prefix, member.unwrap_or_default())
    }

    /// The same for the types that implementations of an interface share.
    pub(super) fn shared_with_member(&self, member: Option<&str>) -> String {
        let is_apart = matches!(self.owner, Owner::Node(_))
            && matches!(self.target(), Target::Interface(_))
            || matches!(self.owner, Owner::Interface(_));
        let prefix = if is_apart { &self.prefix } else { &self.inherited };
        format!("{prefix}{}", member.unwrap_or_default())
    }

    /// `MovieActorsConnectionWhere`, or that of a member.
    pub(super) fn connection_where(&self, member: Option<&str>) -> String {
        format!("{}{}ConnectionWhere", self.inherited, member.unwrap_or_default())
    }
}

impl<'a> Build<'a> {
    /// The fields that lead to nodes.
    pub(super) fn links(&self, owner: Owner) -> Vec<Link<'a>> {
        let link = |(index, field): (usize, &'a ModelField)| {
            let known = relationship(field)?;
            let ways = match self.placed_field(owner, index) {
                Some(PlacedField::Ways(ways)) => ways.as_slice(),
                Some(PlacedField::Property(_) | PlacedField::Statement(_)) | None => &[],
            };
            Some(self.link(owner, field, known, ways))
        };
        self.fields(owner).iter().enumerate().filter_map(link).collect()
    }

    /// A link as it is called.
    pub(super) fn link(
        &self,
        owner: Owner,
        field: &'a ModelField,
        known: &'a RelationshipField,
        ways: &'a [Way],
    ) -> Link<'a> {
        let field_name = upper_first(&field.name);
        let prefix = format!("{}{field_name}", self.name(owner.into()));
        let declared = self.declared_by(owner, &field.name);
        let inherited = match declared {
            Some((name, _)) => format!("{name}{field_name}"),
            None => prefix.clone(),
        };
        let properties =
            known.properties.and_then(|properties| self.model.properties.get(properties));
        let mut link = Link {
            owner,
            field,
            relationship: known,
            ways,
            prefix,
            inherited,
            declared_target: declared.map_or(known.target, |(_, target)| target),
            edge: properties.map_or_else(String::new, |known| known.name.as_ref().into()),
            shares_properties: declared.is_some() && properties.is_some(),
            variants: None,
        };
        if matches!(owner, Owner::Interface(_)) && !self.edge_kinds(&link).is_empty() {
            link.edge = format!("{}Edge", link.prefix);
        }
        link
    }

    /// The interface that declares a relationship of a node type, the last of several, and what it
    /// leads to there.
    fn declared_by(&self, owner: Owner, name: &str) -> Option<(&'a str, Target)> {
        let Owner::Node(node) = owner else { return None };
        let node = self.model.nodes.get(node)?;
        let declared = |interface: &'a Arc<str>| {
            let known = self.model.interfaces.iter().find(|known| known.name == *interface)?;
            let field = known.fields.iter().find(|field| &*field.name == name)?;
            Some((&**interface, relationship(field)?.target))
        };
        node.interfaces.iter().rev().find_map(declared)
    }

    /// The kinds of properties that a link may have: of a declared one those of the node types that
    /// implement the interface.
    pub(super) fn edge_kinds(&self, link: &Link<'_>) -> Vec<EdgeKind<'a>> {
        let mut kinds: Vec<EdgeKind<'a>> = Vec::new();
        let mut add = |properties: usize, owner: &'a str| match kinds
            .iter_mut()
            .find(|kind| kind.properties == properties)
        {
            Some(kind) => kind.owners.push(owner),
            None => {
                let attributes = self.edge_attributes(properties);
                kinds.push(EdgeKind { properties, attributes, owners: vec![owner] });
            }
        };
        match link.owner {
            Owner::Node(node) => {
                let owner = self.model.nodes.get(node).map_or("", |node| &node.name);
                if let Some(properties) = link.relationship.properties {
                    add(properties, owner);
                }
            }
            Owner::Interface(interface) => {
                for node in self.implementations(interface) {
                    let Some(known) = self.model.nodes.get(*node) else { continue };
                    let own = known.fields.iter().find(|field| field.name == link.field.name);
                    let properties = own.and_then(relationship);
                    if let Some(properties) = properties.and_then(|own| own.properties) {
                        add(properties, &known.name);
                    }
                }
            }
        }
        kinds
    }
}
