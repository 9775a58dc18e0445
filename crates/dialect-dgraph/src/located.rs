//! The places of type definitions in a catalog: the entity of each type, the field of each value,
//! the path to the rows of each relation.

mod find;
mod links;

use catalog::{Catalog, EntityId, FieldId, Type};
use ir::Hop;
use storage::plan::Places;

use crate::model::{Model, TypeIndex};
use crate::stored::Stored;
pub use links::LocatedLink;

/// The places of all types of a model. Without any, nothing of it is stored.
#[derive(Clone, Debug, Default)]
pub struct Located {
    /// In the order of the model.
    pub types: Vec<LocatedType>,
}

/// The place of a type or an interface.
#[derive(Clone, Debug, Default)]
pub struct LocatedType {
    /// The rows; an interface has none of its own.
    pub rows: Option<LocatedRows>,
    /// In the order of the model. Of an interface all are [`LocatedField::Missing`].
    pub fields: Vec<LocatedField>,
    /// The storage of each field that is a relation, in the same order.
    pub links: Vec<Option<LocatedLink>>,
    /// Of an interface, the field with the values of each identifier that is unique among the rows of
    /// all its types, in the same order. The rows of the table are the keys of all types.
    pub identifiers: Vec<Option<FieldId>>,
    /// The field with the hash of the password.
    pub password: Option<FieldId>,
    /// Of an interface, the table with the keys of all types, if there is one.
    pub keys: Option<LocatedRows>,
}

/// The rows of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocatedRows {
    pub entity: EntityId,
    /// The field of the key, which is the automatic id.
    pub key: FieldId,
}

/// The place of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum LocatedField {
    /// The catalog lacks it, or another server answers it.
    Missing,
    Column(LocatedColumn),
    /// A text in several languages: the first of these fields that is not null.
    Coalesce(Vec<FieldId>),
    /// Rows of one type.
    Rows(RelationPath),
    /// Rows of several types, along a path to each.
    Several(Vec<(TypeIndex, RelationPath)>),
}

/// A stored value.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedColumn {
    pub field: FieldId,
    /// The type in the database.
    pub r#type: Type,
}

/// A path to related rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationPath {
    Hop(Hop),
    /// Through the rows of a join table.
    Through {
        near: Hop,
        far: Hop,
    },
}

impl Located {
    /// Finds the places of a model in a catalog. The relationships that the catalog lacks are
    /// declared in it.
    #[must_use]
    pub fn find(model: &Model, stored: &Stored, places: &Places, catalog: &mut Catalog) -> Self {
        find::locate(model, stored, places, catalog)
    }

    /// The rows of a type, if they are stored.
    #[must_use]
    pub fn rows(&self, index: TypeIndex) -> Option<LocatedRows> {
        self.types.get(index.0)?.rows
    }

    /// The place of a field of a type.
    #[must_use]
    pub fn field(&self, index: TypeIndex, field: usize) -> &LocatedField {
        let found = self.types.get(index.0).and_then(|known| known.fields.get(field));
        found.unwrap_or(&LocatedField::Missing)
    }

    /// The field with the hash of a type's password.
    #[must_use]
    pub fn password(&self, index: TypeIndex) -> Option<FieldId> {
        self.types.get(index.0)?.password
    }

    /// The stored value of a field of a type.
    #[must_use]
    pub fn column(&self, index: TypeIndex, field: usize) -> Option<&LocatedColumn> {
        match self.field(index, field) {
            LocatedField::Column(column) => Some(column),
            LocatedField::Missing
            | LocatedField::Coalesce(_)
            | LocatedField::Rows(_)
            | LocatedField::Several(_) => None,
        }
    }
}
