//! Type definitions as a catalog: a graph has no schema of its own.

mod statements;

use std::collections::{HashMap, HashSet};

use catalog::builder::NewField;
use catalog::{
    Builder, Catalog, EntityId, EntityKind, EnumLabel, FieldId, Key, KeyKind, RelationshipId,
    Scalar, SearchKind, Type,
};
use ir::{Hop, HopDirection};

use statements::{Asked, Inputs};

use crate::model::rules::{WrittenPlace, WrittenRestriction};
use crate::model::{
    Constant, FieldKind, Model, ModelDirection, ModelField, NodeType, Path, Placed, PlacedField,
    PlacedNode, Property, PropertyType, QueryDirection, RelationshipField, Target,
};

/// Number of nodes that the library requests from a vector index.
const NEAREST: u32 = 4;

/// Fills the catalog of a graph, which holds nothing but capabilities before.
pub fn declare(catalog: &mut Catalog, model: &Model) -> Placed {
    let mut declarer = Declarer {
        model,
        builder: Builder::new(catalog.capabilities()),
        placed: Placed::default(),
        relationships: HashMap::new(),
        nodes: Vec::new(),
        inputs: Inputs::default(),
        ruled: ruled(model),
    };
    declarer.enums();
    declarer.properties();
    let entities = declarer.entities();
    declarer.nodes.clone_from(&entities);
    declarer.objects(&entities);
    declarer.inputs();
    declarer.nodes(&entities);
    declarer.searches();
    declarer.roots();
    *catalog = declarer.builder.finish();
    declarer.placed
}

struct Declarer<'m> {
    model: &'m Model,
    builder: Builder,
    placed: Placed,
    relationships: HashMap<RelationshipKey<'m>, RelationshipId>,
    /// The entities of all types of nodes.
    nodes: Vec<EntityId>,
    inputs: Inputs,
    /// The fields that have rules, by the places of their types and their own.
    ruled: HashSet<(usize, usize)>,
}

/// Key of a relationship of the catalog.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct RelationshipKey<'m> {
    r#type: &'m str,
    from: EntityId,
    to: EntityId,
    edge: Option<EntityId>,
    is_undirected: bool,
}

impl<'m> Declarer<'m> {
    fn enums(&mut self) {
        for definition in &self.model.enums {
            let labels = definition.values.iter().map(|value| EnumLabel {
                label: (&*value.name).into(),
                description: value.description.as_deref().map(Into::into),
            });
            let labels = labels.collect();
            let description = definition.description.as_deref().map(Into::into);
            let id = self.builder.r#enum(None, (&*definition.name).into(), labels, description);
            self.placed.enums.push(id);
        }
    }

    fn properties(&mut self) {
        for properties in &self.model.properties {
            let entity = self.builder.entity(
                None,
                (&*properties.name).into(),
                EntityKind::Edge,
                properties.description.as_deref().map(Into::into),
            );
            let mut known = KnownFields::default();
            let fields = properties.fields.iter().filter_map(|field| match &field.kind {
                FieldKind::Property(property) => {
                    Some(self.field(entity, (field, property), false, &mut known))
                }
                // Properties of relationships have none.
                FieldKind::Relationship(_) | FieldKind::Statement(_) | FieldKind::Part(_) => None,
            });
            let fields = fields.collect();
            self.placed.properties.push((entity, fields));
        }
    }

    /// All of them before any relationship: these lead to what is defined below, too.
    fn entities(&mut self) -> Vec<EntityId> {
        let mut entities = Vec::new();
        for node in &self.model.nodes {
            let description = node.description.as_deref().map(Into::into);
            let name = (&*node.name).into();
            let entity = self.builder.entity(None, name, EntityKind::Node, description);
            let labels = node.labels.iter().map(|label| (&**label).into());
            self.builder.label(entity, labels.collect());
            let claims = node.claimed_labels.iter().map(|claim| (&**claim).into());
            self.builder.label_by_claims(entity, claims.collect());
            entities.push(entity);
        }
        entities
    }

