//! Stored values as the API shows them, and what of them there is where.

use std::sync::Arc;

use catalog::{FieldId, FunctionId};
use ir::{Call, ValueRef};

use super::build::{Build, Owner};
use super::statements;
use crate::model::{
    self, FieldKind, Given, ModelField, PlacedField, Property, PropertyType, Target,
};
use crate::shared::values;
use api::binding::Subject;

/// A field that holds a stored value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute<'a> {
    pub(super) field: &'a ModelField,
    pub(super) property: &'a Property,
    pub(super) spot: Spot,
}

/// Whose value it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// A node's.
    Node(FieldId),
    /// That of the relationship which led to the node.
    Edge(FieldId),
    /// That of nodes of several types, each of which has a field of its own: by its place among
    /// those that all have.
    Common(u16),
    /// That of nodes of several types, of which some have no field of it: a statement gives it.
    Apart,
    /// What a statement gives of a node.
    Made(Made),
}

/// A value that a statement gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) function: FunctionId,
    pub(super) has_arguments: bool,
    /// Whether there are some without which it cannot be asked.
    pub(super) needs_arguments: bool,
}

impl Spot {
    /// The place of the value, if it has one of its own.
    pub(super) fn place(self) -> Option<ValueRef> {
        Some(match self {
            Self::Node(field) => ValueRef::field(field),
            Self::Edge(field) => ValueRef::Edge(field),
            Self::Common(place) => ValueRef::Common(place),
            Self::Made(Made { function, .. }) => ValueRef::Computed(Call {
                function,
                of_row: Some(Vec::new()),
                arguments: Vec::new(),
            }),
            Self::Apart => return None,
        })
    }

    pub(super) fn subject(self) -> Option<Arc<Subject>> {
        Some(Arc::new(Subject::new(self.place()?)))
    }

    fn is_stored(self) -> bool {
        !matches!(self, Self::Made(_))
    }
}

impl PropertyType {
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Int | Self::BigInt | Self::Float)
    }

    pub(super) fn is_temporal(&self) -> bool {
        match self {
            Self::Date
            | Self::Time
            | Self::LocalTime
            | Self::DateTime
            | Self::LocalDateTime
            | Self::Duration => true,
            Self::Boolean
            | Self::Id
            | Self::Int
            | Self::BigInt
            | Self::Float
            | Self::String
            | Self::Point
            | Self::CartesianPoint
            | Self::Enum(_)
            | Self::Scalar(_) => false,
        }
    }

    pub(super) fn is_point(&self) -> bool {
        matches!(self, Self::Point | Self::CartesianPoint)
    }
}

impl<'a> Attribute<'a> {
    pub(super) fn name(&self) -> &'a str {
        &self.field.name
    }

    /// Whether an object type shows it.
    pub(super) fn is_shown(&self) -> bool {
        self.field.offers.on_read
    }

    pub(super) fn is_filtered(&self) -> bool {
        let is_asked = match self.spot {
            Spot::Made(made) => !made.has_arguments,
            Spot::Node(_) | Spot::Edge(_) | Spot::Common(_) | Spot::Apart => true,
        };
        is_asked && self.field.offers.by_value
    }

    pub(super) fn is_sorted(&self) -> bool {
        let is_asked = match self.spot {
            Spot::Made(made) => !made.needs_arguments,
            Spot::Node(_) | Spot::Edge(_) | Spot::Common(_) | Spot::Apart => true,
        };
        is_asked && self.field.offers.sortable && !self.property.is_list
    }

    /// Whether something is made of its values in many rows.
    pub(super) fn is_aggregated(&self) -> bool {
        self.spot.is_stored()
            && self.field.offers.on_aggregate
            && !self.property.is_list
            && super::aggregates::has_aggregates(&self.property.r#type)
    }

    /// Whether rows can be found by what is made of its values in related rows.
    pub(super) fn is_filtered_by_aggregate(&self) -> bool {
        let is_comparable = match self.property.r#type {
            PropertyType::Int
            | PropertyType::BigInt
            | PropertyType::Float
            | PropertyType::String
            | PropertyType::Time
            | PropertyType::LocalTime
            | PropertyType::DateTime
            | PropertyType::LocalDateTime
            | PropertyType::Duration => true,
            PropertyType::Boolean
            | PropertyType::Id
            | PropertyType::Date
            | PropertyType::Point
            | PropertyType::CartesianPoint
            | PropertyType::Enum(_)
            | PropertyType::Scalar(_) => false,
        };
        self.spot.is_stored()
            && is_comparable
            && !self.property.is_list
            && self.field.offers.by_aggregate
    }

    pub(super) fn is_created(&self) -> bool {
        let is_made = match self.property.made {
            Some(model::Made::Id) => true,
            Some(model::Made::Timestamp { on_create, .. }) => on_create,
            None => false,
        };
        self.spot.is_stored() && !is_made && self.field.offers.on_create
    }

    pub(super) fn is_updated(&self) -> bool {
        let is_made = match self.property.made {
            Some(model::Made::Id) => true,
            Some(model::Made::Timestamp { on_update, .. }) => on_update,
            None => false,
        };
        self.spot.is_stored() && !is_made && self.field.offers.on_update
    }
}

