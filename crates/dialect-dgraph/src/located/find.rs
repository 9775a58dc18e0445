//! Finding the places of a model in a catalog, and declaring the relationships that it lacks.

use catalog::builder::NewRelationship;
use catalog::{Catalog, EntityId, FieldId, KeyKind, Scalar};
use ir::{Hop, HopDirection};
use storage::model::EndOf;
use storage::plan::{Places, RelationPlace};
use storage::tables;

use super::{Located, LocatedColumn, LocatedField, LocatedRows, LocatedType, RelationPath};
use crate::model::{Base, Model, TypeIndex, TypeKind, XidScope};
use crate::stored::{FieldStorage, Side, Stored, StoredType};

/// Finds the places of a model. The tables of a relation whose other end is one of several types
/// have a foreign key to none of them, so relationships are declared.
pub(super) fn locate(
    model: &Model,
    stored: &Stored,
    places: &Places,
    catalog: &mut Catalog,
) -> Located {
    let rows = stored.types.iter().map(|known| rows(places, known.as_ref()?, catalog));
    let rows: Vec<Option<LocatedRows>> = rows.collect();
    let mut finder = Finder { model, stored, places, catalog, rows };
    let types = (0..model.types.len()).map(|index| finder.r#type(TypeIndex(index))).collect();
    let mut located = Located { types };
    located.derive_links(catalog);
    located
}

/// The table of a type's rows.
fn rows(places: &Places, known: &StoredType, catalog: &mut Catalog) -> Option<LocatedRows> {
    let EndOf::Entity(entity) = known.rows else { return None };
    let place = places.entities.get(entity.0)?;
    let entity = find_table(catalog, &place.table)?;
    let key = catalog.find_field(entity, place.key.first()?)?.id;
    // SQLite's own keys are declared as plain integers, and have 64 bits.
    catalog.declare_stored(key, Scalar::Int64).ok()?;
    Some(LocatedRows { entity, key })
}

/// A table with the columns by which its rows refer to others.
type ReferringTable = (Box<str>, Vec<Box<str>>);

struct Finder<'f> {
    model: &'f Model,
    stored: &'f Stored,
    places: &'f Places,
    catalog: &'f mut Catalog,
    /// By [`TypeIndex`].
    rows: Vec<Option<LocatedRows>>,
}

/// One field of a type that relates its rows to others.
#[derive(Clone, Copy)]
struct Related {
    rows: LocatedRows,
    relation: usize,
    side: Side,
}