    fn nodes(&mut self, entities: &[EntityId]) {
        for (number, (node, entity)) in self.model.nodes.iter().zip(entities).enumerate() {
            let mut known = KnownFields::default();
            let fields = node.fields.iter().enumerate().map(|(place, field)| match &field.kind {
                FieldKind::Property(property) => {
                    let has_rules = self.ruled.contains(&(number, place));
                    let said = (field, property);
                    PlacedField::Property(self.field(*entity, said, has_rules, &mut known))
                }
                FieldKind::Relationship(known) => {
                    PlacedField::Paths(self.paths(*entity, known, entities))
                }
                FieldKind::Statement(statement) => {
                    let asked = Asked::Node(&node.name, *entity);
                    PlacedField::Statement(self.statement(asked, field, statement))
                }
                FieldKind::Part(given) => {
                    PlacedField::Property(self.part(*entity, &field.name, given, entities))
                }
            });
            let fields = fields.collect();
            let (fulltext, vectors) = (Vec::new(), Vec::new());
            self.placed.nodes.push(PlacedNode { entity: *entity, fields, fulltext, vectors });
        }
    }

    /// The indexes by which nodes are searched for: all have one field for the score.
    fn searches(&mut self) {
        let has_one = |node: &NodeType| !node.fulltext.is_empty() || !node.vector.is_empty();
        if !self.model.nodes.iter().any(has_one) {
            return;
        }
        let found = self.builder.entity(None, "search".into(), EntityKind::Edge, None);
        let score = NewField {
            name: "score".into(),
            r#type: Type::Scalar(Scalar::Float64),
            nullable: false,
            has_default: false,
            generated: None,
            description: None,
        };
        let score = self.builder.field(found, score);
        self.placed.score = Some(score);
        for (node, placed) in self.model.nodes.iter().zip(&mut self.placed.nodes) {
            let (builder, entity) = (&mut self.builder, placed.entity);
            let mut search = |index: &str, kind| builder.search(index.into(), kind, entity, score);
            let fulltext = node.fulltext.iter();
            placed.fulltext =
                fulltext.map(|known| search(&known.index, SearchKind::Text)).collect();
            let kind = SearchKind::Vector { most: NEAREST };
            let vectors = node.vector.iter();
            placed.vectors = vectors.map(|known| search(&known.index, kind)).collect();
        }
    }

