//! Description of an API for people: its tables with their columns and relationships, and the fields of
//! the schema that read and change them. It has what a view of the schema shows, and no more.

use std::collections::BTreeMap;

use catalog::{Catalog, Entity, EntityId, EntityKind, KeyKind, Relationship, RelationshipKind};
use graphql::schema::{FieldId, TypeId, TypeKind};
use graphql::{View, print_type};
use ir::HopDirection;

use crate::api::Api;
use crate::binding::{
    Change, ChangedTypes, ConnectionField, FieldBinding, MutationForm, RelatedChange,
    RelatedChangeKind, RowsForm, RowsFrom,
};

/// A table, a view, or a label of nodes, with the object type of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedTable {
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub kind: &'static str,
    pub description: Option<Box<str>>,
    /// The object type of its rows.
    pub object_type: Box<str>,
    pub columns: Vec<DescribedColumn>,
    pub keys: Vec<DescribedKey>,
    pub operations: Vec<DescribedOperation>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedColumn {
    pub name: Box<str>,
    /// The field of the object type.
    pub field: Box<str>,
    /// The type of that field: `String!`.
    pub field_type: Box<str>,
    pub description: Option<Box<str>>,
    pub nullable: bool,
    /// An insert may omit it.
    pub has_default: bool,
    /// Its values are computed by the source.
    pub is_generated: bool,
}

/// The columns of a key whose columns are all visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedKey {
    pub is_primary: bool,
    pub columns: Vec<Box<str>>,
}

/// A root field that reads or changes rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedOperation {
    pub kind: OperationKind,
    pub field: Box<str>,
}

/// Kinds of root fields, by what they do with the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperationKind {
    /// Reads rows as a list.
    List,
    /// Reads rows as a connection.
    Connection,
    /// Reads aggregates of rows.
    Aggregate,
    /// Reads one row by a key.
    Single,
    /// Inserts one row or several.
    Insert,
    /// Updates one row that a key finds.
    Update,
    /// Updates the rows that pass conditions.
    UpdateMany,
    /// Deletes one row that a key finds.
    Delete,
    /// Deletes the rows that pass conditions.
    DeleteMany,
}

/// A relationship between two described tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedRelationship {
    /// `None` for a foreign key some of whose columns the view hides: names of constraints have those of
    /// columns in them.
    pub name: Option<Box<str>>,
    /// Indexes of the tables.
    pub from: usize,
    pub to: usize,
    pub from_columns: Vec<Box<str>>,
    pub to_columns: Vec<Box<str>>,
    pub is_one_to_one: bool,
    /// The source enforces it; otherwise it is only declared.
    pub is_enforced: bool,
    /// The field of each side that follows it, if the API has one.
    pub forward: Option<Box<str>>,
    pub backward: Option<Box<str>>,
}

/// The tables that a view shows, and their relationships.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    pub tables: Vec<DescribedTable>,
    pub relationships: Vec<DescribedRelationship>,
}

impl OperationKind {
    /// The word for it in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Connection => "connection",
            Self::Aggregate => "aggregate",
            Self::Single => "single",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::UpdateMany => "updateMany",
            Self::Delete => "delete",
            Self::DeleteMany => "deleteMany",
        }
    }
}

/// The object type of each entity's rows, and the root fields.
#[derive(Debug, Default)]
struct EntityFields {
    types: BTreeMap<EntityId, TypeId>,
    operations: BTreeMap<EntityId, Vec<DescribedOperation>>,
}

/// Describes the tables that a view shows.
#[must_use]
pub fn describe(catalog: &Catalog, api: &Api, view: View<'_>) -> Description {
    let mut found = EntityFields::default();
    for id in visible_fields(view, view.query()) {
        found.add_query(api, view, id);
    }
    for id in visible_fields(view, view.mutation()) {
        found.add_mutation(api, view, id);
    }
    // Tables that are read along relationships only.
    for (id, definition) in view.types() {
        if !matches!(definition.kind, TypeKind::Object { .. }) {
            continue;
        }
        let mut columns = visible_fields(view, Some(id)).filter_map(|field| column(api, field));
        if let Some(column) = columns.next() {
            found.types.entry(catalog[column].entity).or_insert(id);
        }
    }
    let entities = catalog.entities().filter(|entity| found.types.contains_key(&entity.id));
    let entities: Vec<&Entity> = entities.collect();
    let mut tables = Vec::with_capacity(entities.len());
    for entity in &entities {
        let operations = found.operations.remove(&entity.id).unwrap_or_default();
        tables.push(table(catalog, api, view, (entity, found.types[&entity.id]), operations));
    }
    let index = |id: EntityId| entities.binary_search_by_key(&id, |entity| entity.id).ok();
    let relationships = catalog.relationships().filter_map(|one| {
        let (from, to) = (index(one.from)?, index(one.to)?);
        let types = (found.types[&one.from], found.types[&one.to]);
        let described = relationship(catalog, api, view, one, types)?;
        Some(DescribedRelationship { from, to, ..described })
    });
    let relationships = relationships.collect();
    Description { tables, relationships }
}

