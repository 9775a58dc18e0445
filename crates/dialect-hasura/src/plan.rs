//! The plan: entities of the API, with their names and members.

use catalog::{Catalog, Entity, EntityKind, Note};
use graphql::schema::is_name;
use rustc_hash::FxHashMap;

use super::collision::{Names, collision, left_out};
use super::columns::{Column, columns};
use super::naming;
use super::relations::{Relation, RelationKind, relations};
use super::values::values;

/// Types that every API has.
const RESERVED_TYPES: [&str; 10] = [
    "query_root",
    "mutation_root",
    "subscription_root",
    "order_by",
    "cursor_ordering",
    "Int",
    "Float",
    "String",
    "Boolean",
    "ID",
];

const RENAME: &str = "rename it, or show its rows under another name by a view.";

/// The plan of a catalog.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) entities: Vec<Planned<'a>>,
    pub(super) notes: Vec<Note>,
}

/// The plan of an entity.
#[derive(Debug)]
pub(super) struct Planned<'a> {
    pub(super) entity: &'a Entity,
    /// The name of its object type, with which all names of its types begin.
    pub(super) name: String,
    pub(super) columns: Vec<Column<'a>>,
    pub(super) relations: Vec<Relation>,
    /// True if an array relationship leads to it.
    pub(super) is_array_target: bool,
    /// True if an object relationship leads to it.
    pub(super) is_object_target: bool,
}

impl<'a> Planned<'a> {
    /// The columns that may be read.
    pub(super) fn read(&self) -> impl Iterator<Item = &Column<'a>> {
        self.columns.iter().filter(|column| column.field.access.read)
    }

    /// A type of the entity.
    pub(super) fn r#type(&self, suffix: &str) -> String {
        naming::of(&self.name, suffix)
    }

    /// The columns of the primary key, if all of them can be read and compared.
    pub(super) fn key(&self) -> Option<Vec<&Column<'a>>> {
        let key = self.entity.primary_key()?;
        let column = |field| self.read().find(|column| column.field.id == field);
        let columns: Option<Vec<_>> = key.fields.iter().map(|field| column(*field)).collect();
        columns.filter(|columns| columns.iter().all(|column| column.values.is_comparable()))
    }

    /// True if its rows can be ordered by something.
    pub(super) fn is_sorted(&self) -> bool {
        let is_counted = |relation: &Relation| {
            matches!(&relation.kind, RelationKind::Array { aggregate: Some(_) })
        };
        self.read().any(|column| column.values.is_ordered())
            || self.relations.iter().any(is_counted)
    }
}

/// Plans the API of a catalog.
pub(super) fn plan(catalog: &Catalog) -> Plan<'_> {
    let mut notes = Vec::new();
    let mut types = Names::reserved(&RESERVED_TYPES);
    // Scalars have the names of the source's types.
    for field in catalog.entities().flat_map(|entity| catalog.fields_of(entity.id)) {
        let values = values(catalog, &field.r#type);
        for name in values.types() {
            types.claim(&name, "a type of values");
        }
    }
    let mut roots = Names::default();
    let mut entities = Vec::new();
    let mut fields = Vec::new();
    for entity in catalog.entities() {
        if !is_table(entity.kind) || is_unread(catalog, entity) {
            continue;
        }
        let subject = catalog.qualified_name(entity.id);
        let name = naming::table(entity.namespace.as_deref(), &entity.name);
        if let Some(note) = obstacle(&name, &subject, &types, &roots) {
            notes.push(note);
            continue;
        }
        let mut own = Names::default();
        let columns = columns(catalog, entity, &mut own, &mut notes);
        if !columns.iter().any(|column| column.field.access.read) {
            let message = "it has no column that can be shown.";
            notes.push(left_out(&subject, message, "give it a column with a name of GraphQL."));
            continue;
        }
        naming::types(&name).for_each(|r#type| types.claim(&r#type, &subject));
        naming::roots(&name).iter().for_each(|root| roots.claim(root, &subject));
        fields.push(own);
        let (relations, is_array_target, is_object_target) = (Vec::new(), false, false);
        entities.push(Planned {
            entity,
            name,
            columns,
            relations,
            is_array_target,
            is_object_target,
        });
    }
    let places: FxHashMap<_, _> =
        entities.iter().enumerate().map(|(place, planned)| (planned.entity.id, place)).collect();
    let mut targets = Vec::new();
    for (planned, names) in entities.iter_mut().zip(&mut fields) {
        planned.relations = relations(catalog, planned.entity, &places, names, &mut notes);
        let target = |relation: &Relation| {
            (relation.target, matches!(relation.kind, RelationKind::Array { .. }))
        };
        targets.extend(planned.relations.iter().map(target));
    }
    for (place, is_array) in targets {
        match is_array {
            true => entities[place].is_array_target = true,
            false => entities[place].is_object_target = true,
        }
    }
    Plan { entities, notes }
}

fn is_table(kind: EntityKind) -> bool {
    match kind {
        EntityKind::Table
        | EntityKind::View
        | EntityKind::MaterializedView
        | EntityKind::ForeignTable => true,
        EntityKind::Record
        | EntityKind::ValueSet
        | EntityKind::Composite
        | EntityKind::Node
        | EntityKind::Edge => false,
    }
}

/// True if privileges leave nothing readable of an entity.
pub(super) fn is_unread(catalog: &Catalog, entity: &Entity) -> bool {
    let mut fields = catalog.fields_of(entity.id).peekable();
    fields.peek().is_some() && !fields.any(|field| field.access.read)
}

/// The reason why an entity cannot be in the API.
fn obstacle(name: &str, subject: &str, types: &Names, roots: &Names) -> Option<Note> {
    if !is_name(name) {
        let message = format!("{name:?} is no name of GraphQL.");
        return Some(left_out(subject, &message, RENAME));
    }
    for r#type in naming::types(name) {
        if let Some(first) = types.owner(&r#type) {
            return Some(collision(subject, &format!("the type {type}"), first, RENAME));
        }
    }
    for root in naming::roots(name) {
        if let Some(first) = roots.owner(&root) {
            return Some(collision(subject, &format!("the field {root}"), first, RENAME));
        }
    }
    None
}
