//! Stored values as fields of the API, and the places where each is offered.

use std::sync::Arc;

use catalog::{FieldId, FunctionId};
use ir::{Call, ValueRef};

use super::builder::{Builder, Owner};
use crate::model::{
    self, FieldKind, Given, ModelField, PlacedField, PlacedStatement, Property, StatementField,
    Target,
};
use crate::shared::values;
use api::binding::Subject;

/// A field that holds a stored value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute<'a> {
    pub(crate) field: &'a ModelField,
    pub(crate) property: &'a Property,
    pub(crate) origin: Origin,
}

/// Owner of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A node's.
    Node(FieldId),
    /// That of the relationship which led to the node.
    Edge(FieldId),
    /// That of nodes of several types, each of which has a field of its own: by its place among
    /// those that all have.
    Common(u16),
    /// That of nodes of several types, of which some have no field of it: a statement gives it.
    Apart,
    /// That which a statement returns for a node.
    Computed(Computed),
}

/// A value that a statement gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Computed {
    pub(crate) function: FunctionId,
    pub(crate) has_arguments: bool,
    /// Whether some are required.
    pub(crate) needs_arguments: bool,
}

impl Origin {
    /// The value that a statement returns.
    fn of(statement: &StatementField, placed: PlacedStatement) -> Self {
        Self::Computed(Computed {
            function: placed.function,
            has_arguments: !statement.arguments.is_empty(),
            needs_arguments: statement.arguments.iter().any(|one| one.wrapping.is_required),
        })
    }

    /// The place of the value, if all types have one.
    pub(crate) fn place(self) -> Option<ValueRef> {
        Some(match self {
            Self::Node(field) => ValueRef::field(field),
            Self::Edge(field) => ValueRef::Edge(field),
            Self::Common(place) => ValueRef::Common(place),
            Self::Computed(Computed { function, .. }) => ValueRef::Computed(Call {
                function,
                of_row: Some(Vec::new()),
                arguments: Vec::new(),
            }),
            Self::Apart => return None,
        })
    }

    pub(crate) fn subject(self) -> Option<Arc<Subject>> {
        Some(Arc::new(Subject::new(self.place()?)))
    }

    fn is_stored(self) -> bool {
        !matches!(self, Self::Computed(_))
    }
}

