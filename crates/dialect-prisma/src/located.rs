//! The places of a datamodel in a catalog: the entity of each type, the field of each value, the path
//! to the rows of each relation.

use api::binding::RelationPath;
use catalog::builder::NewRelationship;
use catalog::{Catalog, EntityId, FieldId, Generated, Type as StoredType};
use ir::{Hop, HopDirection};

use crate::model::{
    End, FieldKind, HiddenMoment, Key, Model, Relation, RelationIndex, RelationStorage,
    ScalarField, Type, TypeIndex,
};

/// The column of identifiers that Prisma makes, where the datamodel has no field for it.
const HIDDEN_KEY: &str = "id";

/// The columns of a table of scalar lists.
const NODE_ID: &str = "nodeId";
const POSITION: &str = "position";
const VALUE: &str = "value";

/// The places of all types of a datamodel, and the parts of it that the database lacks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Located {
    /// In the order of the datamodel; `None` for a type without a table or a key.
    pub(crate) types: Vec<Option<LocatedType>>,
    /// By [`RelationIndex`]; `None` for one whose table or column is missing.
    pub(crate) relations: Vec<Option<LocatedRelation>>,
    pub(crate) missing: Vec<Missing>,
}

/// A part of the datamodel that the database lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The type, or the type and the field.
    pub of: Box<str>,
    /// What there is not: `no table "User"`.
    pub what: Box<str>,
}

/// The place of a type.
#[derive(Clone, Debug)]
pub(crate) struct LocatedType {
    pub(crate) entity: EntityId,
    pub(crate) key: FieldId,
    /// In the order of the datamodel.
    pub(crate) fields: Vec<LocatedField>,
    /// Moments that the server sets and no client sees; tables of other programs may lack them.
    pub(crate) hidden: Vec<(HiddenMoment, FieldId)>,
}

/// The place of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LocatedField {
    Missing,
    Column(LocatedColumn),
    /// The values of a table of scalar lists.
    List(LocatedList),
    /// The rows of a relation: [`Located::relations`] has its place.
    Relation,
}

/// A stored value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LocatedColumn {
    pub(crate) field: FieldId,
    /// The type in the database.
    pub(crate) r#type: StoredType,
    /// The database makes the value, and refuses any other.
    pub(crate) is_generated: bool,
}

/// A table of scalar lists.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LocatedList {
    pub(crate) entity: EntityId,
    /// The hop from the row to its values.
    pub(crate) hop: Hop,
    pub(crate) node_id: FieldId,
    pub(crate) position: FieldId,
    pub(crate) value: LocatedColumn,
}

/// The place of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocatedRelation {
    /// The rows of this end have a column with the key of the other's row.
    Inline {
        end: End,
        field: FieldId,
        /// The hop from the row with the column.
        hop: Hop,
    },
    /// A table has the keys of both rows.
    Table(LocatedTable),
}

/// A relation's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocatedTable {
    pub(crate) entity: EntityId,
    pub(crate) a: FieldId,
    pub(crate) b: FieldId,
    /// Hops from the rows of the table.
    pub(crate) to_a: Hop,
    pub(crate) to_b: Hop,
    /// The table's own key.
    pub(crate) id: Option<FieldId>,
}

impl Located {
    /// Finds the places of a datamodel. Relationships that the database does not declare are
    /// declared in the catalog.
    #[must_use]
    pub(crate) fn find(model: &Model, catalog: &mut Catalog) -> Self {
        let mut finder = Finder { model, catalog, rows: Vec::new(), missing: Vec::new() };
        finder.rows = model.types.iter().map(|known| finder.rows(known)).collect();
        let types = (0..model.types.len()).map(|index| finder.r#type(index)).collect();
        let relations = model.relations.iter().map(|known| finder.relation(known)).collect();
        Self { types, relations, missing: finder.missing }
    }

    pub(crate) fn r#type(&self, index: TypeIndex) -> Option<&LocatedType> {
        self.types.get(index.0)?.as_ref()
    }

    pub(crate) fn field(&self, index: TypeIndex, field: usize) -> &LocatedField {
        let found = self.r#type(index).and_then(|known| known.fields.get(field));
        found.unwrap_or(&LocatedField::Missing)
    }

    /// The stored value of a field.
    pub(crate) fn column(&self, index: TypeIndex, field: usize) -> Option<&LocatedColumn> {
        match self.field(index, field) {
            LocatedField::Column(column) => Some(column),
            LocatedField::Missing | LocatedField::List(_) | LocatedField::Relation => None,
        }
    }

    pub(crate) fn relation(&self, index: RelationIndex) -> Option<&LocatedRelation> {
        self.relations.get(index.0)?.as_ref()
    }

    /// The path from the rows of an end to those of the other.
    pub(crate) fn path(&self, index: RelationIndex, end: End) -> Option<RelationPath> {
        Some(self.relation(index)?.path(end))
    }
}

impl LocatedRelation {
    /// The path from the rows of an end to those of the other.
    pub(crate) fn path(&self, from: End) -> RelationPath {
        match *self {
            Self::Inline { end, hop, .. } if end == from => RelationPath::Hop(hop),
            Self::Inline { hop, .. } => RelationPath::Hop(backward(hop)),
            Self::Table(table) => {
                let (near, far) = match from {
                    End::A => (table.to_a, table.to_b),
                    End::B => (table.to_b, table.to_a),
                };
                RelationPath::Through { near: backward(near), far }
            }
        }
    }
}

/// The same relationship from its other side.
fn backward(hop: Hop) -> Hop {
    Hop { direction: HopDirection::Backward, ..hop }
}

struct Finder<'f> {
    model: &'f Model,
    catalog: &'f mut Catalog,
    /// The entity and the key of each type.
    rows: Vec<Option<(EntityId, FieldId)>>,
    missing: Vec<Missing>,
}

