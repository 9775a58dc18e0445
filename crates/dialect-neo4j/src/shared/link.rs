//! Relationships as fields of types: the names of the types that are made for each, and their
//! properties.

use std::sync::Arc;

use ir::Hop;

use super::builder::{Builder, Owner, relationship};
use super::variants::Variants;
use crate::model::{
    InterfaceType, ModelField, Path, PlacedField, PropertiesType, QueryDirection,
    RelationshipField, Target,
};
use crate::shared::naming::upper_first;
use api::binding::{self, RelationshipVariantsId};

/// Field that leads to nodes.
#[derive(Clone, Debug)]
pub(crate) struct Link<'m> {
    pub(crate) owner: Owner,
    /// Name of the owner.
    pub(crate) source: &'m str,
    /// Name of the interface that it shares types with, or of the owner.
    pub(crate) prefix: &'m str,
    pub(crate) field: &'m ModelField,
    pub(crate) relationship: &'m RelationshipField,
    /// Paths to the nodes of each type on the other side. A declared relationship has none.
    pub(crate) paths: &'m [Path],
    /// Beginning of the names of its own types: the owner and the field.
    pub(crate) own: String,
    /// Beginning of the names of the types that it shares with an interface.
    pub(crate) inherited: String,
    /// Target of conditions and orders of the plain list: that of the interface that declares it,
    /// where there is one.
    pub(crate) declared_target: Target,
    /// Beginning of the names of the types of its properties; empty without properties.
    pub(crate) edge: String,
    /// Whether its connection is that of the interface that declares it, whose properties are a
    /// union.
    pub(crate) shares_properties: bool,
    /// Types on the other side, where its rows are of several.
    pub(crate) variants: Option<Variants>,
    /// Paths of changes in version 3, where nodes of several types are at an end.
    pub(crate) change_paths: Option<RelationshipVariantsId>,
    /// Place among the relationships of an interface.
    pub(crate) declared: Option<u16>,
}

impl<'m> Link<'m> {
    pub(crate) fn name(&self) -> &'m str {
        &self.field.name
    }

    pub(crate) fn target(&self) -> Target {
        self.relationship.target
    }

    /// The only path, where it leads to nodes of one type.
    pub(crate) fn path(&self) -> Option<Path> {
        match (self.target(), self.paths) {
            (Target::Node(_), [path]) => Some(*path),
            _ => None,
        }
    }

    /// The relationship of queries, where it leads to nodes of one type.
    pub(crate) fn hop(&self) -> Option<Hop> {
        self.path().map(|path| path.hop)
    }

    /// The relationship of changes, where it leads to nodes of one type.
    pub(crate) fn written(
        &self,
        build: &Builder<'_>,
        path: &Path,
        hop: Hop,
    ) -> binding::NestedRelationship {
        binding::NestedRelationship {
            hop,
            entity: path.entity,
            edge: build.edge_entity(self.relationship),
        }
    }

    /// Whether it leads to any number of nodes.
    pub(crate) fn is_list(&self) -> bool {
        self.relationship.is_list
    }

    pub(crate) fn reason(&self) -> Option<&'m str> {
        self.field.deprecated.as_deref()
    }

    /// A name of a type of its own.
    pub(crate) fn own(&self, suffix: &str) -> String {
        format!("{}{suffix}", self.own)
    }

    /// A name of a type that it shares with an interface.
    pub(crate) fn shared(&self, suffix: &str) -> String {
        format!("{}{suffix}", self.inherited)
    }

    pub(crate) fn connection_name(&self) -> String {
        format!("{}Connection", self.name())
    }

    /// `MovieActorsConnection`.
    pub(crate) fn connection_type(&self) -> String {
        self.shared("Connection")
    }

    /// A type, or a list of it if the relationship leads to several.
    pub(crate) fn one_or_list(&self, name: &str) -> String {
        match self.is_list() {
            true => format!("[{name}!]"),
            false => name.into(),
        }
    }

    pub(crate) fn has_properties(&self) -> bool {
        !self.edge.is_empty()
    }

    /// The type of its properties.
    pub(crate) fn properties(&self, build: &Builder<'m>) -> Option<&'m PropertiesType> {
        self.relationship.properties.and_then(|place| build.model.properties.get(place))
    }

    /// Whether a request may choose its direction, and the default of that.
    pub(crate) fn directed(&self) -> Option<bool> {
        match self.relationship.query_direction {
            QueryDirection::Directed => Some(true),
            QueryDirection::UndirectedByDefault => Some(false),
            QueryDirection::Undirected
            | QueryDirection::DirectedOnly
            | QueryDirection::UndirectedOnly => None,
        }
    }
}

/// The fields of a type that lead to nodes.
pub(crate) fn links<'m>(build: &Builder<'m>, owner: Owner) -> Vec<Link<'m>> {
    let fields = build.fields(owner).iter().enumerate();
    let known = fields.filter_map(|(place, field)| Some((place, field, relationship(field)?)));
    let link = |(number, (place, field, known))| {
        let paths = match build.placed_field(owner, place) {
            Some(PlacedField::Paths(paths)) => paths.as_slice(),
            Some(PlacedField::Property(_) | PlacedField::Statement(_)) | None => &[],
        };
        let link = link(build, owner, field, known, paths);
        Link { declared: matches!(owner, Owner::Interface(_)).then_some(number), ..link }
    };
    (0_u16..).zip(known).map(link).collect()
}

fn link<'m>(
    build: &Builder<'m>,
    owner: Owner,
    field: &'m ModelField,
    known: &'m RelationshipField,
    paths: &'m [Path],
) -> Link<'m> {
    let upper = upper_first(&field.name);
    let source = build.name(owner.into());
    let declared = declared_by(build, owner, &field.name);
    let prefix = declared.map_or(source, |(name, _)| name);
    let properties = known.properties.and_then(|place| build.model.properties.get(place));
    Link {
        owner,
        source,
        prefix,
        field,
        relationship: known,
        paths,
        own: format!("{source}{upper}"),
        inherited: format!("{prefix}{upper}"),
        declared_target: declared.and_then(|(_, target)| target).unwrap_or(known.target),
        edge: properties.map_or_else(String::new, |known| known.name.as_ref().into()),
        shares_properties: build.version.has_properties_type
            && declared.is_some()
            && properties.is_some(),
        variants: None,
        change_paths: None,
        declared: None,
    }
}

/// The interface that shares the types of a relationship, with its target there.
fn declared_by<'m>(
    build: &Builder<'m>,
    owner: Owner,
    name: &str,
) -> Option<(&'m str, Option<Target>)> {
    let model = build.model;
    let find = |interface: &Arc<str>| -> Option<(&'m InterfaceType, &'m ModelField)> {
        let known = model.interfaces.iter().find(|known| known.name == *interface)?;
        Some((known, known.fields.iter().find(|field| &*field.name == name)?))
    };
    let interfaces = match owner {
        Owner::Node(place) => &model.nodes.get(place)?.interfaces,
        Owner::Interface(place) => &model.interfaces.get(place)?.interfaces,
    };
    match (build.version.inherits_from_last, owner) {
        (false, _) => find(interfaces.first()?).map(|(known, _)| (&*known.name, None)),
        (true, Owner::Node(_)) => interfaces.iter().rev().find_map(|interface| {
            let (known, field) = find(interface)?;
            Some((&*known.name, Some(relationship(field)?.target)))
        }),
        (true, Owner::Interface(_)) => None,
    }
}