impl<'a> Attribute<'a> {
    pub(crate) fn name(&self) -> &'a str {
        &self.field.name
    }

    pub(crate) fn reason(&self) -> Option<&'a str> {
        self.field.deprecated.as_deref()
    }

    /// The name of the type of one value in a request.
    pub(crate) fn input_name(&self, build: &Builder<'a>) -> &'a str {
        values::input_name(build.model, &self.property.r#type)
    }

    /// The type of the field that shows it.
    pub(crate) fn output(&self, build: &Builder<'_>) -> String {
        let name = values::type_name(build.model, &self.property.r#type);
        values::required(values::whole(name, self.property), self.property)
    }

    /// Whether an object type shows it.
    pub(crate) fn is_shown(&self) -> bool {
        self.field.offers.on_read
    }

    pub(crate) fn is_filtered(&self) -> bool {
        let is_computable = match self.origin {
            Origin::Computed(made) => !made.has_arguments,
            Origin::Node(_) | Origin::Edge(_) | Origin::Common(_) | Origin::Apart => true,
        };
        is_computable && self.field.offers.by_value
    }

    pub(crate) fn is_sorted(&self) -> bool {
        let is_computable = match self.origin {
            Origin::Computed(made) => !made.needs_arguments,
            Origin::Node(_) | Origin::Edge(_) | Origin::Common(_) | Origin::Apart => true,
        };
        is_computable && self.field.offers.sortable && !self.property.is_list
    }

    /// Whether its values are aggregated.
    pub(crate) fn is_aggregated(&self) -> bool {
        self.origin.is_stored()
            && self.field.offers.on_aggregate
            && !self.property.is_list
            && self.property.r#type.is_aggregated()
    }

    /// Whether aggregates of its values in related rows filter rows.
    pub(crate) fn is_filtered_by_aggregate(&self) -> bool {
        self.origin.is_stored()
            && self.property.r#type.is_aggregated()
            && !self.property.is_list
            && self.field.offers.by_aggregate
    }

    pub(crate) fn is_created(&self) -> bool {
        let is_made = match self.property.made {
            Some(model::Made::Id) => true,
            Some(model::Made::Timestamp { on_create, .. }) => on_create,
            None => false,
        };
        self.origin.is_stored() && !is_made && self.field.offers.on_create
    }

    pub(crate) fn is_updated(&self) -> bool {
        let is_made = match self.property.made {
            Some(model::Made::Id) => true,
            Some(model::Made::Timestamp { on_update, .. }) => on_update,
            None => false,
        };
        self.origin.is_stored() && !is_made && self.field.offers.on_update
    }
}

/// The fields that hold stored values.
pub(crate) fn attributes<'a>(build: &Builder<'a>, owner: Owner) -> Vec<Attribute<'a>> {
    let mut common: u16 = 0;
    let mut attributes = Vec::new();
    for (index, field) in build.fields(owner).iter().enumerate() {
        if let Some((statement, placed)) = of_statement(build, owner, index, field) {
            if let Given::Value(property) = &statement.result {
                let origin = Origin::of(statement, placed);
                attributes.push(Attribute { field, property, origin });
            }
            continue;
        }
        let FieldKind::Property(property) = &field.kind else { continue };
        let origin = match build.placed_field(owner, index) {
            Some(PlacedField::Property(id)) => Origin::Node(*id),
            Some(PlacedField::Paths(_) | PlacedField::Statement(_)) | None => {
                match is_common(build, owner, field) {
                    true => {
                        let place = common;
                        common = common.saturating_add(1);
                        Origin::Common(place)
                    }
                    false => Origin::Apart,
                }
            }
        };
        attributes.push(Attribute { field, property, origin });
    }
    attributes
}

/// Whether all types of an interface store a field of it.
fn is_common(build: &Builder<'_>, owner: Owner, field: &ModelField) -> bool {
    let Owner::Interface(interface) = owner else { return true };
    let nodes = build.implementations(interface).iter();
    let mut own = nodes
        .filter_map(|node| build.model.nodes.get(*node))
        .flat_map(|node| node.fields.iter().filter(|own| own.name == field.name));
    own.all(|own| matches!(own.kind, FieldKind::Property(_)))
}

/// The attributes of the nodes that a relationship leads to; a union has none of its own.
pub(crate) fn target_attributes<'a>(build: &Builder<'a>, target: Target) -> Vec<Attribute<'a>> {
    match target {
        Target::Node(index) => attributes(build, Owner::Node(index)),
        Target::Interface(index) => attributes(build, Owner::Interface(index)),
        Target::Union(_) => Vec::new(),
    }
}

/// The attributes of the properties of relationships.
pub(crate) fn edge_attributes<'a>(build: &Builder<'a>, properties: usize) -> Vec<Attribute<'a>> {
    let Some(known) = build.model.properties.get(properties) else { return Vec::new() };
    let fields = build.placed.properties.get(properties).map(|(_, fields)| fields.as_slice());
    let fields = fields.unwrap_or_default();
    let attribute = |(field, id): (&'a ModelField, &FieldId)| match &field.kind {
        FieldKind::Property(property) => {
            Some(Attribute { field, property, origin: Origin::Edge(*id) })
        }
        FieldKind::Relationship(_) | FieldKind::Statement(_) | FieldKind::Part(_) => None,
    };
    known.fields.iter().zip(fields).filter_map(attribute).collect()
}

/// A field of a node type whose value a statement returns, with the statement and its ids.
pub(crate) fn of_statement<'a>(
    build: &Builder<'a>,
    owner: Owner,
    index: usize,
    field: &'a ModelField,
) -> Option<(&'a StatementField, PlacedStatement)> {
    match (&field.kind, build.placed_field(owner, index)) {
        (FieldKind::Statement(statement), Some(PlacedField::Statement(placed))) => {
            Some((statement, *placed))
        }
        _ => None,
    }
}