/// The visible fields of an object type.
fn visible_fields(view: View<'_>, id: Option<TypeId>) -> impl Iterator<Item = FieldId> {
    let fields: &[FieldId] = match id.map(|id| &view.whole[id].kind) {
        Some(TypeKind::Object { fields, .. }) => fields,
        Some(
            TypeKind::Scalar
            | TypeKind::Interface { .. }
            | TypeKind::Union { .. }
            | TypeKind::Enum { .. }
            | TypeKind::InputObject { .. },
        )
        | None => &[],
    };
    fields.iter().copied().filter(move |field| view.shows_field(*field))
}

fn column(api: &Api, field: FieldId) -> Option<catalog::FieldId> {
    match api.field(field) {
        FieldBinding::Column(column) => Some(*column),
        _ => None,
    }
}

impl EntityFields {
    fn add(&mut self, entity: EntityId, kind: OperationKind, field: &str) {
        let operation = DescribedOperation { kind, field: field.into() };
        self.operations.entry(entity).or_default().push(operation);
    }

    fn add_query(&mut self, api: &Api, view: View<'_>, id: FieldId) {
        let FieldBinding::Rows(rows) = api.field(id) else { return };
        if rows.from != RowsFrom::Entity {
            return;
        }
        let definition = &view.whole[id];
        let base = definition.r#type.base;
        let (kind, of_rows) = match rows.form {
            RowsForm::List => (OperationKind::List, Some(base)),
            RowsForm::Connection => (OperationKind::Connection, nodes_of(api, view, base)),
            RowsForm::Single | RowsForm::First | RowsForm::Keyed => {
                (OperationKind::Single, Some(base))
            }
            RowsForm::Aggregate => (OperationKind::Aggregate, None),
            RowsForm::Stream => return,
        };
        if let Some(of_rows) = of_rows {
            self.types.entry(rows.entity).or_insert(of_rows);
        }
        self.add(rows.entity, kind, &definition.name);
    }

    fn add_mutation(&mut self, api: &Api, view: View<'_>, id: FieldId) {
        let FieldBinding::Mutation(mutation) = api.field(id) else { return };
        let is_of_row = mutation.form == MutationForm::Row;
        let (entity, kind) = match &mutation.change {
            Change::Create(entity)
            | Change::CreateMany { entity, .. }
            | Change::CreateNodes(entity)
            | Change::InsertTree(entity) => (*entity, OperationKind::Insert),
            Change::Nested(nested) if nested.is_new => (nested.entity, OperationKind::Insert),
            Change::Nested(nested) => (nested.entity, OperationKind::Update),
            Change::Update(entity) => (*entity, OperationKind::Update),
            Change::UpdateAll(entity) if is_of_row => (*entity, OperationKind::Update),
            Change::UpdateAll(entity)
            | Change::UpdateMany { entity, .. }
            | Change::UpdateNodes(entity) => (*entity, OperationKind::UpdateMany),
            Change::Delete(entity) => (*entity, OperationKind::Delete),
            Change::DeleteAll(entity) if is_of_row => (*entity, OperationKind::Delete),
            Change::DeleteAll(entity)
            | Change::DeleteMany { entity, .. }
            | Change::DeleteNodes(entity) => (*entity, OperationKind::DeleteMany),
            Change::AddObjects(object) => (object.entity, OperationKind::Insert),
            Change::UpdateObjects(ChangedTypes::One(object)) => {
                (object.entity, OperationKind::UpdateMany)
            }
            Change::DeleteObjects(ChangedTypes::One(object)) => {
                (object.entity, OperationKind::DeleteMany)
            }
            Change::Related(change) => match related(api, *change) {
                Some(found) => found,
                None => return,
            },
            Change::Upsert { .. }
            | Change::Call(_)
            | Change::UpdateEach(_)
            | Change::UpdateObjects(ChangedTypes::Each { .. })
            | Change::DeleteObjects(ChangedTypes::Each { .. }) => return,
        };
        self.add(entity, kind, &view.whole[id].name);
    }
}

/// A change of rows with those of their relations. An upsert is both an insert and an update.
fn related(api: &Api, change: RelatedChange) -> Option<(EntityId, OperationKind)> {
    let kind = match change.kind {
        RelatedChangeKind::Create | RelatedChangeKind::CreateMany => OperationKind::Insert,
        RelatedChangeKind::Update => OperationKind::Update,
        RelatedChangeKind::UpdateMany => OperationKind::UpdateMany,
        RelatedChangeKind::Delete => OperationKind::Delete,
        RelatedChangeKind::DeleteMany => OperationKind::DeleteMany,
        RelatedChangeKind::Upsert => return None,
    };
    Some((api.related_rows(change.rows)?.entity, kind))
}

