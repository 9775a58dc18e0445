//! Relationships of version 7: the places where each is offered, and the kinds of its properties.

use crate::model::{NestedOperations, Target};
use crate::shared::attribute::{Attribute, edge_attributes};
use crate::shared::builder::{Builder, Owner, relationship};
use crate::shared::link::{self, Link};

/// Type of properties that a declared relationship may have, and the node types that have it.
#[derive(Clone, Debug)]
pub(super) struct EdgeKind<'a> {
    pub(super) properties: usize,
    pub(super) attributes: Vec<Attribute<'a>>,
    /// Names of the node types, in the order of the model.
    pub(super) owners: Vec<&'a str>,
}

impl Link<'_> {
    /// Nested operations: a relationship to one node is only created with its owner, and deleted
    /// with that.
    pub(super) fn nested(&self) -> NestedOperations {
        let nested = self.relationship.nested;
        match self.is_list() {
            true => nested,
            false => {
                NestedOperations { connect: false, disconnect: false, update: false, ..nested }
            }
        }
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

    /// Whether the nodes on the other side are aggregated.
    pub(super) fn is_aggregated(&self) -> bool {
        let is_owned = matches!(self.owner, Owner::Node(_));
        self.relationship.is_aggregated
            && self.is_list()
            && is_owned
            && !matches!(self.target(), Target::Union(_))
    }

    /// `MovieActors`, or with the member of the union that is on the other side.
    pub(super) fn with_member(&self, member: Option<&str>) -> String {
        format!("{}{}", self.own, member.unwrap_or_default())
    }

    /// The beginning of the names of types that implementations of an interface share.
    pub(super) fn shared_with_member(&self, member: Option<&str>) -> String {
        let is_apart = matches!(self.owner, Owner::Node(_))
            && matches!(self.target(), Target::Interface(_))
            || matches!(self.owner, Owner::Interface(_));
        let prefix = if is_apart { &self.own } else { &self.inherited };
        format!("{prefix}{}", member.unwrap_or_default())
    }

    /// `MovieActorsConnectionWhere`, or that of a member.
    pub(super) fn connection_where(&self, member: Option<&str>) -> String {
        format!("{}{}ConnectionWhere", self.inherited, member.unwrap_or_default())
    }
}

/// The fields of a type that lead to nodes.
pub(super) fn links<'a>(build: &Builder<'a>, owner: Owner) -> Vec<Link<'a>> {
    let mut links = link::links(build, owner);
    if let Owner::Interface(_) = owner {
        for link in &mut links {
            if !edge_kinds(build, link).is_empty() {
                link.edge = link.own("Edge");
            }
        }
    }
    links
}

/// The kinds of properties that a link may have: of a declared one those of the node types that
/// implement the interface.
pub(super) fn edge_kinds<'a>(build: &Builder<'a>, link: &Link<'_>) -> Vec<EdgeKind<'a>> {
    let mut kinds: Vec<EdgeKind<'a>> = Vec::new();
    let mut add = |properties: usize, owner: &'a str| match kinds
        .iter_mut()
        .find(|kind| kind.properties == properties)
    {
        Some(kind) => kind.owners.push(owner),
        None => {
            let attributes = edge_attributes(build, properties);
            kinds.push(EdgeKind { properties, attributes, owners: vec![owner] });
        }
    };
    match link.owner {
        Owner::Node(node) => {
            let owner = build.model.nodes.get(node).map_or("", |node| &node.name);
            if let Some(properties) = link.relationship.properties {
                add(properties, owner);
            }
        }
        Owner::Interface(interface) => {
            for node in build.implementations(interface) {
                let Some(known) = build.model.nodes.get(*node) else { continue };
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
