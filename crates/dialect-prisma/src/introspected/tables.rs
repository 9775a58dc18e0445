//! Tables by what they have: rows of a type, pairs of a relation, or elements of lists.

use catalog::{
    Catalog, Entity, EntityId, EntityKind, Field, FieldDefault, FieldId, KeyKind, Note,
    Relationship, RelationshipId, Scalar, Type,
};

use super::columns::key_type;
use super::left_out;
use crate::model::ScalarType;

/// The reason why a table is no type.
pub(super) const NO_KEY: &str =
    "the table has no key of one column with a text, a UUID or an integer";

/// Tables that Prisma has for itself.
const RESERVED: &[&str] = &["_Migration", "_RelayId"];

/// The tables of a catalog.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// In the order of the catalog.
    pub(super) rows: Vec<Row>,
    pub(super) pairs: Vec<Pair>,
    /// Tables without a key.
    pub(super) left_out: Vec<EntityId>,
}

/// A table of the rows of a type.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) entity: EntityId,
    pub(super) key: FieldId,
    /// Columns with the keys of rows.
    pub(super) references: Vec<Reference>,
    /// Foreign keys that are no relations.
    pub(super) others: Vec<RelationshipId>,
    /// Tables of elements.
    pub(super) lists: Vec<List>,
}

/// A foreign key of one column that leads to the key of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub(super) column: FieldId,
    pub(super) target: EntityId,
    pub(super) relationship: RelationshipId,
    /// True if no two rows have one value.
    pub(super) is_unique: bool,
}

/// A table of the elements of lists.
#[derive(Debug)]
pub(super) struct List {
    /// The end of the table's name.
    pub(super) column: Box<str>,
    pub(super) value: FieldId,
}

/// A table of the pairs of a relation.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) entity: EntityId,
    pub(super) ends: [Reference; 2],
    pub(super) id: Option<FieldId>,
}

impl Tables {
    pub(super) fn find(catalog: &Catalog, notes: &mut Vec<Note>) -> Self {
        let finder = Finder { catalog };
        let mut tables = Self::default();
        let mut lists = Vec::new();
        let stored = catalog.entities().filter(|own| finder.is_served(own));
        for entity in stored {
            if let Some(list) = finder.list(entity) {
                lists.push(list);
            } else if let Some(pair) = finder.pair(entity) {
                tables.pairs.push(pair);
            } else if let Some(key) = finder.key(entity) {
                let references = finder.references(entity, Some(key));
                let others = finder.others(entity, &references);
                let (entity, lists) = (entity.id, Vec::new());
                tables.rows.push(Row { entity, key, references, others, lists });
            } else {
                notes.push(left_out(
                    catalog.qualified_name(entity.id),
                    NO_KEY,
                    "add one, as in `ALTER TABLE … ADD COLUMN id …`",
                ));
                tables.left_out.push(entity.id);
            }
        }
        let views = catalog.entities().filter(|own| !is_table(own));
        for view in views.filter(|own| catalog.given().entity(own.id).is_some()) {
            notes.push(left_out(
                catalog.qualified_name(view.id),
                "the rows of views have no ids in this dialect",
                "serve it with another dialect",
            ));
        }
        for (of, list) in lists {
            if let Some(row) = tables.rows.iter_mut().find(|row| row.entity == of) {
                row.lists.push(list);
            }
        }
        // Rows that are no type have no relations.
        let is_row = |entity: EntityId| tables.rows.iter().any(|row| row.entity == entity);
        let pairs = std::mem::take(&mut tables.pairs);
        let (pairs, others): (Vec<Pair>, Vec<Pair>) =
            pairs.into_iter().partition(|pair| pair.ends.iter().all(|end| is_row(end.target)));
        for pair in others {
            notes.push(left_out(
                catalog.qualified_name(pair.entity),
                "the rows that the table relates are no types",
                "give their tables keys of one column",
            ));
        }
        tables.pairs = pairs;
        tables
    }
}

fn is_table(entity: &Entity) -> bool {
    entity.kind == EntityKind::Table && !RESERVED.contains(&&*entity.name)
}

struct Finder<'c> {
    catalog: &'c Catalog,
}

impl<'c> Finder<'c> {
    fn is_served(&self, entity: &Entity) -> bool {
        is_table(entity) && !self.catalog.is_left_out(entity.id)
    }

