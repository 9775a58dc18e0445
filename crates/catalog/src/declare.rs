//! What somebody says of a source that it does not say itself: keys and foreign keys of views, and
//! the rows of tables that an API is made from.

use crate::builder::NewRelationship;
use crate::catalog::Catalog;
use crate::entity::{Key, Relationship};
use crate::ids::{EntityId, FieldId, RelationshipId};
use crate::note::Note;

/// The rows of an entity as they were when the catalog was read, some of their fields as texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownRows {
    pub fields: Vec<FieldId>,
    /// Each with a text for each of the fields, unless that is null.
    pub rows: Vec<Vec<Option<Box<str>>>>,
}

impl KnownRows {
    /// The values of one field, in the order of the rows.
    pub fn values(&self, field: FieldId) -> impl Iterator<Item = Option<&str>> {
        let place = self.fields.iter().position(|known| *known == field);
        self.rows.iter().map(move |row| place.and_then(|place| row.get(place)?.as_deref()))
    }
}

impl Catalog {
    /// Adds a key that the source does not enforce. Nothing relies on it but what asks for it.
    pub fn declare_key(&mut self, entity: EntityId, key: Key) {
        self.entities[entity.index()].keys.push(Key { enforced: false, ..key });
    }

    /// Adds a relationship that the source does not enforce.
    pub fn declare_relationship(&mut self, new: NewRelationship) -> RelationshipId {
        let id = RelationshipId::new(self.relationships.len());
        let from = &mut self.entities[new.from.index()];
        from.outgoing.push(id);
        let (one_to_one, indexed) =
            (from.is_unique(&new.from_fields), from.is_indexed(&new.from_fields));
        self.entities[new.to.index()].incoming.push(id);
        self.relationships.push(Relationship {
            id,
            name: new.name,
            from: new.from,
            from_fields: new.from_fields,
            to: new.to,
            to_fields: new.to_fields,
            one_to_one,
            indexed,
            enforced: false,
            edge: None,
            description: new.description,
        });
        id
    }

    /// Lets new rows leave a field out: somebody fills it in for them.
    pub fn declare_default(&mut self, field: FieldId) {
        self.fields[field.index()].has_default = true;
    }

    /// Keeps the rows of an entity.
    pub fn know_rows(&mut self, entity: EntityId, rows: KnownRows) {
        self.known_rows.insert(entity, rows);
    }

    /// The rows of an entity, if they were read with the catalog.
    #[must_use]
    pub fn known_rows(&self, entity: EntityId) -> Option<&KnownRows> {
        self.known_rows.get(&entity)
    }

    pub fn note(&mut self, note: Note) {
        self.notes.push(note);
    }
}