impl Finder<'_> {
    fn rows(&mut self, r#type: &Type) -> Option<(EntityId, FieldId)> {
        let Some(entity) = find_table(self.catalog, &r#type.table) else {
            self.miss(&r#type.name, format!("no table \"{}\"", r#type.table));
            return None;
        };
        let column = match r#type.key {
            Key::Hidden => HIDDEN_KEY,
            Key::Field(index) => match r#type.fields.get(index).map(|field| &field.kind) {
                Some(FieldKind::Scalar(scalar)) => &scalar.column,
                _ => HIDDEN_KEY,
            },
        };
        let key = self.column(&r#type.name, entity, column)?;
        Some((entity, key))
    }

    fn r#type(&mut self, index: usize) -> Option<LocatedType> {
        let (entity, key) = self.rows.get(index).copied().flatten()?;
        let model = self.model;
        let r#type = &model.types[index];
        let fields = r#type.fields.iter().map(|field| {
            let of = format!("{}.{}", r#type.name, field.name);
            match &field.kind {
                FieldKind::Scalar(ScalarField { column, .. }) => {
                    match self.column(&of, entity, column) {
                        Some(field) => LocatedField::Column(self.stored(field)),
                        None => LocatedField::Missing,
                    }
                }
                FieldKind::ScalarList { column, .. } => {
                    let table = format!("{}_{column}", r#type.table);
                    let list = self.list(&of, &table, (entity, key));
                    list.map_or(LocatedField::Missing, LocatedField::List)
                }
                FieldKind::Relation { .. } => LocatedField::Relation,
            }
        });
        let fields = fields.collect();
        let moments = r#type.hidden.iter().filter_map(|moment| {
            let field = self.catalog.find_field(entity, moment.column())?;
            Some((*moment, field.id))
        });
        let hidden = moments.collect();
        Some(LocatedType { entity, key, fields, hidden })
    }

    fn list(&mut self, of: &str, table: &str, rows: (EntityId, FieldId)) -> Option<LocatedList> {
        let entity = self.table(of, table)?;
        let node_id = self.column(of, entity, NODE_ID)?;
        let position = self.column(of, entity, POSITION)?;
        let value = self.column(of, entity, VALUE)?;
        let hop = backward(self.hop(entity, node_id, rows));
        Some(LocatedList { entity, hop, node_id, position, value: self.stored(value) })
    }

    fn relation(&mut self, relation: &Relation) -> Option<LocatedRelation> {
        let rows = |end| self.rows.get(relation.end(end).r#type.0).copied().flatten();
        let (a, b) = (rows(End::A)?, rows(End::B)?);
        let of = format!("the relation {}", relation.name);
        match &relation.storage {
            RelationStorage::Inline { end, column } => {
                let (own, other) = match end {
                    End::A => (a, b),
                    End::B => (b, a),
                };
                let field = self.column(&of, own.0, column)?;
                let hop = self.hop(own.0, field, other);
                Some(LocatedRelation::Inline { end: *end, field, hop })
            }
            RelationStorage::Table { table, a_column, b_column, id_column } => {
                let entity = self.table(&of, table)?;
                let a_field = self.column(&of, entity, a_column)?;
                let b_field = self.column(&of, entity, b_column)?;
                let id = match id_column {
                    Some(column) => Some(self.column(&of, entity, column)?),
                    None => None,
                };
                Some(LocatedRelation::Table(LocatedTable {
                    entity,
                    a: a_field,
                    b: b_field,
                    to_a: self.hop(entity, a_field, a),
                    to_b: self.hop(entity, b_field, b),
                    id,
                }))
            }
        }
    }

    fn table(&mut self, of: &str, name: &str) -> Option<EntityId> {
        let found = find_table(self.catalog, name);
        if found.is_none() {
            self.miss(of, format!("no table \"{name}\""));
        }
        found
    }

    fn column(&mut self, of: &str, entity: EntityId, name: &str) -> Option<FieldId> {
        let found = self.catalog.find_field(entity, name).map(|field| field.id);
        if found.is_none() {
            let table = self.catalog[entity].name.clone();
            self.miss(of, format!("no column \"{name}\" in the table \"{table}\""));
        }
        found
    }

    fn miss(&mut self, of: &str, what: String) {
        self.missing.push(Missing { of: of.into(), what: what.into() });
    }

    fn stored(&self, field: FieldId) -> LocatedColumn {
        let stored = &self.catalog[field];
        let is_generated = match stored.generated {
            Some(Generated::Stored | Generated::IdentityAlways) => true,
            Some(Generated::IdentityByDefault) | None => false,
        };
        LocatedColumn { field, r#type: stored.r#type.clone(), is_generated }
    }

    /// The hop along the relationship from a column to the key of rows, which is declared if the
    /// database has no such foreign key.
    fn hop(&mut self, from: EntityId, field: FieldId, to: (EntityId, FieldId)) -> Hop {
        let mut known = self.catalog[from].outgoing.iter().map(|id| &self.catalog[*id]);
        let known = known.find(|known| {
            known.to == to.0 && *known.from_fields == [field] && *known.to_fields == [to.1]
        });
        let relationship = match known.map(|known| known.id) {
            Some(known) => known,
            None => self.catalog.declare_relationship(NewRelationship {
                name: self.catalog[field].name.clone(),
                from,
                from_fields: vec![field],
                to: to.0,
                to_fields: vec![to.1],
                description: None,
            }),
        };
        Hop { relationship, direction: HopDirection::Forward }
    }
}

fn find_table(catalog: &Catalog, name: &str) -> Option<EntityId> {
    catalog.entities().find(|entity| &*entity.name == name).map(|entity| entity.id)
}