impl Finder<'_> {
    fn r#type(&mut self, index: TypeIndex) -> LocatedType {
        let count = self.model.types[index.0].fields.len();
        let rows = self.rows.get(index.0).copied().flatten();
        let fields = match rows {
            Some(rows) => (0..count).map(|place| self.field(index, rows, place)).collect(),
            None => vec![LocatedField::Missing; count],
        };
        let identifiers = (0..count).map(|place| self.identifier(index, place)).collect();
        let password = rows.and_then(|rows| self.password(index, rows));
        let keys = self.keys(index);
        LocatedType { rows, fields, links: Vec::new(), identifiers, password, keys }
    }

    /// The table with the keys of all types of an interface.
    fn keys(&self, index: TypeIndex) -> Option<LocatedRows> {
        let stored = self.stored.types.get(index.0)?.as_ref()?;
        let EndOf::Group(group) = stored.rows else { return None };
        let entity = find_table(self.catalog, self.places.groups.get(group.0)?.as_ref()?)?;
        let key = self.catalog[entity].keys.iter().find(|key| key.kind == KeyKind::Primary)?;
        Some(LocatedRows { entity, key: *key.fields.first()? })
    }

    /// The field with the values of an interface's identifier.
    fn identifier(&self, index: TypeIndex, place: usize) -> Option<FieldId> {
        let stored = self.stored.types.get(index.0).and_then(Option::as_ref)?;
        let EndOf::Group(group) = stored.rows else { return None };
        let field = &self.model.types[index.0].fields[place];
        field.id.filter(|scope| *scope == XidScope::Interface)?;
        let table = self.places.groups.get(group.0)?.as_ref()?;
        let table = find_table(self.catalog, table)?;
        Some(self.catalog.find_field(table, &field.stored_name)?.id)
    }

    /// The field with the hash of the password of a type.
    fn password(&self, index: TypeIndex, rows: LocatedRows) -> Option<FieldId> {
        let stored = self.stored.types.get(index.0)?.as_ref()?;
        self.stored_field(stored, rows, stored.secret?)
    }

    fn field(&mut self, index: TypeIndex, rows: LocatedRows, place: usize) -> LocatedField {
        let stored = self.stored.types.get(index.0).and_then(Option::as_ref);
        let found = stored.and_then(|known| known.fields.get(place)?.as_ref());
        match found {
            Some(FieldStorage::Key) => self.column(rows.key),
            Some(FieldStorage::Field(field)) => {
                let column = stored.and_then(|known| self.stored_field(known, rows, *field));
                column.map_or(LocatedField::Missing, |column| self.column(column))
            }
            Some(FieldStorage::Relation { relation, side }) => {
                let related = Related { rows, relation: *relation, side: *side };
                let base = self.model.types[index.0].fields[place].r#type.base;
                self.relation(related, base).unwrap_or(LocatedField::Missing)
            }
            Some(FieldStorage::Coalesce(fields)) => {
                let found = |field: &usize| self.stored_field(stored?, rows, *field);
                let fields: Option<Vec<_>> = fields.iter().map(found).collect();
                fields.map_or(LocatedField::Missing, LocatedField::Coalesce)
            }
            Some(FieldStorage::Members) | None => LocatedField::Missing,
        }
    }

    fn column(&self, field: FieldId) -> LocatedField {
        LocatedField::Column(LocatedColumn { field, r#type: self.catalog[field].r#type.clone() })
    }

    fn stored_field(
        &self,
        stored: &StoredType,
        rows: LocatedRows,
        field: usize,
    ) -> Option<FieldId> {
        let EndOf::Entity(entity) = stored.rows else { return None };
        let name = self.places.entities.get(entity.0)?.fields.get(field)?;
        Some(self.catalog.find_field(rows.entity, name)?.id)
    }

    /// The related rows of a field; `None` if the database lacks a table or a column of them.
    fn relation(&mut self, related: Related, base: Base) -> Option<LocatedField> {
        let place = self.places.relations.get(related.relation)?;
        let is_one = match base {
            Base::Type(index) => self.model.types[index.0].kind == TypeKind::Object,
            _ => false,
        };
        let mut ways = Vec::new();
        for target in self.members(base) {
            let rows = self.rows.get(target.0).copied().flatten()?;
            let way = match place {
                RelationPlace::Columns { side, tables, .. } if is_at(*side, related.side) => {
                    let relationship = (related.rows.entity, tables.as_slice(), rows);
                    RelationPath::Hop(self.reference(relationship, HopDirection::Forward)?)
                }
                RelationPlace::Columns { tables, .. } => {
                    let relationship = (rows.entity, tables.as_slice(), related.rows);
                    RelationPath::Hop(self.reference(relationship, HopDirection::Backward)?)
                }
                RelationPlace::Pairs { table, near, far } => {
                    let (own, other) = match related.side {
                        Side::Near => (near, far),
                        Side::Far => (far, near),
                    };
                    let pairs = find_table(self.catalog, table)?;
                    let own = self.catalog.find_field(pairs, own.first()?)?.id;
                    let other = self.catalog.find_field(pairs, other.first()?)?.id;
                    RelationPath::Through {
                        near: self.hop((pairs, own, related.rows), HopDirection::Backward),
                        far: self.hop((pairs, other, rows), HopDirection::Forward),
                    }
                }
            };
            ways.push((target, way));
        }
        match (is_one, ways.first()) {
            (true, Some((_, way))) => Some(LocatedField::Rows(*way)),
            (false, Some(_)) => Some(LocatedField::Several(ways)),
            (_, None) => None,
        }
    }

    /// The hop along the column by which rows of an entity refer to others.
    fn reference(
        &mut self,
        (from, tables, to): (EntityId, &[ReferringTable], LocatedRows),
        direction: HopDirection,
    ) -> Option<Hop> {
        let name = &*self.catalog[from].name;
        let (_, columns) = tables.iter().find(|(table, _)| **table == *name)?;
        let field = self.catalog.find_field(from, columns.first()?)?.id;
        Some(self.hop((from, field, to), direction))
    }

    /// The types whose rows a field can hold.
    fn members(&self, base: Base) -> Vec<TypeIndex> {
        match base {
            Base::Type(index) if self.model.types[index.0].kind == TypeKind::Interface => {
                let types = self.model.types.iter().enumerate();
                let types = types.filter(|(_, known)| known.implements.contains(&index));
                types.map(|(member, _)| TypeIndex(member)).collect()
            }
            Base::Type(index) => vec![index],
            Base::Union(index) => self.model.unions[index.0].members.clone(),
            Base::Scalar(_) | Base::Enum(_) | Base::Input(_) => Vec::new(),
        }
    }

    /// The hop along the relationship from a column to the key of rows, which is declared if the
    /// database has no such foreign key.
    fn hop(
        &mut self,
        (from, field, to): (EntityId, FieldId, LocatedRows),
        direction: HopDirection,
    ) -> Hop {
        let mut known = self.catalog[from].outgoing.iter().map(|id| &self.catalog[*id]);
        let known = known.find(|known| {
            let is_same = *known.from_fields == [field] && *known.to_fields == [to.key];
            is_same && known.to == to.entity
        });
        let relationship = match known.map(|known| known.id) {
            Some(known) => known,
            None => self.catalog.declare_relationship(NewRelationship {
                name: self.catalog[field].name.clone(),
                from,
                from_fields: vec![field],
                to: to.entity,
                to_fields: vec![to.key],
                description: None,
            }),
        };
        Hop { relationship, direction }
    }
}

fn is_at(side: tables::Side, own: Side) -> bool {
    match (side, own) {
        (tables::Side::Near, Side::Near) | (tables::Side::Far, Side::Far) => true,
        (tables::Side::Near, Side::Far) | (tables::Side::Far, Side::Near) => false,
    }
}

fn find_table(catalog: &Catalog, name: &str) -> Option<EntityId> {
    catalog.entities().find(|entity| &*entity.name == name).map(|entity| entity.id)
}