    fn field(
        &mut self,
        entity: EntityId,
        (field, property): (&ModelField, &Property),
        has_rules: bool,
        known: &mut KnownFields,
    ) -> FieldId {
        let r#type = self.r#type(property);
        let same_name = known.0.entry((&*field.property).into()).or_default();
        let same = |known: &&KnownField| {
            let has_rules = has_rules || known.has_rules;
            !has_rules && known.r#type == r#type && known.coalesce == property.coalesce
        };
        if let Some(known) = same_name.iter().find(same) {
            return known.id;
        }
        let id = self.builder.field(
            entity,
            NewField {
                name: (&*field.property).into(),
                r#type: r#type.clone(),
                // The graph does not see to it that a property is there.
                nullable: true,
                has_default: property.default.is_some() || property.made.is_some(),
                generated: None,
                description: field.description.as_deref().map(Into::into),
            },
        );
        self.placed.twins.extend(same_name.first().map(|first| (id, first.id)));
        same_name.push(KnownField { r#type, coalesce: property.coalesce.clone(), has_rules, id });
        if property.is_unique {
            let key = Key {
                name: "".into(),
                kind: KeyKind::Unique,
                fields: vec![id],
                // The definitions say so; the constraint may not be there.
                enforced: false,
                deferrable: false,
                description: None,
            };
            self.builder.key(entity, key);
        }
        id
    }

    fn r#type(&self, property: &Property) -> Type {
        let element = self.value_type(&property.r#type);
        if property.is_list { Type::List(Box::new(element)) } else { element }
    }

    fn value_type(&self, r#type: &PropertyType) -> Type {
        match r#type {
            PropertyType::Boolean => Type::Scalar(Scalar::Boolean),
            PropertyType::Id | PropertyType::String => Type::Scalar(Scalar::Text),
            PropertyType::Int => Type::Scalar(Scalar::Int32),
            PropertyType::BigInt => Type::Scalar(Scalar::Int64),
            PropertyType::Float => Type::Scalar(Scalar::Float64),
            PropertyType::Date => Type::Scalar(Scalar::Date),
            PropertyType::Time => Type::Scalar(Scalar::TimeWithZone),
            PropertyType::LocalTime => Type::Scalar(Scalar::Time),
            PropertyType::DateTime => Type::Scalar(Scalar::TimestampWithZone),
            PropertyType::LocalDateTime => Type::Scalar(Scalar::Timestamp),
            PropertyType::Duration => Type::Scalar(Scalar::Interval),
            PropertyType::Point => Type::Scalar(Scalar::GeographicPoint),
            PropertyType::CartesianPoint => Type::Scalar(Scalar::CartesianPoint),
            PropertyType::Enum(place) => match self.placed.enums.get(*place) {
                Some(id) => Type::Enum(*id),
                None => Type::Scalar(Scalar::Text),
            },
            PropertyType::Scalar(place) => {
                let name = self.model.scalars.get(*place).map_or("", |scalar| &*scalar.name);
                Type::Scalar(Scalar::Other(name.into()))
            }
        }
    }

    /// To each type that is on the other side.
    fn paths(
        &mut self,
        entity: EntityId,
        field: &'m RelationshipField,
        entities: &[EntityId],
    ) -> Vec<Path> {
        let places: &[usize] = match &field.target {
            Target::Node(place) => std::slice::from_ref(place),
            Target::Interface(place) => {
                self.model.interfaces.get(*place).map_or(&[], |one| one.implementations.as_slice())
            }
            Target::Union(place) => {
                self.model.unions.get(*place).map_or(&[], |one| one.members.as_slice())
            }
        };
        let targets = places.iter().filter_map(|place| entities.get(*place).copied());
        targets.map(|target| self.path(entity, field, target)).collect()
    }

    fn path(&mut self, entity: EntityId, field: &'m RelationshipField, target: EntityId) -> Path {
        let (from, to, direction) = match field.direction {
            ModelDirection::Out | ModelDirection::Undirected => {
                (entity, target, HopDirection::Forward)
            }
            ModelDirection::In => (target, entity, HopDirection::Backward),
        };
        let edge = field.properties.and_then(|place| self.placed.properties.get(place));
        let edge = edge.map(|(edge, _)| *edge);
        let mut hop = |is_undirected| {
            let key = RelationshipKey { r#type: &field.r#type, from, to, edge, is_undirected };
            let relationship = *self.relationships.entry(key).or_insert_with(|| {
                let r#type = (&*field.r#type).into();
                self.builder.graph_relationship(r#type, from, to, edge, is_undirected)
            });
            Hop { relationship, direction }
        };
        let (written, undirected) = (hop(false), hop(true));
        let is_undirected = field.direction == ModelDirection::Undirected
            || match field.query_direction {
                QueryDirection::Directed | QueryDirection::DirectedOnly => false,
                QueryDirection::Undirected
                | QueryDirection::UndirectedByDefault
                | QueryDirection::UndirectedOnly => true,
            };
        let hop = if is_undirected { undirected } else { written };
        Path { entity: target, hop, undirected, written }
    }
}

/// The fields of an entity by the property that they hold. Two fields of one property and type are
/// one field of the entity, unless they show it differently where there is none, or one has rules,
/// which hold for nothing else.
#[derive(Debug, Default)]
struct KnownFields(HashMap<Box<str>, Vec<KnownField>>);

#[derive(Debug)]
struct KnownField {
    r#type: Type,
    coalesce: Option<Constant>,
    has_rules: bool,
    id: FieldId,
}

fn ruled(model: &Model) -> HashSet<(usize, usize)> {
    let field = |guard: &WrittenRestriction| match guard.place {
        WrittenPlace::Field { node, field, .. } => Some((node, field)),
        WrittenPlace::Schema
        | WrittenPlace::Root(_)
        | WrittenPlace::RootField { .. }
        | WrittenPlace::Node { .. } => None,
    };
    model.restrictions.iter().filter_map(field).collect()
}

#[cfg(test)]
mod tests;