/// The type of the rows of a connection.
fn nodes_of(api: &Api, view: View<'_>, connection: TypeId) -> Option<TypeId> {
    let fields = visible_fields(view, Some(connection));
    let mut nodes = fields.filter(|field| {
        matches!(api.field(*field), FieldBinding::Connection(ConnectionField::Nodes))
    });
    nodes.next().map(|field| view.whole[field].r#type.base)
}

fn table(
    catalog: &Catalog,
    api: &Api,
    view: View<'_>,
    (entity, object_type): (&Entity, TypeId),
    operations: Vec<DescribedOperation>,
) -> DescribedTable {
    let mut columns: Vec<(catalog::FieldId, DescribedColumn)> =
        visible_fields(view, Some(object_type))
            .filter_map(|id| {
                let column = column(api, id).filter(|one| catalog[*one].entity == entity.id)?;
                let (field, definition) = (&catalog[column], &view.whole[id]);
                let described = DescribedColumn {
                    name: field.name.clone(),
                    field: (*definition.name).into(),
                    field_type: print_type(view.whole, view.type_of(id)).into(),
                    description: field.description.clone(),
                    nullable: field.nullable,
                    has_default: field.has_default,
                    is_generated: field.generated.is_some(),
                };
                Some((column, described))
            })
            .collect();
    // The order of the table: some dialects sort the fields of a type.
    columns.sort_by_key(|(column, _)| *column);
    let is_visible = |field: &catalog::FieldId| columns.iter().any(|(column, _)| column == field);
    let keys = entity.keys.iter().filter(|key| key.fields.iter().all(is_visible));
    let keys = keys.map(|key| DescribedKey {
        is_primary: key.kind == KeyKind::Primary,
        columns: names(catalog, &key.fields),
    });
    DescribedTable {
        namespace: entity.namespace.clone(),
        name: entity.name.clone(),
        kind: kind(entity.kind),
        description: entity.description.clone(),
        object_type: (*view.whole[object_type].name).into(),
        keys: keys.collect(),
        columns: columns.into_iter().map(|(_, column)| column).collect(),
        operations,
    }
}

/// A relationship that a view shows: by a field, or by its columns on both sides.
fn relationship(
    catalog: &Catalog,
    api: &Api,
    view: View<'_>,
    one: &Relationship,
    (from, to): (TypeId, TypeId),
) -> Option<DescribedRelationship> {
    let follows = |owner: TypeId, direction: HopDirection| {
        let mut fields =
            visible_fields(view, Some(owner)).filter(|field| match api.field(*field) {
                FieldBinding::Rows(rows) => match rows.from {
                    RowsFrom::Relation(hop) | RowsFrom::Nodes(hop) => {
                        hop.relationship == one.id && hop.direction == direction
                    }
                    _ => false,
                },
                _ => false,
            });
        fields.next().map(|field| Box::from(&*view.whole[field].name))
    };
    let forward = follows(from, HopDirection::Forward);
    let backward = follows(to, HopDirection::Backward);
    let shows = |owner: TypeId, fields: &[catalog::FieldId]| {
        fields.iter().all(|wanted| {
            let mut columns = visible_fields(view, Some(owner));
            columns.any(|field| column(api, field) == Some(*wanted))
        })
    };
    let is_seen = match one.kind {
        RelationshipKind::ForeignKey => shows(from, &one.from_fields) && shows(to, &one.to_fields),
        RelationshipKind::Graph { .. } => false,
    };
    if !is_seen && forward.is_none() && backward.is_none() {
        return None;
    }
    // Columns that the role does not see stay unnamed, and with them the constraint. Both tables are
    // described, so their names are seen.
    let (from_columns, to_columns) = match is_seen {
        true => (names(catalog, &one.from_fields), names(catalog, &one.to_fields)),
        false => (Vec::new(), Vec::new()),
    };
    let is_named = match one.kind {
        RelationshipKind::ForeignKey => is_seen,
        RelationshipKind::Graph { .. } => true,
    };
    Some(DescribedRelationship {
        name: is_named.then(|| one.name.clone()),
        from: 0,
        to: 0,
        from_columns,
        to_columns,
        is_one_to_one: one.one_to_one,
        is_enforced: one.enforced,
        forward,
        backward,
    })
}

fn names(catalog: &Catalog, fields: &[catalog::FieldId]) -> Vec<Box<str>> {
    fields.iter().map(|field| catalog[*field].name.clone()).collect()
}

fn kind(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Table => "table",
        EntityKind::View => "view",
        EntityKind::MaterializedView => "materialized view",
        EntityKind::ForeignTable => "foreign table",
        EntityKind::Record => "record",
        EntityKind::Model => "model",
        EntityKind::ValueSet => "values",
        EntityKind::Composite => "composite",
        EntityKind::Node => "nodes",
        EntityKind::Edge => "relationships",
    }
}