impl<'a> Build<'a> {
    /// The fields that hold stored values.
    pub(super) fn attributes(&self, owner: Owner) -> Vec<Attribute<'a>> {
        let mut common: u16 = 0;
        let mut attributes = Vec::new();
        for (index, field) in self.fields(owner).iter().enumerate() {
            if let Some((statement, placed)) = statements::of_node(self, owner, index, field) {
                if let Given::Value(property) = &statement.result {
                    let spot = statements::spot(statement, placed);
                    attributes.push(Attribute { field, property, spot });
                }
                continue;
            }
            let FieldKind::Property(property) = &field.kind else { continue };
            let spot = match self.placed_field(owner, index) {
                Some(PlacedField::Property(id)) => Spot::Node(*id),
                Some(PlacedField::Ways(_) | PlacedField::Statement(_)) | None => {
                    match self.is_common(owner, field) {
                        true => {
                            let place = common;
                            common = common.saturating_add(1);
                            Spot::Common(place)
                        }
                        false => Spot::Apart,
                    }
                }
            };
            attributes.push(Attribute { field, property, spot });
        }
        attributes
    }

    /// Whether all types of an interface store what a field of it shows.
    fn is_common(&self, owner: Owner, field: &ModelField) -> bool {
        let Owner::Interface(interface) = owner else { return true };
        let nodes = self.implementations(interface).iter();
        let mut own = nodes
            .filter_map(|node| self.model.nodes.get(*node))
            .flat_map(|node| node.fields.iter().filter(|own| own.name == field.name));
        own.all(|own| matches!(own.kind, FieldKind::Property(_)))
    }

    /// The attributes of the nodes that a relationship leads to; a union has none of its own.
    pub(super) fn target_attributes(&self, target: Target) -> Vec<Attribute<'a>> {
        match target {
            Target::Node(index) => self.attributes(Owner::Node(index)),
            Target::Interface(index) => self.attributes(Owner::Interface(index)),
            Target::Union(_) => Vec::new(),
        }
    }

    /// The attributes of the properties of relationships.
    pub(super) fn edge_attributes(&self, properties: usize) -> Vec<Attribute<'a>> {
        let Some(known) = self.model.properties.get(properties) else { return Vec::new() };
        let fields = self.placed.properties.get(properties).map(|(_, fields)| fields.as_slice());
        let fields = fields.unwrap_or_default();
        let attribute = |(field, id): (&'a ModelField, &FieldId)| match &field.kind {
            FieldKind::Property(property) => {
                Some(Attribute { field, property, spot: Spot::Edge(*id) })
            }
            FieldKind::Relationship(_) | FieldKind::Statement(_) | FieldKind::Part(_) => None,
        };
        known.fields.iter().zip(fields).filter_map(attribute).collect()
    }

    /// The name of the type of one value where it is given.
    pub(super) fn input_name(&self, attribute: &Attribute<'_>) -> &'a str {
        values::input_name(self.model, &attribute.property.r#type)
    }

    /// The type of the whole value where it is given, which may be null.
    pub(super) fn whole_input(&self, attribute: &Attribute<'_>) -> String {
        values::whole(self.input_name(attribute), attribute.property)
    }

    /// The type of the field that shows it.
    pub(super) fn output(&self, attribute: &Attribute<'_>) -> String {
        let name = values::type_name(self.model, &attribute.property.r#type);
        values::required(values::whole(name, attribute.property), attribute.property)
    }
}
