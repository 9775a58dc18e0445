//! Tables and views of a catalog, and those of which a stream reports the changes.

use std::rc::Rc;

use ahash::{AHashMap, AHashSet};
use catalog::{Catalog, Entity, EntityId, EntityKind, FieldId};
use source::changes::{
    ChangedRows, ChangedTable, Columns, Coverage, CoveredRelation, Dependence, RowChange,
    TableChange, TableName,
};

use crate::index::Changed;

/// The tables and views of a catalog, with their entities.
pub(crate) struct Tables {
    pub(crate) names: Rc<[TableName]>,
    entities: AHashMap<TableName, EntityId>,
    /// Fields by the names of their columns.
    columns: AHashMap<EntityId, AHashMap<Box<str>, FieldId>>,
}

/// The entities of a coverage, by the tables whose changes concern their readers.
#[derive(Debug, Default)]
pub(crate) struct Covered {
    pub(crate) entities: AHashSet<EntityId>,
    tables: AHashMap<TableName, Concerned>,
}

/// The entities that changes of a table concern.
#[derive(Debug, Default)]
struct Concerned {
    /// Those whose rows the table has, with the columns that decide who may read a row.
    rows: Vec<(EntityId, Columns)>,
    /// Those of which any row may differ after a change of these columns.
    dependent: Vec<(EntityId, Columns)>,
}

/// A changed table for an entity whose rows it has.
pub(crate) struct EntityChange<'c> {
    entity: EntityId,
    fields: Vec<Option<FieldId>>,
    row_security: Vec<bool>,
    rows: &'c ChangedRows,
}

impl Tables {
    pub(crate) fn new(catalog: &Catalog) -> Self {
        let is_followed =
            |entity: &&Entity| matches!(entity.kind, EntityKind::Table | EntityKind::View);
        let name = |entity: &Entity| TableName {
            namespace: entity.namespace.clone(),
            name: entity.name.clone(),
        };
        let entities: AHashMap<TableName, EntityId> = catalog
            .entities()
            .filter(is_followed)
            .map(|entity| (name(entity), entity.id))
            .collect();
        let columns_of = |entity: &EntityId| {
            let fields = catalog.fields_of(*entity);
            (*entity, fields.map(|field| (field.name.clone(), field.id)).collect())
        };
        let columns = entities.values().map(columns_of).collect();
        Self { names: entities.keys().cloned().collect(), entities, columns }
    }

    pub(crate) fn covered(&self, coverage: &Coverage) -> Covered {
        let mut covered = Covered::default();
        for relation in &coverage.relations {
            let CoveredRelation { name, stored_in, row_security, depends_on } = relation;
            let Some(entity) = self.entities.get(name).copied() else { continue };
            covered.entities.insert(entity);
            for table in stored_in {
                let concerned = covered.tables.entry(table.clone()).or_default();
                concerned.rows.push((entity, row_security.clone()));
            }
            for Dependence { table, columns } in depends_on {
                let concerned = covered.tables.entry(table.clone()).or_default();
                concerned.dependent.push((entity, columns.clone()));
            }
        }
        covered
    }

    /// The fields of a table's columns, of an entity whose rows it has.
    fn fields(&self, entity: EntityId, table: &ChangedTable) -> Vec<Option<FieldId>> {
        let Some(known) = self.columns.get(&entity) else { return Vec::new() };
        table.columns.iter().map(|column| known.get(column).copied()).collect()
    }
}

impl Covered {
    /// The entities whose rows a change has.
    pub(crate) fn rows<'c>(
        &self,
        change: &'c TableChange,
        tables: &Tables,
    ) -> Vec<EntityChange<'c>> {
        let concerned = self.tables.get(&change.table.name).into_iter();
        let rows = concerned.flat_map(|concerned| &concerned.rows);
        let entity = |(entity, row_security): &(EntityId, Columns)| EntityChange {
            entity: *entity,
            fields: tables.fields(*entity, &change.table),
            row_security: {
                let columns = change.table.columns.iter();
                columns.map(|column| row_security.contains(column)).collect()
            },
            rows: &change.rows,
        };
        rows.map(entity).collect()
    }

    /// The entities of which any row may differ after a change.
    pub(crate) fn dependent(&self, change: &TableChange) -> impl Iterator<Item = EntityId> {
        let concerned = self.tables.get(&change.table.name).into_iter();
        let dependent = concerned.flat_map(|concerned| &concerned.dependent);
        dependent.filter(|(_, columns)| changes(change, columns)).map(|(entity, _)| *entity)
    }
}

impl EntityChange<'_> {
    pub(crate) fn changed(&self) -> Changed<'_> {
        let Self { entity, fields, row_security, rows } = self;
        Changed { entity: *entity, fields, row_security, rows }
    }
}

/// Returns true if a change has other values in some of these columns, or rows are new or deleted.
fn changes(change: &TableChange, columns: &Columns) -> bool {
    let (ChangedRows::Rows(rows), Columns::Only(_)) = (&change.rows, columns) else { return true };
    let names = &change.table.columns;
    rows.iter().any(|RowChange { before, after }| match (before, after) {
        (Some(before), Some(after)) => {
            let cells = before.iter().zip(after).zip(names);
            let mut written = cells.filter(|((before, after), _)| before.may_become(after));
            written.any(|(_, name)| columns.contains(name))
        }
        _ => true,
    })
}
