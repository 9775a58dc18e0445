//! The types that show what is stored: of nodes, of interfaces, of the properties of relationships.

use super::build::{Build, reason};
use super::classes::{Class, OF_OBJECTS, Stored, USUAL, stored};
use super::relations::{Relation, target_name};
use super::roles::Values;
use crate::model::{InterfaceType, NodeType, ShownField, Target};
use crate::shared::draft::{DraftField, DraftKind};
use crate::shared::global_ids;
use crate::shared::values::{required, type_name, whole};
use api::binding::{EdgeField, FieldBinding};

impl Build<'_> {
    /// The type of a node, with its properties.
    pub(super) fn add_object(&mut self, place: usize) {
        let NodeType { name, description, fields, interfaces, .. } = &self.model.nodes[place];
        let fields = self.shown(fields, &OF_OBJECTS, Values::Node(place));
        let mut interfaces = interfaces.clone();
        let global = self.global_id(place).map(|one| (one.place, one.field.name.clone()));
        if global.is_some() {
            interfaces.push("Node".into());
        }
        let kind = DraftKind::Object { fields, interfaces };
        self.draft.add(name, description.as_deref(), kind);
        let Some((at, field)) = global else { return };
        let prefix = global_ids::prefix(name, &field);
        if let Some(field) = Values::Node(place).field(self.placed, at) {
            self.show(name, "id", "ID!", FieldBinding::GlobalId { prefix, field });
        }
    }

    /// The property that global ids of a node type are made of.
    pub(super) fn global_id(&self, place: usize) -> Option<Stored<'_>> {
        let fields = &self.model.nodes[place].fields;
        stored(fields, &[Class::Primitive]).into_iter().find(|one| one.property.is_relay_id)
    }

    /// Properties, what statements give behind those of the first class, and what is neither before
    /// those that stand last in all types.
    fn shown(
        &mut self,
        fields: &[crate::model::ModelField],
        classes: &[Class],
        values: Values,
    ) -> Vec<DraftField> {
        let (first, others) = classes.split_at(1);
        let (others, last) = others.split_at(2);
        let mut shown = self.properties(fields, first, values);
        shown.extend(self.statement_fields(values));
        shown.extend(self.properties(fields, others, values));
        shown.extend(self.part_fields(values));
        shown.extend(self.properties(fields, last, values));
        shown
    }

    /// An interface without its relationships. One that no relationship leads to has them as plain
    /// fields, and comes with nothing else.
    pub(super) fn add_interface(&mut self, place: usize) {
        let InterfaceType { name, description, fields, shown: of_types, interfaces, .. } =
            &self.model.interfaces[place];
        let relations = Relation::all(self, super::relations::Owner::Interface(place));
        let shown = relations.iter().filter(|relation| relation.field.offers.on_read);
        let rows = shown.clone().map(|relation| {
            let r#type = relation.shown_type(self.model);
            let field = DraftField::new(&relation.field.name, &r#type, in_interface());
            with_reason(field, relation.reason())
        });
        let connections = shown.map(|relation| {
            let name = format!("{}Connection", relation.field.name);
            let r#type = format!("{}!", relation.shared("Connection"));
            with_reason(DraftField::new(&name, &r#type, in_interface()), relation.reason())
        });
        let mut all: Vec<DraftField> = rows.chain(connections).collect();
        let values = Values::Interface(place);
        all.extend(self.shown(fields, &[Class::Primitive, Class::Own, Class::Enum], values));
        for is_next in [is_union, is_interface, is_node] {
            all.extend(of_types.iter().filter(|field| is_next(field.target)).map(as_types_have));
        }
        all.extend(self.properties(fields, &[Class::Temporal, Class::Point], values));
        let kind = DraftKind::Interface { fields: all, interfaces: interfaces.clone() };
        // The library says nothing of an interface that relationships lead to.
        let description = description.as_deref().filter(|_| !self.is_target(place));
        self.draft.add(name, description, kind);
    }

    /// Whether a relationship of a node type leads to an interface.
    pub(super) fn is_target(&self, place: usize) -> bool {
        let nodes = &self.model.nodes;
        nodes.iter().any(|node| {
            let mut all = super::classes::relationships(&node.fields);
            let leads = |target| target == crate::model::Target::Interface(place);
            all.any(|(_, _, relationship)| leads(relationship.target))
        })
    }

    /// The interface that the edges of relationships with such properties have.
    pub(super) fn add_properties(&mut self, place: usize) {
        let properties = &self.model.properties[place];
        let fields = self.properties(&properties.fields, &USUAL, Values::Edge(place));
        let kind = DraftKind::Interface { fields, interfaces: Vec::new() };
        self.draft.add(&properties.name, None, kind);
    }

    /// The edges of a relationship, with its properties.
    pub(super) fn add_edges(&mut self, relation: &Relation<'_>) {
        let edge = relation.shared("Relationship");
        if self.draft.has(&edge) {
            return;
        }
        let node = target_name(self.model, relation.relationship.target);
        let mut fields = vec![
            DraftField::new("cursor", "String!", FieldBinding::Edge(EdgeField::Cursor)),
            DraftField::new("node", &format!("{node}!"), FieldBinding::Edge(EdgeField::Node)),
        ];
        let mut interfaces = Vec::new();
        if let Some(place) = relation.relationship.properties {
            let properties = &self.model.properties[place];
            interfaces.push(properties.name.clone());
            fields.extend(self.properties(&properties.fields, &USUAL, Values::Edge(place)));
        }
        self.draft.add(&edge, None, DraftKind::Object { fields, interfaces });
    }

    /// The unions, with the conditions of their members.
    pub(super) fn add_unions(&mut self) {
        let model = self.model;
        for union in &model.unions {
            let names: Vec<_> =
                union.members.iter().map(|member| model.nodes[*member].name.clone()).collect();
            let r#where = format!("{}Where", union.name);
            for (member, name) in union.members.iter().zip(&names) {
                let binding = super::roles::of_variant(&union.members, *member);
                self.put(&r#where, name, &format!("{name}Where"), binding);
            }
            let kind = DraftKind::Union { members: names };
            self.draft.add(&union.name, union.description.as_deref(), kind);
        }
    }

    fn properties(
        &self,
        fields: &[crate::model::ModelField],
        classes: &[Class],
        values: Values,
    ) -> Vec<DraftField> {
        let shown = stored(fields, classes).into_iter().filter(|one| one.field.offers.on_read);
        let field = |one: Stored<'_>| {
            let name = type_name(self.model, &one.property.r#type);
            let r#type = required(whole(name, one.property), one.property);
            let binding = match (values, values.field(self.placed, one.place)) {
                (Values::Edge(_), Some(field)) => FieldBinding::Edge(EdgeField::Column(field)),
                (Values::Node(_), Some(field)) => FieldBinding::Column(field),
                (Values::Interface(_), _) | (_, None) => in_interface(),
            };
            let mut field = DraftField::new(&one.field.name, &r#type, binding);
            field.description = one.field.description.clone();
            with_reason(field, reason(one.field))
        };
        shown.map(field).collect()
    }
}

/// A field of an interface that leads to nodes as its types say.
fn as_types_have(field: &ShownField) -> DraftField {
    let mut draft = DraftField::new(&field.name, &field.r#type, in_interface());
    draft.description.clone_from(&field.description);
    draft.deprecated(field.deprecated.as_ref())
}

fn is_union(target: Target) -> bool {
    matches!(target, Target::Union(_))
}

fn is_interface(target: Target) -> bool {
    matches!(target, Target::Interface(_))
}

fn is_node(target: Target) -> bool {
    matches!(target, Target::Node(_))
}

/// What a field of an interface means: nothing, for only those of objects do.
pub(super) fn in_interface() -> FieldBinding {
    FieldBinding::Refused("It is a field of an interface.".into())
}

pub(super) fn with_reason(mut field: DraftField, reason: Option<&str>) -> DraftField {
    field.deprecated = reason.map(Into::into);
    field
}