    fn columns(&self, entity: &Entity) -> Vec<&'c Field> {
        self.catalog.fields_of(entity.id).collect()
    }

    /// The column of the id: that of the primary key, else the only one with a sequence, `id`, or the
    /// only unique one, as in Prisma.
    fn key(&self, entity: &Entity) -> Option<FieldId> {
        let is_key = |field: &FieldId| {
            let own = &self.catalog[*field];
            !own.nullable && key_type(self.catalog, &own.r#type).is_some()
        };
        if let Some(key) = entity.primary_key() {
            // A key of several columns is none.
            return match *key.fields {
                [field] if is_key(&field) => Some(field),
                _ => None,
            };
        }
        let columns = self.columns(entity);
        let is_unique = |field: &&Field| entity.is_unique_alone(field.id) && is_key(&field.id);
        let unique: Vec<&Field> = columns.into_iter().filter(is_unique).collect();
        let has_sequence = |field: &&&Field| {
            matches!(self.catalog.default_of(field.id), Some(FieldDefault::Sequence(_)))
        };
        let mut numbered = unique.iter().filter(has_sequence);
        if let (Some(only), None) = (numbered.next(), numbered.next()) {
            return Some(only.id);
        }
        let named = unique.iter().find(|field| &*field.name == "id");
        match (named, unique.as_slice()) {
            (Some(field), _) => Some(field.id),
            (None, [only]) => Some(only.id),
            (None, _) => None,
        }
    }

    /// The foreign keys of single columns to ids, but for that of the own id.
    fn references(&self, entity: &Entity, key: Option<FieldId>) -> Vec<Reference> {
        let all = entity.outgoing.iter().map(|id| &self.catalog[*id]);
        let mut references: Vec<Reference> = Vec::new();
        for own in all {
            if let Some(reference) = self.reference(entity, own)
                && Some(reference.column) != key
                && references.iter().all(|other| other.column != reference.column)
            {
                references.push(reference);
            }
        }
        references
    }

    fn reference(&self, entity: &Entity, own: &Relationship) -> Option<Reference> {
        let ([column], [to]) = (&*own.from_fields, &*own.to_fields) else { return None };
        let target = &self.catalog[own.to];
        let is_id = self.is_served(target)
            && self.key(target) == Some(*to)
            && !self.catalog.given().leaves_out(own.id);
        let is_unique = entity.is_unique_alone(*column);
        let (column, target, relationship) = (*column, own.to, own.id);
        is_id.then_some(Reference { column, target, relationship, is_unique })
    }

    /// The table of a list, with the table of the rows that have it.
    fn list(&self, entity: &Entity) -> Option<(EntityId, List)> {
        let columns = self.columns(entity);
        let find = |name: &str| columns.iter().find(|own| &*own.name == name && !own.nullable);
        let (holder, position, value) = (find("nodeId")?, find("position")?, find("value")?);
        let reference = self.references(entity, None).into_iter().next()?;
        let is_number = matches!(
            self.catalog.base_type(&position.r#type),
            Type::Scalar(Scalar::Int16 | Scalar::Int32 | Scalar::Int64)
        );
        if columns.len() != 3 || reference.column != holder.id || !is_number {
            return None;
        }
        let of = &self.catalog[reference.target].name;
        let column = entity.name.strip_prefix(&**of)?.strip_prefix('_')?;
        let list = List { column: column.into(), value: value.id };
        (!column.is_empty()).then_some((reference.target, list))
    }

    /// The pairs of a relation: two keys of rows, and at most an id of the pair.
    fn pair(&self, entity: &Entity) -> Option<Pair> {
        let columns = self.columns(entity);
        let [a, b] = *self.references(entity, None).as_slice() else { return None };
        let is_end = |field: &&Field| field.id == a.column || field.id == b.column;
        let (ends, others): (Vec<&Field>, Vec<&Field>) = columns.into_iter().partition(is_end);
        let id = match *others.as_slice() {
            [] => None,
            [id] if self.is_id(entity, id) => Some(id.id),
            [..] => return None,
        };
        // In the order of the columns.
        let [first, second] = *ends.as_slice() else { return None };
        let end = |field: &Field| if field.id == a.column { a } else { b };
        // With an id, rows without one of both are rows of a type.
        let is_pair = id.is_none() || (!first.nullable && !second.nullable);
        is_pair.then(|| Pair { entity: entity.id, ends: [end(first), end(second)], id })
    }

    /// Whether a column is the id of pairs, a text as Prisma made it.
    fn is_id(&self, entity: &Entity, field: &Field) -> bool {
        let is_primary =
            |key: &catalog::Key| key.kind == KeyKind::Primary && *key.fields == [field.id];
        entity.keys.iter().any(is_primary)
            && key_type(self.catalog, &field.r#type) == Some(ScalarType::Id)
    }

    /// Foreign keys that are no relations.
    fn others(&self, entity: &Entity, used: &[Reference]) -> Vec<RelationshipId> {
        let is_used = |own: &Relationship| match *own.from_fields {
            [column] => used.iter().any(|reference| reference.column == column),
            _ => false,
        };
        let others = entity.outgoing.iter().map(|id| &self.catalog[*id]);
        let others = others.filter(|own| !is_used(own) && !self.catalog.given().leaves_out(own.id));
        others.map(|own| own.id).collect()
    }
}
